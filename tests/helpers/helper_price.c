// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_price.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_program.h"

prog *price_lowered(spl_ctx *ctx, const char *text, bool in_place)
{
    const prog_sides sides = {.in_place = in_place, .out_is_scratch = true};
    const spl *sigma = spl_merge(ctx, spl_to_sigma(ctx, program_parsed(ctx, text)), true);
    prog *p = NULL;
    sluice_diag why = {0};
    if (!sigma || prog_lower(&p, ctx, sigma, &sides, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return p;
}

price_binding *price_bound(const prog *p)
{
    price_binding *b = core_calloc(p->nstmts, sizeof *b);
    assert_non_null(b);
    for (size_t i = 0; i < p->nstmts; i++) {
        const prog_stmt *s = &p->stmt[i], *around = i > 0 ? s - 1 : s;
        const bool columns = around->op == PROG_LOOP && around->range.kind == SPL_VEC;
        if (!prog_is_stage(s))
            continue;
        b[i] = (price_binding){.runs = true,
                               .columns = columns ? around->range.var : -1,
                               .rows = -1,
                               .lanes = columns ? around->range.nu : 1,
                               .step = 1e-9};
    }
    return b;
}
