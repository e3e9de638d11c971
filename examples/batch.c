// SPDX-License-Identifier: BSD-3-Clause
/* 4096 transforms of 1024 points in one call, on all cores. */
#include <sluice.h>
#include <stdio.h>

static int fail(const char *what, sluice_status status, const sluice_diag *why)
{
    fprintf(stderr, "%s: %s (%s)\n", what, sluice_strerror(status), why->message);
    return 1;
}

int main(void)
{
    const size_t points = 1024, batch = 4096;
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    float *in = sluice_alloc(points * batch * 2 * sizeof *in); /* re im re im ... */
    float *out = sluice_alloc(points * batch * 2 * sizeof *out);
    if (!in || !out)
        return fail("memory", SLUICE_E_MEMORY, &why);
    for (size_t i = 0; i < points * batch * 2; i++)
        in[i] = i % (points * 2) == 2; /* each transform: an impulse at point 1 */

    sluice_status status = sluice_machine_open(&machine, NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&plan, machine, "c2c:f32:1024*4096", NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_execute(plan, in, out);
    if (status == SLUICE_OK) /* exp(-2 pi i k/1024) at k = 256 is -i */
        printf("out[256] = %.6f %+.6fi\n", (double)out[512], (double)out[513]);

    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    sluice_free(in);
    sluice_free(out);
    return status == SLUICE_OK ? 0 : fail("batch", status, &why);
}
