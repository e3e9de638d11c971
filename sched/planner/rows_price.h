// SPDX-License-Identifier: BSD-3-Clause
/* Extra costs of stages whose rows share sets of L1, in bytes / 32 cycles a point. */
#ifndef SCHED_ROWS_PRICE_H
#define SCHED_ROWS_PRICE_H

#include "sched/planner/stage_price.h"

/* Do rows of the user's arrays evict each other? They do if they are a multiple of
 * SCHED_ALIAS_BYTES apart and need more than `times` times the ways of L1. */
bool sched_rows_conflict(const sched_prices *prices, int64_t rows, size_t times);
/* A stage of radix r beyond L2 that works in place, whose rows evict each other in L1 only. */
double sched_in_place_cost(const sched_prices *prices, int64_t r);
/* The same after stages with product l, in scratch whose rows have gaps. */
double sched_gap_cost(const sched_prices *prices, int64_t r, int64_t l);
/* Do r rows of the array and r rows of a buffer evict each other before their lines are used? */
bool sched_both_rows_evicted(const sched_prices *prices, int64_t r);
/* A stage of radix r in L2 that works in place in a buffer. Rows a multiple of a page apart have
 * gaps there. */
double sched_buffer_rows_cost(const sched_prices *prices, int64_t r);
/* A first stage of radix r, which reads the user's array. */
double sched_first_rows_cost(const sched_prices *prices, int64_t r);
/* A stage of radix r between the first and the last, after stages with product l and before `after`
 * others. Such stages alternate between reading and writing the user's array, so that the last one
 * works in place. */
double sched_middle_rows_cost(const sched_prices *prices, int64_t r, int64_t l, int after);
/* A last stage of radix r. Outside L2 a line that is read and written once costs the same wherever
 * it lies. */
double sched_last_rows_cost(const sched_prices *prices, int64_t r, bool in_l2s);
/* A last stage with more rows than half the store buffer, in pieces of lines that are not in L1:
 * all misses come at once. `set`: bytes of the whole batch. */
double sched_burst_cost(const sched_prices *prices, double set);

#endif
