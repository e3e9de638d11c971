// SPDX-License-Identifier: BSD-3-Clause
/* Tests of plans for groups of work-items: a machine that plans for a GPU and computes by the
 * reference, and the kernels of its plans. */
#ifndef TESTS_HELPER_GROUPS_H
#define TESTS_HELPER_GROUPS_H

#include "sched/plan/plan.h"
#include "spl/emit/print_opencl.h"

/* The machine "ref:gpu" and its unit, between the setup and the teardown of a group of tests. */
extern sluice_machine *groups_gpu;
extern sluice_unit_info groups_unit;
int groups_setup(void **state);
int groups_teardown(void **state);

/* The kernels of a plan, freed by device_program_free. */
device_program groups_kernels(const sluice_plan *plan);
/* Does each kernel fit a device, with nothing left to the printer? Fails the test if not. */
void groups_check_kernels(const char *name, const device_program *made);
/* Prints the plan as so many launches, has the reference compute it, destroys it. */
void groups_check_plan(const char *problem, sluice_plan *plan, int launches);
/* The same of what is planned for the problem. */
void groups_check(const char *problem, int launches);

#endif
