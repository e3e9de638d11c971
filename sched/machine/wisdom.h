// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom: formulas chosen by measuring, kept per machine (with the costs of sched/machine/costs.h)
 * and in files. A formula is proven if this machine made it, or has verified that it is the
 * transform of its problem (sched_plan_prove). Every function may be called from any thread. */
#ifndef SCHED_WISDOM_H
#define SCHED_WISDOM_H

#include "core/text.h"
#include "sched/machine/machine.h"
#include "sched/machine/rates.h"

/* ---- kept (sched/machine/wisdom.c) ---- */
/* The key of a normalised problem. Problems that are equal for a planner have the same key: it
 * omits the limit of workers, strides equal to packed ones, and batches of one. Freed by core_free;
 * NULL: out of memory. */
char *sched_wisdom_key(const sluice_problem *problem);
/* A copy of the formula kept for a key (freed by core_free), or NULL. */
char *sched_wisdom_find(sluice_machine *machine, const char *key, bool *proven);
/* Keeps a formula, replacing an older one, except that an unproven formula does not replace a
 * proven one. Fails with E_MEMORY. */
sluice_status sched_wisdom_store(sluice_machine *machine, const char *key, const char *formula,
                                 bool proven);
/* The measured rate of the formula kept for a key; false: unknown. Storing a rate keeps it with the
 * formula, if there is one. */
bool sched_wisdom_rate(sluice_machine *machine, const char *key, sched_rate *out);
bool sched_wisdom_store_rate(sluice_machine *machine, const char *key, const sched_rate *rate);
/* Called after the formula was tried: marks it proven or forgets it, unless another one has
 * replaced it. */
void sched_wisdom_judge(sluice_machine *machine, const char *key, const char *formula, bool right);
/* Visits the entries in order. */
typedef void sched_wisdom_visit(void *user, const char *key, const char *formula, bool proven,
                                const sched_rate *rate);
void sched_wisdom_each(sluice_machine *machine, sched_wisdom_visit *visit, void *user);
void sched_wisdom_free(sluice_machine *machine);

/* ---- in files (sched/machine/wisdom_file.c, where the format is described) ---- */
/* Replaces the file atomically. E_IO: it cannot be written. */
sluice_status sched_wisdom_save(sluice_machine *machine, const char *path);
/* Keeps the lines that apply. E_INVALID: none, as the file is of other units or of an unknown
 * format; E_PARSE: some lines were rejected, with their number and the cause of the first; E_IO. OK
 * leaves a sentence too if formulas are yet to be proven or the file is from another machine, else
 * an empty one. */
sluice_status sched_wisdom_load(sluice_machine *machine, const char *path, sluice_diag *why);

#endif
