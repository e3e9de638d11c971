// SPDX-License-Identifier: BSD-3-Clause
/* For tests of formulas: contexts, and random index functions, reproducible from a seed. */
#ifndef TESTS_HELPER_SPL_H
#define TESTS_HELPER_SPL_H

#include "spl/formula/spl.h"

/* cmocka's setup and teardown of a context in *state. Teardown fails, and prints the reason, if
 * anything was refused; tests that expect a refusal clear it. */
int spl_test_open(void **state);
int spl_test_close(void **state);

typedef struct spl_random {
    uint64_t state;
} spl_random;

uint64_t spl_random_next(spl_random *r);
int64_t spl_random_below(spl_random *r, int64_t n); /* 0 .. n-1 */

/* N as a product of factors above 1 in random order, lowest digit first; at most 16. */
typedef struct spl_radices {
    int count;
    int64_t r[16];
} spl_radices;
spl_radices spl_random_radices(spl_random *r, int64_t N);

/* A digit permutation of the mixed radix numbers below N, whose digits are distributed over the
 * index and the loop variables first_var .. first_var+vars-1, some counted downwards. range[v] is
 * set to the range of variable v. */
const ix *spl_random_digits(spl_random *r, spl_ctx *ctx, const spl_radices *radices, int first_var,
                            int vars, int64_t *range);

/* Largest absolute difference of what two formulas make of three random vectors, infinite if shapes
 * or types differ. An entry of their matrices that is another moves an image by as much: what
 * spl_distance finds by all unit vectors is found here in a fraction of the time. */
long double spl_random_distance(const spl *a, const spl *b);

#endif
