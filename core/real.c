// SPDX-License-Identifier: BSD-3-Clause
#include "core/real.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

core_real_text core_real(double x)
{
    core_real_text real;
    char *point;

    (void)snprintf(real.text, sizeof real.text, "%.17g", x);
    point = strpbrk(real.text, localeconv()->decimal_point);
    if (point)
        *point = '.';
    return real;
}

size_t core_real_read(const char *text, double *x)
{
    char copy[40];
    const size_t length = strspn(text, "+-.0123456789e");
    char *end = copy;

    if (length == 0 || length >= sizeof copy)
        return 0;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *const point = strchr(copy, '.');
    if (point)
        *point = localeconv()->decimal_point[0];
    *x = strtod(copy, &end);
    return end == copy + length ? length : 0;
}
