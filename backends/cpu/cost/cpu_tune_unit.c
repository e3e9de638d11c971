// SPDX-License-Identifier: BSD-3-Clause
/* Measures the costs of cache lines (cpu_tune_calls.c: of calls).
 *
 * Two codelets are timed, dft16 at positions C and B (dft32 where rows evict each other). One side
 * sweeps an area as stages do, the other stays in L1; the time of a sweep with both sides in L1 is
 * subtracted. Bare loads and stores would not do, because arithmetic hides part of a line's cost,
 * more of it with twiddles, and stages are of both kinds. The areas are well inside a level. The
 * sizes of L1 and L2, which belong to one core, are taken from its description; the core's part of
 * L3 is measured. The rates of memory are whole times of dft4, which computes little. Everything is
 * measured in rounds, and the median of each figure counts, because other programs use memory, L3
 * and the core's other thread for milliseconds at a time. Figures that cannot be measured (no
 * codelet with non-temporal stores, not enough memory) are modelled. */
#include "backends/cpu/cost/cpu_tune_unit.h"

#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "core/mem.h"
#include "core/status.h"

enum {
    ROWS = CPU_CACHED_ROWS,
    MANY_ROWS = 32,
    FEW_ROWS = 4, /* with little arithmetic for a line */
    LINE = PRICE_LINE,
    PAGE = 4096,
    TILE = 256,
    TIMES = 3,
    POINTS = 6,
    CODELETS = 2
};
static const size_t area_bytes = (size_t)96 << 20;
static const double run_seconds = 1e-3;
/* The area is at most 1/16 of the memory. */
static const size_t memory_per_area = 16;

typedef enum pattern {
    LOCAL = 0,
    READ,
    WRITE,
    NON_TEMPORAL,
    IN_PLACE,
    BOTH,
    BOTH_NON_TEMPORAL
} pattern;

/* Rows of the codelets that sweep. */
typedef enum step { MEDIUM = 0, MANY, FEW, STEPS } step;
static const int rows_of[STEPS] = {ROWS, MANY_ROWS, FEW_ROWS};

struct cpu_bench {
    const cpu_state *owner;
    /* [0] without twiddles, [1] with twiddles; NULL: there is none. */
    const spl_codelet *codelet[STEPS][CODELETS], *non_temporal[STEPS][CODELETS];
    char *area, *cached;
    size_t area_bytes, shift; /* shift: bytes by which calls in the area miss line boundaries */
    size_t l3_bytes;          /* of an area that fits L3 */
    double local[CODELETS];   /* picoseconds of a line, both sides in L1 */
    cpu_calls calls;          /* with the minima of all rounds so far */
    double model[PRICE_FIGURES], figure[CPU_BENCH_ROUNDS][PRICE_FIGURES];
    int rounds;
};
typedef cpu_bench bench;

static double at_least_zero(double value)
{
    return value > 0 ? value : 0;
}

/* A sweep over `rows` rows of `lines` lines, `stride` bytes apart: `run` lines of all rows, the
 * rows of a step per call, then the next `run` lines. */
typedef struct sweep {
    pattern pattern;
    size_t stride, lines, run, rows;
    step step;
} sweep;

static const spl_codelet *find_codelet(const cpu_state *b, int n, int twiddles, bool non_temporal)
{
    const spl_key key = {.n = n,
                         .isa = b->isa,
                         .precision = SLUICE_F32,
                         .position = twiddles ? SPL_POS_B : SPL_POS_C,
                         .tw = twiddles ? SPL_TW_BROADCAST : SPL_TW_NONE,
                         .nt = non_temporal};

    return bind_codelet_find(&b->target, &key);
}

static void call_once(const bench *t, int codelet, const sweep *s, size_t at)
{
    const bool both = s->pattern >= BOTH;
    const bool in = s->pattern == READ || s->pattern == IN_PLACE || both;
    const bool out = s->pattern >= WRITE;
    const bool non_temporal = s->pattern == NON_TEMPORAL || s->pattern == BOTH_NON_TEMPORAL;
    char *second = both ? t->area + t->area_bytes / 2 + 4 * LINE : t->area;
    const spl_call call = {.in_re = in ? t->area + at + t->shift : t->cached,
                           .out_re = out ? second + at + t->shift : t->cached + CPU_CACHED_OUT,
                           .tw = t->cached + CPU_CACHED_BYTES,
                           .is = (ptrdiff_t)((in ? s->stride : CPU_CACHED_ROW) / sizeof(float)),
                           .os = (ptrdiff_t)((out ? s->stride : CPU_CACHED_ROW) / sizeof(float)),
                           .set_columns = s->run * LINE / (2 * sizeof(float))};

    const spl_codelet *const *codelets = (non_temporal ? t->non_temporal : t->codelet)[s->step];
    codelets[codelet]->run(&call, 0, codelet ? 1 : call.set_columns);
}

static void run_sweep(const bench *t, int codelet, const sweep *s)
{
    for (size_t c = 0; c + s->run <= s->lines; c += s->run)
        for (size_t row = 0; row < s->rows; row += (size_t)rows_of[s->step])
            call_once(t, codelet, s, c * LINE + row * s->stride);
}

static double time_runs(const bench *t, int codelet, const sweep *s, long repeat)
{
    const double start = core_seconds();

    for (long k = 0; k < repeat; k++)
        run_sweep(t, codelet, s);
    return (core_seconds() - start) / (double)repeat;
}

/* Picoseconds of a line, both sides together. What fits the caches is timed once they hold it, and
 * for short sweeps the minimum of several counts: other load slows them down for milliseconds. */
static double time_sweep(const bench *t, int codelet, const sweep *s)
{
    const double lines = (double)(s->lines / s->run * s->run * s->rows);
    double seconds = time_runs(t, codelet, s, 1);

    if (lines * LINE < (double)t->area_bytes / 3) {
        const int times = seconds < run_seconds ? TIMES : 1;
        const long repeat = (long)(run_seconds / TIMES / (seconds + 1e-9)) + 1;
        seconds = HUGE_VAL;
        for (int i = 0; i < times; i++)
            seconds = fmin(seconds, time_runs(t, codelet, s, repeat));
    }
    return 1e12 * seconds / lines;
}

static double beyond_local(const bench *t, const sweep *s)
{
    double more = 0;

    for (int i = 0; i < CODELETS; i++)
        more += time_sweep(t, i, s) - t->local[i];
    return at_least_zero(more / CODELETS);
}

/* Sweeps ROWS rows over `bytes`; the stride is a multiple of a page if aligned, else an odd number
 * of lines. */
static double sweep_rows(const bench *t, pattern p, size_t bytes, bool aligned)
{
    const size_t row = bytes / ROWS / (aligned ? PAGE : LINE) * (aligned ? PAGE : LINE);
    const size_t odd = aligned ? row : row / (2 * LINE) * 2 * LINE - LINE;

    const size_t run = odd / LINE < CPU_CACHED_LINES ? odd / LINE : CPU_CACHED_LINES;

    return beyond_local(t, &(sweep){p, odd, odd / LINE, run, ROWS, MEDIUM});
}

/* What a line costs more if the MANY_ROWS rows over `bytes` are aligned, so that their lines of one
 * cache set evict each other. */
static double evict_many(const bench *t, pattern p, size_t bytes)
{
    const size_t row = bytes / MANY_ROWS / PAGE * PAGE, lines = row / LINE - 1;
    const sweep aligned = {p, row, lines, CPU_CACHED_LINES, MANY_ROWS, MANY};
    const sweep apart = {p, row - LINE, lines, CPU_CACHED_LINES, MANY_ROWS, MANY};

    return at_least_zero(beyond_local(t, &aligned) - beyond_local(t, &apart));
}

static double sweep_tiles(const bench *t, pattern p, size_t bytes, size_t run)
{
    const size_t stride =
        bytes / TILE / (CPU_CACHED_LINES * LINE) * (CPU_CACHED_LINES * LINE) - run * LINE;

    return beyond_local(t, &(sweep){p, stride, stride / LINE, run, TILE, MEDIUM});
}

/* The capacity of a level: the size whose price is halfway between those at `least` and `most`
 * bytes. */
static double find_capacity(const bench *t, double least, double most)
{
    const double factor = pow(most / least, 1.0 / (POINTS - 1));
    double price[POINTS];

    for (int i = 0; i < POINTS; i++)
        price[i] = sweep_tiles(t, READ, (size_t)(least * pow(factor, i)), 4);
    const double half = (price[0] + price[POINTS - 1]) / 2;
    for (int i = POINTS - 1; i > 0; i--)
        if (price[i - 1] <= half && price[i] > half)
            return least * pow(factor, i - 1 + (half - price[i - 1]) / (price[i] - price[i - 1]));
    return most;
}

/* The extra cost of short runs over a sweep of whole rows, by least squares on the form of the
 * price. */
static double fit_jump(const bench *t, size_t bytes, int level, const double *figure)
{
    double up = 0, down = 0;

    for (int side = 0; side < 2; side++)
        for (size_t run = 1; run <= CPU_CACHED_LINES; run *= 2) {
            const double x = price_jumps(level, (double)(run * LINE));
            const double whole = figure[(side ? PRICE_WRITE_L2 : PRICE_READ_L2) + level];
            up += x * (sweep_tiles(t, side ? WRITE : READ, bytes, run) - whole);
            down += x * x;
        }
    return up > 0 ? up / down : 0;
}

/* ---- memory ---- */

static void measure_l2(bench *t, double *figure)
{
    const core_core *core = core_topology_core(t->owner->topology, 0);
    const size_t l1 = core->l1 ? core->l1 : (size_t)32 << 10, l2 = core->l2 ? core->l2 : 8 * l1;
    const size_t inside = l2 / 8 * 3;
    const size_t width = (size_t)t->codelet[MEDIUM][0]->key.lanes * 2 * sizeof(float);

    const double read = sweep_rows(t, READ, inside, false);
    const double written = sweep_rows(t, WRITE, inside, false);
    const double both = sweep_rows(t, BOTH, inside, false);
    figure[PRICE_READ_L2] = read;
    /* Stages lie between writing alone and writing what is read at the same rate. */
    figure[PRICE_WRITE_L2] = (written + at_least_zero(both - read)) / 2;
    if (width > sizeof(double)) {
        t->shift = sizeof(double);
        const double split = at_least_zero(sweep_rows(t, WRITE, inside, false) - written)
                             + at_least_zero(sweep_rows(t, BOTH, inside, false) - both) / 2;
        t->shift = 0;
        figure[PRICE_SPLIT_LINE] = split / 2 * (double)width / (double)(width - sizeof(double));
    }
    figure[PRICE_EVICTED_WRITE] = at_least_zero(sweep_rows(t, WRITE, inside, true) - written);
    if (t->codelet[MANY][0] && t->codelet[MANY][1] && inside / MANY_ROWS >= 2 * PAGE) {
        figure[PRICE_EVICTED_REWRITE] = evict_many(t, IN_PLACE, inside);
        figure[PRICE_EVICTED_READ] = evict_many(t, READ, inside);
    }
}

static void measure_l3(bench *t, double *figure)
{
    const double read = sweep_rows(t, READ, t->l3_bytes, false);
    const double more = sweep_rows(t, BOTH, t->l3_bytes, false) - read;
    const double written = (sweep_rows(t, WRITE, t->l3_bytes, false) + at_least_zero(more)) / 2;

    /* A farther level is not faster. */
    figure[PRICE_READ_L3] = fmax(read, figure[PRICE_READ_L2]);
    figure[PRICE_WRITE_L3] = fmax(written, figure[PRICE_WRITE_L2]);
    figure[PRICE_JUMP_L3] = fit_jump(t, t->l3_bytes, 1, figure);
    figure[PRICE_L3] = find_capacity(t, (double)t->l3_bytes, (double)t->area_bytes);
}

/* The price of memory, derived from that of the whole area, part of which L3 holds. */
static double memory_alone(const bench *t, double whole, double l3, const double *figure)
{
    const double share = price_beyond(figure[PRICE_L3], (double)t->area_bytes, PRICE_L3);
    const double alone = (whole - (1 - share) * l3) / share;

    return alone > l3 ? alone : l3;
}

/* The rates of memory while hardly anything is computed: of non-temporal stores, and of lines that
 * are read beside as many of these. */
static void measure_bus(const bench *t, double *figure)
{
    const size_t row = t->area_bytes / 2 / FEW_ROWS / (2 * LINE) * 2 * LINE - LINE;
    sweep s = {NON_TEMPORAL, row, row / LINE, CPU_CACHED_LINES, FEW_ROWS, FEW};
    double stored = 0, both = 0;

    if (!t->non_temporal[FEW][0])
        return;
    for (int i = 0; i < TIMES; i++) {
        s.pattern = NON_TEMPORAL;
        stored += time_sweep(t, 0, &s) / TIMES;
        s.pattern = BOTH_NON_TEMPORAL;
        both += time_sweep(t, 0, &s) / TIMES;
    }
    figure[PRICE_BUS_STORE] = stored;
    figure[PRICE_BUS_READ] = at_least_zero(both - stored);
}

static void measure_memory(bench *t, double *figure)
{
    const size_t half = t->area_bytes / 2;

    figure[PRICE_READ_MEMORY] =
        memory_alone(t, sweep_rows(t, READ, t->area_bytes, false), figure[PRICE_READ_L3], figure);
    const double written = sweep_rows(t, WRITE, t->area_bytes, false);
    const double more = sweep_rows(t, BOTH, half, false) - sweep_rows(t, READ, half, false);
    figure[PRICE_WRITE_MEMORY] =
        memory_alone(t, (written + at_least_zero(more)) / 2, figure[PRICE_WRITE_L3], figure);
    figure[PRICE_JUMP_MEMORY] = fit_jump(t, half, 2, figure);
    measure_bus(t, figure);
    if (!t->non_temporal[MEDIUM][0] || !t->non_temporal[MEDIUM][1])
        return;
    /* Alone, such stores hide behind the arithmetic; stages read as many lines meanwhile. */
    const double alone = sweep_rows(t, NON_TEMPORAL, t->area_bytes, false);
    double past = 0;
    for (int i = 0; i < TIMES; i++)
        past += sweep_rows(t, BOTH_NON_TEMPORAL, half, false) - sweep_rows(t, READ, half, false);
    figure[PRICE_NT_STORE] = at_least_zero(past / TIMES);
    figure[PRICE_NT_STORE_ROWS] =
        at_least_zero(sweep_tiles(t, NON_TEMPORAL, t->area_bytes, 2) - alone);
}

static void measure_local(bench *t)
{
    for (int i = 0; i < CODELETS; i++)
        t->local[i] =
            time_sweep(t, i, &(sweep){LOCAL, CPU_CACHED_ROW, 512, CPU_CACHED_LINES, ROWS, MEDIUM});
}

/* The median of all rounds for each figure: disturbances of the processor or its caches affect few
 * rounds, and possibly both of two times that are subtracted. */
static void take_medians(const bench *t, double *median)
{
    for (int f = 0; f < PRICE_FIGURES; f++) {
        double x[CPU_BENCH_ROUNDS];
        for (int i = 0; i < t->rounds; i++) {
            int at = i;
            for (; at > 0 && x[at - 1] > t->figure[i][f]; at--)
                x[at] = x[at - 1];
            x[at] = t->figure[i][f];
        }
        median[f] = x[t->rounds / 2];
    }
}

/* A size far from both ends of the level, which other programs use too. */
static size_t inside_l3(const double *figure)
{
    return (size_t)sqrt(figure[PRICE_L2] * figure[PRICE_L3]);
}

static sluice_status open_areas(bench *t, sluice_diag *why)
{
    if (t->area_bytes < 2 * t->l3_bytes)
        return SLUICE_OK;
    t->area = core_aligned_alloc(t->area_bytes + PAGE);
    t->cached = core_aligned_alloc(CPU_CACHED_BYTES + PAGE);
    if (!t->area || !t->cached)
        return core_fail_memory(why);
    memset(t->area, 0, t->area_bytes + PAGE);
    memset(t->cached, 0, CPU_CACHED_BYTES + PAGE);
    cpu_calls_open(&t->calls, t->owner, t->codelet[MEDIUM][1], t->cached);
    return SLUICE_OK;
}

sluice_status cpu_bench_open(cpu_bench **out, const cpu_state *b, sluice_diag *why)
{
    const size_t most = core_mem_limit() / memory_per_area;
    bench *t = *out = core_calloc(1, sizeof *t);

    if (!t)
        return core_fail_memory(why);
    cpu_model(b, true, t->model);
    t->owner = b;
    for (int i = 0; i < CODELETS; i++) {
        for (int step = 0; step < STEPS; step++) {
            t->codelet[step][i] = find_codelet(b, rows_of[step], i, false);
            t->non_temporal[step][i] = find_codelet(b, rows_of[step], i, true);
        }
    }
    t->area_bytes = area_bytes < most ? area_bytes : most;
    t->l3_bytes = inside_l3(t->model);
    return open_areas(t, why);
}

void cpu_bench_measure(cpu_bench *t)
{
    double *figure = t->figure[t->rounds];

    if (!t->cached)
        return;
    memcpy(figure, t->model, sizeof t->model);
    measure_local(t);
    measure_l2(t, figure);
    cpu_calls_measure(&t->calls, figure);
    measure_l3(t, figure);
    measure_local(t);
    measure_memory(t, figure);
    t->rounds++;
}

void cpu_bench_result(cpu_bench *t, double *figure)
{
    memcpy(figure, t->model, sizeof t->model);
    if (t->rounds > 0) {
        take_medians(t, figure);
        cpu_calls_measure(&t->calls, figure); /* with the least of all rounds */
    }
    for (int i = 0; i < PRICE_FIGURES; i++)
        figure[i] = (double)(long long)(figure[i] + 0.5);
}

void cpu_bench_close(cpu_bench *t)
{
    if (!t)
        return;
    core_aligned_free(t->area);
    core_aligned_free(t->cached);
    core_free(t);
}
