// SPDX-License-Identifier: BSD-3-Clause
/* Out-of-core transforms. A pass through the host's memory is a stream of blocks, each a transform
 * of its own that the device computes by the formula X planned for it:
 *
 *     I_pre (x) A (x) I_l  =  P^-1 {I_s (x) X}_stream(s) P,   X = I_c (x) A (x) I_w
 *
 * A block has c transforms (then P is the identity), or w of the l columns, which P = I (x) L (x)
 * I_w makes adjacent. An axis that exceeds a block takes two or more passes, by rule dft-stockham
 *
 *     DFT_rm = (DFT_m (x) I_r) T_{m,r} L_m^{rm} (DFT_r (x) I_m)
 *
 * A block of the first pass is w columns and transposes them, so that it is written in one piece:
 * {I_{m/w} (x) L_w^{rw} (DFT_r (x) I_w)}_stream(m/w) P. The twiddles are the product of two short
 * tables, w_rm^{(a + g b) k} = w_rm^{ak} w_{rm/g}^{bk}.
 *
 * Permutations merge into the transfers, twiddles into the last stage of a block. */
#include "sched/planner/blocks.h"

#include "core/status.h"
#include "core/text.h"
#include "sched/planner/expand.h"
#include "sched/planner/groups_pass.h"
#include "sched/problem/problem.h"
#include "spl/context/context.h"
#include "spl/rules/rewrite.h"

/* Arrays of a block in the device's memory: input, output, two of scratch, and a share for
 * tables. */
enum { BLOCK_ARRAYS = 5 };
/* The number of adjacent elements in the host's memory that a transfer should have at least. */
enum { LEAST_RUN = 16 };

typedef struct blocks {
    const sched_target *t;
    const sluice_problem *p;
    int64_t most; /* points of a block */
} blocks;

static int64_t largest_divisor(int64_t n, int64_t most)
{
    int64_t d = n < most ? n : most;

    while (d > 1 && n % d != 0)
        d--;
    return d > 0 ? d : 1;
}

/* ---- a block ---- */

/* I_c (x) A (x) I_w for the axes first .. end-1 of sizes n; w > 1 only for a single axis. */
static const spl *block_formula(const blocks *b, int64_t c, const int64_t *n, int rank, int64_t w)
{
    sched_target t = *b->t;
    sluice_problem q = {.precision = b->p->precision, .direction = b->p->direction, .rank = rank};
    int64_t points = 1;

    for (int i = rank - 1; i >= 0; i--) {
        q.dim[i] = (sluice_dim){(size_t)n[i], (ptrdiff_t)(points * w), (ptrdiff_t)(points * w)};
        points *= n[i];
    }
    q.batch[q.batch_rank++] =
        (sluice_dim){(size_t)c, (ptrdiff_t)(points * w), (ptrdiff_t)(points * w)};
    if (w > 1)
        q.batch[q.batch_rank++] = (sluice_dim){(size_t)w, 1, 1};
    if (sched_problem_normalise(&q, NULL) != SLUICE_OK)
        return NULL;
    t.mode = BACKEND_FUSED;
    t.in_place = false;
    t.around.contiguous = w == 1;
    t.around.use_as_single = BACKEND_SINGLE;
    t.around.same_layout = true;
    t.around.in_place_points = 0;
    t.comments = NULL;
    const sched_candidates *found = sched_find_candidates(&t, &q);
    const spl *packed = found ? sched_formula_of(&t, &q, found->all.tree[0], NULL) : NULL;
    if (!packed || w == 1)
        return packed;
    const spl *const factors[] = {sched_group_tiles(&t, c, points * w, points, 1), packed,
                                  sched_group_tiles(&t, c, points * w, w, 1)};
    return spl_mul(t.ctx, 3, factors);
}

/* {I_s (x) x}_stream(s) */
static const spl *streamed(const blocks *b, int64_t s, const spl *x)
{
    const spl_tag stream = {.kind = SPL_TAG_STREAM, .a = {s, 0}};

    if (!x)
        return NULL;
    return spl_tagged(b->t->ctx, spl_kron2(b->t->ctx, spl_identity(b->t->ctx, s), x), 1, &stream);
}

/* ---- passes ---- */

/* I_pre (x) A in blocks of whole transforms. */
static const spl *rows_pass(const blocks *b, int64_t pre, const int64_t *n, int rank,
                            int64_t points)
{
    const int64_t c = largest_divisor(pre, b->most / points);

    return streamed(b, pre / c, block_formula(b, c, n, rank, 1));
}

/* I_pre (x) DFT_n (x) I_l, where a block holds n points. */
static const spl *columns_pass(const blocks *b, int64_t pre, int64_t n, int64_t l)
{
    const int64_t w = largest_divisor(l, b->most / n);
    const int64_t c = w == l ? largest_divisor(pre, b->most / (n * l)) : 1;
    const spl *all = streamed(b, pre / c * (l / w), block_formula(b, c, &n, 1, w));

    if (w == l)
        return all;
    const spl *const factors[] = {sched_group_tiles(b->t, pre, n * (l / w), n, w), all,
                                  sched_group_tiles(b->t, pre, n * (l / w), l / w, w)};
    return spl_mul(b->t->ctx, 3, factors);
}

/* The largest divisor of n up to `most`, except 1 and n; 0: there is none. */
static int64_t divisor_up_to(int64_t n, int64_t most)
{
    int64_t best = 0;

    for (int64_t d = 2; d * d <= n; d++) {
        if (n % d != 0)
            continue;
        best = d <= most && d > best ? d : best;
        best = n / d <= most && n / d > best ? n / d : best;
    }
    return best;
}

/* The factor r of the first pass: two passes of about equal length if possible, else the first of
 * more. Transfers have LEAST_RUN adjacent elements if possible, else single ones. 0: there is
 * none. */
static int64_t first_factor(const blocks *b, int64_t n)
{
    int64_t root = 1, best = 0;

    while ((root + 1) * (root + 1) <= n)
        root++;
    const int64_t r = divisor_up_to(n, root);
    for (int64_t run = LEAST_RUN; run > 0 && best == 0; run = run > 1 ? 1 : 0)
        best = r > 0 && n / r <= b->most / run ? r : divisor_up_to(n, b->most / run);
    return best;
}

static const spl *long_passes(const blocks *b, int64_t pre, int64_t n, int64_t l);

/* The columns of an axis are one pass if a block holds a run of them, or if the axis has no
 * factors. */
static const spl *axis_passes(const blocks *b, int64_t pre, int64_t n, int64_t l)
{
    const int64_t run = l < LEAST_RUN ? l : LEAST_RUN;

    if (n <= b->most / run || (n <= b->most && first_factor(b, n) == 0))
        return columns_pass(b, pre, n, l);
    return long_passes(b, pre, n, l);
}

/* T_{m,r}, whose element c r + k is w_rm^{c k}, with row k first, for units whose codelets have
 * tables by row and column. */
static const spl *factors_by_row(const blocks *b, int64_t m, int64_t r, bool conjugate)
{
    const ix_term by_row[] = {{.src = IX_INDEX, .div = 1, .ext = r, .coef = m},
                              {.src = IX_INDEX, .div = r, .ext = m, .coef = 1}};

    return spl_diag_of(b->t->ctx, spl_twiddle(b->t->ctx, r, m, conjugate),
                       ix_digit(b->t->ctx, m * r, m * r, 0, 2, by_row));
}

/* The factors of T_{m,r} for the low digit a of column a + g b, w_rm^{a k}; far_factors(): for the
 * high digit b, w_{rm/g}^{bk}. */
static const spl *near_factors(const blocks *b, int64_t m, int64_t r, int64_t g, bool conjugate)
{
    const ix_term near[] = {{.src = IX_INDEX, .div = 1, .ext = r, .coef = 1},
                            {.src = IX_INDEX, .div = r, .ext = g, .coef = r}};

    return spl_diag_of(b->t->ctx, spl_twiddle(b->t->ctx, m, r, conjugate),
                       ix_digit(b->t->ctx, m * r, m * r, 0, 2, near));
}

static const spl *far_factors(const blocks *b, int64_t m, int64_t r, int64_t g, bool conjugate)
{
    const ix_term far[] = {{.src = IX_INDEX, .div = 1, .ext = r, .coef = 1},
                           {.src = IX_INDEX, .div = r * g, .ext = m / g, .coef = r}};

    return spl_diag_of(b->t->ctx, spl_twiddle(b->t->ctx, m / g, r, conjugate),
                       ix_digit(b->t->ctx, m * r, m / g * r, 0, 2, far));
}

/* I_pre (x) x (x) I_l */
static const spl *repeated(const blocks *b, int64_t pre, const spl *x, int64_t l)
{
    spl_ctx *const ctx = b->t->ctx;

    return sched_group_repeated_factors(ctx, spl_kron2(ctx, x, spl_identity(ctx, l)), pre);
}

static const spl *factors_of(const blocks *b, int64_t pre, int64_t m, int64_t r, int64_t l)
{
    const bool conjugate = b->p->direction == SLUICE_INVERSE;
    int64_t g = 1;

    for (int64_t d = 2; d * d <= m; d++)
        g = m % d == 0 ? d : g;
    if (g == 1 || !sched_has_groups(b->t))
        return repeated(b, pre, factors_by_row(b, m, r, conjugate), l);
    return spl_mul2(b->t->ctx, repeated(b, pre, near_factors(b, m, r, g, conjugate), l),
                    repeated(b, pre, far_factors(b, m, r, g, conjugate), l));
}

/* I_pre (x) DFT_rm (x) I_l. The first pass has m l columns, of which a block takes w: u of the l,
 * or all l if a block can take more. */
static const spl *long_passes(const blocks *b, int64_t pre, int64_t n, int64_t l)
{
    spl_ctx *const ctx = b->t->ctx;
    const int64_t r = first_factor(b, n);

    if (r == 0)
        return NULL;
    const int64_t m = n / r, room = b->most / r;
    const int64_t u = largest_divisor(l, room), w = u < l ? u : l * largest_divisor(m, room / l);
    const spl *x = block_formula(b, 1, &r, 1, w);
    const spl *turned = spl_mul2(ctx, sched_group_tiles(b->t, 1, r * w / u, w / u, u), x);
    const spl *const factors[] = {axis_passes(b, pre, m, r * l), factors_of(b, pre, m, r, l),
                                  u < l ? sched_group_tiles(b->t, pre * m, r * (l / u), r, u)
                                        : spl_identity(ctx, pre * n * l),
                                  streamed(b, pre * (m * l / w), x ? turned : NULL),
                                  sched_group_tiles(b->t, pre, r * (m * l / w), m * l / w, w)};
    return spl_mul(ctx, 5, factors);
}

/* ---- the problem ---- */

/* The last axes are one pass if a block holds them together; each other axis follows, the last one
 * first. */
static const spl *all_passes(const blocks *b)
{
    const sluice_problem *p = b->p;
    const int64_t batch = (int64_t)sched_problem_batch(p), all = (int64_t)sched_problem_points(p);
    const spl *factor[SLUICE_MAX_RANK];
    int64_t n[SLUICE_MAX_RANK], points = 1;
    int first = p->rank, count = 0;

    for (int i = 0; i < p->rank; i++)
        n[i] = (int64_t)p->dim[i].n;
    while (first > 0 && n[first - 1] <= b->most / points)
        points *= n[--first];
    for (int i = 0; i < first; i++) {
        int64_t after = 1;
        for (int k = i + 1; k < p->rank; k++)
            after *= n[k];
        factor[count++] = axis_passes(b, batch * (all / (n[i] * after)), n[i], after);
        if (!factor[count - 1])
            return NULL;
    }
    if (first < p->rank)
        factor[count++] = rows_pass(b, batch * (all / points), n + first, p->rank - first, points);
    return spl_mul(b->t->ctx, count, factor);
}

const spl *sched_blocks(const sched_target *t, const sluice_problem *p, int part)
{
    const int64_t in_flight = (int64_t)BLOCK_ARRAYS * t->table->team->depth(t->backend);
    const int64_t bytes = sched_complex_bytes(t->precision);
    const int64_t most = (int64_t)t->unit.memory / (in_flight * bytes);
    const blocks b = {.t = t, .p = p, .most = part > 1 ? most / part : most};

    if (!sched_all_dft(p))
        return spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED,
                          "only complex transforms are computed in blocks");
    const spl *x = b.most > 0 ? all_passes(&b) : NULL;
    if (!x && spl_ctx_status(t->ctx, NULL) == SLUICE_OK)
        return spl_refuse(
            t->ctx, SLUICE_E_MEMORY,
            "a unit has %s of memory: of the %s of one transform no factor fits blocks of "
            "%lld points, of which %d arrays are there at a time",
            core_bytes((double)t->unit.memory).text,
            core_bytes((double)sched_problem_points(p) * (double)bytes).text, (long long)b.most,
            (int)in_flight);
    return x;
}
