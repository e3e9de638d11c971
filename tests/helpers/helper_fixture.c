// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_fixture.h"

#include "backends/fake/fake_backend.h"

static sluice_status run_program(void *user, int team, sluice_slot *slot)
{
    const stream_fixture *r = user;
    const sluice_arrays arrays = {.in = slot->in, .out = slot->out};
    (void)team;
    return r->program->run(r->program, &arrays, NULL, 1);
}

static sluice_status begin_program(void *user, int team, sluice_slot *slot, bool may_wait,
                                   backend_ticket **ticket)
{
    const stream_fixture *r = user;
    const backend_block block = {.arrays = {.in = slot->in, .out = slot->out},
                                 .count = slot->count,
                                 .full = FIXTURE_COUNT,
                                 .unit = team};
    (void)may_wait;
    return fake_backend.team->begin(r->program, &block, ticket);
}

static sluice_status finish_program(void *user, int team, sluice_slot *slot, backend_ticket *ticket,
                                    backend_legs *seconds)
{
    (void)user, (void)team, (void)slot;
    return fake_backend.team->finish(ticket, seconds);
}

static bool unit_is_alive(void *user, int team)
{
    const stream_fixture *r = user;
    return fake_backend.team->is_alive(r->b, team);
}

sluice_status fixture_open(stream_fixture *r, const char *text)
{
    const backend_config config = {.text = text};
    *r = (stream_fixture){.body = {.rows = FIXTURE_COUNT, .cols = FIXTURE_COUNT}};
    sluice_status status = fake_backend.discover->open(&r->b, &config, NULL);
    if (status == SLUICE_OK)
        status = fake_backend.team->prepare(r->b, NULL, &r->body, BACKEND_FUSED, SLUICE_F32,
                                            &r->program, NULL);
    if (status != SLUICE_OK) {
        fake_backend.discover->close(r->b);
        return status;
    }
    for (int i = 0; i < FIXTURE_TEAMS; i++)
        r->team[i] = (stream_team){.compute = run_program,
                                   .depth = fake_backend.team->depth(r->b),
                                   .begin = begin_program,
                                   .is_done = fake_backend.team->is_done,
                                   .finish = finish_program,
                                   .is_alive = unit_is_alive,
                                   .user = r,
                                   .threads = fake_backend.team,
                                   .owner = r->b};
    for (int i = 0; i < FIXTURE_SLOTS; i++)
        r->initial[i] = (sluice_slot){.in = r->in[i], .out = r->out[i], .count = FIXTURE_COUNT};
    return SLUICE_OK;
}

void fixture_close(stream_fixture *r)
{
    fake_backend.team->release(r->program);
    fake_backend.discover->close(r->b);
}

sluice_status fixture_pipeline(stream_fixture *r, const stream_schedule *schedule, int slots,
                               stream_pipeline **out)
{
    const stream_config config = {
        .team = r->team, .schedule = *schedule, .slots = slots, .initial = r->initial};
    return stream_pipeline_open(out, &config, NULL);
}

void fixture_fill(fixture_item *items, uint64_t k, size_t count)
{
    for (size_t i = 0; i < count; i++)
        items[i] = (fixture_item){(float)k, (float)i};
}

bool fixture_holds(const fixture_item *items, uint64_t k, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].block != (float)k || items[i].index != (float)i)
            return false;
    return true;
}

sluice_diag fixture_fault(const stream_fixture *r)
{
    sluice_diag fault = {0};
    (void)fake_backend.discover->fault(r->b, 0, &fault);
    return fault;
}
