// SPDX-License-Identifier: BSD-3-Clause
/* Rules for cosine, sine and Hartley transforms as programs: on reals and on complex columns, in
 * batches, with lanes and parts. Each reads and writes vectors of one type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "spl/codelet/codelet.h"
#include "spl/program/program.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_program.h"

static bool is_real_transform(const spl *x)
{
    return x->op == SPL_TRANSFORM && x->from == SPL_TYPE_ANY;
}

/* Rules of which a complex transform of any size is all that is left. */
static bool breaks_real_transforms(const spl_rule *rule)
{
    const char *end = strrchr(rule->name, '-');
    return rule->test_case != NULL && end != NULL
           && (strcmp(end, "-half") == 0 || strcmp(end, "-columns") == 0);
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

/* One case of a rule: false when there are no more. */
static bool verify_case(const spl_rule *rule, int i, int *programs)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = NULL;
    spl_params params;
    const bool more = spl_rule_case(ctx, rule, i, &x, &params);
    if (more && is_real_transform(x) && rule->guard(x, &params, NULL)) {
        const spl *body = spl_mark_leaves(ctx, rule->build(ctx, x, &params));
        const bool reals = body->from == SPL_TYPE_REAL;
        assert_int_equal(body->from, body->to);
        assert_int_not_equal(body->from, SPL_TYPE_ANY);
        verify(ctx, rule->name, body);
        verify(ctx, rule->name, tagged(ctx, body, reals ? 3 : 1, reals ? 1 : 4));
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
        if (!breaks_real_transforms(spl_rules[r]))
            continue;
        for (int i = 0; verify_case(spl_rules[r], i, &programs); i++)
            continue;
        rules += programs > 0;
    }
    assert_int_equal(rules, 20);
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
            if (breaks_real_transforms(spl_rules[r])
                && spl_rules[r]->guard(x, &(spl_params){{0}}, NULL))
                has[spl_rules[r]->build(ctx, x, &(spl_params){{0}})->from] = true;
        if (x->from == SPL_TYPE_ANY && !(has[SPL_TYPE_REAL] && has[SPL_TYPE_COMPLEX]))
            fail_msg("%s", spl_transform_of((spl_kind)kind)->word);
    }
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_size_is_a_program, nothing_leaks),
        cmocka_unit_test_teardown(every_kind_has_both, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
