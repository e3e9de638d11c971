// SPDX-License-Identifier: BSD-3-Clause
/* DFTs of lengths with large prime factors on groups of work-items (Bluestein 1970). The factors of
 * rule dft-bluestein run one after the other, each on all transforms and columns together:
 *
 *     DFT_n = C move G IDFT_M B DFT_M S C move
 *
 * The transforms of M points are passes of groups (groups.c), B is part of one of them, and the two
 * moves are kernels that copy n points with their chirps. The part that S does not write is
 * cleared. Short rows of a batch, whose M points a group holds, are each computed by one group
 * instead (bluestein.c). */
#include "sched/planner/bluestein.h"
#include "sched/planner/groups_pass.h"
#include "sched/planner/lengths.h"

#include "spl/rules/rewrite.h"

/* Number of lengths tried, the shortest first, besides the next power of two; they are up to
 * `longest` times the shortest. */
enum { TRIED = 3 };
static const double longest = 1.3;
/* Points that an item moves. */
enum { MOVED = 2 };

bool sched_is_group_convolution(const sched_tree *tree)
{
    const sched_tree *last = tree->rule == &spl_dft_bluestein ? tree->kid[0] : NULL;

    while (last && last->rule && last->tile == 0)
        last = last->kid[last->nkids - 1];
    return last && last->tile > 0;
}

/* ---- candidates ---- */

/* M is about twice n, and there are two buffers. */
bool sched_group_holds_convolution(const sched_target *t, int64_t points)
{
    return 4 * points * sched_complex_bytes(t->precision) <= (int64_t)t->unit.local_memory;
}

/* Are the transforms so short that a group computes one each? */
static bool is_short(const sched_target *t, const sched_place *at)
{
    return at->columns == 1 && (t->around.reals ? t->around.reals : at)->batch > 1
           && sched_group_holds_convolution(t, at->n);
}

static void try_length(const sched_target *t, const sched_place *at, int64_t m, sched_list *out)
{
    sched_place inner = *at;
    sched_list passes;

    inner.n = m;
    sched_groups_find(t, &inner, &passes);
    if (passes.count == 0)
        return;
    const double moves = sched_group_bytes_cycles(t, at->n * at->columns)
                         + sched_group_bytes_cycles(t, m * at->columns);
    const sched_tree tree = {.rule = &spl_dft_bluestein,
                             .params = {{m}},
                             .n = at->n,
                             .cycles = 2 * passes.tree[0]->cycles + moves,
                             .nkids = 1,
                             .kid = {passes.tree[0]}};
    sched_list_insert(t->ctx, out, &tree);
}

/* Tries lengths 16 2^a 3^b 5^c, and the next power of two. */
void sched_group_convolutions(const sched_target *t, const sched_place *at, sched_list *out)
{
    const int64_t shortest = 2 * at->n - 1, limit = (int64_t)((double)shortest * longest);
    int64_t length[TRIED], power = 16;

    if (is_short(t, at) || at->n < 3 || at->n > (int64_t)1 << 30)
        return;
    while (power < shortest)
        power *= 2;
    try_length(t, at, power, out);
    const int count = sched_smooth_lengths((shortest + 15) / 16, limit / 16, false, TRIED, length);
    for (int i = 0; i < count; i++)
        if (16 * length[i] != power)
            try_length(t, at, 16 * length[i], out);
}

/* ---- formulas ---- */

const spl *sched_group_moved(const sched_target *t, int64_t points)
{
    const int64_t each = MOVED * t->groups.items;
    const int64_t groups = (points + each - 1) / each;
    const spl *one = spl_mark_leaves(t->ctx, spl_dft(t->ctx, 1, false));
    const spl *all = spl_kron2(t->ctx, one, spl_identity(t->ctx, points));

    const spl_tag spe = {.kind = SPL_TAG_SPE, .a = {groups, sched_group_line(t)}};

    return groups > 1 ? spl_tagged(t->ctx, all, 1, &spe) : sched_group_distributed(t, 1, all);
}

/* I_pre (x) x (x) I_l */
static const spl *all_of(const sched_target *t, const spl *x, int64_t pre, int64_t l)
{
    return sched_group_repeated_factors(t->ctx, spl_kron2(t->ctx, x, spl_identity(t->ctx, l)), pre);
}

/* The passes of a transform. A permutation before them becomes part of what they read, not of what
 * the factor before them writes. */
static const spl *passes_of(const sched_target *t, const sched_tree *inner, const spl *bare,
                            int64_t pre, int64_t l)
{
    const spl *x = sched_groups_expand(t, inner, spl_transform_kind(bare), pre, l);

    if (!x || x->op != SPL_MUL || !spl_is_data_movement(x->kid[x->nkids - 1]))
        return x;
    const spl *move = spl_movement_to_sigma(t->ctx, x->kid[x->nkids - 1], 1, 1);
    if (!move || move->op != SPL_PERM) /* a RETYPE has no function */
        return x;
    const spl *gather = spl_gather(t->ctx, move->f, SPL_PLAIN);
    return spl_mul2(t->ctx, spl_mul(t->ctx, x->nkids - 1, x->kid), gather);
}

const spl *sched_group_expand_convolution(const sched_target *t, const sched_tree *tree,
                                          spl_kind kind, int64_t pre, int64_t l)
{
    const spl *x = spl_rule_apply(t->ctx, &spl_dft_bluestein,
                                  spl_transform_node(t->ctx, kind, tree->n), &tree->params);

    if (!x)
        return NULL;
    const spl *const *kid = x->kid, *move = sched_group_moved(t, pre * tree->n * l);
    const spl *const factors[] = {all_of(t, kid[0], pre, l),
                                  move,
                                  all_of(t, kid[1], pre, l),
                                  passes_of(t, tree->kid[0], kid[2], pre, l),
                                  all_of(t, kid[3], pre, l),
                                  passes_of(t, tree->kid[0], kid[4], pre, l),
                                  all_of(t, kid[5], pre, l),
                                  all_of(t, kid[6], pre, l),
                                  move};
    return spl_mul(t->ctx, 9, factors);
}
