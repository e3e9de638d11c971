// SPDX-License-Identifier: BSD-3-Clause
/* Blocks copied between the host's arrays and a slot, in packets of adjacent elements. */
#include <string.h>

#include "sched/plan/plan_passes.h"

static bool is_split(const prog *p, int buf)
{
    return (buf == 0 && p->sides.in_layout == SLUICE_SPLIT)
           || (buf == 1 && p->sides.out_layout == SLUICE_SPLIT);
}

sched_pass_move sched_pass_move_of(const prog *p, const prog_stmt *copy, size_t scalar)
{
    sched_pass_move m = {.stmt = copy,
                         .move = {.from = copy->in,
                                  .to = copy->out,
                                  .scalar = scalar,
                                  .real = prog_scalars(&p->buf[copy->in]) == 1,
                                  .split_in = is_split(p, copy->in),
                                  .split_out = is_split(p, copy->out)}};

    m.packets = prog_move_of(&m.move, copy->fin, copy->fout, copy->fin->n);
    return m;
}

/* `run` adjacent elements; im NULL: re and im lie side by side. */
static void copy_packet(const prog_move *m, sched_host_array from, sched_host_array to, size_t run)
{
    const size_t scalar = m->scalar;

    if (m->split_in == m->split_out) {
        memcpy(to.re, from.re, run * prog_move_adjacent(m, false) * scalar);
        if (to.im)
            memcpy(to.im, from.im, run * scalar);
        return;
    }
    for (size_t i = 0; i < run; i++) {
        char *re = to.re + i * prog_move_adjacent(m, true) * scalar;
        const char *x = from.re + i * prog_move_adjacent(m, false) * scalar;
        memcpy(re, x, scalar);
        memcpy(to.im ? to.im + i * scalar : re + scalar,
               from.im ? from.im + i * scalar : x + scalar, scalar);
    }
}

static sched_host_array array_moved_by(sched_host_array a, ptrdiff_t bytes)
{
    return (sched_host_array){a.re + bytes, a.im ? a.im + bytes : NULL};
}

static void copy_level(const prog_move *m, int level, sched_host_array from, sched_host_array to)
{
    if (level == m->levels || level == PROG_MOVE_LEVELS) {
        copy_packet(m, from, to, m->run);
        return;
    }
    for (int64_t i = 0; i < m->count[level]; i++)
        copy_level(m, level + 1, array_moved_by(from, (ptrdiff_t)i * m->in[level]),
                   array_moved_by(to, (ptrdiff_t)i * m->out[level]));
}

static ptrdiff_t bytes_to(const prog_move *m, bool output, int64_t element)
{
    return (ptrdiff_t)element * (ptrdiff_t)(prog_move_adjacent(m, output) * m->scalar);
}

void sched_pass_move_run(const sched_pass_move *m, int var, int64_t k, sched_host_array from,
                         sched_host_array to)
{
    const prog_stmt *s = m->stmt;
    int64_t vars[IX_MAX_VARS] = {0};

    vars[var] = k;
    for (int64_t i = 0; i < (m->packets ? 1 : s->fin->n); i++) {
        const sched_host_array in =
            array_moved_by(from, bytes_to(&m->move, false, ix_eval(s->fin, i, vars)));
        const sched_host_array out =
            array_moved_by(to, bytes_to(&m->move, true, ix_eval(s->fout, i, vars)));
        if (m->packets)
            copy_level(&m->move, 0, in, out);
        else
            copy_packet(&m->move, in, out, 1);
    }
}
