// SPDX-License-Identifier: BSD-3-Clause
/* Each level against the one before it: the formula, Sigma-SPL, merged Sigma-SPL, the program run
 * by `ref` and by every instruction set of `cpu`, for all smooth sizes to 64, trees and tags. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/plan/plan.h"
#include "spl/oracle/oracle.h"
#include "spl/program/program.h"
#include "spl/rules/rule.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { LARGEST = 64, FORMULA = 16384, MACHINES = 1 + PLAN_ISAS };

static const char *const trees[] = {"dft-ct", "dft-dif", "dft-stockham", "dft-sixstep", NULL};
/* %d: the lanes. Parts refuse where there is nothing to deal, packets and vectors what they do not
 * divide. */
static const struct {
    const char *tags;
    bool may_refuse;
} tag_sets[] = {{"", false},
                {"spe(2,1)", true},
                {"spe(3,2)", true},
                {"tile(4)", false},
                {"stream(2)", true},
                {"stream(3),spe(2,1)", true},
                {"vec(%d,inter)", true},
                {"vec(%d,inter),spe(2,4)", true},
                {"vec(%d,inter),tile(8)", true},
                {"vec(%d,inter),tile(4),spe(3,1)", true}};
enum { TAG_SETS = sizeof tag_sets / sizeof tag_sets[0] };

typedef struct levels {
    sluice_machine *machine;
    int lanes;
    bool matrices; /* compare the dense matrices too */
    const char *tree;
    int64_t n;
    bool inverse, columns;
    sluice_precision precision;
    uint64_t state;
    char name[PLAN_TEXT_SIZE];
    int planned, refused;
} levels;

/* ---------------------------------------------------------------- formulas --------------- */

/* Breaks transforms down until they are leaves; those that may be leaves are so by chance. */
static const spl *broken(spl_ctx *ctx, const spl *x, const void *arg)
{
    levels *l = (levels *)(uintptr_t)arg;
    spl_params choice[32];
    if (x->op != SPL_TRANSFORM)
        return x->nkids > 0 ? NULL : x;
    const spl_rule *rule = l->tree == NULL ? NULL : spl_rule_find(l->tree);
    const int count = rule == NULL ? 0 : rule->choices(x, choice, 32);
    const bool codelet = x->a[0] <= 16 || x->a[0] == 32 || x->a[0] == 64;
    if (count == 0 || (x->a[0] < l->n && codelet && plan_below(&l->state, 2) == 0))
        return spl_mark_leaves(ctx, x);
    return spl_rule_apply(ctx, rule, x, &choice[plan_below(&l->state, (size_t)count)]);
}

/* Applies `broken` everywhere until nothing is left to break. */
static const spl *broken_deep(spl_ctx *ctx, const spl *x, levels *l)
{
    const spl *kid[16];
    if (x == NULL || spl_has_tag(x, SPL_TAG_LEAF))
        return x;
    if (x->op == SPL_TRANSFORM)
        return broken_deep(ctx, broken(ctx, x, l), l);
    assert_true(x->nkids <= 16);
    for (int i = 0; i < x->nkids; i++)
        kid[i] = broken_deep(ctx, x->kid[i], l);
    if (x->op == SPL_KRON)
        return spl_kron(ctx, x->nkids, kid);
    return x->op == SPL_MUL ? spl_mul(ctx, x->nkids, kid) : x;
}

/* The data: rows on every kind of side, packed or with odd strides; or packed columns. */
static void choose_problem(levels *l, size_t count, char *text)
{
    static const char *const sides[] = {"", ":inplace", ":in=split", ":out=split",
                                        ":in=split:out=split"};
    const char *precision = l->precision == SLUICE_F64 ? "f64" : "f32";
    const char *direction = l->inverse ? ":inverse" : "";
    const size_t side = plan_below(&l->state, 5), n = (size_t)l->n;
    if (l->columns)
        snprintf(text, PLAN_TEXT_SIZE, "c2c:%s:%zu@%zu/%zu*%zu@1/1%s", precision, n, count, count,
                 count, direction);
    else if (plan_below(&l->state, 2))
        snprintf(text, PLAN_TEXT_SIZE, "c2c:%s:%zu*%zu%s%s", precision, n, count, direction,
                 sides[side]);
    else
        snprintf(text, PLAN_TEXT_SIZE, "c2c:%s:%zu@-3/%d*%zu@%zu/%zu%s%s", precision, n,
                 side == 1 ? -3 : 2, count, 3 * n + 1, 3 * n + 1, direction, sides[side]);
}

/* {x}_tags as it is printed. */
static void tagged(levels *l, spl_ctx *ctx, const spl *x, const char *tags, core_text *out)
{
    char list[64];
    core_text text = {0};
    core_text_printf(&text, "(");
    spl_print(x, &text);
    snprintf(list, sizeof list, tags, l->lanes);
    core_text_printf(&text, *list ? ")_{%s}" : ")", list);
    assert_int_equal(spl_parse(ctx, core_text_string(&text), &x, NULL), SLUICE_OK);
    spl_print(x, out);
    assert_false(out->failed);
    core_text_free(&text);
}

/* PROBLEM := {I (x) tree}_tags, or {tree (x) I}_tags, which no problem but its own size describes;
 * *plain is what it must equal. */
static void choose_text(levels *l, spl_ctx *ctx, const char *tags, const spl **plain, char *text)
{
    core_text formula = {0};
    const size_t count = 1 + plan_below(&l->state, 5);
    const spl *dft = spl_dft(ctx, l->n, l->inverse), *one = spl_identity(ctx, (int64_t)count);
    l->columns = plan_below(&l->state, 2);
    l->precision = plan_below(&l->state, 2) ? SLUICE_F32 : SLUICE_F64;
    *plain = l->columns ? spl_kron2(ctx, dft, one) : spl_kron2(ctx, one, dft);
    choose_problem(l, count, l->name);
    tagged(l, ctx, broken_deep(ctx, *plain, l), tags, &formula);
    const int length = snprintf(text, FORMULA, "%s%s%s", l->columns ? "" : l->name,
                                l->columns ? "" : " := ", core_text_string(&formula));
    assert_true(length > 0 && length < FORMULA);
    core_text_free(&formula);
}

/* ---------------------------------------------------------------- checks ----------------- */

/* Have two formulas other matrices? Small ones are compared whole, large ones by what they make of
 * a random vector. */
static bool far(const spl *a, const spl *b)
{
    const size_t n = 2 * (size_t)a->rows;
    uint64_t state = 7;
    long double distance = 0;
    if (a->rows <= 16 || a->rows != b->rows) {
        assert_int_equal(spl_distance(a, b, &distance), SLUICE_OK);
        return !(distance < 1e-15L);
    }
    long double *x = test_malloc(3 * n * sizeof *x), *y = x + n, *z = y + n;
    for (size_t i = 0; i < n; i++)
        x[i] = (long double)plan_below(&state, 1000) / 1000;
    assert_int_equal(spl_apply(a, x, y), SLUICE_OK);
    assert_int_equal(spl_apply(b, x, z), SLUICE_OK);
    for (size_t i = 0; i < n; i++)
        distance = fmaxl(distance, fabsl(y[i] - z[i]));
    test_free(x);
    return !(distance < 1e-15L);
}

static void check_matrices(const sluice_plan *plan, const spl *plain, const char *text)
{
    const struct {
        const char *name;
        const spl *x;
    } level[] = {{"formula", plan->formula}, {"sigma", plan->sigma}, {"merged", plan->merged}};
    for (int i = 0; i < 3; i++)
        if (far(level[i].x, plain))
            fail_msg("%s: the matrix of its %s is another", text, level[i].name);
    sluice_diag why = {0};
    if (prog_check(plan->body, 0, 16, &why) != SLUICE_OK)
        fail_msg("%s: its program: %s", text, why.message);
}

/* The formula is complete, so it is printed as it was read. */
static void check_line(const sluice_plan *plan, const char *text)
{
    char *line = plan_line(plan);
    const char *formula = strstr(line, ":= "), *want = strstr(text, ":= ");
    sluice_problem p, q;
    if (strcmp(formula ? formula : line, want ? want : text) != 0)
        fail_msg("%s: its line is %s", text, line);
    if (formula) {
        assert_int_equal(sluice_plan_problem(plan, &p), SLUICE_OK);
        assert_int_equal(sluice_problem_parse(&q, strtok(line, " "), NULL), SLUICE_OK);
        assert_memory_equal(&p, &q, sizeof p);
    }
    test_free(line);
}

static void check_text(levels *l, const char *text, const spl *plain, bool may_refuse)
{
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    plan_data d;
    const sluice_status status =
        sluice_plan_from_formula(&plan, l->machine, text, l->precision, NULL, &why);
    if (status == SLUICE_E_UNSUPPORTED && may_refuse && why.message[0] != '\0') {
        l->refused++;
        return;
    }
    if (status != SLUICE_OK)
        fail_msg("%s: %s: %s", text, sluice_strerror(status), why.message);
    l->planned++;
    if (l->matrices)
        check_matrices(plan, plain, text);
    check_line(plan, text);
    plan_data_open(&d, plan, text, plan_below(&l->state, 2) ? 0 : 8);
    if (l->columns) /* the same memory, seen as the transforms it holds */
        plan_data_read_as(&d, l->name);
    plan_data_execute(&d, plan, l->state, NULL);
    plan_data_close(&d);
    sluice_plan_destroy(plan);
}

/* All trees and tags of one size and direction. */
static void check_size(levels *l)
{
    static char text[FORMULA];
    const spl *plain;
    for (size_t tree = 0; tree < sizeof trees / sizeof trees[0]; tree++)
        for (int t = 0; t < TAG_SETS; t++) {
            spl_ctx *ctx = spl_ctx_open();
            assert_non_null(ctx);
            l->tree = trees[tree];
            if (l->tree != NULL || l->n <= 16 || l->n == 32 || l->n == 64) {
                choose_text(l, ctx, tag_sets[t].tags, &plain, text);
                check_text(l, text, plain, tag_sets[t].may_refuse);
            }
            spl_ctx_close(ctx);
        }
}

static void check_machine(const char *units, const char *isa, bool matrices)
{
    levels l = {.matrices = matrices, .state = 20240117};
    sluice_unit_info info;
    l.machine = plan_machine(units, isa);
    if (l.machine == NULL)
        skip();
    assert_int_equal(sluice_machine_unit_info(l.machine, 0, &info), SLUICE_OK);
    l.lanes = info.lanes_f32 > 1 ? info.lanes_f32 : 2;
    /* Sanitizers see one direction of a size. */
    for (l.n = 1; l.n <= LARGEST; l.n++)
        for (int k = 0; plan_smooth((size_t)l.n) && k < (PLAN_SANITIZED ? 1 : 2); k++) {
            l.inverse = (l.n + k) % 2 == 1;
            check_size(&l);
        }
    sluice_machine_close(l.machine);
    if (l.refused > l.planned)
        fail_msg("%s: %d formulas planned, %d refused", units, l.planned, l.refused);
}

static void levels_agree_by_ref(void **state)
{
    (void)state;
    check_machine("ref:2", NULL, true);
}

static void levels_agree_by_cpu_scalar(void **state)
{
    (void)state;
    check_machine("cpu:3", "scalar", false);
}

static void levels_agree_by_cpu_avx2(void **state)
{
    (void)state;
    check_machine("cpu:3", "avx2", false);
}

static void levels_agree_by_cpu_avx512(void **state)
{
    (void)state;
    check_machine("cpu:3", "avx512", false);
}

/* Every tag where units get and put, most of it while they compute. */
static void levels_agree_by_helpers(void **state)
{
    (void)state;
    check_machine("cpu:3/helper", NULL, false);
}

/* ---------------------------------------------------------------- objections ------------- */

static const char wrong[] =
    "c2c:f32:16 := (DFT(4)_{leaf} (x) I(4)) * (I(4) (x) DFT(4)_{leaf}) * L(16,4)";
static const char right[] =
    "c2c:f32:16 := (DFT(4)_{leaf} (x) I(4)) * T(4,4) * (I(4) (x) DFT(4)_{leaf}) * L(16,4)";

static void a_wrong_formula_is_noticed(void **state)
{
    static const char *const units[] = {"ref", "cpu:3"};
    (void)state;
    for (int u = 0; u < 2; u++) {
        sluice_machine *m = plan_machine(units[u], NULL);
        for (int k = 0; k < 2; k++) {
            double error = NAN, bound = NAN;
            plan_data d;
            sluice_plan *plan = plan_of_formula(m, k ? right : wrong, SLUICE_F32);
            assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
            assert_true(k ? error <= bound : error > 1e4 * bound);
            assert_true(k ? bound < 1e-6 : error > 0.1);
            plan_data_open(&d, plan, k ? right : wrong, 0);
            plan_data_fill(&d, 1);
            assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
            assert_int_equal(plan_data_check(&d), k);
            plan_data_close(&d);
            assert_int_equal(far(plan->formula, spl_dft(plan->ctx, 16, false)), !k);
            assert_int_equal(far(plan->sigma, spl_dft(plan->ctx, 16, false)), !k);
            assert_int_equal(far(plan->merged, spl_dft(plan->ctx, 16, false)), !k);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* A formula without a problem is its own meaning: the verifier objects where the program is not. */
static void a_wrong_program_is_noticed(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("ref", NULL);
    for (int wrong_kernel = 0; wrong_kernel < 2; wrong_kernel++) {
        double error = NAN, bound = NAN;
        sluice_plan *plan = plan_of_formula(m, strstr(wrong, ":= ") + 3, SLUICE_F64);
        for (size_t i = 0; i < plan->body->nstmts; i++)
            if (plan->body->stmt[i].op == PROG_KERN)
                plan->body->stmt[i].kind ^= wrong_kernel;
        assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
        assert_int_equal(error <= bound, !wrong_kernel);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* Up to three diagonals at one kernel are one table with one codelet, where no digits are
 * counted. */
static void diagonals_are_one_table(void **state)
{
    (void)state;
    static const char *const formulas[] = {
        "C(64) * T(8,8) * (DFT(8)_{leaf} (x) I(8))",
        "I(5) (x) (C(64)^-1 * T(8,8) * T(4,16) * (IDFT(8)_{leaf} (x) I(8)))",
        "C(512)^-1 * (I(8) (x) (T(8,8) * (DFT(8)_{leaf} (x) I(8))))",
        "C(64) * T(8,8) * (I(8) (x) DFT(8)_{leaf}) * L(64,8)",
    };
    sluice_machine *m = plan_machine("cpu:1", NULL);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        for (int precision = SLUICE_F32; precision <= SLUICE_F64; precision++) {
            double error = -1, bound = 0;
            sluice_plan *plan = plan_of_formula(m, formulas[i], (sluice_precision)precision);
            const plan_text text = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
            assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
            if (!(error >= 0 && error <= bound) || strstr(text.data, "evaluated") != NULL)
                fail_msg("%s: error %g, bound %g\n%s", formulas[i], error, bound, text.data);
            test_free(text.data);
            sluice_plan_destroy(plan);
        }
    sluice_machine_close(m);
}

static void stray_bytes_are_noticed(void **state)
{
    static const char text[] = "c2c:f32:8@3/3*2@-40/30";
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    sluice_plan *plan = plan_made(m, text);
    plan_data d;
    plan_data_open(&d, plan, text, 0);
    plan_data_execute(&d, plan, 1, NULL);
    char *const places[] = {d.block[0][0], plan_data_at(&d, 0, 3, 1), plan_data_at(&d, 1, 9, 1) + 4,
                            d.block[1][0] + d.bytes[1] - 1};
    for (int i = 0; i < 4; i++) {
        *places[i] ^= 1;
        assert_false(plan_data_check(&d));
        assert_non_null(strstr(d.message, "changed"));
        *places[i] ^= 1;
    }
    assert_true(plan_data_check(&d));
    plan_data_close(&d);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(levels_agree_by_ref, nothing_leaks),
        cmocka_unit_test_teardown(levels_agree_by_cpu_scalar, nothing_leaks),
        cmocka_unit_test_teardown(levels_agree_by_cpu_avx2, nothing_leaks),
        cmocka_unit_test_teardown(levels_agree_by_cpu_avx512, nothing_leaks),
        cmocka_unit_test_teardown(levels_agree_by_helpers, nothing_leaks),
        cmocka_unit_test_teardown(a_wrong_formula_is_noticed, nothing_leaks),
        cmocka_unit_test_teardown(a_wrong_program_is_noticed, nothing_leaks),
        cmocka_unit_test_teardown(diagonals_are_one_table, nothing_leaks),
        cmocka_unit_test_teardown(stray_bytes_are_noticed, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
