// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_rig.h"

#include "backends/fake/fake_backend.h"

static sluice_status compute(void *user, int team, sluice_slot *slot)
{
    const rig *r = user;
    const sluice_arrays arrays = {.in = slot->in, .out = slot->out};
    (void)team;
    return r->program->run(r->program, &arrays, NULL, 1);
}

sluice_status rig_open(rig *r, const char *text)
{
    const backend_config config = {.text = text};
    *r = (rig){.body = {.rows = RIG_COUNT, .cols = RIG_COUNT}};
    sluice_status status = fake_backend.discover->open(&r->b, &config, NULL);
    if (status == SLUICE_OK)
        status = fake_backend.team->prepare(r->b, NULL, &r->body, BACKEND_FUSED, SLUICE_F32,
                                            &r->program, NULL);
    if (status != SLUICE_OK) {
        fake_backend.discover->close(r->b);
        return status;
    }
    for (int i = 0; i < RIG_TEAMS; i++)
        r->team[i] = (stream_team){
            .compute = compute, .user = r, .threads = fake_backend.team, .owner = r->b};
    for (int i = 0; i < RIG_SLOTS; i++)
        r->initial[i] = (sluice_slot){.in = r->in[i], .out = r->out[i], .count = RIG_COUNT};
    return SLUICE_OK;
}

void rig_close(rig *r)
{
    fake_backend.team->release(r->program);
    fake_backend.discover->close(r->b);
}

sluice_status rig_pipeline(rig *r, const stream_schedule *schedule, int slots,
                           stream_pipeline **out)
{
    const stream_config config = {
        .team = r->team, .schedule = *schedule, .slots = slots, .initial = r->initial};
    return stream_pipeline_open(out, &config, NULL);
}

void rig_fill(rig_item *items, uint64_t k, size_t count)
{
    for (size_t i = 0; i < count; i++)
        items[i] = (rig_item){(float)k, (float)i};
}

bool rig_holds(const rig_item *items, uint64_t k, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].block != (float)k || items[i].index != (float)i)
            return false;
    return true;
}

sluice_diag rig_fault(const rig *r)
{
    sluice_diag fault = {0};
    (void)fake_backend.discover->fault(r->b, 0, &fault);
    return fault;
}
