// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_leaks.h"

#include "core/mem.h"

int nothing_leaks(void **state)
{
    (void)state;
    core_mem_fail_from(0);
    return core_mem_live() == 0 ? 0 : -1;
}
