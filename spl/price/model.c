// SPDX-License-Identifier: BSD-3-Clause
/* The figures of a unit that was not measured.
 *
 * Times were measured on a server core of 2023 (AVX-512, 48 KiB, 2 MiB, a large shared L3). For
 * units that compute longer vectors in parts, programs in L2, and rows that evict each other in any
 * program, have the figures of a core of 2022 that computes vectors of 64 bytes in halves (32 KiB,
 * 1 MiB, 32 MiB for a few cores), medians of five tunings: there arithmetic takes twice as long and
 * hides most of the cost of lines from L2. Sizes are shares of the caches; `most_l3` is what one
 * core gets of an L3 that many share. Rows that evict each other were measured with an L1 of 12
 * ways. */
#include "spl/price/price.h"

/* figure: of a unit that computes whole vectors, and of one that computes them in parts. halves:
 * factors for vectors shorter than lines, where rows that share a set of L1 evict every line
 * between its pieces, measured with half lines; 0: none. */
static const struct {
    double figure[2], halves[2];
} model[PRICE_FIGURES] = {
    [PRICE_READ_L2] = {.figure = {100, 120}},
    [PRICE_READ_L3] = {.figure = {1240, 230}},
    [PRICE_READ_MEMORY] = {.figure = {3100, 3100}},
    [PRICE_WRITE_L2] = {.figure = {600, 120}},
    [PRICE_WRITE_L3] = {.figure = {1350, 245}},
    [PRICE_WRITE_MEMORY] = {.figure = {4060, 3400}},
    [PRICE_NT_STORE] = {.figure = {1650, 1000}},
    [PRICE_NT_STORE_ROWS] = {.figure = {850, 330}},
    [PRICE_BUS_READ] = {.figure = {3100, 1180}},
    [PRICE_BUS_STORE] = {.figure = {1650, 1300}},
    [PRICE_JUMP_L3] = {.figure = {600, 600}},
    [PRICE_JUMP_MEMORY] = {.figure = {2200, 2450}},
    [PRICE_EVICTED_REWRITE] = {.figure = {1350, 2440}, .halves = {2.5, 3.4}},
    [PRICE_EVICTED_READ] = {.figure = {500, 990}, .halves = {0, 2.6}},
    [PRICE_EVICTED_WRITE] = {.figure = {800, 950}, .halves = {4.75, 2.8}},
    [PRICE_CALL] = {.figure = {3000, 2500}},
    [PRICE_SET] = {.figure = {3000, 475}},
    [PRICE_WAIT] = {.figure = {10000, 8300}},
    [PRICE_TAIL] = {.figure = {5000, 15700}},
    [PRICE_SHORT_ROW] = {.figure = {13000, 8000}},
    [PRICE_SPLIT_LINE] = {.figure = {350, 320}},
};
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
        const double halves = vector < PRICE_LINE ? model[i].halves[k] : 0;
        figure[i] = model[i].figure[k] * (halves > 0 ? halves : 1);
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
