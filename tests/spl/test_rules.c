// SPDX-License-Identifier: BSD-3-Clause
/* Every rule on its own cases: both sides are the same matrix, refusals are sentences. And the
 * checker objects: forms that are wrong in print are found wrong. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "spl/oracle/oracle.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "spl/rules/tags/rules_local.h"

static const long double exact = 1e-12L;

static void show(const char *what, const spl *x)
{
    core_text text = {0};
    if (x != NULL)
        spl_print(x, &text);
    print_error("  %s: %s\n", what, core_text_string(&text));
    core_text_free(&text);
}

/* Is build(x) the same matrix as x? */
static bool holds(spl_ctx *ctx, const spl_rule *rule, const spl *x, const spl_params *p)
{
    sluice_diag why = {0};
    long double distance = 1;
    const spl *y = rule->build(ctx, x, p);
    if (y != NULL && spl_ctx_status(ctx, &why) == SLUICE_OK)
        assert_int_equal(spl_distance(x, y, &distance), SLUICE_OK);
    if (y != NULL && distance < exact)
        return true;
    print_error("rule %s: off by %Lg %s\n", rule->name, distance, why.message);
    show("left", x);
    show("right", y);
    return false;
}

/* Runs the i-th case: false when there is none. */
static bool run_case(const spl_rule *rule, int i, int *built, int *refused, int *wrong)
{
    const spl *x = NULL;
    spl_params p = {{0}};
    const char *refusal = NULL;
    sluice_diag why;
    spl_ctx *ctx = spl_ctx_open();
    assert_non_null(ctx);
    const bool more = spl_rule_case(ctx, rule, i, &x, &p);
    if (spl_ctx_status(ctx, &why) != SLUICE_OK)
        fail_msg("rule %s, case %d: %s", rule->name, i, why.message);
    if (more && rule->guard(x, &p, &refusal)) {
        (*built)++;
        *wrong += !holds(ctx, rule, x, &p);
    } else if (more) {
        (*refused)++;
        assert_non_null(refusal);
        assert_true(strlen(refusal) > 10);
        assert_null(spl_rule_apply(ctx, rule, x, &p));
        assert_int_equal(spl_ctx_status(ctx, &why), SLUICE_E_UNSUPPORTED);
        assert_non_null(strstr(why.message, rule->name));
        assert_non_null(strstr(why.message, refusal));
    }
    spl_ctx_close(ctx);
    return more;
}

static void every_rule_holds(void **state)
{
    (void)state;
    int wrong = 0;
    for (int r = 0; spl_rules[r] != NULL; r++) {
        int built = 0, refused = 0;
        for (int i = 0; run_case(spl_rules[r], i, &built, &refused, &wrong); i++)
            ;
        if (built == 0 || refused == 0)
            print_error("rule %s: %d cases, %d refusals\n", spl_rules[r]->name, built, refused);
        assert_true(built > 0);
        assert_true(refused > 0);
    }
    assert_int_equal(wrong, 0);
}

static void every_rule_is_described(void **state)
{
    (void)state;
    int group = SPL_BREAKDOWN;
    for (int r = 0; spl_rules[r] != NULL; r++) {
        const spl_rule *rule = spl_rules[r];
        assert_true(strlen(rule->name) > 0 && strlen(rule->formula) > 5);
        assert_true(strlen(rule->reference) > 3);
        assert_true((rule->choices != NULL) == (rule->params != NULL && rule->params[0] != 0));
        assert_ptr_equal(spl_rule_find(rule->name), rule); /* so names are unique */
        assert_true((int)rule->group >= group);
        group = (int)rule->group;
    }
    assert_null(spl_rule_find("no such rule"));
}

/* V1 to V7 of docs/RULES.md, which codelets are made of and which no formula is rewritten by. */
static void identities_of_short_vectors_hold(void **state)
{
    static const char *const sides[][2] = {
        {"DFT(3) (x) I(8)", "(DFT(3) (x) I(2)) (x) I(4)"},
        {"L(32,4)", "(L(16,4) (x) I(2)) * (I(8) (x) L(4,2)) * (I(4) (x) L(4,2) (x) I(2))"},
        {"L(32,8)", "(I(2) (x) L(16,4)) * (L(8,2) (x) I(4))"},
        {"L(32,4)", "(L(8,4) (x) I(4)) * (I(2) (x) L(16,4))"},
        {"(I(4) (x) DFT(3)) * L(12,4)",
         "(I(2) (x) (L(6,2) * (DFT(3) (x) I(2)))) * (L(6,2) (x) I(2))"},
        {"I(4) (x) DFT(3)", "I(2) (x) (L(6,2) * (DFT(3) (x) I(2)) * L(6,3))"},
        {"L(12,3) * (I(4) (x) DFT(3))",
         "(L(6,3) (x) I(2)) * (I(2) (x) ((DFT(3) (x) I(2)) * L(6,3)))"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        spl_ctx *ctx = spl_ctx_open();
        const spl *x[2];
        long double distance;
        for (int k = 0; k < 2; k++)
            assert_int_equal(spl_parse(ctx, sides[i][k], &x[k], NULL), SLUICE_OK);
        assert_int_equal(spl_distance(x[0], x[1], &distance), SLUICE_OK);
        assert_true(distance < 1e-15L);
        spl_ctx_close(ctx);
    }
}

/* ---- every definition of a rule in the sources is in the list ---- */

static const char *const listed[] = {
#define SPL_RULE(name) #name,
#include "spl/rules/rules.list"
#undef SPL_RULE
};
enum { LISTED = sizeof listed / sizeof listed[0] };

static bool is_listed(const char *name)
{
    for (int i = 0; i < LISTED; i++)
        if (strcmp(listed[i], name) == 0)
            return true;
    return false;
}

/* Counts the rules that `line` begins to define: "const spl_rule NAME = {", static ones and arrays,
 * which cannot be listed, included. */
static int count_definitions(const char *line, const char *path)
{
    char name[64] = "";
    const char *at = strstr(line, "spl_rule ");
    if (at == NULL || at[9] == '*' || strstr(at, "= {") == NULL || strchr("/ *", line[0]) != NULL)
        return 0;
    sscanf(at, "spl_rule %63[A-Za-z0-9_[]", name);
    if (strncmp(line, "const ", 6) != 0 || !is_listed(name))
        fail_msg("%s defines the rule %s, which is not in spl/rules/rules.list", path, name);
    return 1;
}

static int count_in_file(const char *path)
{
    char line[512];
    int count = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s: cannot be read", path);
    while (fgets(line, sizeof line, file) != NULL)
        count += count_definitions(line, path);
    fclose(file);
    return count;
}

static int count_in_folder(const char *folder)
{
    char path[600];
    int count = 0;
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return 0; /* a file */
    for (struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
        const size_t length = strlen(d->d_name);
        if (d->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%.255s", folder, d->d_name);
        if (length > 2 && strcmp(d->d_name + length - 2, ".c") == 0)
            count += count_in_file(path);
        else
            count += count_in_folder(path);
    }
    closedir(dir);
    return count;
}

static void every_rule_is_listed(void **state)
{
    (void)state;
    assert_int_equal(count_in_folder("spl"), LISTED);
}

static void choices_satisfy_the_guard(void **state)
{
    (void)state;
    spl_params some[16];
    for (int r = 0; spl_rules[r] != NULL; r++) {
        const spl_rule *rule = spl_rules[r];
        for (int i = 0; rule->choices != NULL; i++) {
            const spl *x = NULL;
            spl_params p = {{0}};
            spl_ctx *ctx = spl_ctx_open();
            const bool more = spl_rule_case(ctx, rule, i, &x, &p);
            const int count = more ? rule->choices(x, some, 16) : 0;
            for (int c = 0; c < count; c++)
                assert_true(rule->guard(x, &some[c], NULL));
            if (more && count > 1)
                assert_int_equal(rule->choices(x, some, 1), 1);
            spl_ctx_close(ctx);
            if (!more)
                break;
        }
    }
}

static void all_factors_are_choices(void **state)
{
    (void)state;
    spl_params some[64];
    spl_ctx *ctx = spl_ctx_open();
    for (int64_t n = 1; n <= 200; n++) {
        int factors = 0;
        for (int64_t d = 2; d < n; d++)
            factors += n % d == 0;
        assert_int_equal(spl_dft_ct.choices(spl_dft(ctx, n, false), some, 64), factors);
    }
    spl_ctx_close(ctx);
}

/* Parses both; how far apart are they? */
static long double apart(const char *a, const char *b)
{
    const spl *x, *y;
    sluice_diag why = {0};
    long double distance = -1;
    spl_ctx *ctx = spl_ctx_open();
    if (spl_parse(ctx, a, &x, &why) != SLUICE_OK || spl_parse(ctx, b, &y, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
    assert_int_equal(spl_distance(x, y, &distance), SLUICE_OK);
    spl_ctx_close(ctx);
    return distance;
}

/* (7) with the tag's own mu = 2 in place of n/p = 4: part of the columns is never written. */
static const char seven_wrong[] =
    "SUM.par(k1<2, S(q(4,16,k1%2,2,2)) * SUM(k0<2, S(h(2,4,k0%2,2)) * "
    "DFT(2)_{leaf} * G(h(2,4,k0%2,2))) * G(q(4,16,k1%2,2,2)))";
static const char seven_right[] =
    "SUM.par(k1<2, S(q(8,16,k1%2,2,4)) * SUM(k0<4, S(h(2,8,k0%4,4)) * "
    "DFT(2)_{leaf} * G(h(2,8,k0%4,4))) * G(q(8,16,k1%2,2,4)))";
/* (12) as printed: DFT_2 inside the parallel sum is I_3 (x) (I_2 (x) DFT_2), not I_3 (x) DFT_4. */
static const char twelve_wrong[] = "SUM.stream(k1<3, S.copy(h(4,12,4*k1%3,1)) * SUM.par(k0<2, "
                                   "S(h(2,4,2*k0%2,1)) * DFT(2)_{leaf} * "
                                   "G(h(2,4,2*k0%2,1))) * G.copy(h(4,12,4*k1%3,1)))";
static const char twelve_right[] =
    "SUM.stream(k1<3, S.copy(h(4,12,4*k1%3,1)) * SUM.par(k0<2, S(h(2,4,k0%2,2)) * DFT(2)_{leaf} * "
    "G(h(2,4,k0%2,2))) * T(2,2) * SUM.par(k0<2, S(h(2,4,2*k0%2,1)) * DFT(2)_{leaf} * "
    "G(h(2,4,k0%2,2))) * G.copy(h(4,12,4*k1%3,1)))";

/* h_{j,m,1} of Table 2, (6) and (9) in place of h_{jm,1}: blocks overlap. */
static const char rows_wrong[] = "SUM(k0<4, S(h(3,12,k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,k0%4,1)))";
static const char rows_right[] =
    "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,3*k0%4,1)))";
/* stream(min(m,n)) of Table 3(a) row 4, for 4 x 6 points: c = 6/4 is no number of columns. */
static const char streamed_wrong[] =
    "SUM.stream(k0<4, S.copy(h(4,24,k0%4,4)) * DFT(4)_{leaf} * G.copy(h(4,24,k0%4,4))) * "
    "(I(4) (x) DFT(6))";
static const char streamed_right[] =
    "SUM.stream(k0<6, S.copy(h(4,24,k0%6,6)) * DFT(4)_{leaf} * G.copy(h(4,24,k0%6,6))) * "
    "(I(4) (x) DFT(6))";

static void the_checker_objects(void **state)
{
    (void)state;
    assert_true(apart("I(4) (x) DFT(3)", rows_right) < exact);
    assert_true(apart("I(4) (x) DFT(3)", rows_wrong) > 0.5L);
    assert_true(apart("DFT(4) (x) DFT(6)", streamed_right) < exact);
    assert_true(apart("DFT(4) (x) DFT(6)", streamed_wrong) > 0.5L);
    assert_true(apart("DFT(4) (x) DFT(6)", "(DFT(4) (x) DFT(6))_{stream(4)}") < exact);
    assert_true(apart("DFT(2) (x) I(8)", seven_right) < exact);
    assert_true(apart("DFT(2) (x) I(8)", seven_wrong) > 0.5L);
    assert_true(apart("I(3) (x) DFT(4)", twelve_right) < exact);
    assert_true(apart("I(3) (x) DFT(4)", twelve_wrong) > 0.5L);
    /* the text after (1): D_{m,n} in place of D_{n,m} */
    assert_true(apart("DFT(6)", "(DFT(2) (x) I(3)) * T(2,3) * (I(2) (x) DFT(3)) * L(6,2)") < exact);
    assert_true(apart("DFT(6)", "(DFT(2) (x) I(3)) * T(3,2) * (I(2) (x) DFT(3)) * L(6,2)") > 0.1L);
}

static void leaves_are_marked(void **state)
{
    (void)state;
    const spl *x, *y, *z;
    spl_ctx *ctx = spl_ctx_open();
    assert_int_equal(spl_parse(ctx,
                               "(DFT(4) (x) I(2))_{vec(2,inter)} * DFT(8)_{leaf} * "
                               "(I(2) (x) IDFT(4)_{spe(2,1)}) * L(8,2)",
                               &x, NULL),
                     SLUICE_OK);
    assert_false(spl_is_complete(x));
    y = spl_mark_leaves(ctx, x);
    assert_true(spl_is_complete(y));
    assert_ptr_equal(spl_mark_leaves(ctx, y), y);
    assert_int_equal(spl_parse(ctx,
                               "(DFT(4)_{leaf} (x) I(2))_{vec(2,inter)} * DFT(8)_{leaf} * "
                               "(I(2) (x) IDFT(4)_{leaf,spe(2,1)}) * L(8,2)",
                               &z, NULL),
                     SLUICE_OK);
    assert_ptr_equal(y, z);
    spl_ctx_close(ctx);
}

static void refusals_name_rule_and_condition(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"DFT(4)_{leaf,spe(2,1)}", "rule (6): nothing to distribute"},
        {"(DFT(4)_{leaf} * L(4,2))_{spe(2,1)}", "rule (6): nothing to distribute"},
        {"(I(4) (x) (I(2) (x) DFT(2)_{leaf})_{spe(2,1)})_{spe(2,1)}", "rule (6): spe inside spe"},
        {"(DFT(8)_{leaf} (x) I(8))_{spe(2,9)}", "rule (7u): mu is too large"},
        {"(DFT(8)_{leaf} (x) I(8))_{spe(65537,1)}", "p is too large"},
        {"(DFT(8)_{leaf} (x) I(8))_{stream(65537),spe(2,1)}", "s is too large"},
        {"(DFT(8)_{leaf} (x) I(8))_{stream(65537)}", "s is too large"},
        {"(DFT(8)_{leaf} (x) I(8))_{stream(2),spe(2,16)}", "rule (7u): mu is too large"},
        {"DFT(4)_{leaf,stream(2)}", "rule (9): nothing to stream"},
        {"(I(4) (x) DFT(2)_{leaf})_{local(4096)}", "rule local: the bytes of an element"},
        {"(I(4) (x) DFT(2)_{leaf})_{tile(2),vec(2,inter)}", "vec must be the innermost tag"},
        {"(I(4) (x) (I(4) (x) DFT(2)_{leaf})_{stream(2)})_{vec(2,inter)}",
         "vec must be the innermost tag"},
        {"(I(2) (x) (I(2) (x) DFT(2)_{leaf})_{vec(2,inter)})_{vec(4,inter)}", "vec inside vec"},
        {"(I(4) (x) DFT(2)_{leaf})_{spe(2,1),vec(2,inter)}", "vec must be the innermost tag"},
        {"DFT(4)", "neither broken down nor marked leaf"},
        {"I(2) (x) DFT(4)", "neither broken down nor marked leaf"},
        {"DFT(4)_{vec(2,inter)}", "neither broken down nor a leaf"},
        {"DFT(4)_{tile(2)}", "not broken down"},
        {"(DFT(3)_{leaf} (+) DFT(2)_{leaf})_{spe(2,1)}", "rule (6): nothing to distribute"},
        {"(I(2) (x) DFT(2)_{leaf})_{leaf}", "leaf is a tag of transforms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spl *x = NULL;
        sluice_diag why = {0};
        spl_ctx *ctx = spl_ctx_open();
        assert_int_equal(spl_parse(ctx, cases[i][0], &x, NULL), SLUICE_OK);
        assert_null(spl_to_sigma(ctx, x));
        assert_int_equal(spl_ctx_status(ctx, &why), SLUICE_E_UNSUPPORTED);
        if (strstr(why.message, cases[i][1]) == NULL)
            fail_msg("%s: \"%s\", expected \"%s\"", cases[i][0], why.message, cases[i][1]);
        spl_ctx_close(ctx);
    }
}

/* {A}_{inner,outer} for every two tags: what the table of nests allows is A, the rest is refused in
 * its words. */
static void nests_are_as_the_table_says(void **state)
{
    (void)state;
    static const char *const tags[] = {[SPL_TAG_SPE] = "spe(2,1)",
                                       [SPL_TAG_STREAM] = "stream(2)",
                                       [SPL_TAG_VEC] = "vec(2,inter)",
                                       [SPL_TAG_TILE] = "tile(4)",
                                       [SPL_TAG_LOCAL] = "local(65536)"};
    int refused = 0;
    for (int outer = 0; outer < SPL_TAG_LEAF; outer++)
        for (int inner = 0; inner < SPL_TAG_LEAF; inner++) {
            const spl_nest *nest = spl_nest_of((spl_tag_kind)outer, (spl_tag_kind)inner);
            char text[128];
            const spl *x;
            sluice_diag why = {0};
            long double distance = 1;
            spl_ctx *ctx = spl_ctx_open();
            snprintf(text, sizeof text, "(DFT(3)_{leaf} (x) I(8))_{%s,%s}", tags[inner],
                     tags[outer]);
            assert_non_null(nest->reason);
            assert_int_equal(spl_parse(ctx, text, &x, NULL), SLUICE_OK);
            const spl *y = spl_to_sigma(ctx, spl_derive_streams(ctx, x, 8));
            if (spl_ctx_status(ctx, &why) == SLUICE_OK)
                assert_int_equal(spl_distance(x, y, &distance), SLUICE_OK);
            if (nest->allowed != (y != NULL && distance < exact))
                fail_msg("%s: off by %Lg, %s", text, distance, why.message);
            if (!nest->allowed && strstr(why.message, nest->reason) == NULL)
                fail_msg("%s: \"%s\", expected \"%s\"", text, why.message, nest->reason);
            refused += !nest->allowed;
            spl_ctx_close(ctx);
        }
    assert_int_equal(refused, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_holds),
        cmocka_unit_test(identities_of_short_vectors_hold),
        cmocka_unit_test(every_rule_is_described),
        cmocka_unit_test(every_rule_is_listed),
        cmocka_unit_test(choices_satisfy_the_guard),
        cmocka_unit_test(all_factors_are_choices),
        cmocka_unit_test(the_checker_objects),
        cmocka_unit_test(leaves_are_marked),
        cmocka_unit_test(refusals_name_rule_and_condition),
        cmocka_unit_test(nests_are_as_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
