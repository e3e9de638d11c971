// SPDX-License-Identifier: BSD-3-Clause
/* FFTW 3's functions, of the system's build and of another one at the same time. Prototypes are
 * declared here, so that the build does not require FFTW's header. */
#ifndef PEER_FFTW_LOAD_H
#define PEER_FFTW_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "api/sluice.h"

typedef enum fftw_build { FFTW_SYSTEM = 0, FFTW_OTHER, FFTW_BUILDS } fftw_build;

typedef struct fftw_guru64_dim {
    ptrdiff_t n, is, os;
} fftw_guru64_dim;

typedef void *fftw_plan_dft(int rank, const fftw_guru64_dim *dims, int batch_rank,
                            const fftw_guru64_dim *batch, void *in, void *out, int sign,
                            unsigned flags);
typedef void *fftw_plan_split(int rank, const fftw_guru64_dim *dims, int batch_rank,
                              const fftw_guru64_dim *batch, void *ri, void *ii, void *ro, void *io,
                              unsigned flags);

/* Split r2c: in, re, im; split c2r: re, im, out. */
typedef void *fftw_plan_real(int rank, const fftw_guru64_dim *dims, int batch_rank,
                             const fftw_guru64_dim *batch, void *in, void *out, unsigned flags);
typedef void *fftw_plan_split_real(int rank, const fftw_guru64_dim *dims, int batch_rank,
                                   const fftw_guru64_dim *batch, void *a, void *b, void *c,
                                   unsigned flags);
/* Real on both sides; a kind for each axis, of FFTW's fftw_r2r_kind. */
typedef void *fftw_plan_kinds(int rank, const fftw_guru64_dim *dims, int batch_rank,
                              const fftw_guru64_dim *batch, void *in, void *out, const int *kinds,
                              unsigned flags);

/* One precision of one build. */
typedef struct fftw_api {
    bool tried, loaded, threaded;
    char error[240]; /* why it is not loaded */
    fftw_plan_dft *plan_guru64_dft;
    fftw_plan_split *plan_guru64_split_dft;
    fftw_plan_real *plan_guru64_dft_r2c, *plan_guru64_dft_c2r;
    fftw_plan_split_real *plan_guru64_split_dft_r2c, *plan_guru64_split_dft_c2r;
    fftw_plan_kinds *plan_guru64_r2r;
    void (*execute_dft)(const void *plan, void *in, void *out);
    void (*execute_dft_r2c)(const void *plan, void *in, void *out);
    void (*execute_dft_c2r)(const void *plan, void *in, void *out);
    void (*execute_r2r)(const void *plan, void *in, void *out);
    void (*execute_split_dft_r2c)(const void *plan, void *in, void *ro, void *io);
    void (*execute_split_dft_c2r)(const void *plan, void *ri, void *ii, void *out);
    void (*execute_split_dft)(const void *plan, void *ri, void *ii, void *ro, void *io);
    void (*destroy_plan)(void *plan);
    void (*forget_wisdom)(void);
    int (*import_wisdom_from_string)(const char *text);
    void (*export_wisdom)(void (*write)(char c, void *user), void *user);
    void (*set_timelimit)(double seconds);
    const char *version;
    int (*init_threads)(void);
    void (*plan_with_nthreads)(int count);
} fftw_api;

/* Never NULL; loads at the first call. */
const fftw_api *fftw_load(fftw_build build, sluice_precision precision);

#endif
