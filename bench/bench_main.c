// SPDX-License-Identifier: BSD-3-Clause
/* sluice-bench: sluice and its peers on the same problems, alternating, in one process. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench_options.h"
#include "bench/device/bench_device.h"
#include "bench/engine/bench_fault.h"
#include "bench/engine/bench_limits.h"
#include "bench/engine/bench_machine.h"
#include "bench/engine/bench_output.h"
#include "bench/engine/bench_planned.h"
#include "bench/engine/bench_run.h"
#include "bench/engine/bench_stop.h"
#include "bench/kinds/bench_kinds.h"
#include "bench/link/bench_link.h"
#include "bench/plot/bench_plot.h"
#include "bench/portability/bench_portability.h"
#include "bench/report/bench_report.h"
#include "bench/report/bench_say.h"
#include "bench/report/bench_summary.h"
#include "bench/tuning/bench_lift.h"
#include "bench/tuning/bench_tuning.h"
#include "core/descriptor.h"

typedef struct session {
    bench_options options;
    bench_items items;
    sluice_machine *machine;
    bench_rows rows;
    int rows_reported;       /* rows already printed in the table */
    FILE *json;              /* NULL: none              */
    bench_exit suite_status; /* worst failure of a suite that was continued */
} session;

static const char output_name[] = "standard output";

static const char *json_name(const session *s)
{
    return s->json == stdout ? output_name : s->options.json;
}

/* Are the rows those of a suite? In a file that was read, rows of a suite have groups. */
static bool is_suite(const session *s)
{
    bool grouped = false;
    for (int i = 0; i < s->rows.count; i++)
        grouped = grouped || s->rows.row[i].group[0];
    return s->options.suite || (s->options.from && grouped);
}

/* Prints the item as an argument of a later run, with its worker count if it has one. */
static void list_item(const bench_item *item)
{
    printf("%s", item->text);
    if (item->workers)
        printf(":workers=%d", item->workers);
    putchar('\n');
}

static bench_exit make_item_list(session *s)
{
    bench_options *o = &s->options;
    o->filter.workers = o->workers;
    o->filter.worker_counts = o->worker_counts;
    bool made = o->suite ? bench_suite_make(&s->items, o->suite, &o->filter)
                         : bench_items_from_arguments(&s->items, o->problem, o->problems);
    if (!made) {
        bench_complain("there is no memory for the problems");
        return BENCH_IO;
    }
    if (o->suite && s->items.count == 0) {
        bench_complain("%s: --largest, --precision, --place and --workers leave nothing of it",
                       o->suite);
        return BENCH_USAGE;
    }
    for (int i = 0; o->list && i < s->items.count; i++)
        list_item(&s->items.item[i]);
    return o->list ? BENCH_STOP : BENCH_DONE;
}

static bool is_piped(const char *file)
{
    return strcmp(file, "-") == 0;
}

static const char *input_name(const char *file)
{
    return is_piped(file) ? "standard input" : file;
}

static bench_exit read_rows(session *s, const char *file)
{
    const char *name = input_name(file);
    FILE *in = is_piped(file) ? stdin : fopen(file, "r");
    if (!in)
        return bench_cannot_read(name);
    bench_exit status = bench_report_read(&s->rows, in, name);
    if (in != stdin)
        fclose(in);
    s->rows_reported = s->rows.count;
    return status;
}

static bench_exit read_files(session *s)
{
    const bench_options *o = &s->options;
    bench_exit status = BENCH_DONE;
    if (o->from)
        status = read_rows(s, o->from);
    if (o->resume && access(o->json, F_OK) == 0)
        status = read_rows(s, o->json);
    if (status == BENCH_DONE && o->from && s->rows.count == 0) {
        bench_complain("%s has no figures of sluice-bench", input_name(o->from));
        return BENCH_USAGE;
    }
    return status;
}

/* Refuses a file that is used twice, and pictures that could not be drawn. */
static bench_exit check_outputs(const session *s)
{
    const bench_options *o = &s->options;
    const char *twice = bench_output_same(o->from, o->json)   ? "--from and --json"
                        : bench_output_same(o->plot, o->json) ? "--plot and --json"
                                                              : NULL;
    if (twice) {
        bench_complain("%s name the same file, %s", twice, o->json);
        return BENCH_USAGE;
    }
    if (!o->plot)
        return BENCH_DONE;
    bench_exit status = (is_suite(s) ? bench_output_folder : bench_output_picture)(o->plot);
    return status == BENCH_DONE && !bench_plot_available() ? BENCH_IO : status;
}

/* Output that could not be written fails here, not after minutes of measuring. */
static bench_exit open_outputs(session *s)
{
    const bench_options *o = &s->options;
    bench_exit status = read_files(s);
    if (status == BENCH_DONE)
        status = check_outputs(s);
    if (status != BENCH_DONE || !o->json)
        return status;
    s->json = is_piped(o->json) ? stdout : fopen(o->json, o->resume ? "a" : "w");
    if (!s->json)
        return bench_cannot_write(o->json);
    if (o->resume && fseek(s->json, 0, SEEK_END) == 0 && ftell(s->json) > 0)
        fputc('\n', s->json); /* the last line may have been cut short */
    return BENCH_DONE;
}

/* Checks the worker counts once: a suite would repeat the message for each problem. */
static bench_exit choose_suite_workers(bench_options *o, int units)
{
    if (!o->suite)
        return BENCH_DONE;
    if (o->worker_counts == 0) {
        bool doubling = bench_suite_doubles(o->suite);
        for (int w = 1; w < units; w = doubling ? 2 * w : units)
            o->workers[o->worker_counts++] = w;
        o->workers[o->worker_counts++] = units;
    }
    for (int i = 0; i < o->worker_counts; i++)
        if (o->workers[i] > units) {
            bench_complain("--workers: %d are asked for, there are %d units", o->workers[i], units);
            return BENCH_USAGE;
        }
    return BENCH_DONE;
}

static bench_exit load_wisdom(const session *s)
{
    sluice_diag why = {0};
    const char *file = s->options.wisdom;
    sluice_status status = file ? sluice_wisdom_load(s->machine, file, &why) : SLUICE_OK;
    if (status == SLUICE_OK)
        return BENCH_DONE;
    bench_complain("wisdom %s: %s", file, why.message[0] ? why.message : sluice_strerror(status));
    return bench_exit_of(status);
}

static bench_exit open_machine(session *s)
{
    sluice_diag why = {0};
    bench_options *o = &s->options;
    bench_device_units(o);
    sluice_machine_options options = {.units = o->units};
    sluice_status status = sluice_machine_open(&s->machine, &options, &why);
    if (status != SLUICE_OK) {
        bench_complain("cannot open the machine: %s",
                       why.message[0] ? why.message : sluice_strerror(status));
        return bench_exit_of(status);
    }
    bench_exit ready = bench_device_choose(o, &s->machine);
    ready = ready == BENCH_DONE ? load_wisdom(s) : ready;
    return ready == BENCH_DONE ? choose_suite_workers(o, sluice_machine_unit_count(s->machine))
                               : ready;
}

static bench_exit name_machine(session *s)
{
    bench_machine_print(s->machine);
    bench_machine_about(s->rows.about, sizeof s->rows.about);
    return BENCH_DONE;
}

/* The meaning of a ratio depends on the peer's build. */
static void name_version(const session *s, const peer *p, const char *version,
                         const char *precision)
{
    char text[256];
    if (!version)
        return;
    snprintf(text, sizeof text, "%s%s", version, precision);
    fprintf(stderr, "%s is %s\n", p->name, text);
    if (!s->json || !s->options.suite)
        return;
    fprintf(s->json, "{\"peer\":\"%s\",\"version\":", p->name);
    bench_json_text(s->json, text);
    fputs(",\"what\":", s->json);
    bench_json_text(s->json, p->description);
    fputs("}\n", s->json);
}

static void name_peer(const session *s, const peer *p)
{
    const char *single = p->version(p, SLUICE_F32), *twice = p->version(p, SLUICE_F64);
    bool same = single && twice && strcmp(single, twice) == 0;
    name_version(s, p, single, same ? "" : " (f32)");
    name_version(s, p, same ? NULL : twice, " (f64)");
}

/* Loads all peers before anything is measured, in the order of the table: see peer_table.c. */
static bench_exit load_peers(session *s)
{
    bench_options *o = &s->options;
    bool there[BENCH_MAX_PEERS] = {false};
    o->peer.machine = s->machine;
    for (const peer *const *p = peer_table; *p; p++)
        for (int i = 0; i < o->peer_count; i++) {
            sluice_diag why = {0};
            if (o->peers[i] != *p)
                continue;
            there[i] = (*p)->load(*p, &o->peer, &why);
            if (there[i])
                name_peer(s, *p);
            else
                bench_warn_once("without %s: %s", (*p)->name, why.message);
        }
    int count = 0;
    for (int i = 0; i < o->peer_count; i++)
        if (there[i])
            o->peers[count++] = o->peers[i];
    o->peer_count = count;
    return BENCH_DONE;
}

static bool has_row(const session *s, const bench_item *item, int workers)
{
    bool found = false;
    for (int i = 0; i < s->rows.count && !found; i++)
        found = strcmp(s->rows.row[i].problem, item->text) == 0
                && strcmp(s->rows.row[i].group, item->group) == 0
                && strcmp(s->rows.row[i].engine, "sluice") == 0 && s->rows.row[i].workers == workers
                && strcmp(s->rows.row[i].data, s->options.peer.on_device ? "device" : "host") == 0;
    return found;
}

/* Was the item measured at all requested worker counts? */
static bool is_done(const session *s, const bench_item *item)
{
    if (item->workers)
        return has_row(s, item, item->workers);
    for (int i = 0; i < s->options.worker_counts; i++)
        if (!has_row(s, item, s->options.workers[i]))
            return false;
    return true;
}

static bench_exit start_suite(session *s)
{
    int left = 0;
    if (!s->options.suite)
        return BENCH_DONE;
    for (int i = 0; i < s->items.count; i++)
        if (!is_done(s, &s->items.item[i]))
            s->items.item[left++] = s->items.item[i];
    s->items.count = left;
    if (!s->json)
        return BENCH_DONE;
    bench_machine_json(s->json, s->machine, s->options.windows, s->options.seconds);
    if (!bench_limits_json(s->json, &s->options, &s->items, s->machine))
        return bench_cannot_write(json_name(s));
    return BENCH_DONE;
}

static bench_exit show_rows(void *user, int first)
{
    session *s = user;
    bench_exit status = BENCH_DONE;
    bench_table_part part = !s->options.suite           ? BENCH_TABLE_WHOLE
                            : first == s->rows_reported ? BENCH_TABLE_FIRST
                                                        : BENCH_TABLE_LATER;
    const bench_row *row = &s->rows.row[first];
    int rows = s->rows.count - first;
    if (s->json != stdout && !bench_report_table(stdout, row, rows, part))
        status = bench_cannot_write(output_name);
    if (s->json && !bench_report_json(s->json, row, rows))
        status = bench_cannot_write(json_name(s));
    return status;
}

static bench_exit report_refusal(void *user, const char *problem, const char *why,
                                 const size_t *offset)
{
    const session *s = user;
    if (s->json && !bench_report_refusal(s->json, problem, why, offset))
        return bench_cannot_write(json_name(s));
    return BENCH_DONE;
}

/* A suite has reported what it could not measure; the remaining problems are still reported. */
static bench_exit run_benchmark(session *s)
{
    bench_run run = {.options = &s->options,
                     .machine = s->machine,
                     .items = &s->items,
                     .rows = &s->rows,
                     .finished = show_rows,
                     .refused = report_refusal,
                     .user = s};
    bench_stop_watch();
    bench_fault_watch();
    bench_exit status = bench_run_all(&run);
    if (s->options.suite || status == BENCH_INTERRUPTED) {
        s->suite_status = status;
        return BENCH_DONE;
    }
    return status;
}

static bench_exit report_results(session *s)
{
    const bench_options *o = &s->options;
    bool summed = o->suite || o->from;
    if (s->rows.count == 0)
        return BENCH_DONE;
    if (summed && s->json != stdout && !bench_summary_table(stdout, &s->rows))
        return bench_cannot_write(output_name);
    if (summed && s->json && !bench_summary_json(s->json, &s->rows))
        return bench_cannot_write(json_name(s));
    if (!o->plot)
        return BENCH_DONE;
    return is_suite(s) ? bench_plot_suite(o->plot, &s->rows) : bench_plot(o->plot, &s->rows);
}

static bench_exit close_session(session *s, bench_exit status)
{
    bench_rows_free(&s->rows);
    bench_items_free(&s->items);
    bench_warn_forget();
    bench_planned_free();
    bench_device_close(s->machine);
    bool rows_reported = status == BENCH_IO; /* a file could not be written, probably this one */
    if (s->json && s->json != stdout && fclose(s->json) != 0 && !rows_reported)
        status = bench_cannot_write(s->options.json);
    if ((fflush(stdout) != 0 || ferror(stdout)) && !rows_reported)
        status = bench_cannot_write(output_name);
    return status;
}

/* Suites of their own kind print records instead of rows; `lift` has peers on a device. */
static bench_exit run_portability(session *s)
{
    return bench_portability_run(&s->options, s->json);
}

static bench_exit run_tuning(session *s)
{
    return bench_tuning_run(&s->options, s->machine, s->json);
}

static bench_exit run_lift(session *s)
{
    return bench_lift_run(&s->options, s->machine, s->json);
}

/* Blocks come from the host's memory. */
static bench_exit keep_on_host(session *s)
{
    s->options.data = BENCH_ON_HOST;
    return BENCH_DONE;
}

static bench_exit run_link(session *s)
{
    return bench_link_run(&s->options, s->machine, s->json);
}

static bench_exit run_kinds(session *s)
{
    return bench_kinds_run(&s->options, &s->items, s->machine, s->json);
}

typedef bench_exit step(session *s);
enum { MAX_STEPS = 8 };

/* The steps of a run: of a suite of its own kind, or of anything else. */
typedef struct course {
    const char *suite;
    step *steps[MAX_STEPS + 1];
} course;

static const course courses[] = {
    {bench_portability_name, {open_outputs, run_portability}},
    {bench_tuning_name, {open_machine, open_outputs, run_tuning}},
    {bench_lift_name, {open_machine, open_outputs, load_peers, run_lift}},
    {bench_link_name, {keep_on_host, open_machine, open_outputs, run_link}},
    {bench_kinds_name, {keep_on_host, open_machine, make_item_list, open_outputs, run_kinds}},
    {NULL,
     {open_machine, make_item_list, open_outputs, name_machine, load_peers, start_suite,
      run_benchmark, report_results}},
};
static const course reading = {NULL, {open_outputs, report_results}};

static const course *course_of(const bench_options *o)
{
    const course *c = courses;
    while (c->suite && (!o->suite || strcmp(o->suite, c->suite) != 0))
        c++;
    return o->from ? &reading : c;
}

int main(int argc, char **argv)
{
    session s = {0};
    core_descriptor_keep_standard();
    signal(SIGPIPE, SIG_IGN); /* for gnuplot's pipe; see bench_cannot_write for other readers */
    bench_exit status = bench_options_read(&s.options, argc, argv);
    const course *c = course_of(&s.options);
    for (int i = 0; c->steps[i] && status == BENCH_DONE; i++)
        status = c->steps[i](&s);
    status = close_session(&s, status == BENCH_DONE ? s.suite_status : status);
    return status == BENCH_STOP ? BENCH_DONE : (int)status;
}
