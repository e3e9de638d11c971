// SPDX-License-Identifier: BSD-3-Clause
/* Measuring, and the wisdom it leaves: kept, used by later plans, written, read, and rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/mem.h"
#include "tests/helper_plan.h"

enum { SEED = 99 };

static char file[PLAN_ROOM];

static int open_file(void **state)
{
    (void)state;
    const char *folder = getenv("TMPDIR");
    snprintf(file, sizeof file, "%s/sluice-wisdom-XXXXXX", folder ? folder : "/tmp");
    const int fd = mkstemp(file);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

static int close_file(void **state)
{
    (void)state;
    remove(file);
    return core_mem_live() == 0 ? 0 : -1;
}

static void write_file(const char *text)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

static void read_file(char *text, size_t room)
{
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    text[fread(text, 1, room - 1, f)] = '\0';
    fclose(f);
}

/* The first line of this machine's files, with its newline. */
static void signature(sluice_machine *m, char *text)
{
    assert_int_equal(sluice_wisdom_save(m, file), SLUICE_OK);
    read_file(text, PLAN_ROOM);
    char *end = strchr(text, '\n');
    assert_non_null(end);
    end[1] = '\0';
}

static sluice_plan *measured(sluice_machine *m, const char *text, sluice_effort effort,
                             double limit)
{
    const sluice_plan_options options = {.effort = effort, .time_limit = limit};
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    assert_int_equal(sluice_problem_parse(&p, text, NULL), SLUICE_OK);
    if (sluice_plan_create(&plan, m, &p, &options, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return plan;
}

static void judge(const sluice_plan *plan, const char *name)
{
    plan_data d;
    plan_data_open(&d, plan, name, 0);
    plan_data_judge(&d, plan, SEED, NULL);
    plan_data_close(&d);
}

/* Does the problem, planned without measuring, become this line (of a plan, destroyed)? */
static void assert_plans_to(sluice_machine *m, const char *problem, const char *line)
{
    sluice_plan *plan = plan_made(m, problem);
    char *own = plan_line(plan);
    judge(plan, problem);
    if (strcmp(strstr(own, ":= "), strstr(line, ":= ")) != 0)
        fail_msg("%s: wisdom holds '%s', planned was '%s'", problem, line, own);
    test_free(own);
    sluice_plan_destroy(plan);
}

/* A formula that no planner would choose. */
static const char odd[] =
    "(DFT(2)_{leaf} (x) I(32)) * T(2,32) * (I(2) (x) DFT(32)_{leaf}) * L(64,2)";

static void assert_avoids(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    char *line = plan_line(plan);
    if (strstr(line, odd) != NULL)
        fail_msg("%s: used wisdom that it must not: %s", problem, line);
    test_free(line);
    sluice_plan_destroy(plan);
}

static void measuring_keeps_what_it_found(void **state)
{
    static const char *const problems[] = {"c2c:f32:960*2",
                                           "c2c:f64:512",
                                           "c2c:f32:2048:inplace",
                                           "c2c:f64:32x60:inverse",
                                           "c2c:f32:100@3/5*4@300/500",
                                           "c2c:f32:720:in=split:out=split"};
    char text[2][16384];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL), *other = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = measured(m, problems[i], i % 2 ? SLUICE_PATIENT : SLUICE_MEASURE, 0.3);
        char *line = plan_line(plan);
        judge(plan, problems[i]);
        assert_plans_to(m, problems[i], line);
        assert_int_equal(sluice_wisdom_save(m, file), SLUICE_OK);
        assert_int_equal(sluice_wisdom_load(other, file, NULL), SLUICE_OK);
        assert_plans_to(other, problems[i], line);
        test_free(line);
        sluice_plan_destroy(plan);
    }
    read_file(text[0], sizeof text[0]);
    assert_int_equal(sluice_wisdom_save(other, file), SLUICE_OK);
    read_file(text[1], sizeof text[1]);
    assert_string_equal(text[0], text[1]);
    sluice_machine_close(m);
    sluice_machine_close(other);
}

static void wisdom_is_used(void **state)
{
    char text[2 * PLAN_ROOM], line[PLAN_ROOM];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    signature(m, text);
    snprintf(line, sizeof line, "c2c:f32:64 := %s", odd);
    snprintf(text + strlen(text), sizeof text - strlen(text), "# a comment\n%s", line);
    write_file(text); /* the last line has no newline */
    assert_avoids(m, "c2c:f32:64");
    assert_int_equal(sluice_wisdom_load(m, file, NULL), SLUICE_OK);
    assert_plans_to(m, "c2c:f32:64", line);
    assert_plans_to(m, "c2c:f32:64:workers=1", line); /* keys leave workers out */
    assert_plans_to(m, "c2c:f32:64:latency", line);   /* the default, spelled out */
    assert_avoids(m, "c2c:f64:64");                   /* other problems */
    assert_avoids(m, "c2c:f32:64:inplace");
    sluice_plan *again = measured(m, "c2c:f32:64", SLUICE_MEASURE, 0);
    char *third = plan_line(again);
    assert_string_equal(strstr(third, ":= "), strstr(line, ":= ")); /* known: not measured anew */
    test_free(third);
    sluice_plan_destroy(again);
    sluice_machine_close(m);
}

/* Wisdom whose size is not the problem's: planning does as if there were none. */
static void wisdom_that_does_not_fit_is_passed_over(void **state)
{
    char text[2 * PLAN_ROOM];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    signature(m, text);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "c2c:f32:32 := %s\nc2c:f32:48 := DFT(48)_{stream(2)}\n", odd);
    write_file(text);
    (void)sluice_wisdom_load(m, file, NULL); /* may object already here */
    const char *const problems[] = {"c2c:f32:32", "c2c:f32:48"};
    for (int i = 0; i < 2; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        judge(plan, problems[i]);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

static void foreign_files_are_rejected_whole(void **state)
{
    char text[2 * PLAN_ROOM];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL), *ref = plan_machine("ref", NULL);
    sluice_diag why = {0};
    signature(m, text);
    snprintf(text + strlen(text), sizeof text - strlen(text), "c2c:f32:64 := %s\n", odd);
    text[strlen("sluice-wisdom ")] = '7'; /* another version of the format */
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_INVALID);
    assert_true(strlen(why.message) > 10);
    text[strlen("sluice-wisdom ")] = '1';
    write_file(text);
    assert_int_equal(sluice_wisdom_load(ref, file, NULL), SLUICE_E_INVALID); /* other units */
    write_file(strchr(text, '\n') + 1);                                      /* no signature */
    assert_int_equal(sluice_wisdom_load(m, file, NULL), SLUICE_E_INVALID);
    assert_avoids(m, "c2c:f32:64");
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_OK);
    sluice_machine_close(m);
    sluice_machine_close(ref);
}

static void corrupt_lines_are_rejected_alone(void **state)
{
    static const char *const corrupt[] = {"c2c:f32:64",
                                          "c2c:f32:64 :=",
                                          "c2c:f32:64 := ",
                                          "c2c:f32:64 := DFT(",
                                          "c2c:f33:64 := DFT(64)",
                                          " := DFT(64)",
                                          "\x01\x02",
                                          "c2c:f32:64 := DFT(8) * DFT(4)"};
    enum { CORRUPT = sizeof corrupt / sizeof corrupt[0] };
    char text[4 * PLAN_ROOM], line[PLAN_ROOM];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_diag why = {0};
    signature(m, text);
    snprintf(line, sizeof line, "c2c:f32:64 := %s", odd);
    for (int i = 0; i < CORRUPT; i++) {
        strcat(text, corrupt[i]);
        strcat(text, "\n");
        if (i == 3) {
            strcat(text, line);
            strcat(text, "\n");
        }
    }
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_PARSE);
    snprintf(text, sizeof text, "%d", CORRUPT);
    if (strstr(why.message, text) == NULL || strstr(why.message, "line 2") == NULL)
        fail_msg("expected %d lines, the first of them line 2: %s", CORRUPT, why.message);
    assert_plans_to(m, "c2c:f32:64", line);
    sluice_machine_close(m);
}

static void files_that_are_no_files(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_diag why = {0};
    char missing[PLAN_ROOM + 16];
    snprintf(missing, sizeof missing, "%s/none/wisdom", file);
    assert_int_equal(sluice_wisdom_save(m, missing), SLUICE_E_IO);
    assert_int_equal(sluice_wisdom_load(m, missing, &why), SLUICE_E_IO);
    assert_true(strlen(why.message) > 10);
    assert_int_equal(sluice_wisdom_save(m, "."), SLUICE_E_IO);
    assert_int_equal(sluice_wisdom_load(m, ".", NULL), SLUICE_E_IO);
    assert_int_equal(sluice_wisdom_save(m, ""), SLUICE_E_IO);
    write_file("");
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_PARSE);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(sluice_wisdom_save(m, "/dev/full"), SLUICE_E_IO);
    sluice_machine_close(m);
}

static void a_file_that_cannot_be_replaced_stays(void **state)
{
    char name[2 * PLAN_ROOM], text[8] = "";
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    snprintf(name, sizeof name, "%s", file);
    char *last = strrchr(name, '/');
    memset(last + 1, 'n', 250); /* no room for the name beside it */
    last[251] = '\0';
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs("old", f);
    fclose(f);
    const sluice_status status = sluice_wisdom_save(m, name);
    f = fopen(name, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    remove(name);
    assert_int_equal(status, SLUICE_E_IO);
    assert_string_equal(text, "old");
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(measuring_keeps_what_it_found, open_file, close_file),
        cmocka_unit_test_setup_teardown(wisdom_is_used, open_file, close_file),
        cmocka_unit_test_setup_teardown(wisdom_that_does_not_fit_is_passed_over, open_file,
                                        close_file),
        cmocka_unit_test_setup_teardown(foreign_files_are_rejected_whole, open_file, close_file),
        cmocka_unit_test_setup_teardown(corrupt_lines_are_rejected_alone, open_file, close_file),
        cmocka_unit_test_setup_teardown(files_that_are_no_files, open_file, close_file),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_replaced_stays, open_file,
                                        close_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
