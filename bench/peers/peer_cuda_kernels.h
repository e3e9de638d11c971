// SPDX-License-Identifier: BSD-3-Clause
/* Kernels of peers on NVIDIA's first device: CUDA C++, compiled by libnvrtc when a peer is planned
 * and launched by the driver, in the context of the runtime library. */
#ifndef PEER_CUDA_KERNELS_H
#define PEER_CUDA_KERNELS_H

#include "bench/peers/peer_cuda.h"

/* Finds the driver and the compiler, after peer_cuda_open. False: `why` holds the reason. */
bool peer_kernels_open(sluice_diag *why);
/* "NVRTC 13.0 for sm_90" */
const char *peer_kernels_version(void);

typedef struct peer_kernels peer_kernels;
/* `text` with a NULL-terminated list of options such as "-DREAL=float". NULL: `why` holds the
 * reason. */
peer_kernels *peer_kernels_compile(const char *text, const char *const *options, sluice_diag *why);
void peer_kernels_free(peer_kernels *k); /* NULL is allowed */
/* A function of the text, declared `extern "C" __global__`; NULL: there is none. */
void *peer_kernels_find(const peer_kernels *k, const char *name);
/* Enqueues a function after everything before it, in the order of the runtime's default stream. */
bool peer_kernels_launch(void *function, const unsigned groups[3], const unsigned items[2],
                         void **arguments);

#endif
