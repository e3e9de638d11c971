// SPDX-License-Identifier: BSD-3-Clause
/* Padding of inner buffers.
 *
 * Rows that lie a multiple of `set_stride` elements apart share cache sets, so that a stage that
 * reads a column of them evicts lines that it is about to read. A buffer with such rows gets a gap
 * after every run of R elements, e -> e + gap floor(e/R). R is the shortest such distance for which
 * every address function of the buffer stays a sum of digits, the rows of kernels stay evenly
 * apart, and loops can be split into digits for both sides of a kernel. If longer distances with
 * this property remain, or distances at which many rows of a kernel fall into a few sets, they get
 * gaps as well.
 *
 * The items of a group access their local memory concurrently, through banks that repeat after
 * `set_stride` elements: at any even distance some items access the same bank. There a gap follows
 * each `set_stride` elements, or else runs of an even distance that are at least half as long. */
#include "core/number.h"
#include "spl/program/lower.h"

enum { MAX_ACCESSES = 64, RUN_GAPS = 8 /* at least, in a run shorter than the stride */ };

/* The address functions of one buffer, and the other function of the same statement. */
typedef struct accesses {
    const ix **f[MAX_ACCESSES], **other[MAX_ACCESSES];
    int count;
    bool layout_is_fixed; /* too many accesses, or transfers and rotation depend on its layout */
} accesses;

static void collect_accesses(low_node *x, int buffer, accesses *a)
{
    for (; x != NULL; x = x->next) {
        prog_stmt *s = &x->s;
        if (s->op == PROG_LOOP) {
            collect_accesses(x->kid, buffer, a);
            continue;
        }
        if (s->in != buffer && s->out != buffer)
            continue;
        if ((s->op != PROG_KERN && s->op != PROG_ZERO) || a->count + 2 > MAX_ACCESSES) {
            a->layout_is_fixed = true;
            return;
        }
        for (int side = 0; side < 2; side++) {
            if ((side ? s->out : s->in) != buffer)
                continue;
            a->f[a->count] = side ? &s->fout : &s->fin;
            a->other[a->count++] = side ? &s->fin : &s->fout;
        }
    }
}

/* A sum of digits, or two of which a row selects one, or a loop, which becomes two. Mirrored rows
 * of whole runs stay evenly apart; single mirrored elements would borrow across gaps. */
static bool is_digits(const ix *f)
{
    if (f->kind == IX_TWO)
        return is_digits(f->branch[0]) && is_digits(f->branch[1]);
    return f->kind == IX_DIGIT;
}

/* Are there address steps that are even numbers below `max`? */
static bool has_even_steps(const accesses *a, int64_t max)
{
    for (int i = 0; i < a->count; i++)
        for (int t = 0; (*a->f[i])->kind == IX_DIGIT && t < (*a->f[i])->nt; t++) {
            const int64_t step = (*a->f[i])->t[t].coef;
            if (step > 1 && step < max && step % 2 == 0)
                return true;
        }
    return false;
}

/* The distance after which cache sets repeat, and the size of the cache; 0: rows at other distances
 * are taken to share no sets. */
typedef struct sets {
    int64_t stride, cache;
} sets;

/* Are there loops over short rows that are longer than a run? Gaps would cut them. Loops over
 * elements stay long anyway. */
static bool cuts_loops(const accesses *a, int64_t stride, int64_t run)
{
    bool cuts = false;

    for (int i = 0; i < a->count && !cuts; i++) {
        const ix *f = *a->f[i];
        for (int t = 0; f->kind == IX_DIGIT && t < f->nt; t++)
            cuts = cuts
                   || (f->t[t].src != IX_INDEX && f->t[t].coef > 1 && f->t[t].coef < stride
                       && f->t[t].coef * f->t[t].ext > run);
    }
    return cuts;
}

/* Do elements at this distance share sets? All of them do at multiples of the stride. Rows that a
 * kernel reads and writes in place do so if a set has more of them than ways: each would be evicted
 * in between. */
static bool share_sets(const accesses *a, int i, const ix_term *t, const sets *s)
{
    const bool in_place = *a->f[i] == *a->other[i] && t->src == IX_INDEX;

    return t->coef % s->stride == 0
           || (in_place && t->coef > s->stride && s->cache > 0
               && t->ext * core_gcd(t->coef, s->stride) > s->cache
               && !cuts_loops(a, s->stride, t->coef));
}

/* The shortest address step above `min` at which sets are shared; 0: none. */
static int64_t next_run(const accesses *a, const sets *s, int64_t min)
{
    int64_t best = 0;

    for (int i = 0; i < a->count; i++) {
        const ix *f = *a->f[i];
        for (int t = 0; f->kind == IX_DIGIT && t < f->nt; t++) {
            const int64_t step = f->t[t].coef;
            if (step > min && share_sets(a, i, &f->t[t], s) && (best == 0 || step < best))
                best = step;
        }
    }
    return best;
}

/* One of the two functions that a loop selects from; any other: itself. */
static const ix *selected(const ix *f, int branch)
{
    return f->kind == IX_TWO && f->t->src != IX_INDEX ? f->branch[branch] : f;
}

/* Were the rows of a kernel evenly apart without gaps, and are not with them? */
static bool breaks_linearity(const ix *before, const ix *after)
{
    int64_t step;

    if (selected(before, 0) != before || selected(after, 0) != after)
        return breaks_linearity(selected(before, 0), selected(after, 0))
               || breaks_linearity(selected(before, 1), selected(after, 1));
    return ix_linear(before, IX_INDEX, before->n, &step)
           && !ix_linear(after, IX_INDEX, after->n, &step);
}

/* Does a digit of a loop's variable end where no digit of the other function does, and not at a
 * divisor or multiple of that? Such a loop cannot be split for both functions: addresses would be
 * evaluated one by one. */
static bool digits_conflict(const ix *f, const ix *g)
{
    for (int b = 0; f && g && (f->kind == IX_TWO || g->kind == IX_TWO) && b < 2; b++)
        if (digits_conflict(f->kind == IX_TWO ? f->branch[b] : f,
                            f->kind == IX_TWO ? g : g->branch[b]))
            return true;
    for (int i = 0; f && g && i < f->nt; i++)
        for (int k = 0; k < g->nt; k++) {
            const int64_t x = f->t[i].div, y = g->t[k].div;
            if (f->t[i].src == g->t[k].src && f->t[i].src != IX_INDEX && x % y != 0 && y % x != 0)
                return true;
        }
    return false;
}

/* The other function of the statement of f[i]; with gaps if it belongs to the same buffer. */
static const ix *other_function(const accesses *a, const ix *const *padded, int i)
{
    for (int k = 0; k < a->count; k++)
        if (a->f[k] == a->other[i])
            return padded[k];
    return *a->other[i];
}

/* Items compute an address for every row. So addresses need not be sums of digits for pairs, whose
 * rows step in opposite directions from any row on. */
enum { FREE_ROWS = 4 };

static bool is_free(const low *l, const ix *f)
{
    return l->p->sides.group_items > 0 && f->n <= FREE_ROWS;
}

/* Inserts the gaps. False, with nothing changed, if an address would not be a sum of digits, rows
 * would not be evenly apart, or loops could not be split any more. */
static bool insert_gaps(low *l, prog_buf *b, const accesses *a, int64_t run, int64_t gap)
{
    const bool even = l->p->sides.group_items == 0;
    const ix *padded[MAX_ACCESSES];
    const int64_t runs = (b->elems + run - 1) / run, elems = b->elems + (runs - 1) * gap;
    if (elems > spl_max_size)
        return false;
    const ix_term terms[2] = {{.src = IX_INDEX, .div = 1, .ext = run, .coef = 1},
                              {.src = IX_INDEX, .div = run, .ext = runs, .coef = run + gap}};
    const ix *outer = ix_digit(l->ctx, b->elems, elems, 0, 2, terms);

    for (int i = 0; i < a->count; i++) {
        padded[i] = ix_compose(l->ctx, outer, *a->f[i]);
        if (padded[i] == NULL || (!is_digits(padded[i]) && !is_free(l, padded[i]))
            || (even && breaks_linearity(*a->f[i], padded[i])))
            return false;
    }
    for (int i = 0; i < a->count; i++)
        if (digits_conflict(padded[i], other_function(a, padded, i))
            && !digits_conflict(*a->f[i], *a->other[i]))
            return false;
    for (int i = 0; i < a->count; i++)
        *a->f[i] = padded[i];
    b->elems = elems;
    return true;
}

/* The longest address step below `max` that divides `stride`; 0: none. */
static int64_t part_of_stride(const accesses *a, int64_t stride, int64_t max)
{
    int64_t best = 0;

    for (int i = 0; i < a->count; i++) {
        const ix *f = *a->f[i];
        for (int t = 0; f->kind == IX_DIGIT && t < f->nt; t++) {
            const int64_t step = f->t[t].coef;
            if (step > best && step < max && stride % step == 0)
                best = step;
        }
    }
    return best;
}

/* Inserts gaps after the shortest run above `min` at which sets are shared and that allows gaps;
 * false: there is none. */
static bool pad_run(low *l, prog_buf *buf, const accesses *a, const sets *s, int64_t min,
                    int64_t gap, int64_t *run)
{
    for (*run = next_run(a, s, min); *run > 0 && *run < buf->elems; *run = next_run(a, s, *run))
        if (insert_gaps(l, buf, a, *run, gap))
            return true;
    return false;
}

/* The same for a run that rows k and n-k are counted across: their loops are split. */
static bool pad_mirrored(low *l, int buffer, int64_t run, int64_t gap)
{
    low_node *const whole = l->root->kid;
    accesses a = {.count = 0}; /* of the split loops */

    l->root->kid = low_copy(l, whole);
    if (l->root->kid != NULL && low_split_mirrored(l, buffer, run)) {
        collect_accesses(l->root->kid, buffer, &a);
        if (!a.layout_is_fixed && insert_gaps(l, &l->p->buf[buffer], &a, run, gap))
            return true;
    }
    l->root->kid = whole;
    return false;
}

/* The same in caches; also after longer runs whose rows still share sets, because the gaps of
 * shorter runs may add up to a multiple of the stride. If single mirrored rows allow no gap, it is
 * inserted after each row, if rows are so long that gaps are few. */
static void pad_sets(low *l, int buffer, const accesses *a, const sets *s, int64_t gap)
{
    prog_buf *const buf = &l->p->buf[buffer];
    int64_t run = next_run(a, s, 0), min = 0;
    bool found = run == 0 || run >= buf->elems;

    for (; pad_run(l, buf, a, s, min, gap, &run); min = run + gap)
        found = true;
    run = next_run(a, s, min);
    if (run > 0 && run < buf->elems && run % s->stride != 0 && pad_mirrored(l, buffer, run, gap))
        return;
    run = part_of_stride(a, s->stride, s->stride);
    while (!found && run > 0 && run >= RUN_GAPS * gap) {
        found = insert_gaps(l, buf, a, run, gap);
        run = part_of_stride(a, s->stride, run);
    }
}

void low_pad(low *l)
{
    const int64_t stride = l->p->sides.set_stride;
    const bool banks = l->p->sides.group_items > 0;

    for (int b = 2; b < l->p->nbufs && stride > 0; b++) {
        accesses a = {.count = 0};
        collect_accesses(l->root->kid, b, &a);
        prog_buf *buf = &l->p->buf[b];
        const int64_t reals = PROG_PLACE_SCALARS / prog_held_scalars(buf);
        const int64_t gap = l->p->sides.padding * (buf->halves ? 1 : reals);
        const sets own = {stride * reals, l->p->sides.cache_elems * reals};
        const sets even = {2 * reals, 0}; /* banks */
        int64_t run;
        const bool in_lines = banks && buf->space == PROG_SHARED;
        if (a.layout_is_fixed || in_lines || buf->elems <= l->p->sides.pad_above * reals)
            continue;
        if (!banks)
            pad_sets(l, b, &a, &own, gap);
        else if (!has_even_steps(&a, own.stride) || !insert_gaps(l, buf, &a, own.stride, gap))
            pad_run(l, buf, &a, &even, own.stride / 2 - 1, gap, &run);
    }
}
