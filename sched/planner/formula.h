// SPDX-License-Identifier: BSD-3-Clause
/* From a problem to a complete formula, in which every choice is written down. Formats and lanes of
 * vectors are chosen before (sched/plan/plan_formula.c). */
#ifndef SCHED_FORMULA_H
#define SCHED_FORMULA_H

#include "sched/machine/machine.h"
#include "sched/planner/tree.h"
#include "spl/formula/spl.h"

/* Where a transform stands in a formula: conditions that differ from place to place. */
typedef struct sched_surroundings {
    /* of the elements where the real matrices of a typed formula act on either type */
    spl_type type;
    bool contiguous;           /* the last axis is contiguous on both sides */
    backend_use use_as_single; /* use of a transform as one codelet, by the formats of the sides */
    bool same_layout;          /* both sides interleaved, or both split */
    /* No neighbouring stage can take the fold (permutation of folds.h) of what the transform reads,
     * or of what it writes: it is a stage of its own. */
    bool is_first, is_last;
    int64_t
        in_place_points; /* of the only transform, if in place; 0: out of place or several ones */
    int64_t uniform_points; /* points of the last axes with one stride on each side */
    bool allow_none;        /* find no tree without an error if there is none */
    bool without_rader; /* of rows of reals, as its price does not cover their tables of places */
    /* the transform of reals whose core is being planned; NULL: none */
    const struct sched_place *reals;
    bool pairs_rows;    /* pairs of rows of reals are complex columns (rows_as_columns.c) */
    bool columns_apart; /* columns belong to several transforms, whose values must not mix */
    /* a group of work-items has one transform, as it clears local memory between two */
    bool clears_between;
    /* Least columns of every stage of a transform that is distributed or streamed. 0: no limit, and
     * a single stage is allowed. */
    int64_t min_columns;
    bool inside_parts; /* of a typed formula: an enclosing tag distributes it, .. */
    bool inside_vec;   /* .. is a vec, which must be the innermost tag */
} sched_surroundings;

/* What formulas are chosen for: the machine and the problem's conditions, which are the same for
 * the whole formula, and the surroundings of the transform in question. Constant: a function that
 * plans a part of a formula gives it a copy with the surroundings of this part. */
typedef struct sched_target {
    spl_ctx *ctx;
    const backend_table *table;
    const backend *backend;
    const double *costs; /* of codelets, see backend.h; NULL: predicted */
    sluice_precision precision;
    sluice_unit_info unit;
    backend_groups groups;        /* of units that keep transforms in registers */
    int64_t parts;                /* units of the team */
    int64_t lanes;                /* lanes of the vectors that choices assume; 1: no vectors */
    int64_t vec_lanes;            /* lanes of the vec(lanes,format) tags; 1: no vec tags */
    int format;                   /* spl_format */
    bool latency;                 /* all parts work on one transform */
    bool interleaves_sides;       /* split sides are copied from and to interleaved buffers */
    bool weighed;                 /* first stages multiply the input by weights as they load it */
    bool in_place;                /* the output overwrites the input */
    backend_transfer_mode mode;   /* BACKEND_FUSED: nothing is streamed */
    int64_t batch_scale;          /* choose as in a batch this many times as large */
    core_text *comments;          /* '#' lines about candidates of typed formulas; may be NULL */
    const spl_rule *const *rules; /* rules that the planner may apply, NULL-terminated */
    sched_surroundings around;
} sched_target;

void sched_target_init(sched_target *t, spl_ctx *ctx, const sluice_machine *m,
                       sluice_precision precision);

/* Makes choices follow from the problem alone: sets a unit that is the same everywhere, with the
 * machine's vec_lanes. */
void sched_target_make_alike(sched_target *t, int64_t vec_lanes);

/* The candidates of a problem. */
typedef struct sched_candidates {
    int rank; /* axes */
    spl_kind kind[SLUICE_MAX_RANK];
    bool natural;                     /* the packed order was the only one to consider */
    bool contiguous;                  /* in the order that is cheapest without packed sides */
    sched_list axis[SLUICE_MAX_RANK]; /* chosen independently; empty for an axis of one point */
    sched_list all;                   /* the cheapest combinations; each has a kid for each axis */
} sched_candidates;

/* The candidates of a normalised problem; NULL if the context failed, or if there is none and
 * the target allows that. No choice depends on the number of parts. */
sched_candidates *sched_find_candidates(const sched_target *t, const sluice_problem *p);
/* The complete formula of a candidate, for the target's parts; *no_stream: why nothing is streamed,
 * in modes that stream (NULL: not needed). NULL if the context failed. */
const spl *sched_formula_of(const sched_target *t, const sluice_problem *p, const sched_tree *tree,
                            const char **no_stream);
/* The candidate that has this formula, for the target's number of parts or, with any_parts, for any
 * other. NULL: there is none. */
const sched_tree *sched_match(const sched_target *t, const sluice_problem *p,
                              const sched_candidates *c, const spl *formula, bool any_parts);
/* '#' lines: a tree of a list of candidates for a transform, and the best of the others. */
void sched_explain_list(spl_kind kind, const sched_list *list, const sched_tree *tree,
                        core_text *out);
/* '#' lines: the choice for each axis, and the best of the other candidates. */
void sched_explain_choice(const sched_candidates *c, const sched_tree *tree, core_text *out);
/* Breaks down every transform of a formula that is not a leaf. */
const spl *sched_complete(const sched_target *t, const spl *x);

#endif
