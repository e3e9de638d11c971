// SPDX-License-Identifier: BSD-3-Clause
/* Declarations shared by the files that list codelets. */
#ifndef GEN_LIST_H
#define GEN_LIST_H

#include "spl/codelet/tool/gen_tool.h"

typedef struct family {
    spl_position position;
    spl_format compute, in, out;
    spl_tw tw;
    int min_n, max_n;
    bool nt, scalar; /* with non-temporal stores; also in plain C */
} family;

typedef struct listing {
    core_isa isa;
    const char *set;
    int precision, count;
    gen_codelet *out;
} listing;

/* Is a vector a whole cache line? */
bool gen_whole_lines(gen_vector vector);
spl_key gen_list_key(const listing *l, const family *f, int n, int kind);
void gen_list_add(listing *l, const spl_key *key);
/* Adds the steps of pairs, and copies. */
void gen_list_pairs(listing *l);

#endif
