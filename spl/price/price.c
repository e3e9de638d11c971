// SPDX-License-Identifier: BSD-3-Clause
/* The price of stages: steps of arithmetic, and lines by the level and the pattern they come in.
 *
 *     seconds(stage) = cpu + max(jumps + max(0, streamed - hidden), bus - hidden)
 *     cpu             = steps * step + calls, sets, tails, short rows, split lines, scaled results,
 *                       each at its price
 *     jumps, streamed = sum over entries of lines * (price of a line at that distance)
 *     hidden          = share * cpu; for bus without streamed lines cpu
 *     bus             = lines from memory and non-temporal stores at the rates of memory alone
 *
 * Stages follow each other, and the cost of a line beyond L1 adds to the arithmetic, except for
 * long rows, one per step or both ends of one (`streamed`), which hardware prefetches. A codelet of
 * a whole transform of n = a b points reads it as a rows and writes it as b rows. Beyond half a
 * page, in place beyond a page, hardware does not recognise such rows as consecutive, and they cost
 * as short runs do; so do rows that share pages and are read from memory one line of each at a time
 * (by moves that transpose, too), even if the stage before prefetches them, which is too late. The
 * share of lines at distance d that a level of C bytes, not LRU, has lost is 1 / (1 + (C/d)^q).
 *
 * If a loop moves its data in slices, its price is the larger of two times, what its stages take on
 * data in L1 and what the lines moved meanwhile take, plus a share of the smaller one. Such lines
 * come in rows, and results pass through a buffer. More lines at once than a core can have
 * outstanding are waited for, and cost jumps. */
#include <math.h>

#include "core/mem.h"
#include "core/number.h"
#include "spl/price/price.h"

const char *const price_figure_names[PRICE_FIGURES] = {
    [PRICE_L1] = "l1",
    [PRICE_L2] = "l2",
    [PRICE_L3] = "l3",
    [PRICE_READ_L2] = "read_l2",
    [PRICE_READ_L3] = "read_l3",
    [PRICE_READ_MEMORY] = "read_memory",
    [PRICE_WRITE_L2] = "write_l2",
    [PRICE_WRITE_L3] = "write_l3",
    [PRICE_WRITE_MEMORY] = "write_memory",
    [PRICE_NT_STORE] = "past",
    [PRICE_NT_STORE_ROWS] = "past_rows",
    [PRICE_BUS_READ] = "bus_read",
    [PRICE_BUS_STORE] = "bus_store",
    [PRICE_JUMP_L3] = "jump_l3",
    [PRICE_JUMP_MEMORY] = "jump_memory",
    [PRICE_EVICTED_REWRITE] = "clash_rewrite",
    [PRICE_EVICTED_READ] = "clash_read",
    [PRICE_EVICTED_WRITE] = "clash_write",
    [PRICE_CALL] = "call",
    [PRICE_WAIT] = "wait",
    [PRICE_SET] = "set",
    [PRICE_TAIL] = "tail",
    [PRICE_SHORT_ROW] = "short_row",
    [PRICE_SPLIT_LINE] = "split_line",
};

const double price_counted = 1.15, price_evaluated = 17e-9, price_moved = 0.7e-9,
             price_execution = 2e-9, price_stored = 25e-9;
const double price_moved_evenly = 0.4e-9, price_transposed = 0.2e-9, price_transposed_wide = 0.5e-9,
             price_moved_rows = 0.12e-9;
const double price_moved_numbers = 1.6;

/* ---- the form ---- */
static const double pico = 1e-12;
/* Shares of the arithmetic that overlap with lines: with those that the hardware prefetches; with
 * those of consecutive transforms in one call, either side by side in lanes, or each by itself,
 * whose sums wait for each other. */
static const double overlapped = 0.3, overlapped_lanes = 1, overlapped_whole = 0.5;
static const double own_l3 = 0.2;         /* share of L3 that no other core takes */
static const double held_dirty = 0.6;     /* share of L3 that keeps lines rewritten out of order */
static const double unhidden = 0.35;      /* share of the smaller of the two times with slices */
static const double evicted_ahead = 2500; /* a line from memory whose set has too few ways */
static const double under_way = 48 * PRICE_LINE; /* bytes that a core fetches while it computes */
static const double combined = 20 * PRICE_LINE;  /* .. and that it stores non-temporally */
static const double buffered = 400;              /* a line stored in a buffer and read again */
static const double sliced = 7000; /* a call followed by a slice, in addition to a call */
/* Sizes of a transform in one step from which on its lines are not prefetched: a page in place,
 * else half a page. Then it is read in runs of WHOLE_RUN bytes. */
enum { AHEAD_BYTES = PRICE_PAGE / 2, AHEAD_IN_PLACE = PRICE_PAGE, WHOLE_RUN = 2 * PRICE_LINE };
enum { STEP_ROWS = 16 }; /* of the codelet with which tails and short rows were measured */

double price_evicted_share(double rows, double ways)
{
    return rows > ways ? 1 - ways / rows : 0;
}

price_sets price_sets_of(size_t bytes, size_t ways)
{
    const size_t sets = ways ? bytes / (ways * PRICE_LINE) : 0;

    return sets ? (price_sets){(int64_t)ways, (int64_t)sets} : (price_sets){0, 0};
}

/* q = 6 for L1, 3 for the others. */
double price_beyond(double bytes, double distance, price_figure level)
{
    const double ratio = bytes / distance, cube = ratio * ratio * ratio;

    return distance > 0 ? 1 / (1 + (level == PRICE_L1 ? cube * cube : cube)) : 0;
}

static double share_beyond(const double *figure, price_figure level, const price_entry *e)
{
    return price_beyond(figure[level], e->distance, level);
}

double price_jumps(int level, double run)
{
    static const struct {
        double run, most;
    } form[] = {{1, 0}, {128, 2.8}, {256, 4}};
    const double ratio = form[level].run / run, times = level == 1 ? ratio * sqrt(ratio) : ratio;

    return times < form[level].most ? times : form[level].most;
}

/* Rows of a step that share a cache set of a cache with `all` sets. */
static double rows_in_set(const price_entry *e, int64_t all)
{
    if (e->stride % PRICE_LINE != 0)
        return 1;
    const int64_t sets = all / core_gcd(all, e->stride / PRICE_LINE % all);
    return (double)e->rows / (double)(e->rows < sets ? e->rows : sets);
}

/* The additional cost of a line beyond L1 if other rows of the step evict it before it is
 * rewritten, or before all of it was written or read. */
static double eviction_price(const price_entry *e, const double *figure, price_sets l1)
{
    const bool in_pieces = e->side == PRICE_READ && e->pieces && e->part < PRICE_LINE;

    if (l1.ways == 0)
        return 0;
    const double ways = (double)l1.ways, rows = rows_in_set(e, l1.sets);
    const double tuned_share = price_evicted_share(PRICE_TUNED_ROWS, ways);
    double evicted = 0;

    if (e->side == PRICE_READ && tuned_share > 0 && (e->rewritten || !in_pieces))
        evicted = figure[e->rewritten ? PRICE_EVICTED_REWRITE : PRICE_EVICTED_READ]
                  * price_evicted_share(rows, ways) / tuned_share;
    if (rows > ways && (e->side == PRICE_WRITE || in_pieces))
        return fmax(evicted, figure[PRICE_EVICTED_WRITE]);
    return e->side == PRICE_WRITE && rows > 1 && 2 * rows > ways ? figure[PRICE_EVICTED_WRITE] / 2
                                                                 : evicted;
}

/* The additional cost of a line from memory that was prefetched and then evicted from the cache it
 * was prefetched into by other rows of the step, before it is read. */
static double fetched_twice(const price_entry *e, price_sets into)
{
    return e->side == PRICE_READ && into.ways
               ? evicted_ahead * price_evicted_share(rows_in_set(e, into.sets), (double)into.ways)
               : 0;
}

/* The shares of lines that L1, L1 and L2, and all three levels have lost. */
typedef struct lost {
    double l1, l2, l3;
} lost;

static lost lost_of(const price_entry *e, const double *figure)
{
    const double l1 = price_beyond(figure[PRICE_L1], fmax(e->distance, e->fill_l1), PRICE_L1);
    const double l2 = l1 * price_beyond(figure[PRICE_L2], fmax(e->distance, e->fill_l2), PRICE_L2);

    return (lost){l1, l2, l2 * share_beyond(figure, PRICE_L3, e)};
}

/* The cost of a line in picoseconds. */
static double line_price(const price_entry *e, const double *figure, const price_program *program,
                         const price_binding *b)
{
    const double *level = &figure[e->side == PRICE_WRITE ? PRICE_WRITE_L2 : PRICE_READ_L2];
    /* what is rewritten is written back as well */
    const double memory = e->rewritten ? figure[PRICE_WRITE_MEMORY] : level[2];

    if (b->non_temporal && e->side == PRICE_WRITE)
        return figure[PRICE_NT_STORE] + (e->pieces ? figure[PRICE_NT_STORE_ROWS] : 0);
    const lost out = lost_of(e, figure);
    const double third = figure[PRICE_JUMP_L3] * price_jumps(1, e->run);
    const double fourth = figure[PRICE_JUMP_MEMORY] * price_jumps(2, e->run);
    return (out.l1 - out.l2) * level[0] + (out.l2 - out.l3) * (level[1] + third)
           + out.l3
                 * (memory + fourth + fetched_twice(e, b->ahead_in_l2 ? program->l2 : program->l1))
           + out.l1 * eviction_price(e, figure, program->l1);
}

/* Are rows in the same or adjacent pages touched one line of each at a time? Hardware prefetches
 * none of them then, and lines from memory are waited for, but not those from L3 (measured for rows
 * that are read within a page, and for rows written towards each other within four pages). */
static bool shares_pages(const price_entry *e, const price_binding *b)
{
    const bool waits = e->side == PRICE_READ
                           ? e->stride < PRICE_PAGE
                           : e->mirrored && e->stride < 4 * PRICE_PAGE && !b->non_temporal;

    return waits && e->rows > 1 && !(e->mirrored && e->streamed)
           && (e->pieces || e->stride >= PRICE_LINE);
}

/* The share of `bytes` touched out of order that the hardware does not prefetch. */
static double unordered_share(const price_entry *e, double bytes)
{
    const double most = e->whole && e->rewritten ? AHEAD_IN_PLACE : AHEAD_BYTES;
    const double part = bytes < most ? bytes / most : 1;

    return part * part * part;
}

/* The additional cost of a line that is touched out of order. L3 loses lines that long whole
 * transforms rewrite before it is full, at a limit as sharp as L1's (measured:
 * docs/log/price.md). */
static double disorder_price(const price_entry *e, const double *figure, const price_binding *b)
{
    const bool rows = shares_pages(e, b);
    const double bytes = rows ? (double)(e->rows * e->stride) : e->part;
    const double out2 = lost_of(e, figure).l2;
    const bool early = e->whole && e->rewritten && e->part > AHEAD_BYTES;
    const double out3 =
        out2
        * (early ? price_beyond(held_dirty * figure[PRICE_L3], e->distance, PRICE_L1)
                 : share_beyond(figure, PRICE_L3, e));
    const double third =
        e->whole ? (out2 - out3) * figure[PRICE_JUMP_L3] * price_jumps(1, WHOLE_RUN) : 0;

    if (!rows && (!e->whole || (b->non_temporal && e->side == PRICE_WRITE)))
        return 0;
    return unordered_share(e, bytes)
           * (third + out3 * figure[PRICE_JUMP_MEMORY] * price_jumps(2, WHOLE_RUN));
}

/* Picoseconds that a stage of n rows in `calls` calls waits for results of earlier calls. Each call
 * that reads the results of another waits as consecutive transforms in place do. The first stage of
 * a program waits for the previous execution, less the time of the caller's code and of the call; a
 * DFT of few rows has fewer levels of sums. */
static double wait_price(price_waits waits, bool first, int64_t n, double calls,
                         const double *figure)
{
    if (waits == PRICE_WAITS_EACH)
        return calls * figure[PRICE_WAIT];
    if (waits == PRICE_WAITS_NOT || !first)
        return 0;
    const double levels = log2((double)n) / log2(PRICE_WAIT_ROWS);
    const double wait = figure[PRICE_WAIT] * (levels < 1 ? levels : 1);
    const double meanwhile = figure[PRICE_CALL] + 1e12 * price_execution;

    return wait > meanwhile ? wait - meanwhile : 0;
}

static double work_price(const price_work *w, const double *figure)
{
    /* a buffer, measured with STEP_ROWS rows, waits for stores on both sides */
    const double waits = 2e12 * price_stored;
    const double short_row = fmax(0, figure[PRICE_SHORT_ROW] - waits / STEP_ROWS);

    return w->calls * figure[PRICE_CALL] + w->sets * figure[PRICE_SET]
           + w->tail_rows / STEP_ROWS * figure[PRICE_TAIL] + w->short_rows * short_row
           + w->short_steps * waits + w->split_lines * figure[PRICE_SPLIT_LINE];
}

/* The share of the arithmetic that overlaps with the streamed lines of an entry. The first step of
 * a call does not begin while the call before computes. For long transforms, lines that L3 may have
 * lost to other cores are not prefetched, a limit as sharp as L1's (measured:
 * docs/log/price.md). */
static double overlapped_share(const price_entry *e, const price_work *w, const price_binding *b,
                               const double *figure)
{
    double others = overlapped_lanes;

    if (!b->transforms || e->side == PRICE_TABLE || w->calls >= w->steps)
        return overlapped;
    if (b->whole) {
        others = overlapped_whole
                 - (overlapped_whole - overlapped) * unordered_share(e, e->part)
                       * price_beyond(own_l3 * figure[PRICE_L3], e->distance, PRICE_L1);
    }
    return others + (overlapped - others) * w->calls / w->steps;
}

/* ---- slices ---- */

/* A loop that moves data in slices: seconds of its stages on data in L1, and of the lines moved. */
typedef struct overlap {
    double stages, moves;
    size_t last; /* statement */
} overlap;

/* The share of a burst that exceeds what can be outstanding. */
static double waited_for(double burst, double most)
{
    return burst > most ? 1 - most / burst : 0;
}

/* Adds a line moved in slices to *moves; returns its cost to computing stages, in picoseconds. */
static double sliced_line(const price_entry *e, const double *figure, const price_slices *s,
                          double *moves)
{
    if (e->side == PRICE_WRITE) {
        *moves += figure[PRICE_BUS_STORE];
        return buffered + figure[PRICE_BUS_STORE] * waited_for(s->put_burst, combined)
               + price_beyond(figure[PRICE_L1], s->iteration_bytes, PRICE_L1)
                     * (figure[PRICE_WRITE_L2] + figure[PRICE_READ_L2]);
    }
    const lost out = lost_of(e, figure);
    const double line = (out.l2 - out.l3) * figure[PRICE_READ_L3] + out.l3 * figure[PRICE_BUS_READ];
    *moves += line;
    return out.l1 * figure[PRICE_READ_L2]
           + (line + out.l3 * figure[PRICE_JUMP_MEMORY]) * waited_for(s->get_burst, under_way);
}

/* Adds the time that is not hidden to the last stage of each loop. */
static void add_overlaps(price_stage *stage, const price_program *program, const double *figure,
                         const overlap *o)
{
    for (int i = 0; i < program->nslices; i++) {
        const double stages =
            o[i].stages + 1e-12 * program->slices[i].calls * (figure[PRICE_CALL] + sliced);
        const double more = stages > o[i].moves ? stages : o[i].moves,
                     less = stages + o[i].moves - more;
        stage[o[i].last].memory += more + unhidden * less - o[i].stages;
    }
}

/* What the lines of a stage cost, in seconds. */
typedef struct line_sums {
    double jumps, streamed;
    double hidden; /* share of the arithmetic that streamed lines overlap with */
    double bus;    /* at the rates of memory alone */
} line_sums;

/* The least that memory takes for a line, in picoseconds, however little is computed meanwhile. */
static double bus_price(const price_entry *e, const double *figure, const price_binding *b)
{
    if (e->side == PRICE_WRITE)
        return b->non_temporal
                   ? figure[PRICE_BUS_STORE] + (e->pieces ? figure[PRICE_NT_STORE_ROWS] : 0)
                   : 0;
    return (figure[PRICE_BUS_READ] + (e->rewritten ? figure[PRICE_BUS_STORE] : 0))
           * lost_of(e, figure).l3;
}

static void add_lines(line_sums *sums, const price_entry *e, const price_program *program,
                      const price_work *w, const double *figure, overlap *overlaps)
{
    const price_binding *b = &program->binding[e->stmt];
    const bool sliced = e->side == PRICE_READ ? b->gets : e->side == PRICE_WRITE && b->puts;
    const double seconds = pico * e->lines;
    double moves = 0;

    if (sliced) {
        sums->jumps += seconds * sliced_line(e, figure, &program->slices[b->slices - 1], &moves);
        overlaps[b->slices - 1].moves += seconds * moves;
        return;
    }
    sums->jumps += seconds * disorder_price(e, figure, b);
    *(e->streamed ? &sums->streamed : &sums->jumps) += seconds * line_price(e, figure, program, b);
    sums->bus += seconds * bus_price(e, figure, b);
    if (e->streamed)
        sums->hidden = fmax(sums->hidden, overlapped_share(e, w, b, figure));
}

bool price_of(price_stage *stage, const price_program *program, const double *figure)
{
    overlap overlaps[PRICE_MAX_SLICES] = {{0, 0, 0}};
    price_reuse reuse;

    if (!price_reuse_find(&reuse, program))
        return false;
    size_t at = 0;
    bool first = program->body->sides.in_place; /* the next stage waits for the execution before */
    for (size_t i = 0; i < program->body->nstmts; i++) {
        const price_binding *b = &program->binding[i];
        const price_work *w = &reuse.work[i];
        const double wait = wait_price(b->waits, first, program->body->stmt[i].n, w->calls, figure);
        const double cpu =
            w->steps * b->step + w->calls * b->scaling + pico * (wait + work_price(w, figure));
        line_sums sums = {0};
        first = first && w->calls == 0;
        for (; at < reuse.count && reuse.entry[at].stmt == i; at++)
            add_lines(&sums, &reuse.entry[at], program, w, figure, overlaps);
        const double hidden = sums.hidden * cpu;
        const double memory = sums.jumps + fmax(0, sums.streamed - hidden);
        const double bus = sums.bus - (sums.streamed > 0 ? hidden : cpu);
        stage[i] = (price_stage){.stmt = i, .cpu = cpu, .memory = fmax(memory, bus)};
        if (b->slices) {
            overlaps[b->slices - 1].stages += stage[i].cpu + stage[i].memory;
            overlaps[b->slices - 1].last = i;
        }
    }
    add_overlaps(stage, program, figure, overlaps);
    price_reuse_free(&reuse);
    return true;
}
