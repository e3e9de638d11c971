// SPDX-License-Identifier: BSD-3-Clause
#include "tools/spectrum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_LIMIT = 1600, ROWS_LIMIT = 1024 };

/* Row r has the bins i with i rows / bins = r, rounded down. */
static void set_linear_rows(spectrum *s)
{
    for (size_t r = 0; r < s->rows; r++) {
        s->first[r] = (r * s->bins + s->rows - 1) / s->rows;
        s->end[r] = ((r + 1) * s->bins + s->rows - 1) / s->rows;
    }
}

/* Row r ends at the frequency top^((r + 1) / rows), in bins; a row narrower than a bin has the
 * nearest bin. */
static void set_logarithmic_rows(spectrum *s)
{
    const double top = (double)(s->bins - 1);
    for (size_t r = 0; r < s->rows; r++) {
        double low = pow(top, (double)r / (double)s->rows);
        double high = pow(top, (double)(r + 1) / (double)s->rows);
        s->first[r] = (size_t)lround(ceil(low - 1e-9));
        s->end[r] = r + 1 == s->rows ? s->bins : (size_t)lround(ceil(high - 1e-9));
        if (s->end[r] <= s->first[r]) {
            s->first[r] = (size_t)lround(sqrt(low * high));
            s->end[r] = s->first[r] + 1;
        }
    }
}

bool spectrum_new(spectrum *s, size_t size, bool logarithmic)
{
    const size_t bins = size / 2 + 1, rows = bins < ROWS_LIMIT ? bins : ROWS_LIMIT;
    *s = (spectrum){.bins = bins, .rows = rows, .column_frames = 1};
    s->first = malloc(rows * sizeof *s->first);
    s->end = malloc(rows * sizeof *s->end);
    s->power = calloc(COLUMNS_LIMIT * rows, sizeof *s->power);
    if (!s->first || !s->end || !s->power)
        return false;
    if (logarithmic)
        set_logarithmic_rows(s);
    else
        set_linear_rows(s);
    return true;
}

void spectrum_free(spectrum *s)
{
    free(s->first);
    free(s->end);
    free(s->power);
}

static void join_columns(spectrum *s)
{
    for (size_t c = 0; c < COLUMNS_LIMIT / 2; c++) {
        const float *left = s->power + 2 * c * s->rows, *right = left + s->rows;
        for (size_t r = 0; r < s->rows; r++)
            s->power[c * s->rows + r] = left[r] > right[r] ? left[r] : right[r];
    }
    s->columns = COLUMNS_LIMIT / 2;
    s->column_frames *= 2;
    memset(s->power + s->columns * s->rows, 0, s->columns * s->rows * sizeof *s->power);
}

void spectrum_add(spectrum *s, const float *bins)
{
    if (s->frames == COLUMNS_LIMIT * s->column_frames)
        join_columns(s);
    size_t column = (size_t)(s->frames++ / s->column_frames);
    s->columns = column + 1;
    for (size_t r = 0; r < s->rows; r++) {
        float *dot = &s->power[column * s->rows + r];
        for (size_t i = s->first[r]; i < s->end[r]; i++) {
            float p = bins[2 * i] * bins[2 * i] + bins[2 * i + 1] * bins[2 * i + 1];
            *dot = p > *dot && p <= FLT_MAX ? p : *dot;
        }
    }
}

double spectrum_to_decibels(spectrum *s)
{
    double top = -HUGE_VAL;
    for (size_t i = 0; i < s->columns * s->rows; i++) {
        s->power[i] = 10 * log10f(s->power[i]);
        top = s->power[i] > top ? s->power[i] : top;
    }
    return isfinite(top) ? top : 0;
}
