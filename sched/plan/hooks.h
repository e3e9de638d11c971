// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of a plan: checked, and what they mean for it. */
#ifndef SCHED_HOOKS_H
#define SCHED_HOOKS_H

#include "api/sluice.h"

/* E_INVALID: they cannot be meant; E_UNSUPPORTED: not by this version. NULL is allowed. */
sluice_status sched_hooks_check(const sluice_hooks *hooks, sluice_diag *why);
/* What they multiply results by. */
double sched_hooks_scale(const sluice_hooks *hooks);

#endif
