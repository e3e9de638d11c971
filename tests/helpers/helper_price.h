// SPDX-License-Identifier: BSD-3-Clause
/* Programs to be priced in tests. */
#ifndef TESTS_HELPER_PRICE_H
#define TESTS_HELPER_PRICE_H

#include "spl/price/price.h"

/* Of a formula as text, whose output is scratch. Fails the test where there is none. */
prog *price_lowered(spl_ctx *ctx, const char *text, bool in_place);
/* Every VEC loop is columns, its lanes a step. Freed by core_free. */
price_binding *price_bound(const prog *p);

#endif
