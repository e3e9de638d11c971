// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_python.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

void need_python(void)
{
    if (system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null") != 0)
        skip();
}
