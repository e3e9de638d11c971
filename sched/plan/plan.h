// SPDX-License-Identifier: BSD-3-Clause
/* Plans: a problem, the formula that solves it, its program, bound to the units of a machine. */
#ifndef SCHED_PLAN_H
#define SCHED_PLAN_H

#include <stdatomic.h>

#include "api/sluice.h"
#include "backends/backend.h"
#include "sched/machine/machine.h"

/* sluice_plan is defined here, immutable after creation but for its holders. */
struct sluice_plan {
    const backend_program *program; /* first: what an execution reads */
    int workers;
    bool in_place, split[2];
    uintptr_t misaligned_mask
        [2]; /* bits that a pointer must not have: of a scalar; all of them where a side
                           * is split, for sluice_execute, which takes one pointer a side */
    /* Where out - in + reach < span the sides touch the same bytes; in place: are the same. */
    uintptr_t reach, span;
    uintptr_t absent[2]; /* bits that im of side 0, 1 must not have: all where it is not split */
    size_t before[2], after[2]; /* bytes before and from the pointer that side 0, 1 touches */
    atomic_long holders;        /* the caller and every stream */
    sluice_problem problem;     /* every default filled in */
    sluice_machine *machine;
    const double *costs; /* of kernels, as known when it was made; the machine's */
    spl_ctx *ctx;
    const spl *formula, *sigma, *merged;
    prog *body;
    char *line;     /* PROBLEM := FORMULA, or FORMULA alone where no problem was given */
    char *comments; /* '#' lines: why */
    int format;     /* spl_format of its vectors */
    backend_transfer_mode mode; /* of its transfers */
    const char *unstreamed;     /* why the planner's formula streams nothing; NULL: it may */
    char fused[240];            /* why nothing does, where the units were asked to; "": they do */
    double seconds[BACKEND_MODES]; /* of an execution, where they were compared; 0: not tried */
    const struct sched_candidates
        *candidates;               /* what the planner had to choose from; NULL: nothing */
    const struct sched_tree *tree; /* of them, this one; NULL: none of them */
    bool has_problem; /* else `problem` is 1-D of the formula's size, for shapes only */
};

/* What one block of a stream of this plan looks like. */
typedef struct sched_block {
    size_t count;                   /* transforms of the slowest batch dimension in a full block */
    size_t in_bytes, in_im_bytes;   /* memory of a slot; *_im: 0 unless split */
    size_t out_bytes, out_im_bytes; /* 0: in place, out is in */
    size_t in_origin, out_origin;   /* bytes from the start of the memory to element 0 */
} sched_block;

/* One formula made a plan: that of `text`, or the planner's: the candidate that makes the same
 * choices as `tree` does, the cheapest where none does or `tree` is NULL. Candidates are those of a
 * problem with `batch_scale` times as many transforms (1: as is), by the costs that `costs_from` was
 * made with (NULL: those known now), without which they would not be the same. */
typedef struct sched_plan_request {
    backend_transfer_mode mode; /* one that the units can, else their own */
    const char *text;           /* NULL: the planner's */
    bool any_units; /* the text may be the planner's for another number of units: made for these */
    const struct sched_tree *tree;
    size_t batch_scale;
    const sluice_plan *costs_from;
} sched_plan_request;
sluice_status sched_plan_build(sluice_plan **out, sluice_machine *machine,
                               const sluice_problem *problem, const sched_plan_request *request,
                               sluice_diag *why);

/* A formula of a plan's problem as a program, in a context that may be another than the plan's. */
typedef struct sched_lowered {
    const spl *sigma, *merged;
    prog *body;
} sched_lowered;
sluice_status sched_lower(spl_ctx *ctx, const sluice_plan *plan, const spl *formula,
                          sched_lowered *out, sluice_diag *why);

/* E_MEMORY with the bytes where a lowered plan would take more than this process may have. */
sluice_status sched_plan_check_memory(const sluice_plan *plan, sluice_diag *why);

sluice_status sched_plan_create(sluice_plan **out, sluice_machine *machine,
                                const sluice_problem *problem, const sluice_plan_options *options,
                                sluice_diag *why);
sluice_status sched_plan_formula(sluice_plan **out, sluice_machine *machine, const char *formula,
                                 sluice_precision precision, const sluice_plan_options *options,
                                 sluice_diag *why);
/* One holder more, one less; the last one takes the plan along. NULL is allowed. */
void sched_plan_hold(const sluice_plan *plan);
void sched_plan_destroy(const sluice_plan *plan);
/* The same for a holder that does not hold the plan's machine: where it keeps the plan. */
void sched_plan_let_go(const sluice_plan *plan);
sluice_status sched_plan_print(const sluice_plan *plan, sluice_level level, sluice_write *write,
                               void *user);
sluice_status sched_plan_verify(const sluice_plan *plan, double *error, double *bound,
                                sluice_diag *why);
/* Executes the plan on two random inputs of its own and compares what a weighted sum of the outputs is
 * with what it must be: is the formula the problem's transform? A wrong one passes where rounding may
 * hide it in both: next to never, least rarely where a single output of many is wrong in single
 * precision. E_UNSUPPORTED beyond 1 GiB of arrays, E_MEMORY, E_DEVICE: not known. */
sluice_status sched_plan_prove(const sluice_plan *plan, bool *right, sluice_diag *why);
/* The relative L2 error that a right formula stays below. */
double sched_plan_bound(const sluice_plan *plan);
/* Check pointers and overlap, then run. The first takes one array a side and scratch of its own. */
sluice_status sched_plan_transform(const sluice_plan *plan, const void *in, void *out);
sluice_status sched_plan_execute(const sluice_plan *plan, const sluice_arrays *arrays, void *work);
/* Transforms of the slowest batch dimension. */
size_t sched_plan_count(const sluice_plan *plan);
/* Says in `why` why running `count` transforms of the slowest batch dimension on `arrays` with
 * `work` came to `status`, which it returns. */
sluice_status sched_plan_explain(const sluice_plan *plan, sluice_status status,
                                 const sluice_arrays *arrays, const void *work, size_t count,
                                 sluice_diag *why);

/* For streams: the shape of a block, and a plan for one item of the slowest batch dimension (made
 * once per stream; NULL where the block's count is 1) with the same bits as inside a full block. */
void sched_plan_block(const sluice_plan *plan, sched_block *out);
sluice_status sched_plan_item(sluice_plan **out, const sluice_plan *plan, sluice_diag *why);
/* Runs slot->count transforms: the whole plan where count is full, else `item` count times. */
sluice_status sched_plan_run_block(const sluice_plan *plan, const sluice_plan *item,
                                   const sluice_slot *slot, int workers);

#endif
