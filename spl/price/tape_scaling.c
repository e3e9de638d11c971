// SPDX-License-Identifier: BSD-3-Clause
/* What a call costs for results that it multiplies in place (spl/bind/bind_scale.c), piece by
 * piece, with one call for each run of adjacent results:
 *
 *     seconds(piece) = max(wait, lines * line + elements apart * element) + (runs + 2) * call
 *
 * The first results of a piece are read right after they were stored, hence the wait. If all
 * results are adjacent they are multiplied without calls. */
#include <math.h>

#include "spl/price/tape.h"

/* Seconds to read, multiply and store a line in L1 (measured). */
static const double scaled_line = 0.66e-9;

/* The results of one set in a piece: `runs` runs of scalars, adjacent or `apart`; 0: one run of all
 * `scalars`. */
typedef struct scaled_runs {
    double runs, scalars;
    bool apart;
} scaled_runs;

static scaled_runs runs_of(const bind_op *op, int64_t columns)
{
    const spl_call *c = &op->call;
    const ptrdiff_t unit = op->tail.unit;
    const int64_t rows = op->scaling.rows;
    const bool split = op->tail.out == SPL_SPLIT;
    const bool by_columns = !c->out_off && c->os == unit && rows > 1;
    const bool whole = !c->out_off && !op->tail.pairs && !split
                       && ((c->os == unit && (columns == 1 || c->ocs == rows * unit))
                           || (c->ocs == unit && (rows == 1 || c->os == columns * unit)));
    const double scalars = (double)(rows * columns * unit) * (split ? 2 : 1);

    if (whole)
        return (scaled_runs){.scalars = scalars};
    return (scaled_runs){.runs = (double)(by_columns ? columns : rows) * (split ? 2 : 1),
                         .scalars = scalars,
                         .apart = !by_columns && c->ocs != unit};
}

double price_scaling(const bind_tape *tape, const price_unit *unit, const bind_op *op)
{
    if (op->scaling.rows == 0)
        return 0;
    const bool by_sets = op->codelet->key.tw == SPL_TW_BROADCAST;
    const int64_t piece = (int64_t)op->scaling.piece, all = by_sets ? op->outer.n : op->cols.n;
    const double pieces = (double)((all + piece - 1) / piece);
    const int64_t columns = by_sets || op->cols.n < piece ? op->cols.n : piece;
    const double sets = by_sets ? (double)op->outer.n / pieces : 1; /* of a piece */
    const scaled_runs r = runs_of(op, columns);
    const double each =
        r.apart ? price_moved_evenly : scaled_line * (double)tape->scalar / PRICE_LINE;
    const double calls = r.runs > 0 ? sets * r.runs + 2 : 0;

    return pieces
           * (fmax(1e-12 * unit->figure[PRICE_WAIT], sets * r.scalars * each)
              + 1e-12 * calls * unit->figure[PRICE_CALL]);
}
