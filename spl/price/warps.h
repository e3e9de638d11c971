// SPDX-License-Identifier: BSD-3-Clause
/* What accesses of work-items cost where 32 of them, a warp, go to memory together.
 *
 * Local memory has 32 banks of 4 bytes, and gives a word of each at a time to a part of a warp: to
 * 32 items of 4 bytes, 16 of 8 or 8 of 16. That is a wavefront; a part whose words lie in one bank,
 * in different places, takes as many as that. Memory beyond moves sectors of 32 bytes out of lines
 * of 128. An index function is a sum of digits of loop variables, so what a warp's items add to an
 * address is the same for all warps, and how often it meets each position in a line is counted
 * without going through them. */
#ifndef SPL_WARPS_H
#define SPL_WARPS_H

#include "spl/program/program.h"

enum { WARP_ITEMS = 32, WARP_BANKS = 32, WARP_BANK = 4, WARP_SECTOR = 32, WARP_SPAN = 128 };

/* The loops around a statement. Those of items are one row of numbers j, the last loop and then the
 * statement's elements the fastest; a group has `width` items, side by side in j, at a time. */
typedef struct warp_nest {
    int outer_count, item_count;
    const spl_range *outer[IX_MAX_VARS], *item[IX_MAX_VARS]; /* outermost first */
    int64_t elements;                                        /* that are items of their own, or 1 */
    int64_t width;
} warp_nest;

/* Element i of an access lies at first + bytes f(i). An item reads or writes the f->n / elements of
 * its element, one after another. */
typedef struct warp_access {
    const ix *f;
    int64_t first; /* in bytes, from the beginning of a line */
    int bytes;     /* 4, 8 or 16 */
    int together;  /* 2: elements 2i and 2i + 1 are one access, of twice the bytes; 0, 1: each is */
    uint64_t left; /* bit i: element i is not accessed; of functions of up to 64 */
} warp_access;

/* In a whole execution. */
typedef struct warp_counts {
    bool exact;         /* false: estimated from some of the warps */
    int64_t elements;   /* moved */
    int64_t accesses;   /* of warps */
    int64_t wavefronts; /* were it local memory */
    int64_t least;      /* wavefronts without conflicts */
    int64_t sectors, lines;
} warp_counts;

static inline bool warp_leaves(const warp_access *access, int64_t row)
{
    return (row < 64 && access->left >> row & 1) || (access->together > 1 && row % 2 != 0);
}

static inline int warp_bytes(const warp_access *access)
{
    return access->together > 1 ? 2 * access->bytes : access->bytes;
}

/* Begins with {.exact = true}: adds what an access does. */
void warp_count(warp_counts *out, const warp_nest *nest, const warp_access *access);
/* The same by going through warps one by one; `most`: of how many accesses of warps at most. */
void warp_count_each(warp_counts *out, const warp_nest *nest, const warp_access *access,
                     int64_t most);
/* What an access to these byte addresses, of items side by side, adds, `times` times. */
void warp_touch(warp_counts *out, const int64_t *address, int items, int bytes, int64_t times);

#endif
