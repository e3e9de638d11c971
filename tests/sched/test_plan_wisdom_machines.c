// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom of other machines, of other units and of older formats: taken with a word, tried before it
 * is used, or refused whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/hash.h"
#include "sched/machine/wisdom_lines.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_wisdom.h"

enum { SEED = 99 };

/* The check of a line of a file with this first line, neither with its own. */
static unsigned check_of(const char *first, const char *line)
{
    uint32_t hash = CORE_HASH_START;
    if (first) {
        hash = core_hash(hash, first, strlen(first));
        hash = core_hash(hash, "\n", 1);
    }
    return core_hash(hash, line, strlen(line));
}

/* Ends a line as files do. */
static void add_check(const char *first, char *line, const char *mark)
{
    strcat(line, " # ");
    strcat(line, mark);
    snprintf(line + strlen(line), 16, "%08x\n", check_of(first, line));
}

/* The first line, without its check and newline. */
static void first_line(sluice_machine *m, char *text)
{
    wisdom_signature(m, text);
    char *mark = strstr(text, " # ");
    assert_non_null(mark);
    *mark = '\0';
}

static void foreign_files_are_rejected_whole(void **state)
{
    char text[2 * PLAN_TEXT_SIZE], first[PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL), *ref = plan_machine("ref", NULL);
    sluice_machine *scalar = plan_machine("cpu:2", "scalar");
    sluice_diag why = {0};
    first_line(m, first);
    snprintf(text, sizeof text, "%s\nc2c:f32:64 := %s\n", first, wisdom_odd);
    text[strlen("sluice-wisdom ")] = '7'; /* another version of the format */
    wisdom_write(text);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "format '7'"));
    text[strlen("sluice-wisdom ")] = '2';
    wisdom_write(text);
    assert_int_equal(sluice_wisdom_load(ref, wisdom_file, &why),
                     SLUICE_E_INVALID); /* other units */
    assert_non_null(strstr(why.message, "other units"));
    if (strstr(text, "cpu:scalar") == NULL)
        assert_int_equal(sluice_wisdom_load(scalar, wisdom_file, NULL), SLUICE_E_INVALID);
    wisdom_write(strchr(text, '\n') + 1); /* no signature */
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, NULL), SLUICE_E_INVALID);
    wisdom_avoids(m, "c2c:f32:64");
    wisdom_write(text);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_OK);
    wisdom_signature(m, text);
    text[20] ^= 1; /* its check fails */
    wisdom_write(text);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "cut or changed"));
    sluice_machine_close(m);
    sluice_machine_close(ref);
    sluice_machine_close(scalar);
}

/* A machine of the same kind: costs are kept, formulas are checked, and it is said. */
static void files_of_other_machines_are_taken_with_a_word(void **state)
{
    char text[4 * PLAN_TEXT_SIZE], first[PLAN_TEXT_SIZE], line[PLAN_TEXT_SIZE],
        planned[PLAN_TEXT_SIZE], name[64];
    sluice_codelet_info info;
    sluice_diag why;
    (void)state;
    snprintf(planned, sizeof planned, "c2c:f32:64 := %s", wisdom_odd);
    sluice_machine *m = plan_machine("cpu:2", NULL);
    assert_int_equal(sluice_machine_codelet_info(m, 2, &info), SLUICE_OK);
    strcpy(name, info.name);
    for (int wrong = 0; wrong < 2; wrong++) {
        first_line(m, first);
        strcpy(strrchr(first, ' '), " 32768:1:2:f00");
        snprintf(text, sizeof text, "%s", first);
        add_check(NULL, text, "");
        snprintf(line, sizeof line, "codelet %s 7.5", name);
        add_check(first, line, "");
        strcat(text, line);
        snprintf(line, sizeof line, "c2c:f32:64 := %s%s", wisdom_odd, wrong ? " * L(64,32)" : "");
        add_check(first, line, "");
        strcat(text, line);
        sluice_machine *other = plan_machine("cpu:2", NULL);
        wisdom_write(text);
        assert_int_equal(sluice_wisdom_load(other, wisdom_file, &why), SLUICE_OK);
        if (!strstr(why.message, "another machine, '32768:1:2:f00'")
            || !strstr(why.message, "1 formula will be checked on first use; of another machine"))
            fail_msg("%s", why.message);
        assert_int_equal(sluice_machine_codelet_info(other, 2, &info), SLUICE_OK);
        assert_true(info.measured == 7.5);
        /* Saved before it was used it is marked, then it is proven or gone. */
        for (int used = 0; used < 2; used++) {
            assert_int_equal(sluice_wisdom_save(other, wisdom_file), SLUICE_OK);
            wisdom_read(text, sizeof text);
            const bool marked = strstr(text, " # unproven ") != NULL;
            assert_int_equal(marked, !used);
            assert_int_equal(strstr(text, wisdom_odd) != NULL, !(used && wrong));
            assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_OK);
            assert_string_equal(why.message, ""); /* said before */
            if (wrong)
                wisdom_avoids(other, "c2c:f32:64");
            else
                wisdom_plans_to(other, "c2c:f32:64", planned);
        }
        sluice_machine_close(other);
        /* What m has proven is not replaced by what nobody has. */
        wisdom_plans_to(m, "c2c:f32:64", planned);
    }
    sluice_machine_close(m);
}

static void files_of_format_1_are_taken_with_a_word(void **state)
{
    char text[4 * PLAN_TEXT_SIZE], first[PLAN_TEXT_SIZE], kind[64], make[64], line[PLAN_TEXT_SIZE];
    sluice_diag why;
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    first_line(m, first);
    assert_int_equal(sscanf(first, "sluice-wisdom 6 0.1.0 %63s %63s", kind, make), 2);
    char *hash = strrchr(kind, ':');
    assert_non_null(hash);
    *hash++ = '\0';
    snprintf(line, sizeof line, "c2c:f32:64 := %s", wisdom_odd);
    snprintf(text, sizeof text, "sluice-wisdom 1 0.1.0 %s:7:%s:%s\nc2c:f32:16 := I(16)\n%s\n", kind,
             make, hash, line);
    wisdom_write(text);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_OK);
    assert_string_equal(why.message, "2 formulas will be checked on first use; format 1, whose "
                                     "lines have no checks");
    wisdom_plans_to(m, "c2c:f32:64", line);
    sluice_plan *plan = plan_made(m, "c2c:f32:16");
    wisdom_judge(plan, "c2c:f32:16");
    sluice_plan_destroy(plan);
    hash[0] = hash[0] == '0' ? '1' : '0'; /* other codelets */
    snprintf(text, sizeof text, "sluice-wisdom 1 0.1.0 %s:7:%s:%s\n%s\n", kind, make, hash, line);
    wisdom_write(text);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_E_INVALID);
    sluice_machine_close(m);
}

/* Formulas to be checked, costs left. */
static void take_file_of_format(int format)
{
    char text[4 * PLAN_TEXT_SIZE], first[PLAN_TEXT_SIZE], kind[64], make[64], line[PLAN_TEXT_SIZE];
    sluice_codelet_info codelet;
    sluice_diag why;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    first_line(m, first);
    assert_int_equal(sscanf(first, "sluice-wisdom 6 0.1.0 %63s %63s", kind, make), 2);
    assert_int_equal(sluice_machine_codelet_info(m, 3, &codelet), SLUICE_OK);
    snprintf(line, sizeof line, "c2c:f32:64 := %s", wisdom_odd);
    snprintf(text, sizeof text, "sluice-wisdom %d 0.1.0 %s %s\ncodelet %s 5\n%s\n", format, kind,
             make, codelet.name, line);
    wisdom_write(text);
    assert_int_equal(sluice_wisdom_load(m, wisdom_file, &why), SLUICE_OK);
    snprintf(
        text, sizeof text,
        "1 formula will be checked on first use; format %d, whose costs lack figures: tune anew",
        format);
    assert_string_equal(why.message, text);
    wisdom_plans_to(m, "c2c:f32:64", line);
    assert_int_equal(sluice_machine_codelet_info(m, 3, &codelet), SLUICE_OK);
    assert_true(codelet.measured == 0);
    sluice_machine_close(m);
}

static void files_of_older_formats_are_taken_with_a_word(void **state)
{
    (void)state;
    for (int format = 2; format < SCHED_WISDOM_FORMAT; format++)
        take_file_of_format(format);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_of_other_machines_are_taken_with_a_word, wisdom_setup,
                                        wisdom_teardown),
        cmocka_unit_test_setup_teardown(files_of_format_1_are_taken_with_a_word, wisdom_setup,
                                        wisdom_teardown),
        cmocka_unit_test_setup_teardown(files_of_older_formats_are_taken_with_a_word, wisdom_setup,
                                        wisdom_teardown),
        cmocka_unit_test_setup_teardown(foreign_files_are_rejected_whole, wisdom_setup,
                                        wisdom_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
