// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of a side: what is done to its elements between the user's array and the program. A side
 * that has them is packed, interleaved and of the working precision in the program; this says which
 * element of the array each one is, how it is stored there, and what happens to it on the way. */
#ifndef SPL_HOOK_H
#define SPL_HOOK_H

#include <stdint.h>

#include "api/sluice.h"

enum { PROG_HOOK_DIMS = SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK + 2 };

/* Elements of the packed side, slowest dimension first. Those from `extent` on are not in the
 * array: they are read as 0, and not written. */
typedef struct prog_hook_dim {
    int64_t n, extent;
    ptrdiff_t stride; /* elements of the array */
} prog_hook_dim;

typedef struct prog_hook {
    int dims;
    prog_hook_dim dim[PROG_HOOK_DIMS];
    int64_t elements;           /* of the packed side */
    int64_t each;               /* of them: of one transform of the slowest batch dimension */
    int scalars;                /* of an element */
    bool split;                 /* re and im lie in two arrays */
    sluice_precision precision; /* of the program */
    sluice_storage storage;     /* of the array; never SAME */
    const void *weight;         /* of the program's precision; NULL: none */
    int64_t weights;            /* scalar i of the packed side has weight i mod weights */
    sluice_hook *call;          /* NULL: none */
    void *user;
    const char *opencl; /* what `call` does, in OpenCL C; NULL: it is not said */
    bool in_place;      /* the arrays are those of the other side too */
} prog_hook;

/* Bytes of a scalar in the user's array. */
size_t prog_storage_bytes(sluice_storage storage);
/* Scalar `at` of an array; a number is rounded to nearest, in I16 saturated. */
double prog_storage_get(const void *array, sluice_storage storage, ptrdiff_t at);
void prog_storage_put(void *array, sluice_storage storage, ptrdiff_t at, double value);
/* Merges dimensions that follow each other in the array as they do in the packed side. */
void prog_hook_merge(prog_hook *h);
/* Is every element where the packed side has it, of the program's precision, interleaved, and only
 * weighed? */
bool prog_hook_only_weighs(const prog_hook *h);
/* The lowest and the highest element of the array that there is. */
void prog_hook_reach(const prog_hook *h, int64_t *low, int64_t *high);
/* How many elements of the packed side are in the array. */
int64_t prog_hook_present(const prog_hook *h);
/* Where the packed side's i-th element is, or would be, in the array. */
int64_t prog_hook_place(const prog_hook *h, int64_t i);
/* How many elements from `first` on, `count` at most, follow each other at the last dimension's
 * stride; the first `present` of them are in the array, from place `at` on. */
int64_t prog_hook_run(const prog_hook *h, int64_t first, int64_t count, int64_t *present,
                      ptrdiff_t *at);
/* In arrays.reserved of executions: the number of their first transform of the slowest batch
 * dimension, as functions count; how many transforms from there on functions see, 0: all. */
enum { PROG_ARRAYS_FIRST = 0, PROG_ARRAYS_SEEN };
/* Elements first .. first+count-1 of the packed side from the user's arrays into `to`, re and im
 * side by side, in the program's precision; and back, where `from` may be changed. `transform`: the
 * arrays begin with this one of the slowest batch dimension. Another status than OK is the
 * function's. */
sluice_status prog_hook_load(const prog_hook *h, const sluice_arrays *arrays, size_t transform,
                             int64_t first, int64_t count, void *to);
sluice_status prog_hook_store(const prog_hook *h, const sluice_arrays *arrays, size_t transform,
                              int64_t first, int64_t count, void *from);

#endif
