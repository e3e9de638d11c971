// SPDX-License-Identifier: BSD-3-Clause
/* Measured on cores with AVX2 and AVX-512 (docs/log/peers.md, convolutions.md, cosines.md,
 * reals.md). */
#include "sched/planner/search_figures.h"

const sched_search_figures sched_search = {
    .call = 45,
    .strided_call = 16,
    .set = 6,
    .tail = 30,
    .tail_row = 12,
    .straddled_row = 2,
    .transposed_vector = 4,
    .padded_row = 40,
    .shorter_call = 30,
    .paired_vectors = 5,
    .padded_pair = 80,
    .single_pair = 6,

    .memory_set = 40,
    .memory_l2s = 8,
    .nt_store_l2s = 16,
    .tile_rows_growth = {1.5, 11},
    .tile_rows_free = 128,
    .tile_first_rows = 1,
    .tile_last_rows = 3,
    .tile_rows = 5,
    .tile_evicted_rows = 2,
    .evicted_rows = 4,
    .row_rows = 2,
    .matrix_factor = 4,

    .last_evicted = 1,
    .last_evicted_more = 2.4,
    .written_evicted = 1.5,
    .last_piece = 1.5,
    .piece = 4.5,
    .burst = 1.5,
    .far_evicted = {0.7, 2.2},
    .far_l2s = 16,

    .rows_last_vector = 3.5,
    .rows_last_buffer = {0.17, 0.67},
    .moved_alone = 3,
    .moved_wait = 70,

    .copied_row = 3,
    .stored_row = 1,
    .factor_row = 22,
    .shared_calls = 3,
    .shared_cycles = 15,

    .parallel_points = {32768, 262144},

    .copied_vector = 2,
    .bytes_moved = {16, 4},
    .strided_element = {3, 7},
    .page = 10,
    .permuted_element = {1.5, 3, 6},
    .zero_frequency = 80,
    .cached_blocks = 1.08,
    .l2_of_block = 0.6,
};
