// SPDX-License-Identifier: BSD-3-Clause
/* A stream that reads and writes the program's own arrays, without a copy: each slot is given
 * pointers into them between acquire and submit. */
#include <sluice.h>
#include <stdio.h>

enum { POINTS = 512, BLOCK = 32, BLOCKS = 20, SCALARS = POINTS * BLOCK * 2 /* of a block */ };

/* Submits the next block to the stream. SLUICE_AGAIN: all slots are in flight. */
static sluice_status submit(sluice_stream *stream, float *in, float *out, size_t block)
{
    sluice_slot *slot;
    sluice_status status = sluice_stream_acquire(stream, &slot, 0);
    if (status != SLUICE_OK)
        return status;
    slot->in = in + block * SCALARS;
    slot->out = out + block * SCALARS;
    status = sluice_stream_submit(stream, slot);
    return status == SLUICE_OK && block + 1 == BLOCKS ? sluice_stream_finish(stream) : status;
}

/* Waits for the oldest block and releases its slot. SLUICE_END: there are no more blocks. */
static sluice_status reap(sluice_stream *stream)
{
    sluice_slot *slot;
    sluice_status status = sluice_stream_reap(stream, &slot, -1);
    if (status != SLUICE_OK)
        return status;
    const sluice_status computed = slot->status;
    status = sluice_stream_release(stream, slot);
    return computed == SLUICE_OK ? status : computed;
}

static sluice_status transform_all(sluice_stream *stream, float *in, float *out)
{
    sluice_status status = SLUICE_OK;
    for (size_t block = 0; status == SLUICE_OK;) {
        sluice_status given = block < BLOCKS ? submit(stream, in, out, block) : SLUICE_AGAIN;
        if (given == SLUICE_OK)
            block++;
        else
            status = given == SLUICE_AGAIN ? reap(stream) : given;
    }
    return status == SLUICE_END ? SLUICE_OK : status;
}

/* The transform of i, 0, 0 .. is i everywhere. */
static size_t count_wrong(const float *out)
{
    size_t wrong = 0;
    for (size_t k = 0; k < (size_t)BLOCKS * BLOCK * POINTS; k++)
        wrong += out[2 * k] != (float)(k / POINTS) || out[2 * k + 1] != 0;
    return wrong;
}

static int fail(const char *what, sluice_status status, const sluice_diag *why)
{
    fprintf(stderr, "%s: %s (%s)\n", what, sluice_strerror(status), why->message);
    return 1;
}

int main(void)
{
    const size_t scalars = (size_t)BLOCKS * SCALARS;
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_stream *stream = NULL;
    sluice_diag why = {0};
    float *in = sluice_alloc(scalars * sizeof *in), *out = sluice_alloc(scalars * sizeof *out);
    sluice_status status = in && out ? SLUICE_OK : SLUICE_E_MEMORY;
    for (size_t i = 0; in && i < scalars; i++)
        in[i] = i % (POINTS * 2) == 0 ? (float)(i / (POINTS * 2)) : 0;

    if (status == SLUICE_OK)
        status = sluice_machine_open(&machine, NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&plan, machine, "c2c:f32:512*32", NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_stream_open(&stream, plan, NULL, &why);
    if (status == SLUICE_OK)
        status = transform_all(stream, in, out);
    sluice_stream_close(stream); /* before the arrays are freed: waits for blocks in flight */
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);

    const size_t wrong = status == SLUICE_OK ? count_wrong(out) : 0;
    sluice_free(in);
    sluice_free(out);
    if (status != SLUICE_OK)
        return fail("own_arrays", status, &why);
    printf("%d blocks, none copied, %zu values wrong\n", BLOCKS, wrong);
    return wrong == 0 ? 0 : 1;
}
