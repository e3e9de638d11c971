// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom in tests: a file of the test's own, lines in it, and what plans make of them. */
#ifndef TESTS_HELPER_WISDOM_H
#define TESTS_HELPER_WISDOM_H

#include "core/text.h"
#include "tests/helpers/helper_plan.h"

/* The file's path, between the setup, which makes it, and the teardown, which removes it and checks
 * that the library's memory has been freed. */
extern char wisdom_file[PLAN_TEXT_SIZE];
int wisdom_setup(void **state);
int wisdom_teardown(void **state);

void wisdom_write(const char *text);
/* As much of the file as `room` has place for, and a 0. Returns the length. */
size_t wisdom_read(char *text, size_t room);
/* The whole file; core_text_free. */
core_text wisdom_text(void);
/* The first line of this machine's files, with its newline, to PLAN_TEXT_SIZE bytes. */
void wisdom_signature(sluice_machine *m, char *text);
/* Writes a file of this machine that holds `lines`; loads it too, which has to succeed. */
void wisdom_write_lines(sluice_machine *m, const char *lines);
void wisdom_load_lines(sluice_machine *m, const char *lines);

sluice_codelet_info wisdom_codelet(const sluice_machine *m, int codelet);
/* Lines that price every codelet of size n. */
void wisdom_price(const sluice_machine *m, int n, const char *cycles, core_text *lines);

/* A plan by measuring, for `limit` seconds at most (0: no limit); fails the test where there is
 * none. */
sluice_plan *wisdom_measured(sluice_machine *m, const char *problem, sluice_effort effort,
                             double limit);
/* Executes the plan and compares with the definition. */
void wisdom_judge(const sluice_plan *plan, const char *name);
/* Does the problem, planned without measuring, become the formula of this line, and right? */
void wisdom_plans_to(sluice_machine *m, const char *problem, const char *line);
/* A formula of 64 points that no planner would choose; fails if the problem gets it. */
extern const char wisdom_odd[];
void wisdom_avoids(sluice_machine *m, const char *problem);

#endif
