// SPDX-License-Identifier: BSD-3-Clause
/* Programs cut into passes: which are, and what of the whole becomes whose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spl/program/prog_pass.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_program.h"

#define ROWS "(I(8) (x) DFT(4)_{leaf})"
#define STEP "(DFT(4)_{leaf} (x) I(4))_{spe(2,1)}"
#define COLUMNS "(" STEP " * (T(4,4) * L(16,4)) * " STEP ")"

static prog *lowered(spl_ctx *ctx, const char *text, const prog_sides *sides)
{
    const spl *merged = spl_merge(ctx, spl_to_sigma(ctx, program_parsed(ctx, text)), false);
    sluice_diag why = {0, ""};
    prog *p = NULL;
    if (prog_lower(&p, ctx, merged, sides, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return p;
}

/* Scratch of a pass is its own and lies side by side. */
static void check_scratch(const prog *body)
{
    for (int a = 2; a < body->nbufs; a++) {
        const prog_buf *x = &body->buf[a];
        assert_int_equal(x->copies, 1);
        assert_true(x->offset + prog_cells_of(x)
                    <= (x->space == PROG_LOCAL ? body->local_elems : body->shared_elems));
        for (int b = a + 1; b < body->nbufs; b++) {
            const prog_buf *y = &body->buf[b];
            assert_true(x->space != y->space || x->offset + prog_cells_of(x) <= y->offset
                        || y->offset + prog_cells_of(y) <= x->offset);
        }
    }
}

static void check_body(const prog_pass *x, int64_t blocks, int64_t elems)
{
    const prog *body = x->body;
    assert_int_equal(body->blocks, blocks);
    assert_int_equal(body->stmt[0].range.n, blocks);
    assert_int_equal(body->stmt[0].end, body->nstmts);
    assert_true(body->stmt[0].has_par);
    assert_int_equal(x->in_elems, elems);
    assert_int_equal(x->out_elems, elems);
    assert_int_equal(body->buf[0].elems, elems);
    assert_int_equal(body->buf[1].elems, elems);
    for (size_t i = 0; i < body->nstmts; i++) {
        assert_true(body->stmt[i].op != PROG_COPY && body->stmt[i].end <= body->nstmts);
        if (prog_is_stage(&body->stmt[i]))
            assert_true(body->stmt[i].in < body->nbufs && body->stmt[i].out < body->nbufs
                        && body->stmt[i].out > 0);
    }
    check_scratch(body);
}

static void products_of_streams_are_passes(void **state)
{
    spl_ctx *ctx = spl_ctx_open();
    prog_pass *pass;
    int count;
    (void)state;
    const prog *p = lowered(ctx,
                            "(I(4) (x) " COLUMNS ")_{stream(4)} * L(64,4) * (I(2) (x) " ROWS
                            "_{spe(2,1)})_{stream(2)}",
                            NULL);
    assert_int_equal(prog_passes(p, &pass, &count, NULL), SLUICE_OK);
    assert_int_equal(count, 2);
    check_body(&pass[0], 2, 32);
    check_body(&pass[1], 4, 16);
    spl_ctx_close(ctx);
}

/* A loop without parts gets one around its stages. */
static void one_part_is_a_part(void **state)
{
    static const prog_sides in_place = {.in_place = true};
    spl_ctx *ctx = spl_ctx_open();
    prog_pass *pass;
    int count;
    (void)state;
    const prog *p = lowered(ctx, "(I(4) (x) " ROWS ")_{stream(4)}", &in_place);
    assert_int_equal(prog_passes(p, &pass, &count, NULL), SLUICE_OK);
    assert_int_equal(count, 1);
    check_body(&pass[0], 4, 32);
    assert_int_equal(pass[0].body->stmt[1].range.kind, SPL_PAR);
    assert_int_equal(pass[0].body->stmt[1].range.n, 1);
    spl_ctx_close(ctx);
}

/* .. over a variable that no loop has, whatever the numbers of theirs are. */
static void the_part_has_its_own_variable(void **state)
{
    spl_ctx *ctx = spl_ctx_open();
    prog_pass *pass;
    int count, next = 0; /* loops over the variable after that of the blocks */
    (void)state;
    const prog *p = lowered(ctx,
                            "(I(4) (x) ((I(4) (x) DFT(4)_{leaf} (x) I(4)) * (L(16,4) (x) I(4)) * "
                            "(DFT(4)_{leaf} (x) I(16))))_{stream(4)}",
                            NULL);
    assert_int_equal(prog_passes(p, &pass, &count, NULL), SLUICE_OK);
    const prog_stmt *stmt = pass[0].body->stmt;
    for (size_t i = 2; i < pass[0].body->nstmts; i++)
        if (stmt[i].op == PROG_LOOP) {
            assert_true(stmt[i].range.var != stmt[1].range.var);
            next += stmt[i].range.var == stmt[0].range.var + 1;
        }
    assert_true(next > 0);
    check_body(&pass[0], 4, 64);
    spl_ctx_close(ctx);
}

static void others_are_refused(void **state)
{
    static const char *const texts[] = {
        ROWS "_{spe(2,1)}", "(I(4) (x) " ROWS ")_{stream(2),spe(2,1)}",
        ROWS "_{stream(3)}", /* uneven shares */
        "(DFT(8)_{leaf} (x) I(8))_{spe(2,1)} * (I(8) (x) DFT(8)_{leaf})_{stream(4)}"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        sluice_diag why = {0, ""};
        prog_pass *pass;
        int count;
        const prog *p = lowered(ctx, texts[i], NULL);
        if (prog_passes(p, &pass, &count, &why) != SLUICE_E_UNSUPPORTED)
            fail_msg("%s is cut into %d passes", texts[i], count);
        assert_non_null(strstr(why.message, "no product of streams"));
        spl_ctx_close(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(products_of_streams_are_passes, nothing_leaks),
        cmocka_unit_test_teardown(one_part_is_a_part, nothing_leaks),
        cmocka_unit_test_teardown(the_part_has_its_own_variable, nothing_leaks),
        cmocka_unit_test_teardown(others_are_refused, nothing_leaks),
    };
    return cmocka_run_group_tests_name("prog_pass", tests, NULL, NULL);
}
