// SPDX-License-Identifier: BSD-3-Clause
/* Names the machine, so that a figure never travels without it. */
#include "bench/bench_machine.h"

#include <stdio.h>
#include <string.h>

void bench_machine_model(char *out, size_t size)
{
    char line[256];
    snprintf(out, size, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value)
            continue;
        value += 1 + strspn(value + 1, " \t");
        value[strcspn(value, "\n")] = 0;
        snprintf(out, size, "%s", value);
        break;
    }
    fclose(file);
}

void bench_machine_print(const sluice_machine *machine)
{
    char model[128];
    bench_machine_model(model, sizeof model);
    fprintf(stderr, "sluice %s on %s, ", sluice_version(), model);
    int count = sluice_machine_unit_count(machine);
    fprintf(stderr, "%d unit%s:", count, count == 1 ? "" : "s");
    for (int i = 0; i < count; i++) {
        sluice_unit_info u;
        if (sluice_machine_unit_info(machine, i, &u) == SLUICE_OK)
            fprintf(stderr, " %s %s (L1 %zu KiB, L2 %zu KiB, L3 %zu KiB)", u.name, u.isa,
                    u.l1 / 1024, u.l2 / 1024, u.l3 / 1024);
    }
    fputc('\n', stderr);
}
