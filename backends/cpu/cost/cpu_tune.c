// SPDX-License-Identifier: BSD-3-Clause
/* Measures the cycles of codelets; memory and calls are measured in cpu_tune_unit.c.
 *
 * Each codelet runs on a few steps of columns that fit L1 together with the twiddles, so that only
 * its code is measured; moving data is priced separately (cpu_cost.c). Rows have a line of padding,
 * because powers of two would map to few L1 sets. All codelets are timed in each round, and the
 * minimum of all rounds counts: a stall of the machine affects one round of many codelets instead
 * of all rounds of one. Memory is measured between the rounds, which spreads its measurements over
 * seconds, as long as load on the core's other thread usually lasts. Rounds alternate direction,
 * because a core slows down for a while after its first wide vectors. Each round shifts the output,
 * because a store delays a load with the same page offset (4K aliasing). */
#include <assert.h>
#include <string.h>

#include "backends/cpu/cost/cpu_tune_unit.h"
#include "core/clock.h"
#include "core/mem.h"
#include "core/status.h"
#include "spl/codelet/gen.h"

/* REPORT: kernels between two calls of `progress`. */
enum { ROUNDS = 2 * CPU_BENCH_ROUNDS + 2, MAX_STEPS = 32, LINE = 64, ARENA = 1 << 18, REPORT = 64 };

static const double run_seconds = 25e-6;  /* of one run, at least */
static const double max_seconds = 2;      /* of all rounds; two are always made: one may stall */
static const size_t default_l1 = 1 << 15; /* if the machine does not report it */

/* A side in memory; strides in scalars. */
typedef struct side {
    ptrdiff_t row, column;
    size_t part; /* bytes of one of its arrays */
    size_t im;   /* bytes from re to im */
    size_t bytes;
} side;

typedef struct trial {
    const spl_codelet *codelet;
    spl_call call;
    size_t count, steps;
    ptrdiff_t in_off[BIND_MAX_ROWS], out_off[BIND_MAX_ROWS];
} trial;

static size_t scalar_of(const spl_key *key)
{
    return key->precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
}

static bool is_mirrored(const spl_key *key, bool in)
{
    return (in ? key->in : key->out) == SPL_MIRROR;
}

/* The layout of a side. Position G reads both formats; interleaved is the usual one. Pairs have
 * one row or two. On a mirrored side imaginary parts run backwards, from after the end of row 0 in
 * an array of two rows. */
static side lay_out_side(const spl_key *key, bool in, size_t columns)
{
    const spl_position p = key->position;
    const bool dense = p == SPL_POS_T || p == SPL_POS_W || p == SPL_POS_S || p == SPL_POS_D
                       || p == SPL_POS_P || p == (in ? SPL_POS_R : SPL_POS_A);
    const bool mirrored = is_mirrored(key, in);
    const bool inter = (p == SPL_POS_G && !mirrored) || (in ? key->in : key->out) == SPL_INTER;
    const size_t scalar = scalar_of(key), unit = inter ? 2 : 1;
    const bool plane = p == SPL_POS_P;
    const size_t n = gen_is_pairs(key) ? 2 : (size_t)key->n * (size_t)(plane ? key->n : 1);
    const size_t row = plane ? (size_t)key->n : dense ? unit : columns * unit + LINE / scalar;
    side s = {.row = (ptrdiff_t)row, .column = (ptrdiff_t)(dense ? unit * n : unit)};

    s.part = (dense ? columns * unit : row) * n * scalar;
    s.part = (s.part + LINE - 1) / LINE * LINE;
    s.im = inter ? scalar : s.part;
    if (mirrored)
        s.im += (row + (p == SPL_POS_B ? columns / 2 : columns)) * scalar;
    s.bytes = inter ? s.part : 2 * s.part;
    return s;
}

static size_t timed_table_bytes(const spl_key *key, size_t steps)
{
    if (key->tw == SPL_TW_NONE)
        return 0;
    const size_t columns = steps * (size_t)key->lanes, n = (size_t)key->n;
    const size_t entries = key->tw == SPL_TW_FACTORED    ? n + (size_t)key->lanes + columns
                           : key->tw == SPL_TW_BROADCAST ? 2 * n
                                                         : n * columns;

    const size_t times = !spl_spreads_factors(key)     ? 1
                         : key->tw == SPL_TW_BROADCAST ? 2 * (size_t)key->lanes
                                                       : 2;

    return times * entries * 2 * scalar_of(key);
}

/* The largest number of steps, up to MAX_STEPS, whose data fit three quarters of L1. */
static size_t steps_of(const cpu_state *b, const spl_key *key)
{
    const size_t l1 = core_topology_core(b->topology, 0)->l1;
    const size_t capacity = (l1 ? l1 : default_l1) / 4 * 3;

    for (size_t steps = MAX_STEPS; steps > 1; steps /= 2) {
        const size_t columns = steps * (size_t)key->lanes;
        if (lay_out_side(key, true, columns).bytes + lay_out_side(key, false, columns).bytes
                + timed_table_bytes(key, steps)
            <= capacity)
            return steps;
    }
    return 1;
}

/* Row 1 of pairs begins at its end if it runs backwards: by sets at B; by columns at M, and on
 * mirrored sides at G. */
static void set_second_row(const spl_key *key, size_t columns, size_t sets, spl_call *call)
{
    const bool many = key->position == SPL_POS_M, any = key->position == SPL_POS_G;
    const bool in_back = many || (any && is_mirrored(key, true));
    const bool out_back = many || (any && is_mirrored(key, false));
    const ptrdiff_t back = (ptrdiff_t)columns - 1;

    call->is += (in_back ? back * call->ics : 0) + (ptrdiff_t)(sets - 1) * call->iouter;
    call->os += (out_back ? back * call->ocs : 0) + (ptrdiff_t)(sets - 1) * call->oouter;
    call->ics1 = in_back ? -call->ics : call->ics;
    call->ocs1 = out_back ? -call->ocs : call->ocs;
}

/* Sets up a call on memory of the arena, with its output shifted by `shift` bytes. */
static void set_trial(trial *t, const cpu_state *b, const spl_codelet *c, char *arena, size_t shift)
{
    const spl_key *key = &c->key;
    const bool sets = bind_runs_sets(key);

    t->codelet = c;
    t->steps = steps_of(b, key);
    const size_t columns = t->steps * (size_t)key->lanes;
    const size_t halves = sets && t->steps > 1 ? 2 : 1;
    const side in = lay_out_side(key, true, columns), out = lay_out_side(key, false, columns);
    char *to = arena + in.bytes + shift;
    assert(in.bytes + shift + out.bytes + timed_table_bytes(key, t->steps) <= ARENA);
    t->count = sets ? halves : columns;
    t->call = (spl_call){.in_re = arena,
                         .in_im = arena + in.im,
                         .out_re = to,
                         .out_im = to + out.im,
                         .tw = to + out.bytes,
                         .tw_shared = to + out.bytes,
                         .is = in.row,
                         .os = out.row,
                         .ics = in.column,
                         .ocs = out.column,
                         .in_off = t->in_off,
                         .out_off = t->out_off,
                         .set_columns = columns / halves,
                         .iouter = (ptrdiff_t)(columns / halves) * in.column,
                         .oouter = (ptrdiff_t)(columns / halves) * out.column};
    if (gen_is_pairs(key))
        set_second_row(key, columns, halves, &t->call);
    for (int i = 0; i < key->n && key->position == SPL_POS_G; i++) {
        t->in_off[i] = i * in.row;
        t->out_off[i] = i * out.row;
    }
}

/* Seconds of one call. */
static double time_calls(const trial *t, long repeat)
{
    spl_codelet_fn *const run = t->codelet->run;

    run(&t->call, 0, t->count); /* code and data into L1 */
    const double start = core_seconds();
    for (long i = 0; i < repeat; i++)
        run(&t->call, 0, t->count);
    return (core_seconds() - start) / (double)repeat;
}

/* The minimum of `cycles` (0: none yet) and another run. */
static double time_again(const trial *t, double cycles)
{
    const double per_step = (double)t->steps / price_nominal_hz;
    long repeat = cycles > 0 ? (long)(run_seconds / (cycles * per_step)) + 1 : 1;
    double seconds = time_calls(t, repeat);

    while (cycles == 0 && seconds * (double)repeat < run_seconds) {
        repeat *= 2;
        seconds = time_calls(t, repeat);
    }
    return cycles == 0 || seconds / per_step < cycles ? seconds / per_step : cycles;
}

/* Times a round of all kernels, or none if all rounds took long enough; adds to *seconds. */
static sluice_status time_kernels(const cpu_state *b, int round, double *costs, char *arena,
                                  double *seconds, sluice_progress *progress, void *user)
{
    const double start = core_seconds();
    const int kernels = round > 1 && *seconds > max_seconds ? 0 : b->kernels;
    trial t;

    if (kernels == 0 && progress)
        return progress(user, (size_t)(round * b->kernels), (size_t)(ROUNDS * b->kernels));
    for (int i = 0; i < kernels; i++) {
        const size_t done = (size_t)(round * b->kernels + i);
        const sluice_status status = progress && i % REPORT == 0
                                         ? progress(user, done, (size_t)(ROUNDS * b->kernels))
                                         : SLUICE_OK;
        if (status != SLUICE_OK)
            return status;
        const int at = round % 2 ? b->kernels - 1 - i : i;
        set_trial(&t, b, b->kernel[at], arena, (size_t)round * 5 * LINE);
        costs[at] = time_again(&t, costs[at]);
    }
    *seconds += core_seconds() - start;
    return SLUICE_OK;
}

/* Alternates rounds of codelets and of memory. */
static sluice_status measure_rounds(const cpu_state *b, double *costs, char *arena,
                                    cpu_bench *bench, sluice_progress *progress, void *user,
                                    sluice_diag *why)
{
    double seconds = 0;

    for (int round = 0; round < ROUNDS; round++) {
        const sluice_status status = time_kernels(b, round, costs, arena, &seconds, progress, user);
        if (status != SLUICE_OK)
            return core_fail(why, status, 0, "tuning was told to end early");
        if (round % 2 && round + 1 < ROUNDS)
            cpu_bench_measure(bench);
    }
    return SLUICE_OK;
}

static sluice_status measure_kernels(backend *handle, double *costs, sluice_progress *progress,
                                     void *user, sluice_diag *why)
{
    const cpu_state *b = (const cpu_state *)handle;
    float *arena = core_aligned_alloc(ARENA);
    cpu_bench *bench = NULL;

    if (!arena)
        return core_fail_memory(why);
    /* Input and twiddles: any number that is not denormal in either precision. */
    for (size_t i = 0; i < ARENA / sizeof *arena; i++)
        arena[i] = 1;
    memset(costs, 0, (size_t)b->kernels * sizeof *costs);
    sluice_status status = cpu_bench_open(&bench, b, why);
    if (status == SLUICE_OK)
        status = measure_rounds(b, costs, (char *)arena, bench, progress, user, why);
    for (int i = 0; i < b->kernels; i++)
        costs[i] = (double)(long long)(100 * costs[i] + 0.5) / 100;
    if (status == SLUICE_OK)
        cpu_bench_result(bench, costs + b->kernels);
    cpu_bench_close(bench);
    core_aligned_free(arena);
    return status;
}

static int kernel_count(const backend *b)
{
    return ((const cpu_state *)b)->kernels;
}

static void describe_kernel(const backend *b, int kernel, sluice_codelet_info *out)
{
    const spl_codelet *c = ((const cpu_state *)b)->kernel[kernel];

    memset(out, 0, sizeof *out);
    strncpy(out->name, c->name, sizeof out->name - 1);
    out->columns = c->key.lanes;
    out->adds = c->adds;
    out->muls = c->muls;
    out->fmas = c->fmas;
    out->shuffles = c->shuffles;
    out->loads = c->loads;
    out->stores = c->stores;
    out->predicted = c->cycles;
}

const backend_tuning cpu_tuning = {
    .count = kernel_count, .describe = describe_kernel, .measure = measure_kernels};
