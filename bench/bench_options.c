// SPDX-License-Identifier: BSD-3-Clause
/* A table of options: name, value, help text and the function that sets it. */
#include "bench/bench_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_help.h"
#include "bench/kinds/bench_kinds.h"
#include "bench/link/bench_link.h"
#include "bench/plot/bench_series.h"
#include "bench/portability/bench_portability.h"
#include "bench/report/bench_say.h"
#include "bench/tuning/bench_lift.h"
#include "bench/tuning/bench_tuning.h"

typedef struct flag {
    const char *name, *value_name, *help; /* value_name NULL: the option has no value */
    bool (*set)(bench_options *o, const char *value);
} flag;

static bool read_count(const char **text, int *out)
{
    char *end;
    long value = strtol(*text, &end, 10);
    if (end == *text || value < 1 || value > 1024)
        return false;
    *out = (int)value;
    *text = end;
    return true;
}

static bool set_workers(bench_options *o, const char *value)
{
    for (o->worker_counts = 0; o->worker_counts < BENCH_MAX_WORKERS; value++) {
        int count;
        if (!read_count(&value, &count))
            return false;
        for (int i = 0; i < o->worker_counts; i++)
            if (o->workers[i] == count)
                return false;
        o->workers[o->worker_counts++] = count;
        if (*value != ',')
            return *value == 0;
    }
    return false;
}

static bool set_units(bench_options *o, const char *value)
{
    o->units = value;
    return *value != 0;
}

static bool set_data(bench_options *o, const char *value)
{
    o->data = strcmp(value, "device") == 0 ? BENCH_ON_DEVICE : BENCH_ON_HOST;
    return o->data == BENCH_ON_DEVICE || strcmp(value, "host") == 0;
}

static bool set_own_wisdom(bench_options *o, const char *value)
{
    o->wisdom = value;
    return *value != 0;
}

static bool set_effort(bench_options *o, const char *value)
{
    static const char *const name[] = {
        [SLUICE_ESTIMATE] = "estimate", [SLUICE_MEASURE] = "measure", [SLUICE_PATIENT] = "patient"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strcmp(value, name[i]) == 0) {
            o->effort = (sluice_effort)i;
            return true;
        }
    return false;
}

static bool set_peers(bench_options *o, const char *value)
{
    o->peer_count = 0;
    o->peers_given = true;
    if (strcmp(value, "none") == 0)
        return true;
    while (o->peer_count < BENCH_MAX_PEERS) {
        size_t length = strcspn(value, ",");
        const peer *found = peer_find(value, length);
        if (!found)
            return false;
        for (int i = 0; i < o->peer_count; i++)
            if (o->peers[i] == found)
                return false;
        o->peers[o->peer_count++] = found;
        if (value[length] == 0)
            return true;
        value += length + 1;
    }
    return false;
}

static bool set_text(const char **out, const char *value)
{
    *out = value;
    return *value != 0;
}

static bool set_json(bench_options *o, const char *value)
{
    return set_text(&o->json, value);
}

static bool set_plot(bench_options *o, const char *value)
{
    return set_text(&o->plot, value);
}

static bool set_from(bench_options *o, const char *value)
{
    return set_text(&o->from, value);
}

static bool set_resume(bench_options *o, const char *value)
{
    o->resume = true;
    return set_text(&o->json, value);
}

static bool set_suite(bench_options *o, const char *value)
{
    for (const char *name = value;; name++) {
        size_t length = strcspn(name, ",");
        if (!bench_suite_known(name, length))
            return false;
        name += length;
        if (*name == 0)
            return set_text(&o->suite, value);
    }
}

static bool set_precision(bench_options *o, const char *value)
{
    bool f64 = strcmp(value, "f64") == 0;
    o->filter.precision = f64 ? SLUICE_F64 : SLUICE_F32;
    return f64 || strcmp(value, "f32") == 0;
}

static bool set_place(bench_options *o, const char *value)
{
    o->filter.in_place = strcmp(value, "in") == 0;
    return o->filter.in_place || strcmp(value, "out") == 0;
}

/* 4096, or 2^12. */
static bool set_largest(bench_options *o, const char *value)
{
    char *end;
    bool power = strncmp(value, "2^", 2) == 0;
    long long number = strtoll(power ? value + 2 : value, &end, 10);
    if (*end || number < 1 || (power && number > 44))
        return false;
    o->filter.largest = power ? (size_t)1 << number : (size_t)number;
    return true;
}

static bool set_wisdom(bench_options *o, const char *value)
{
    return set_text(&o->peer.wisdom, value);
}

static bool read_seconds(const char *value, double *out)
{
    char *end;
    *out = strtod(value, &end);
    return end != value && *end == 0 && *out > 0 && *out <= 3600;
}

static bool set_plan_seconds(bench_options *o, const char *value)
{
    return read_seconds(value, &o->peer.plan_seconds);
}

static bool set_windows(bench_options *o, const char *value)
{
    return read_count(&value, &o->windows) && *value == 0 && o->windows <= BENCH_MAX_WINDOWS;
}

static bool set_address(bench_options *o, const char *value)
{
    char *end;
    const long address = strtol(value, &end, 10);
    o->address = (int)address;
    return end != value && *end == 0 && address >= 0 && address < 8;
}

static bool set_runs(bench_options *o, const char *value)
{
    char *end;
    const long runs = strtol(value, &end, 10);
    o->runs = (int)runs;
    return end != value && *end == 0 && runs >= 1 && runs <= 1000000;
}

static bool set_seconds(bench_options *o, const char *value)
{
    return read_seconds(value, &o->seconds);
}

static bool set_check(bench_options *o, const char *value)
{
    (void)value;
    return o->check = true;
}

static bool set_list(bench_options *o, const char *value)
{
    (void)value;
    return o->list = true;
}

static bool set_version(bench_options *o, const char *value)
{
    (void)value;
    return o->version = true;
}

static bool set_help(bench_options *o, const char *value)
{
    (void)value;
    return o->help = true;
}

static const flag flags[] = {
    {"suite", "S,...", "measure a list of problems, see below", set_suite},
    {"precision", "P", "suites: only f32, or only f64", set_precision},
    {"place", "in|out", "suites: only problems in place, or only out of place", set_place},
    {"largest", "N", "suites: only up to N points in all; 65536 or 2^16", set_largest},
    {"list", NULL, "print the problems instead of measuring them", set_list},
    {"workers", "W,...",
     "worker counts of all engines (default: the problem's, or 1; suites: 1, all)", set_workers},
    {"units", "U", "units of the machine, such as cpu or cpu:4", set_units},
    {"data", "P",
     "device | host: where data are while sluice is timed (default: on a device with memory of its "
     "own)",
     set_data},
    {"wisdom", "FILE", "plan with sluice's wisdom in FILE, as sluice tune keeps it",
     set_own_wisdom},
    {"effort", "E", "estimate | measure | patient: how sluice plans (default estimate)",
     set_effort},
    {"peers", "P,...", "libraries to compare with, or none (default fftw; of suites those with *)",
     set_peers},
    {"peer-plan-seconds", "S", "limit of FFTW's planning of one problem (default 30)",
     set_plan_seconds},
    {"peer-wisdom", "FILE", "keep FFTW's wisdom in FILE.PEER.PRECISION, so that it plans once",
     set_wisdom},
    {"json", "FILE", "write a JSON object per line there; - is stdout, then without the table",
     set_json},
    {"resume", "FILE", "the same, but keep what is in the file and measure what is missing",
     set_resume},
    {"from", "FILE", "measure nothing: summary and pictures of that JSON", set_from},
    {"plot", "F.png", "draw Gflop/s with gnuplot, over N or as bars; of a suite into a folder",
     set_plot},
    {"windows", "N", "windows that each engine is measured in, seconds apart (default 3)",
     set_windows},
    {"seconds", "S", "seconds for each engine in each window (default 0.3)", set_seconds},
    {"address", "P",
     "place within a page where the arrays of the first window begin, 0 to 7 (default 0)",
     set_address},
    {"runs", "N", "portability: executions of each length (default 1000)", set_runs},
    {"check", NULL, "first compare outputs (relative L2 at most 1e-5, or 1e-13 for f64)",
     set_check},
    {"help", NULL, "print this", set_help},
    {"version", NULL, "print the version", set_version},
};

static void print_help(void)
{
    fputs(bench_help_usage, stdout);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        printf("  --%-17s %-6s  %s\n", flags[i].name,
               flags[i].value_name ? flags[i].value_name : "", flags[i].help);
    puts("\nSuites:");
    bench_suite_help(stdout);
    puts("\nPeers:");
    for (const peer *const *p = peer_table; *p; p++)
        printf("  %-14s %s %s\n", (*p)->name, (*p)->in_default_set ? "*" : " ", (*p)->description);
    fputs(bench_help_environment, stdout);
    fputs(bench_help_fields, stdout);
}

static bench_exit refuse_usage(const char *format, const char *a, const char *b)
{
    char text[512];
    snprintf(text, sizeof text, format, a, b);
    bench_complain("%s; see sluice-bench --help", text);
    return BENCH_USAGE;
}

/* Reads argv[*i], and argv[*i + 1] if that is its value. */
static bench_exit read_flag(bench_options *o, int argc, char **argv, int *i)
{
    const char *name = argv[*i] + 2, *given = strchr(name, '=');
    size_t length = given ? (size_t)(given - name) : strlen(name);
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        const flag *f = &flags[k];
        if (strlen(f->name) != length || memcmp(f->name, name, length) != 0)
            continue;
        const char *value = given ? given + 1 : NULL;
        if (!f->value_name && value)
            return refuse_usage("--%s takes no value%s", f->name, "");
        if (f->value_name && !value) {
            if (*i + 1 >= argc)
                return refuse_usage("--%s needs a value%s", f->name, "");
            value = argv[++*i];
        }
        return f->set(o, value) ? BENCH_DONE : refuse_usage("--%s cannot be '%s'", f->name, value);
    }
    return refuse_usage("there is no option '%s'%s", argv[*i], "");
}

/* Refuses combinations of options that are valid by themselves. */
static bench_exit check_combinations(const bench_options *o)
{
    const char *const alone[] = {bench_portability_name, bench_tuning_name, bench_lift_name,
                                 bench_link_name, bench_kinds_name};
    bool filtered =
        o->filter.precision != BENCH_ANY || o->filter.in_place != BENCH_ANY || o->filter.largest;
    if (o->problems > 0 && o->suite)
        return refuse_usage("problems and --suite are measured apart%s%s", "", "");
    if (o->from && (o->problems > 0 || o->suite))
        return refuse_usage("--from measures nothing%s%s", "", "");
    if (o->problems == 0 && !o->suite && !o->from)
        return refuse_usage("no problem is given%s%s", "", "");
    if (filtered && !o->suite)
        return refuse_usage("--precision, --place and --largest choose from a --suite%s%s", "", "");
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (o->suite && strchr(o->suite, ',') && strstr(o->suite, alone[i]))
            return refuse_usage("--suite %s is measured alone%s", alone[i], "");
    if (o->resume && !o->suite)
        return refuse_usage("--resume goes on with a --suite%s%s", "", "");
    if (o->resume && strcmp(o->json, "-") == 0)
        return refuse_usage("--resume needs a file%s%s", "", "");
    if (o->check && o->peer_count == 0)
        return refuse_usage("--check needs a peer to compare with%s%s", "", "");
    return BENCH_DONE;
}

static void choose_peers(bench_options *o)
{
    if (o->peers_given)
        return;
    o->peers[0] = &peer_fftw;
    o->peer_count = o->suite ? 0 : 1;
    for (const peer *const *p = peer_table; o->suite && *p; p++)
        if ((*p)->in_default_set && o->peer_count < BENCH_MAX_PEERS)
            o->peers[o->peer_count++] = *p;
}

bench_exit bench_options_read(bench_options *o, int argc, char **argv)
{
    *o = (bench_options){.windows = 3,
                         .runs = 1000,
                         .seconds = 0.3,
                         .peer = {.plan_seconds = 30},
                         .filter = {.precision = BENCH_ANY, .in_place = BENCH_ANY},
                         .problem = argv + 1};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            o->problem[o->problems++] = argv[i];
            continue;
        }
        bench_exit status = argv[i][1] == '-'
                                ? read_flag(o, argc, argv, &i)
                                : refuse_usage("there is no option '%s'%s", argv[i], "");
        if (status != BENCH_DONE)
            return status;
    }
    if (o->help) {
        print_help();
        return BENCH_STOP;
    }
    if (o->version) {
        printf("sluice-bench %s\n", sluice_version());
        return BENCH_STOP;
    }
    choose_peers(o);
    return check_combinations(o);
}
