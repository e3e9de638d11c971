// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of a kernel's columns in small buffers, and calls that begin elsewhere. */
#ifndef BACKENDS_CPU_SMALL_H
#define BACKENDS_CPU_SMALL_H

#include "spl/bind/bind_tail.h"

/* Moves a call on by so many columns, or sets. Row 1 of a pass may run backwards. In place, as a
 * copy loads several fields at once: where they were just stored one by one, the loads cannot be
 * forwarded from the store buffer and wait until it is written back. */
void cpu_call_by_columns(const bind_tail *t, spl_call *call, ptrdiff_t by);
void cpu_call_by_sets(const bind_tail *t, spl_call *call, ptrdiff_t by);
/* .. to the twiddles of a block of columns; those of products stay. */
void cpu_call_to_block(const bind_tail *t, spl_call *call, size_t block);

/* A side: (row i, column l) at rows[i], or i*row, plus l*col, of row 1 of a pass l*col1. Mirrored,
 * im of row 1 is as far before that of row 0 as re is after, and their columns are exchanged. */
typedef struct cpu_rows {
    spl_format format;
    bool pass;
    const ptrdiff_t *rows;
    ptrdiff_t row, col, col1;
} cpu_rows;
cpu_rows cpu_rows_in(const bind_tail *t, const spl_call *c);
cpu_rows cpu_rows_out(const bind_tail *t, const spl_call *c);
/* Where a part (0 re, 1 im) of row i begins, and how far on the next column is, in scalars. */
ptrdiff_t cpu_place_of_row(const cpu_rows *s, int part, int i, ptrdiff_t *column);

/* One side in a small buffer, of one set or several that are `apart` bytes apart, which mirrored
 * sides and those of passes cannot be. */
typedef struct cpu_small {
    char *re, *im;
    cpu_rows at;
    int sets;
    ptrdiff_t apart;
} cpu_small;
/* Of so many columns; rows or columns adjacent, row 1 backwards or not. */
cpu_small cpu_small_of(const bind_tail *t, char *buffer, spl_format format, bool rows_adjacent,
                       bool backwards, int columns);
/* The first `count` columns of a call's input into it, and from it to the call's output. */
void cpu_small_load(const cpu_small *s, const spl_call *c, const bind_tail *t, int count);
void cpu_small_store(const cpu_small *s, const spl_call *c, const bind_tail *t, int count);
/* The first `columns` of all results of a pass's sets, from where `from` writes them to where `to`
 * does. */
void cpu_sets_store(const bind_tail *t, const spl_call *from, const spl_call *to, size_t columns,
                    size_t sets);
/* Makes it a side of the call; `off` holds the offsets of rows where the call has some. */
void cpu_call_use(const bind_tail *t, spl_call *c, const cpu_small *s, bool out, ptrdiff_t *off);

#endif
