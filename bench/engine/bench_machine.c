// SPDX-License-Identifier: BSD-3-Clause
/* Describes the machine, so that every figure comes with it. */
#include "bench/engine/bench_machine.h"

#include <string.h>
#include <time.h>

#include "bench/report/bench_report.h"

#if defined(__clang__)
static const char compiler[] = "clang " __clang_version__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

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

static void format_date(char *out, size_t size)
{
    time_t now = time(NULL);
    struct tm local;
    *out = 0;
    if (localtime_r(&now, &local))
        strftime(out, size, "%Y-%m-%d", &local);
}

void bench_machine_about(char *out, size_t size)
{
    char model[128], date[32];
    bench_machine_model(model, sizeof model);
    format_date(date, sizeof date);
    snprintf(out, size, "sluice %s on %s, %s", sluice_version(), model, date);
}

void bench_machine_json(FILE *file, const sluice_machine *machine, int windows, double seconds)
{
    char model[128], date[32];
    sluice_unit_info u = {0};
    bench_machine_model(model, sizeof model);
    format_date(date, sizeof date);
    sluice_machine_unit_info(machine, 0, &u);
    fputs("{\"machine\":", file);
    bench_json_text(file, model);
    fprintf(file,
            ",\"units\":%d,\"isa\":\"%s\",\"l1\":%zu,\"l2\":%zu,\"l3\":%zu,\"sluice\":\"%s\","
            "\"compiler\":\"%s\",\"date\":\"%s\",\"windows\":%d,\"seconds\":%g}\n",
            sluice_machine_unit_count(machine), u.isa, u.l1, u.l2, u.l3, sluice_version(), compiler,
            date, windows, seconds);
}

/* 49152 as "48 KiB". */
static const char *bytes_text(char *out, size_t size, size_t bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB"};
    double value = (double)bytes;
    size_t i = 0;
    for (; value >= 1024 && i + 1 < sizeof unit / sizeof *unit; i++)
        value /= 1024;
    snprintf(out, size, "%.4g %s", value, unit[i]);
    return out;
}

void bench_machine_print(const sluice_machine *machine)
{
    char model[128], text[3][24];
    bench_machine_model(model, sizeof model);
    fprintf(stderr, "sluice %s on %s, ", sluice_version(), model);
    int count = sluice_machine_unit_count(machine);
    fprintf(stderr, "%d unit%s:", count, count == 1 ? "" : "s");
    for (int i = 0; i < count; i++) {
        sluice_unit_info u;
        if (sluice_machine_unit_info(machine, i, &u) == SLUICE_OK)
            fprintf(stderr, " %s %s (L1 %s, L2 %s, L3 %s)", u.name, u.isa,
                    bytes_text(text[0], sizeof text[0], u.l1),
                    bytes_text(text[1], sizeof text[1], u.l2),
                    bytes_text(text[2], sizeof text[2], u.l3));
    }
    fputc('\n', stderr);
}
