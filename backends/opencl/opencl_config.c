// SPDX-License-Identifier: BSD-3-Clause
/* Unit strings such as "0:memory=8M:cores=1", "pthread:copy", "copy": fields separated by colons;
 * the first may be a device. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "backends/group_unit.h"
#include "backends/opencl/opencl_state.h"
#include "core/quote.h"
#include "core/status.h"

enum { MOST_DEVICES = 4096 };

static bool read_count(const char *text, long most, int *out)
{
    char *end;
    const long value = strtol(text, &end, 10);

    if (!isdigit((unsigned char)*text) || *end || value < 0 || value > most)
        return false;
    *out = (int)value;
    return true;
}

/* Reads one field; false: it is not valid. */
static bool read_field(opencl_config *c, const char *field, bool first)
{
    static const char memory[] = "memory=", local[] = "local=", cores[] = "cores=";

    if (strcmp(field, "copy") == 0) {
        c->copies = true;
        return true;
    }
    if (strcmp(field, "cuda") == 0) {
        c->driver = true;
        return true;
    }
    if (group_unit_read_twiddles(field, &c->twiddles))
        return true;
    if (strncmp(field, memory, sizeof memory - 1) == 0)
        return core_bytes_read(field + sizeof memory - 1, &c->memory);
    if (strncmp(field, local, sizeof local - 1) == 0)
        return core_bytes_read(field + sizeof local - 1, &c->local);
    if (strncmp(field, cores, sizeof cores - 1) == 0)
        return read_count(field + sizeof cores - 1, MOST_DEVICES, &c->cores) && c->cores > 0;
    if (!first || strchr(field, '='))
        return false;
    if (isdigit((unsigned char)*field))
        return read_count(field, MOST_DEVICES, &c->number);
    memcpy(c->name, field, strlen(field) + 1);
    return *field != '\0';
}

/* If the caller has opened the device, the string may only have settings. */
static sluice_status check_settings(const opencl_config *c, sluice_diag *why)
{
    if (c->number < 0 && !c->name[0] && c->cores == 0 && !c->driver)
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_INVALID, 0,
                     "opencl: which device it is, and its cores, are the caller's to say");
}

sluice_status opencl_config_read(opencl_config *out, const char *text, bool settings,
                                 sluice_diag *why)
{
    const char *at = text ? text : "";

    *out = (opencl_config){.number = -1};
    for (bool first = true; *at; first = false) {
        char field[sizeof out->name];
        const size_t length = strcspn(at, ":");
        const bool fits = length < sizeof field;
        memcpy(field, at, fits ? length : 0);
        field[fits ? length : 0] = '\0';
        if (!read_field(out, field, first) || (at[length] == ':' && !at[length + 1]))
            return core_fail(why, SLUICE_E_INVALID, (size_t)(at - text),
                             "opencl:%s: expected the number or a part of the name of a device, "
                             "memory=BYTES, local=BYTES, cores=N, copy, cuda, twiddles=table, "
                             "sincos or native, with colons between them",
                             core_quote(text, SIZE_MAX).text);
        at += length + (at[length] == ':');
    }
    return settings ? check_settings(out, why) : SLUICE_OK;
}
