// SPDX-License-Identifier: BSD-3-Clause
/* How FFTW makes and runs plans of one kind and layout. */
#ifndef PEER_FFTW_FORM_H
#define PEER_FFTW_FORM_H

#include "bench/engine/bench_data.h"
#include "bench/peers/peer_fftw_load.h"

typedef struct fftw_form fftw_form;

typedef struct fftw_plan {
    const fftw_api *api;
    const fftw_form *form;
    void *plan;
    const char *effort;
    bool inverse;
    unsigned flags;              /* besides the flags of the effort */
    ptrdiff_t in_step, out_step; /* bytes from a real to its imaginary part; 0: separate arrays */
    int kinds[SLUICE_MAX_RANK];  /* of real axes */
} fftw_plan;

/* False if FFTW has no function for these kinds of axes; `why` holds the reason. */
bool fftw_form_fits(const bench_shape *s, sluice_diag *why);
/* Sets the form, the kinds and the steps. */
void fftw_form_choose(fftw_plan *f, const bench_shape *s);
/* A plan of FFTW; NULL: FFTW makes none. */
void *fftw_form_plan(const fftw_plan *f, const bench_shape *s, const bench_data *d, unsigned flags);
void fftw_form_execute(const fftw_plan *f, const bench_data *d);

#endif
