// SPDX-License-Identifier: BSD-3-Clause
/* What the documents quote is what the programs print (run it in the source root). A fenced block
 *     ```sluice-explain PROBLEM LEVEL      is what a plan for cpu:2 prints at that level; compared
 *                                          where the processor has AVX-512, which the quotes name
 *     ```sluice-emit PROBLEM FUNCTION      is that function of the program that the plan prints
 *     ```sluice-emit-opencl FORMULA        is what the plan prints from its first kernel on
 *     ```sluice-console                   begins with "$ sluice ARGUMENTS"; the rest is what that prints
 *     ```sluice-gen ISA PRECISION NAME     is what sluice-gen --print NAME prints
 *     ```c                                 in README.md is examples/batch.c
 * Caches are described, not found, so that quotes do not depend on the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/helper_plan.h"

static const char *const documents[] = {
    "README.md",        "docs/ARCHITECTURE.md", "docs/ENVIRONMENT.md", "docs/FORMULAS.md",
    "docs/PROBLEMS.md", "docs/RULES.md",        "docs/TESTING.md",     "docs/CODELETS.md",
    "docs/EMIT.md",     "docs/SCENARIOS.md",    "docs/COMMAND.md",
};
enum { DOCUMENTS = sizeof documents / sizeof documents[0], INFO = 128, OUTPUT = 65536 };
static const char caches[] = "pack:1 l3:1(size=33554432) l2:2(size=2097152) l1d:1(size=49152) "
                             "core:1 pu:1";

/* A whole file with a 0 behind it. To be freed. */
static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("there is no %s", path);
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, f), size);
    fclose(f);
    text[size] = '\0';
    return text;
}

/* ---------------------------------------------------------------- fences ---------------- */

typedef struct fence {
    char info[INFO];
    const char *text; /* not terminated */
    size_t length;
    int line; /* of the opening fence */
} fence;

typedef struct reader {
    const char *at;
    int line; /* of `at`, from 1 */
} reader;

static bool is_fence(const char *line)
{
    return strncmp(line, "```", 3) == 0;
}

static void next_line(reader *r)
{
    r->at += strcspn(r->at, "\n");
    if (*r->at == '\n') {
        r->at++;
        r->line++;
    }
}

/* The next fenced block; false: no more. A block without end reaches to the end of the text. */
static bool next_fence(reader *r, fence *out)
{
    while (*r->at != '\0' && !is_fence(r->at))
        next_line(r);
    if (*r->at == '\0')
        return false;
    out->line = r->line;
    snprintf(out->info, sizeof out->info, "%.*s", (int)strcspn(r->at + 3, "\n"), r->at + 3);
    next_line(r);
    out->text = r->at;
    while (*r->at != '\0' && !is_fence(r->at))
        next_line(r);
    out->length = (size_t)(r->at - out->text);
    next_line(r);
    return true;
}

static bool same_text(const fence *f, const char *text)
{
    return strlen(text) == f->length && memcmp(text, f->text, f->length) == 0;
}

/* 0 where the block is `expected`; else 1, and says what should stand there. */
static int compare(const char *document, const fence *f, const char *expected)
{
    if (same_text(f, expected))
        return 0;
    print_error("%s:%d: ```%s should read\n%s", document, f->line, f->info, expected);
    return 1;
}

/* ---------------------------------------------------------------- plans ----------------- */

static bool level_of(const char *name, sluice_level *out)
{
    static const struct {
        const char *name;
        sluice_level level;
    } levels[] = {{"formula", SLUICE_LEVEL_FORMULA},
                  {"sigma", SLUICE_LEVEL_SIGMA},
                  {"program", SLUICE_LEVEL_PROGRAM},
                  {"placement", SLUICE_LEVEL_PLACEMENT},
                  {"json", SLUICE_LEVEL_JSON}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (strcmp(levels[i].name, name) == 0) {
            *out = levels[i].level;
            return true;
        }
    return false;
}

/* Is the block marked as a plan's? Then *wrong is 1 where the plan prints something else. */
static bool check_explain(sluice_machine *m, const char *document, const fence *f, int *wrong)
{
    char problem[INFO], level_name[INFO];
    sluice_level level = SLUICE_LEVEL_FORMULA;
    if (sscanf(f->info, "sluice-explain %127s %127s", problem, level_name) != 2)
        return false;
    if (!level_of(level_name, &level))
        fail_msg("%s:%d: there is no level %s", document, f->line, level_name);
    sluice_plan *plan = plan_made(m, problem);
    const plan_text printed = plan_printed(plan, level);
    *wrong = compare(document, f, printed.data);
    test_free(printed.data);
    sluice_plan_destroy(plan);
    return true;
}

/* Is the block marked as a function of a program? */
static bool check_emit(sluice_machine *m, const char *document, const fence *f, int *wrong)
{
    char problem[INFO], function[INFO], head[2 * INFO];
    if (sscanf(f->info, "sluice-emit %127s %127s", problem, function) != 2)
        return false;
    sluice_plan *plan = plan_made(m, problem);
    const plan_text printed = plan_printed(plan, SLUICE_LEVEL_C);
    snprintf(head, sizeof head, "\nstatic void %s(", function);
    char *const at = strstr(printed.data, head), *const end = at ? strstr(at, "\n}\n") : NULL;
    if (end == NULL)
        fail_msg("%s:%d: there is no function %s", document, f->line, function);
    end[3] = '\0';
    *wrong = compare(document, f, at + 1);
    test_free(printed.data);
    sluice_plan_destroy(plan);
    return true;
}

static bool check_opencl(sluice_machine *m, const char *document, const fence *f, int *wrong)
{
    static const char mark[] = "sluice-emit-opencl ";
    if (strncmp(f->info, mark, sizeof mark - 1) != 0)
        return false;
    sluice_plan *plan = plan_of_formula(m, f->info + sizeof mark - 1, SLUICE_F32);
    const plan_text printed = plan_printed(plan, SLUICE_LEVEL_OPENCL);
    const char *const at = strstr(printed.data, "\n__kernel ");
    if (at == NULL)
        fail_msg("%s:%d: there is no kernel", document, f->line);
    *wrong = compare(document, f, at + 1);
    test_free(printed.data);
    sluice_plan_destroy(plan);
    return true;
}

static int check_plans(sluice_machine *m, const char *document, int *found)
{
    char *text = slurp(document);
    reader r = {.at = text, .line = 1};
    fence f;
    int all = 0, wrong;
    while (next_fence(&r, &f)) {
        wrong = 0;
        *found += check_explain(m, document, &f, &wrong) || check_opencl(m, document, &f, &wrong)
                  || check_emit(m, document, &f, &wrong);
        all += wrong;
    }
    free(text);
    return all;
}

static void quoted_plans_are_what_is_printed(void **state)
{
    (void)state;
    int wrong = 0, found = 0;
    sluice_unit_info unit;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    assert_int_equal(sluice_machine_unit_info(m, 0, &unit), SLUICE_OK);
    if (strcmp(unit.isa, "avx512") != 0) {
        sluice_machine_close(m);
        skip();
    }
    for (int i = 0; i < DOCUMENTS; i++)
        wrong += check_plans(m, documents[i], &found);
    sluice_machine_close(m);
    assert_int_equal(wrong, 0);
    assert_true(found >= 4); /* else the marks are gone */
}

/* ---------------------------------------------------------------- codelets -------------- */

/* What the shell command prints. */
static void output_of(const char *command, char *out, size_t size)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t length = fread(out, 1, size - 1, pipe);
    out[length] = '\0';
    if (pclose(pipe) != 0)
        fail_msg("%s failed", command);
}

static void quoted_codelets_are_what_is_printed(void **state)
{
    (void)state;
    static char expected[OUTPUT];
    char isa[INFO], precision[INFO], name[INFO], command[4096];
    const char *folder = getenv("SLUICE_BIN_DIR"), *document = "docs/ARCHITECTURE.md";
    fence f;
    int found = 0, wrong = 0;
    if (folder == NULL)
        skip();
    char *text = slurp(document);
    reader r = {.at = text, .line = 1};
    while (next_fence(&r, &f)) {
        if (sscanf(f.info, "sluice-gen %127s %127s %127[^\n]", isa, precision, name) != 3)
            continue;
        snprintf(command, sizeof command, "'%s/sluice-gen' --isa %s --precision %s --print '%s'",
                 folder, isa, precision, name);
        output_of(command, expected, sizeof expected);
        wrong += compare(document, &f, expected);
        found++;
    }
    free(text);
    assert_int_equal(wrong, 0);
    assert_true(found > 0);
}

/* ---------------------------------------------------------------- commands -------------- */

/* 1 where a block is not what its command prints. */
static int check_console(const char *folder, const char *document, const fence *f)
{
    static char text[OUTPUT], command[4096];
    const int length = (int)(memchr(f->text, '\n', f->length) ? strcspn(f->text, "\n") : 0);
    if (length < 9 || strncmp(f->text, "$ sluice ", 9) != 0)
        fail_msg("%s:%d: the block begins with no command", document, f->line);
    snprintf(command, sizeof command, "'%s'/%.*s", folder, length - 2, f->text + 2);
    const int head = snprintf(text, sizeof text, "%.*s\n", length, f->text);
    output_of(command, text + head, sizeof text - (size_t)head);
    return compare(document, f, text);
}

static void quoted_commands_print_what_stands_there(void **state)
{
    (void)state;
    const char *folder = getenv("SLUICE_BIN_DIR");
    int found = 0, wrong = 0;
    if (folder == NULL)
        skip();
    for (int i = 0; i < DOCUMENTS; i++) {
        char *document = slurp(documents[i]);
        reader r = {.at = document, .line = 1};
        fence f;
        while (next_fence(&r, &f)) {
            if (strcmp(f.info, "sluice-console") != 0)
                continue;
            wrong += check_console(folder, documents[i], &f);
            found++;
        }
        free(document);
    }
    assert_int_equal(wrong, 0);
    assert_true(found >= 8); /* else the marks are gone */
}

/* ---------------------------------------------------------------- example, links -------- */

static void readme_shows_the_example(void **state)
{
    (void)state;
    char *readme = slurp("README.md"), *example = slurp("examples/batch.c");
    reader r = {.at = readme, .line = 1};
    const char *body = example + strcspn(example, "\n"); /* after the licence line */
    fence f;
    int found = 0, wrong = 0;
    while (next_fence(&r, &f)) {
        if (strcmp(f.info, "c") != 0)
            continue;
        wrong += compare("README.md", &f, body + (*body != '\0'));
        found++;
    }
    free(readme);
    free(example);
    assert_int_equal(found, 1);
    assert_int_equal(wrong, 0);
}

/* Does [..](target) of a document lead to a file? Other schemes are not followed. */
static bool leads_somewhere(const char *document, const char *target, size_t length)
{
    const char *slash = strrchr(document, '/');
    struct stat about;
    char path[512];
    length = memchr(target, '#', length) ? strcspn(target, "#") : length;
    if (length == 0 || memchr(target, ':', length) != NULL)
        return true;
    snprintf(path, sizeof path, "%.*s%.*s", slash ? (int)(slash + 1 - document) : 0, document,
             (int)length, target);
    return stat(path, &about) == 0;
}

static void links_lead_to_files(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < DOCUMENTS; i++) {
        char *text = slurp(documents[i]);
        for (const char *at = text; (at = strstr(at, "](")) != NULL;) {
            at += 2;
            const size_t length = strcspn(at, ")\n <(,"); /* an index function is no link */
            if (at[length] != ')' || leads_somewhere(documents[i], at, length))
                continue;
            print_error("%s: %.*s is not there\n", documents[i], (int)length, at);
            wrong++;
        }
        free(text);
    }
    assert_int_equal(wrong, 0);
}

static void the_checker_objects(void **state)
{
    (void)state;
    reader r = {.at = "a\n```one two\nb\n```\n```\n```\n```open\nc", .line = 1};
    fence f;
    assert_true(next_fence(&r, &f));
    assert_string_equal(f.info, "one two");
    assert_int_equal(f.line, 2);
    assert_true(same_text(&f, "b\n"));
    assert_false(same_text(&f, "b"));
    assert_false(same_text(&f, "c\n"));
    assert_true(next_fence(&r, &f) && same_text(&f, ""));
    assert_true(next_fence(&r, &f) && same_text(&f, "c"));
    assert_false(next_fence(&r, &f));
    assert_false(leads_somewhere("docs/ARCHITECTURE.md", "NOTHING.md", 10));
    assert_true(leads_somewhere("docs/ARCHITECTURE.md", "RULES.md", 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_objects),
        cmocka_unit_test(quoted_plans_are_what_is_printed),
        cmocka_unit_test(quoted_codelets_are_what_is_printed),
        cmocka_unit_test(quoted_commands_print_what_stands_there),
        cmocka_unit_test(readme_shows_the_example),
        cmocka_unit_test(links_lead_to_files),
    };
    setenv("SLUICE_TOPOLOGY", caches, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
