// SPDX-License-Identifier: BSD-3-Clause
#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *core_strerror(sluice_status status)
{
    switch (status) {
    case SLUICE_OK: return "success";
    case SLUICE_AGAIN: return "not now, ask again";
    case SLUICE_END: return "nothing more will come";
    case SLUICE_E_INVALID: return "invalid argument";
    case SLUICE_E_MEMORY: return "out of memory";
    case SLUICE_E_PARSE: return "the text does not follow the grammar";
    case SLUICE_E_UNSUPPORTED: return "not supported";
    case SLUICE_E_DEVICE: return "a device failed";
    case SLUICE_E_IO: return "input or output failed";
    case SLUICE_E_CANCELLED: return "cancelled";
    }
    return "unknown status";
}

sluice_status core_fail(sluice_diag *why, sluice_status status, size_t offset, const char *format,
                        ...)
{
    if (why != NULL) {
        va_list args;
        va_start(args, format);
        why->offset = offset;
        /* A message that does not fit is truncated; its beginning names the cause. */
        (void)vsnprintf(why->message, sizeof why->message, format, args);
        va_end(args);
    }
    return status;
}

sluice_status core_fail_memory(sluice_diag *why)
{
    return core_fail(why, SLUICE_E_MEMORY, 0, "out of memory");
}
