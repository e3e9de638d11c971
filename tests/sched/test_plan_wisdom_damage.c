// SPDX-License-Identifier: BSD-3-Clause
/* Files of wisdom that are cut, changed or wrong in some lines; paths that are no files. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_wisdom.h"

enum { SEED = 99 };

static const char *const kept[] = {"c2c:f32:1000", "c2c:f64:96*5", "c2c:f32:12x10:inverse"};
enum { KEPT = sizeof kept / sizeof kept[0] };

/* A file of what measuring found for those. */
static void write_kept(char *text, size_t room)
{
    sluice_machine *m = plan_machine("cpu:1", NULL);
    for (int i = 0; i < KEPT; i++)
        sluice_plan_destroy(wisdom_measured(m, kept[i], SLUICE_MEASURE, 1e-9));
    assert_int_equal(sluice_wisdom_save(m, wisdom_file), SLUICE_OK);
    sluice_machine_close(m);
    wisdom_read(text, room);
}

static void judge_kept(sluice_machine *m)
{
    for (int i = 0; i < KEPT; i++)
        plan_check_problem(m, kept[i], SEED);
}

/* A cut within a line is told, at any byte; nothing of it is taken. */
static void cut_files_are_told(void **state)
{
    char text[8192], cut[8192];
    (void)state;
    write_kept(text, sizeof text);
    sluice_machine *m = plan_machine("cpu:1", NULL);
    const size_t length = strlen(text), first = strcspn(text, "\n");
    for (size_t at = 1; at < length; at++) {
        sluice_diag why = {0};
        memcpy(cut, text, at);
        cut[at] = '\0';
        wisdom_write(cut);
        const sluice_status status = sluice_wisdom_load(m, wisdom_file, &why);
        const bool between = text[at] == '\n' || text[at - 1] == '\n';
        if (status != (between ? SLUICE_OK : at < first ? SLUICE_E_INVALID : SLUICE_E_PARSE))
            fail_msg("cut at byte %zu of %zu: status %d, %s", at, length, status, why.message);
    }
    judge_kept(m);
    sluice_machine_close(m);
}

/* So is a byte that was changed. */
static void changed_files_are_told(void **state)
{
    char text[8192];
    uint64_t seed = 5;
    (void)state;
    write_kept(text, sizeof text);
    sluice_machine *m = plan_machine("cpu:1", NULL);
    const size_t length = strlen(text);
    for (size_t at = 0; at < length; at++) {
        sluice_diag why = {0};
        const char was = text[at], byte = (char)(36 + plan_below(&seed, 90)); /* no '#' */
        if (was == '\n' || was == byte)
            continue;
        text[at] = byte;
        wisdom_write(text);
        const sluice_status status = sluice_wisdom_load(m, wisdom_file, &why);
        if (status != SLUICE_E_PARSE && status != SLUICE_E_INVALID)
            fail_msg("byte %zu of %zu as '%c': status %d, %s", at, length, byte, status,
                     why.message);
        text[at] = was;
    }
    judge_kept(m);
    sluice_machine_close(m);
}

static void bytes_of_0_are_told(void **state)
{
    char text[2 * PLAN_TEXT_SIZE];
    sluice_diag why;
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    wisdom_signature(m, text);
    strcat(text, "c2c:f32:16 := DFT(16)?\nc2c:f32:32 := DFT(33)\n");
    const size_t length = strlen(text);
    *strchr(text, '?') = '\0';
    FILE *f = fopen(wisdom_file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_PARSE);
    assert_non_null(strstr(why.message, "2 lines rejected, line 2 first: a byte of it is 0"));
    sluice_machine_close(m);
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
    char text[4 * PLAN_TEXT_SIZE], line[PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_diag why = {0};
    wisdom_signature(m, text);
    snprintf(line, sizeof line, "c2c:f32:64 := %s", wisdom_odd);
    for (int i = 0; i < CORRUPT; i++) {
        strcat(text, corrupt[i]);
        strcat(text, "\n");
        if (i == 3) {
            strcat(text, line);
            strcat(text, "\n");
        }
    }
    wisdom_write(text);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_PARSE);
    snprintf(text, sizeof text, "%d", CORRUPT);
    if (strstr(why.message, text) == NULL || strstr(why.message, "line 2") == NULL)
        fail_msg("expected %d lines, the first of them line 2: %s", CORRUPT, why.message);
    wisdom_plans_to(m, "c2c:f32:64", line);
    sluice_machine_close(m);
}

static void files_that_are_no_files(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_diag why = {0};
    char missing[PLAN_TEXT_SIZE + 16];
    snprintf(missing, sizeof missing, "%s/none/wisdom", wisdom_file);
    assert_int_equal(sluice_wisdom_save(m, missing), SLUICE_E_IO);
    assert_int_equal(sluice_wisdom_load(m, missing, &why), SLUICE_E_IO);
    assert_true(strlen(why.message) > 10);
    wisdom_write("");
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_PARSE);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(sluice_wisdom_save(m, "/dev/full"), SLUICE_E_IO);
    const int here = open(".", O_RDONLY);
    assert_true(remove(wisdom_file) == 0 && mkdir(wisdom_file, 0700) == 0
                && chdir(wisdom_file) == 0);
    assert_int_equal(sluice_wisdom_save(m, "."), SLUICE_E_IO);
    assert_int_equal(sluice_wisdom_load(m, ".", NULL), SLUICE_E_IO);
    assert_int_equal(sluice_wisdom_save(m, ""), SLUICE_E_IO);
    assert_true(fchdir(here) == 0 && close(here) == 0);
    assert_int_equal(rmdir(wisdom_file), 0); /* nothing is left there */
    sluice_machine_close(m);
}

static void a_file_that_cannot_be_replaced_stays(void **state)
{
    char name[2 * PLAN_TEXT_SIZE], text[8] = "";
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    snprintf(name, sizeof name, "%s", wisdom_file);
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
        cmocka_unit_test_setup_teardown(cut_files_are_told, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(changed_files_are_told, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(bytes_of_0_are_told, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(corrupt_lines_are_rejected_alone, wisdom_setup,
                                        wisdom_teardown),
        cmocka_unit_test_setup_teardown(files_that_are_no_files, wisdom_setup, wisdom_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_replaced_stays, wisdom_setup,
                                        wisdom_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
