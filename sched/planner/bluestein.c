// SPDX-License-Identifier: BSD-3-Clause
/* DFT_n as a convolution of M points with chirps C, DFT_n = C G(h) IDFT_M B DFT_M S(h) C (Bluestein
 * 1970), where S(h) pads n points with zeros to M and G(h) takes the first n of M results. Or, for
 * a prime n without columns if n-1 has codelets, as one with the powers of a primitive root (Rader
 * 1968, spl/rules/breakdown/rules_rader.c), half as long. The price decides, also among M, tiles
 * and blocks.
 *
 * C multiplies the output of a copy stage, DFT_1 (x) I_n, once for the input and once for the
 * output. B, the chirp's spectrum, multiplies the output of the last stage of DFT_M, or of a copy
 * stage if that is one codelet. S(h) is no stage: the part of the buffer that it does not write is
 * cleared. If M points exceed L2, IDFT_M B DFT_M is cut into R blocks of M/R points (rule
 * convolution-blocks): three passes through memory instead of six, (DFT_R (x) I) T, the blocks with
 * all their stages, (IDFT_R (x) I). Rader's permutations are copy stages too, as the adjacent
 * stages read and write vectors. Columns run in tiles, which keep M points of a few columns in a
 * cache (the last may be narrower); one by one; or all together. */
#include "sched/planner/bluestein.h"

#include <math.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/planner/cost_bound.h"
#include "sched/planner/lengths.h"
#include "sched/planner/search_figures.h"
#include "spl/formula/formats.h"
#include "spl/rules/rule.h"

/* The smallest block, in points; how many numbers of blocks are tried for one length. */
static const int64_t min_block = 1024;
enum { MAX_TRIED = 4, PAGE_BYTES = 4096 };
/* The number of candidates that are kept. */
static const int max_convolutions = 4;
/* Tiles that workers share evenly. Constant, since results must not depend on the number of
 * workers. */
enum { WORKERS_TILES = 8 };
/* Lengths up to this multiple of the shortest are tried, and the next power of two. */
static const double longest = 1.3;

/* DFT_n as a convolution of length m. */
typedef struct convolution {
    int64_t n, m, tile;    /* tile: columns in a tile, the last has fewer; 0: all */
    int64_t blocks;        /* blocks that m is cut into; 1: none */
    bool rader;            /* m is n-1, n a prime; else the convolution is by chirps */
    sched_radices radices; /* of both transforms of m points, or of a block's */
    double cycles;         /* predicted cycles of the whole transform */
} convolution;

/* ---- which length ---- */

/* The model of the inner transforms, all of whose columns are in one internal buffer. */
static sched_radix_model model_of(const sched_target *t, int64_t m, int64_t l)
{
    sched_radix_model model = sched_model(t, l, 1);

    model.uniform_points = m * l;
    model.batch = 1;
    model.twiddled = true;
    model.contiguous = l == 1 && t->format == SPL_INTER;
    model.largest = model.contiguous ? SCHED_MAX_SINGLE : SCHED_MAX_RADIX;
    return model;
}

/* Do m points of all columns, read and written, exceed L2? */
static bool exceeds_l2(const sched_target *t, const sched_radix_model *model, int64_t m)
{
    const double points = (double)m * (double)model->columns;

    return 2 * (double)sched_complex_bytes(t->precision) * points > 0.7 * (double)model->l2;
}

/* Elements in a cache line, in whole vectors. */
static int64_t line_of(const sched_radix_model *model)
{
    return model->lanes * model->line_vectors;
}

/* Columns in a tile for transforms of m points; 0: no tiles, for example if all columns stay in L2.
 * A tile has once or twice the columns of a tile of stages: as many as stay in L2 and leave tiles
 * for all workers, in whole lines. The last one may be narrower, unless strides change inside the
 * columns. Wide tiles have fewer calls, and share fewer lines with others
 * (docs/log/convolutions.md). */
static int64_t tile_of(const sched_target *t, int64_t m, int64_t l)
{
    const sched_radix_model model = sched_model(t, l, 1);
    const int64_t fit = (int64_t)model.l2 / (m * sched_complex_bytes(t->precision));
    const int64_t share = l / WORKERS_TILES, few = fit < share ? fit : share;
    const int64_t line = line_of(&model), narrow = model.tile, wide = 2 * narrow;

    if (l == 1 || !exceeds_l2(t, &model, m))
        return 0;
    if (t->around.uniform_points < l) {
        const int64_t width = sched_tile_width(&model, 0, l);
        return width % t->lanes == 0 && width < l ? width : 0;
    }
    const int64_t most = few < narrow ? narrow : few < wide ? few : wide;
    const int64_t tiles = (l + most - 1) / most;
    const int64_t width = ((l + tiles - 1) / tiles + line - 1) / line * line;
    return width < l ? width : 0;
}

/* The number of tiles in l columns; the last counts by its vectors. */
static double tiles_of(const sched_target *t, int64_t l, int64_t tile)
{
    const int64_t rest = tile > 1 ? (l % tile + t->lanes - 1) / t->lanes * t->lanes : 0;

    return (double)(l / tile) + (double)rest / (double)tile;
}

/* Cycles besides the two transforms: two copy stages of n points, with the rest of m cleared, and a
 * third copy stage for the spectrum if the transform is one codelet. */
static double copy_stage_cycles(const sched_target *t, const sched_radix_model *model, int64_t n,
                                int64_t m, bool single)
{
    const double points = (double)(n + m + (single ? m : 0)) * (double)model->columns;
    const double bytes = (double)sched_complex_bytes(t->precision);
    const double move = bytes / sched_search.bytes_moved[exceeds_l2(t, model, m)];

    return points * (sched_search.copied_vector / (double)model->lanes + move)
           + sched_search.call * (single ? 4 : 3);
}

/* Cycles of all m points in the first and the last stage, of radix `blocks`. */
static double outer_stage_cycles(const sched_target *t, const sched_radix_model *model, int64_t m,
                                 int64_t blocks)
{
    const double bytes = (double)sched_complex_bytes(t->precision);
    const double pass = bytes / sched_search.bytes_moved[exceeds_l2(t, model, m)];
    const double stages = sched_kernel_cycles(model, SPL_DFT, blocks, false) * (double)(m / blocks);

    return 2 * (stages + (double)m * pass + sched_search.call);
}

/* The radices of a block, cached because many lengths share them. */
typedef struct block_radices {
    int64_t n;
    int found;
    sched_radices radices;
} block_radices;

enum { MAX_BLOCKS = 128 };

/* A chirp convolution of length m, in tiles or in blocks, and a lower bound of its cost. */
typedef struct attempt {
    int64_t m, tile, blocks;
    double bound;
} attempt;

/* At most this many lengths 4 2^a 3^b 5^c lie between a number below 2^32 and its double. Each is
 * tried whole and in blocks, or in tiles and column by column. */
enum { MAX_LENGTHS = 160, MAX_ATTEMPTS = MAX_LENGTHS * (1 + MAX_TRIED) };

/* The search for DFT_n (x) I_l. */
typedef struct finder {
    const sched_target *t;
    int64_t n, l;
    sched_list *out;
    block_radices block[MAX_BLOCKS];
    int blocks; /* known entries of `block` */
    attempt attempt[MAX_ATTEMPTS];
    int attempts;
    sched_cost_bound *bound;
} finder;

/* dft-bluestein or dft-rader, convolution-blocks, the stages of both transforms or of a block's. */
static void insert_tree(const finder *f, const convolution *c)
{
    sched_target own = *f->t;
    sched_tree blocks = {
        .rule = &spl_convolution_blocks, .params = {{c->blocks}}, .n = c->m, .nkids = 1};
    sched_tree root = {.rule = c->rader ? &spl_dft_rader : &spl_dft_bluestein,
                       .params = {{c->rader ? 0 : c->m}},
                       .n = c->n,
                       .tile = c->tile,
                       .cycles = c->cycles,
                       .nkids = 1};
    const int64_t columns = c->tile ? 1 : f->l;

    own.around.uniform_points = c->m / c->blocks * columns;
    blocks.kid[0] = root.kid[0] = sched_stockham(&own, &c->radices, columns);
    if (c->blocks > 1)
        root.kid[0] = sched_tree_new(own.ctx, blocks);
    if (blocks.kid[0] && root.kid[0])
        sched_list_insert(own.ctx, f->out, &root);
}

/* The model of a block, to which tables leave only a share of L2. */
static sched_radix_model block_model(const sched_target *t, int64_t n)
{
    sched_radix_model model = model_of(t, n, 1);

    model.l2 = (size_t)((double)model.l2 * sched_search.l2_of_block);
    return model;
}

/* The model of the stages of an attempt's length, on its columns. */
static sched_radix_model whole_model(const finder *f, const attempt *x)
{
    sched_radix_model model = model_of(f->t, x->m, x->tile ? x->tile : f->l);

    if (model.columns > 1)
        model.tile = 0; /* the spectrum's step is constant over all columns, not in tiles */
    return model;
}

/* Cycles of a tile's rows in the arrays of all columns: single strided elements if the tile is one
 * column, otherwise lines, and one more if tiles begin inside lines. Rows a page apart also cost a
 * page each. */
static double tile_rows_cycles(const finder *f, int64_t tile)
{
    const sched_radix_model all = model_of(f->t, f->n, f->l);
    const double bytes = (double)sched_complex_bytes(f->t->precision);
    const bool far = exceeds_l2(f->t, &all, f->n);
    const int64_t line = line_of(&all), shared = f->l % line != 0 ? line : 0;
    const double pages = fmin(1, (double)f->l * bytes / PAGE_BYTES);
    const double row = tile == 1 ? sched_search.strided_element[far]
                                 : (double)(tile + shared) * bytes / sched_search.bytes_moved[far];

    return 2 * (double)f->n * (row + (far ? sched_search.page * pages : 0));
}

/* Cycles of a chirp convolution whose transform of m points, or of a block, takes `transform`
 * cycles. */
static double attempt_cycles(const finder *f, const attempt *x, double transform, bool single)
{
    const sched_radix_model model = whole_model(f, x);
    double cycles;

    if (x->blocks > 1) {
        cycles = 2 * (double)x->blocks * transform
                 + outer_stage_cycles(f->t, &model, x->m, x->blocks)
                 + copy_stage_cycles(f->t, &model, f->n, 0, false);
        return exceeds_l2(f->t, &model, x->m) ? cycles : cycles * sched_search.cached_blocks;
    }
    cycles = 2 * transform + copy_stage_cycles(f->t, &model, f->n, x->m, single);
    if (x->tile)
        cycles += tile_rows_cycles(f, x->tile);
    return x->tile ? cycles * tiles_of(f->t, f->l, x->tile) : cycles;
}

/* The radices of blocks of n points; NULL: out of memory, or there are none. */
static const sched_radices *radices_of_block(finder *f, int64_t n, sluice_status *status,
                                             sluice_diag *why)
{
    const sched_radix_model model = block_model(f->t, n);
    int i = 0;

    while (i < f->blocks && f->block[i].n != n)
        i++;
    block_radices *b = &f->block[i < MAX_BLOCKS ? i : MAX_BLOCKS - 1];
    if (i == f->blocks || i == MAX_BLOCKS) {
        f->blocks += i < MAX_BLOCKS;
        b->n = n;
        *status = sched_radices_find(&model, n, &b->radices, 1, &b->found, why);
    }
    return *status == SLUICE_OK && b->found > 0 && b->radices.count > 1 ? &b->radices : NULL;
}

/* ---- what is tried ---- */

static void add_attempt(finder *f, attempt x)
{
    const int64_t points = x.m / x.blocks;
    const sched_radix_model model = x.blocks > 1 ? block_model(f->t, points) : whole_model(f, &x);
    const double bound =
        points > SCHED_MAX_SINGLE ? sched_cost_bound_cycles(f->bound, &model, points) : 0;

    x.bound = attempt_cycles(f, &x, bound, false);
    if (f->attempts < MAX_ATTEMPTS)
        f->attempt[f->attempts++] = x;
}

/* Adds length m in r blocks, for the largest radices r: short blocks stay in L2. */
static void add_blocks(finder *f, int64_t m)
{
    int tried = 0;

    for (int64_t r = SCHED_MAX_RADIX; r > 1 && tried < MAX_TRIED; r--) {
        const sched_radix_model model = model_of(f->t, m / r, 1);
        if (m % (r * f->t->lanes) != 0 || m / r < min_block || m / r > f->n
            || sched_kernel_cycles(&model, SPL_DFT, r, false) == 0)
            continue;
        tried++;
        add_attempt(f, (attempt){.m = m, .blocks = r});
    }
}

static void add_length(finder *f, int64_t m)
{
    const int64_t tile = tile_of(f->t, m, f->l);

    add_attempt(f, (attempt){.m = m, .tile = tile, .blocks = 1});
    if (f->l == 1) {
        add_blocks(f, m);
        return;
    }
    add_attempt(f, (attempt){.m = m, .tile = 1, .blocks = 1});
    if (tile > 0 && f->l % tile != 0)
        add_attempt(f, (attempt){.m = m, .blocks = 1});
}

/* Adds the lengths 4 2^a 3^b 5^c, and the next power of two. */
static void add_lengths(finder *f)
{
    const int64_t shortest = 2 * f->n - 2, limit = (int64_t)((double)shortest * longest);
    int64_t length[MAX_LENGTHS], power = 4;
    const int count =
        sched_smooth_lengths((shortest + 3) / 4, limit / 4, false, MAX_LENGTHS, length);

    for (int i = 0; i < count; i++)
        add_length(f, 4 * length[i]);
    while (power < shortest)
        power *= 2;
    if (power > limit)
        add_length(f, power);
}

/* Tries a prime as a convolution of length n-1. Not for rows of reals, whose permutations would be
 * evaluated element by element. */
static sluice_status try_rader(const finder *f, sluice_diag *why)
{
    const int64_t m = f->n - 1;
    const sched_radix_model model = model_of(f->t, m, 1);
    convolution c = {.n = f->n, .m = m, .blocks = 1, .rader = true};
    int found = 0;

    if (f->l > 1 || f->t->around.without_rader || ix_primitive_root(f->n) == 0)
        return SLUICE_OK;
    const sluice_status status = sched_radices_find(&model, m, &c.radices, 1, &found, why);
    if (status != SLUICE_OK || found == 0)
        return status;
    const bool in_l1 = f->n * sched_complex_bytes(f->t->precision) <= (int64_t)f->t->unit.l1;
    const int level = exceeds_l2(f->t, &model, m) ? 2 : in_l1 ? 0 : 1;
    c.cycles = 2 * c.radices.cycles + copy_stage_cycles(f->t, &model, f->n, 0, c.radices.count == 1)
               + sched_search.zero_frequency
               + 2 * (double)f->n * sched_search.permuted_element[level];
    insert_tree(f, &c);
    return SLUICE_OK;
}

static sluice_status try_attempt(finder *f, const attempt *x, sluice_diag *why)
{
    convolution c = {.n = f->n, .m = x->m, .tile = x->tile, .blocks = x->blocks};
    sluice_status status = SLUICE_OK;

    if (x->blocks > 1) {
        const sched_radices *radices = radices_of_block(f, x->m / x->blocks, &status, why);
        if (!radices)
            return status;
        c.radices = *radices;
    } else {
        const sched_radix_model model = whole_model(f, x);
        int found = 0;
        status = sched_radices_find(&model, x->m, &c.radices, 1, &found, why);
        if (status != SLUICE_OK || found == 0)
            return status;
    }
    c.cycles = attempt_cycles(f, x, c.radices.cycles, c.radices.count == 1);
    insert_tree(f, &c);
    return SLUICE_OK;
}

static int by_bound(const void *a, const void *b)
{
    const attempt *x = a, *y = b;

    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    if (x->m != y->m)
        return x->m < y->m ? -1 : 1;
    return x->blocks != y->blocks ? (x->blocks > y->blocks) - (x->blocks < y->blocks)
                                  : (x->tile > y->tile) - (x->tile < y->tile);
}

/* Does the list hold max_convolutions trees, none of them above `cycles`? */
static bool is_full_of(const sched_list *list, double cycles)
{
    return list->count >= max_convolutions && list->tree[max_convolutions - 1]->cycles < cycles;
}

/* Tries the attempts in order of their lower bounds, until none can be kept any more. */
static sluice_status try_lengths(finder *f, sluice_diag *why)
{
    const sched_radix_model model = model_of(f->t, f->n, f->l);
    sluice_status status = SLUICE_OK;

    f->bound = sched_cost_bound_open(&model, 4 * f->n);
    if (!f->bound)
        return core_fail_memory(why);
    add_lengths(f);
    qsort(f->attempt, (size_t)f->attempts, sizeof f->attempt[0], by_bound);
    for (int i = 0; i < f->attempts && status == SLUICE_OK; i++) {
        if (is_full_of(f->out, f->attempt[i].bound))
            break;
        status = try_attempt(f, &f->attempt[i], why);
    }
    sched_cost_bound_close(f->bound);
    return status;
}

static sluice_status find_all(finder *f, sluice_diag *why)
{
    const sluice_status status = try_lengths(f, why);

    return status == SLUICE_OK ? try_rader(f, why) : status;
}

/* Keeps the cheapest; no columns one by one if tiles are cheaper, as the prices of programs, which
 * choose later, do not account for pages. */
static void keep_best(sched_list *list)
{
    const int most = list->count < max_convolutions ? list->count : max_convolutions;
    int count = 0;

    for (int i = 0; i < most; i++)
        if (list->tree[i]->tile != 1 || list->tree[0]->tile <= 1)
            list->tree[count++] = list->tree[i];
    list->count = count;
}

void sched_find_convolutions(const sched_target *t, int64_t n, int64_t l, sched_list *out)
{
    sluice_diag why = {0};

    if (n < 3 || n > (int64_t)1 << 31)
        return;
    finder *f = core_calloc(1, sizeof *f);
    if (f) {
        f->t = t;
        f->n = n;
        f->l = l;
        f->out = out;
    }
    const sluice_status status = f ? find_all(f, &why) : core_fail_memory(&why);
    core_free(f);
    if (status != SLUICE_OK)
        spl_refuse(t->ctx, status, "%s", why.message);
    keep_best(out);
}
