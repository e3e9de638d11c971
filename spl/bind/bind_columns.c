// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the loop that becomes a codelet's columns, and the ISA of its vectors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/status.h"
#include "spl/bind/bind_choice.h"

/* Bytes of the vectors that position T loads and stores. */
enum { PIECE = 16 };

/* Does another loop of the stage run over shares of this one? Then its variable is needed. */
bool bind_is_shared(const prog_stage *stage, const prog_stmt *loop)
{
    for (int i = 0; i < stage->count; i++)
        if (stage->loop[i]->range.share_var == loop->range.var)
            return true;
    return false;
}

/* On how many sides is the next iteration the next element? */
static int adjacent_sides(const bind_choice *ch, const prog_stmt *s)
{
    return (ch->in.unit > 0 && bind_is_adjacent(&ch->in, &ch->in.at, s))
           + (ch->out.unit > 0 && bind_is_adjacent(&ch->out, &ch->out.at, s));
}

/* Without a VEC loop the longer loop is better. On targets whose vectors have one lane, which never
 * have a VEC loop, the loop that is adjacent on more sides is better. */
static bool is_better(const bind_choice *ch, const prog_stmt *s, const prog_stmt *best)
{
    const bind_target *t = ch->tape->target;
    const bool single = bind_lanes(t, t->isa, ch->tape->precision, SPL_INTER) == 1;
    const int more = best && single ? adjacent_sides(ch, s) - adjacent_sides(ch, best) : 0;

    return !best || more > 0 || (more == 0 && s->range.n > best->range.n);
}

/* Takes the VEC loop, else the longest one. PAR loops, and loops that others run over shares of,
 * stay loops. */
void bind_choose_columns(bind_choice *ch)
{
    const prog_stmt *longest = NULL;

    for (int i = 0; i < ch->stage->count; i++) {
        const prog_stmt *s = ch->stage->loop[i];
        if (bind_encloses_stages(ch, s) || bind_is_shared(ch->stage, s))
            continue;
        if (s->range.kind == SPL_VEC)
            ch->cols = s;
        if (is_better(ch, s, longest))
            longest = s;
    }
    if (!ch->cols)
        ch->cols = longest;
}

static bool has_split_sides(const bind_choice *ch)
{
    const bind_buf *buf = ch->tape->buf;

    return buf[ch->stage->stmt->in].format == SPL_SPLIT
           && buf[ch->stage->stmt->out].format == SPL_SPLIT;
}

/* Refuses a number of lanes. Accepted are those of every ISA up to the best, and 1. */
static sluice_status refuse_lanes(const bind_choice *ch, int64_t nu, sluice_diag *why)
{
    static const char *const format[] = {"inter", "split", "real"};
    const bind_target *t = ch->tape->target;
    char list[32] = "";

    for (int isa = (int)t->isa; isa > CORE_ISA_SCALAR; isa--) {
        const int lanes = bind_lanes(t, (core_isa)isa, ch->tape->precision, ch->format);
        if (lanes == 1 || !bind_has_format(t, (core_isa)isa, ch->tape->precision, ch->format))
            continue;
        if (list[0])
            snprintf(list + strlen(list), sizeof list - strlen(list), ", ");
        snprintf(list + strlen(list), sizeof list - strlen(list), "%d", lanes);
    }
    return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                     "vec(%lld,%s): units of ISA %s have vectors of %s%s1 lanes here",
                     (long long)nu, format[ch->format], core_isa_name(t->isa), list,
                     list[0] ? " or " : "");
}

/* vec(nu,format) implies an ISA by its lanes. Without it nothing is converted if both sides are
 * split. Vectors of one lane (f64 in 128 bits) are used if they are the longest, since they are
 * faster than plain C; else plain C, which has other positions. If all ISAs have the same bits, any
 * vector serves. */
sluice_status bind_choose_isa(bind_choice *ch, sluice_diag *why)
{
    const spl_range *r = ch->cols && ch->cols->range.kind == SPL_VEC ? &ch->cols->range : NULL;
    const bind_target *t = ch->tape->target;

    ch->format = r ? (spl_format)r->format : has_split_sides(ch) ? SPL_SPLIT : SPL_INTER;
    const int64_t own =
        t->reproducible ? bind_lanes(t, t->isa, ch->tape->precision, ch->format) : 1;
    const int64_t nu = r ? r->nu : own;
    for (int isa = (int)t->isa; isa >= CORE_ISA_SCALAR; isa--) {
        if (!t->vectors[isa].codelets[0] /* not built */
            || (isa > CORE_ISA_SCALAR
                && !bind_has_format(t, (core_isa)isa, ch->tape->precision, ch->format)))
            continue;
        ch->isa = (core_isa)isa;
        ch->lanes = bind_lanes(t, ch->isa, ch->tape->precision, ch->format);
        if (ch->lanes == nu && (nu > 1 || isa == (int)t->isa || isa == CORE_ISA_SCALAR))
            return SLUICE_OK;
    }
    return refuse_lanes(ch, nu, why);
}

/* Finds a codelet of shorter vectors; T, with the same bits, replaces D, which few ISAs have. */
static const spl_codelet *find_narrow(const bind_choice *ch, spl_key key)
{
    const spl_codelet *c = bind_codelet_find(ch->tape->target, &key);

    if (!c && key.position == SPL_POS_D) {
        key.position = SPL_POS_T;
        c = bind_codelet_find(ch->tape->target, &key);
    }
    return c && bind_has_narrow_twins(&c->key) ? c : NULL;
}

/* Columns that are left over run in shorter vectors if these read the same twiddles, or none. */
void bind_find_shorter(const bind_choice *ch)
{
    bind_op *op = ch->op;
    const spl_key *own = &op->codelet->key;
    const bool alone = own->tw == SPL_TW_NONE || own->tw == SPL_TW_BROADCAST;
    const bool left_over = op->cols.n % own->lanes != 0 && !op->tail.repeats;
    int count = 0;

    if (!alone || !left_over || !bind_has_narrow_twins(own))
        return;
    for (int isa = (int)own->isa - 1; isa > CORE_ISA_SCALAR && count < BIND_WIDTHS; isa--) {
        spl_key key = *own;
        key.isa = (core_isa)isa;
        key.nt = false;
        const spl_codelet *c = find_narrow(ch, key);
        if (!c || c->key.lanes >= own->lanes
            || (own->tw != SPL_TW_NONE && spl_spreads_factors(&c->key) != spl_spreads_factors(own)))
            continue;
        op->shorter[count] = c;
        op->tail.shorter[count++] = (bind_width){c->run, c->key.lanes};
    }
}

bool bind_columns_are_dense(const bind_choice *ch)
{
    const int64_t n = ch->stage->stmt->n;

    return ch->cols && ch->in.at.loop[ch->cols->range.var] == n * bind_adjacent(&ch->in)
           && ch->out.at.loop[ch->cols->range.var] == n * bind_adjacent(&ch->out);
}

static double cycles_of_column(const bind_choice *ch, const spl_codelet *c)
{
    const bind_target *t = ch->tape->target;

    return t->cycles(t->owner, ch->tape->costs, c) / c->key.lanes;
}

double bind_cycles_of_bits(const bind_choice *ch, const spl_codelet *c)
{
    return ch->tape->costs ? cycles_of_column(ch, c) : c->cycles / c->key.lanes;
}

bool bind_writes_vectors(const bind_choice *ch, const spl_codelet *whole)
{
    static const double even = 1.01; /* tolerance: the spills of D are not counted */
    const spl_codelet *rows = ch->op->codelet;
    const spl_key key = bind_key_of(ch, SPL_POS_D, SPL_TW_NONE, rows->key.compute);
    const spl_codelet *dense = bind_codelet_find(ch->tape->target, &key);
    const int lanes = bind_lanes(ch->tape->target, whole->key.isa, ch->tape->precision, SPL_INTER);

    return whole->key.out == SPL_INTER && whole->stores * lanes == whole->key.n
           && bind_cycles_of_bits(ch, whole)
                  <= even * bind_cycles_of_bits(ch, dense ? dense : rows);
}

/* Takes a codelet with the same bits if it costs less. Predicted costs of shorter vectors, which
 * need twice as many instructions, must be a tenth lower, the error of predictions. */
static void try_twin(bind_choice *ch, const spl_key *key)
{
    static const double counts_err = 1.1;
    const spl_codelet *now = ch->op->codelet, *c = bind_codelet_find(ch->tape->target, key);
    const double more = c && c->key.isa < now->key.isa && !ch->tape->costs ? counts_err : 1;

    if (c && more * cycles_of_column(ch, c) < cycles_of_column(ch, now))
        ch->op->codelet = c;
}

/* Chooses the cheapest codelet with the same bits. Transposing costs a long vector more operations
 * than two vectors of half its length if rows are not whole vectors: then shorter ones are cheaper.
 * Position T loads and stores pieces of rows; if a piece is one element, these accesses outnumber
 * its shuffles, and only codelets of fewer lanes gain. Output that is evicted keeps long vectors,
 * which alone have non-temporal stores of whole lines. */
static void choose_cheaper(bind_choice *ch)
{
    const spl_codelet *own = ch->op->codelet;
    const int longest = (int)own->key.isa - (2 * ch->tape->scalar < PIECE ? 0 : 1);

    if ((own->key.position != SPL_POS_D && own->key.position != SPL_POS_T)
        || !bind_has_narrow_twins(&own->key) || bind_output_is_evicted(ch))
        return;
    const int positions = bind_columns_are_dense(ch) ? 2 : 1;
    for (int isa = longest; isa > CORE_ISA_SCALAR; isa--)
        for (int i = 0; i < positions; i++) {
            spl_key key = own->key;
            key.isa = (core_isa)isa;
            key.position = i == 0 ? SPL_POS_T : SPL_POS_D;
            try_twin(ch, &key);
        }
}

/* Columns that do not fill a vector are copied through a buffer; a shorter vector that they fill
 * needs none. Scalar codelets are not tried: each column would be an inner loop of its own. */
void bind_narrow_vectors(bind_choice *ch)
{
    const int64_t columns = ch->cols ? ch->cols->range.n * (ch->parts ? 2 : 1) : 1;
    const spl_codelet *c = ch->op->codelet;

    if (!bind_has_narrow_twins(&c->key))
        return;
    for (int isa = (int)c->key.isa; isa > CORE_ISA_SCALAR; isa--) {
        spl_key key = ch->op->codelet->key;
        key.isa = (core_isa)isa;
        c = find_narrow(ch, key);
        if (c && c->key.lanes <= columns) {
            ch->op->codelet = c;
            break;
        }
    }
    choose_cheaper(ch);
}

const prog_stmt *bind_nearest_loop(const bind_choice *ch, const prog_access *side,
                                   const prog_stmt *other)
{
    const prog_stmt *best = NULL;

    for (int i = 0; i < ch->stage->count; i++) {
        const prog_stmt *s = ch->stage->loop[i];
        if (s == other || !bind_may_take(ch, s))
            continue;
        if (!best || llabs(side->loop[s->range.var]) < llabs(side->loop[best->range.var]))
            best = s;
    }
    return best;
}

/* Not between mirrored and interleaved sides, where codelets are preferred (bind_fold.c). */
bool bind_moves_by_rows(const bind_choice *ch, const prog_stmt *loop)
{
    const bind_side *const side[] = {&ch->in, &ch->out};
    bool may = true;

    for (int i = 0; i < 2; i++)
        may =
            may
            && (side[i]->format != SPL_MIRROR
                || (side[1 - i]->format != SPL_INTER
                    && side[i]->at.loop[loop->range.var] == side[i]->second.loop[loop->range.var]));
    return may;
}
