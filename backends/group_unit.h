// SPDX-License-Identifier: BSD-3-Clause
/* Properties of graphics processors that no interface reports: they are the same for those of the
 * last ten years. */
#ifndef BACKENDS_GROUP_UNIT_H
#define BACKENDS_GROUP_UNIT_H

#include <stdbool.h>
#include <string.h>

#include "backends/backend.h"
#include "spl/emit/print_opencl.h"

/* 32-bit registers of a compute unit; bytes of a line of memory. */
enum { GROUP_UNIT_REGISTERS = 65536, GROUP_UNIT_LINE = 128 };

/* What the kernels of such units have at most, see most_items, most_points and most_prime of
 * backend_groups: as many items and points as kernels are printed for. A prime number of points
 * takes about as many operations as its square. On an H200, 37 points take a quarter of the time of
 * their convolution; 47 have more operations than a codelet may have (GEN_NODES), which test_groups
 * asks the generator. */
#define GROUP_UNIT_LIMITS                                                                          \
    .most_items = SPL_OPENCL_ITEMS, .most_points = SPL_OPENCL_LARGEST, .most_prime = 43

/* Measured on an H200 (docs/log/gpu.md), 196 passes of batches of 2^4 to 2^13 points, f32 and f64.
 * The model
 *     pass / copy = 1.03 + 0.08 / groups + 0.19 factors / cache left + ..
 * chooses radices that are 1.4 % from the fastest in geometric mean, 4 % at most. A pass moves 8
 * bytes of f32 each way in about a cycle and a half of a unit; a kernel takes 2.5 microseconds
 * besides, in the cycles of 132 units. At least half of 20 warps must be resident, which leaves 204
 * registers to an item. Stages of 64 points with twiddle factors take 1.4 times as long. */
static const backend_groups group_unit_price = {
    GROUP_UNIT_LIMITS,     .items = 64,         .resident_items = 320,  .resident_groups = 32,
    .item_registers = 32,  .most_twiddled = 32, .group_bytes = 2 << 10, .run_bytes = 256,
    .byte_cycles = 0.1,    .exchange = 0.008,   .alone = 0.08,          .factors = 0.19,
    .factors_most = 0.4,   .few_items = 0.5,    .small_group = 0.25,    .short_run = 0.03,
    .short_sector = 0.5,   .turn = 0.008,       .first_idle = 0.02,     .last_idle = 0.05,
    .first_point = 0.0008, .halves = 1.5,       .launch = 5.8e5,        .stage = 3.2e4,
    .point = 2e3,
};

/* Memory of a unit of NVIDIA's in KiB, by compute capability: local memory; local memory and
 * first-level cache together. CUDA C++ Programming Guide 13.0, "Technical Specifications per
 * Compute Capability" (maximum amount of shared memory per multiprocessor, unified data cache). */
typedef struct group_unit_memory {
    int major, minor; /* minor -1: all others */
    size_t shared, all;
} group_unit_memory;

/* All members are 0 if the capability is not known. */
static inline group_unit_memory group_unit_memory_of(int major, int minor)
{
    static const group_unit_memory known[] = {
        {5, 2, 96, 0},     {5, -1, 64, 0},    {6, 1, 96, 0},      {6, -1, 64, 0},
        {7, 5, 64, 96},    {7, -1, 96, 128},  {8, 0, 164, 192},   {8, 7, 164, 192},
        {8, -1, 100, 128}, {9, -1, 228, 256}, {10, -1, 228, 256}, {11, -1, 228, 256},
        {12, -1, 100, 128}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].major == major && (known[i].minor == minor || known[i].minor < 0))
            return known[i];
    return (group_unit_memory){0};
}

/* Bytes of shared memory that each group takes besides its own. */
static inline size_t group_unit_shared_own(int major)
{
    return major >= 8 ? 1 << 10 : 0;
}

/* For a processor: a core runs the items of a group in a loop, in vectors. So no loads have to be
 * in flight and no group has to be resident, but registers of items that wait for others are
 * memory. Measured with PoCL 3.1 (docs/log/devices.md). */
static const backend_groups group_core_price = {
    GROUP_UNIT_LIMITS,
    .items = 128,
    .resident_items = 320,
    .item_registers = 32,
    .run_bytes = GROUP_UNIT_LINE,
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

/* Reads a field "twiddles=WORD" of a unit string; false: it is another field. */
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
