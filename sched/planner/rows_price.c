// SPDX-License-Identifier: BSD-3-Clause
/* Extra costs of rows that share sets of L1: they evict each other before their lines are used up.
 * L1 is indexed by the offset in a page, so rows a page apart share one set, which has as many ways
 * as L1 has pages. */
#include "sched/planner/rows_price.h"

#include "core/number.h"
#include "sched/planner/search_figures.h"

/* The stride of rows of the user's arrays, in bytes. */
static int64_t row_bytes(const sched_prices *s, int64_t rows)
{
    return s->n / rows * s->model->columns * (int64_t)s->point_bytes;
}

bool sched_rows_conflict(const sched_prices *s, int64_t rows, size_t times)
{
    return s->model->l1 > 0 && row_bytes(s, rows) % SCHED_ALIAS_BYTES == 0
           && (size_t)rows * SCHED_ALIAS_BYTES > times * s->model->l1;
}

/* The ways that rows at a stride of `apart` bytes need, relative to the ways of the sets that they
 * share. 0 if L1 is not known. */
static double share_of_sets(const sched_prices *s, int64_t rows, int64_t apart)
{
    const int64_t gap = core_gcd(apart, SCHED_ALIAS_BYTES);

    return s->model->l1 ? (double)(rows * gap) / (double)s->model->l1 : 0;
}

/* Are the rows evicted? Vectors that are pieces of a line need one way more than the rows. */
static bool is_evicted(const sched_prices *s, double share)
{
    return s->model->line_vectors > 1 ? share >= 1 : share > 1;
}

/* Extra cost of a last stage in L2 whose rows share too few sets of L1 and evict each other before
 * their lines are used up: measured, in bytes / 32 cycles a point. */
static double eviction_cost(const sched_prices *s, double share)
{
    return is_evicted(s, share)
               ? sched_search.last_evicted + sched_search.last_evicted_more * (share - 1)
               : 0;
}

/* The same for a middle stage that writes runs of l columns to the array where the last stage works
 * in place. Scratch has gaps between its rows; the user's array has none. */
static double written_eviction_cost(const sched_prices *s, double share)
{
    return s->model->batch == 1 && is_evicted(s, share) ? sched_search.written_evicted : 0;
}

/* Cost of every piece of a line except the first, because the line is evicted before each: for a
 * last stage, which reads and writes it; pieces_cost(): for others, which do one of both. */
static double last_pieces_cost(const sched_prices *s, double share)
{
    return sched_search.last_piece * eviction_cost(s, share) * (double)(s->model->line_vectors - 1);
}

static double pieces_cost(const sched_prices *s, bool evicted)
{
    return evicted ? sched_search.piece * (double)(s->model->line_vectors - 1) : 0;
}

double sched_burst_cost(const sched_prices *s, double set)
{
    return s->model->line_vectors > 1 && set > 0.1 * (double)s->model->l2 ? sched_search.burst : 0;
}

double sched_in_place_cost(const sched_prices *s, int64_t r)
{
    const double share = share_of_sets(s, r, row_bytes(s, r));

    return share > 1 ? share - 1 : 0;
}

double sched_buffer_rows_cost(const sched_prices *s, int64_t r)
{
    const double set = 2 * s->point_bytes * (double)s->n;
    const int64_t apart = row_bytes(s, r);

    return set > 0.8 * (double)s->model->l1 && apart % SCHED_ALIAS_BYTES != 0
               ? eviction_cost(s, share_of_sets(s, r, apart))
               : 0;
}

bool sched_both_rows_evicted(const sched_prices *s, int64_t r)
{
    return is_evicted(s, share_of_sets(s, 2 * r, row_bytes(s, r)));
}

double sched_gap_cost(const sched_prices *s, int64_t r, int64_t l)
{
    const double share = share_of_sets(s, r, s->n / (l * r) * (row_bytes(s, s->n) + s->model->gap));

    return share > 1 ? share - 1 : 0;
}

/* In a batch beyond L2, lines prefetched for rows that share one set are evicted before they are
 * read; reading them again takes longer from memory (measured). */
static double far_rows_cost(const sched_prices *s, int64_t r)
{
    const double set =
        2 * s->point_bytes * (double)s->n * (double)s->model->columns * (double)s->model->batch;
    const double l2 = (double)s->model->l2;
    const double way = set > l2 ? sched_search.far_evicted[set > sched_search.far_l2s * l2] : 0;

    return s->model->batch > 1 && sched_rows_conflict(s, r, 1)
               ? way * ((double)r * SCHED_ALIAS_BYTES / (double)s->model->l1 - 1)
               : 0;
}

double sched_first_rows_cost(const sched_prices *s, int64_t r)
{
    return pieces_cost(s, share_of_sets(s, r, row_bytes(s, r)) > 1) + far_rows_cost(s, r);
}

double sched_middle_rows_cost(const sched_prices *s, int64_t r, int64_t l, int after)
{
    const double read = share_of_sets(s, r, row_bytes(s, r));
    const double written = share_of_sets(s, r, l * s->model->columns * (int64_t)s->point_bytes);

    return written_eviction_cost(s, written)
           + pieces_cost(s, after % 2 == 0 ? read > 1 : is_evicted(s, written));
}

double sched_last_rows_cost(const sched_prices *s, int64_t r, bool in_l2s)
{
    const double share = share_of_sets(s, r, row_bytes(s, r));

    if (in_l2s)
        return eviction_cost(s, share) + last_pieces_cost(s, share);
    return share > 1 ? last_pieces_cost(s, share) : 0;
}
