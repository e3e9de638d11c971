// SPDX-License-Identifier: BSD-3-Clause
/* Any list of radices that the planner's rules can build is the transform, on data of every
 * layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/planner/formula.h"
#include "sched/planner/stockham.h"
#include "spl/formula/formats.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { OFFER_STORE = 1 << 14 }; /* of which every structure has its sizes */
enum { SEED = 1729, STORE = 1024, STEP = PLAN_SANITIZED ? 7 : 1 /* sanitizers see a part */ };

static const char *const sides[] = {"",           ":in=split",
                                    ":out=split", ":in=split:out=split",
                                    ":inplace",   ":in=split:out=split:inplace"};
enum { SIDES = sizeof sides / sizeof sides[0] };

/* Radices as comments have them: '*' joins two stages. Widths of tiles that are whole vectors,
 * parts of one, or all columns. */
static const char *const lists[] = {
    "2*2",       "4*4x4*4",       "32*32",       "16*16x2",      "5*3x7",       "3*5x16",
    "8x4*4x3",   "6x5*4",         "3x5*4x2",     "13x2*3x2",     "4*8x3*3x5",   "4*4x4*4x4*4",
    "2*3x5x2*2", "7*11x13",       "11x3*5x2",    "2x2*2x2*2x2",  "4*5x2x5*4x2", "9*3x3*9",
    "16x16*4",   "32x4*16",       "25*2x2*25",   "8*8x32",       "2*32x2*2x9",  "3*2x2*3x3*2",
    "5x5*5x5*5", "4x2*2x2*2x3x5", "15*14x15x2",  "12*12x12",     "4*4*4x4",     "3*5*2x4*2*3",
    "2x3*4*5",   "5*3*2x7",       "8*4*2x2*4*8", "4x2*3*2x3*2*2"};
enum { LISTS = sizeof lists / sizeof lists[0] };

static sched_radices parsed_list(const char *text)
{
    sched_radices list = {.count = 0};
    for (char *end = NULL; end == NULL || *end != '\0'; text = end + 1) {
        list.radix[list.count++] = strtoll(text, &end, 10);
        list.fused_with_next[list.count - 1] = *end == '*';
    }
    return list;
}

typedef struct any {
    sluice_machine *machine;
    const char *list;
    sluice_precision precision;
    bool inverse, split, columns, in_place; /* in_place: every stage writes the rows it reads */
    sched_tags tags;
    int64_t n, beside; /* points, transforms beside each other */
} any;

/* The product as text, over rows or over columns. To be freed. */
static void any_formula(const any *a, core_text *out)
{
    spl_ctx *ctx = spl_ctx_open();
    sched_target t;
    const sched_radices list = parsed_list(a->list);
    assert_non_null(ctx);
    sched_target_init(&t, ctx, a->machine, a->precision);
    t.around.uniform_points = 1;
    t.format = a->split ? SPL_SPLIT : SPL_INTER;
    if (a->split && t.lanes > 1)
        t.vec_lanes = t.lanes *= 2;
    const int64_t columns = a->columns ? a->beside : 1;
    const sched_tree *tree =
        a->in_place ? sched_in_place(&t, &list, true) : sched_stockham(&t, &list, columns);
    assert_non_null(tree);
    const spl *x = sched_expand(&t, tree, a->inverse, columns, a->tags);
    if (!a->columns)
        x = spl_kron2(ctx, spl_identity(ctx, a->beside), x);
    assert_int_equal(spl_ctx_status(ctx, NULL), SLUICE_OK);
    spl_print(x, out);
    assert_false(out->failed);
    spl_ctx_close(ctx);
}

/* What the formula is to compute. Columns are no problem of their own: their memory is looked at as
 * the transforms it holds. */
static void any_problem(const any *a, int side, char *text)
{
    const long long n = a->n, beside = a->beside;
    const char *precision = a->precision == SLUICE_F32 ? "f32" : "f64";
    const char *direction = a->inverse ? ":inverse" : "";
    if (a->columns)
        snprintf(text, PLAN_TEXT_SIZE, "c2c:%s:%lld@%lld/%lld*%lld@1/1%s", precision, n, beside,
                 beside, beside, direction);
    else
        snprintf(text, PLAN_TEXT_SIZE, "c2c:%s:%lld*%lld%s%s", precision, n, beside, direction,
                 sides[side]);
}

static void any_judge(const any *a, int side, uint64_t seed)
{
    char problem[PLAN_TEXT_SIZE];
    core_text text = {0}, formula = {0};
    plan_data d;
    any_problem(a, side, problem);
    any_formula(a, &formula);
    core_text_printf(&text, "%s%s%s", a->columns ? "" : problem,
                     a->columns ? "" : " := ", core_text_string(&formula));
    sluice_plan *plan = plan_of_formula(a->machine, core_text_string(&text), a->precision);
    plan_data_open(&d, plan, problem, seed % 2 ? 0 : 8);
    if (a->columns)
        plan_data_read_as(&d, problem);
    plan_data_fill(&d, seed);
    assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
    if (!plan_data_check(&d))
        fail_msg("%s as %s, seed %llu: %s\n%s", problem, a->list, (unsigned long long)seed,
                 d.message, core_text_string(&text));
    plan_data_close(&d);
    sluice_plan_destroy(plan);
    core_text_free(&formula);
    core_text_free(&text);
}

/* Stages that leave rows where they are, up to as many as the rule has parameters. */
static void lists_in_place(sluice_machine *m, const char *isa)
{
    static const char *const in_place[] = {"4x4",        "3x5x2",          "7x2x3x2",
                                           "2x3x2x5x2",  "3x2x2x3x2x2",    "2x2x3x2x2x2x2",
                                           "11x2x3x2x2", "2x2x2x2x2x2x2x2"};
    (void)isa;
    for (int i = 0; i < (int)(sizeof in_place / sizeof *in_place); i++) {
        any a = {.machine = m,
                 .list = in_place[i],
                 .precision = i % 2 ? SLUICE_F64 : SLUICE_F32,
                 .inverse = i % 3 == 0,
                 .columns = true,
                 .in_place = true,
                 .tags = i % 2 ? SCHED_PARTS : SCHED_LANES,
                 .beside = 5 + 3 * i};
        const sched_radices list = parsed_list(a.list);
        a.n = structure_points(&list);
        any_judge(&a, 0, SEED + (uint64_t)i);
    }
}

static void any_lists(sluice_machine *m, const char *isa)
{
    (void)isa;
    for (int i = 0; i < LISTS; i += 1 + STEP / 4)
        for (int k = 0; k < 4; k++) {
            const int side = (i + k) % SIDES;
            const sched_radices list = parsed_list(lists[i]);
            any a = {.machine = m, .list = lists[i], .n = structure_points(&list)};
            a.precision = k % 2 ? SLUICE_F32 : SLUICE_F64;
            a.columns = k / 2 == 1;
            a.inverse = (i / 2 + k) % 2;
            a.split = !a.columns && strstr(sides[side], "in=split:out=split") != NULL;
            a.tags = (i + k) % 3 ? SCHED_PARTS : SCHED_LANES;
            a.beside = a.columns ? 5 + 4 * (i % 3) : a.tags == SCHED_PARTS ? 1 : 3;
            any_judge(&a, side, SEED + (uint64_t)(4 * i + k));
        }
}

static void any_list_of_radices_is_right(void **state)
{
    (void)state;
    structure_of_isas("cpu:3", STORE, any_lists);
}

static void any_list_in_place_is_right(void **state)
{
    (void)state;
    structure_of_isas("cpu:3", STORE, lists_in_place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(any_list_of_radices_is_right, nothing_leaks),
        cmocka_unit_test_teardown(any_list_in_place_is_right, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
