// SPDX-License-Identifier: BSD-3-Clause
/* Runs one codelet on seeded data and compares it with a long double DFT (helper_codelet.c). */
#ifndef HELPER_CODELET_H
#define HELPER_CODELET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spl/codelet/codelet.h"

#define TRIAL_MAX_N 512
#define TRIAL_OUTER 3

/* Offsets of the elements of a side. */
typedef struct trial_layout {
    ptrdiff_t row, column, outer; /* strides in scalars; G: rows at offset[] */
    ptrdiff_t column1, outer1;    /* those of row 1 of pairs */
    bool mirror;                  /* imaginary parts run the other way .. */
    ptrdiff_t im;                 /* .. from here on */
    ptrdiff_t offset[TRIAL_MAX_N];
} trial_layout;

typedef struct trial {
    const spl_codelet *codelet;
    uint64_t seed;
    int inverse, columns, outers, first;
    bool in_place, spread;
    trial_layout in, out;
    double *in_re, *in_im, *out_re, *out_im; /* one arena each; im: split sides only */
    double *before_re, *before_im;           /* contents of the output arenas before the run */
    double *tw;
    int tw_shared;         /* offset of a grid's second table in scalars */
    int in_end[2], tw_end; /* ends of the input's arenas and of the twiddles in scalars */
    char message[256];
} trial;

/* Columns (broadcast twiddles: twiddle sets) first ..; spread: odd strides with gaps. Set codelet,
 * seed, inverse, columns, outers, first, in_place and spread; then open, run, check, close. */
void trial_open(trial *t);
void trial_run(trial *t);
/* False with a message that names the codelet and the seed; the outputs are overwritten. */
bool trial_check(trial *t);
void trial_close(trial *t);
/* Rows that a codelet reads, or writes. */
int trial_rows(const spl_key *key, bool in);
/* Are there two loops, so that `first` is the start of the outer one? */
bool trial_has_outer(const spl_key *key);
/* Offset of an element of a side in its arena, in scalars. */
ptrdiff_t trial_address(const trial_layout *l, int outer, int row, int column);

#endif
