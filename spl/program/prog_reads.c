// SPDX-License-Identifier: BSD-3-Clause
/* How often a program reads its input. */
#include "spl/program/program.h"

/* The number of elements of IN that the statements first .. end-1 read. A loop over shares of
 * another one runs over all of them together. */
static double count_reads(const prog *p, size_t first, size_t end)
{
    double n = 0;

    for (size_t i = first; i < end; i = p->stmt[i].end) {
        const prog_stmt *s = &p->stmt[i];
        if (s->op == PROG_LOOP)
            n += (double)s->range.n / (s->range.share_var >= 0 ? (double)s->range.shares : 1)
                 * count_reads(p, i + 1, s->end);
        else if (s->op != PROG_SYNC && s->in == 0)
            n += (double)s->fin->n;
    }
    return n;
}

bool prog_reads_once(const prog *p)
{
    return count_reads(p, 0, p->nstmts) <= (double)p->cols + 0.5;
}
