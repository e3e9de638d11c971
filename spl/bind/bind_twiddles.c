// SPDX-License-Identifier: BSD-3-Clause
/* Reads how the twiddles of a stage depend on rows and loops. The factor of row i is
 *
 *     product over factors a of value_a(c_a + r_a i + sum over loops v of s_av v) */
#include "spl/bind/bind_choice.h"

/* Can one table hold the product of the diagonals? Their entries must depend on loops, not digits,
 * and on no more loops than a table has dimensions. */
static bool has_one_table(const bind_choice *ch)
{
    int used = 0;

    for (int i = 0; i < prog_stage_loops(ch->stage); i++) {
        const prog_stmt *s = prog_stage_loop(ch->stage, i);
        bool digits = ch->tw.digits[s->range.var];
        for (int a = 0; a + 1 < ch->nfactors; a++)
            digits = digits || ch->also[a].digits[s->range.var];
        if (digits)
            return false;
        used += s != ch->cols && bind_factors_use(ch, s);
    }
    return used < BIND_TABLE_DIMS;
}

bool bind_read_twiddles(bind_choice *ch)
{
    if (!ch->has_tw)
        return true;
    if (!prog_access_read(ch->stage, ch->factor[0]->f, &ch->tw))
        return false;
    if (!ch->tw.row_linear || (ch->cols && ch->tw.digits[ch->cols->range.var]))
        return false;
    for (int a = 0; a + 1 < ch->nfactors; a++)
        if (!prog_access_read(ch->stage, ch->factor[a + 1]->f, &ch->also[a])
            || !ch->also[a].row_linear)
            return false;
    return ch->nfactors == 1 || has_one_table(ch);
}
