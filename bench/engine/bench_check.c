// SPDX-License-Identifier: BSD-3-Clause
/* Relative L2 distance between the outputs of two engines. */
#include "bench/engine/bench_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/engine/bench_fault.h"
#include "bench/report/bench_say.h"

static const double tolerance[] = {[SLUICE_F32] = 1e-5, [SLUICE_F64] = 1e-13};

static double value_at(const void *block, size_t i, sluice_precision precision)
{
    return precision == SLUICE_F64 ? ((const double *)block)[i] : (double)((const float *)block)[i];
}

/* Scaled by the largest value: in place, squares of the data's small values would underflow. */
static double distance(const void *a, const void *reference, size_t count,
                       sluice_precision precision)
{
    double largest = 0, difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(value_at(reference, i, precision)));
    if (largest == 0)
        return INFINITY;
    for (size_t i = 0; i < count; i++) {
        double x = value_at(a, i, precision) / largest;
        double y = value_at(reference, i, precision) / largest;
        difference += (x - y) * (x - y);
        norm += y * y;
    }
    return sqrt(difference / norm);
}

static bool compute(const char *label, bench_engine *e, const bench_shape *shape, bench_data *d)
{
    bench_fault_at(label, e->name);
    bench_data_fill(d, shape);
    return e->calls->time(e, d, 1) >= 0;
}

static bench_exit compare(const char *label, const bench_shape *shape, const bench_engine *e,
                          const void *output, const void *reference, size_t bytes)
{
    sluice_precision precision = shape->problem.precision;
    double error = distance(output, reference, bytes / shape->scalar, precision);
    bool good = error <= tolerance[precision]; /* false for NaN, too */
    fprintf(stderr, "check %s %s workers=%d error=%.2e bound=%.0e %s\n", label, e->name, e->workers,
            error, tolerance[precision], good ? "PASS" : "FAIL");
    return good ? BENCH_DONE : BENCH_CHECK_FAILED;
}

/* A peer that others contradict is left out; where sluice stands alone, sluice may be wrong. */
static void leave_out(bench_engine *engine, int engines)
{
    bool alone = true;
    for (int i = 1; i < engines; i++)
        alone = alone && (engine[i].role != BENCH_PEER || engine[i].failed);
    engine[0].failed = alone;
}

/* Compares each engine's output with the reference and leaves out what differs. */
static bench_exit check_all(const char *label, const bench_shape *shape, bench_engine *engine,
                            int engines, bench_data *data, const void *reference)
{
    bench_exit worst = BENCH_DONE;
    for (int i = 1; i < engines && worst != BENCH_IO; i++) {
        bench_exit status = BENCH_IO;
        if (compute(label, &engine[i], shape, data))
            status = compare(label, shape, &engine[i], data->out_block, reference, data->out_bytes);
        engine[i].failed = status != BENCH_DONE;
        worst = status > worst ? status : worst;
    }
    if (worst != BENCH_DONE)
        leave_out(engine, engines);
    return worst;
}

bench_exit bench_check(const char *label, const bench_shape *shape, bench_engine *engine,
                       int engines, bench_data *data)
{
    void *reference = sluice_alloc(data->out_bytes);
    bool peers = false;
    if (!reference || !compute(label, &engine[0], shape, data)) {
        bench_complain("%s: the check could not run", label);
        sluice_free(reference);
        return BENCH_IO;
    }
    memcpy(reference, data->out_block, data->out_bytes);
    bench_exit worst = check_all(label, shape, engine, engines, data, reference);
    for (int i = 1; i < engines; i++)
        peers = peers || engine[i].role == BENCH_PEER;
    if (!peers) {
        fprintf(stderr, "check %s: no peer to compare with FAIL\n", label);
        worst = worst > BENCH_CHECK_FAILED ? worst : BENCH_CHECK_FAILED;
    }
    sluice_free(reference);
    return worst;
}
