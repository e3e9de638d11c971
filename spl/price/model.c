// SPDX-License-Identifier: BSD-3-Clause
/* The figures of a unit that was not measured.
 *
 * Times were measured on a server core of 2023 (AVX-512, 48 KiB, 2 MiB, a large shared L3). For
 * units that compute longer vectors in parts, programs in L2, and rows that evict each other in any
 * program, have the figures of a core of 2022 that computes vectors of 64 bytes in halves (32 KiB, 1
 * MiB, 32 MiB for a few cores), medians of five tunings: there arithmetic takes twice as long and
 * hides most of the cost of lines from L2. Sizes are shares of the caches; `most_l3` is what one
 * core gets of an L3 that many share. Rows that evict each other were measured with an L1 of 12
 * ways. */
#include "spl/price/price.h"

static const double whole[PRICE_FIGURES] = {
    [PRICE_READ_L2] = 100,
    [PRICE_READ_L3] = 1240,
    [PRICE_READ_MEMORY] = 3100,
    [PRICE_WRITE_L2] = 600,
    [PRICE_WRITE_L3] = 1350,
    [PRICE_WRITE_MEMORY] = 4060,
    [PRICE_NT_STORE] = 1650,
    [PRICE_NT_STORE_ROWS] = 850,
    [PRICE_BUS_READ] = 3100,
    [PRICE_BUS_STORE] = 1650,
    [PRICE_JUMP_L3] = 600,
    [PRICE_JUMP_MEMORY] = 2200,
    [PRICE_EVICTED_REWRITE] = 1350,
    [PRICE_EVICTED_READ] = 500,
    [PRICE_EVICTED_WRITE] = 800,
    [PRICE_CALL] = 3000,
    [PRICE_SET] = 3000,
    [PRICE_WAIT] = 10000,
    [PRICE_TAIL] = 5000,
    [PRICE_SHORT_ROW] = 13000,
    [PRICE_SPLIT_LINE] = 350,
};
static const double in_parts[PRICE_FIGURES] = {
    [PRICE_READ_L2] = 120,
    [PRICE_READ_L3] = 230,
    [PRICE_READ_MEMORY] = 3100,
    [PRICE_WRITE_L2] = 120,
    [PRICE_WRITE_L3] = 245,
    [PRICE_WRITE_MEMORY] = 3400,
    [PRICE_NT_STORE] = 1000,
    [PRICE_NT_STORE_ROWS] = 330,
    [PRICE_BUS_READ] = 1180,
    [PRICE_BUS_STORE] = 1300,
    [PRICE_JUMP_L3] = 600,
    [PRICE_JUMP_MEMORY] = 2450,
    [PRICE_EVICTED_REWRITE] = 2440,
    [PRICE_EVICTED_READ] = 990,
    [PRICE_EVICTED_WRITE] = 950,
    [PRICE_CALL] = 2500,
    [PRICE_SET] = 475,
    [PRICE_WAIT] = 8300,
    [PRICE_TAIL] = 15700,
    [PRICE_SHORT_ROW] = 8000,
    [PRICE_SPLIT_LINE] = 320,
};
/* Factors for vectors shorter than lines, where rows that share a set of L1 evict every line
 * between its pieces. Measured with half lines. */
static const double whole_halves[PRICE_FIGURES] = {
    [PRICE_EVICTED_REWRITE] = 2.5, [PRICE_EVICTED_WRITE] = 4.75};
static const double in_parts_halves[PRICE_FIGURES] = {
    [PRICE_EVICTED_REWRITE] = 3.4, [PRICE_EVICTED_READ] = 2.6, [PRICE_EVICTED_WRITE] = 2.8};
static const struct {
    const double *figure, *halves;
} models[] = {{whole, whole_halves}, {in_parts, in_parts_halves}};
static const double model_ways = 12, l1_share = 0.8, l2_share = 1.25, most_l3 = 36 << 20;
static const double unknown_l1 = 32 << 10, unknown_l2 = 256 << 10, unknown_l3 = 8 << 20;

/* Rows that evict each other cost a core the same whatever the program's size. */
static bool is_eviction(int figure)
{
    return figure == PRICE_EVICTED_REWRITE || figure == PRICE_EVICTED_READ
           || figure == PRICE_EVICTED_WRITE;
}

void price_model(double figure[PRICE_FIGURES], size_t vector, bool parts, bool in_l2, price_sets l1,
                 size_t l2, size_t l3)
{
    const double third = l3 ? (double)l3 : unknown_l3;
    const double first = (double)(l1.ways * l1.sets * PRICE_LINE);

    for (int i = 0; i < PRICE_FIGURES; i++) {
        const int k = parts && (in_l2 || is_eviction(i));
        const double halves = vector < PRICE_LINE ? models[k].halves[i] : 0;
        figure[i] = models[k].figure[i] * (halves > 0 ? halves : 1);
    }
    const double evicted = price_evicted_share(PRICE_TUNED_ROWS, (double)l1.ways)
                           / price_evicted_share(PRICE_TUNED_ROWS, model_ways);
    figure[PRICE_EVICTED_REWRITE] *= evicted;
    figure[PRICE_EVICTED_READ] *= evicted;
    figure[PRICE_L1] = l1_share * (first > 0 ? first : unknown_l1);
    figure[PRICE_L2] = l2_share * (l2 ? (double)l2 : unknown_l2);
    figure[PRICE_L3] = third < most_l3 ? third : most_l3;
    if (figure[PRICE_L3] < figure[PRICE_L2])
        figure[PRICE_L3] = figure[PRICE_L2];
}
