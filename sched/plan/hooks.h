// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of a plan: checked, and what they mean for it. */
#ifndef SCHED_HOOKS_H
#define SCHED_HOOKS_H

#include "sched/plan/plan.h"
#include "spl/program/hook.h"

/* E_INVALID: they cannot be meant; E_UNSUPPORTED: not by this version. NULL is allowed. */
sluice_status sched_hooks_check(const sluice_hooks *hooks, sluice_diag *why);
/* What they multiply results by. */
double sched_hooks_scale(const sluice_hooks *hooks);
/* Do they request more than a scale? */
bool sched_hooks_sides(const sluice_hooks *hooks);
/* Is a function of the user's among them? */
bool sched_hooks_call(const sluice_hooks *hooks);

/* Those of a plan, beyond the scale. */
struct sched_hooked {
    sluice_hooks spec; /* as given, with weights of its own */
    bool on[2];        /* a side in place has the other one's plain company */
    prog_hook side[2];
    size_t before[2], from[2]; /* bytes that a side touches before and from its pointer */
    size_t packed[2];          /* bytes of the packed side in the program's precision */
};
/* For a normalised problem; NULL with *status OK: there are none. */
sched_hooked *sched_hooks_open(const sluice_hooks *hooks, const sluice_problem *problem,
                               sluice_status *status, sluice_diag *why);
void sched_hooks_close(sched_hooked *h); /* NULL is allowed */
/* The problem of the units: sides with hooks are packed and interleaved, and nothing is in
 * place. */
sluice_problem sched_hooks_core(const sluice_problem *problem, const sluice_hooks *hooks);
/* What the user's array of a side holds. */
sluice_storage sched_plan_storage(const sluice_plan *plan, int side);
/* Bytes of an element of a side, or of one of its two parts where they lie apart. */
size_t sched_plan_element_bytes(const sluice_plan *plan, int side);
/* Has a plan hooks that its program does not have, so that executions make copies of a side? */
bool sched_hooks_copy(const sluice_plan *plan);
/* Makes executions of the plan go through the hooks that its program does not have. */
void sched_hooks_enter(sluice_plan *plan);
/* Bytes of the smallest scalar in the user's arrays. */
size_t sched_plan_min_scalar(const sluice_plan *plan);
/* Lines that say what they do, and where. */
void sched_hooks_print(const sluice_plan *plan, core_text *out);

#endif
