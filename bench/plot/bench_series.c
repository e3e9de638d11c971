// SPDX-License-Identifier: BSD-3-Clause
/* Medians of medians. */
#include "bench/plot/bench_series.h"

#include <stdlib.h>
#include <string.h>

bool bench_series_add(bench_series *s, double seconds)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 256;
        double *grown = realloc(s->sample, capacity * sizeof *grown);
        if (!grown)
            return false;
        s->sample = grown;
        s->capacity = capacity;
    }
    bool first = s->count == 0 && s->windows == 0;
    s->sample[s->count++] = seconds;
    s->min = first || seconds < s->min ? seconds : s->min;
    s->max = first || seconds > s->max ? seconds : s->max;
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

void bench_series_close_window(bench_series *s)
{
    if (s->count > 0 && s->windows < BENCH_MAX_WINDOWS)
        s->median[s->windows++] = median_of(s->sample, s->count);
    s->count = 0;
}

void bench_series_drop_window(bench_series *s)
{
    s->count = 0;
}

double bench_series_figure(const bench_series *s)
{
    if (s->windows == 0)
        return 0;
    double sorted[BENCH_MAX_WINDOWS];
    memcpy(sorted, s->median, (size_t)s->windows * sizeof *sorted);
    return median_of(sorted, (size_t)s->windows);
}

void bench_series_free(bench_series *s)
{
    free(s->sample);
    memset(s, 0, sizeof *s);
}
