// SPDX-License-Identifier: BSD-3-Clause
/* Lines of wisdom files (sched/machine/wisdom_file.c): the first line of a section, and checks. */
#ifndef SCHED_WISDOM_LINES_H
#define SCHED_WISDOM_LINES_H

#include "core/text.h"
#include "sched/machine/machine.h"

extern const char sched_wisdom_title[];
/* Older formats lack figures; 2 also lacks the line of the unit; 1 also lacks checks, and has
 * units, KIND and MAKE in one word. */
enum { SCHED_WISDOM_FORMAT = 6 };

typedef struct sched_signature {
    core_text kind, make, first; /* first: the first line without its check */
} sched_signature;

/* The signature of one kind of units. Fails with E_MEMORY. */
sluice_status sched_signature_make(sched_signature *s, const sluice_machine *m);
void sched_signature_free(sched_signature *s);

/* The initial hash of the lines below this first line. */
uint32_t sched_lines_seed(const char *first);
/* Ends the line that begins at `from` in the text: adds its check and a newline. */
void sched_line_end(core_text *text, size_t from, uint32_t hash, const char *mark);

typedef enum sched_check { CHECK_NONE, CHECK_RIGHT, CHECK_UNPROVEN, CHECK_WRONG } sched_check;
/* Removes the check from a line and compares it. */
sched_check sched_line_check(char *line, uint32_t hash);

#endif
