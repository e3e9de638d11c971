// SPDX-License-Identifier: BSD-3-Clause
/* Two index functions as packets: the index is cut where a digit of either function begins; between
 * cuts both addresses have constant steps. */
#include "spl/program/move.h"

#include <string.h>

/* Where digits of the index begin in either function. */
typedef struct bounds {
    int count;
    int64_t at[4 * IX_MAX_TERMS + 2];
} bounds;

static void add_bound(bounds *b, int64_t at, int64_t n)
{
    int i = 0;

    at = at < n ? at : n;
    while (i < b->count && b->at[i] < at)
        i++;
    if (i < b->count && b->at[i] == at)
        return;
    memmove(b->at + i + 1, b->at + i, (size_t)(b->count - i) * sizeof b->at[0]);
    b->at[i] = at;
    b->count++;
}

static void add_bounds(bounds *b, const ix *f, int64_t n)
{
    for (int t = 0; t < f->nt; t++)
        if (f->t[t].src == IX_INDEX) {
            add_bound(b, f->t[t].div, n);
            add_bound(b, f->t[t].div * f->t[t].ext, n);
        }
}

/* The step of an address in the digit of the index that begins at `at`. */
static int64_t digit_stride(const ix *f, int64_t at)
{
    int64_t sum = 0;

    for (int t = 0; t < f->nt; t++) {
        const ix_term *x = &f->t[t];
        if (x->src == IX_INDEX && x->div <= at && at < x->div * x->ext)
            sum += x->coef * (at / x->div);
    }
    return sum;
}

/* Adds an outermost loop, or makes the outermost one longer. */
static bool add_level(prog_move *p, int64_t count, ptrdiff_t in, ptrdiff_t out)
{
    if (p->levels > 0 && in == p->in[0] * (ptrdiff_t)p->count[0]
        && out == p->out[0] * (ptrdiff_t)p->count[0]) {
        p->count[0] *= count;
        return true;
    }
    if (p->levels == PROG_MOVE_LEVELS)
        return false;
    memmove(p->count + 1, p->count, (size_t)p->levels * sizeof p->count[0]);
    memmove(p->in + 1, p->in, (size_t)p->levels * sizeof p->in[0]);
    memmove(p->out + 1, p->out, (size_t)p->levels * sizeof p->out[0]);
    p->count[0] = count;
    p->in[0] = in;
    p->out[0] = out;
    p->levels++;
    return true;
}

bool prog_move_of(prog_move *p, const ix *fin, const ix *fout, int64_t n)
{
    const ptrdiff_t iu = (ptrdiff_t)(prog_move_adjacent(p, false) * p->scalar);
    const ptrdiff_t ou = (ptrdiff_t)(prog_move_adjacent(p, true) * p->scalar);
    bounds b = {.count = 0};

    p->levels = 0;
    p->run = 1;
    if (fin->kind != IX_DIGIT || fout->kind != IX_DIGIT)
        return false;
    add_bound(&b, 1, n);
    add_bound(&b, n, n);
    add_bounds(&b, fin, n);
    add_bounds(&b, fout, n);
    for (int i = 0; i + 1 < b.count; i++) {
        const int64_t at = b.at[i], size = b.at[i + 1] / at, in = digit_stride(fin, at),
                      out = digit_stride(fout, at);
        if (b.at[i + 1] % at != 0)
            return false;
        if (p->levels == 0 && in == (int64_t)p->run && out == (int64_t)p->run)
            p->run *= (size_t)size;
        else if (!add_level(p, size, (ptrdiff_t)in * iu, (ptrdiff_t)out * ou))
            return false;
    }
    return true;
}

int64_t prog_move_packets(const prog_move *p)
{
    int64_t count = 1;

    for (int i = 0; i < p->levels; i++)
        count *= p->count[i];
    return count;
}

size_t prog_move_packet_bytes(const prog_move *p)
{
    return p->run * (p->real ? 1 : 2) * p->scalar;
}
