// SPDX-License-Identifier: BSD-3-Clause
/* What the files of the stand-in share. */
#ifndef TESTS_CUDA_STANDIN_INSIDE_H
#define TESTS_CUDA_STANDIN_INSIDE_H

enum { WRONG = 1, FAILED = 719 };

/* Counts a call, which may be the one that is made to fail. */
int standin_call(void);
/* Counts objects that came, or went. */
void standin_made(int objects);

#endif
