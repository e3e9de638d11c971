// SPDX-License-Identifier: BSD-3-Clause
/* What the documents quote is what the programs print (run it in the source root). A fenced block
 *     ```sluice-explain PROBLEM LEVEL      is what a plan for cpu:2 prints at that level; compared
 *                                          where the processor has AVX-512, which the quotes name
 *     ```sluice-emit PROBLEM FUNCTION      is that function of the program that the plan prints
 *     ```sluice-emit-opencl FORMULA        is what the plan prints from its first kernel on
 *     ```sluice-console                   begins with "$ sluice ARGUMENTS"; the rest is its output
 *     ```sluice-gen ISA PRECISION NAME     is what sluice-gen --print NAME prints
 *     ```c FILE                            is a part of that file
 * Caches are described, not found, so that quotes do not depend on the machine. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/helpers/helper_docs.h"
#include "tests/helpers/helper_plan.h"

enum { INFO = DOCS_INFO, OUTPUT = 65536 };

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
static bool check_explain(sluice_machine *m, const char *document, const docs_fence *f, int *wrong)
{
    char problem[INFO], level_name[INFO];
    sluice_level level = SLUICE_LEVEL_FORMULA;
    if (sscanf(f->info, "sluice-explain %127s %127s", problem, level_name) != 2)
        return false;
    if (!level_of(level_name, &level))
        fail_msg("%s:%d: there is no level %s", document, f->line, level_name);
    sluice_plan *plan = plan_made(m, problem);
    const plan_text printed = plan_printed(plan, level);
    *wrong = docs_compare(document, f, printed.data);
    test_free(printed.data);
    sluice_plan_destroy(plan);
    return true;
}

/* Is the block marked as a function of a program? */
static bool check_emit(sluice_machine *m, const char *document, const docs_fence *f, int *wrong)
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
    *wrong = docs_compare(document, f, at + 1);
    test_free(printed.data);
    sluice_plan_destroy(plan);
    return true;
}

static bool check_opencl(sluice_machine *m, const char *document, const docs_fence *f, int *wrong)
{
    static const char mark[] = "sluice-emit-opencl ";
    if (strncmp(f->info, mark, sizeof mark - 1) != 0)
        return false;
    sluice_plan *plan = plan_of_formula(m, f->info + sizeof mark - 1, SLUICE_F32);
    const plan_text printed = plan_printed(plan, SLUICE_LEVEL_OPENCL);
    const char *const at = strstr(printed.data, "\n__kernel ");
    if (at == NULL)
        fail_msg("%s:%d: there is no kernel", document, f->line);
    *wrong = docs_compare(document, f, at + 1);
    test_free(printed.data);
    sluice_plan_destroy(plan);
    return true;
}

static int check_plans(sluice_machine *m, const char *document, int *found)
{
    char *text = docs_read_file(document);
    docs_reader r = {.at = text, .line = 1};
    docs_fence f;
    int all = 0, wrong;
    while (docs_next(&r, &f)) {
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
    for (int i = 0; docs_document(i); i++)
        wrong += check_plans(m, docs_document(i), &found);
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
    docs_fence f;
    int found = 0, wrong = 0;
    if (folder == NULL)
        skip();
    char *text = docs_read_file(document);
    docs_reader r = {.at = text, .line = 1};
    while (docs_next(&r, &f)) {
        if (sscanf(f.info, "sluice-gen %127s %127s %127[^\n]", isa, precision, name) != 3)
            continue;
        snprintf(command, sizeof command, "'%s/sluice-gen' --isa %s --precision %s --print '%s'",
                 folder, isa, precision, name);
        output_of(command, expected, sizeof expected);
        wrong += docs_compare(document, &f, expected);
        found++;
    }
    free(text);
    assert_int_equal(wrong, 0);
    assert_true(found > 0);
}

/* ---------------------------------------------------------------- commands -------------- */

/* 1 where a block is not what its command prints. */
static int check_console(const char *folder, const char *document, const docs_fence *f)
{
    static char text[OUTPUT], command[4096];
    const int length = (int)(memchr(f->text, '\n', f->length) ? strcspn(f->text, "\n") : 0);
    if (length < 9 || strncmp(f->text, "$ sluice ", 9) != 0)
        fail_msg("%s:%d: the block begins with no command", document, f->line);
    snprintf(command, sizeof command, "'%s'/%.*s", folder, length - 2, f->text + 2);
    const int head = snprintf(text, sizeof text, "%.*s\n", length, f->text);
    output_of(command, text + head, sizeof text - (size_t)head);
    return docs_compare(document, f, text);
}

static void quoted_commands_print_what_stands_there(void **state)
{
    (void)state;
    const char *folder = getenv("SLUICE_BIN_DIR");
    int found = 0, wrong = 0;
    if (folder == NULL)
        skip();
    for (int i = 0; docs_document(i); i++) {
        char *document = docs_read_file(docs_document(i));
        docs_reader r = {.at = document, .line = 1};
        docs_fence f;
        while (docs_next(&r, &f)) {
            if (strcmp(f.info, "sluice-console") != 0)
                continue;
            wrong += check_console(folder, docs_document(i), &f);
            found++;
        }
        free(document);
    }
    assert_int_equal(wrong, 0);
    assert_true(found >= 8); /* else the marks are gone */
}

/* ---------------------------------------------------------------- example, links -------- */

static int check_excerpt(const char *document, const docs_fence *f)
{
    char *file = docs_read_file(f->info + 2), *text = strndup(f->text, f->length);
    const bool there = strstr(file, text) != NULL;
    if (!there)
        print_error("%s:%d: %s has no such lines\n", document, f->line, f->info + 2);
    free(file);
    free(text);
    return !there;
}

static void excerpts_are_parts_of_files(void **state)
{
    (void)state;
    int found = 0, wrong = 0;
    for (int i = 0; docs_document(i); i++) {
        char *text = docs_read_file(docs_document(i));
        docs_reader r = {.at = text, .line = 1};
        docs_fence f;
        while (docs_next(&r, &f))
            if (strncmp(f.info, "c ", 2) == 0) {
                wrong += check_excerpt(docs_document(i), &f);
                found++;
            }
        free(text);
    }
    assert_int_equal(wrong, 0);
    assert_true(found > 0);
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
    for (int i = 0; docs_document(i); i++) {
        char *text = docs_read_file(docs_document(i));
        for (const char *at = text; (at = strstr(at, "](")) != NULL;) {
            at += 2;
            const size_t length = strcspn(at, ")\n <(,"); /* an index function is no link */
            if (at[length] != ')' || leads_somewhere(docs_document(i), at, length))
                continue;
            print_error("%s: %.*s is not there\n", docs_document(i), (int)length, at);
            wrong++;
        }
        free(text);
    }
    assert_int_equal(wrong, 0);
}

static void the_checker_objects(void **state)
{
    (void)state;
    docs_reader r = {.at = "a\n```one two\nb\n```\n```\n```\n```open\nc", .line = 1};
    docs_fence f;
    assert_true(docs_next(&r, &f));
    assert_string_equal(f.info, "one two");
    assert_int_equal(f.line, 2);
    assert_true(docs_same(&f, "b\n"));
    assert_false(docs_same(&f, "b"));
    assert_false(docs_same(&f, "c\n"));
    assert_true(docs_next(&r, &f) && docs_same(&f, ""));
    assert_true(docs_next(&r, &f) && docs_same(&f, "c"));
    assert_false(docs_next(&r, &f));
    assert_false(leads_somewhere("docs/ARCHITECTURE.md", "NOTHING.md", 10));
    assert_true(leads_somewhere("docs/ARCHITECTURE.md", "RULES.md", 8));
}

/* The table of docs/TESTING.md has every program. */
static void every_test_is_in_the_table(void **state)
{
    char *text = docs_read_file("docs/TESTING.md");
    glob_t found;
    int missing = 0;
    (void)state;
    assert_int_equal(glob("tests/*/test_*.c", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char quoted[INFO];
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        snprintf(quoted, sizeof quoted, "`%.*s`", (int)strcspn(name, "."), name);
        if (!strstr(text, quoted)) {
            print_error("docs/TESTING.md has no %s\n", quoted);
            missing++;
        }
    }
    globfree(&found);
    free(text);
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_objects),
        cmocka_unit_test(quoted_plans_are_what_is_printed),
        cmocka_unit_test(quoted_codelets_are_what_is_printed),
        cmocka_unit_test(quoted_commands_print_what_stands_there),
        cmocka_unit_test(excerpts_are_parts_of_files),
        cmocka_unit_test(links_lead_to_files),
        cmocka_unit_test(every_test_is_in_the_table),
    };
    setenv("SLUICE_TOPOLOGY", docs_caches, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
