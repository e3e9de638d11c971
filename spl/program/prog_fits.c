// SPDX-License-Identifier: BSD-3-Clause
/* The buffers of a program that a unit holds. */
#include <inttypes.h>

#include "core/status.h"
#include "spl/program/program.h"

enum { BUF_OUT = 1 };

size_t prog_owner(const prog *p, int b)
{
    size_t first = p->nstmts, last = 0, best = p->nstmts;
    for (size_t i = 0; i < p->nstmts; i++)
        if (prog_is_stage(&p->stmt[i]) && (p->stmt[i].in == b || p->stmt[i].out == b)) {
            first = first == p->nstmts ? i : first;
            last = i;
        }
    for (size_t i = 0; i < first; i++)
        if (p->stmt[i].op == PROG_LOOP && first < p->stmt[i].end && last < p->stmt[i].end)
            best = i; /* later ones lie inside earlier ones */
    return best;
}

/* Do gets fill or puts empty the buffer? Their sources and targets are outside the stores. */
static bool has_transfers_of(const prog *p, int b)
{
    for (size_t i = 0; i < p->nstmts; i++)
        if (p->stmt[i].op == PROG_COPY && (p->stmt[i].put ? p->stmt[i].in : p->stmt[i].out) == b)
            return true;
    return false;
}

/* A shared buffer that transfers fill or empty. */
static bool is_blocks(const prog *p, int b)
{
    return p->buf[b].space == PROG_SHARED && has_transfers_of(p, b);
}

/* The places of all such buffers of the loop that b belongs to; those of other loops are live
 * before or after. */
static int64_t places_of_blocks(const prog *p, int b)
{
    const size_t owner = prog_owner(p, b);
    int64_t sum = 0;
    for (int i = BUF_OUT + 1; i < p->nbufs; i++)
        if (is_blocks(p, i) && prog_owner(p, i) == owner)
            sum += prog_cells_of(&p->buf[i]);
    return sum;
}

sluice_status prog_fits(const prog *p, size_t local_store, size_t elem_bytes, sluice_diag *why)
{
    int64_t max = 0;
    for (int i = BUF_OUT + 1; i < p->nbufs; i++) {
        const int64_t held = is_blocks(p, i) ? places_of_blocks(p, i) : 0;
        max = held > max ? held : max;
    }
    const int64_t held = p->local_elems + (max + p->parts - 1) / p->parts;
    if ((size_t)held <= local_store / elem_bytes)
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                     "rule local: %" PRId64
                     " elements of %zu bytes do not fit a local store of %zu bytes",
                     held, elem_bytes, local_store);
}
