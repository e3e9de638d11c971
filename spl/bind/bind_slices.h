// SPDX-License-Identifier: BSD-3-Clause
/* Transfers in slices: while block k of a loop is computed, block k + distance of what it reads is
 * prefetched and block k-1 of what it wrote leaves a local buffer, a few lines of each between
 * every two calls of codelets. So the processor moves data all the time it computes, in the order
 * of addresses, and whole lines are stored without being read. */
#ifndef SPL_BIND_SLICES_H
#define SPL_BIND_SLICES_H

#include "spl/bind/bind_tape.h"

/* Of one loop, whose iterations are the blocks. */
typedef struct bind_slices {
    size_t calls; /* of codelets in an iteration that are followed by a slice of both transfers */
    /* What is read, 0: nothing. get.base[0] and the steps of its input lead to the block that is
     * `distance` iterations on. */
    size_t get_bytes, get_slice; /* of a block, of a slice */
    int64_t distance;
    bind_op get;
    /* What is written, 0: nothing. From base[0], one of BIND_SLICE_COPIES buffers in rotation, to
     * base[2], the block of this iteration. */
    size_t put_bytes, put_slice;
    bind_op put;
    const spl_codelet *straight; /* that stores each block itself where it begins with a line; NULL:
                                    none */
    int buffer;                  /* that kernels of the loop write, and find in the local one */
    int scratch; /* the same, of what the last kernel reads, as it may work in place; -1: none */
} bind_slices;

/* Computing fills one buffer while the other one is put. Bytes that are moved between two calls.
 * Blocks that are no longer than the last are computed in less time than calls with slices take
 * (docs/log/slices.md). */
enum { BIND_SLICE_COPIES = 2, BIND_SLICE_BYTES = 1024, BIND_SLICED_BYTES = 1536 };

/* What an iteration of a loop accesses of a buffer on one side: bytes without a gap. */
typedef struct bind_block {
    bind_base base; /* of the first, where all loops stand at 0 */
    size_t bytes;
    int64_t step; /* scalars from iteration to iteration */
} bind_block;

/* What is moved in slices: what is read, what is written, both. */
typedef enum bind_slice_kinds {
    BIND_SLICE_GET = 1,
    BIND_SLICE_PUT = 2,
    BIND_SLICE_BOTH = BIND_SLICE_GET | BIND_SLICE_PUT
} bind_slice_kinds;

/* How the loop at op `loop` could move these; false: it cannot. It changes nothing. */
bool bind_slices_find(const bind_tape *tape, size_t loop, bind_slice_kinds kinds, bind_slices *out);
/* Bytes that an iteration of such a loop touches, which are to stay in the caches. */
size_t bind_slices_near_bytes(const bind_tape *tape, size_t loop, const bind_slices *slices);
/* Makes the columns of the kernel at `at` a loop over blocks of them, the kernel inside; false: its
 * columns are no blocks in memory, or are stored non-temporally as they are. Undone by join, which
 * gets what split filled in. */
bool bind_slices_split(bind_tape *tape, size_t at, bind_op *kernel);
void bind_slices_join(bind_tape *tape, size_t at, const bind_op *kernel);
/* Makes the loop move its data in slices; false: out of memory, or too many steps. */
bool bind_slices_use(bind_tape *tape, size_t loop, const bind_slices *slices);

/* Where blocks leave the caches by ordinary stores, what the last kernel of a loop reads lies in
 * the block that it writes, if it may work in place there (bind_slices_output.c). */
void bind_scratch_in_blocks(bind_tape *tape);

/* ---- what the files about slices share ---- */

/* The block that the ops of the loop access of the buffer, if every iteration has another one; and
 * that of the op at `at`. */
bool bind_block_of_loop(const bind_tape *tape, size_t loop, int buffer, bool out, bind_block *b);
bool bind_block_of_op(const bind_tape *tape, size_t loop, size_t at, bool out, bind_block *b);

/* The scratch of the loop that its last kernel could read in the block of its results; -1: none. */
int bind_slices_scratch(const bind_tape *tape, size_t loop);
/* The same where it had better lie there than elsewhere (bind_slices_output.c). */
int bind_slices_in_block(const bind_tape *tape, size_t loop);

/* Does a buffer exceed the caches? */
bool bind_slices_far(const bind_tape *tape, int buffer);
/* Does a side of the op lie where the buffer does? */
bool bind_slices_touches(const bind_tape *tape, const bind_op *op, bool out, int buffer);
/* Of the op's steps those of loops around the sliced one, and of that itself. */
void bind_slices_outer_steps(const bind_tape *tape, size_t loop, bind_op *op);
/* A side of the op leads to base[0] and base[1], and moves with `count` loops more, as far as their
 * steps say of the output; false: it has no room for them. */
bool bind_slices_redirect(bind_op *op, bool out, const bind_base *base, const bind_step *step,
                          int count);
static inline bool bind_slices_around(const bind_op *loop, size_t at, size_t op)
{
    return loop->op == BIND_LOOP && at < op && op < loop->end;
}
/* Columns or sets of one call, so that calls take about the same time and there are enough for
 * slices of a kilobyte; with apply they are set. Returns how many calls there are. */
size_t bind_slices_calls(const bind_tape *tape, size_t loop, size_t bytes, bool apply);

#endif
