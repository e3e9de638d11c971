// SPDX-License-Identifier: BSD-3-Clause
/* Definitions of the library's own sources as text, for the stand-alone programs that it writes. So
 * what such a program shares with the library (tables of twiddles, tails, the vector vocabulary,
 * the oracle) has only one source. The build cuts the sources into definitions
 * (spl/codelet/tool/gen_snippets.c); a program gets those that it mentions, and in turn those that
 * they mention. */
#ifndef SPL_SNIPPETS_H
#define SPL_SNIPPETS_H

#include <limits.h>
#include <stdbool.h>

#include "core/text.h"

enum { SPL_SNIPPET_NAMES = 4, SPL_SNIPPETS_MAX = 600 };

typedef struct spl_snippet {
    const char *name[SPL_SNIPPET_NAMES]; /* what it defines; ends with NULL if there are fewer */
    const char *text;                    /* with its comment; static */
} spl_snippet;

/* Tables of snippets in an order in which they compile; each ends with a record without text. */
extern const spl_snippet spl_snippets_common[];
extern const spl_snippet spl_snippets_scalar[], spl_snippets_vec128[];
extern const spl_snippet spl_snippets_avx2[], spl_snippets_avx512[];
extern const spl_snippet spl_snippets_opencl[], spl_snippets_device[];

/* Which characters names consist of: letters, digits and '_'. */
void spl_name_letters(bool letters[UCHAR_MAX + 1]);
/* Prints the snippets of a table that `text` needs, except those that are given already: given[i]
 * is snippet i's, of SPL_SNIPPETS_MAX. Printed snippets are given from then on. */
void spl_snippets_print(const spl_snippet *table, bool *given, const char *text, core_text *out);

#endif
