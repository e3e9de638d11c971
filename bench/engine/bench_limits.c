// SPDX-License-Identifier: BSD-3-Clause
/* Peaks, measured with the same copies and the same clock as the figures. */
#include "bench/engine/bench_limits.h"

#include "bench/engine/bench_copy.h"
#include "bench/engine/bench_peak.h"

static const double max_slice = 0.05; /* seconds */
enum { SLICES = 3 };                  /* samples of one method */

typedef struct level {
    const char *name;
    size_t bytes; /* total of all arrays and workers: well within the level */
} level;
enum { LEVELS = 4 };

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void find_levels(level *out, const sluice_unit_info *u, int workers)
{
    size_t w = (size_t)workers;
    out[0] = (level){"L1", u->l1 / 2 * w};
    out[1] = (level){"L2", u->l2 / 2 * w};
    out[2] = (level){"L3", min_size(u->l3 / 2, 8 * u->l2 * w)};
    out[3] = (level){"DRAM", min_size(4 * u->l3, (size_t)1 << 30)};
}

/* Bytes that the fastest method reads and writes per second; 0: not measured. */
static double best_copy_rate(const level *l, bool in_place, int workers, double seconds)
{
    char text[64];
    sluice_problem problem;
    bench_shape shape;
    bench_data data;
    const bench_copy_method *method;
    double best = 0;
    snprintf(text, sizeof text, "c2c:f32:%zu%s", l->bytes / (in_place ? 8 : 16),
             in_place ? ":inplace" : "");
    if (sluice_problem_parse(&problem, text, NULL) != SLUICE_OK
        || bench_shape_make(&shape, &problem, NULL) != SLUICE_OK
        || !bench_data_open(&data, &shape, 0))
        return 0;
    bench_data_fill(&data, &shape);
    for (int i = 0; (method = bench_copy_at(i, &shape)) != NULL; i++) {
        bench_engine e;
        bench_copy_open(&e, method, workers);
        for (int slice = 0; slice < SLICES && bench_engine_sample(&e, &data, seconds); slice++) {
            double rate = 2.0 * (double)shape.data_bytes / e.series.min;
            best = rate > best ? rate : best;
        }
        bench_engine_close(&e);
    }
    bench_data_close(&data);
    return best;
}

/* Bytes of input and output of the largest item: larger memory levels are not measured. */
static size_t largest_working_set(const bench_items *items)
{
    size_t largest = 0;
    for (int i = 0; i < items->count; i++)
        if (2 * items->item[i].bytes > largest)
            largest = 2 * items->item[i].bytes;
    return largest;
}

static void print_copies(FILE *file, const bench_options *o, const sluice_unit_info *u,
                         size_t largest, int workers)
{
    static const char *const place[] = {"out", "in"};
    double seconds = o->seconds < max_slice ? o->seconds : max_slice;
    level levels[LEVELS];
    find_levels(levels, u, workers);
    for (int i = 0; i < LEVELS && (i == 0 || levels[i - 1].bytes < largest); i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            double rate = best_copy_rate(&levels[i], in_place, workers, seconds);
            if (rate > 0)
                fprintf(file,
                        "{\"limit\":\"copy\",\"level\":\"%s\",\"place\":\"%s\",\"workers\":%d,"
                        "\"bytes\":%zu,\"gbytes_s\":%.6g}\n",
                        levels[i].name, place[in_place], workers, levels[i].bytes, rate * 1e-9);
        }
}

bool bench_limits_json(FILE *file, const bench_options *o, const bench_items *items,
                       const sluice_machine *machine)
{
    static const char *const precision[] = {[SLUICE_F32] = "f32", [SLUICE_F64] = "f64"};
    sluice_unit_info unit;
    if (sluice_machine_unit_info(machine, 0, &unit) != SLUICE_OK)
        return true;
    for (int i = 0; i < o->worker_counts; i++) {
        for (int p = 0; p < 2; p++)
            fprintf(file,
                    "{\"limit\":\"fma\",\"precision\":\"%s\",\"workers\":%d,\"gflops\":%.6g}\n",
                    precision[p], o->workers[i],
                    bench_peak_flops((sluice_precision)p, o->workers[i]) * 1e-9);
        print_copies(file, o, &unit, largest_working_set(items), o->workers[i]);
    }
    return fflush(file) == 0 && !ferror(file);
}
