// SPDX-License-Identifier: BSD-3-Clause
/* The suites. `cpu` is a grid of problems for comparison with every library. `cell` is figures 4
 * and 5 of Chellappa, Franchetti, Pueschel, "Computer Generation of Fast Fourier Transforms for the
 * Cell Broadband Engine" (ICS 2009): a family for each panel; docs/CELL.md describes them. `wide`
 * has practical problems outside the grid of `cpu` (bench_wide.c). `family` is for transforms of
 * reals, `dct2d` and `dct-routes` for tables IV and V of Jiang, Gu, Pan, "A New Acceleration
 * Paradigm for Discrete Cosine Transform and Other Fourier-Related Transforms". */
#include "bench/suites/bench_suite_table.h"

#include "bench/suites/bench_wide.h"

/* Sizes used in practice: time series, audio, images; products of 2, 3, 5 and 7. */
static const size_t mixed_lengths[] = {12,   60,    96,    120,   360,    1000,    1536, 3000,
                                       5040, 10000, 15625, 44100, 100000, 1000000, 0};

static const bench_family single = {.group = "cpu-single",
                                    .kind = "c2c",
                                    .rank = 1,
                                    .first = 1 << 2,
                                    .last = 1 << 24,
                                    .in_summary_from = 1 << 6};
static const bench_family batch = {.group = "cpu-batch",
                                   .kind = "c2c",
                                   .rank = 1,
                                   .first = 1 << 2,
                                   .last = 1 << 13,
                                   .totals = {1 << 14, 1 << 22}};
static const bench_family sizes = {
    .group = "cpu-sizes", .kind = "c2c", .rank = 1, .lengths = mixed_lengths};
static const bench_family squares = {
    .group = "cpu-2d", .kind = "c2c", .rank = 2, .first = 1 << 6, .last = 1 << 12};
static const bench_family cubes = {
    .group = "cpu-3d", .kind = "c2c", .rank = 3, .first = 1 << 5, .last = 1 << 8};

/* ---- the paper's panels. Lengths end at the local stores of CPUs, half of an L2 of 1 or 2 MiB;
 * the paper's end at 256 KiB. ---- */

/* The mixed lengths that fit one local store in double precision. */
static const size_t store_lengths[] = {12,   60,   96,    120,   360,   1000, 1536,
                                       3000, 5040, 10000, 15625, 44100, 0};

static const bench_family split = {
    .group = "cell-4",
    .figure = &(const bench_figure){.title = "one unit, in its local store, split complex"},
    .kind = "c2c",
    .options = ":in=split:out=split",
    .rank = 1,
    .first = 1 << 4,
    .last = 1 << 14,
    .only_f32 = true,
    .only_out = true,
    .counts = BENCH_COUNTS_ONE};
static const bench_family powers = {
    .group = "cell-a",
    .figure = &(const bench_figure){.title = "one unit, in its local store, powers of 2"},
    .kind = "c2c",
    .rank = 1,
    .first = 1 << 2,
    .last = 1 << 15,
    .in_summary_from = 1 << 6,
    .only_out = true,
    .counts = BENCH_COUNTS_ONE};
static const bench_family others = {
    .group = "cell-b",
    .figure = &(const bench_figure){.title = "one unit, in its local store, other sizes"},
    .kind = "c2c",
    .rank = 1,
    .lengths = store_lengths,
    .only_out = true,
    .counts = BENCH_COUNTS_ONE};
/* The first stage takes columns of 32 rows and the last one columns of 8 rows, the planner's usual
 * first and last radices: then each part reads and writes only its own blocks. */
static const bench_family cyclic = {
    .group = "cell-c",
    .figure = &(const bench_figure){.title = "several units, in their local stores, block-cyclic",
                                    .with_group = "cell-d",
                                    .label = "block-cyclic",
                                    .with_label = "natural order"},
    .kind = "c2c",
    .rank = 1,
    .first = 1 << 12,
    .last = 1 << 17,
    .only_f32 = true,
    .only_out = true,
    .counts = BENCH_COUNTS_EACH,
    .in_rows = 32,
    .out_rows = 8};
static const bench_family natural = {
    .group = "cell-d",
    .figure = &(const bench_figure){.title = "several units, in their local stores, natural order"},
    .kind = "c2c",
    .rank = 1,
    .first = 1 << 12,
    .last = 1 << 17,
    .only_f32 = true,
    .only_out = true};
static const bench_family streamed = {
    .group = "cell-e",
    .figure = &(const bench_figure){.title = "several units, from memory, throughput, long"},
    .kind = "c2c",
    .rank = 1,
    .first = 1 << 13,
    .last = 1 << 19,
    .totals = {1 << 22},
    .only_f32 = true,
    .only_out = true};
static const bench_family large = {
    .group = "cell-f",
    .figure = &(const bench_figure){.title = "several units, from memory, one transform"},
    .kind = "c2c",
    .rank = 1,
    .first = 1 << 17,
    .last = 1 << 23,
    .only_f32 = true,
    .only_out = true};
static const bench_family small = {
    .group = "cell-g",
    .figure = &(const bench_figure){.title = "several units, from memory, throughput, short"},
    .kind = "c2c",
    .rank = 1,
    .first = 1 << 2,
    .last = 1 << 12,
    .totals = {1 << 22},
    .only_f32 = true,
    .only_out = true};
static const bench_family planes = {
    .group = "cell-h",
    .figure = &(const bench_figure){.title = "one unit, from memory, n x n, N = n^2"},
    .kind = "c2c",
    .rank = 2,
    .first = 1 << 4,
    .last = 1 << 11,
    .only_f32 = true,
    .only_out = true,
    .counts = BENCH_COUNTS_ONE};

/* ---- the Fourier family: out of place */

/* In addition to squares, as in the paper on cosine transforms (table V). */
static const char *const oblongs[] = {"100x10000", "10000x100", NULL};
static const char *const tiles[] = {"8x8*65536", NULL};

#define LINES(KIND, FIRST)                                                                         \
    &(const bench_family)                                                                          \
    {                                                                                              \
        .group = "family-" KIND, .kind = KIND, .rank = 1, .first = FIRST, .last = 1 << 20,         \
        .only_out = true                                                                           \
    }
#define BATCHES(KIND, FIRST, LAST)                                                                 \
    &(const bench_family)                                                                          \
    {                                                                                              \
        .group = "family-" KIND "-batch", .kind = KIND, .rank = 1, .first = FIRST, .last = LAST,   \
        .totals = {1 << 14, 1 << 22}, .only_out = true                                             \
    }
#define PLANES(NAME, KIND, SHAPES)                                                                 \
    &(const bench_family)                                                                          \
    {                                                                                              \
        .group = "family-" NAME "-2d", .kind = KIND, .rank = 2, .first = 1 << 6, .last = 1 << 12,  \
        .shapes = SHAPES, .only_out = true                                                         \
    }
#define CUBES(KIND)                                                                                \
    &(const bench_family)                                                                          \
    {                                                                                              \
        .group = "family-" KIND "-3d", .kind = KIND, .rank = 3, .first = 1 << 5, .last = 1 << 8,   \
        .only_out = true                                                                           \
    }

static const bench_family small_tiles = {
    .group = "family-dct2-8x8", .kind = "dct2", .shapes = tiles, .only_out = true};

/* Tables IV and V of the same paper. */
static const size_t paper_lines[] = {1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 0};
static const bench_family routes = {
    .group = "dct-routes", .kind = "dct2", .rank = 1, .lengths = paper_lines, .only_out = true};
#define PAPER(NAME, KIND)                                                                          \
    &(const bench_family)                                                                          \
    {                                                                                              \
        .group = "dct2d-" NAME, .kind = KIND, .rank = 2, .first = 1 << 9, .last = 1 << 13,         \
        .shapes = oblongs, .only_out = true                                                        \
    }

/* ---- a device next to the host's cores */

static const size_t kinds_lengths[] = {16, 64, 256, 1024, 4096, 0};
static const size_t kinds_singles[] = {1 << 16, 1 << 18, 1 << 20, 1 << 22, 0};
static const size_t kinds_squares[] = {512, 1024, 0};
static const char *const kinds_blocks[] = {"256*256", "1024*256", "256*2048", NULL};

#define KINDS_BATCHES(KIND, ...)                                                                   \
    &(const bench_family)                                                                          \
    {                                                                                              \
        .group = "kinds-" KIND, .kind = KIND, .rank = 1, .lengths = kinds_lengths,                 \
        .totals = {__VA_ARGS__}, .only_out = true                                                  \
    }
#define KINDS_WHOLE(RANK, LENGTHS)                                                                 \
    &(const bench_family)                                                                          \
    {                                                                                              \
        .group = "kinds-whole", .kind = "c2c", .rank = RANK, .lengths = LENGTHS, .only_out = true  \
    }
static const bench_family blocks = {.group = "kinds-stream",
                                    .kind = "c2c",
                                    .shapes = kinds_blocks,
                                    .only_f32 = true,
                                    .only_out = true};

const bench_suite bench_suites[] = {
    {"cpu", "all of cpu-.. below", false, {&single, &batch, &sizes, &squares, &cubes}},
    {"cpu-single", "one transform of 2^2 to 2^24 points", false, {&single}},
    {"cpu-batch", "2^2 to 2^13 points, batches of 2^14 and of 2^22 points in all", false, {&batch}},
    {"cpu-sizes", "other lengths from 12 to 1000000", false, {&sizes}},
    {"cpu-2d", "squares of 64 to 4096", false, {&squares}},
    {"cpu-3d", "cubes of 32 to 256", false, {&cubes}},
    {"wide",
     "all of wide-.. below: what people compute beside cpu",
     false,
     {&bench_wide_batch, &bench_wide_mixed, &bench_wide_sizes, &bench_wide_primes,
      &bench_wide_images, &bench_wide_volumes, &bench_wide_small, &bench_wide_columns,
      &bench_wide_split, &bench_wide_split_batch}},
    {"wide-batch",
     "2^2 to 2^13 points, batches of 2^14, 2^16 .. 2^24 points in all",
     false,
     {&bench_wide_batch}},
    {"wide-mixed", "batches of lengths with 3, 5 and 7", false, {&bench_wide_mixed}},
    {"wide-sizes", "lengths 2^a 3^b 5^c 7^d to 2^20, drawn once", false, {&bench_wide_sizes}},
    {"wide-primes", "powers of odd primes", false, {&bench_wide_primes}},
    {"wide-images", "images of sizes other than powers of two", false, {&bench_wide_images}},
    {"wide-volumes", "volumes of such sizes", false, {&bench_wide_volumes}},
    {"wide-small", "batches of small images and volumes", false, {&bench_wide_small}},
    {"wide-columns", "columns of arrays, interleaved channels", false, {&bench_wide_columns}},
    {"wide-split", "split sides", false, {&bench_wide_split, &bench_wide_split_batch}},
    {"cell",
     "panels of the paper's figures 4 and 5 (docs/CELL.md); 1, 2, 4 .. and all workers",
     true,
     {&split, &powers, &others, &cyclic, &natural, &streamed, &large, &small, &planes}},
    {"family",
     "r2c, c2r, cosine and sine transforms: lines, batches, squares, oblongs, cubes",
     false,
     {LINES("r2c", 1 << 6), LINES("c2r", 1 << 6), BATCHES("r2c", 1 << 4, 1 << 13),
      PLANES("r2c", "r2c", NULL), PLANES("c2r", "c2r", NULL), CUBES("r2c"), LINES("dct2", 1 << 4),
      LINES("dct3", 1 << 4), LINES("dct4", 1 << 4), LINES("idxst", 1 << 4),
      BATCHES("dct2", 1 << 2, 1 << 6), &small_tiles, PLANES("dct2", "dct2", oblongs),
      PLANES("dct3", "dct3", oblongs), PLANES("dct4", "dct4", NULL),
      PLANES("dct3-idxst", "dct3*idxst", oblongs), PLANES("idxst-dct3", "idxst*dct3", oblongs),
      CUBES("dct2")}},
    {"dct2d",
     "table V of the paper on cosine transforms: 512 to 8192 squared, 100 x 10000, 10000 x 100",
     false,
     {PAPER("dct2", "dct2"), PAPER("dct3", "dct3"), PAPER("dct3-idxst", "dct3*idxst"),
      PAPER("idxst-dct3", "idxst*dct3"), PAPER("r2c", "r2c"), PAPER("c2r", "c2r")}},
    {"dct-routes", "its table IV: one dct2 of 2^14 to 2^18 points", false, {&routes}},
    {"portability",
     "2^3 to 2^16 points on each of the --units: times, and whether they agree",
     false,
     {NULL}},
    {"tuning",
     "on a device: what the planner's model chooses beside the best that --effort finds",
     false,
     {NULL}},
    {"lift",
     "one transform of 2^24 points by Stockham, Cooley-Tukey and hierarchical formulas",
     false,
     {NULL}},
    {"link",
     "on a device: what its link moves, and how near streams, batches and blocks come to that",
     false,
     {NULL}},
    {"kinds",
     "a device beside the host's cores: executions, and streams of either and of both at once",
     false,
     {KINDS_BATCHES("c2c", 1 << 18, 1 << 24), KINDS_BATCHES("r2c", 1 << 18),
      KINDS_BATCHES("dct2", 1 << 18), KINDS_WHOLE(1, kinds_singles), KINDS_WHOLE(2, kinds_squares),
      &blocks}},
    {0},
};
