// SPDX-License-Identifier: BSD-3-Clause
/* What graphics processors have that no interface tells: the same for those of the last ten years. */
#ifndef BACKENDS_GROUP_UNIT_H
#define BACKENDS_GROUP_UNIT_H

#include <stdbool.h>
#include <string.h>

#include "api/sluice.h"

/* 32-bit registers of a compute unit; bytes that memory moves at once. */
enum { GROUP_UNIT_REGISTERS = 65536, GROUP_UNIT_LINE = 128 };

static const char *const group_unit_twiddles[] = {
    [SLUICE_TWIDDLES_TABLE] = "table",
    [SLUICE_TWIDDLES_SINCOS] = "sincos",
    [SLUICE_TWIDDLES_NATIVE] = "native",
};

/* "twiddles=WORD" of a unit string; false: it is none. */
static inline bool group_unit_read_twiddles(const char *field, sluice_twiddles *out)
{
    static const char key[] = "twiddles=";

    for (int i = 0; i <= SLUICE_TWIDDLES_NATIVE && strncmp(field, key, sizeof key - 1) == 0; i++)
        if (strcmp(field + sizeof key - 1, group_unit_twiddles[i]) == 0) {
            *out = (sluice_twiddles)i;
            return true;
        }
    return false;
}

#endif
