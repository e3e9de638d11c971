// SPDX-License-Identifier: BSD-3-Clause
#include "bench/portability/bench_portability.h"

#include <stdlib.h>
#include <string.h>

#include "bench/report/bench_report.h"
#include "bench/report/bench_say.h"

const char bench_portability_name[] = "portability";

static const char native_units[] = "cpu:1";
static const char other_units[] = "opencl:0"; /* without --units, if there is such a device */
static const double micro = 1e6;

void bench_portability_problem(char *out, size_t size, const bench_shape *s)
{
    snprintf(out, size, "c2c:%s:%zu", s->problem.precision == SLUICE_F64 ? "f64" : "f32",
             s->points);
}

/* ---- what is measured */

static bench_exit make_lengths(bench_portability *p)
{
    const bench_filter *filter = &p->options->filter;
    for (int i = 0; i < BENCH_PORTABLE_LENGTHS; i++) {
        const size_t points = (size_t)8 << i;
        sluice_diag why = {0};
        const sluice_problem problem = {.kind = {SLUICE_C2C},
                                        .precision = filter->precision == SLUICE_F64 ? SLUICE_F64
                                                                                     : SLUICE_F32,
                                        .rank = 1,
                                        .dim = {{.n = points}},
                                        .workers = 1};
        if (filter->largest && points > filter->largest)
            break;
        if (bench_shape_make(&p->shape[p->lengths++], &problem, &why) != SLUICE_OK) {
            bench_complain("%s", why.message);
            return BENCH_USAGE;
        }
    }
    return BENCH_DONE;
}

/* `optional`: it is no failure if the unit does not open. */
static bench_exit add_unit(bench_portability *p, const char *name, bool optional)
{
    sluice_diag why = {0};
    for (int i = 0; i < p->units; i++)
        if (strcmp(p->unit[i].name, name) == 0)
            return BENCH_DONE;
    if (p->units == BENCH_PORTABLE_UNITS) {
        bench_complain("--units: at most %d kinds are compared", BENCH_PORTABLE_UNITS - 1);
        return BENCH_USAGE;
    }
    const sluice_status status = bench_portable_open(&p->unit[p->units], name, p->options, &why);
    if (status == SLUICE_OK) {
        p->units++;
        return BENCH_DONE;
    }
    if (optional)
        bench_warn_once("without %s: %s", name, why.message);
    else
        bench_complain("--units %s: %s", name,
                       why.message[0] ? why.message : sluice_strerror(status));
    return optional ? BENCH_DONE : bench_exit_of(status);
}

static bench_exit open_units(bench_portability *p)
{
    bench_exit status = add_unit(p, native_units, false);
    if (!p->options->units)
        return status == BENCH_DONE ? add_unit(p, other_units, true) : status;
    p->names = strdup(p->options->units);
    char *rest = NULL;
    for (char *name = p->names ? strtok_r(p->names, ",", &rest) : NULL;
         name && status == BENCH_DONE; name = strtok_r(NULL, ",", &rest))
        status = add_unit(p, name, false);
    return p->names ? status : BENCH_IO;
}

static void load_peer(bench_portability *p)
{
    sluice_diag why = {0};
    if (peer_fftw_estimate.load(&peer_fftw_estimate, &p->options->peer, &why))
        p->peer = &peer_fftw_estimate;
    else
        bench_warn_once("without %s: %s", peer_fftw_estimate.name, why.message);
}

/* ---- records */

static void start_record(const bench_portability *p, const char *what, int unit, int length)
{
    char problem[48];
    bench_portability_problem(problem, sizeof problem, &p->shape[length]);
    printf("%-7s %-10s %-14s", what, p->unit[unit].name, problem);
    if (!p->json)
        return;
    fprintf(p->json, "{\"record\":\"%s\",\"unit\":", what);
    bench_json_text(p->json, p->unit[unit].name);
    fprintf(p->json, ",\"problem\":\"%s\"", problem);
}

static void add_number(const bench_portability *p, const char *name, double value)
{
    printf(" %s=%.4g", name, value);
    if (p->json)
        fprintf(p->json, ",\"%s\":%.6g", name, value);
}

static void add_word(const bench_portability *p, const char *name, const char *word)
{
    printf(" %s=%s", name, word);
    if (p->json) {
        fprintf(p->json, ",\"%s\":", name);
        bench_json_text(p->json, word);
    }
}

/* Returns the exit status for the verdict. */
static bench_exit end_record(const bench_portability *p, bool good)
{
    printf(" %s\n", good ? "PASS" : "FAIL");
    if (p->json)
        fprintf(p->json, ",\"result\":\"%s\"}\n", good ? "PASS" : "FAIL");
    return good ? BENCH_DONE : BENCH_CHECK_FAILED;
}

static void print_times(const bench_portability *p, int unit, int length)
{
    const bench_portable *r = &p->result[unit][length];
    start_record(p, "time", unit, length);
    add_word(p, "data", p->unit[unit].route ? p->unit[unit].route->memory()->data : "host");
    add_number(p, "launch_us", p->unit[unit].launch_s * micro);
    add_number(p, "plan_us", r->plan_s * micro);
    add_number(p, "first_us", r->first_s * micro);
    add_number(p, "mean_us", r->total.mean * micro);
    add_number(p, "min_us", r->total.min * micro);
    add_number(p, "max_us", r->total.max * micro);
    add_number(p, "deviation_us", r->total.deviation * micro);
    add_number(p, "kernel_mean_us", r->kernel_mean_s * micro);
    add_number(p, "kernel_min_us", r->kernel_min_s * micro);
    putchar('\n');
    if (p->json)
        fputs("}\n", p->json);
}

static bench_exit print_agreement(const bench_portability *p, int unit, int length,
                                  const char *against, const double *reference)
{
    const bench_verdict v =
        bench_spectrum_compare(&p->shape[length], p->result[unit][length].magnitude, reference);
    start_record(p, "agree", unit, length);
    add_word(p, "against", against);
    add_number(p, "chi_square", v.found.chi_square);
    add_number(p, "p", v.found.p);
    add_number(p, "largest", v.found.largest);
    add_number(p, "bound", v.bound);
    return end_record(p, v.agrees);
}

static bench_exit worse(bench_exit a, bench_exit b)
{
    return a > b ? a : b;
}

/* ---- the run */

static bench_exit measure_unit(bench_portability *p, int unit, int length)
{
    sluice_diag why = {0};
    const sluice_status status =
        bench_portable_measure(&p->result[unit][length], &p->unit[unit], &p->shape[length],
                               (size_t)p->options->runs, &why);
    if (status == SLUICE_OK) {
        print_times(p, unit, length);
        return BENCH_DONE;
    }
    bench_complain("%s, %zu points: %s", p->unit[unit].name, p->shape[length].points,
                   why.message[0] ? why.message : sluice_strerror(status));
    return bench_exit_of(status);
}

static bench_exit compare_units(const bench_portability *p, int length, const double *other)
{
    bench_exit worst = BENCH_DONE;
    const bench_portable *native = &p->result[0][length];
    for (int u = 0; u < p->units; u++) {
        if (!p->result[u][length].run_s)
            continue;
        if (u > 0 && native->run_s)
            worst = worse(worst, print_agreement(p, u, length, native_units, native->magnitude));
        if (other)
            worst = worse(worst, print_agreement(p, u, length, p->peer->name, other));
    }
    if (!native->run_s)
        return worst;
    start_record(p, "control", 0, length);
    return worse(worst,
                 end_record(p, bench_spectrum_control(&p->shape[length], native->magnitude)));
}

static bench_exit measure_length(bench_portability *p, int length)
{
    sluice_diag why = {0};
    bench_exit worst = BENCH_DONE;
    for (int u = 0; u < p->units; u++)
        worst = worse(worst, measure_unit(p, u, length));
    double *other = p->peer ? bench_portable_peer(p->peer, &p->shape[length], &why) : NULL;
    worst = worse(worst, compare_units(p, length, other));
    free(other);
    return worst;
}

static void close_portability(bench_portability *p)
{
    for (int u = 0; u < p->units; u++) {
        bench_portable_close(&p->unit[u]);
        for (int i = 0; i < p->lengths; i++)
            bench_portable_free(&p->result[u][i]);
    }
    free(p->names);
}

static void list_problems(const bench_portability *p)
{
    char problem[48];
    for (int i = 0; i < p->lengths; i++) {
        bench_portability_problem(problem, sizeof problem, &p->shape[i]);
        puts(problem);
    }
}

bench_exit bench_portability_run(const bench_options *o, FILE *json)
{
    bench_portability p = {.options = o, .json = json};
    bench_exit worst = make_lengths(&p);
    if (worst != BENCH_DONE)
        return worst;
    if (o->list) {
        list_problems(&p);
        return BENCH_DONE;
    }
    worst = open_units(&p);
    if (worst == BENCH_DONE) {
        load_peer(&p);
        for (int i = 0; i < p.lengths; i++)
            worst = worse(worst, measure_length(&p, i));
        if (o->plot)
            worst = worse(worst, bench_portability_draw(o->plot, &p));
    }
    close_portability(&p);
    return worst;
}
