// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tuning/bench_twiddles.h"

#include <stdio.h>
#include <string.h>

#include "bench/device/bench_device.h"
#include "bench/engine/bench_sluice.h"
#include "bench/report/bench_say.h"

const char *const bench_twiddles_name[BENCH_TWIDDLES] = {"sincos", "native"};

static bool has_forms(const char *units)
{
    static const char kind[] = "opencl";
    return units && strncmp(units, kind, sizeof kind - 1) == 0 && !strchr(units, ',')
           && !strstr(units, "twiddles=");
}

void bench_twiddles_open(bench_twiddles *t, const bench_options *o)
{
    *t = (bench_twiddles){{NULL}};
    for (int i = 0; i < BENCH_TWIDDLES && has_forms(o->units); i++) {
        char units[256];
        sluice_diag why = {0};
        const sluice_machine_options options = {.units = units};
        snprintf(units, sizeof units, "%s:twiddles=%s", o->units, bench_twiddles_name[i]);
        const sluice_status status = o->peer.on_device
                                         ? bench_device_open(&t->machine[i], &o->peer, units, &why)
                                         : sluice_machine_open(&t->machine[i], &options, &why);
        if (status != SLUICE_OK)
            bench_warn_once("without computed twiddles: %s", why.message);
    }
}

void bench_twiddles_close(bench_twiddles *t)
{
    for (int i = 0; i < BENCH_TWIDDLES; i++)
        bench_device_close(t->machine[i]);
}

bool bench_twiddles_plan(const bench_twiddles *t, int i, const sluice_problem *problem,
                         bench_engine *out)
{
    sluice_diag why = {0};
    if (!t->machine[i])
        return false;
    if (bench_sluice_open(out, t->machine[i], problem, SLUICE_ESTIMATE, &why) != SLUICE_OK) {
        bench_warn_once("twiddles %s: %s", bench_twiddles_name[i], why.message);
        return false;
    }
    out->role = BENCH_PEER;
    out->name = bench_twiddles_name[i];
    return true;
}
