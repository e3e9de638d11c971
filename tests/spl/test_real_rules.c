// SPDX-License-Identifier: BSD-3-Clause
/* Rules for cosine, sine and Hartley transforms as programs: on reals and on complex columns, in
 * batches, with lanes and parts. Each reads and writes vectors of one type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "spl/codelet/codelet.h"
#include "spl/oracle/oracle.h"
#include "spl/program/program.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_program.h"

static bool is_real_transform(const spl *x)
{
    return x->op == SPL_TRANSFORM && x->from == SPL_TYPE_ANY;
}

static void verify(spl_ctx *ctx, const char *name, const spl *x)
{
    sluice_diag why = {0, ""};
    prog *p = NULL;
    const spl *merged = spl_merge(ctx, spl_to_sigma(ctx, x), true);
    if (prog_lower(&p, ctx, merged, NULL, &why) != SLUICE_OK)
        fail_msg("%s, %lld points: %s", name, (long long)x->cols, why.message);
    program_check(p, name);
    program_compare(p, x);
}

/* I_a (x) body (x) I_b with lanes and parts. */
static const spl *tagged(spl_ctx *ctx, const spl *body, int64_t a, int64_t b)
{
    const spl_tag tags[] = {{SPL_TAG_VEC, {2, SPL_INTER}}, {SPL_TAG_SPE, {2, 1}}};
    const spl *const kids[] = {spl_identity(ctx, a), body, spl_identity(ctx, b)};
    return spl_tagged(ctx, spl_kron(ctx, 3, kids), 2, tags);
}

/* One case of a rule: false when there are no more. Sums get their tags term by term. */
static bool verify_case(const spl_rule *rule, int i, int *programs)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = NULL;
    spl_params params;
    const bool more = spl_rule_case(ctx, rule, i, &x, &params);
    if (more && is_real_transform(x) && rule->guard(x, &params, NULL)) {
        const spl *body = spl_mark_leaves(ctx, rule->build(ctx, x, &params));
        const bool reals = body->from == SPL_TYPE_REAL, sum = body->from == SPL_TYPE_ANY;
        const spl *columns = spl_kron2(ctx, body, spl_identity(ctx, 4));
        assert_int_equal(body->from, body->to);
        verify(ctx, rule->name, body);
        verify(ctx, rule->name, sum ? columns : tagged(ctx, body, reals ? 3 : 1, reals ? 1 : 4));
        *programs += 2;
    }
    spl_ctx_close(ctx);
    return more;
}

static void every_size_is_a_program(void **state)
{
    int rules = 0;
    (void)state;
    for (int r = 0; spl_rules[r] != NULL; r++) {
        int programs = 0;
        for (int i = 0; spl_rules[r]->test_case != NULL && verify_case(spl_rules[r], i, &programs);
             i++)
            continue;
        rules += programs > 0;
    }
    assert_int_equal(rules, 45);
}

/* Of forms that papers print: row 0 as one of the others, of which the partner is no row; the
 * rotation of DCT3 in the direction of DCT2; IDXST with the row that vanishes at the other end.
 * Roots, which are periodic, of another order. */
static void literal_forms_are_other_matrices(void **state)
{
    static const char *const cases[][3] = {
        {"DCT2(4)",
         "(S(h(2,4,0,2)) * (SELF.dht(2) (+) SELF.dct2(4)) * G(h(2,4,0,2)) + "
         "S(two(i%2, h(2,4,1,0), h(2,4,3,0))) * PAIR.dct2(4,h(1,2,1,1)) * "
         "G(two(i%2, h(2,4,1,0), h(2,4,3,0)))) * DFT(4) * P(fold(4))",
         "(S(h(2,4,0,2)) * (EDGE.dct2(4) (+) SELF.dct2(4)) * G(h(2,4,0,2)) + "
         "S(two(i%2, h(2,4,1,0), h(2,4,3,0))) * PAIR.dct2(4,h(1,2,1,1)) * "
         "G(two(i%2, h(2,4,1,0), h(2,4,3,0)))) * DFT(4) * P(fold(4))"},
        {"DCT3(6)", "P(fold(6)) * IDFT(6) * PAIRS.dct3(6)", "S(fold(6)) * IDFT(6) * PAIRS.dct3(6)"},
        {"DCT3(6)", "S(fold(6)) * IDFT(6) * D.roots(12,h(6,12,0,1)) * PAIRS.dct3(6)",
         "S(fold(6)) * IDFT(6) * PAIRS.dct3(6)"},
        {"IDXST(6)", "D.roots(2,[6->2: i%2]) * DCT3(6) * P(h(6,6,5,-1))",
         "D.roots(2,[6->2: i%2]) * DCT3(6) * S(h(5,6,1,1)) * G(h(5,6,5,-1))"},
        {"D.roots(2,[6->2: i%2])", "D.roots(6,h(6,12,0,1))", "D.roots(2,h(6,12,0,1))"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        long double wrong = 0, right = 1;
        const spl *x = program_parsed(ctx, cases[i][0]);
        assert_int_equal(spl_distance(x, program_parsed(ctx, cases[i][1]), &wrong), SLUICE_OK);
        assert_int_equal(spl_distance(x, program_parsed(ctx, cases[i][2]), &right), SLUICE_OK);
        if (!(wrong > 0.1L && right < 1e-15L))
            fail_msg("%s = %s", cases[i][0], cases[i][right < 1e-15L ? 1 : 2]);
        spl_ctx_close(ctx);
    }
}

/* Every real kind has a rule for complex columns and one for reals of even length. */
static void every_kind_has_both(void **state)
{
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    for (int kind = 0; kind < SPL_KIND_COUNT; kind++) {
        const spl *x = spl_transform_node(ctx, (spl_kind)kind, 6);
        bool has[SPL_TYPE_COMPLEX + 1] = {x->from != SPL_TYPE_ANY};
        for (int r = 0; spl_rules[r] != NULL && x->from == SPL_TYPE_ANY; r++)
            if (spl_rules[r]->test_case != NULL && spl_rules[r]->guard(x, &(spl_params){{0}}, NULL))
                has[spl_rules[r]->build(ctx, x, &(spl_params){{0}})->from] = true;
        if (x->from == SPL_TYPE_ANY && !(has[SPL_TYPE_REAL] && has[SPL_TYPE_COMPLEX]))
            fail_msg("%s", spl_transform_of((spl_kind)kind)->word);
    }
    spl_ctx_close(ctx);
}

/* Rules whose guard holds have a right-hand side at any size that problems may have, if memory has
 * room for it: index functions stay below 2^40. */
static void long_transforms_are_broken_down(void **state)
{
    static const int64_t sizes[] = {741455, 893025, 1 << 20, ((int64_t)1 << 30) + 1,
                                    ((int64_t)1 << 34) + 1};
    (void)state;
    for (int kind = 0; kind < SPL_KIND_COUNT; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (int r = 0; spl_rules[r] != NULL; r++) {
                spl_ctx *ctx = spl_ctx_open();
                const spl *x = spl_transform_node(ctx, (spl_kind)kind, sizes[i]);
                const spl_params none = {{0}};
                sluice_diag why = {0, ""};
                if (x->from == SPL_TYPE_ANY && spl_rules[r]->test_case != NULL
                    && spl_rules[r]->guard(x, &none, NULL)
                    && spl_rules[r]->build(ctx, x, &none) == NULL
                    && spl_ctx_status(ctx, &why) != SLUICE_OK)
                    fail_msg("%s, %lld points: %s", spl_rules[r]->name, (long long)sizes[i],
                             why.message);
                spl_ctx_close(ctx);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_size_is_a_program, nothing_leaks),
        cmocka_unit_test_teardown(literal_forms_are_other_matrices, nothing_leaks),
        cmocka_unit_test_teardown(every_kind_has_both, nothing_leaks),
        cmocka_unit_test_teardown(long_transforms_are_broken_down, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
