// SPDX-License-Identifier: BSD-3-Clause
/* Tests on machines of every instruction set that this processor has. */
#ifndef TESTS_HELPER_MACHINES_H
#define TESTS_HELPER_MACHINES_H

#include <stdint.h>

#include "api/sluice.h"

typedef void machine_test(sluice_machine *m);

/* Calls the test with a machine of `units` of each of plan_isas, and closes it. */
void machines_of_isas(const char *units, machine_test *test);
/* With the reference, "ref:2", and then with three cores of each. */
void machines_of_all(machine_test *test);

/* Plans the problem, which has to pass sluice_plan_verify. */
void machine_verify(sluice_machine *m, const char *problem);
/* Plans it for 1, 2 and 3 workers, whose results must have the same bits. */
void machine_check_workers(sluice_machine *m, const char *problem, uint64_t seed);

#endif
