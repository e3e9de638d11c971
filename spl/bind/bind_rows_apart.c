// SPDX-License-Identifier: BSD-3-Clause
/* Prefetching for rows that are not adjacent and shorter than a page. Hardware prefetching, which
 * stops at a page's end, has just begun when such a row ends, and after a row of a fold it has
 * fetched what is not read next. So the kernel that reads such rows prefetches those of the next
 * iteration. */
#include "spl/bind/bind_choice.h"

enum { LEAST_BYTES = 256 /* of a row; loads of several shorter rows are outstanding anyway */ };

/* Does another kernel prefetch for this one? */
static bool is_fetched(const bind_tape *p, const bind_op *loop, const bind_op *op)
{
    for (const bind_op *other = loop + 1; other < &p->op[loop->end]; other++)
        if (other->prefetch_columns && &p->op[other->prefetch_op] == op)
            return true;
    return false;
}

/* Does one call read a row, as folds and pairs do at position M? */
static bool reads_row(const bind_op *op)
{
    const spl_key *key = &op->codelet->key;

    return key->position == SPL_POS_M
           && (key->n == 1 ? key->in == SPL_INTER
                           : key->in != SPL_SPLIT && op->stmt->kernel == SPL_PAIR
                                 && op->stmt->role == SPL_ROLE_PAIR && op->call.is >= 0);
}

/* Is a row longer than a few lines, not prefetched by another kernel, and not followed directly by
 * the next row, in this loop or the enclosing one? Folds of the input are slower without
 * prefetching (docs/log/cosines.md). */
static bool is_row_apart(const bind_tape *p, const bind_step *around, const bind_op *loop,
                         const bind_op *op, size_t bytes)
{
    bind_step row;

    if (p->body->buf[op->in].space == PROG_IN && op->codelet->key.n == 1)
        return true;
    return bytes >= LEAST_BYTES && !is_fetched(p, loop, op)
           && bind_uniform_step(op, loop->var, &row) && around->in != row.in * loop->range.n;
}

static size_t elements_bytes(const bind_tape *p, const spl_key *key, size_t count)
{
    return count * (key->in == SPL_REAL ? 1 : 2) * p->scalar;
}

/* Does it transform rows of the input in registers, with rows in different pages, or longer than a
 * few lines with gaps between them? */
static bool reads_rows(const bind_tape *p, const bind_op *op)
{
    const spl_key *key = &op->codelet->key;
    const ptrdiff_t step = op->call.ics * (ptrdiff_t)p->scalar;
    const size_t apart = (size_t)(step < 0 ? -step : step);
    const size_t bytes = elements_bytes(p, key, (size_t)key->n);

    return p->body->buf[op->in].space == PROG_IN && key->position == SPL_POS_W
           && key->in != SPL_SPLIT && op->cols.n > 1
           && (apart >= p->target->memory.page || (bytes > LEAST_BYTES && apart > bytes));
}

/* Does it read from beyond the caches, or, a row per call, input larger than L2 (twice a local
 * store)? */
static bool reads_beyond(const bind_tape *p, const bind_op *loop, const bind_op *op)
{
    const size_t l2 = 2 * p->target->memory.local_store;

    return bind_reads_uncached(p, loop, op)
           || (reads_row(op) && p->body->buf[op->in].space == PROG_IN
               && bind_buffer_bytes(p, op->in) > l2);
}

/* Does the kernel, which is in `loop`, read other rows in the next iteration of `around`, which is
 * that loop or the one around it? For a transform in registers columns are rows, so its own loop
 * leads to other rows if it has more than one iteration; rows of pairs are iterations of that
 * loop. */
static bool goes_on(const bind_tape *p, const bind_op *around, const bind_op *loop,
                    const bind_op *op)
{
    if (reads_row(op))
        return around != loop;
    return reads_rows(p, op) && (around == loop) == (loop->range.n > 1);
}

/* Each call, of one row or of one of several, prefetches what it will read in the next
 * iteration. */
static void prefetch_apart(const bind_tape *p, const bind_op *around, const bind_op *loop,
                           bind_op *op)
{
    bind_step iteration;

    if (op->op != BIND_KERN || !op->codelet || op->prefetch_columns || !goes_on(p, around, loop, op)
        || !reads_beyond(p, around, op) || !bind_uniform_step(op, around->var, &iteration)
        || iteration.in == 0)
        return;
    const spl_key *key = &op->codelet->key;
    const size_t columns = reads_row(op) ? (size_t)op->cols.n : 1;
    const size_t bytes = elements_bytes(p, key, (size_t)key->n * columns);

    if (bytes >= p->target->memory.page
        || (reads_row(op) && !is_row_apart(p, &iteration, loop, op, bytes)))
        return;
    op->prefetch_columns = columns;
    op->prefetch_bytes = bytes;
    op->prefetch_step = op->call.ics * (ptrdiff_t)p->scalar;
    op->prefetch_op = (size_t)(op - p->op);
    op->prefetch_offset = iteration.in * (ptrdiff_t)p->scalar;
}

void bind_prefetch_rows_apart(const bind_tape *p, const bind_op *around)
{
    if (around->op != BIND_LOOP)
        return;
    for (size_t k = (size_t)(around - p->op) + 1; k < around->end; k = bind_next_op(p, k)) {
        prefetch_apart(p, around, around, &p->op[k]);
        for (size_t i = k + 1; i < bind_next_op(p, k); i = bind_next_op(p, i))
            prefetch_apart(p, around, &p->op[k], &p->op[i]);
    }
}
