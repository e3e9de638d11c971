// SPDX-License-Identifier: BSD-3-Clause
/* What a test asks of the library that stands for NVIDIA's driver. */
#ifndef TESTS_CUDA_STANDIN_H
#define TESTS_CUDA_STANDIN_H

#include <stdbool.h>

typedef struct cuda_standin {
    long (*outstanding)(void);    /* objects that are not released */
    void (*fail_at)(long call);   /* counts calls from now on and fails that one; 0: none */
    long (*calls)(void);          /* since fail_at */
    void (*let_legacy)(bool may); /* may the legacy default stream be used? */
    void *context, *other;        /* the primary one of device 0; one of another device, a stream */
} cuda_standin;
typedef const cuda_standin *cuda_standin_open_fn(void);

#endif
