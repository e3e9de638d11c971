// SPDX-License-Identifier: BSD-3-Clause
/* Sluice's plans with their data on a device, as in programs that keep data there. There may be
 * several ways to run the same kernels: each route is a file here and a line of bench_device.c. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include "bench/bench_options.h"
#include "bench/engine/bench_mirror.h"

typedef struct bench_route {
    const char *name; /* in messages: "OpenCL" */
    /* Does this route lead to these units? */
    bool (*suits)(const char *units);
    /* A machine of the device that `units` name, with their settings. May be called several
     * times. */
    sluice_status (*open)(sluice_machine **out, const peer_settings *s, const char *units,
                          sluice_diag *why);
    void (*close)(void); /* after the last machine */
    const bench_memory *(*memory)(void);
    /* Allocates what executions of a plan need on the device besides arrays. */
    sluice_status (*prepare)(const sluice_plan *plan, sluice_diag *why);
    /* Executes `reps` times, one after another, and waits for the last. */
    bool (*run)(const sluice_plan *plan, const bench_mirror *m, const bench_data *d, size_t reps);
} bench_route;

/* Device memory besides arrays, shared by all plans of a route, which run one after another; NULL:
 * none. */
typedef struct bench_work {
    void *block;
    size_t bytes;
} bench_work;

/* Makes it at least this large; `release` frees what `make` made. E_MEMORY, with a sentence. */
sluice_status bench_work_reserve(bench_work *w, size_t bytes, void *(*make)(size_t bytes),
                                 void (*release)(void *block), sluice_diag *why);

/* Opens a machine whose plans are timed with data on the device; closed by the next. */
sluice_status bench_device_open(sluice_machine **out, const peer_settings *s, const char *units,
                                sluice_diag *why);
/* Closes a machine, however it was opened; NULL is allowed. */
void bench_device_close(sluice_machine *machine);
/* The route of a machine's plans; NULL: they are timed on the host's arrays. */
const bench_route *bench_device_route(const sluice_machine *machine);

/* Takes the units from the environment if the options have none, for peers too. */
void bench_device_units(bench_options *o);
/* Replaces the machine of the options' units by one with data on the device, if options request
 * that or the device has memory of its own; sets peer.on_device. Failures have been reported. */
bench_exit bench_device_choose(bench_options *o, sluice_machine **machine);

extern const bench_route bench_route_opencl, bench_route_cuda;

#endif
