// SPDX-License-Identifier: BSD-3-Clause
/* Phases of a program: its statements cut at SYNC, and at both ends of loops that hold one. */
#include "spl/program/prog_phase.h"

bool prog_has_sync(const prog *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (p->stmt[i].op == PROG_SYNC)
            return true;
    return false;
}

/* SYNC, or a loop with one in it. */
static bool ends_phase(const prog *p, size_t at)
{
    return prog_has_sync(p, at, p->stmt[at].end);
}

static void count_statement(prog_phase *phase, const prog_stmt *s)
{
    phase->stages += prog_is_stage(s) && s->op != PROG_COPY;
    phase->moves += s->op == PROG_COPY;
    if (s->op == PROG_LOOP && s->range.kind == SPL_PAR && s->range.n > phase->parts)
        phase->parts = s->range.n;
}

bool prog_phase_next(const prog *p, prog_phase *phase)
{
    size_t i = phase->end;

    while (i < p->nstmts && ends_phase(p, i))
        i++; /* behind a SYNC, or into a loop */
    if (i == p->nstmts)
        return false;
    *phase = (prog_phase){.first = i, .parts = 1};
    const int depth = p->stmt[i].depth;
    while (i < p->nstmts && p->stmt[i].depth == depth && !ends_phase(p, i))
        i = p->stmt[i].end;
    phase->end = i;
    for (i = phase->first; i < phase->end; i++)
        count_statement(phase, &p->stmt[i]);
    return true;
}
