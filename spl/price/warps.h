// SPDX-License-Identifier: BSD-3-Clause
/* What memory accesses of work-items cost on GPUs where 32 items, a warp, access memory together.
 *
 * Local memory has 32 banks of 4 bytes. At a time each bank serves one word, to a part of a warp:
 * to 32 items of 4 bytes, 16 of 8 or 8 of 16. That is a wavefront. If n different words of a part
 * are in one bank, the part takes n wavefronts. Global memory is moved in sectors of 32 bytes out
 * of lines of 128. An index function is a sum of digits of loop variables, so a warp's items add
 * the same to the address in every warp; how often this set of addresses starts at each position of
 * a line is counted without visiting every warp. */
#ifndef SPL_WARPS_H
#define SPL_WARPS_H

#include "spl/program/program.h"

enum { WARP_ITEMS = 32, WARP_BANKS = 32, WARP_BANK = 4, WARP_SECTOR = 32, WARP_SPAN = 128 };

/* The loops around a statement. Work-items are numbered j = 0 .. over the item loops, the last one
 * fastest, and then over the statement's elements. A group is `width` items of consecutive j. */
typedef struct warp_nest {
    int outer_count, item_count;
    const spl_range *outer[IX_MAX_VARS], *item[IX_MAX_VARS]; /* outermost first */
    int64_t elements;                                        /* that are separate items, or 1 */
    int64_t width;
} warp_nest;

/* Element i of an access is at first + bytes f(i). A work-item accesses the f->n / elements values
 * of its element one after another. */
typedef struct warp_access {
    const ix *f;
    int64_t first; /* in bytes from the beginning of a line */
    int bytes;     /* 4, 8 or 16 */
    int together;  /* 2: elements 2i and 2i + 1 are one access, of twice the bytes; 0, 1: no */
    uint64_t left; /* bit i: element i is not accessed; for functions of at most 64 */
} warp_access;

/* Counts of a whole execution. */
typedef struct warp_counts {
    bool exact;         /* false: estimated from some of the warps */
    int64_t elements;   /* moved */
    int64_t accesses;   /* of warps */
    int64_t wavefronts; /* if it is local memory */
    int64_t least;      /* wavefronts if there were no conflicts */
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

/* Adds the counts of an access to `out`, which begins as {.exact = true}. */
void warp_count(warp_counts *out, const warp_nest *nest, const warp_access *access);
/* The same by visiting warps one by one, up to `most` accesses of warps. */
void warp_count_each(warp_counts *out, const warp_nest *nest, const warp_access *access,
                     int64_t most);
/* Adds `times` times the counts of one access, by adjacent items, to these byte addresses. */
void warp_touch(warp_counts *out, const int64_t *address, int items, int bytes, int64_t times);

#endif
