// SPDX-License-Identifier: BSD-3-Clause
/* One codelet run on seeded data and judged against a long double DFT (helper_codelet.c). */
#ifndef HELPER_CODELET_H
#define HELPER_CODELET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spl/codelet/codelet.h"

#define TRIAL_MAX_N 512
#define TRIAL_OUTER 3

/* One trial: where the elements of a side lie. */
typedef struct trial_layout {
    ptrdiff_t row, column, outer; /* in scalars; G: rows at offset[] */
    ptrdiff_t offset[TRIAL_MAX_N];
} trial_layout;

typedef struct trial {
    const spl_codelet *codelet;
    uint64_t seed;
    int inverse, columns, outers, first;
    bool in_place, spread;
    trial_layout in, out;
    double *in_re, *in_im, *out_re, *out_im; /* one arena each; im: split sides only */
    double *before_re, *before_im;           /* the arena the outputs went to, before the run */
    double *tw;
    int grid;           /* where a grid's second table begins, in scalars */
    int in_end, tw_end; /* scalars up to the end of the input, of the twiddles */
    char message[256];
} trial;

/* Columns (broadcast twiddles: sets of them) first ..; spread: odd strides with gaps. Set codelet,
 * seed, inverse, columns, outers, first, in_place and spread; then open, run, judge, close. */
void trial_open(trial *t);
void trial_run(trial *t);
/* False with a message that names the codelet and the seed; the outputs are gone afterwards. */
bool trial_judge(trial *t);
void trial_close(trial *t);
/* Where an element of a side lies in its arena. */
ptrdiff_t trial_address(const trial_layout *l, int outer, int row, int column);

#endif
