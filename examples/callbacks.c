// SPDX-License-Identifier: BSD-3-Clause
/* Transforms a signal of any length in bounded memory: a stream asks for blocks and returns their
 * spectra. */
#include <sluice.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 1024, BLOCK = 64, TRANSFORMS = 1000 }; /* the last block is a short one */

typedef struct signal_state {
    size_t sent, received, wrong; /* transforms */
} signal_state;

/* Fills a block with as many transforms as are left. Transform number i is i, 0, 0 .. */
static sluice_status get_block(void *user, sluice_slot *slot)
{
    signal_state *s = user;
    const size_t left = TRANSFORMS - s->sent;
    float *in = slot->in; /* re im re im ... */
    if (left == 0)
        return SLUICE_END;
    slot->count = left < BLOCK ? left : BLOCK;
    memset(in, 0, slot->count * POINTS * 2 * sizeof *in);
    for (size_t i = 0; i < slot->count; i++)
        in[i * POINTS * 2] = (float)s->sent++;
    return SLUICE_OK;
}

/* Checks a block; blocks come in order. The transform of i, 0, 0 .. is i everywhere. */
static sluice_status put_block(void *user, sluice_slot *slot)
{
    signal_state *s = user;
    const float *out = slot->out;
    for (size_t i = 0; i < slot->count; i++, s->received++)
        for (size_t k = 0; k < POINTS; k++, out += 2)
            s->wrong += out[0] != (float)s->received || out[1] != 0;
    return SLUICE_OK;
}

static int fail(const char *what, sluice_status status, const sluice_diag *why)
{
    fprintf(stderr, "%s: %s (%s)\n", what, sluice_strerror(status), why->message);
    return 1;
}

int main(void)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_stream_stats stats = {0};
    sluice_diag why = {0};
    const sluice_stream_options options = {.why = &why};
    signal_state state = {0};

    sluice_status status = sluice_machine_open(&machine, NULL, &why);
    if (status == SLUICE_OK) /* the plan's batch is the block */
        status = sluice_plan_from_text(&plan, machine, "c2c:f32:1024*64", NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_stream_run(plan, get_block, put_block, &state, &options, &stats);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    if (status != SLUICE_OK)
        return fail("callbacks", status, &why);
    printf("%zu transforms in %zu blocks, %zu values wrong\n", (size_t)stats.transforms,
           (size_t)stats.blocks, state.wrong);
    return state.received == TRANSFORMS && state.wrong == 0 ? 0 : 1;
}
