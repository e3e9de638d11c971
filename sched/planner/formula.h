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
    backend_groups groups;     /* of units with registers */
    int64_t parts;             /* units of the team */
    int64_t lanes;             /* of the vectors that choices are made for; 1: none */
    int64_t vec_lanes;         /* vec(lanes,format); 1: no vec tags */
    int format;                /* spl_format */
    bool latency;              /* all parts work on one transform */
    spl_type type;             /* of elements where a typed formula's real matrices act on either */
    bool contiguous;           /* the last axis, on both sides */
    backend_use use_as_single; /* of a transform as one codelet, by the formats of the sides */
    bool same_layout;          /* both sides interleaved, or both split */
    bool zipped;               /* split sides are moved from and to interleaved buffers */
    bool weighed;              /* first stages multiply the input as they load it */
    /* No stage can take the folds of what a transform reads, or of what it writes: they are stages
     * of their own. */
    bool is_first, is_last;
    bool in_place; /* the output takes the input's place */
    int64_t
        over_input; /* points of the only transform, in place; 0: there are several, or none is */
    backend_transfer_mode mode;   /* FUSED: nothing is streamed */
    const char *no_stream_reason; /* why nothing is streamed in the other modes */
    bool allow_none;              /* NULL without an error if there is no tree */
    bool rows_of_reals; /* whose tables of places Rader's price does not cover: no Rader */
    /* the transform of reals whose core is being planned; NULL: none */
    const struct sched_place *reals;
    bool halves;        /* columns of reals have pairs of rows as complex numbers: rows_columns.c */
    bool columns_apart; /* columns are of several transforms, whose values must not mix */
    bool apart; /* .. of which a group of work-items has one: what is cleared lies between */
    int64_t uniform_points; /* points of the last axes with one stride on each side */
    int64_t min_columns;    /* of every stage of a transform that is distributed or streamed; 0:
                                  no limit, one stage will do */
    bool inside_parts;      /* of a formula that was typed: a tag around distributes it */
    int64_t batch_scale;    /* choose as in a batch this many times as large */
    core_text *comments;    /* '#' lines of candidates for typed formulas; may be NULL */
    const spl_rule *const *rules; /* that the planner may apply, NULL-terminated */
} sched_target;

void sched_target_init(sched_target *t, spl_ctx *ctx, const sluice_machine *m,
                       sluice_precision precision);

/* Choices follow from the problem alone: from a unit that is the same everywhere, with vec_lanes of
 * the machine's. */
void sched_target_make_alike(sched_target *t, int64_t vec_lanes);

/* The candidates of a problem. */
typedef struct sched_candidates {
    int rank; /* axes */
    spl_kind kind[SLUICE_MAX_RANK];
    bool natural;                     /* whether the packed order was the only one to consider */
    sched_list axis[SLUICE_MAX_RANK]; /* chosen independently; empty for an axis of one point */
    sched_list all;                   /* the cheapest combinations, a kid for each axis     */
} sched_candidates;

/* The candidates of a normalised problem; NULL if the context failed, or if there is none and
 * the target allows that. No choice depends on the number of parts. */
sched_candidates *sched_find_formulas(sched_target *t, const sluice_problem *p);
/* The complete formula of one of them, for the target's parts. NULL if the context failed. */
const spl *sched_formula(sched_target *t, const sluice_problem *p, const sched_tree *tree);
/* The candidate that has this formula; any_parts: for the target's or another number of parts.
 * NULL: there is none. */
const sched_tree *sched_match(sched_target *t, const sluice_problem *p, const sched_candidates *c,
                              const spl *formula, bool any_parts);
/* '#' lines: a tree of a list of candidates for a transform, and the best of the others. */
void sched_explain_list(spl_kind kind, const sched_list *list, const sched_tree *tree,
                        core_text *out);
/* '#' lines: the choice for each axis, and the best of the other candidates. */
void sched_explain_choice(const sched_candidates *c, const sched_tree *tree, core_text *out);
/* Breaks down every transform of a formula that is no leaf. */
const spl *sched_complete(sched_target *t, const spl *x);

#endif
