// SPDX-License-Identifier: BSD-3-Clause
#include "spl/price/occupancy.h"

#include "spl/price/warps.h"

enum { K = 1024, REGISTERS_OF_WARP = 256 /* registers are allocated in such blocks */ };

const price_gpu price_gpus[] = {
    {"h200", 64 * K, 228 * K, 32, 2048, 255, K},
    {"gtx750ti", 64 * K, 96 * K, 32, 2048, 255, 0},
    {"k20m", 64 * K, 48 * K, 16, 2048, 255, 0},
    {"s9150", 64 * K, 64 * K, 16, 16384, 112, 0},
};
const int price_gpu_count = sizeof price_gpus / sizeof price_gpus[0];

int64_t price_registers(int64_t points, bool f64, bool turned)
{
    const int64_t tenths = f64 ? 44 : turned ? 24 : 21, numbers = (tenths * points + 9) / 10;

    return (f64 && turned ? 40 : 16) + numbers;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

price_occupancy price_occupy(const price_gpu *gpu, int64_t items, int64_t registers,
                             int64_t local_bytes)
{
    const int64_t warps = (items + WARP_ITEMS - 1) / WARP_ITEMS,
                  local = local_bytes + gpu->local_own;
    const int64_t of_item = smaller(registers, gpu->item_registers);
    const int64_t of_warp =
        (of_item * WARP_ITEMS + REGISTERS_OF_WARP - 1) / REGISTERS_OF_WARP * REGISTERS_OF_WARP;
    price_occupancy o = {.by_registers = gpu->registers / (warps * of_warp),
                         .by_local = local > 0 ? gpu->local_bytes / local : gpu->groups};

    o.groups = smaller(smaller(o.by_registers, o.by_local),
                       smaller(gpu->groups, gpu->items / (warps * WARP_ITEMS)));
    o.share = (double)(o.groups * warps * WARP_ITEMS) / (double)gpu->items;
    return o;
}
