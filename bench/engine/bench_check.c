// SPDX-License-Identifier: BSD-3-Clause
/* Relative L2 distance between the outputs of two engines. */
#include "bench/engine/bench_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/engine/bench_elements.h"
#include "bench/engine/bench_fault.h"
#include "bench/report/bench_say.h"

static const double tolerance[] = {[SLUICE_F32] = 1e-5, [SLUICE_F64] = 1e-13};

static double number_at(const void *block, size_t i, sluice_precision precision)
{
    return precision == SLUICE_F64 ? ((const double *)block)[i] : (double)((const float *)block)[i];
}

/* Relative L2 distance. Values are scaled by the largest: the squares of in-place data would
 * underflow. */
static double relative_distance(const void *a, const void *reference, size_t count,
                                sluice_precision precision)
{
    double largest = 0, difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(number_at(reference, i, precision)));
    if (largest == 0)
        return INFINITY;
    for (size_t i = 0; i < count; i++) {
        double x = number_at(a, i, precision) / largest;
        double y = number_at(reference, i, precision) / largest;
        difference += (x - y) * (x - y);
        norm += y * y;
    }
    return sqrt(difference / norm);
}

static bool run_engine_once(const char *label, bench_engine *e, const bench_shape *shape,
                            bench_data *d)
{
    bench_fault_at(label, e->name);
    bench_data_fill(d, shape);
    return bench_engine_once(e, d);
}

static bench_exit compare_output(const char *label, const bench_shape *shape, const bench_engine *e,
                                 const void *output, const void *reference)
{
    sluice_precision precision = shape->problem.precision;
    double error = relative_distance(output, reference, bench_output_scalars(shape), precision);
    bool good = error <= tolerance[precision]; /* false for NaN, too */
    fprintf(stderr, "check %s %s workers=%d error=%.2e bound=%.0e %s\n", label, e->name, e->workers,
            error, tolerance[precision], good ? "PASS" : "FAIL");
    return good ? BENCH_DONE : BENCH_CHECK_FAILED;
}

/* Peers that differ are omitted; if no peer agrees with sluice, sluice itself counts as wrong. */
static void judge_sluice(bench_engine *engine, int engines)
{
    bool no_peer_left = true;
    for (int i = 1; i < engines; i++)
        no_peer_left = no_peer_left && (engine[i].role != BENCH_PEER || engine[i].failed);
    engine[0].failed = no_peer_left;
}

/* Compares each engine's output with the reference and omits engines that differ. */
static bench_exit check_engines(const char *label, const bench_shape *shape, bench_engine *engine,
                                int engines, bench_data *data, void *output, const void *reference)
{
    bench_exit worst = BENCH_DONE;
    for (int i = 1; i < engines && worst != BENCH_IO; i++) {
        bench_exit status = BENCH_IO;
        if (engine[i].role != BENCH_PEER)
            continue;
        if (run_engine_once(label, &engine[i], shape, data)) {
            bench_pack_output(shape, data, output);
            status = compare_output(label, shape, &engine[i], output, reference);
        }
        engine[i].failed = status != BENCH_DONE;
        worst = status > worst ? status : worst;
    }
    if (worst != BENCH_DONE)
        judge_sluice(engine, engines);
    return worst;
}

bench_exit bench_check(const char *label, const bench_shape *shape, bench_engine *engine,
                       int engines, bench_data *data)
{
    const size_t bytes = bench_output_scalars(shape) * shape->scalar;
    void *reference = sluice_alloc(bytes), *output = sluice_alloc(bytes);
    bool peers = false;
    if (!reference || !output || !run_engine_once(label, &engine[0], shape, data)) {
        bench_complain("%s: the check could not run", label);
        sluice_free(reference);
        sluice_free(output);
        return BENCH_IO;
    }
    bench_pack_output(shape, data, reference);
    bench_exit worst = check_engines(label, shape, engine, engines, data, output, reference);
    for (int i = 1; i < engines; i++)
        peers = peers || engine[i].role == BENCH_PEER;
    if (!peers) {
        fprintf(stderr, "check %s: no peer to compare with FAIL\n", label);
        worst = worst > BENCH_CHECK_FAILED ? worst : BENCH_CHECK_FAILED;
    }
    sluice_free(reference);
    sluice_free(output);
    return worst;
}
