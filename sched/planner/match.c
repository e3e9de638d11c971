// SPDX-License-Identifier: BSD-3-Clause
/* Finds the candidate of the planner whose formula equals one that was read as text. */
#include "sched/planner/expand.h"
#include "sched/planner/formula.h"

/* The largest number of parts that a node of x is distributed to; 1: x is not distributed. */
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

static const sched_tree *match_exactly(const sched_target *t, const sluice_problem *p,
                                       const sched_candidates *c, const spl *formula)
{
    for (int i = 0; i < c->all.count; i++)
        if (sched_formula_of(t, p, c->all.tree[i], NULL) == formula)
            return c->all.tree[i];
    return NULL;
}

/* Long batches on cores have SCHED_UNIT_PARTS times as many parts as units, so that share of the
 * formula's parts is tried too. */
const sched_tree *sched_match(const sched_target *t, const sluice_problem *p,
                              const sched_candidates *c, const spl *formula, bool any_parts)
{
    const sched_tree *found = match_exactly(t, p, c, formula);
    sched_target own = *t;

    for (own.parts = max_parts(formula); !found && any_parts && own.parts > 0;
         own.parts /= SCHED_UNIT_PARTS)
        found = match_exactly(&own, p, c, formula);
    return found;
}
