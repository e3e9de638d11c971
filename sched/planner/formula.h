// SPDX-License-Identifier: BSD-3-Clause
/* From a problem to a complete formula: every choice of a plan is made here and written down. */
#ifndef SCHED_FORMULA_H
#define SCHED_FORMULA_H

#include "sched/machine/machine.h"
#include "sched/planner/radix.h"
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
    bool dense;                 /* the last axis is contiguous on both sides */
    backend_use alone;          /* what it is as one codelet, by the formats of the sides */
    bool one_layout;            /* both sides interleaved, or both split */
    bool in_place;              /* the output takes the input's place */
    backend_transfer_mode mode; /* FUSED: nothing is streamed */
    const char *unstreamed;     /* why nothing streams all the same */
    bool asking;                /* a size that has no radices is an answer (NULL), no failure */
    int64_t even;               /* points of the last axes over which a side has one stride */
    int64_t packets;    /* columns that every stage of a transform must have: it is to be dealt or
                           streamed; 0: one stage will do */
    int64_t batch_like; /* choose as in a batch this many times as large */
    int variant;        /* 0: the cheapest predicted; k: the k-th cheapest list of radices */
    core_text *why;     /* '#' lines; may be NULL */
} sched_target;

void sched_target_init(sched_target *t, spl_ctx *ctx, const sluice_machine *m,
                       sluice_precision precision);

/* The complete formula of a normalised c2c problem; *variants (may be NULL) is how many there
 * are. NULL where the context failed, or the target asks and there is none. */
const spl *sched_formula(sched_target *t, const sluice_problem *p, int *variants);
/* Completes a formula: every transform that is no leaf is broken down. */
const spl *sched_complete(sched_target *t, const spl *x);

#endif
