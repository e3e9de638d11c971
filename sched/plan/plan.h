// SPDX-License-Identifier: BSD-3-Clause
/* Plans: a problem, the formula that solves it, its program, bound to the units of a machine. */
#ifndef SCHED_PLAN_H
#define SCHED_PLAN_H

#include <stdatomic.h>

#include "api/sluice.h"
#include "backends/backend.h"
#include "sched/machine/machine.h"
#include "sched/machine/rates.h"

typedef struct sched_unit_kinds sched_unit_kinds; /* sched/plan/plan_kinds.h */
typedef struct sched_shares sched_shares;         /* sched/plan/shares.h */

/* What computes blocks and shares that a unit failed to: the same problem on other units, and one
 * item of it (sched_plan_item). NULL: none. */
typedef struct sched_fallback {
    sluice_plan *plan, *item;
} sched_fallback;

typedef struct sched_hooked sched_hooked; /* sched/plan/hooks.h */

/* An execution through sched_plan_run. */
typedef struct sched_entry {
    backend_program base; /* first */
    const sluice_plan *plan;
} sched_entry;

/* sluice_plan is defined here, immutable after creation but for its reference count. */
struct sluice_plan {
    /* First: what an execution runs: its program, or hooks or shares around it. */
    const backend_program *execution;
    int workers;
    bool in_place, split[2];
    /* [1]: address bits that must be 0, scalar size - 1. [0], for sluice_execute: the same, or all
     * ones if a side is split, since that call has one pointer per side and must reject such
     * plans. */
    uintptr_t misaligned_mask[2];
    /* If out - in + overlap_offset < overlap_span, both sides touch the same bytes; in place: they
     * are the same. */
    uintptr_t overlap_offset, overlap_span;
    uintptr_t im_absent_mask[2]; /* bits that im of side 0, 1 must not have: all if not split */
    size_t bytes_before[2], bytes_from[2]; /* that side 0, 1 touches before and from its pointer */
    atomic_long refcount;                  /* the caller and every stream */
    sluice_problem problem;                /* every default filled in */
    sluice_problem core;  /* what its formula computes: the problem, packed where hooks are */
    sched_hooked *hooked; /* the hooks beyond a scale; NULL: none */
    sched_entry entry;    /* its execution with hooks */
    sluice_machine *machine;
    const double *costs; /* of kernels, known when it was made; owned by the machine */
    spl_ctx *ctx;
    const spl *formula, *sigma, *merged;
    prog *body;
    const backend_program *program; /* the body, bound to units of one kind */
    bool begins;    /* units with a depth run it, block by block (backend_team); not with hooks that
                       the host applies */
    char *line;     /* PROBLEM := FORMULA, or FORMULA alone if no problem was given */
    char *comments; /* '#' lines: candidates and their prices */
    int format;     /* spl_format of its vectors */
    bool is_item;   /* has the bits of one of a batch, whose short blocks run it */
    bool reproducible; /* same bits on all machines: made without costs, wisdom and measuring */
    double factor;     /* of its hooks */
    double scale; /* what results of the problem are multiplied by: its own scale and the hooks';
                       the formula begins with it. 1 without a problem */
    backend_transfer_mode mode;
    const char *no_stream_reason;  /* why the planner's formula streams nothing; NULL: it may */
    char fused_reason[240];        /* why it is fused although transfers were requested; else "" */
    double seconds[BACKEND_MODES]; /* of an execution in each mode, if compared; 0: not tried */
    const struct sched_candidates *candidates; /* what the planner chose from; NULL: nothing */
    const struct sched_tree *tree;             /* its choice; NULL: the formula is not its own */
    sched_rate rate;                           /* on units of its kind; of formulas: not known */
    /* The same problem on the machine's next kind of units that can run it; NULL: there is none. */
    sluice_plan *next;
    bool leaves_streams; /* to other kinds, which are much faster */
    /* Of the first in such a list: */
    sched_unit_kinds *kinds; /* how its kinds share executions; NULL: formulas run on the first */
    sched_shares *shares;    /* an execution of several shares; NULL: one program does all */
    const sluice_plan *own;  /* what the caller of an execution runs; NULL: nothing */
    sched_fallback fallback; /* as the options request */
    bool has_problem;        /* else `problem` is 1-D of the formula's size, for shapes only */
};

/* What one block of a stream of this plan looks like. */
typedef struct sched_block {
    size_t count;                   /* transforms of the slowest batch dimension in a full block */
    size_t in_bytes, in_im_bytes;   /* memory of a slot; *_im: 0 unless split */
    size_t out_bytes, out_im_bytes; /* 0: in place, out is in */
    size_t in_origin, out_origin;   /* bytes from the start of the memory to element 0 */
} sched_block;

/* How to make a plan: of `text`, or of the planner's candidate that makes the same choices as
 * `tree` (the cheapest one if none does or `tree` is NULL). Candidates are those of a problem with
 * `batch_scale` times as many transforms (1: as is), priced by the costs of `costs_from` (NULL: the
 * current ones): with other costs the candidates would differ. */
typedef struct sched_plan_request {
    backend_transfer_mode mode; /* the units' own if they do not support it */
    const char *text;           /* NULL: the planner's */
    bool any_units; /* a text that the planner chose for other numbers of units is adapted */
    const struct sched_tree *tree;
    size_t batch_scale;
    const sluice_plan *costs_from;
    double factor;             /* of the hooks, besides what a text has; 0: none */
    const sluice_hooks *hooks; /* whose sides count, not the scale; may be NULL */
    bool reproducible;
    int block_part; /* of the largest blocks that fit, blocks are so many times less; 0: those */
    bool sketch;    /* to be priced, not run: without tables where the backend can */
} sched_plan_request;
/* Vectors hold interleaved numbers unless both sides are split; then no stage converts formats. A
 * short transform computed alone (one, or contiguous ones too long for codelets on several
 * transforms) is interleaved all the same: its stages of about sqrt(n) columns do not fill split
 * vectors, which have twice the lanes. */
int sched_plan_vectors(const sluice_machine *m, const sluice_problem *p, size_t batch);
/* Fills the formula of a plan and what it was chosen from; `comments` say why. */
sluice_status sched_plan_choose(sluice_plan *plan, const sched_plan_request *request,
                                sluice_diag *why);
/* The hooks of a plan for a request like its own. */
const sluice_hooks *sched_plan_hooks(const sluice_plan *plan);
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

/* E_MEMORY, naming the bytes, if a lowered plan would take more than this process may have. */
sluice_status sched_plan_check_memory(const sluice_plan *plan, sluice_diag *why);

sluice_status sched_plan_create(sluice_plan **out, sluice_machine *machine,
                                const sluice_problem *problem, const sluice_plan_options *options,
                                sluice_diag *why);
sluice_status sched_plan_formula(sluice_plan **out, sluice_machine *machine, const char *formula,
                                 sluice_precision precision, const sluice_plan_options *options,
                                 sluice_diag *why);
/* One reference more, one less; without references it is freed. destroy: NULL is allowed. */
void sched_plan_retain(const sluice_plan *plan);
void sched_plan_destroy(const sluice_plan *plan);
/* As destroy, for a reference that does not count for the plan's machine (plan_cache.c). */
void sched_plan_release(const sluice_plan *plan);
sluice_status sched_plan_verify(const sluice_plan *plan, double *error, double *bound,
                                sluice_diag *why);
/* A hash of the results of an input that is the same for all plans of a problem. */
sluice_status sched_plan_bits(const sluice_plan *plan, uint64_t *bits, sluice_diag *why);
/* Is the formula the problem's transform? Executes the plan on two random inputs and compares a
 * weighted sum of the outputs with its closed form. A wrong formula passes only if rounding hides
 * the difference for both inputs. E_UNSUPPORTED beyond 1 GiB of arrays, E_MEMORY, E_DEVICE: not
 * known. */
sluice_status sched_plan_prove(const sluice_plan *plan, bool *right, sluice_diag *why);
/* The relative L2 error that a right formula stays below. */
double sched_plan_bound(const sluice_plan *plan);
/* Runs on arrays that were checked. `first`: the transform of the slowest batch dimension that they
 * begin with, which hooks are given. */
sluice_status sched_plan_run(const sluice_plan *plan, const sluice_arrays *arrays, void *work,
                             int workers, size_t first);
/* Scratch of such a run, that of hooks included. */
size_t sched_plan_work_bytes(const sluice_plan *plan);
/* Check pointers and overlap, then run. The first takes one array a side and scratch of its own. */
sluice_status sched_plan_transform(const sluice_plan *plan, const void *in, void *out);
sluice_status sched_plan_execute(const sluice_plan *plan, const sluice_arrays *arrays, void *work);
/* Transforms of the slowest batch dimension. */
size_t sched_plan_count(const sluice_plan *plan);
/* Writes into `why` the reason why running `count` transforms of the slowest batch dimension on
 * `arrays` with `work` failed with `status`, and returns `status`. */
sluice_status sched_plan_explain(const sluice_plan *plan, sluice_status status,
                                 const sluice_arrays *arrays, const void *work, size_t count,
                                 sluice_diag *why);

/* Enqueues an execution on the caller's objects (backend_team.run_native), and returns.
 * E_UNSUPPORTED: the plan's units are of another kind, or hooks, which the host applies. */
sluice_status sched_plan_run_native(const sluice_plan *plan, const void *run, sluice_diag *why);
/* Scratch of the caller's that such an execution takes; 0: none. */
size_t sched_plan_native_work_bytes(const sluice_plan *plan);

/* Pointers to the transforms from the k-th of the slowest batch dimension on. */
sluice_arrays sched_plan_arrays_at(const sluice_plan *plan, const sluice_arrays *arrays, size_t k);
/* The plan's problem on units of their own, which live as long as what is made of it. */
sluice_status sched_fallback_open(sched_fallback *out, const sluice_plan *plan, const char *units,
                                  sluice_diag *why);
void sched_fallback_close(sched_fallback *fallback);

/* For streams: the shape of a block, and a plan for one item of the slowest batch dimension (made
 * once per stream) with the same bits as inside a full block; NULL if the block's count is 1, if
 * the formula is the user's, or if the plan computes in another order than the packed one. */
void sched_plan_block(const sluice_plan *plan, sched_block *out);
sluice_status sched_plan_item(sluice_plan **out, const sluice_plan *plan, sluice_diag *why);
/* Runs slot->count transforms, for hooks those from transform `first` of the slowest batch
 * dimension on: the whole plan if the block is full, else `item` count times, or, without one, the
 * whole plan on a copy. */
sluice_status sched_plan_run_block(const sluice_plan *plan, const sluice_plan *item,
                                   const sluice_slot *slot, size_t first, int workers);
/* Begins as many on a unit whose backend has begin (backend_team), when it has room;
 * AGAIN: it has none, and waiting is not allowed. Finished by the next. */
sluice_status sched_plan_begin_block(const sluice_plan *plan, const sluice_slot *slot, size_t first,
                                     int unit, bool may_wait, backend_ticket **out);
sluice_status sched_plan_finish_block(const sluice_plan *plan, int unit, backend_ticket *ticket,
                                      backend_legs *seconds);

#endif
