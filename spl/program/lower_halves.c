// SPDX-License-Identifier: BSD-3-Clause
/* Exchange by halves: items that run a stage at once leave what they computed in registers, pass re
 * of all elements through a LOCAL buffer to the stage behind, which keeps them in registers as
 * well, then im through the same places. Two barriers more between stages in place, three more at
 * the first exchange, for half the memory, so that twice the points fit a group (Volkov and Kazian,
 * "Fitting FFT onto the G80 architecture", 2008). Only buffers that are too long otherwise. */
#include "spl/program/lower.h"

/* Do a nest's iterations run at once on the items of a group, one DFT each? */
static bool is_one_each(const low *l, const low_node *nest)
{
    int64_t n = 1;
    const low_node *x = nest;

    for (; x->s.op == PROG_LOOP; x = x->kid) {
        n *= x->s.range.share_var < 0 && x->s.range.kind != SPL_PAR ? x->s.range.n : 0;
        if (x->kid == NULL || x->kid->next != NULL)
            return false;
    }
    return x->s.op == PROG_KERN && x->s.kernel == SPL_TRANSFORM
           && (x->s.what == SPL_DFT || x->s.what == SPL_IDFT) && n > 0 && n <= l->p->sides.items;
}

static low_node *leaf_of(low_node *x)
{
    while (x->s.op == PROG_LOOP)
        x = x->kid;
    return x;
}

static bool uses(const low_node *x, int b, bool *reads, bool *writes)
{
    if (x->s.op != PROG_LOOP) {
        *reads = *reads || x->s.in == b;
        *writes = *writes || x->s.out == b;
    }
    for (const low_node *kid = x->s.op == PROG_LOOP ? x->kid : NULL; kid != NULL; kid = kid->next)
        uses(kid, b, reads, writes);
    return *reads || *writes;
}

/* The first statement of a body that uses the buffer; NULL: none does. */
static low_node *first_use(low_node *x, int b)
{
    bool reads = false, writes = false;

    while (x != NULL && !uses(x, b, &reads, &writes))
        x = x->next;
    return x;
}

/* From x on, one behind the other: one that writes the buffer, any number that read and write it,
 * one that reads it; and nothing else? */
static bool is_handed_on(const low *l, low_node *x, int b)
{
    bool written = false;

    for (bool more = true; more; x = x->next) {
        bool reads = false, writes = false;
        if (x == NULL || !uses(x, b, &reads, &writes) || reads != written || !is_one_each(l, x))
            return false;
        written = more = writes;
    }
    return first_use(x, b) == NULL;
}

/* In the body of each PAR loop. */
static void halve_in(low *l, low_node *x, int b)
{
    for (; x != NULL; x = x->next) {
        if (x->s.op != PROG_LOOP)
            continue;
        low_node *first = first_use(x->kid, b);
        if (x->s.range.kind != SPL_PAR) {
            halve_in(l, x->kid, b);
        } else if (first != NULL && is_handed_on(l, first, b)) {
            l->p->buf[b].halves = true;
            for (; first != NULL && first_use(first, b) == first; first = first->next)
                leaf_of(first)->s.at_once = true;
        }
    }
}

void low_halve(low *l)
{
    const prog_sides *sides = &l->p->sides;

    for (int b = 2; b < l->p->nbufs && sides->whole > 0; b++) {
        const prog_buf *buf = &l->p->buf[b];
        const int64_t gaps = sides->alias > 0 ? 2 * sides->gap * buf->elems / sides->alias : 0;
        if (buf->space == PROG_LOCAL && buf->type != SPL_TYPE_REAL
            && buf->elems + gaps + PROG_ALIGN > sides->whole)
            halve_in(l, l->root->kid, b);
    }
}
