// SPDX-License-Identifier: BSD-3-Clause
/* Extra costs of stages whose rows share sets of L1, in bytes / 32 cycles a point. */
#ifndef SCHED_ROWS_PRICE_H
#define SCHED_ROWS_PRICE_H

#include "sched/planner/stage_price.h"

/* Do rows of the user's arrays evict each other: are they a multiple of SCHED_ALIAS_BYTES apart,
 * and more than `times` the ways of L1? */
bool sched_rows_conflict(const sched_prices *prices, int64_t rows, size_t times);
/* Of a stage of radix r beyond L2 whose rows evict each other and which works in place: what does
 * so in L1 only. */
double sched_in_place_cost(const sched_prices *prices, int64_t r);
/* The same, after stages with product l, in scratch whose rows have gaps. */
double sched_gap_cost(const sched_prices *prices, int64_t r, int64_t l);
/* Do r rows of the array and as many of a buffer evict each other before their lines are used? */
bool sched_both_rows_evicted(const sched_prices *prices, int64_t r);
/* Of a stage of radix r in L2 that works in place in a buffer, which has gaps between rows that are
 * a multiple of a page apart. */
double sched_buffer_rows_cost(const sched_prices *prices, int64_t r);
/* Of a first stage of radix r, which reads the user's array. */
double sched_first_rows_cost(const sched_prices *prices, int64_t r);
/* Of a stage of radix r between the first and the last, after stages with product l and before
 * `after` others: such stages alternate between reading and writing the user's array, so that the
 * last one finds its rows in place. */
double sched_middle_rows_cost(const sched_prices *prices, int64_t r, int64_t l, int after);
/* Of a last stage of radix r. Outside of L2 a line that is read and written once costs the same
 * wherever it lies. */
double sched_last_rows_cost(const sched_prices *prices, int64_t r, bool in_l2s);
/* Of a last stage of more rows than half of what waits to be stored, in pieces of lines that are
 * not in L1: all the misses come at once, then none. `set`: bytes of the whole batch. */
double sched_burst_cost(const sched_prices *prices, double set);

#endif
