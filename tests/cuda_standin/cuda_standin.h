// SPDX-License-Identifier: BSD-3-Clause
/* What a test asks of the library that stands for NVIDIA's driver. */
#ifndef TESTS_CUDA_STANDIN_H
#define TESTS_CUDA_STANDIN_H

typedef struct cuda_standin {
    long (*outstanding)(void);  /* objects that are not released */
    void (*fail_at)(long call); /* counts calls from now on and fails that one; 0: none */
    long (*calls)(void);        /* since fail_at */
} cuda_standin;
typedef const cuda_standin *cuda_standin_open_fn(void);

#endif
