// SPDX-License-Identifier: BSD-3-Clause
/* Nests of loops around one statement, and index functions as strides. */
#include "spl/program/stage.h"

#include <string.h>

bool prog_stage_at(const prog *p, size_t at, prog_stage *out)
{
    const prog_stmt *s = &p->stmt[at];

    for (out->count = 0; s->op == PROG_LOOP; s++) {
        if (s + 1 >= p->stmt + s->end || s[1].end != s->end)
            return false;
        out->loop[out->count++] = s;
    }
    out->stmt = s;
    return true;
}

bool prog_access_read(const prog_stage *stage, const ix *f, prog_access *out)
{
    static const int64_t zeros[IX_MAX_VARS];

    memset(out, 0, sizeof *out);
    out->f = f;
    if (f->kind != IX_DIGIT)
        return false;
    out->row_linear = ix_linear(f, IX_INDEX, f->n, &out->row);
    for (int i = 0; i < prog_stage_loops(stage); i++) {
        const spl_range *r = &prog_stage_loop(stage, i)->range;
        out->digits[r->var] = !ix_linear(f, r->var, r->n, &out->loop[r->var]);
        if (out->digits[r->var])
            out->loop[r->var] = 0;
    }
    out->c = ix_eval(f, 0, zeros);
    return true;
}

bool prog_access_uses(const prog_access *access, const prog_stmt *loop)
{
    return loop && access->loop[loop->range.var] != 0;
}
