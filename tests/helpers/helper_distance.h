// SPDX-License-Identifier: BSD-3-Clause
/* How far the outputs of two plans of one problem are apart. */
#ifndef TESTS_HELPER_DISTANCE_H
#define TESTS_HELPER_DISTANCE_H

#include "tests/helpers/helper_plan.h"

/* The relative difference of two outputs of complex numbers. */
double distance_of(const plan_data *a, const plan_data *b);
/* Its bound: that of docs/TESTING.md, convolutions included. */
double distance_bound(const plan_data *d);

#endif
