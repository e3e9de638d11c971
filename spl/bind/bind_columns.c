// SPDX-License-Identifier: BSD-3-Clause
/* Which loop becomes a codelet's columns, and of which ISA its vectors are. */
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "spl/bind/bind_choice.h"

/* Does another loop of the stage run over shares of this one? Then its variable is needed. */
bool bind_is_shared(const prog_stage *stage, const prog_stmt *loop)
{
    for (int i = 0; i < stage->count; i++)
        if (stage->loop[i]->range.share_var == loop->range.var)
            return true;
    return false;
}

/* The VEC loop, or else the longest one; PAR loops and those that others share stay loops. */
void bind_choose_columns(bind_choice *ch)
{
    const prog_stmt *longest = NULL;

    for (int i = 0; i < ch->stage->count; i++) {
        const prog_stmt *s = ch->stage->loop[i];
        if (s->range.kind == SPL_PAR || bind_is_shared(ch->stage, s))
            continue;
        if (s->range.kind == SPL_VEC)
            ch->cols = s;
        if (!longest || s->range.n > longest->range.n)
            longest = s;
    }
    if (!ch->cols)
        ch->cols = longest;
}

static bool is_split(const bind_choice *ch)
{
    return ch->in.format == SPL_SPLIT && ch->out.format == SPL_SPLIT;
}

/* The lanes that would do are those of every ISA up to the best, and one. */
static sluice_status refuse_lanes(const bind_choice *ch, int64_t nu, sluice_diag *why)
{
    static const char *const format[] = {"inter", "split", "real"};
    const core_isa best = ch->tape->target->isa;
    char list[32] = "";

    for (int isa = (int)best; isa > CORE_ISA_SCALAR; isa--) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%d%s",
                 bind_lanes(ch->tape->target, (core_isa)isa, ch->tape->precision, ch->format),
                 isa > CORE_ISA_SCALAR + 1 ? ", " : " or ");
    }
    return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                     "vec(%lld,%s): units of ISA %s have vectors of %s1 lanes here", (long long)nu,
                     format[ch->format], core_isa_name(best), list);
}

/* vec(nu,format) names an ISA through its lanes; without it nothing is converted where both sides
 * are split. */
sluice_status bind_choose_isa(bind_choice *ch, sluice_diag *why)
{
    const spl_range *r = ch->cols && ch->cols->range.kind == SPL_VEC ? &ch->cols->range : NULL;
    const core_isa best = ch->tape->target->isa;

    ch->isa = CORE_ISA_SCALAR;
    ch->format = r ? (spl_format)r->format : is_split(ch) ? SPL_SPLIT : SPL_INTER;
    ch->lanes = 1;
    if (!r || r->nu == 1)
        return SLUICE_OK;
    for (int isa = (int)best; isa > CORE_ISA_SCALAR; isa--) {
        if (!ch->tape->target->vectors[isa].codelets[0]) /* not built */
            continue;
        ch->isa = (core_isa)isa;
        ch->lanes = bind_lanes(ch->tape->target, ch->isa, ch->tape->precision, ch->format);
        if (ch->lanes == r->nu)
            return SLUICE_OK;
    }
    return refuse_lanes(ch, r->nu, why);
}

/* Columns of reals that do not fill a vector go through a buffer; a narrower one that they fill needs
 * none. Without vectors each would be a call's inner loop of its own. */
void bind_narrow_vectors(bind_choice *ch)
{
    const int64_t columns = ch->cols ? ch->cols->range.n * (ch->parts ? 2 : 1) : 1;
    const spl_codelet *c = ch->op->codelet;

    if (!bind_is_real_kind(c->key.kind))
        return;
    for (int isa = (int)c->key.isa; isa > CORE_ISA_SCALAR; isa--) {
        spl_key key = ch->op->codelet->key;
        key.isa = (core_isa)isa;
        c = bind_codelet_find(ch->tape->target, &key);
        if (c && c->key.lanes <= columns) {
            ch->op->codelet = c;
            return;
        }
    }
}
