// SPDX-License-Identifier: BSD-3-Clause
/* A user's program, in C and in C++: an impulse, transformed. What it defines has names that the
 * library uses inside. */
#include <sluice.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
int core_add(int a, int b);
int spl_parse(void);
int dft32_avx2_f32_x = 1;
int core_add(int a, int b)
{
    return a + b;
}
int spl_parse(void)
{
    return 0;
}

int transform(void);
int transform(void)
{
    float in[64] = {0}, out[64];
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_problem problem;
    sluice_diag why;
    in[2] = 1;

    sluice_status status = sluice_machine_open(&machine, NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_problem_parse(&problem, "c2c:f32:32", &why);
    if (status == SLUICE_OK)
        status = sluice_plan_create(&plan, machine, &problem, NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_execute(plan, in, out);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    if (status != SLUICE_OK)
        return puts(why.message), 1;
    /* exp(-2 pi i k/32) at k = 8 */
    return core_add(dft32_avx2_f32_x, spl_parse()) == 1 && out[16] * out[16] < 1e-12
                   && out[17] < -0.999999 && out[17] > -1.000001
               ? 0
               : 1;
}
#ifdef __cplusplus
}
#endif

#ifndef PLUGIN
int main(void)
{
    return transform();
}
#endif
