// SPDX-License-Identifier: BSD-3-Clause
/* OpenCL units under faults of the layer (helper_opencl.h): transforms of impulses, whose values
 * are known, opened, planned and executed; what is checked of each fault. */
#ifndef TESTS_HELPER_FAULTS_H
#define TESTS_HELPER_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "api/sluice.h"
#include "tests/helpers/helper_opencl.h"

enum { FAULTS_POINTS = 64, FAULTS_BATCH = 16, FAULTS_SECONDS = 280 };
#define FAULTS_PROBLEM "c2c:f32:64*16"
/* Arrays of more than a megabyte, which go to devices in pieces. */
#define FAULTS_LARGE "c2c:f32:64*2500"

/* Transform i of block b has b + i + 1 as its first element, and so as all of its spectrum. */
void faults_fill(float *in, size_t block, size_t count);
bool faults_are_right(const float *out, size_t block, size_t count);
/* Fail the test if an object is left, or if a failure has no sentence. */
void faults_leave_nothing(const opencl_layer *layer, const char *faults);
void faults_have_a_sentence(const char *faults, sluice_status status, const sluice_diag *why);
/* Executes a plan of the problem; if it says so, the results are right. */
sluice_status faults_execute(const sluice_plan *plan, sluice_diag *why);
/* Opens, plans and executes twice under faults; the first failure, after which nothing is left. Of
 * another problem than FAULTS_PROBLEM or FAULTS_LARGE nothing is executed. */
sluice_status faults_compute(const opencl_layer *layer, const char *units, const char *problem,
                             const sluice_plan_options *planned, const char *faults,
                             sluice_diag *why);

/* Hooks of FAULTS_PROBLEM that are kernels of the device and change nothing. */
const sluice_plan_options *faults_hooked(void);

struct CMUnitTest;
/* What main does for tests through the layer, which it sets: runs them where every plan compiles,
 * and a folder of their own, mkdtemp's template, is there while they run; what main returns, 77
 * where there is no layer or no device. */
int faults_run(const char *name, const struct CMUnitTest *tests, size_t count, char *folder,
               const opencl_layer **layer);

#endif
