// SPDX-License-Identifier: BSD-3-Clause
/* Comment lines about what was chosen and what else was considered. */
#include "sched/planner/formula.h"

/* A DFT and its inverse have the same trees, so both are printed as DFT. */
static void explain_tree(spl_kind kind, const sched_tree *x, bool chosen, core_text *out)
{
    const double cycles = x->cycles;

    core_text_printf(out, "# %s(%lld) %s",
                     spl_transform_of(kind == SPL_IDFT ? SPL_DFT : kind)->word, (long long)x->n,
                     chosen ? "chosen" : "not chosen");
    for (; x->rule && x->rule->group == SPL_PLANNED && x->nkids == 1; x = x->kid[0])
        core_text_printf(out, " by %s,", x->rule->name);
    if (x->rule && x->rule->group == SPL_PLANNED)
        core_text_printf(out, " by %s,", x->rule->name);
    if (x->rule == &spl_dft_in_place || x->rule == &spl_dft_ct)
        core_text_printf(out, " in place,");
    if (x->rule == &spl_transposing_last || (x->rule == &spl_dft_dif && x->tile == 0))
        core_text_printf(out, " rows last,");
    const bool rader = x->rule == &spl_dft_rader;
    const sched_tree *inner = x;
    if (rader || x->rule == &spl_dft_bluestein) {
        inner = x->kid[0];
        core_text_printf(out, " as a convolution of %lld points (%s),",
                         (long long)(rader ? x->n - 1 : x->params.v[0]),
                         rader ? "Rader" : "Bluestein");
        if (inner->rule == &spl_convolution_blocks) {
            core_text_printf(out, " %lld blocks,", (long long)inner->params.v[0]);
            inner = inner->kid[0];
        }
    }
    core_text_printf(out, " radices ");
    sched_tree_print(inner, out);
    core_text_printf(out, ", predicted %.0f cycles each\n", cycles);
}

void sched_explain_list(spl_kind kind, const sched_list *list, const sched_tree *tree,
                        core_text *out)
{
    bool listed = false;

    for (int i = 0; i < list->count; i++) {
        const bool chosen = sched_tree_equal(list->tree[i], tree);
        if (i < 4 || chosen)
            explain_tree(kind, list->tree[i], chosen, out);
        listed = listed || chosen;
    }
    if (tree && !listed) /* a candidate of packed sides or of arrays as columns */
        explain_tree(kind, tree, true, out);
}

void sched_explain_choice(const sched_candidates *c, const sched_tree *tree, core_text *out)
{
    if (tree->packed_sides)
        core_text_printf(out, "# strided sides are moved to packed ones\n");
    for (int d = c->rank - 1; d >= 0; d--)
        sched_explain_list(c->kind[d], &c->axis[d], tree->kid[d], out);
}
