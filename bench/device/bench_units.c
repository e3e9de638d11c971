// SPDX-License-Identifier: BSD-3-Clause
#include "bench/device/bench_units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kind[] = "opencl";

/* Finds "opencl:0:copy" up to the comma; NULL: there is none. */
static const char *find_kind(const char *text)
{
    const size_t n = sizeof kind - 1;
    while (text && (strncmp(text, kind, n) != 0 || (text[n] && !strchr(":,", text[n])))) {
        text = strchr(text, ',');
        if (text)
            text++;
    }
    return text;
}

static void add_setting(bench_units *u, const char *field)
{
    const size_t used = strlen(u->settings);
    snprintf(u->settings + used, sizeof u->settings - used, ":%s", field);
}

/* Only the first field may name a device. */
static void read_field(bench_units *u, const char *field, bool first)
{
    const bool copies = strcmp(field, "copy") == 0, cuda = strcmp(field, "cuda") == 0;
    u->copies = u->copies || copies;
    u->cuda = u->cuda || cuda;
    if (cuda)
        return;
    if (!first || copies || strchr(field, '='))
        add_setting(u, field);
    else if (field[0] >= '0' && field[0] <= '9')
        u->number = (int)strtol(field, NULL, 10);
    else
        snprintf(u->name, sizeof u->name, "%s", field);
}

bool bench_units_read(bench_units *out, const char *text)
{
    const char *at = find_kind(text);
    *out = (bench_units){.number = -1};
    if (!at)
        return false;
    snprintf(out->settings, sizeof out->settings, "%s", kind);
    out->alone = at == text && !strchr(text, ',');
    at += sizeof kind - 1;
    for (bool first = true; *at == ':'; first = false) {
        char field[128];
        const size_t length = strcspn(++at, ":,");
        snprintf(field, sizeof field, "%.*s", (int)length, at);
        read_field(out, field, first);
        at += length;
    }
    return true;
}

bool bench_units_mean(const bench_units *u, int number, const char *name)
{
    return u->number >= 0 ? number == u->number : strstr(name, u->name) != NULL;
}
