// SPDX-License-Identifier: BSD-3-Clause
/* Passes of groups of work-items. A group computes b transforms, one after another in memory, on w
 * adjacent columns: enough for work for all its items, and for loads and stores of whole runs of
 * memory. Each stage of a transform is one DFT in the registers of each item, for all items at
 * once. Between stages elements pass through local memory:
 *
 *     {I_g (x) PROD_q (I_b (x) (stage_q (x) I_w))}_spe(g,1)
 *
 * between permutations that gather and scatter w of all columns. A transform that is one DFT of an
 * item, and has no columns, passes through local memory on its way in and out, so that neighbouring
 * items load and store neighbouring elements. A transform that no group holds is a product of two
 * or more (rule dft-stockham), each a pass through memory.
 *
 * The tree of a pass has w as its tile. Limits follow from the unit's description: items,
 * registers, local memory, cache line. Prices follow from the backend's figures for groups. */
#include "sched/planner/groups_pass.h"

#include "core/number.h"
#include "spl/price/occupancy.h"
#include "spl/rules/rewrite.h"

bool sched_is_group(const sluice_unit_info *unit)
{
    return unit->registers > 0 && unit->local_memory > 0 && unit->largest_group > 0;
}

bool sched_has_groups(const sched_target *t)
{
    return sched_is_group(&t->unit);
}

int64_t sched_group_items(const sluice_unit_info *unit, const backend_groups *groups)
{
    return core_min((int64_t)unit->largest_group, groups->most_items);
}

int64_t sched_group_smallest(const sched_pass *x, int from, int to)
{
    int64_t least = x->n;

    for (int q = from; q < to; q++)
        least = core_min(least, x->radix[q]);
    return least;
}

int64_t sched_group_items_of(const sched_pass *x)
{
    return x->n
           / (x->stages > 2 ? sched_group_smallest(x, 1, x->stages - 1)
                            : sched_group_smallest(x, 0, x->stages));
}

/* ---- limits ---- */

/* 32-bit registers of an item that computes r points. */
double sched_group_registers(const sched_target *t, int64_t r, bool twiddled)
{
    const int64_t registers = price_registers(r, t->precision == SLUICE_F64, twiddled);

    return (double)(registers > t->groups.item_registers ? registers : t->groups.item_registers);
}

static int64_t largest_prime(int64_t n)
{
    int64_t largest = 1;

    for (int64_t d = 2; n > 1; d++)
        while (n % d == 0) {
            largest = d;
            n /= d;
        }
    return largest;
}

static bool item_computes(const sched_target *t, int64_t r, bool twiddled)
{
    const int64_t twiddled_most = t->groups.most_twiddled;

    return r <= t->groups.most_points && largest_prime(r) <= t->groups.most_prime
           && (!twiddled || twiddled_most == 0 || r <= twiddled_most)
           && (double)t->groups.resident_items * sched_group_registers(t, r, twiddled)
                  <= (double)t->unit.registers;
}

/* Elements of a cache line, a coalesced run. */
int64_t sched_group_line(const sched_target *t)
{
    const int64_t run = (int64_t)t->unit.line / sched_complex_bytes(t->precision);

    return run > 1 ? run : 1;
}

/* ---- one pass ---- */

/* Does the pass keep elements in local memory? A DFT of an item with columns does not. */
bool sched_group_exchanges(const sched_pass *x, int64_t l)
{
    return x->stages > 1 || l == 1;
}

sched_held sched_group_held(const sched_target *t, const sched_pass *x, int64_t l, int64_t b)
{
    const int64_t points = b * x->n * x->w * (x->buffers > 1 ? x->buffers : 1),
                  line = sched_group_line(t), number = sched_complex_bytes(t->precision),
                  room = (int64_t)t->unit.local_memory;
    sched_held h = {.bytes = number * (points + 2 * points / line + SPL_STORE_ALIGN),
                    .items = b * x->w * sched_group_items_of(x)};

    if (!sched_group_exchanges(x, l))
        h.bytes = 0;
    if (h.bytes > room && x->stages > 1 && x->buffers < 2
        && SCHED_SECTORS * x->w >= core_largest_divisor(l, line)) {
        h.halves = true;
        h.bytes = number * (points + points / line + 2 * SPL_STORE_ALIGN) / 2;
        h.items = b * x->w * (x->n / sched_group_smallest(x, 0, x->stages));
    }
    h.fits = h.bytes <= room && h.items <= sched_group_items(&t->unit, &t->groups)
             && (double)h.items * sched_group_registers(t, x->largest, true)
                    <= (double)t->unit.registers;
    return h;
}

bool sched_group_fits(const sched_target *t, const sched_pass *x, int64_t l, int64_t b)
{
    return sched_group_held(t, x, l, b).fits;
}

/* The pass of a tree: its radices, from the leaf of the root on. */
sched_pass sched_group_pass(const sched_tree *tree)
{
    sched_pass x = {.n = tree->n, .w = tree->tile};

    for (; x.stages < SCHED_PASS_STAGES; tree = tree->kid[0]) {
        const int64_t r = tree->rule ? tree->kid[1]->n : tree->n;
        x.radix[x.stages++] = r;
        x.largest = r > x.largest ? r : x.largest;
        if (!tree->rule)
            break;
    }
    return x;
}

int64_t sched_group_all(const sched_target *t, const sched_place *at)
{
    return t->around.reals && t->around.reals != at ? at->batch * t->around.reals->batch
                                                    : at->batch;
}

int64_t sched_group_shared(const sched_target *t, const sched_place *at)
{
    return t->around.clears_between && t->around.reals && t->around.reals != at
               ? at->batch
               : sched_group_all(t, at);
}

/* ---- candidates ---- */

double sched_group_leaf_cycles(const sched_target *t, const sched_place *at)
{
    const sched_tree leaf = {.n = at->n};
    sched_pass x = sched_group_pass(&leaf);

    const int64_t batch = sched_group_shared(t, at);
    x.w = sched_group_columns(t, &x, at->columns, batch,
                              sched_group_most_columns(t, &x, at->columns));
    if (x.w == 0)
        return 0;
    const bool complex =
        at->type == SPL_TYPE_COMPLEX && spl_transform_of(at->kind)->from == SPL_TYPE_ANY;
    return sched_group_pass_cycles(t, &x, at) / (complex ? 1 : 2);
}

double sched_group_pairs_cycles(const sched_target *t, const sched_tree *tree,
                                const sched_place *place, int64_t numbers)
{
    const sched_tree *core = sched_group_core(tree);
    const double moved = sched_group_bytes_cycles(t, numbers);

    if (!core || core->tile == 0)
        return moved;
    const sched_pass x = sched_group_pass(core);
    const int64_t l = place->columns;
    return moved
           * sched_group_exchange(t, &x, l,
                                  sched_group_batch(t, &x, l, sched_group_shared(t, place)));
}

/* Candidates for n points of a transform, with all others as columns. Points times columns is the
 * same for all parts of a transform, so they are cached by n. */
typedef struct found {
    int64_t n;
    sched_list list;
    struct found *next;
} found;

typedef struct search {
    const sched_target *t;
    const sched_place *at;
    sched_list *out;
    found **parts;
} search;

static void insert_columns(const search *s, const sched_pass *x)
{
    sched_radices list = {.count = x->stages};
    const int64_t l = s->at->columns;

    for (int q = 0; q < x->stages; q++)
        list.radix[q] = x->radix[q];
    list.cycles = sched_group_pass_cycles(s->t, x, s->at);
    if (sched_list_refuses(s->out, list.cycles))
        return;
    const sched_tree *chain = sched_stockham(s->t, &list, l);
    if (!chain)
        return;
    sched_tree tree = *chain;
    tree.tile = x->w;
    sched_list_insert(s->t->ctx, s->out, &tree);
}

/* Inserts the pass with the preferred number of columns, and with fewer. */
static void insert_pass(const search *s, sched_pass *x)
{
    const int64_t l = s->at->columns, batch = sched_group_shared(s->t, s->at);
    int64_t before = 0;

    for (int64_t most = sched_group_most_columns(s->t, x, l); most > 0; most /= 2) {
        x->w = sched_group_columns(s->t, x, l, batch, most);
        if (x->w > 0 && x->w != before)
            insert_columns(s, x);
        before = x->w;
    }
}

/* Tries all products of radices for `rest` after the stages so far. A single stage that is the
 * whole transform has no twiddles. */
static void find_passes(const search *s, sched_pass *x, int64_t rest)
{
    if (rest == 1) {
        insert_pass(s, x);
        return;
    }
    const int64_t largest = core_min(rest, s->t->groups.most_points);
    for (int64_t r = 2; x->stages < SCHED_PASS_STAGES && r <= largest; r++) {
        sched_pass longer = *x;
        const bool alone = x->stages == 0 && r == rest && !x->divides;
        const bool twiddled = !alone && (r < rest || s->at->columns > 1);
        if (rest % r != 0 || !item_computes(s->t, r, twiddled))
            continue;
        longer.radix[longer.stages++] = r;
        longer.largest = r > x->largest ? r : x->largest;
        find_passes(s, &longer, rest / r);
    }
}

/* DFT_rm (x) I_l by a pass for DFT_r and a tree for the remaining transform. The pass writes its
 * columns as rows. The next pass reads as many rows side by side as its tile has columns;
 * neighbouring items write the elements of these that the last stage has. */
static void insert_product(const search *s, const sched_tree *first, const sched_tree *rest)
{
    const sched_pass x = sched_group_pass(first);
    const sched_tree *next = rest;
    sched_tree both = {.rule = &spl_dft_stockham,
                       .params = {{first->n}},
                       .n = s->at->n,
                       .cycles = first->cycles + rest->cycles,
                       .nkids = 2,
                       .kid = {rest, first}};

    if (sched_list_refuses(s->out, both.cycles))
        return;
    while (next->tile == 0)
        next = next->kid[1];
    const int64_t rows = x.n / x.radix[x.stages - 1];
    const int64_t run = rows < next->tile ? rows : next->tile;
    both.cycles += sched_group_short_run(s->t, run)
                   * sched_group_bytes_cycles(s->t, s->at->n * s->at->columns);
    sched_list_insert(s->t->ctx, s->out, &both);
}

static void find_in(const search *s, bool divides);

/* The candidates for n of the points, with all others as columns; NULL: out of memory. */
static const sched_list *part_of(const search *s, int64_t n)
{
    sched_place at = *s->at;
    found *f = *s->parts;

    while (f && f->n != n)
        f = f->next;
    if (f)
        return &f->list;
    f = spl_ctx_get(s->t->ctx, sizeof *f);
    if (!f)
        return NULL;
    at.n = n;
    at.columns = s->at->n / n * s->at->columns;
    const search part = {.t = s->t, .at = &at, .out = &f->list, .parts = s->parts};
    find_in(&part, true);
    f->n = n;
    f->next = *s->parts;
    *s->parts = f;
    return &f->list;
}

/* DFT_rm (x) I_l as two passes; the second may be a product of more. */
static void find_products(const search *s)
{
    const int64_t n = s->at->n;
    const int64_t held = (int64_t)s->t->unit.local_memory / sched_complex_bytes(s->t->precision);

    for (int64_t r = 2; r <= n / 2 && r <= held; r++) {
        const sched_list *const first = n % r == 0 ? part_of(s, r) : NULL;
        const sched_list *const rest =
            first && first->count > 0 && first->tree[0]->tile > 0 ? part_of(s, n / r) : NULL;
        for (int i = 0; rest && i < first->count && rest->count > 0; i++)
            insert_product(s, first->tree[i], rest->tree[0]);
    }
}

/* Has a group columns of less than a sector, so that two passes may move fewer bytes than one? */
static bool is_narrow(const sched_target *t, int64_t w, int64_t l)
{
    return w < l && SCHED_SECTORS * w < sched_group_line(t);
}

static void find_in(const search *s, bool divides)
{
    sched_pass none = {.n = s->at->n, .divides = divides};
    sched_list *const out = s->out;

    out->count = 0;
    find_passes(s, &none, s->at->n);
    if (out->count == 0 || (!divides && is_narrow(s->t, out->tree[0]->tile, s->at->columns)))
        find_products(s);
}

void sched_groups_find(const sched_target *t, const sched_place *at, sched_list *out)
{
    found *parts = NULL;
    const search s = {.t = t, .at = at, .out = out, .parts = &parts};

    find_in(&s, false);
}

/* Is the tree a pass, or a chain of passes? The stages of a convolution by parts are not passes. */
static bool has_passes(const sched_tree *tree)
{
    return tree->tile > 0 || (tree->rule && has_passes(tree->kid[0]) && has_passes(tree->kid[1]));
}

bool sched_is_grouped(const sched_target *t, const sched_tree *tree, spl_kind kind)
{
    tree = sched_has_groups(t) ? sched_group_core(tree) : NULL;
    return tree
           && (sched_is_group_convolution(tree) || has_passes(tree)
               || (!tree->rule && !spl_is_dft_kind(kind)));
}
