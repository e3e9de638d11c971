// SPDX-License-Identifier: BSD-3-Clause
/* Reproducible plans in tests. Tests fail with the problem's text where one cannot be made. */
#ifndef TESTS_HELPER_REPRODUCIBLE_H
#define TESTS_HELPER_REPRODUCIBLE_H

#include <stdint.h>

#include "api/sluice.h"

/* For so many workers, 0: all. Of effort patient, which is ignored: a plan that is measured would
 * take longer than these tests. */
sluice_plan *reproducible_plan(sluice_machine *m, const char *problem, int workers);
/* The bits of its results, as one number. */
uint64_t reproducible_bits(sluice_machine *m, const char *problem, int workers);

#endif
