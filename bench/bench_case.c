// SPDX-License-Identifier: BSD-3-Clause
/* Who computes a problem, and in which order they are timed. */
#include "bench/bench_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_check.h"
#include "bench/bench_clock.h"
#include "bench/bench_copy.h"
#include "bench/bench_peer.h"
#include "bench/bench_sluice.h"

enum { MOST_COPIES = 2 }; /* methods that fit one problem */

static const double turn_seconds = 0.01; /* shorter than the stalls that alternating evens out */

static bench_exit complain(const bench_case *c, const char *what, const sluice_diag *why,
                           bench_exit status)
{
    fprintf(stderr, "sluice-bench: %s: %s%s%s\n", c->label, what, why ? ": " : "",
            why ? why->message : "");
    return status;
}

static bench_exit refuse(const bench_case *c, sluice_status status, sluice_diag *why)
{
    if (why->message[0] == 0)
        snprintf(why->message, sizeof why->message, "%s", sluice_strerror(status));
    return complain(c, "refused", why, bench_exit_of(status));
}

static bench_exit choose_workers(bench_case *c, const bench_options *o, const sluice_problem *p,
                                 const sluice_machine *machine)
{
    c->worker_counts = o->worker_counts ? o->worker_counts : 1;
    memcpy(c->workers, o->workers, sizeof c->workers);
    if (o->worker_counts == 0)
        c->workers[0] = p->workers > 0 ? p->workers : 1;
    int units = sluice_machine_unit_count(machine);
    for (int i = 0; i < c->worker_counts; i++)
        if (c->workers[i] > units) {
            fprintf(stderr, "sluice-bench: %s: %d workers are asked for, there are %d units\n",
                    c->label, c->workers[i], units);
            return BENCH_USAGE;
        }
    return BENCH_DONE;
}

/* The label leaves workers out: they are a field of their own. */
static void set_label(bench_case *c, const char *text, sluice_problem problem)
{
    problem.workers = 0;
    if (sluice_problem_print(&problem, c->label, sizeof c->label) != SLUICE_OK)
        snprintf(c->label, sizeof c->label, "%s", text);
}

bench_exit bench_case_open(bench_case *c, const char *text, const bench_options *o,
                           sluice_machine *machine)
{
    sluice_problem problem;
    sluice_diag why = {0};
    memset(c, 0, sizeof *c);
    snprintf(c->label, sizeof c->label, "%s", text);
    sluice_status status = sluice_problem_parse(&problem, text, &why);
    if (status == SLUICE_OK)
        status = bench_shape_make(&c->shape, &problem, &why);
    if (status != SLUICE_OK)
        return refuse(c, status, &why);
    set_label(c, text, problem);
    bench_exit chosen = choose_workers(c, o, &problem, machine);
    if (chosen != BENCH_DONE)
        return chosen;
    int most = c->worker_counts * (1 + o->peer_count + MOST_COPIES) + MOST_COPIES;
    c->engine = calloc((size_t)most, sizeof *c->engine);
    if (!c->engine)
        return complain(c, "there is no memory", NULL, BENCH_IO);
    for (int i = 0; i < c->worker_counts; i++) {
        problem.workers = c->workers[i];
        status = bench_sluice_open(&c->engine[c->engines], machine, &problem, o->effort, &why);
        if (status != SLUICE_OK)
            return refuse(c, status, &why);
        c->engines++;
    }
    return BENCH_DONE;
}

void bench_case_close(bench_case *c)
{
    for (int i = 0; i < c->engines; i++)
        bench_engine_close(&c->engine[i]);
    free(c->engine);
    c->engine = NULL;
    c->engines = 0;
}

static void add_peers(bench_case *c, const bench_options *o, const bench_data *d)
{
    for (int i = 0; i < c->worker_counts; i++)
        for (int k = 0; k < o->peer_count; k++) {
            const peer *p = o->peers[k];
            sluice_diag why = {0};
            if (bench_peer_open(&c->engine[c->engines], p, &c->shape, c->workers[i], d, &why))
                c->engines++;
            else
                fprintf(stderr, "sluice-bench: %s: without %s at %d worker%s: %s\n", c->label,
                        p->name, c->workers[i], c->workers[i] == 1 ? "" : "s", why.message);
        }
}

static void add_copies_with(bench_case *c, int threads)
{
    const bench_copy_method *method;
    for (int k = 0; (method = bench_copy_at(k, &c->shape)) != NULL && k < MOST_COPIES; k++)
        bench_copy_open(&c->engine[c->engines++], method, threads);
}

/* One thread always: small problems are copied fastest by one. */
static void add_copies(bench_case *c)
{
    add_copies_with(c, 1);
    for (int i = 0; i < c->worker_counts; i++)
        if (c->workers[i] > 1)
            add_copies_with(c, c->workers[i]);
}

/* Copies settle sooner than transforms do, and there are more of them. */
static double budget_of(const bench_engine *e, const bench_options *o)
{
    return e->role == BENCH_COPY ? o->seconds / 3 : o->seconds;
}

/* Turn after turn until every engine has used its time; a slow call is a turn of its own. */
static bench_exit alternate(bench_case *c, const bench_options *o, const bench_data *d)
{
    double *spent = calloc((size_t)c->engines, sizeof *spent);
    if (!spent)
        return complain(c, "there is no memory", NULL, BENCH_IO);
    bench_exit status = BENCH_DONE;
    for (bool again = true; again && status == BENCH_DONE;) {
        again = false;
        for (int i = 0; i < c->engines && status == BENCH_DONE; i++) {
            bench_engine *e = &c->engine[i];
            double left = budget_of(e, o) - spent[i], start = bench_now();
            if (left <= 0)
                continue;
            if (!bench_engine_turn(e, d, left < turn_seconds ? left : turn_seconds))
                status = complain(c, "an execution failed", NULL, BENCH_IO);
            spent[i] += bench_now() - start;
            again = true;
        }
    }
    free(spent);
    return status;
}

bench_exit bench_case_window(bench_case *c, const bench_options *o, int window)
{
    bench_data data;
    bench_exit status = BENCH_DONE;
    if (!bench_data_open(&data, &c->shape))
        return complain(c, "there is no memory for its data", NULL, BENCH_IO);
    if (window == 0) {
        add_peers(c, o, &data);
        if (o->check)
            status = bench_check(c->label, &c->shape, c->engine, c->engines, &data);
        add_copies(c);
    }
    bench_data_fill(&data, &c->shape);
    if (status == BENCH_DONE)
        status = alternate(c, o, &data);
    for (int i = 0; i < c->engines; i++)
        bench_series_close_window(&c->engine[i].series);
    bench_data_close(&data);
    return status;
}
