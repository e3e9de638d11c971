// SPDX-License-Identifier: BSD-3-Clause
/* The planner's candidate that a formula is, as wisdom has it. */
#include "sched/planner/formula.h"

/* The largest number of parts that something in x is distributed to; 1: nothing is. */
static int64_t max_parts(const spl *x)
{
    int64_t max = x->op == SPL_LOOP && x->a[2] == SPL_PAR ? x->a[1] : 1;

    for (int i = 0; i < x->ntags; i++)
        if (x->tag[i].kind == SPL_TAG_SPE && x->tag[i].a[0] > max)
            max = x->tag[i].a[0];
    for (int i = 0; i < x->nkids; i++) {
        const int64_t parts = max_parts(x->kid[i]);
        max = parts > max ? parts : max;
    }
    return max;
}

static const sched_tree *match_exactly(sched_target *t, const sluice_problem *p,
                                       const sched_candidates *c, const spl *formula)
{
    for (int i = 0; i < c->all.count; i++)
        if (sched_formula(t, p, c->all.tree[i]) == formula)
            return c->all.tree[i];
    return NULL;
}

/* Long batches of cores have four times as many parts as units. */
const sched_tree *sched_match(sched_target *t, const sluice_problem *p, const sched_candidates *c,
                              const spl *formula, bool any_parts)
{
    const int64_t units = t->parts;
    const sched_tree *found = match_exactly(t, p, c, formula);

    for (t->parts = max_parts(formula); !found && any_parts && t->parts > 0; t->parts /= 4)
        found = match_exactly(t, p, c, formula);
    t->parts = units;
    return found;
}
