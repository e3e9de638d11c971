// SPDX-License-Identifier: BSD-3-Clause
/* Programs to be priced in tests. */
#ifndef TESTS_HELPER_PRICE_H
#define TESTS_HELPER_PRICE_H

#include "spl/price/price.h"

/* Of a formula as text, whose output is scratch. Fails the test where there is none. */
prog *price_lowered(spl_ctx *ctx, const char *text, bool in_place);
/* Every VEC loop is columns, its lanes a step. Freed by core_free. */
price_binding *price_bound(const prog *p);

enum { PRICE_SCALAR = 4 };
/* The sum over the stages of a program of single precision, of which `memory` is for its data, on a
 * unit with as many ways of L1, a page each, and 32 times as much L2 (no ways: not known). */
double price_with_ways(const prog *p, const price_binding *binding, const double *figure,
                       size_t ways, double *memory);
double price_with(const prog *p, const price_binding *binding, const double *figure,
                  double *memory); /* 12 ways */

#endif
