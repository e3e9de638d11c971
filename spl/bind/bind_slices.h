// SPDX-License-Identifier: BSD-3-Clause
/* Transfers in slices. While block k of a loop is computed, block k + distance of its input is
 * prefetched, and block k-1 of its results is copied from a local buffer to memory: a few lines of
 * each after every call of a codelet. So data move all the time while the core computes, in the
 * order of addresses, and whole lines are stored without being read first. */
#ifndef SPL_BIND_SLICES_H
#define SPL_BIND_SLICES_H

#include "spl/bind/bind_tape.h"

/* The transfers of one loop. Each iteration computes one block. */
typedef struct bind_slices {
    size_t calls; /* codelet calls in an iteration that are followed by a slice of both transfers */
    /* The prefetch (get_bytes 0: none). get.base[0] and the input steps of `get` lead to the block
     * that is read `distance` iterations later. */
    size_t get_bytes, get_slice; /* of a block, of a slice */
    int64_t distance;
    bind_op get;
    /* The copy of results (put_bytes 0: none): from base[0], one of BIND_SLICE_COPIES local buffers
     * in rotation, to base[2], the block of this iteration in memory. */
    size_t put_bytes, put_slice;
    bind_op put;
    const spl_codelet *straight; /* stores a block that begins at a line to memory itself; NULL:
                                    none */
    int buffer;                  /* that kernels of the loop write; redirected to the local one */
    int scratch; /* that the last kernel reads, redirected too: it works in place; -1: none */
} bind_slices;

/* While kernels fill one local buffer, the other is copied out. BIND_SLICE_BYTES: the aim for the
 * bytes moved between two calls. Blocks up to BIND_SLICED_BYTES take less time to compute than
 * sliced calls add (docs/log/slices.md). */
enum { BIND_SLICE_COPIES = 2, BIND_SLICE_BYTES = 1024, BIND_SLICED_BYTES = 1536 };

/* The bytes, without a gap, that an iteration of a loop accesses in a buffer on one side. */
typedef struct bind_block {
    bind_base base; /* of the first byte, with all loops at 0 */
    size_t bytes;
    int64_t step; /* scalars from iteration to iteration */
} bind_block;

/* What is moved in slices: the input, the results, or both. */
typedef enum bind_slice_kinds {
    BIND_SLICE_GET = 1,
    BIND_SLICE_PUT = 2,
    BIND_SLICE_BOTH = BIND_SLICE_GET | BIND_SLICE_PUT
} bind_slice_kinds;

/* Finds how the loop at op `loop` could move these; false: it cannot. Changes nothing. */
bool bind_slices_find(const bind_tape *tape, size_t loop, bind_slice_kinds kinds, bind_slices *out);
/* Bytes that an iteration of such a loop touches and that must stay in the caches. */
size_t bind_slices_iteration_bytes(const bind_tape *tape, size_t loop, const bind_slices *slices);
/* Puts the kernel at `at` into a new loop over blocks of its columns. False: the columns are not
 * blocks in memory, or are stored non-temporally already. `kernel` receives the op as it was, from
 * which join restores it. */
bool bind_slices_split(bind_tape *tape, size_t at, bind_op *kernel);
void bind_slices_join(bind_tape *tape, size_t at, const bind_op *kernel);
/* Makes the loop move its data in slices; false: out of memory, or too many steps. */
bool bind_slices_use(bind_tape *tape, size_t loop, const bind_slices *slices);

/* For blocks that leave the caches by ordinary stores: places what the last kernel of a loop reads
 * in the block that it writes, if it may work in place there (bind_slices_output.c). */
void bind_scratch_in_blocks(bind_tape *tape);

/* ---- what the files about slices share ---- */

/* The block that the ops of the loop access in the buffer, if every iteration has its own; and the
 * block of the op at `at`. */
bool bind_block_of_loop(const bind_tape *tape, size_t loop, int buffer, bool out, bind_block *b);
bool bind_block_of_op(const bind_tape *tape, size_t loop, size_t at, bool out, bind_block *b);

/* The scratch of the loop that its last kernel could read in the block of its results; -1: none. */
int bind_slices_scratch(const bind_tape *tape, size_t loop);
/* The same, if it is faster there than elsewhere (bind_slices_output.c). */
int bind_slices_in_block(const bind_tape *tape, size_t loop);

/* Does a buffer exceed the caches? */
bool bind_slices_exceeds_caches(const bind_tape *tape, int buffer);
/* Is a side of the op in the same memory as the buffer? */
bool bind_slices_touches(const bind_tape *tape, const bind_op *op, bool out, int buffer);
/* Keeps only those steps of the op that belong to the sliced loop and to loops around it. */
void bind_slices_outer_steps(const bind_tape *tape, size_t loop, bind_op *op);
/* Redirects a side of the op to base[0] and base[1], and adds the output steps of `count` more
 * loops to it; false: the op has no room for them. */
bool bind_slices_redirect(bind_op *op, bool out, const bind_base *base, const bind_step *step,
                          int count);
static inline bool bind_slices_around(const bind_op *loop, size_t at, size_t op)
{
    return loop->op == BIND_LOOP && at < op && op < loop->end;
}
/* Chooses how many columns or sets a call computes, such that all calls take about the same time
 * and move about BIND_SLICE_BYTES; sets them with `apply`. Returns the number of calls. */
size_t bind_slices_calls(const bind_tape *tape, size_t loop, size_t bytes, bool apply);

#endif
