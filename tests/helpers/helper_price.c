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
                               .columns_var = columns ? around->range.var : -1,
                               .sets_var = -1,
                               .lanes = columns ? around->range.nu : 1,
                               .step = 1e-9,
                               .waits = PRICE_WAITS_FIRST};
    }
    return b;
}

double price_with_ways(const prog *p, const price_binding *binding, const double *figure,
                       size_t ways, double *memory)
{
    const bool split[16] = {false};
    const price_program program = {.body = p,
                                   .binding = binding,
                                   .split = split,
                                   .l1 = price_sets_of(ways * PRICE_PAGE, ways),
                                   .l2 = price_sets_of(32 * ways * PRICE_PAGE, ways),
                                   .scalar = PRICE_SCALAR};
    price_stage *stage = core_calloc(p->nstmts, sizeof *stage);
    double cpu = 0;
    *memory = 0;
    assert_true(price_of(stage, &program, figure));
    for (size_t i = 0; i < p->nstmts; i++) {
        cpu += stage[i].cpu;
        *memory += stage[i].memory;
    }
    core_free(stage);
    return cpu;
}

double price_with(const prog *p, const price_binding *binding, const double *figure, double *memory)
{
    return price_with_ways(p, binding, figure, 12, memory);
}
