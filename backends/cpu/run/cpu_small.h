// SPDX-License-Identifier: BSD-3-Clause
/* Small buffers for a few columns of a kernel's side, and moving the pointers of a call. */
#ifndef BACKENDS_CPU_SMALL_H
#define BACKENDS_CPU_SMALL_H

#include "spl/bind/bind_tail.h"

/* Moves a call by so many columns, or sets; row 1 of pairs may run backwards. The call is changed
 * in place and not copied: a copy loads several fields at once, and if these were just stored one
 * by one the loads cannot be forwarded from the store buffer and wait until it is written back. */
void cpu_call_by_columns(const bind_tail *t, spl_call *call, ptrdiff_t by);
void cpu_call_by_sets(const bind_tail *t, spl_call *call, ptrdiff_t by);
/* Moves only its twiddles, to a block of columns; factored ones stay. */
void cpu_call_to_block(const bind_tail *t, spl_call *call, size_t block);

/* Where the elements of a side are: (row i, column l) at rows[i], or i*row, plus l*col; in row 1 of
 * pairs plus l*col1. On a mirrored side im of row 1 is as far before im of row 0 as its re is after
 * re of row 0, and the two rows exchange their column steps for im. */
typedef struct cpu_rows {
    spl_format format;
    bool pairs;
    const ptrdiff_t *rows;
    ptrdiff_t row, col, col1;
} cpu_rows;
cpu_rows cpu_rows_in(const bind_tail *t, const spl_call *c);
cpu_rows cpu_rows_out(const bind_tail *t, const spl_call *c);
/* Where re (part 0) or im (1) of row i begins, and the step from column to column, in scalars. */
ptrdiff_t cpu_place_of_row(const cpu_rows *s, int part, int i, ptrdiff_t *column);

/* One side in a small buffer, of one set, or of several sets at distances of `apart` bytes;
 * mirrored sides and those of pairs are one set. */
typedef struct cpu_small {
    char *re, *im;
    cpu_rows at;
    int sets;
    ptrdiff_t apart;
} cpu_small;
/* Lays out a buffer for so many columns, with adjacent rows or columns, row 1 backwards or not. */
cpu_small cpu_small_of(const bind_tail *t, char *buffer, spl_format format, bool rows_adjacent,
                       bool backwards, int columns);
/* Copies the first `count` columns of a call's input to the buffer; from it to the call's
 * output. */
void cpu_small_load(const cpu_small *s, const spl_call *c, const bind_tail *t, int count);
void cpu_small_store(const cpu_small *s, const spl_call *c, const bind_tail *t, int count);
/* Copies the first `columns` columns of all results of sets of pairs from the output of call `from`
 * to that of `to`. */
void cpu_sets_store(const bind_tail *t, const spl_call *from, const spl_call *to, size_t columns,
                    size_t sets);
/* Makes the buffer a side of the call; `off` receives the offsets of rows if the call has some. */
void cpu_call_use(const bind_tail *t, spl_call *c, const cpu_small *s, bool out, ptrdiff_t *off);

#endif
