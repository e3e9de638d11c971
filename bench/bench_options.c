// SPDX-License-Identifier: BSD-3-Clause
/* A table of options: what each is called, what it takes, what it does. */
#include "bench/bench_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_series.h"

typedef struct flag {
    const char *name, *takes, *help; /* takes NULL: no value */
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

static bool set_json(bench_options *o, const char *value)
{
    o->json = value;
    return *value != 0;
}

static bool set_plot(bench_options *o, const char *value)
{
    o->plot = value;
    return *value != 0;
}

static bool set_windows(bench_options *o, const char *value)
{
    return read_count(&value, &o->windows) && *value == 0 && o->windows <= BENCH_MAX_WINDOWS;
}

static bool set_seconds(bench_options *o, const char *value)
{
    char *end;
    o->seconds = strtod(value, &end);
    return end != value && *end == 0 && o->seconds > 0 && o->seconds <= 3600;
}

static bool set_check(bench_options *o, const char *value)
{
    (void)value;
    o->check = true;
    return true;
}

static bool set_help(bench_options *o, const char *value)
{
    (void)value;
    o->help = true;
    return true;
}

static const flag flags[] = {
    {"workers", "W,...", "worker counts, of sluice and peers (default: the problem's, or 1)",
     set_workers},
    {"units", "U", "units of the machine, such as cpu or cpu:4", set_units},
    {"effort", "E", "estimate | measure | patient: how sluice plans (default estimate)",
     set_effort},
    {"peers", "P,...", "libraries to compare with, or none (default fftw)", set_peers},
    {"json", "FILE", "write a JSON object per line there; - is stdout, then without the table",
     set_json},
    {"plot", "F.png", "draw Gflop/s with gnuplot: over N for four or more sizes, else as bars",
     set_plot},
    {"windows", "N", "windows that each engine is measured in, seconds apart (default 3)",
     set_windows},
    {"seconds", "S", "seconds for each engine in each window (default 0.3)", set_seconds},
    {"check", NULL, "before timing, compare outputs (relative L2 at most 1e-5, or 1e-13 for f64)",
     set_check},
    {"help", NULL, "print this", set_help},
};

static const char fields_help[] =
    "\nOne line for each problem, engine and worker count, with the fields\n"
    "  problem engine workers effort plan_s median_s min_s max_s gflops gbytes_s bound_share"
    " ratio_to\n"
    "  plan_s       seconds of planning\n"
    "  median_s     seconds per call, the median of the windows' medians; min_s, max_s of samples\n"
    "  gflops       5 N log2 N times the batch, over median_s: pseudo Gflop/s\n"
    "  gbytes_s     bytes of input plus output, over median_s, in GB/s\n"
    "  bound_share  copy time over median_s: the copy moves the same bytes in the same arrays and\n"
    "               run, on up to as many threads (the faster of a plain copy and one past the\n"
    "               caches; in place, a sweep that rewrites every value)\n"
    "  ratio_to     of a peer: its median_s over sluice's at as many workers; above 1 sluice is\n"
    "               faster. Of sluice: the same against the best of the peers\n"
    "Engines alternate in one process, on the same arrays.\n"
    "\nExit: 0 done, 1 a check failed, 2 wrong usage or refused problem, 3 device or I/O failure\n";

static void print_help(void)
{
    puts("usage: sluice-bench PROBLEM... [options]\n"
         "Times sluice and its peers, e.g. sluice-bench c2c:f32:1024*4096 --workers 1,2\n");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        printf("  --%-8s %-6s %s\n", flags[i].name, flags[i].takes ? flags[i].takes : "",
               flags[i].help);
    puts("\nPeers:");
    for (const peer *const *p = peer_table; *p; p++)
        printf("  %-14s %s\n", (*p)->name, (*p)->what);
    puts("  SLUICE_PEER_FFTW=FILE in the environment names another build's libfftw3f");
    fputs(fields_help, stdout);
}

static bench_exit usage(const char *format, const char *a, const char *b)
{
    fputs("sluice-bench: ", stderr);
    fprintf(stderr, format, a, b);
    fputs("; see sluice-bench --help\n", stderr);
    return BENCH_USAGE;
}

/* Reads argv[*i], and the next one where that is its value. */
static bench_exit read_flag(bench_options *o, int argc, char **argv, int *i)
{
    const char *name = argv[*i] + 2, *given = strchr(name, '=');
    size_t length = given ? (size_t)(given - name) : strlen(name);
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        const flag *f = &flags[k];
        if (strlen(f->name) != length || memcmp(f->name, name, length) != 0)
            continue;
        const char *value = given ? given + 1 : NULL;
        if (!f->takes && value)
            return usage("--%s takes no value%s", f->name, "");
        if (f->takes && !value) {
            if (*i + 1 >= argc)
                return usage("--%s needs a value%s", f->name, "");
            value = argv[++*i];
        }
        return f->set(o, value) ? BENCH_DONE : usage("--%s cannot be '%s'", f->name, value);
    }
    return usage("there is no option '%s'%s", argv[*i], "");
}

bench_exit bench_options_read(bench_options *o, int argc, char **argv)
{
    *o = (bench_options){
        .windows = 3, .seconds = 0.3, .peers = {&peer_fftw}, .peer_count = 1, .problem = argv + 1};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            o->problem[o->problems++] = argv[i];
            continue;
        }
        bench_exit status = argv[i][1] == '-' ? read_flag(o, argc, argv, &i)
                                              : usage("there is no option '%s'%s", argv[i], "");
        if (status != BENCH_DONE)
            return status;
    }
    if (o->help) {
        print_help();
        return BENCH_STOP;
    }
    if (o->problems == 0)
        return usage("no problem is given%s%s", "", "");
    if (o->check && o->peer_count == 0)
        return usage("--check needs a peer to compare with%s%s", "", "");
    return BENCH_DONE;
}
