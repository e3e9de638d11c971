// SPDX-License-Identifier: BSD-3-Clause
/* The clock that says what lines and calls cost.
 *
 * All are measured by two codelets, dft16 at positions C and B: one side sweeps an area as stages do, the other
 * stays in the first-level cache, and what both sides take there is subtracted. Bare loads or
 * stores would not do: of what a line costs arithmetic hides a part, more so where there are
 * twiddles, and stages are of both kinds.
 * Areas are of sizes that lie well inside a level. The sizes of L1 and L2, which a core has for
 * itself, follow from its description; what it gets of L3 is measured. What cannot be measured (no codelet stores past
 * the caches, no memory to spare) is as modelled. */
#include "backends/cpu/cost/cpu_tune_unit.h"

#include <string.h>

#include "backends/cpu/run/cpu_tail.h"
#include "core/clock.h"
#include "core/mem.h"
#include "core/status.h"

enum { ROWS = 16, LINE = PRICE_LINE, PAGE = 4096, TILE = 256, RUNS = 5, POINTS = 9, CODELETS = 2 };
enum { NEAR_LINES = 8, NEAR_ROW = (NEAR_LINES + 1) * LINE, NEAR_BYTES = 64 << 10 };
/* Not where rows of the other side lie in their pages: a store slows down such loads. */
enum { NEAR_OUT = NEAR_BYTES / 2 + 4 * LINE };
static const size_t far_bytes = (size_t)96 << 20, third_bytes = (size_t)12 << 20;
static const double run_seconds = 1e-3;
/* A memory of which an area is at most so small a part. */
static const size_t part_of_memory = 16;

typedef enum pattern { LOCAL = 0, READ, WRITE, PAST, IN_PLACE, BOTH } pattern;

typedef struct bench {
    const cpu_state *owner;
    const spl_codelet *codelet[CODELETS], *past[CODELETS]; /* without twiddles, with some */
    char *far, *near;
    size_t far_bytes, shift; /* shift: of the area against lines */
    double local[CODELETS];  /* picoseconds of a line, both sides in the first level */
} bench;

static double at_least(double value)
{
    return value > 0 ? value : 0;
}

/* A sweep: rows `stride` bytes apart, of so many lines, `run` lines at a time; TILE rows are gone
 * down before the next lines, else ROWS. */
typedef struct sweep {
    pattern pattern;
    size_t stride, lines, run, rows;
} sweep;

static const spl_codelet *find_codelet(const cpu_state *b, int twiddles, bool past)
{
    const spl_key key = {.n = ROWS,
                         .isa = b->isa,
                         .precision = SLUICE_F32,
                         .position = twiddles ? SPL_POS_B : SPL_POS_C,
                         .tw = twiddles ? SPL_TW_BROADCAST : SPL_TW_NONE,
                         .nt = past};

    return bind_codelet_find(&b->target, &key);
}

static void call_once(const bench *t, int codelet, const sweep *s, size_t at)
{
    const bool in = s->pattern == READ || s->pattern == IN_PLACE || s->pattern == BOTH;
    const bool out = s->pattern >= WRITE;
    char *second = s->pattern == BOTH ? t->far + t->far_bytes / 2 + 4 * LINE : t->far;
    const spl_call call = {.in_re = in ? t->far + at + t->shift : t->near,
                           .out_re = out ? second + at + t->shift : t->near + NEAR_OUT,
                           .tw = t->near + NEAR_BYTES,
                           .is = (ptrdiff_t)((in ? s->stride : NEAR_ROW) / sizeof(float)),
                           .os = (ptrdiff_t)((out ? s->stride : NEAR_ROW) / sizeof(float)),
                           .lanes = s->run * LINE / (2 * sizeof(float))};

    (s->pattern == PAST ? t->past : t->codelet)[codelet]->run(&call, 0, codelet ? 1 : call.lanes);
}

static void run_sweep(const bench *t, int codelet, const sweep *s)
{
    for (size_t c = 0; c + s->run <= s->lines; c += s->run)
        for (size_t row = 0; row < s->rows; row += ROWS)
            call_once(t, codelet, s, c * LINE + row * s->stride);
}

/* The second of five, which neighbours disturb less than the middle. */
static double low_of(double *x)
{
    for (int i = 1; i < RUNS; i++)
        for (int k = i; k > 0 && x[k] < x[k - 1]; k--) {
            const double less = x[k];
            x[k] = x[k - 1];
            x[k - 1] = less;
        }
    return x[1];
}

/* Picoseconds of a line, both sides together. */
static double time_sweep(const bench *t, int codelet, const sweep *s)
{
    const double lines = (double)(s->lines / s->run * s->run * s->rows);
    double seconds[RUNS];
    double start = core_seconds();

    run_sweep(t, codelet, s);
    const double once = core_seconds() - start;
    const long repeat = once < run_seconds ? (long)(run_seconds / (once + 1e-9)) + 1 : 1;
    for (int i = 0; i < RUNS; i++) {
        start = core_seconds();
        for (long k = 0; k < repeat; k++)
            run_sweep(t, codelet, s);
        seconds[i] = (core_seconds() - start) / (double)repeat;
    }
    return 1e12 * low_of(seconds) / lines;
}

static double beyond_local(const bench *t, const sweep *s)
{
    double more = 0;

    for (int i = 0; i < CODELETS; i++)
        more += time_sweep(t, i, s) - t->local[i];
    return at_least(more / CODELETS);
}

/* ROWS rows over `bytes`, a line more than a multiple of a page apart, or `aligned` to one. */
static double sweep_rows(const bench *t, pattern p, size_t bytes, bool aligned)
{
    const size_t row = bytes / ROWS / (aligned ? PAGE : LINE) * (aligned ? PAGE : LINE);
    const size_t odd = aligned ? row : row / (2 * LINE) * 2 * LINE - LINE;

    const size_t run = odd / LINE < NEAR_LINES ? odd / LINE : NEAR_LINES;

    return beyond_local(t, &(sweep){p, odd, odd / LINE, run, ROWS});
}

static double sweep_tiles(const bench *t, pattern p, size_t bytes, size_t run)
{
    const size_t stride = bytes / TILE / (NEAR_LINES * LINE) * (NEAR_LINES * LINE) - run * LINE;

    return beyond_local(t, &(sweep){p, stride, stride / LINE, run, TILE});
}

/* The size where half of the way from the price at `least` to that at `most` bytes is gone. */
static double half_way(const bench *t, double least, double most)
{
    double price[POINTS], size[POINTS];

    for (int i = 0; i < POINTS; i++) {
        size[i] = least + (most - least) * i / (POINTS - 1);
        price[i] = sweep_tiles(t, READ, (size_t)size[i], 4);
    }
    const double half = (price[0] + price[POINTS - 1]) / 2;
    for (int i = POINTS - 1; i > 0; i--)
        if (price[i - 1] <= half && price[i] > half)
            return size[i - 1]
                   + (size[i] - size[i - 1]) * (half - price[i - 1]) / (price[i] - price[i - 1]);
    return most;
}

/* What short runs cost more than a sweep of whole rows: least squares on the form of the price. */
static double fit_jump(const bench *t, size_t bytes, int level, const double *figure)
{
    double up = 0, down = 0;

    for (int side = 0; side < 2; side++)
        for (size_t run = 1; run <= NEAR_LINES; run *= 2) {
            const double x = price_jumps(level, (double)(run * LINE));
            const double whole = figure[(side ? PRICE_WRITE_L2 : PRICE_READ_L2) + level];
            up += x * (sweep_tiles(t, side ? WRITE : READ, bytes, run) - whole);
            down += x * x;
        }
    return up > 0 ? up / down : 0;
}

/* ---- calls ---- */

/* How a call is made: by the codelet as it is, by what handles columns that fill no vector. */
typedef enum caller { DIRECT = 0, OVERLAPPED, PADDED } caller;

/* Picoseconds of a call of so many columns and sets. */
static double time_call(const bench *t, caller how, size_t columns, size_t sets)
{
    enum { CALLS = 4 };
    const spl_codelet *c = t->codelet[1];
    const bind_tail tail = {.run = c->run,
                            .n = ROWS,
                            .lanes = c->key.lanes,
                            .tw = SPL_TW_BROADCAST,
                            .overlap = how == OVERLAPPED,
                            .columns = columns,
                            .scalar = sizeof(float)};
    const ptrdiff_t row = (ptrdiff_t)(NEAR_ROW / sizeof(float));
    spl_call call[CALLS];
    double seconds[RUNS];
    long repeat = 1;

    for (size_t i = 0; i < CALLS; i++)
        call[i] = (spl_call){.in_re = t->near + i * 2 * LINE,
                             .out_re = t->near + NEAR_OUT + i * 2 * LINE,
                             .tw = t->near + NEAR_BYTES,
                             .is = row,
                             .os = row,
                             .ics = 2,
                             .ocs = 2,
                             .lanes = columns,
                             .iouter = (ptrdiff_t)(2 * columns),
                             .oouter = (ptrdiff_t)(2 * columns)};
    for (int i = -8; i < RUNS; i++) {
        const double start = core_seconds();
        for (long k = 0; k < repeat; k++)
            for (size_t at = 0; at < CALLS; at++)
                if (how == DIRECT)
                    c->run(&call[at], 0, sets);
                else
                    cpu_columns(&tail, c->run, &call[at], 0, columns, 0, sets);
        const double took = core_seconds() - start;
        if (i < 0 && took < run_seconds / 4)
            repeat *= 4;
        if (i >= 0)
            seconds[i] = took / (double)(CALLS * repeat);
    }
    return 1e12 * low_of(seconds);
}

static void measure_calls(bench *t, double *figure)
{
    const size_t lanes = (size_t)t->codelet[1]->key.lanes, part = lanes / 2 + (lanes > 2);
    const double one = time_call(t, DIRECT, lanes, 1), two = time_call(t, DIRECT, 2 * lanes, 1);
    const double sets = time_call(t, DIRECT, lanes, 2);
    figure[PRICE_CALL] = at_least(one - at_least(two - one));
    figure[PRICE_SET] = at_least(sets - two);
    if (lanes == 1)
        return;
    figure[PRICE_TAIL] = at_least(time_call(t, OVERLAPPED, lanes + part, 1) - two);
    figure[PRICE_SHORT_ROW] = at_least(time_call(t, PADDED, part, 1) - one) / ROWS;
}

/* ---- memory ---- */

static void measure_near(bench *t, double *figure)
{
    const core_core *core = core_topology_core(t->owner->topology, 0);
    const size_t l1 = core->l1 ? core->l1 : (size_t)32 << 10, l2 = core->l2 ? core->l2 : 8 * l1;
    const size_t inside = l2 / 8 * 3;
    const size_t width = (size_t)t->codelet[0]->key.lanes * 2 * sizeof(float);

    const double read = sweep_rows(t, READ, inside, false);
    const double written = sweep_rows(t, WRITE, inside, false);
    const double both = sweep_rows(t, BOTH, inside, false);
    figure[PRICE_READ_L2] = read;
    /* Stages lie between writing alone and writing what is read at the same rate. */
    figure[PRICE_WRITE_L2] = (written + at_least(both - read)) / 2;
    if (width > sizeof(double)) {
        t->shift = sizeof(double);
        const double split = at_least(sweep_rows(t, WRITE, inside, false) - written)
                             + at_least(sweep_rows(t, BOTH, inside, false) - both) / 2;
        t->shift = 0;
        figure[PRICE_SPLIT_LINE] = split / 2 * (double)width / (double)(width - sizeof(double));
    }
    figure[PRICE_CLASH_WRITE] = at_least(sweep_rows(t, WRITE, inside, true) - written);
    figure[PRICE_CLASH_REWRITE] =
        at_least(sweep_rows(t, IN_PLACE, inside, true) - sweep_rows(t, IN_PLACE, inside, false));
}

static void measure_third(bench *t, double *figure)
{
    figure[PRICE_READ_L3] = sweep_rows(t, READ, third_bytes, false);
    figure[PRICE_WRITE_L3] = sweep_rows(t, WRITE, third_bytes, false);
    figure[PRICE_JUMP_L3] = fit_jump(t, third_bytes, 1, figure);
    figure[PRICE_L3] = half_way(t, (double)third_bytes, (double)t->far_bytes);
}

/* Of what lines cost over the whole area the third level still has a share. */
static double memory_alone(const bench *t, double whole, double third, const double *figure)
{
    const double share = price_beyond(figure[PRICE_L3], (double)t->far_bytes, PRICE_L3);
    const double alone = (whole - (1 - share) * third) / share;

    return alone > third ? alone : third;
}

static void measure_far(bench *t, double *figure)
{
    figure[PRICE_READ_MEMORY] =
        memory_alone(t, sweep_rows(t, READ, t->far_bytes, false), figure[PRICE_READ_L3], figure);
    figure[PRICE_WRITE_MEMORY] =
        memory_alone(t, sweep_rows(t, WRITE, t->far_bytes, false), figure[PRICE_WRITE_L3], figure);
    figure[PRICE_JUMP_MEMORY] = fit_jump(t, t->far_bytes, 2, figure);
    if (!t->past[0] || !t->past[1])
        return;
    figure[PRICE_PAST] = sweep_rows(t, PAST, t->far_bytes, false);
    figure[PRICE_PAST_ROWS] = at_least(sweep_tiles(t, PAST, t->far_bytes, 2) - figure[PRICE_PAST]);
}

static void measure_local(bench *t, double *figure)
{
    (void)figure;
    for (int i = 0; i < CODELETS; i++)
        t->local[i] = time_sweep(t, i, &(sweep){LOCAL, NEAR_ROW, 512, NEAR_LINES, ROWS});
}

sluice_status cpu_measure_unit(const cpu_state *b, double *figure, size_t half,
                               sluice_progress *progress, void *user, sluice_diag *why)
{
    static void (*const parts[])(bench * t, double *figure) = {
        measure_local, measure_near, measure_calls, measure_third, measure_local, measure_far};
    enum { PARTS = sizeof parts / sizeof *parts };
    const core_core *core = core_topology_core(b->topology, 0);
    const size_t most = core_mem_limit() / part_of_memory;
    bench t = {.owner = b,
               .codelet = {find_codelet(b, 0, false), find_codelet(b, 1, false)},
               .past = {find_codelet(b, 0, true), find_codelet(b, 1, true)},
               .far_bytes = far_bytes < most ? far_bytes : most};
    sluice_status status = SLUICE_OK;

    price_model(figure, core->l1, core->l2, core->l3);
    if (t.far_bytes < 2 * third_bytes)
        return SLUICE_OK;
    t.far = core_aligned_alloc(t.far_bytes + PAGE);
    t.near = core_aligned_alloc(NEAR_BYTES + PAGE);
    if (!t.far || !t.near)
        status = core_fail_memory(why);
    if (status == SLUICE_OK) {
        memset(t.far, 0, t.far_bytes + PAGE);
        memset(t.near, 0, NEAR_BYTES + PAGE);
    }
    for (int i = 0; i < PARTS && status == SLUICE_OK; i++) {
        if (progress)
            status = progress(user, half + half / PARTS * (size_t)i, 2 * half);
        if (status != SLUICE_OK)
            core_fail(why, status, 0, "tuning was told to end early");
        else
            parts[i](&t, figure);
    }
    for (int i = 0; i < PRICE_FIGURES; i++)
        figure[i] = (double)(long long)(figure[i] + 0.5);
    core_aligned_free(t.far);
    core_aligned_free(t.near);
    return status;
}
