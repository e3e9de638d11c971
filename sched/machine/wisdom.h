// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom: formulas that measuring chose, kept per machine (with the costs of sched/machine/costs.h)
 * and in files. A formula is proven if this machine made it, or has found it to be its problem's
 * transform (sched_plan_prove). Every function may be called from any thread. */
#ifndef SCHED_WISDOM_H
#define SCHED_WISDOM_H

#include "core/text.h"
#include "sched/machine/machine.h"
#include "sched/machine/rates.h"

/* ---- kept (sched/machine/wisdom.c) ---- */
/* The key of a normalised problem, one for all problems that are the same to a planner: without its
 * cap on workers, without strides equal to packed ones, without batches of one. core_free;
 * NULL: out of memory. */
char *sched_wisdom_key(const sluice_problem *problem);
/* The formula kept for a key, copied (core_free), or NULL. */
char *sched_wisdom_find(sluice_machine *machine, const char *key, bool *proven);
/* Keeps a formula in place of an older one; but none that is not proven in place of one that is.
 * E_MEMORY. */
sluice_status sched_wisdom_store(sluice_machine *machine, const char *key, const char *formula,
                                 bool proven);
/* The measured rate of the formula kept for a key; false: it is not known. Stored, it is kept with
 * the formula, if there is one. */
bool sched_wisdom_rate(sluice_machine *machine, const char *key, sched_rate *out);
bool sched_wisdom_store_rate(sluice_machine *machine, const char *key, const sched_rate *rate);
/* After the formula was tried: marks it proven or forgets it, unless another has replaced it. */
void sched_wisdom_judge(sluice_machine *machine, const char *key, const char *formula, bool right);
/* Visits the entries in order. */
typedef void sched_wisdom_visit(void *user, const char *key, const char *formula, bool proven,
                                const sched_rate *rate);
void sched_wisdom_each(sluice_machine *machine, sched_wisdom_visit *visit, void *user);
void sched_wisdom_free(sluice_machine *machine);

/* ---- in files (sched/machine/wisdom_file.c, where the format is described) ---- */
/* Replaces the file atomically. E_IO: it cannot be written. */
sluice_status sched_wisdom_save(sluice_machine *machine, const char *path);
/* Keeps the lines that fit. E_INVALID: nothing, the file is of other units or of no format known
 * here; E_PARSE: some lines were rejected, with their number and the cause of the first; E_IO. OK
 * leaves a sentence too where formulas are to be proven or the file is another machine's, else an
 * empty one. */
sluice_status sched_wisdom_load(sluice_machine *machine, const char *path, sluice_diag *why);

#endif
