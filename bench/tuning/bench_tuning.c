// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tuning/bench_tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_stop.h"
#include "bench/report/bench_report.h"
#include "bench/report/bench_say.h"
#include "bench/tuning/bench_choice.h"
#include "bench/tuning/bench_turns.h"

const char bench_tuning_name[] = "tuning";

static const size_t usual_points = (size_t)1 << 20; /* limit of all points, without --largest */

/* ---- the problems: the paper's lengths, in batches */

typedef struct family {
    const char *name, *kind;
    int rank;
    size_t first, last;
} family;

static const family families[] = {
    {"fft", "c2c", 1, 1 << 4, 1 << 13},
    {"fft-2d", "c2c", 2, 1 << 2, 1 << 10},
    {"dct", "dct2", 1, 1 << 4, 1 << 13},
    {"dct-2d", "dct2", 2, 1 << 2, 1 << 10},
};

static void add_row(bench_tuning *t, const family *f, const char *precision, size_t n)
{
    const size_t largest = t->options->filter.largest, points = f->rank == 2 ? n * n : n;
    const size_t all = largest ? largest : usual_points;
    bench_tuning_row *row = &t->row[t->rows];
    char axes[40];
    if (points > all || t->rows == BENCH_TUNING_ROWS)
        return;
    t->rows++;
    snprintf(axes, sizeof axes, f->rank == 2 ? "%zux%zu" : "%zu", n, n);
    *row = (bench_tuning_row){.family = f->name, .n = n};
    if (all / points > 1)
        snprintf(row->problem, sizeof row->problem, "%s:%s:%s*%zu", f->kind, precision, axes,
                 all / points);
    else
        snprintf(row->problem, sizeof row->problem, "%s:%s:%s", f->kind, precision, axes);
}

static void make_rows(bench_tuning *t)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (int f64 = 0; f64 < 2; f64++) {
            const int wanted = t->options->filter.precision;
            if (wanted != BENCH_ANY && (wanted == SLUICE_F64) != f64)
                continue;
            for (size_t n = families[i].first; n <= families[i].last; n *= 2)
                add_row(t, &families[i], f64 ? "f64" : "f32", n);
        }
}

/* ---- records */

static const char *data_of(const bench_tuning *t)
{
    return t->options->peer.on_device ? "device" : "host";
}

static void print_choice(const bench_tuning *t, const bench_tuning_row *row, const char *by,
                         const bench_choice *c, double seconds)
{
    printf("%-10s %-22s %-10s data=%s us=%.4g plan_s=%.3g", row->family, row->problem, by,
           data_of(t), 1e6 * seconds, c->engine.plan_s);
    for (int i = 0; i < c->kernels; i++) {
        const bench_kernel *k = &c->kernel[i];
        printf(" [groups=%.0f L=%.0f Rt=%.0f S=%.0f B=%.0f occupancy=%.0f%%]", k->groups, k->items,
               k->registers, k->local_bytes, k->groups_of_unit, 100 * k->occupancy);
    }
    printf(" radices=%s\n", c->radices);
    if (!t->json)
        return;
    fprintf(t->json,
            "{\"record\":\"choice\",\"family\":\"%s\",\"problem\":\"%s\",\"by\":\"%s\","
            "\"data\":\"%s\",\"us\":%.6g,\"plan_s\":%.6g,\"radices\":",
            row->family, row->problem, by, data_of(t), 1e6 * seconds, c->engine.plan_s);
    bench_json_text(t->json, c->radices);
    fputs(",\"formula\":", t->json);
    bench_json_text(t->json, c->formula);
    fputs(",\"kernels\":[", t->json);
    for (int i = 0; i < c->kernels; i++) {
        const bench_kernel *k = &c->kernel[i];
        fprintf(t->json,
                "%s{\"groups\":%.0f,\"items\":%.0f,\"registers\":%.0f,\"local_bytes\":%.0f,"
                "\"groups_of_unit\":%.0f,\"occupancy\":%.4g}",
                i ? "," : "", k->groups, k->items, k->registers, k->local_bytes, k->groups_of_unit,
                k->occupancy);
    }
    fputs("]}\n", t->json);
}

static void print_ratio(const bench_tuning *t, const char *family, const char *problem,
                        double ratio)
{
    printf("%-10s %-22s ratio=%.4g\n", family, problem, ratio);
    if (t->json)
        fprintf(t->json,
                "{\"record\":\"ratio\",\"family\":\"%s\",\"problem\":\"%s\",\"data\":\"%s\","
                "\"ratio\":%.6g}\n",
                family, problem, data_of(t), ratio);
}

/* Prints the mean of the measured rows of a family; NULL: of all families. */
static void print_mean(const bench_tuning *t, const char *family)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < t->rows; i++)
        if (t->row[i].found_s > 0 && (!family || strcmp(t->row[i].family, family) == 0)) {
            sum += log(t->row[i].chosen_s / t->row[i].found_s);
            count++;
        }
    if (count > 0)
        print_ratio(t, family ? family : "all", "geometric-mean", exp(sum / count));
}

/* Prints the time with computed twiddles over that with tables. */
static void print_twiddles(const bench_tuning *t, const char *problem, int form, double ratio)
{
    printf("%-10s %-22s ratio=%.4g\n", bench_twiddles_name[form], problem, ratio);
    if (t->json)
        fprintf(t->json,
                "{\"record\":\"twiddles\",\"form\":\"%s\",\"problem\":\"%s\",\"ratio\":%.6g}\n",
                bench_twiddles_name[form], problem, ratio);
}

static void print_twiddles_mean(const bench_tuning *t, int form)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < t->rows; i++)
        if (t->row[i].computed_s[form] > 0) {
            sum += log(t->row[i].computed_s[form] / t->row[i].chosen_s);
            count++;
        }
    if (count > 0)
        print_twiddles(t, "geometric-mean", form, exp(sum / count));
}

/* ---- one problem */

static bench_exit fail_row(const bench_tuning_row *row, sluice_status status,
                           const sluice_diag *why)
{
    bench_complain("%s: %s", row->problem,
                   why->message[0] ? why->message : sluice_strerror(status));
    return bench_exit_of(status);
}

/* Samples both choices in turn. */
static bool sample_choices(const bench_options *o, const bench_shape *shape, bench_engine *const *e,
                           int count)
{
    bench_data data;
    if (!bench_data_open(&data, shape, 0))
        return false;
    bench_data_fill(&data, shape);
    const bool good = bench_in_turns(e, count, &data, o);
    bench_data_close(&data);
    return good;
}

static void note_twiddles(const bench_tuning *t, bench_tuning_row *row, const bench_engine *engine)
{
    for (int i = 0; i < BENCH_TWIDDLES; i++) {
        if (!engine[i].calls || engine[i].failed)
            continue;
        row->computed_s[i] = bench_series_figure(&engine[i].series);
        print_twiddles(t, row->problem, i, row->computed_s[i] / row->chosen_s);
    }
}

/* If both choices are the same formula, it is measured once. */
static bench_exit compare_choices(bench_tuning *t, bench_tuning_row *row, const bench_shape *shape,
                                  bench_choice *chosen, bench_choice *found, bench_engine *computed)
{
    bench_engine *all[2 + BENCH_TWIDDLES] = {&chosen->engine, &found->engine};
    const bool same = strcmp(chosen->formula, found->formula) == 0;
    int count = same ? 1 : 2;
    for (int i = 0; i < BENCH_TWIDDLES; i++)
        if (computed[i].calls)
            all[count++] = &computed[i];
    if (!sample_choices(t->options, shape, all, count)) {
        bench_complain("%s: an execution failed", row->problem);
        return BENCH_IO;
    }
    if (bench_stop_requested())
        return BENCH_INTERRUPTED;
    row->chosen_s = bench_series_figure(&chosen->engine.series);
    const double searched_s = same ? row->chosen_s : bench_series_figure(&found->engine.series);
    row->found_s = fmin(row->chosen_s, searched_s);
    print_choice(t, row, "model", chosen, row->chosen_s);
    print_choice(t, row, "search", found, searched_s);
    print_ratio(t, row->family, row->problem, row->chosen_s / row->found_s);
    note_twiddles(t, row, computed);
    fflush(stdout);
    if (t->json)
        fflush(t->json);
    return BENCH_DONE;
}

/* The model's choice comes first, since what a search finds becomes wisdom of the machine. */
static bench_exit tune_row(bench_tuning *t, bench_tuning_row *row)
{
    const sluice_effort asked = t->options->effort;
    const sluice_effort effort = asked == SLUICE_ESTIMATE ? SLUICE_MEASURE : asked;
    sluice_problem problem;
    bench_shape shape;
    bench_choice chosen = {.kernels = 0}, found = {.kernels = 0};
    bench_engine computed[BENCH_TWIDDLES] = {{.calls = NULL}};
    sluice_diag why = {0};
    sluice_status status = sluice_problem_parse(&problem, row->problem, &why);
    if (status == SLUICE_OK)
        status = bench_shape_make(&shape, &problem, &why);
    if (status == SLUICE_OK)
        status = bench_choice_open(&chosen, t->machine, &problem, SLUICE_ESTIMATE, &why);
    if (status == SLUICE_OK)
        status = bench_choice_open(&found, t->machine, &problem, effort, &why);
    for (int i = 0; i < BENCH_TWIDDLES && status == SLUICE_OK; i++)
        (void)bench_twiddles_plan(&t->twiddles, i, &problem, &computed[i]);
    const bench_exit result = status == SLUICE_OK
                                  ? compare_choices(t, row, &shape, &chosen, &found, computed)
                                  : fail_row(row, status, &why);
    for (int i = 0; i < BENCH_TWIDDLES; i++)
        if (computed[i].calls)
            bench_engine_close(&computed[i]);
    bench_choice_close(&chosen);
    bench_choice_close(&found);
    return result;
}

/* ---- the run */

/* Takes a ratio of an earlier run, with data in the same memory, from the file that --resume
 * names. */
static void keep_ratio(bench_tuning *t, const char *line)
{
    char key[96];
    snprintf(key, sizeof key, "\"data\":\"%s\"", data_of(t));
    const bool same = strstr(line, "\"record\":\"ratio\"") && strstr(line, key);
    const char *at = same ? strstr(line, "\"ratio\":") : NULL;
    for (int i = 0; at && i < t->rows; i++) {
        snprintf(key, sizeof key, "\"problem\":\"%s\"", t->row[i].problem);
        if (strstr(line, key)) {
            t->row[i].chosen_s = strtod(at + strlen("\"ratio\":"), NULL);
            t->row[i].found_s = 1;
        }
    }
}

static bench_exit read_ratios(bench_tuning *t)
{
    char line[4096];
    FILE *in = t->options->resume ? fopen(t->options->json, "r") : NULL;
    if (!in)
        return t->options->resume ? bench_cannot_read(t->options->json) : BENCH_DONE;
    while (fgets(line, sizeof line, in))
        keep_ratio(t, line);
    fclose(in);
    return BENCH_DONE;
}

/* Refuses units that only simulate a device, since their times are not a device's. */
static bench_exit check_units(const bench_tuning *t)
{
    sluice_unit_info unit = {.registers = 0};
    sluice_machine_unit_info(t->machine, 0, &unit);
    if (unit.registers > 0 && unit.kind != SLUICE_UNIT_REF)
        return BENCH_DONE;
    bench_complain(unit.kind == SLUICE_UNIT_REF
                       ? "--suite %s measures, which %s cannot stand for"
                       : "--suite %s is for devices with groups of work-items, not %s; with "
                         "SLUICE_OPENCL_FORM=gpu OpenCL devices that are processors are such",
                   bench_tuning_name, unit.name);
    return BENCH_USAGE;
}

/* Measures the rows that an earlier run has not measured. */
static bench_exit tune_rows(bench_tuning *t)
{
    bench_exit worst = BENCH_DONE;
    for (int i = 0; i < t->rows && worst != BENCH_INTERRUPTED; i++) {
        if (t->row[i].found_s > 0)
            continue;
        const bench_exit status = tune_row(t, &t->row[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static void print_means(const bench_tuning *t)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        print_mean(t, families[i].name);
    print_mean(t, NULL);
    for (int form = 0; form < BENCH_TWIDDLES; form++)
        print_twiddles_mean(t, form);
}

bench_exit bench_tuning_run(const bench_options *o, sluice_machine *machine, FILE *json)
{
    bench_tuning t = {.options = o, .machine = machine, .json = json};
    make_rows(&t);
    for (int i = 0; i < t.rows && o->list; i++)
        puts(t.row[i].problem);
    if (o->list)
        return BENCH_DONE;
    bench_exit worst = check_units(&t);
    if (worst == BENCH_DONE)
        worst = read_ratios(&t);
    if (worst != BENCH_DONE)
        return worst;
    bench_stop_watch();
    bench_twiddles_open(&t.twiddles, o);
    worst = tune_rows(&t);
    print_means(&t);
    bench_twiddles_close(&t.twiddles);
    if (o->plot && worst != BENCH_INTERRUPTED) {
        const bench_exit drawn = bench_tuning_draw(o->plot, &t);
        worst = drawn > worst ? drawn : worst;
    }
    return worst;
}
