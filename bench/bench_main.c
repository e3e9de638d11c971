// SPDX-License-Identifier: BSD-3-Clause
/* sluice-bench: sluice and its peers on the same problems, alternating, in one process. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench_case.h"
#include "bench/bench_clock.h"
#include "bench/bench_machine.h"
#include "bench/bench_options.h"
#include "bench/bench_plot.h"
#include "bench/bench_report.h"

static const double window_distance = 1.0; /* seconds from a window's start to the next one's */
static const double patience = 1.0;        /* seconds before progress is shown                */

typedef struct session {
    bench_options options;
    sluice_machine *machine;
    bench_case *cases;
    FILE *json; /* NULL: none */
} session;

static bench_exit complain(const char *what, const char *why, bench_exit status)
{
    fprintf(stderr, "sluice-bench: %s: %s\n", what, why);
    return status;
}

static bench_exit open_machine(session *s)
{
    sluice_diag why = {0};
    sluice_machine_options options = {.units = s->options.units};
    sluice_status status = sluice_machine_open(&s->machine, &options, &why);
    if (status != SLUICE_OK)
        return complain(s->options.units ? s->options.units : "the machine",
                        why.message[0] ? why.message : sluice_strerror(status),
                        bench_exit_of(status));
    bench_machine_print(s->machine);
    return BENCH_DONE;
}

/* Whatever would fail after minutes of measuring fails before them. */
static bench_exit open_outputs(session *s)
{
    const char *file = s->options.json;
    if (file)
        s->json = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    if (file && !s->json)
        return complain(file, strerror(errno), BENCH_IO);
    return s->options.plot && !bench_plot_available() ? BENCH_IO : BENCH_DONE;
}

static bench_exit open_cases(session *s)
{
    const bench_options *o = &s->options;
    s->cases = calloc((size_t)o->problems, sizeof *s->cases);
    if (!s->cases)
        return complain("the problems", "there is no memory", BENCH_IO);
    for (int i = 0; i < o->problems; i++) {
        bench_exit status = bench_case_open(&s->cases[i], o->problem[i], o, s->machine);
        if (status != BENCH_DONE)
            return status;
    }
    return BENCH_DONE;
}

static void show_progress(const session *s, int window, int problem, double start)
{
    if (!isatty(STDERR_FILENO) || bench_now() - start < patience)
        return;
    fprintf(stderr, "\r\033[Kwindow %d of %d, problem %d of %d: %s", window + 1, s->options.windows,
            problem + 1, s->options.problems, s->cases[problem].label);
    fflush(stderr);
}

static void clear_progress(double start)
{
    if (isatty(STDERR_FILENO) && bench_now() - start >= patience)
        fputs("\r\033[K", stderr);
}

/* A window of every problem, then the next window: the windows of one problem lie apart. */
static bench_exit measure(session *s)
{
    bench_exit status = BENCH_DONE;
    double start = bench_now();
    for (int w = 0; w < s->options.windows && status == BENCH_DONE; w++) {
        double window_start = bench_now();
        for (int i = 0; i < s->options.problems && status == BENCH_DONE; i++) {
            show_progress(s, w, i, start);
            status = bench_case_window(&s->cases[i], &s->options, w);
        }
        if (w + 1 < s->options.windows && status == BENCH_DONE)
            bench_sleep(window_distance - (bench_now() - window_start));
    }
    clear_progress(start);
    return status;
}

/* Which build of a peer it was decides what a ratio means. */
static void name_peers(const session *s)
{
    const char *named[2 * BENCH_MAX_PEERS] = {0};
    int count = 0;
    for (int i = 0; i < s->options.problems; i++)
        for (int k = 0; k < s->cases[i].engines; k++) {
            const bench_engine *e = &s->cases[i].engine[k];
            if (e->role != BENCH_PEER || count == 2 * BENCH_MAX_PEERS)
                continue;
            const peer *p = e->self;
            const char *version = p->version(p, &s->cases[i].shape);
            bool known = false;
            for (int n = 0; n < count; n++)
                known = known || strcmp(named[n], version) == 0;
            if (!known)
                fprintf(stderr, "%s is %s\n", p->name, named[count++] = version);
        }
}

static bench_exit report(session *s)
{
    int rows;
    bench_row *row = bench_report_rows(s->cases, s->options.problems, &rows);
    if (!row)
        return complain("the report", "there is no memory", BENCH_IO);
    name_peers(s);
    bench_exit status = BENCH_DONE;
    if (s->json != stdout && !bench_report_table(stdout, row, rows))
        status = complain("standard output", strerror(errno), BENCH_IO);
    if (s->json && !bench_report_json(s->json, row, rows))
        status = complain(s->options.json, strerror(errno), BENCH_IO);
    if (s->options.plot && status == BENCH_DONE)
        status = bench_plot(s->options.plot, row, rows);
    free(row);
    return status;
}

static bench_exit close_session(session *s, bench_exit status)
{
    for (int i = 0; s->cases && i < s->options.problems; i++)
        bench_case_close(&s->cases[i]);
    free(s->cases);
    sluice_machine_close(s->machine);
    if (s->json && s->json != stdout && fclose(s->json) != 0 && status == BENCH_DONE)
        status = complain(s->options.json, strerror(errno), BENCH_IO);
    return status;
}

int main(int argc, char **argv)
{
    static bench_exit (*const step[])(session *) = {open_outputs, open_machine, open_cases, measure,
                                                    report};
    session s = {0};
    signal(SIGPIPE, SIG_IGN); /* a reader that left is an I/O failure, not a death */
    bench_exit status = bench_options_read(&s.options, argc, argv);
    for (size_t i = 0; i < sizeof step / sizeof *step && status == BENCH_DONE; i++)
        status = step[i](&s);
    status = close_session(&s, status);
    return status == BENCH_STOP ? BENCH_DONE : (int)status;
}
