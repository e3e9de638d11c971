// SPDX-License-Identifier: BSD-3-Clause
/* Measures the costs of calls, of the sets of a call, and of vectors that columns do not fill, from
 * the times that dft16 with twiddles takes on data in L1 when called in different ways. Also the
 * cost of waiting for results, from short DFTs in place: several in one call, and one again and
 * again. */
#include <math.h>

#include "backends/cpu/cost/cpu_tune_unit.h"
#include "backends/cpu/run/cpu_tail.h"
#include "core/clock.h"

/* How a call is made: the codelet itself, or with a partial vector by cpu_columns. */
typedef enum caller { DIRECT = 0, OVERLAPPED, PADDED } caller;

/* The calls that are timed: one step, two, many, two sets of one step; with a last vector that
 * starts early; through a buffer. */
enum { CALL_ONE = 0, CALL_TWO, CALL_MANY, CALL_SETS, CALL_OVERLAPPED, CALL_PADDED };
enum { PAGE = 4096 };

/* The codelet of an interleaved DFT in registers; NULL: there is none. */
static const spl_codelet *find_whole(const cpu_state *b, int n, sluice_precision precision)
{
    const spl_key key = {.n = n, .isa = b->isa, .precision = precision, .position = SPL_POS_W};

    return bind_codelet_find(&b->target, &key);
}

void cpu_calls_open(cpu_calls *t, const cpu_state *b, const spl_codelet *codelet, char *cached)
{
    *t = (cpu_calls){.codelet = codelet, .cached = cached};
    for (int i = 0; i < CPU_WHOLE; i++) {
        t->whole[i] = find_whole(b, PRICE_WAIT_ROWS << i / 2, i % 2 ? SLUICE_F64 : SLUICE_F32);
        t->apart[i] = t->waiting[i] = HUGE_VAL;
    }
    for (int i = 0; i < CPU_CALL_KINDS; i++)
        t->least[i] = HUGE_VAL;
}

/* The i-th call on data in L1, moved by `shift` bytes within a page. */
static spl_call cached_call(const cpu_calls *t, size_t i, size_t columns, size_t shift)
{
    const ptrdiff_t row = (ptrdiff_t)(CPU_CACHED_ROW / sizeof(float));

    return (spl_call){.in_re = t->cached + shift + i * 2 * PRICE_LINE,
                      .out_re = t->cached + shift + CPU_CACHED_OUT + i * 2 * PRICE_LINE,
                      .tw = t->cached + CPU_CACHED_BYTES,
                      .is = row,
                      .os = row,
                      .ics = 2,
                      .ocs = 2,
                      .set_columns = columns,
                      .iouter = (ptrdiff_t)(2 * columns),
                      .oouter = (ptrdiff_t)(2 * columns)};
}

/* Picoseconds of a call of so many columns and sets; data are moved within a page, so that in some
 * of the timed places the stack does not alias with any row. */
static double time_call(const cpu_calls *t, caller how, size_t columns, size_t sets)
{
    enum { CALLS = 4, REPEAT = 128, PLACES = PAGE / PRICE_LINE };
    const spl_codelet *c = t->codelet;
    const bind_tail tail = {.run = c->run,
                            .n = CPU_CACHED_ROWS,
                            .outputs = CPU_CACHED_ROWS,
                            .lanes = c->key.lanes,
                            .tw = SPL_TW_BROADCAST,
                            .sets = true,
                            .may_start_early = how == OVERLAPPED,
                            .columns = columns,
                            .scalar = sizeof(float)};
    spl_call call[CALLS];
    double least = HUGE_VAL;

    for (size_t place = 0; place < PLACES; place++) {
        for (size_t i = 0; i < CALLS; i++)
            call[i] = cached_call(t, i, columns, place * PRICE_LINE);
        const double start = core_seconds();
        for (size_t k = 0; k < CALLS * REPEAT; k++)
            if (how == DIRECT)
                c->run(&call[k % CALLS], 0, sets);
            else
                cpu_columns(&tail, c->run, &call[k % CALLS], 0, columns, 0, sets);
        least = fmin(least, core_seconds() - start);
    }
    return 1e12 * least / (CALLS * REPEAT);
}

/* Picoseconds of a transform in place, if `count` of them are in one call. */
static double time_whole(const cpu_calls *t, const spl_codelet *c, size_t count)
{
    enum { REPEAT = 2048, TIMES = 8 };
    const ptrdiff_t dense = 2 * c->key.n;
    const spl_call call = {.in_re = t->cached,
                           .out_re = t->cached,
                           .is = 2,
                           .os = 2,
                           .ics = dense,
                           .ocs = dense,
                           .set_columns = 1};
    double least = HUGE_VAL;

    for (int i = 0; i < TIMES; i++) {
        const double start = core_seconds();
        for (size_t k = 0; k < REPEAT / count; k++)
            c->run(&call, 0, count);
        least = fmin(least, core_seconds() - start);
    }
    return 1e12 * least / REPEAT;
}

/* How much longer transforms take if each reads what the one before has stored. */
static void measure_wait(cpu_calls *t, double *figure)
{
    enum { MANY = 16 };
    double sum = 0;
    int found = 0;

    for (int i = 0; i < CPU_WHOLE; i++) {
        if (!t->whole[i])
            continue;
        t->apart[i] = fmin(t->apart[i], time_whole(t, t->whole[i], MANY));
        t->waiting[i] = fmin(t->waiting[i], time_whole(t, t->whole[i], 1));
        sum += t->waiting[i] - t->apart[i];
        found++;
    }
    if (found)
        figure[PRICE_WAIT] = fmax(0, sum / found);
}

/* The cost of a call is the time of one step beyond that of a step among many. Other load on the
 * processor slows short calls down unevenly, so the minimum of all rounds counts. */
void cpu_calls_measure(cpu_calls *t, double *figure)
{
    const size_t lanes = (size_t)t->codelet->key.lanes, part = lanes / 2 + (lanes > 2);
    const size_t many = CPU_CACHED_LINES * PRICE_LINE / (2 * sizeof(float)) / lanes;
    const struct {
        caller how;
        size_t columns, sets;
    } calls[CPU_CALL_KINDS] = {[CALL_ONE] = {DIRECT, lanes, 1},
                               [CALL_TWO] = {DIRECT, 2 * lanes, 1},
                               [CALL_MANY] = {DIRECT, many * lanes, 1},
                               [CALL_SETS] = {DIRECT, lanes, 2},
                               [CALL_OVERLAPPED] = {OVERLAPPED, lanes + part, 1},
                               [CALL_PADDED] = {PADDED, part, 1}};
    double *least = t->least;

    for (int i = 0; i < (lanes == 1 ? CALL_OVERLAPPED : CPU_CALL_KINDS); i++)
        least[i] = fmin(least[i], time_call(t, calls[i].how, calls[i].columns, calls[i].sets));
    figure[PRICE_CALL] =
        fmax(0, least[CALL_ONE] - (least[CALL_MANY] - least[CALL_ONE]) / (double)(many - 1));
    figure[PRICE_SET] = fmax(0, least[CALL_SETS] - least[CALL_TWO]);
    measure_wait(t, figure);
    if (lanes == 1)
        return;
    figure[PRICE_TAIL] = fmax(0, least[CALL_OVERLAPPED] - least[CALL_TWO]);
    figure[PRICE_SHORT_ROW] = fmax(0, least[CALL_PADDED] - least[CALL_ONE]) / CPU_CACHED_ROWS;
}
