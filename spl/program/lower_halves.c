// SPDX-License-Identifier: BSD-3-Clause
/* Exchange by halves (Volkov and Kazian, "Fitting FFT onto the G80 architecture", 2008). Items that
 * run a stage at once keep its results in registers. They pass re of all elements through a LOCAL
 * buffer to the next stage, which keeps these in registers too, then im through the same places.
 * This takes two more barriers between stages in place, three more at the first exchange, but half
 * of the memory, so that twice the points fit a group. It is used only for buffers that would be
 * too long otherwise.
 *
 * The first stage and the last one may be the pairs of a real transform: several statements. An
 * item then computes several pairs one after the other, all of them in registers. */
#include "spl/program/lower.h"

static low_node *leaf_of(low_node *x)
{
    while (x->s.op == PROG_LOOP)
        x = x->kid;
    return x;
}

/* Do a nest's iterations run at once on the items of a group, each with one DFT, or with pairs one
 * after the other? */
static bool runs_at_once(const low *l, const low_node *nest)
{
    int64_t n = 1;
    const low_node *x = nest;

    for (; x->s.op == PROG_LOOP; x = x->kid) {
        n *= x->s.range.share_var < 0 && x->s.range.kind != SPL_PAR ? x->s.range.n : 0;
        if (x->kid == NULL || x->kid->next != NULL)
            return false;
    }
    if (x->s.op != PROG_KERN || n == 0)
        return false;
    return x->s.kernel == SPL_PAIR
           || (x->s.kernel == SPL_TRANSFORM && (x->s.kind == SPL_DFT || x->s.kind == SPL_IDFT)
               && n <= l->p->sides.group_items);
}

static bool uses_buffer(const low_node *x, int b, bool *reads, bool *writes)
{
    if (x->s.op != PROG_LOOP) {
        *reads = *reads || x->s.in == b;
        *writes = *writes || x->s.out == b;
    }
    for (const low_node *kid = x->s.op == PROG_LOOP ? x->kid : NULL; kid != NULL; kid = kid->next)
        uses_buffer(kid, b, reads, writes);
    return *reads || *writes;
}

/* The first statement of a body that uses the buffer; NULL: none does. */
static low_node *first_use(low_node *x, int b)
{
    bool reads = false, writes = false;

    while (x != NULL && !uses_buffer(x, b, &reads, &writes))
        x = x->next;
    return x;
}

/* Are both nests statements of one stage of pairs? */
static bool are_of_same_pairs(low_node *x, low_node *y)
{
    const prog_stmt *a = &leaf_of(x)->s, *b = &leaf_of(y)->s;

    return a->kernel == SPL_PAIR && b->kernel == SPL_PAIR && a->in == b->in && a->out == b->out;
}

/* The statement after those from x on that use the buffer in this way. Those that only read or only
 * write it must be one statement, or statements of one stage of pairs. */
static low_node *after_users(const low *l, low_node *x, int b, bool reading, bool writing)
{
    for (low_node *first = x; x != NULL && runs_at_once(l, x); x = x->next) {
        bool reads = false, writes = false;
        uses_buffer(x, b, &reads, &writes);
        if (reads != reading || writes != writing
            || (x != first && !(reads && writes) && !are_of_same_pairs(first, x)))
            break;
    }
    return x;
}

/* Are the statements from x on, in this order: those that write the buffer, any number that read
 * and write it, and those that read it? And does no other statement use it? */
static bool is_written_then_read(const low *l, low_node *x, int b)
{
    low_node *const written = after_users(l, x, b, false, true);
    low_node *const last = after_users(l, written, b, true, true);
    low_node *const end = after_users(l, last, b, true, false);

    return written != x && end != last && first_use(end, b) == NULL;
}

/* Finds such buffers in the body of each PAR loop. */
static void halve_in(low *l, low_node *x, int b)
{
    for (; x != NULL; x = x->next) {
        if (x->s.op != PROG_LOOP)
            continue;
        low_node *first = first_use(x->kid, b);
        if (x->s.range.kind != SPL_PAR) {
            halve_in(l, x->kid, b);
        } else if (first != NULL && is_written_then_read(l, first, b)) {
            l->p->buf[b].halves = true;
            for (; first != NULL && first_use(first, b) == first; first = first->next)
                leaf_of(first)->s.at_once = true;
        }
    }
}

void low_halve(low *l)
{
    const prog_sides *sides = &l->p->sides;

    for (int b = 2; b < l->p->nbufs && sides->halve_above > 0; b++) {
        const prog_buf *buf = &l->p->buf[b];
        const int64_t gaps =
            sides->set_stride > 0 ? 2 * sides->padding * buf->elems / sides->set_stride : 0;
        if (buf->space == PROG_LOCAL && buf->type != SPL_TYPE_REAL
            && buf->elems + gaps + PROG_ALIGN > sides->halve_above)
            halve_in(l, l->root->kid, b);
    }
}
