// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_wisdom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"

char wisdom_file[PLAN_TEXT_SIZE];

int wisdom_setup(void **state)
{
    (void)state;
    return plan_file(wisdom_file) ? 0 : -1;
}

int wisdom_teardown(void **state)
{
    (void)state;
    remove(wisdom_file);
    return core_mem_live() == 0 ? 0 : -1;
}

void wisdom_write(const char *text)
{
    FILE *f = fopen(wisdom_file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

size_t wisdom_read(char *text, size_t room)
{
    FILE *f = fopen(wisdom_file, "r");
    assert_non_null(f);
    const size_t length = fread(text, 1, room - 1, f);
    text[length] = '\0';
    fclose(f);
    return length;
}

core_text wisdom_text(void)
{
    char chunk[4096];
    core_text text = {0};
    size_t n;
    FILE *f = fopen(wisdom_file, "r");
    assert_non_null(f);
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        core_text_add(&text, chunk, n);
    fclose(f);
    return text;
}

void wisdom_signature(sluice_machine *m, char *text)
{
    assert_int_equal(sluice_wisdom_save(m, wisdom_file), SLUICE_OK);
    wisdom_read(text, PLAN_TEXT_SIZE);
    char *end = strchr(text, '\n');
    assert_non_null(end);
    end[1] = '\0';
}

void wisdom_write_lines(sluice_machine *m, const char *lines)
{
    assert_int_equal(sluice_wisdom_save(m, wisdom_file), SLUICE_OK);
    core_text text = wisdom_text();
    FILE *f = fopen(wisdom_file, "w");
    assert_non_null(f);
    fprintf(f, "%.*s\n%s", (int)strcspn(text.data, "\n"), text.data, lines);
    assert_int_equal(fclose(f), 0);
    core_text_free(&text);
}

void wisdom_load_lines(sluice_machine *m, const char *lines)
{
    sluice_diag why = {0};
    wisdom_write_lines(m, lines);
    if (sluice_wisdom_load(m, wisdom_file, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
}

sluice_codelet_info wisdom_codelet(const sluice_machine *m, int codelet)
{
    sluice_codelet_info info;
    assert_int_equal(sluice_machine_codelet_info(m, codelet, &info), SLUICE_OK);
    return info;
}

void wisdom_price(const sluice_machine *m, int n, const char *cycles, core_text *lines)
{
    char begin[32];
    snprintf(begin, sizeof begin, "dft%d_", n);
    for (int i = 0; i < sluice_machine_codelet_count(m); i++) {
        const sluice_codelet_info c = wisdom_codelet(m, i);
        if (strncmp(c.name, begin, strlen(begin)) == 0)
            core_text_printf(lines, "codelet %s %s\n", c.name, cycles);
    }
}

sluice_plan *wisdom_measured(sluice_machine *m, const char *problem, sluice_effort effort,
                             double limit)
{
    const sluice_plan_options options = {.effort = effort, .time_limit = limit};
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    assert_int_equal(sluice_problem_parse(&p, problem, NULL), SLUICE_OK);
    if (sluice_plan_create(&plan, m, &p, &options, &why) != SLUICE_OK)
        fail_msg("%s: %s", problem, why.message);
    return plan;
}

void wisdom_judge(const sluice_plan *plan, const char *name)
{
    plan_data d;
    plan_data_open(&d, plan, name, 0);
    plan_data_execute(&d, plan, 99, NULL);
    plan_data_close(&d);
}

void wisdom_plans_to(sluice_machine *m, const char *problem, const char *line)
{
    sluice_plan *plan = plan_made(m, problem);
    char *own = plan_line(plan);
    wisdom_judge(plan, problem);
    if (strcmp(strstr(own, ":= "), strstr(line, ":= ")) != 0)
        fail_msg("%s: wisdom holds '%s', planned was '%s'", problem, line, own);
    test_free(own);
    sluice_plan_destroy(plan);
}

const char wisdom_odd[] =
    "(DFT(2)_{leaf} (x) I(32)) * T(2,32) * (I(2) (x) DFT(32)_{leaf}) * L(64,2)";

void wisdom_avoids(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    char *line = plan_line(plan);
    if (strstr(line, wisdom_odd) != NULL)
        fail_msg("%s: used wisdom that it must not: %s", problem, line);
    test_free(line);
    sluice_plan_destroy(plan);
}
