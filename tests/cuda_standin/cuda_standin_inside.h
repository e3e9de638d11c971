// SPDX-License-Identifier: BSD-3-Clause
/* What the files of the stand-in share. */
#ifndef TESTS_CUDA_STANDIN_INSIDE_H
#define TESTS_CUDA_STANDIN_INSIDE_H

enum { WRONG = 1, FAILED = 719 };

/* Counts a call, which may be the one that is made to fail. */
int standin_call(void);
/* The same, and it has to be within a context. */
int standin_call_inside(void);
/* Counts objects that came, or went. */
void standin_made(int objects);
/* Frees one of them. */
int standin_drop(void *object);

/* Their addresses are the context of device 0, and that of device 1 and a stream of it. */
extern char standin_primary, standin_other;

#endif
