// SPDX-License-Identifier: BSD-3-Clause
/* NVIDIA's runtime library and cuFFT, for peers that compute on its first device; found by
 * dlopen. */
#ifndef PEER_CUDA_H
#define PEER_CUDA_H

#include "bench/peers/peer_symbol.h"
#include "bench/peers/peer_table.h"

/* As cufft.h has them. */
enum {
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_C2C = 0x29,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
    CUFFT_Z2Z = 0x69,
    CUFFT_FORWARD = -1,
    CUFFT_BACKWARD = 1,
    CUFFT_MAX_RANK = 3
};

/* The signatures of all six kinds of execution; complex ones also have a direction. */
typedef int cufft_exec(int plan, void *in, void *out);
typedef int cufft_exec_complex(int plan, void *in, void *out, int direction);

typedef struct cufft_calls {
    int (*get_version)(int *version);
    int (*plan_many)(int *plan, int rank, int *n, int *in_embed, int in_stride, int in_step,
                     int *out_embed, int out_stride, int out_step, int type, int batch);
    int (*destroy)(int plan);
    cufft_exec_complex *c2c, *z2z;
    cufft_exec *r2c, *c2r, *d2z, *z2d;
} cufft_calls;

/* Valid after peer_cuda_open. */
extern cufft_calls cufft;

/* Opens both libraries and starts the device, once for all peers. False: `why` holds the
 * reason. */
bool peer_cuda_open(sluice_diag *why);
/* Opens a library and finds its functions in it; `format` as for peer_symbols. */
bool peer_cuda_library(const char *variable, const char *const *names, const char *format,
                       const peer_symbol *symbols, void *to, sluice_diag *why);
/* "cuFFT 12.0.0" */
const char *peer_cuda_version(void);
/* Blocks of the device's memory. */
const bench_memory *peer_cuda_memory(void);
/* Waits until the device is idle. False: a computation failed. */
bool peer_cuda_wait(void);

#endif
