// SPDX-License-Identifier: BSD-3-Clause
/* A baseline for transforms of several axes, without regard for memory: for each axis, the last one
 * first, sluice's own plan of one axis along the rows, and a transpose. After as many transposes as
 * there are axes their order is restored. One worker. */
#include <stdlib.h>
#include <string.h>

#include "bench/peers/peer_loop.h"

enum { TILE = 16 }; /* elements; a tile of doubles and its transpose are 4 KiB */

typedef struct row_column {
    int rank;
    bool f64;
    peer_loop loop;
    size_t points, length[SLUICE_MAX_RANK];
    sluice_plan *rows[SLUICE_MAX_RANK]; /* along axis i, for all rows */
    void *work;                         /* one transform */
} row_column;

static const peer_settings *settings;

static bool row_column_load(const peer *self, const peer_settings *given, sluice_diag *why)
{
    (void)self;
    (void)why;
    settings = given;
    return true;
}

static bool row_column_is_available(const peer *self, const bench_shape *s, int workers,
                                    sluice_diag *why)
{
    (void)self;
    if (!peer_loop_fits(s, workers, (peer_limits){SLUICE_MAX_RANK, true}, why))
        return false;
    if (!s->in.real || !s->out.real || s->problem.rank < 2)
        peer_refuse(why, "it is a baseline of real kinds along several axes");
    else
        return true;
    return false;
}

static void row_column_destroy(void *plan)
{
    row_column *f = plan;
    for (int i = 0; i < f->rank; i++)
        sluice_plan_destroy(f->rows[i]);
    sluice_free(f->work);
    free(f);
}

static bool plan_rows(row_column *f, const bench_shape *s, int axis, sluice_diag *why)
{
    const size_t n = s->problem.dim[axis].n;
    const sluice_problem rows = {.kind = {bench_axis_kind(&s->problem, axis)},
                                 .precision = s->problem.precision,
                                 .rank = 1,
                                 .dim = {{.n = n}},
                                 .batch_rank = 1,
                                 .batch = {{.n = s->points / n}},
                                 .workers = 1};
    f->length[axis] = n;
    return sluice_plan_create(&f->rows[axis], settings->machine, &rows, NULL, why) == SLUICE_OK;
}

static void *row_column_make_plan(const peer *self, const bench_shape *s, int workers,
                                  const bench_data *d, sluice_diag *why)
{
    (void)self;
    (void)workers;
    (void)d;
    row_column *f = calloc(1, sizeof *f);
    bool good = f != NULL;
    if (good) {
        f->rank = s->problem.rank;
        f->f64 = s->problem.precision == SLUICE_F64;
        f->loop = peer_loop_of(s);
        f->points = s->points;
        f->work = sluice_alloc(s->points * s->scalar);
        good = f->work != NULL;
    }
    if (!good)
        peer_refuse(why, "there is no memory");
    for (int i = 0; good && i < f->rank; i++)
        good = plan_rows(f, s, i, why);
    if (good)
        return f;
    if (f)
        row_column_destroy(f);
    return NULL;
}

#define TRANSPOSE(NAME, T)                                                                         \
    static void NAME(T *restrict out, const T *restrict in, size_t rows, size_t columns)           \
    {                                                                                              \
        for (size_t i = 0; i < rows; i += TILE)                                                    \
            for (size_t j = 0; j < columns; j += TILE)                                             \
                for (size_t q = j; q < columns && q < j + TILE; q++)                               \
                    for (size_t p = i; p < rows && p < i + TILE; p++)                              \
                        out[q * rows + p] = in[p * columns + q];                                   \
    }
TRANSPOSE(transpose_floats, float)
TRANSPOSE(transpose_doubles, double)

static bool compute_one(const row_column *f, const void *in, void *out)
{
    bool good = true;
    for (int i = f->rank - 1; i >= 0; i--, in = out) {
        good = sluice_execute(f->rows[i], in, f->work) == SLUICE_OK && good;
        const size_t rows = f->points / f->length[i];
        if (f->f64)
            transpose_doubles(out, f->work, rows, f->length[i]);
        else
            transpose_floats(out, f->work, rows, f->length[i]);
    }
    return good;
}

static bool row_column_run(void *plan, const bench_data *d, size_t reps)
{
    const row_column *f = plan;
    bool good = true;
    for (size_t i = 0; i < reps; i++) {
        const char *in = d->in;
        char *out = d->out;
        for (size_t k = 0; k < f->loop.count; k++, in += f->loop.in_step, out += f->loop.out_step)
            good = compute_one(f, in, out) && good;
    }
    return good;
}

static const char *row_column_version(const peer *self, sluice_precision precision)
{
    (void)self;
    (void)precision;
    return "sluice's plans of one axis and transposes";
}

const peer peer_row_column = {
    .name = "row-column",
    .effort = "estimate",
    .description = "a baseline: sluice's plans of single axes and transposes, of real kinds",
    .load = row_column_load,
    .available = row_column_is_available,
    .plan = row_column_make_plan,
    .run = row_column_run,
    .destroy = row_column_destroy,
    .version = row_column_version,
};
