// SPDX-License-Identifier: BSD-3-Clause
/* Units with memory and queues of their own, on a virtual clock: no time passes but where the host
 * waits in finish. Each leg has one engine, which takes blocks in the order of their begin. The
 * copying itself is done in finish, as late as can be, and the output holds nonsense until then, so
 * that a host that reads early or reuses an input is found out. */
#include <string.h>

#include "backends/fake/fake_backend.h"
#include "backends/fake/fake_state.h"
#include "core/mem.h"
#include "core/status.h"

struct backend_ticket {
    const fake_program *program;
    backend_block block;
    double end;            /* on the unit's clock */
    double leg[FAKE_LEGS]; /* microseconds */
};

static const fake_setting leg_setting[FAKE_LEGS] = {FAKE_GET, FAKE_COMPUTE, FAKE_PUT};

/* The lock changes, nothing that is observable does. */
static backend *lock_units(const backend *b)
{
    backend *self = (backend *)(uintptr_t)b;
    pthread_mutex_lock(&self->lock);
    return self;
}

/* Microseconds of `part` of a full block. */
static double leg_time(const backend *b, int leg, double part)
{
    return part * (double)b->setting[leg_setting[leg]]
           + (leg_setting[leg] == FAKE_COMPUTE ? (double)b->setting[FAKE_LAUNCH] : 0);
}

static void time_legs(const backend *b, backend_ticket *t, double slow)
{
    const double part = (double)t->block.count / (double)t->block.full;
    for (int leg = 0; leg < FAKE_LEGS; leg++)
        t->leg[leg] = slow * leg_time(b, leg, part);
}

/* A block goes through the engines from `now` on; the time when it has left the last. */
static double pass_engines(fake_unit *u, const backend_ticket *t)
{
    double at = u->now;
    for (int leg = 0; leg < FAKE_LEGS; leg++) {
        at = (at > u->free[leg] ? at : u->free[leg]) + t->leg[leg];
        u->free[leg] = at;
    }
    return at;
}

/* Counts a call, which fails if that is its number or the unit is lost. Under the lock. */
static sluice_status count_call(backend *b, int unit, long number, fake_setting failing,
                                const char *name)
{
    fake_unit *u = &b->unit[unit];
    const long die = b->setting[FAKE_DIE];
    u->calls++;
    if (die != 0 && unit < b->setting[FAKE_DYING] && u->calls >= die)
        u->lost = true;
    if (u->lost)
        fake_set_fault(b, "FAKE_UNIT_LOST", u->calls);
    else if (number == b->setting[failing])
        fake_set_fault(b, name, number);
    else
        return SLUICE_OK;
    return SLUICE_E_DEVICE;
}

static size_t points_of(const backend_ticket *t)
{
    return t->program->points / t->block.full * t->block.count;
}

static void spoil_output(const backend_ticket *t, size_t points)
{
    const fake_program *p = t->program;
    const sluice_arrays *a = &t->block.arrays;
    memset(a->out, 0xff, points * p->scalar * (p->split_out ? 1 : 2));
    if (p->split_out)
        memset(a->out_im, 0xff, points * p->scalar);
}

int fake_depth(const backend *b)
{
    return (int)b->setting[FAKE_DEPTH];
}

sluice_status fake_begin(const backend_program *program, const backend_block *block,
                         backend_ticket **out)
{
    backend *b = program->owner;
    fake_unit *u = &b->unit[block->unit];
    backend_ticket *t = core_malloc(sizeof *t);
    *out = NULL;
    if (t == NULL)
        return SLUICE_E_MEMORY;
    *t = (backend_ticket){.program = (const fake_program *)program, .block = *block};
    pthread_mutex_lock(&b->lock);
    const long number = ++b->begins;
    sluice_status status = count_call(b, block->unit, number, FAKE_BEGIN, "FAKE_BEGIN_FAILED");
    if (status == SLUICE_OK && u->in_flight == b->setting[FAKE_DEPTH]) {
        fake_set_fault(b, "FAKE_UNIT_FULL", number);
        status = SLUICE_E_DEVICE;
    }
    if (status == SLUICE_OK) {
        u->in_flight++;
        time_legs(b, t, b->setting[FAKE_SLOW] != 0 && number >= b->setting[FAKE_SLOW] ? 10 : 1);
        t->end =
            pass_engines(u, t) + (double)fake_random(b, number, (uint64_t)b->setting[FAKE_LATE]);
    }
    pthread_mutex_unlock(&b->lock);
    if (status != SLUICE_OK) {
        core_free(t);
        return status;
    }
    if (t->block.arrays.in != t->block.arrays.out)
        spoil_output(t, points_of(t));
    *out = t;
    return SLUICE_OK;
}

bool fake_is_done(const backend_ticket *ticket)
{
    backend *b = lock_units(ticket->program->base.owner);
    const bool done = ticket->end <= b->unit[ticket->block.unit].now;
    pthread_mutex_unlock(&b->lock);
    return done;
}

sluice_status fake_finish(backend_ticket *ticket, backend_legs *seconds)
{
    backend *b = ticket->program->base.owner;
    fake_unit *u = &b->unit[ticket->block.unit];
    pthread_mutex_lock(&b->lock);
    const long number = ++b->finishes;
    const sluice_status status =
        count_call(b, ticket->block.unit, number, FAKE_FINISH, "FAKE_FINISH_FAILED");
    u->in_flight--;
    u->now = ticket->end > u->now ? ticket->end : u->now;
    pthread_mutex_unlock(&b->lock);
    fake_dawdle(b, number);
    *seconds = (backend_legs){1e-6 * ticket->leg[0], 1e-6 * ticket->leg[1], 1e-6 * ticket->leg[2]};
    if (status == SLUICE_OK)
        fake_copy(ticket->program, &ticket->block.arrays, points_of(ticket));
    else
        spoil_output(ticket, points_of(ticket) / 2); /* it failed half-way */
    core_free(ticket);
    return status;
}

bool fake_is_alive(const backend *b, int unit)
{
    backend *self = lock_units(b);
    const bool alive = !self->unit[unit].lost;
    pthread_mutex_unlock(&self->lock);
    return alive;
}

void fake_pass_time(backend *b)
{
    pthread_mutex_lock(&b->lock);
    for (int leg = 0; leg < FAKE_LEGS; leg++)
        b->unit[0].now += leg_time(b, leg, 1);
    pthread_mutex_unlock(&b->lock);
}

void fake_wait_until(backend *b, int unit, double seconds)
{
    pthread_mutex_lock(&b->lock);
    if (b->unit[unit].now < 1e6 * seconds)
        b->unit[unit].now = 1e6 * seconds;
    pthread_mutex_unlock(&b->lock);
}

double fake_end(const backend_ticket *ticket)
{
    return 1e-6 * ticket->end;
}

double fake_clock(const backend *b, int unit)
{
    backend *self = lock_units(b);
    const double now = self->unit[unit].now;
    pthread_mutex_unlock(&self->lock);
    return 1e-6 * now;
}
