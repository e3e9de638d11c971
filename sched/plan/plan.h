// SPDX-License-Identifier: BSD-3-Clause
/* Plans: a problem, the formula that solves it, and its program, bound to the units of a
 * machine. */
#ifndef SCHED_PLAN_H
#define SCHED_PLAN_H

#include <stdatomic.h>

#include "api/sluice.h"
#include "backends/backend.h"
#include "sched/machine/machine.h"
#include "sched/machine/rates.h"

typedef struct sched_unit_kinds sched_unit_kinds; /* sched/plan/plan_kinds.h */
typedef struct sched_shares sched_shares;         /* sched/plan/shares.h */

/* Another plan, of the same problem on other units, and of one item of it (sched_plan_item), for
 * blocks and shares whose unit failed. NULL: none. */
typedef struct sched_fallback {
    sluice_plan *plan, *item;
} sched_fallback;

typedef struct sched_hooked sched_hooked; /* sched/plan/hooks.h */

/* An execution that goes through sched_plan_run. */
typedef struct sched_entry {
    backend_program base; /* first */
    const sluice_plan *plan;
} sched_entry;

/* sluice_plan is defined here. It is immutable after creation, except for its reference count. */
struct sluice_plan {
    /* First member, what an execution runs: the program, or hooks or shares around it. */
    const backend_program *execution;
    int workers;
    bool in_place, split[2];
    /* [1]: address bits that must be 0, scalar size - 1. [0], for sluice_execute: the same, or all
     * ones if a side is split, since that call has one pointer per side and must reject such
     * plans. */
    uintptr_t misaligned_mask[2];
    /* If out - in + overlap_offset < overlap_span, the sides touch the same bytes; in place, they
     * are equal. */
    uintptr_t overlap_offset, overlap_span;
    /* address bits of im that must be 0, for sides 0, 1: all if not split */
    uintptr_t im_absent_mask[2];
    /* bytes that sides 0, 1 touch before and from their pointers */
    size_t bytes_before[2], bytes_from[2];
    atomic_long refcount;   /* held by the caller and by every stream */
    sluice_problem problem; /* every default filled in */
    sluice_problem packed;  /* the problem of the formula: packed on sides with hooks */
    sched_hooked *hooked;   /* the hooks beyond a scale; NULL: none */
    sched_entry entry;      /* the execution with hooks */
    sluice_machine *machine;
    const double *costs; /* of codelets, as known at creation; owned by the machine */
    spl_ctx *ctx;
    const spl *formula, *sigma, *merged;
    prog *body;
    const backend_program *program; /* the body, bound to units of one kind */
    /* Units with a depth run it block by block (backend_team); false with hooks that the host
     * applies. */
    bool runs_blocks;
    char *line;         /* PROBLEM := FORMULA, or FORMULA alone if no problem was given */
    char *comments;     /* '#' lines: candidates and their prices */
    int format;         /* spl_format of its vectors */
    bool is_item;       /* has the bits of one item of a batch, and runs items of short blocks */
    bool reproducible;  /* same bits on all machines: made without costs, wisdom and measuring */
    double hooks_scale; /* 1: none */
    /* The factor of the problem's results, its own scale times the hooks'; the formula begins with
     * it. 1 without a problem. */
    double result_scale;
    backend_transfer_mode mode;
    const char *no_stream_reason; /* why the planner's formula streams nothing; NULL: it may */
    char fused_reason[240];       /* why it is fused although transfers were requested; else "" */
    /* seconds of an execution in each mode, if compared; 0: not tried */
    double seconds[BACKEND_MODES];
    const struct sched_candidates *candidates; /* what the planner chose from; NULL: nothing */
    const struct sched_tree *tree;             /* its choice; NULL: the formula is not its own */
    sched_rate rate;                           /* on units of its kind; unknown for formulas */
    /* The same problem on the machine's next kind of units that can run it; NULL: none. */
    sluice_plan *next;
    bool leaves_streams; /* streams do not use it, as other kinds are much faster */
    /* Only in the first plan of such a list: */
    sched_unit_kinds *kinds; /* how its kinds share executions; NULL: formulas run on the first */
    sched_shares *shares;    /* an execution of several shares; NULL: one program does all */
    const sluice_plan *own;  /* what the caller of an execution runs; NULL: nothing */
    sched_fallback fallback; /* as the options request */
    bool has_problem;        /* false: `problem` is 1-D of the formula's size, only for shapes */
};

/* The shape of a block in a stream of this plan. */
typedef struct sched_block {
    size_t count;                   /* transforms of the slowest batch dimension in a full block */
    size_t in_bytes, in_im_bytes;   /* memory of a slot; *_im: 0 unless split */
    size_t out_bytes, out_im_bytes; /* 0 in place, where out is in */
    size_t in_origin, out_origin;   /* bytes from the start of the memory to element 0 */
} sched_block;

/* How to make a plan: from `text`, or from the candidate that makes the same choices as `tree` (the
 * cheapest one if none does, or if `tree` is NULL). Candidates are those of a problem with
 * `batch_scale` times as many transforms (1: as it is), priced by the costs of `costs_from` (NULL:
 * the current ones); with other costs the candidates would differ. */
typedef struct sched_plan_request {
    backend_transfer_mode mode; /* the units' own if they do not support it */
    const char *text;           /* NULL: the planner chooses */
    /* A text that the planner chose for another number of units is adapted. */
    bool any_units;
    const struct sched_tree *tree;
    size_t batch_scale;
    const sluice_plan *costs_from;
    double hooks_scale;        /* besides factors in a text; 0 or 1: none */
    const sluice_hooks *hooks; /* only its sides count, not its scale; may be NULL */
    bool reproducible;
    /* Blocks are this many times smaller than the largest that fit; 0: the largest. */
    int block_part;
    bool sketch; /* for pricing only, not for running: without tables if the backend can */
} sched_plan_request;
/* The format of vectors: interleaved, unless both sides are split; then no stage converts formats.
 * A short transform computed alone (a single one, or contiguous ones too long for codelets on
 * several transforms) is interleaved all the same: its stages of about sqrt(n) columns would not
 * fill split vectors, which have twice the lanes. */
int sched_plan_vectors(const sluice_machine *m, const sluice_problem *p, size_t batch);
/* Chooses the formula of a plan, and fills in its candidates and `comments`. */
sluice_status sched_plan_choose(sluice_plan *plan, const sched_plan_request *request,
                                sluice_diag *why);
/* The hooks of a plan, for a request like its own. */
const sluice_hooks *sched_plan_hooks(const sluice_plan *plan);
sluice_status sched_plan_build(sluice_plan **out, sluice_machine *machine,
                               const sluice_problem *problem, const sched_plan_request *request,
                               sluice_diag *why);

/* The formula of a plan's problem as a program, in a context that need not be the plan's. */
typedef struct sched_lowered {
    const spl *sigma, *merged;
    prog *body;
} sched_lowered;
sluice_status sched_lower(spl_ctx *ctx, const sluice_plan *plan, const spl *formula,
                          sched_lowered *out, sluice_diag *why);

/* The formula in the plan's line. */
const char *sched_plan_formula_text(const sluice_plan *plan);
/* E_MEMORY, naming the bytes, if a lowered plan would exceed the memory that this process may
 * have. */
sluice_status sched_plan_check_memory(const sluice_plan *plan, sluice_diag *why);

sluice_status sched_plan_create(sluice_plan **out, sluice_machine *machine,
                                const sluice_problem *problem, const sluice_plan_options *options,
                                sluice_diag *why);
sluice_status sched_plan_from_formula(sluice_plan **out, sluice_machine *machine,
                                      const char *formula, sluice_precision precision,
                                      const sluice_plan_options *options, sluice_diag *why);
/* Takes and returns a reference; the last one frees the plan. destroy: NULL is allowed. */
void sched_plan_retain(const sluice_plan *plan);
void sched_plan_destroy(const sluice_plan *plan);
/* Like destroy, for a reference that the plan's machine does not count (plan_cache.c). */
void sched_plan_release(const sluice_plan *plan);
sluice_status sched_plan_verify(const sluice_plan *plan, double *error, double *bound,
                                sluice_diag *why);
/* A hash of the results for an input that is the same for all plans of a problem. */
sluice_status sched_plan_bits(const sluice_plan *plan, uint64_t *bits, sluice_diag *why);
/* Is the formula the problem's transform? Executes the plan on two random inputs and compares a
 * weighted sum of the outputs with its closed form. A wrong formula passes only if rounding hides
 * the difference for both inputs. E_UNSUPPORTED beyond 1 GiB of arrays, E_MEMORY, E_DEVICE: not
 * known. */
sluice_status sched_plan_prove(const sluice_plan *plan, bool *right, sluice_diag *why);
/* The relative L2 error that a correct formula stays below. */
double sched_plan_bound(const sluice_plan *plan);
/* Runs on arrays that were checked. `first`: index in the slowest batch dimension of their first
 * transform, for hooks. */
sluice_status sched_plan_run(const sluice_plan *plan, const sluice_arrays *arrays, void *work,
                             int workers, size_t first);
/* Bytes of scratch of such a run, including that of hooks. */
size_t sched_plan_work_bytes(const sluice_plan *plan);
/* Check pointers and overlap, then run. The first takes one array a side and allocates its
 * scratch. */
sluice_status sched_plan_transform(const sluice_plan *plan, const void *in, void *out);
sluice_status sched_plan_execute(const sluice_plan *plan, const sluice_arrays *arrays, void *work);
/* The number of transforms of the slowest batch dimension. */
size_t sched_plan_count(const sluice_plan *plan);
/* Writes into `why` the reason why running `count` transforms of the slowest batch dimension on
 * `arrays` with `work` failed with `status`, and returns `status`. */
sluice_status sched_plan_explain(const sluice_plan *plan, sluice_status status,
                                 const sluice_arrays *arrays, const void *work, size_t count,
                                 sluice_diag *why);

/* Enqueues an execution on the caller's objects (backend_team.run_native), and returns.
 * E_UNSUPPORTED: the plan's units are of another kind, or the host applies its hooks. */
sluice_status sched_plan_run_native(const sluice_plan *plan, const void *run, sluice_diag *why);
/* Bytes of the caller's scratch for such an execution; 0: none. */
size_t sched_plan_native_work_bytes(const sluice_plan *plan);

/* Pointers to the transforms of the slowest batch dimension from the k-th on. */
sluice_arrays sched_plan_arrays_at(const sluice_plan *plan, const sluice_arrays *arrays, size_t k);
/* The plan's problem on other units, which live as long as the fallback. */
sluice_status sched_fallback_open(sched_fallback *out, const sluice_plan *plan, const char *units,
                                  sluice_diag *why);
void sched_fallback_close(sched_fallback *fallback);

/* For streams: the shape of a block, and a plan for one item of the slowest batch dimension (made
 * once per stream) with the same bits as inside a full block. NULL if blocks have one item, if the
 * formula is the user's, or if the plan does not compute in packed order. */
void sched_plan_block(const sluice_plan *plan, sched_block *out);
sluice_status sched_plan_item(sluice_plan **out, const sluice_plan *plan, sluice_diag *why);
/* Runs slot->count transforms; hooks number them from `first` on in the slowest batch dimension. A
 * full block runs the whole plan, a shorter one `item` count times or, without an item, the whole
 * plan on a copy. */
sluice_status sched_plan_run_block(const sluice_plan *plan, const sluice_plan *item,
                                   const sluice_slot *slot, size_t first, int workers);
/* Begins slot->count transforms on a unit whose backend has begin (backend_team), when the unit can
 * take another block; AGAIN: it cannot, and waiting is not allowed. sched_plan_finish_block()
 * finishes it. */
sluice_status sched_plan_begin_block(const sluice_plan *plan, const sluice_slot *slot, size_t first,
                                     int unit, bool may_wait, backend_ticket **out);
sluice_status sched_plan_finish_block(const sluice_plan *plan, int unit, backend_ticket *ticket,
                                      backend_legs *seconds);

#endif
