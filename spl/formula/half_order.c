// SPDX-License-Identifier: BSD-3-Clause
#include "spl/formula/half_order.h"

spl_half_place spl_order_place(spl_order order, int64_t n, int64_t i)
{
    const int64_t alone = n % 2 == 0 ? 2 : 1; /* packed: reals before X_1 */
    spl_half_place at = {i, 0};

    if (order == SPL_ORDER_HALFCOMPLEX && 2 * i > n) {
        at.k = n - i;
        at.part = 1;
    }
    if (order == SPL_ORDER_PACKED) {
        at.k = i < alone ? i * (n / 2) : 1 + (i - alone) / 2;
        at.part = i < alone ? 0 : (int)((i - alone) % 2);
    }
    return at;
}
