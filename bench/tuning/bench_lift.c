// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tuning/bench_lift.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_check.h"
#include "bench/engine/bench_peer.h"
#include "bench/engine/bench_sluice.h"
#include "bench/engine/bench_stop.h"
#include "bench/plot/bench_gnuplot.h"
#include "bench/report/bench_say.h"
#include "bench/tuning/bench_turns.h"
#include "bench/tuning/bench_twiddles.h"

const char bench_lift_name[] = "lift";

static const size_t usual_points = (size_t)1 << 24; /* the paper's size, used without --largest */

/* ---- formulas */

enum { MOST_PASSES = 64 };

/* A pass takes a factor q out of n = q m, in `blocks` blocks of n points. */
typedef struct pass {
    size_t blocks, n, q, m;
} pass;

static int find_passes(pass *out, size_t n, size_t r)
{
    int count = 0;
    for (size_t blocks = 1, rest = n; rest > 1; count++) {
        const size_t q = rest < r ? rest : r;
        out[count] = (pass){blocks, rest, q, rest / q};
        blocks *= q;
        rest /= q;
    }
    return count;
}

/* Rule dft-stockham, applied repeatedly: a pass through memory for each factor. */
static void print_stockham(FILE *out, size_t n, size_t r)
{
    pass p[MOST_PASSES];
    const int count = find_passes(p, n, r);
    for (int i = count; i-- > 0;) { /* the rightmost is the first to run */
        fprintf(out, "(DFT(%zu) (x) I(%zu))%s", p[i].q, n / p[i].q, i > 0 ? " * " : "");
        if (i > 0)
            fprintf(out, "(L(%zu,%zu) (x) I(%zu)) * (T(%zu,%zu) (x) I(%zu)) * ", p[i - 1].n,
                    p[i - 1].m, p[i - 1].blocks, p[i - 1].q, p[i - 1].m, p[i - 1].blocks);
    }
}

/* Rule dft-ct, applied repeatedly: all permutations come first. */
static void print_cooley_tukey(FILE *out, size_t n, size_t r)
{
    pass p[MOST_PASSES];
    const int count = find_passes(p, n, r);
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s(I(%zu) (x) DFT(%zu) (x) I(%zu))", i ? " * " : "", p[i].blocks, p[i].q,
                p[i].m);
        if (p[i].m > 1)
            fprintf(out, " * (I(%zu) (x) T(%zu,%zu))", p[i].blocks, p[i].q, p[i].m);
    }
    for (int i = count - 1; i-- > 0;)
        fprintf(out, " * (I(%zu) (x) L(%zu,%zu))", p[i].blocks, p[i].n, p[i].q);
}

/* Rule dft-sixstep: two transforms of about sqrt(n) points, between transposes. */
static void print_hierarchical(FILE *out, size_t n, size_t r)
{
    size_t a = r;
    while (4 * a * a <= n)
        a *= 2;
    const size_t b = n / a;
    fprintf(out,
            "L(%zu,%zu) * (I(%zu) (x) DFT(%zu)) * L(%zu,%zu) * T(%zu,%zu) * (I(%zu) (x) DFT(%zu)) "
            "* L(%zu,%zu)",
            n, a, b, a, n, b, a, b, a, b, n, a);
}

static const struct {
    const char *name;
    void (*print)(FILE *out, size_t n, size_t r);
    size_t radix;
} formulas[] = {
    {"stockham-2", print_stockham, 2},         {"stockham-4", print_stockham, 4},
    {"stockham-8", print_stockham, 8},         {"stockham-16", print_stockham, 16},
    {"cooley-tukey-2", print_cooley_tukey, 2}, {"cooley-tukey-4", print_cooley_tukey, 4},
    {"cooley-tukey-8", print_cooley_tukey, 8}, {"cooley-tukey-16", print_cooley_tukey, 16},
    {"hierarchical", print_hierarchical, 2},
};
enum {
    FORMULAS = sizeof formulas / sizeof *formulas,
    ENGINES = 1 + FORMULAS + BENCH_TWIDDLES + BENCH_MAX_PEERS
};

/* "PROBLEM := FORMULA"; NULL: out of memory. Freed by the caller. */
static char *formula_of(const char *problem, size_t n, int i)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s := ", problem);
    formulas[i].print(out, n, formulas[i].radix);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- the run */

typedef struct lift {
    const bench_options *options;
    sluice_machine *machine;
    FILE *json; /* NULL: none */
    bench_twiddles twiddles;
    char problem[48]; /* as text */
    bench_shape shape;
    bench_engine engine[ENGINES]; /* the planner's choice first */
    int engines;
} lift;

/* Adds the plan of a formula, whose outputs are compared with those of the planner's choice. */
static bench_exit add_formula(lift *l, int i)
{
    sluice_diag why = {0};
    bench_engine *e = &l->engine[l->engines];
    char *text = formula_of(l->problem, l->shape.points, i);
    const sluice_status status =
        text ? bench_sluice_open_formula(e, l->machine, text, l->shape.problem.precision, &why)
             : SLUICE_E_MEMORY;
    free(text);
    if (status != SLUICE_OK)
        return bench_refuse(formulas[i].name, status, &why);
    e->role = BENCH_PEER;
    e->name = formulas[i].name;
    l->engines++;
    return BENCH_DONE;
}

/* Adds the planner's choice with computed twiddles. */
static void add_twiddles(lift *l)
{
    bench_twiddles_open(&l->twiddles, l->options);
    for (int i = 0; i < BENCH_TWIDDLES; i++)
        l->engines +=
            bench_twiddles_plan(&l->twiddles, i, &l->shape.problem, &l->engine[l->engines]);
}

static void add_peers(lift *l, const bench_data *d)
{
    for (int k = 0; k < l->options->peer_count && l->options->peers_given; k++) {
        sluice_diag why = {0};
        if (bench_peer_open(&l->engine[l->engines], l->options->peers[k], &l->shape, 1, d, &why))
            l->engines++;
        else
            bench_warn_once("without %s: %s", l->options->peers[k]->name, why.message);
    }
}

static void print_engine(const lift *l, bench_engine *e, double chosen_s)
{
    const double seconds = bench_series_figure(&e->series);
    const char *data = bench_engine_data(e);
    printf("%-16s %-18s data=%s us=%.5g plan_s=%.3g gflops=%.4g to_planner=%.4g\n", e->name,
           l->problem, data, 1e6 * seconds, e->plan_s, l->shape.flops / seconds / 1e9,
           seconds / chosen_s);
    if (l->json)
        fprintf(l->json,
                "{\"record\":\"lift\",\"engine\":\"%s\",\"problem\":\"%s\",\"data\":\"%s\","
                "\"us\":%.6g,\"plan_s\":%.6g,\"gflops\":%.6g,\"to_planner\":%.6g}\n",
                e->name, l->problem, data, 1e6 * seconds, e->plan_s, l->shape.flops / seconds / 1e9,
                seconds / chosen_s);
}

/* Gflop/s as bars. */
static bench_exit draw_engines(const char *folder, const lift *l)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s/lift.png", folder);
    FILE *out = bench_gnuplot_open(file, 900, 600);
    if (!out)
        return bench_gnuplot_close(out, file);
    fputs("set title ", out);
    bench_gnuplot_quote(out, l->problem);
    fputs(" noenhanced\nset ylabel 'Gflop/s'\nset yrange [0:*]\nset boxwidth 0.7\nset style fill "
          "solid\nset xtics rotate by -40\nset nokey\nplot '-' using 2:xtic(1) with boxes\n",
          out);
    for (int i = 0; i < l->engines; i++)
        if (!l->engine[i].failed)
            fprintf(out, "%s %.6g\n", l->engine[i].name,
                    l->shape.flops / bench_series_figure(&l->engine[i].series) / 1e9);
    fputs("e\n", out);
    return bench_gnuplot_close(out, file);
}

static bench_exit time_engines(lift *l, bench_data *d)
{
    bench_engine *turn[ENGINES];
    add_peers(l, d);
    const bench_exit checked = bench_check(l->problem, &l->shape, l->engine, l->engines, d);
    for (int i = 0; i < l->engines; i++)
        turn[i] = &l->engine[i];
    bench_data_fill(d, &l->shape);
    if (!bench_in_turns(turn, l->engines, d, l->options)) {
        bench_complain("%s: an execution failed", l->problem);
        return BENCH_IO;
    }
    if (bench_stop_requested())
        return BENCH_INTERRUPTED;
    for (int i = 0; i < l->engines; i++)
        if (!l->engine[i].failed)
            print_engine(l, &l->engine[i], bench_series_figure(&l->engine[0].series));
    if (!l->options->plot)
        return checked;
    const bench_exit drawn = draw_engines(l->options->plot, l);
    return drawn > checked ? drawn : checked;
}

static bench_exit open_problem(lift *l)
{
    sluice_diag why = {0};
    sluice_problem problem;
    sluice_status status = sluice_problem_parse(&problem, l->problem, &why);
    if (status == SLUICE_OK)
        status = bench_shape_make(&l->shape, &problem, &why);
    if (status == SLUICE_OK)
        status = bench_sluice_open(&l->engine[0], l->machine, &problem, l->options->effort, &why);
    if (status != SLUICE_OK)
        return bench_refuse(l->problem, status, &why);
    l->engine[0].name = "planner";
    l->engines = 1;
    return BENCH_DONE;
}

/* Chooses the largest power of two of points that the options allow. */
static void choose_problem(lift *l)
{
    const bench_options *o = l->options;
    size_t n = 1 << 4;
    while (2 * n <= (o->filter.largest ? o->filter.largest : usual_points))
        n *= 2;
    snprintf(l->problem, sizeof l->problem, "c2c:%s:%zu",
             o->filter.precision == SLUICE_F32 ? "f32" : "f64", n);
}

static bench_exit time_all(lift *l)
{
    bench_data data;
    if (!bench_data_open(&data, &l->shape, 0)) {
        bench_complain("%s: there is no memory for its data", l->problem);
        return BENCH_IO;
    }
    const bench_exit timed = time_engines(l, &data);
    bench_data_close(&data);
    return timed;
}

bench_exit bench_lift_run(const bench_options *o, sluice_machine *machine, FILE *json)
{
    lift l = {.options = o, .machine = machine, .json = json};
    choose_problem(&l);
    if (o->list) {
        puts(l.problem);
        return BENCH_DONE;
    }
    bench_exit worst = open_problem(&l);
    if (worst != BENCH_DONE)
        return worst;
    bench_stop_watch();
    for (int i = 0; i < FORMULAS; i++) {
        const bench_exit status = add_formula(&l, i);
        worst = status > worst ? status : worst;
    }
    add_twiddles(&l);
    const bench_exit timed = time_all(&l);
    for (int i = 0; i < l.engines; i++)
        bench_engine_close(&l.engine[i]);
    bench_twiddles_close(&l.twiddles);
    return timed > worst ? timed : worst;
}
