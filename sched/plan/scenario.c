// SPDX-License-Identifier: BSD-3-Clause
/* The scenario of a plan depends on the number of transforms and of parts, and on what fits the
 * parts' local stores.
 *
 * one: bytes of one transform; S: the local stores of the units that work, together.
 *   one transform   3 one <= S   input, output and a buffer stay in the stores   a1 (one part: a2)
 *                   one <= S     it goes through them once                       a3 (one part: a2)
 *                   else         in parts, several passes                        LP, a4
 *   many            one part     b1; whole transforms per part: b2; barriers inside: b3
 * For a formula that streams, the number of blocks decides: one block a2 or a3, several LP or
 * a4. */
#include "sched/plan/scenario.h"

#include "sched/problem/problem.h"
#include "spl/rules/rewrite.h"

/* What the scenario depends on. */
typedef struct facts {
    int64_t parts, batch;
    double one, stores; /* bytes */
    bool planes;        /* several axes */
    bool syncs;
    int64_t blocks; /* most iterations of a streamed loop of the formula; 0: none is streamed */
} facts;

static int64_t most_blocks(const spl *x)
{
    int64_t max = 0;

    for (int i = 0; i < x->ntags; i++)
        if (x->tag[i].kind == SPL_TAG_STREAM && x->tag[i].a[0] > max)
            max = x->tag[i].a[0];
    for (int i = 0; i < x->nkids; i++) {
        const int64_t n = most_blocks(x->kid[i]);
        max = n > max ? n : max;
    }
    return max;
}

static facts facts_of(const sluice_plan *plan)
{
    const sluice_problem *p = &plan->problem;
    const double side[] = {(double)(sched_side_elements(p, 0) * sched_side_bytes(p, 0)),
                           (double)(sched_side_elements(p, 1) * sched_side_bytes(p, 1))};
    facts f = {.parts = plan->body->parts,
               .batch = (int64_t)sched_problem_batch(p),
               .one = side[0] > side[1] ? side[0] : side[1],
               .syncs = prog_has_sync(plan->body, 0, plan->body->nstmts),
               .blocks = most_blocks(plan->formula)};
    int axes = sched_problem_axes(p);

    if (!plan->has_problem) {
        const spl_view v = spl_view_of(spl_untagged(plan->formula));
        f.batch = v.a;
        f.one /= (double)v.a;
        axes = v.nmid;
    }
    f.planes = axes > 1;
    const int64_t units = plan->machine->units;
    f.stores =
        (double)(f.parts < units ? f.parts : units) * (double)plan->machine->unit0.local_store;
    return f;
}

typedef enum scenario { A1 = 0, A2, A3, A4, LP, B1, B2, B3 } scenario;

static const struct {
    const char *name, *text;
} scenarios[] = {
    [A1] = {"a1", "one transform that stays in the local stores of its parts"},
    [A2] = {"a2", "one transform that passes through one local store"},
    [A3] = {"a3", "one transform that passes through the local stores of its parts"},
    [A4] = {"a4", "several axes, block by block, as they fit no local store together"},
    [LP] = {"LP", "one long axis, block by block, as it fits no local store"},
    [B1] = {"b1", "a batch, one transform after the other by one part"},
    [B2] = {"b2", "a batch distributed over parts, each transform within one"},
    [B3] = {"b3", "a batch, all parts on each transform"},
};

static scenario scenario_of(const facts *f)
{
    if (f->batch > 1 && f->parts == 1)
        return B1;
    if (f->batch > 1)
        return f->syncs ? B3 : B2;
    if (f->blocks > 1 || (f->blocks == 0 && f->one > f->stores))
        return f->planes ? A4 : LP;
    if (f->parts == 1)
        return A2;
    return f->blocks == 0 && 3 * f->one <= f->stores ? A1 : A3;
}

void sched_scenario_print(const sluice_plan *plan, core_text *out)
{
    const facts f = facts_of(plan);
    const scenario s = scenario_of(&f);

    core_text_printf(out, "# scenario %s: %s (parts %lld, batch %lld, %s each, local stores %s)\n",
                     scenarios[s].name, scenarios[s].text, (long long)f.parts, (long long)f.batch,
                     core_bytes(f.one).text, core_bytes(f.stores).text);
}
