// SPDX-License-Identifier: BSD-3-Clause
/* A transfer as packets: runs of elements that are adjacent on both sides, at strides. */
#ifndef SPL_MOVE_H
#define SPL_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spl/index/ix.h"

enum { PROG_MOVE_LEVELS = 4 };

typedef struct prog_move {
    int from, to; /* buffers */
    int levels;   /* loops around a packet, outermost first */
    int64_t count[PROG_MOVE_LEVELS];
    ptrdiff_t in[PROG_MOVE_LEVELS], out[PROG_MOVE_LEVELS]; /* bytes */
    size_t run;                                            /* elements of a packet */
    size_t scalar;                                         /* bytes */
    bool real;                /* elements are reals: one scalar each, one array */
    bool split_in, split_out; /* re and im in runs of their own, else interleaved */
    bool non_temporal;        /* stores bypass the caches */
} prog_move;

/* Element i goes from fin(i) to fout(i), i < n, with all loop variables 0. Scalar, formats and
 * buffers have to be set before. False if the functions are not a few digits that both sides
 * share. */
bool prog_move_of(prog_move *move, const ix *fin, const ix *fout, int64_t n);
/* Scalars of an element that are adjacent, on the input or the output side. */
static inline size_t prog_move_adjacent(const prog_move *move, bool output)
{
    return move->real || (output ? move->split_out : move->split_in) ? 1 : 2;
}
int64_t prog_move_packets(const prog_move *move);
size_t prog_move_packet_bytes(const prog_move *move);

#endif
