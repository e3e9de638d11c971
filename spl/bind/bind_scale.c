// SPDX-License-Identifier: BSD-3-Clause
/* Constants at a kernel: they are multiplied into the rows of its twiddle table; rows of results
 * without factors there are scaled in place, while a cache holds them. */
#include "spl/bind/bind_choice.h"
#include "spl/formula/transforms.h"

/* Limits of a piece: this share of L1 if all its results are scaled, of a local store if only some
 * rows are. */
enum { L1_SHARE = 4, STORE_SHARE = 8 };
/* Largest size of the transforms that a codelet computes at a time and that are scaled before they
 * are stored non-temporally. */
enum { WHOLE_BYTES = 8 * 1024 };

void bind_read_factors(bind_choice *ch)
{
    const prog_stmt *k = ch->stage->stmt;

    ch->scale = 1;
    for (int i = 0; i < k->ntwiddles; i++)
        if (k->twiddle[i].values == SPL_CONST)
            ch->scale *= spl_constant_value(k->twiddle[i].m);
        else
            ch->factor[ch->nfactors++] = &k->twiddle[i];
    ch->has_tw = ch->nfactors > 0;
}

/* Rows of the results whose factors are not in the table; pairs have no factors on results. */
static int rows_without_factor(const bind_choice *ch)
{
    const bind_op *op = ch->op;
    const spl_tw tw = op->codelet->key.tw;

    if (!op->table || ch->stage->stmt->kernel == SPL_PAIR)
        return bind_codelet_outputs(ch->stage->stmt);
    if (tw == SPL_TW_FACTORED)
        return 0;
    return tw == SPL_TW_FACTORED_SHARED || bind_table_first_row(&op->table->key) == 1;
}

/* The columns, or sets, of a piece that a cache holds. */
static size_t piece_of(const bind_choice *ch, bool all_rows)
{
    const bind_op *op = ch->op;
    const bind_memory *m = &ch->tape->target->memory;
    const bool sets = op->codelet->key.tw == SPL_TW_BROADCAST;
    const size_t lanes = (size_t)op->codelet->key.lanes;
    const size_t scalars = op->tail.unit > 2 ? (size_t)op->tail.unit : 2;
    const size_t max = all_rows ? m->l1 / L1_SHARE : m->local_store / STORE_SHARE;
    const size_t column = (size_t)op->tail.outputs * scalars * ch->tape->scalar;
    const size_t bytes = sets ? column * (size_t)op->cols.n : column;
    const size_t unit = sets ? 1 : lanes, fit = max / bytes / unit * unit;

    return fit < unit ? unit : fit;
}

void bind_fill_scale(bind_choice *ch)
{
    bind_op *op = ch->op;
    const int rows = ch->scale == 1 ? 0 : rows_without_factor(ch);
    const bool all = rows == op->tail.outputs;

    if (rows == 0)
        return;
    op->scaling = (bind_scaling){.by = ch->scale, .rows = rows, .piece = piece_of(ch, all)};
    op->prefetch_columns = 0;
    /* Results stored non-temporally cannot be scaled later: whole transforms are scaled before. */
    const spl_key *key = &op->codelet->key;
    const bool whole =
        all && key->in == SPL_INTER && key->tw == SPL_TW_NONE && key->kind == SPL_DFT
        && bind_reads_rows_in_sequence(key) && op->call.ics == 2 * (ptrdiff_t)op->tail.n
        && (size_t)op->tail.n * (size_t)key->lanes * 2 * ch->tape->scalar <= WHOLE_BYTES;
    if (!whole)
        op->codelet_nt = NULL;
}
