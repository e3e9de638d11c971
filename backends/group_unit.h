// SPDX-License-Identifier: BSD-3-Clause
/* What graphics processors have that no interface tells: the same for those of the last ten
 * years. */
#ifndef BACKENDS_GROUP_UNIT_H
#define BACKENDS_GROUP_UNIT_H

#include <stdbool.h>
#include <string.h>

#include "backends/backend.h"

/* 32-bit registers of a compute unit; bytes that memory moves at once. */
enum { GROUP_UNIT_REGISTERS = 65536, GROUP_UNIT_LINE = 128 };

/* Bytes on their way: latency times bandwidth of a unit, 0.7 us and 4.3 TB/s of 132 units (H200),
 * is 23 KB; three times that, as a group computes between its loads and stores. Items: half the 20
 * warps of those kernels that have it by ptxas' registers (1024 points as 32 x 32: 5 groups of 128)
 * must be there, which leaves 204 registers. A pass moves 8 bytes of f32 each way in about a cycle
 * and a half of a unit. The parts order plans as the counts of `emit --target counts` do: local
 * memory is busy for a third of a pass of one exchange, most of it at the same time as memory. A
 * kernel behind another begins a microsecond after it, the cycles of 132 units. None
 * of this was measured on a graphics processor. */
static const backend_groups group_unit_price = {
    .items = 128,
    .resident_items = 320,
    .full_items = 640,
    .resident_groups = 32,
    .item_registers = 32,
    .flight_bytes = 70 << 10,
    .byte_cycles = 0.1,
    .exchange = 0.2,
    .few_items = 0.5,
    .little_flight = 1,
    .short_run = 0.15,
    .halves = 1.5,
    .launch = 2e5,
};

/* Local memory of a unit of NVIDIA's, in KiB, by compute capability, and what each group takes of it
 * besides its own: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute
 * Capability" (maximum amount of shared memory per multiprocessor; per thread block, less what the
 * system takes from 8.0 on). 0: not known. */
static inline size_t group_unit_shared_kib(int major, int minor)
{
    static const struct {
        int major, minor; /* minor -1: all others */
        size_t kib;
    } known[] = {{5, 2, 96},    {5, -1, 64},   {6, 1, 96},   {6, -1, 64},  {7, 5, 64},
                 {7, -1, 96},   {8, 0, 164},   {8, 7, 164},  {8, -1, 100}, {9, -1, 228},
                 {10, -1, 228}, {11, -1, 228}, {12, -1, 100}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].major == major && (known[i].minor == minor || known[i].minor < 0))
            return known[i].kib;
    return 0;
}

static inline size_t group_unit_shared_own(int major)
{
    return major >= 8 ? 1 << 10 : 0;
}

/* A processor's core runs the items of a group in a loop, in vectors, so that nothing is on its way
 * and none has to be resident; registers of items that wait for others are memory. Measured with
 * PoCL 3.1 (docs/log/devices.md). */
static const backend_groups group_core_price = {
    .items = 128,
    .resident_items = 320,
    .item_registers = 32,
    .byte_cycles = 0.1,
    .exchange = 0.2,
    .halves = 1.5,
    .kept = 0.2,
    .idle = 0.01,
    .apart = 0.005,
};

static const char *const group_unit_twiddles[] = {
    [SLUICE_TWIDDLES_TABLE] = "table",
    [SLUICE_TWIDDLES_SINCOS] = "sincos",
    [SLUICE_TWIDDLES_NATIVE] = "native",
};

/* "twiddles=WORD" of a unit string; false: it is none. */
static inline bool group_unit_read_twiddles(const char *field, sluice_twiddles *out)
{
    static const char key[] = "twiddles=";

    for (int i = 0; i <= SLUICE_TWIDDLES_NATIVE && strncmp(field, key, sizeof key - 1) == 0; i++)
        if (strcmp(field + sizeof key - 1, group_unit_twiddles[i]) == 0) {
            *out = (sluice_twiddles)i;
            return true;
        }
    return false;
}

#endif
