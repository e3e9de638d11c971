// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of a plan: checks, and what they mean for the plan. */
#ifndef SCHED_HOOKS_H
#define SCHED_HOOKS_H

#include "sched/plan/plan.h"
#include "spl/program/hook.h"

/* E_INVALID: the hooks contradict themselves; E_UNSUPPORTED: this version does not implement them.
 * NULL is allowed. */
sluice_status sched_hooks_check(const sluice_hooks *hooks, sluice_diag *why);
/* The factor that hooks multiply results by. */
double sched_hooks_scale(const sluice_hooks *hooks);
/* Do hooks request more than a scale? */
bool sched_hooks_sides(const sluice_hooks *hooks);
/* Is a function of the user's among them? */
bool sched_hooks_call(const sluice_hooks *hooks);

/* The hooks of a plan, beyond the scale. */
struct sched_hooked {
    sluice_hooks spec; /* as given, with its own copy of the weights */
    bool on[2];        /* sides that go through hooks; in place both do if one has any */
    prog_hook side[2];
    size_t before[2], from[2]; /* bytes that a side touches before and from its pointer */
    size_t packed[2];          /* bytes of the packed side in the program's precision */
};
/* Hooks for a normalised problem; NULL with *status OK: there are none. */
sched_hooked *sched_hooks_open(const sluice_hooks *hooks, const sluice_problem *problem,
                               sluice_status *status, sluice_diag *why);
void sched_hooks_close(sched_hooked *h); /* NULL is allowed */
/* The problem that the units compute: sides with hooks are packed and interleaved, and nothing is
 * in place. */
sluice_problem sched_hooks_core(const sluice_problem *problem, const sluice_hooks *hooks);
/* The storage type of the user's array of a side. */
sluice_storage sched_plan_storage(const sluice_plan *plan, int side);
/* Bytes of an element of a side; of re or im alone if the side is split. */
size_t sched_plan_element_bytes(const sluice_plan *plan, int side);
/* Are there hooks that the plan's program does not apply, so that executions copy a side? */
bool sched_hooks_copy(const sluice_plan *plan);
/* Makes executions of the plan apply the hooks that its program does not. */
void sched_hooks_enter(sluice_plan *plan);
/* Bytes of the smallest scalar in the user's arrays. */
size_t sched_plan_min_scalar(const sluice_plan *plan);
/* Lines that say what the hooks do, and where. */
void sched_hooks_print(const sluice_plan *plan, core_text *out);

#endif
