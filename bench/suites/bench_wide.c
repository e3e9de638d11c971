// SPDX-License-Identifier: BSD-3-Clause
/* The families of the suite `wide`: practical problems outside the grid of `cpu`. Lengths were
 * drawn once, evenly by their logarithm, and never change, so that runs can be compared. */
#include "bench/suites/bench_wide.h"

/* From the caches to memory. */
const bench_family bench_wide_batch = {
    .group = "wide-batch",
    .kind = "c2c",
    .rank = 1,
    .first = 1 << 2,
    .last = 1 << 13,
    .totals = {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24}};

/* Batches with these numbers of points, in L2, L3 and memory; the lengths are twelve divisors of
 * the smallest. */
static const size_t divisors[] = {12, 14, 18, 24, 42, 56, 63, 96, 120, 288, 864, 4032, 0};
const bench_family bench_wide_mixed = {.group = "wide-mixed",
                                       .kind = "c2c",
                                       .rank = 1,
                                       .lengths = divisors,
                                       .totals = {60480, 604800, 6048000}};

/* 2^a 3^b 5^c 7^d. */
static const size_t smooth[] = {12,     63,     135,    140,    144,     160,    210,
                                252,    500,    640,    1280,   1944,    3675,   26250,
                                36000,  49392,  100842, 201600, 202500,  245760, 259308,
                                439040, 500000, 702464, 896000, 1037232, 0};
const bench_family bench_wide_sizes = {
    .group = "wide-sizes", .kind = "c2c", .rank = 1, .lengths = smooth};

static const size_t prime_powers[] = {
    27,   49,   81,   121,  125,   169,   243,   289,   343,   625,    961,    1331,   2187,
    2197, 2401, 3125, 6561, 14641, 16807, 28561, 59049, 78125, 117649, 177147, 823543, 0};
const bench_family bench_wide_primes = {
    .group = "wide-primes", .kind = "c2c", .rank = 1, .lengths = prime_powers};

static const char *const images[] = {"100x100",   "480x640",   "500x500",   "720x1280", "1000x1000",
                                     "1080x1920", "1200x1600", "2000x3000", NULL};
const bench_family bench_wide_images = {.group = "wide-images", .kind = "c2c", .shapes = images};

static const char *const volumes[] = {"20x20x20",   "60x70x80",    "64x64x40",    "100x100x100",
                                      "96x128x160", "144x144x144", "181x217x181", NULL};
const bench_family bench_wide_volumes = {.group = "wide-volumes", .kind = "c2c", .shapes = volumes};

static const char *const small[] = {"8x8*256",     "8x8*65536",   "16x16*1024", "28x28*100",
                                    "28x28*5000",  "32x32*64",    "32x32*1024", "64x64*64",
                                    "100x100*25",  "128x128*64",  "224x224*20", "8x8x8*512",
                                    "16x16x16*64", "30x30x30*20", NULL};
const bench_family bench_wide_small = {.group = "wide-small", .kind = "c2c", .shapes = small};

/* Columns of arrays, to columns and to rows; interleaved channels; a few long columns. */
static const char *const columns[] = {"64@64/64*64@1/1",         "512@256/256*256@1/1",
                                      "1000@400/400*400@1/1",    "480@640/640*640@1/1",
                                      "1024@1024/1024*1024@1/1", "4096@100/100*100@1/1",
                                      "256@256/1*256@1/256",     "1000@1000/1*1000@1/1000",
                                      "1024@2/2*2@1/1",          "44100@2/2*2@1/1",
                                      "3000@3/3*3@1/1",          "100000@6/6*6@1/1",
                                      "1000000@3/3*3@1/1",       NULL};
const bench_family bench_wide_columns = {
    .group = "wide-columns", .kind = "c2c", .shapes = columns, .only_out = true};

static const size_t split_lengths[] = {16,   60,    64,    256,   360,     1000, 1024,
                                       4096, 10000, 16384, 65536, 1 << 20, 0};
const bench_family bench_wide_split = {.group = "wide-split",
                                       .kind = "c2c",
                                       .options = ":in=split:out=split",
                                       .rank = 1,
                                       .lengths = split_lengths,
                                       .only_out = true};
const bench_family bench_wide_split_batch = {.group = "wide-split",
                                             .kind = "c2c",
                                             .options = ":in=split:out=split",
                                             .rank = 1,
                                             .first = 1 << 4,
                                             .last = 1 << 13,
                                             .totals = {1 << 18, 1 << 22},
                                             .only_out = true};
