// SPDX-License-Identifier: BSD-3-Clause
/* From a problem to a complete formula: every choice of a plan is made here and written down. */
#ifndef SCHED_FORMULA_H
#define SCHED_FORMULA_H

#include "sched/machine/machine.h"
#include "sched/planner/tree.h"
#include "spl/formula/spl.h"

/* What formulas are chosen for. */
typedef struct sched_target {
    spl_ctx *ctx;
    const backend_table *table;
    const backend *backend;
    const double *costs; /* of kernels, see backend.h */
    sluice_precision precision;
    sluice_unit_info unit;
    int64_t parts;              /* units of the team */
    int64_t lanes;              /* vec(lanes,format); 1: no vec tags */
    int format;                 /* spl_format */
    bool latency;               /* all parts on one transform */
    bool contiguous;            /* the last axis is, on both sides */
    backend_use use_as_single;  /* of a transform as one codelet, by the formats of the sides */
    bool same_layout;           /* both sides interleaved, or both split */
    bool in_place;              /* the output takes the input's place */
    backend_transfer_mode mode; /* FUSED: nothing is streamed */
    const char *unstreamed;     /* why nothing streams all the same */
    bool allow_none;            /* no tree is an answer (NULL), no failure */
    int64_t uniform_points;     /* of the last axes, over which a side has one stride */
    int64_t min_columns;        /* of every stage of a transform that is to be dealt or streamed; 0:
                                  one stage will do */
    int64_t batch_scale;        /* choose as in a batch this many times as large */
    core_text *comments;        /* '#' lines of what typed formulas leave open; may be NULL */
    const spl_rule *const *rules; /* to be planned with, NULL-terminated */
} sched_target;

void sched_target_init(sched_target *t, spl_ctx *ctx, const sluice_machine *m,
                       sluice_precision precision);

/* What a problem may be made of. */
typedef struct sched_candidates {
    int rank;                         /* axes                          */
    sched_list axis[SLUICE_MAX_RANK]; /* chosen independently; of axes with one point none */
    sched_list all;                   /* the cheapest combinations, a kid for each axis     */
} sched_candidates;

/* The candidates of a normalised c2c problem; NULL where the context failed, or there is none and
 * the target allows that. No choice depends on how many parts there are. */
const sched_candidates *sched_find_formulas(sched_target *t, const sluice_problem *p);
/* The complete formula of one of them, dealt to the target's parts. NULL where the context failed. */
const spl *sched_formula(sched_target *t, const sluice_problem *p, const sched_tree *tree);
/* The candidate with this formula; any_parts: or with what it is when dealt to another number of
 * parts. NULL: there is none. */
const sched_tree *sched_match(sched_target *t, const sluice_problem *p, const sched_candidates *c,
                              const spl *formula, bool any_parts);
/* '#' lines: what was chosen for each axis, and the best of what was not. */
void sched_explain_choice(const sched_candidates *c, const sched_tree *tree, core_text *out);
/* Completes a formula: every transform that is no leaf is broken down. */
const spl *sched_complete(sched_target *t, const spl *x);

#endif
