// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of a side: operations on its elements between the user's array and the program. In the
 * program, a side with hooks is packed, interleaved and of the working precision. A hook says which
 * element of the array each of its elements is, how that is stored, and which operations are
 * applied in between. */
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
    int64_t each;               /* of one transform of the slowest batch dimension */
    int scalars;                /* of an element */
    bool split;                 /* re and im are in two arrays */
    sluice_precision precision; /* of the program */
    sluice_storage storage;     /* of the array; never SAME */
    const void *weight;         /* of the program's precision; NULL: none */
    int64_t weights;            /* scalar i of the packed side has weight i mod weights */
    sluice_hook *call;          /* NULL: none */
    void *user;
    const char *opencl; /* `call` in OpenCL C; NULL: not given */
    bool in_place;      /* the arrays are those of the other side too */
} prog_hook;

/* How an array of this precision stores scalars. */
sluice_storage prog_storage_of(sluice_precision precision);
/* Bytes of a scalar in the user's array. */
size_t prog_storage_bytes(sluice_storage storage);
/* Scalar `at` of an array. Storing rounds to nearest; I16 saturates. */
double prog_storage_get(const void *array, sluice_storage storage, ptrdiff_t at);
void prog_storage_put(void *array, sluice_storage storage, ptrdiff_t at, double value);
/* Merges dimensions that are contiguous in the array as they are in the packed side. */
void prog_hook_merge(prog_hook *h);
/* Are all elements in the places of the packed side, of the program's precision and interleaved, so
 * that weights are the only operation? */
bool prog_hook_only_weighs(const prog_hook *h);
/* The lowest and the highest existing element of the array. */
void prog_hook_reach(const prog_hook *h, int64_t *low, int64_t *high);
/* How many elements of the packed side are in the array. */
int64_t prog_hook_present(const prog_hook *h);
/* The place of the packed side's i-th element in the array, or where it would be. */
int64_t prog_hook_place(const prog_hook *h, int64_t i);
/* The number of elements from `first` on, at most `count`, that follow each other at the last
 * dimension's stride; the first `present` of them are in the array, from place `at` on. */
int64_t prog_hook_run(const prog_hook *h, int64_t first, int64_t count, int64_t *present,
                      ptrdiff_t *at);
/* In arrays.reserved of executions: the number of their first transform of the slowest batch
 * dimension, as functions count; the number of transforms, from that one on, for which functions
 * are called, 0: all. */
enum { PROG_ARRAYS_FIRST = 0, PROG_ARRAYS_SEEN };
/* Loads elements first .. first+count-1 of the packed side from the user's arrays into `to`,
 * interleaved, in the program's precision. The reverse stores them; `from` may be modified.
 * `transform`: the arrays begin with this transform of the slowest batch dimension. Returns the
 * function's status if that is not OK. */
sluice_status prog_hook_load(const prog_hook *h, const sluice_arrays *arrays, size_t transform,
                             int64_t first, int64_t count, void *to);
sluice_status prog_hook_store(const prog_hook *h, const sluice_arrays *arrays, size_t transform,
                              int64_t first, int64_t count, void *from);

#endif
