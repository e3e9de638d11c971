// SPDX-License-Identifier: BSD-3-Clause
/* The engines of a problem, and the order in which they are timed. */
#include "bench/engine/bench_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_check.h"
#include "bench/engine/bench_clock.h"
#include "bench/engine/bench_copy.h"
#include "bench/engine/bench_fault.h"
#include "bench/engine/bench_peak.h"
#include "bench/engine/bench_peer.h"
#include "bench/engine/bench_planned.h"
#include "bench/engine/bench_sluice.h"
#include "bench/engine/bench_stop.h"
#include "bench/report/bench_say.h"

enum { MAX_COPY_METHODS = 2 }; /* copy methods that fit one problem */

static const double slice_seconds =
    0.01; /* seconds; shorter than the stalls that alternation averages out */

static bench_exit fail_case(const bench_case *c, const char *what, bench_exit status)
{
    bench_complain("%s: %s", c->label, what);
    return status;
}

/* c->refused holds the reason; if it is empty, the status is the reason. */
static bench_exit refuse_case(bench_case *c, sluice_status status)
{
    sluice_diag *why = &c->refused;
    if (why->message[0] == 0)
        snprintf(why->message, sizeof why->message, "%s", sluice_strerror(status));
    c->unread = status == SLUICE_E_PARSE || why->offset > 0;
    bench_complain("%s: refused: %s", c->label, why->message);
    return bench_exit_of(status);
}

static bench_exit choose_case_workers(bench_case *c, const bench_options *o,
                                      const sluice_problem *p, const sluice_machine *machine)
{
    bool one = c->item->workers > 0 || o->worker_counts == 0;
    c->worker_counts = one ? 1 : o->worker_counts;
    memcpy(c->workers, o->workers, sizeof c->workers);
    if (one)
        c->workers[0] = c->item->workers > 0 ? c->item->workers : p->workers > 0 ? p->workers : 1;
    int units = sluice_machine_unit_count(machine);
    for (int i = 0; i < c->worker_counts; i++)
        if (c->workers[i] > units) {
            snprintf(c->refused.message, sizeof c->refused.message,
                     "%d workers are asked for, there are %d units", c->workers[i], units);
            return refuse_case(c, SLUICE_E_INVALID);
        }
    return BENCH_DONE;
}

/* The label omits workers, which are a separate field. */
static void set_label(bench_case *c, const char *text, sluice_problem problem)
{
    problem.workers = 0;
    if (sluice_problem_print(&problem, c->label, sizeof c->label) != SLUICE_OK)
        snprintf(c->label, sizeof c->label, "%s", text);
}

static bench_exit plan_sluice(bench_case *c, const bench_options *o, sluice_problem problem,
                              sluice_machine *machine)
{
    for (int i = 0; i < c->worker_counts; i++) {
        problem.workers = c->workers[i];
        sluice_status status =
            bench_sluice_open(&c->engine[c->engines], machine, &problem, o->effort, &c->refused);
        if (status != SLUICE_OK)
            return refuse_case(c, status);
        c->engines++;
    }
    return BENCH_DONE;
}

bench_exit bench_case_open(bench_case *c, const bench_item *item, const bench_options *o,
                           sluice_machine *machine)
{
    sluice_problem problem;
    sluice_unit_info unit;
    memset(c, 0, sizeof *c);
    c->item = item;
    snprintf(c->label, sizeof c->label, "%s", item->text);
    sluice_status status = sluice_problem_parse(&problem, item->text, &c->refused);
    if (status == SLUICE_OK)
        status = bench_shape_make(&c->shape, &problem, &c->refused);
    if (status != SLUICE_OK)
        return refuse_case(c, status);
    set_label(c, item->text, problem);
    bench_exit chosen = choose_case_workers(c, o, &problem, machine);
    if (chosen != BENCH_DONE)
        return chosen;
    if (sluice_machine_unit_info(machine, 0, &unit) == SLUICE_OK)
        memcpy(c->cache, (size_t[]){unit.l1, unit.l2, unit.l3}, sizeof c->cache);
    int capacity = c->worker_counts * (1 + o->peer_count + MAX_COPY_METHODS + 1) + MAX_COPY_METHODS;
    c->engine = calloc((size_t)capacity, sizeof *c->engine);
    if (!c->engine)
        return refuse_case(c, SLUICE_E_MEMORY);
    return plan_sluice(c, o, problem, machine);
}

void bench_case_close(bench_case *c)
{
    for (int i = 0; i < c->engines; i++)
        bench_engine_close(&c->engine[i]);
    free(c->engine);
    c->engine = NULL;
    c->engines = 0;
}

/* Printed once, as many problems of a suite lack the same peer for the same reason. */
static void warn_without(const bench_case *c, const peer *p, int workers, const sluice_diag *why)
{
    bool suite = c->item->group != NULL;
    bench_warn_once("%s%swithout %s at %d worker%s: %s", suite ? "" : c->label, suite ? "" : ": ",
                    p->name, workers, workers == 1 ? "" : "s", why->message);
}

static void add_peer(bench_case *c, const bench_options *o, const peer *p, int workers,
                     const bench_data *d)
{
    sluice_diag why = {0};
    bench_engine *e = &c->engine[c->engines];
    bench_fault_at(c->label, p->name);
    if (!bench_peer_open(e, p, &c->shape, workers, d, &why)) {
        warn_without(c, p, workers, &why);
        return;
    }
    if (p->save) /* the peer keeps wisdom */
        e->plan_first_s = bench_planned(o->peer.wisdom, p->name, c->label, workers, e->plan_s);
    c->engines++;
}

static void add_peers(bench_case *c, const bench_options *o, const bench_data *d)
{
    for (int i = 0; i < c->worker_counts; i++)
        for (int k = 0; k < o->peer_count; k++)
            add_peer(c, o, o->peers[k], c->workers[i], d);
}

static void add_copies_with(bench_case *c, int threads)
{
    const bench_copy_method *method;
    for (int k = 0; (method = bench_copy_at(k, &c->shape)) != NULL && k < MAX_COPY_METHODS; k++)
        bench_copy_open(&c->engine[c->engines++], method, threads);
}

/* In a device's memory there is one copy. Otherwise one thread is always included, as it copies
 * small problems fastest. */
static void add_copies(bench_case *c)
{
    if (bench_engine_is_away(&c->engine[0])) {
        bench_copy_open_there(&c->engine[c->engines], c->engine[0].memory, 1);
        c->engines++;
        return;
    }
    add_copies_with(c, 1);
    for (int i = 0; i < c->worker_counts; i++)
        if (c->workers[i] > 1)
            add_copies_with(c, c->workers[i]);
}

static void add_peaks(bench_case *c)
{
    for (int i = 0; i < c->worker_counts && !bench_engine_is_away(&c->engine[0]); i++)
        bench_peak_open(&c->engine[c->engines++], c->shape.problem.precision, c->workers[i]);
}

/* Copies need fewer samples than transforms, and there are more copies; arithmetic needs even fewer
 * samples. */
static double budget_of(const bench_engine *e, const bench_options *o)
{
    static const double part[] = {
        [BENCH_SLUICE] = 1,     [BENCH_PEER] = 1,   [BENCH_STEP] = 1,
        [BENCH_COPY] = 1.0 / 3, [BENCH_PEAK] = 0.1,
    };
    return part[e->role] * o->seconds;
}

/* Seconds left to an engine in this window; 0 if it failed. */
static double time_left(const bench_engine *e, const bench_options *o, double spent)
{
    return e->failed ? 0 : budget_of(e, o) - spent;
}

static bench_exit sample_slice(bench_case *c, bench_engine *e, const bench_data *d, double left)
{
    char text[96];
    bench_fault_at(c->label, e->name);
    if (bench_engine_sample(e, d, left < slice_seconds ? left : slice_seconds))
        return BENCH_DONE;
    e->failed = true;
    snprintf(text, sizeof text, "an execution of %s failed", e->name);
    return fail_case(c, text, BENCH_IO);
}

/* Samples the engines round-robin in slices until each has used its time; a slow call fills a slice
 * of its own. */
static bench_exit sample_engines(bench_case *c, const bench_options *o, const bench_data *d)
{
    double *spent = calloc((size_t)c->engines, sizeof *spent);
    if (!spent)
        return fail_case(c, "there is no memory", BENCH_IO);
    bench_exit worst = BENCH_DONE;
    for (bool again = true; again && !c->engine[0].failed;) {
        again = false;
        for (int i = 0; i < c->engines; i++) {
            bench_engine *e = &c->engine[i];
            double left = time_left(e, o, spent[i]), start = bench_now();
            if (bench_stop_requested()) {
                free(spent);
                return BENCH_INTERRUPTED;
            }
            if (left <= 0)
                continue;
            bench_exit status = sample_slice(c, e, d, left);
            worst = status > worst ? status : worst;
            spent[i] += bench_now() - start;
            again = true;
        }
    }
    free(spent);
    return worst;
}

static void plan_peers(bench_case *c, const bench_options *o, bench_data *d, bench_exit *status)
{
    add_peers(c, o, d);
    if (o->check)
        *status = bench_check(c->label, &c->shape, c->engine, c->engines, d);
    add_copies(c);
    add_peaks(c);
}

/* A failed check ends a run of single problems; a suite continues with the engines that agree. */
static bool goes_on(const bench_case *c, const bench_options *o, bench_exit status)
{
    return status == BENCH_DONE || (o->suite && !c->engine[0].failed);
}

bench_exit bench_case_window(bench_case *c, const bench_options *o, int window)
{
    bench_data data;
    bench_exit status = BENCH_DONE, timed = BENCH_DONE;
    if (!bench_data_open(&data, &c->shape, (size_t)(o->address + window)))
        return fail_case(c, "there is no memory for its data", BENCH_IO);
    if (window == 0)
        plan_peers(c, o, &data, &status);
    bench_data_fill(&data, &c->shape);
    if (goes_on(c, o, status))
        timed = sample_engines(c, o, &data);
    for (int i = 0; i < c->engines; i++)
        (timed == BENCH_INTERRUPTED ? bench_series_drop_window
                                    : bench_series_close_window)(&c->engine[i].series);
    bench_data_close(&data);
    bench_fault_at(NULL, NULL);
    return timed > status ? timed : status;
}
