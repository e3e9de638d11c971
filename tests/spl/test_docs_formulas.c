// SPDX-License-Identifier: BSD-3-Clause
/* Examples of FORMULAS.md, PROBLEMS.md and RULES.md (run it in the source root):
 *     ```sluice-plan        each line is a formula that plans on `ref`, '#' begins a remark; with a
 *                           problem in front it is that problem's transform
 *     | `text` | N | `sentence` |   in FORMULAS.md: refused at byte N with that sentence
 *     `KIND:PRECISION:..`   in PROBLEMS.md is a problem, below "What is refused" the second column
 *                           holds none
 *     | NAME | `..` |       in RULES.md is a rule with that formula, and every rule is there */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spl/rules/rewrite.h"
#include "tests/helpers/helper_plan.h"

enum { TEXT = 1 << 17, LINE = 2048 };

static sluice_machine *ref;

static const char *slurp(const char *path)
{
    static char text[TEXT];
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("there is no %s", path);
    const size_t size = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[size] = '\0';
    return text;
}

/* The next line, without its end; false: no more. */
static bool next_line(const char **at, char *line)
{
    const size_t length = strcspn(*at, "\n");
    if (**at == '\0')
        return false;
    assert_true(length < LINE);
    memcpy(line, *at, length);
    line[length] = '\0';
    *at += length + ((*at)[length] == '\n');
    return true;
}

/* The next text between backticks at or after *at; *at moves behind it. */
static bool next_code(const char **at, char *code)
{
    const char *begin = strchr(*at, '`'), *end = begin ? strchr(begin + 1, '`') : NULL;
    if (end == NULL)
        return false;
    snprintf(code, LINE, "%.*s", (int)(end - begin - 1), begin + 1);
    *at = end + 1;
    return true;
}

/* ---------------------------------------------------------------- formulas -------------- */

static void check_formula(const char *line)
{
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    if (sluice_plan_from_formula(&plan, ref, line, SLUICE_F32, NULL, &why) != SLUICE_OK)
        fail_msg("%s: byte %zu: %s", line, why.offset, why.message);
    if (strstr(line, ":=") != NULL) {
        plan_verify(plan, line);
    }
    sluice_plan_destroy(plan);
}

static void formulas_plan(void **state)
{
    char line[LINE];
    const char *at = slurp("docs/FORMULAS.md");
    bool inside = false;
    int found = 0;
    (void)state;
    while (next_line(&at, line)) {
        if (strncmp(line, "```", 3) == 0)
            inside = strcmp(line, "```sluice-plan") == 0;
        else if (inside && line[0] != '#' && line[0] != '\0') {
            check_formula(line);
            found++;
        }
    }
    assert_true(found >= 6); /* else the mark is gone */
}

static void refused_formulas_are_refused_there(void **state)
{
    char line[LINE], text[LINE], sentence[LINE];
    const char *at = slurp("docs/FORMULAS.md");
    int found = 0;
    (void)state;
    while (next_line(&at, line)) {
        const char *rest = line;
        sluice_plan *plan = NULL;
        sluice_diag why = {0};
        size_t offset;
        int read = 0;
        if (line[0] != '|' || !next_code(&rest, text)
            || sscanf(rest, " | %zu | `%n", &offset, &read) != 1 || read == 0
            || !next_code(&rest, sentence))
            continue;
        if (sluice_plan_from_formula(&plan, ref, text, SLUICE_F32, NULL, &why) == SLUICE_OK)
            fail_msg("%s is not refused", text);
        if (why.offset != offset || strcmp(why.message, sentence) != 0)
            fail_msg("%s: byte %zu: %s", text, why.offset, why.message);
        found++;
    }
    assert_true(found >= 7);
}

/* ---------------------------------------------------------------- problems -------------- */

static bool is_problem(const char *code)
{
    char kind[8], precision[8];
    return sscanf(code, "%7[a-z0-9*]:%7[a-z0-9]:", kind, precision) == 2
           && (strcmp(precision, "f32") == 0 || strcmp(precision, "f64") == 0)
           && strchr(code, ' ') == NULL;
}

/* Reads, writes the same, plans. */
static void check_problem(const char *text)
{
    sluice_problem p, again;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    char line[LINE];
    if (sluice_problem_parse(&p, text, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    assert_int_equal(sluice_problem_print(&p, line, sizeof line), SLUICE_OK);
    assert_int_equal(sluice_problem_parse(&again, line, NULL), SLUICE_OK);
    const sluice_status status = sluice_plan_create(&plan, ref, &p, NULL, &why);
    if (status != SLUICE_OK)
        fail_msg("%s: %d: %s", text, (int)status, why.message);
    sluice_plan_destroy(plan);
}

static void check_refused(const char *text)
{
    sluice_problem p;
    sluice_diag why = {0};
    if (sluice_problem_parse(&p, text, &why) == SLUICE_OK)
        fail_msg("%s is not refused", text);
    assert_true(why.message[0] != '\0');
}

static void problems_are_problems(void **state)
{
    char line[LINE], code[LINE];
    const char *at = slurp("docs/PROBLEMS.md");
    bool refusals = false;
    int good = 0, bad = 0;
    (void)state;
    while (next_line(&at, line)) {
        if (strncmp(line, "## ", 3) == 0)
            refusals = strcmp(line, "## What is refused") == 0;
        for (const char *rest = line; next_code(&rest, code);) {
            if (!is_problem(code))
                continue;
            if (refusals && line[0] == '|') {
                check_refused(code);
                bad++;
            } else {
                check_problem(code);
                good++;
            }
        }
    }
    assert_true(good >= 14);
    assert_true(bad >= 14);
}

/* ---------------------------------------------------------------- rules ----------------- */

static const spl_rule *rule_named(const char *name)
{
    for (const spl_rule *const *rule = spl_rules; *rule != NULL; rule++)
        if (strcmp((*rule)->name, name) == 0)
            return *rule;
    return NULL;
}

/* The table may leave out what the record says behind a comma: it has a column for conditions. */
static bool says(const char *formula, const char *code)
{
    const size_t length = strlen(code);
    return strncmp(formula, code, length) == 0
           && (formula[length] == '\0' || formula[length] == ',');
}

static void rules_are_those_of_the_table(void **state)
{
    char line[LINE], name[LINE], code[LINE];
    const char *at = slurp("docs/RULES.md");
    int listed = 0, rules = 0, wrong = 0;
    (void)state;
    while (next_line(&at, line)) {
        const char *rest = line;
        if (sscanf(line, "| %99[^|` ]", name) != 1 || !next_code(&rest, code))
            continue;
        const spl_rule *rule = rule_named(name);
        if (rule == NULL)
            continue;
        listed++;
        if (says(rule->formula, code))
            continue;
        print_error("docs/RULES.md, %s: the rule is\n%s\n", name, rule->formula);
        wrong++;
    }
    while (spl_rules[rules] != NULL)
        rules++;
    assert_int_equal(wrong, 0);
    assert_int_equal(listed, rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_plan),
        cmocka_unit_test(refused_formulas_are_refused_there),
        cmocka_unit_test(problems_are_problems),
        cmocka_unit_test(rules_are_those_of_the_table),
    };
    ref = plan_machine("ref:2", NULL);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sluice_machine_close(ref);
    return failed;
}
