// SPDX-License-Identifier: BSD-3-Clause
/* Copies blocks between the host's arrays and a unit, in packets of adjacent elements. In a block,
 * element i is at index i. */
#include <string.h>

#include "core/copy.h"
#include "core/status.h"
#include "sched/plan/plan_passes.h"

sluice_status sched_pass_move_of(sched_pass_move *out, const prog *p, const prog_stmt *copy,
                                 size_t scalar, sluice_diag *why)
{
    *out = (sched_pass_move){.host = copy->put ? copy->fout : copy->fin,
                             .move = {.from = copy->in,
                                      .to = copy->out,
                                      .scalar = scalar,
                                      .real = prog_scalars(&p->buf[copy->in]) == 1,
                                      .split_in = prog_is_split(p, copy->in),
                                      .split_out = prog_is_split(p, copy->out),
                                      .non_temporal = copy->put}};
    if (!ix_is_identity(copy->put ? copy->fin : copy->fout))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "a block of a stream is not got and put as it is computed");
    out->packets = prog_move_of(&out->move, copy->fin, copy->fout, copy->fin->n);
    return SLUICE_OK;
}

/* Shorter runs are parts of lines, which non-temporal stores would write one by one. */
enum { LEAST_AWAY = 512 };

static void copy_run(char *to, const char *from, size_t bytes, bool away)
{
    if (away && bytes >= LEAST_AWAY)
        core_copy_away(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

/* Copies `run` adjacent elements; im NULL: re and im are interleaved. */
static void copy_packet(const prog_move *m, sched_host_array from, sched_host_array to, size_t run)
{
    const size_t scalar = m->scalar;

    if (m->split_in == m->split_out) {
        copy_run(to.re, from.re, run * prog_move_adjacent(m, false) * scalar, m->non_temporal);
        if (to.im)
            copy_run(to.im, from.im, run * scalar, m->non_temporal);
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

/* The place of a packet in the host's memory. Packets follow one another as the digits of an
 * odometer count. */
typedef struct odometer {
    int64_t digit[PROG_MOVE_LEVELS];
    ptrdiff_t at; /* bytes */
} odometer;

static const ptrdiff_t *host_strides(const sched_pass_move *m, bool put)
{
    return put ? m->move.out : m->move.in;
}

static odometer odometer_at(const sched_pass_move *m, bool put, int64_t packet)
{
    odometer o = {.at = 0};

    for (int i = m->move.levels - 1; i >= 0; i--) {
        o.digit[i] = packet % m->move.count[i];
        o.at += (ptrdiff_t)o.digit[i] * host_strides(m, put)[i];
        packet /= m->move.count[i];
    }
    return o;
}

static void odometer_step(odometer *o, const sched_pass_move *m, bool put)
{
    for (int i = m->move.levels - 1; i >= 0; i--) {
        o->at += host_strides(m, put)[i];
        if (++o->digit[i] < m->move.count[i])
            return;
        o->at -= (ptrdiff_t)m->move.count[i] * host_strides(m, put)[i];
        o->digit[i] = 0;
    }
}

static void move_packet(const sched_pass_move *m, bool put, sched_host_array host, char *block,
                        size_t run)
{
    const sched_host_array inner = {block, NULL};

    copy_packet(&m->move, put ? inner : host, put ? host : inner, run);
}

void sched_pass_move_run(const sched_pass_move *m, const sched_pass_part *part,
                         sched_host_array host, char *block)
{
    const bool put = part->put;
    const size_t run = m->packets ? m->move.run : 1;
    const size_t inner = prog_move_adjacent(&m->move, !put) * m->move.scalar;
    const size_t outer = prog_move_adjacent(&m->move, put) * m->move.scalar;
    const int64_t end = part->first + part->count;
    int64_t vars[IX_MAX_VARS] = {0}, each;
    odometer o = odometer_at(m, put, part->first / (int64_t)run);

    vars[part->var] = part->iteration;
    const ptrdiff_t base = (ptrdiff_t)(ix_eval(m->host, 0, vars) * (int64_t)outer);
    for (int64_t i = part->first; i < end; i += each) {
        const int64_t within = i % (int64_t)run, left = end - i;
        each = (int64_t)run - within < left ? (int64_t)run - within : left;
        const ptrdiff_t at = m->packets ? base + o.at + (ptrdiff_t)within * (ptrdiff_t)outer
                                        : (ptrdiff_t)(ix_eval(m->host, i, vars) * (int64_t)outer);
        move_packet(m, put, array_moved_by(host, at), block, (size_t)each);
        block += (size_t)each * inner;
        odometer_step(&o, m, put);
    }
}
