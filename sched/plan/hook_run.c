// SPDX-License-Identifier: BSD-3-Clause
/* Executions of plans with hooks. If the program applies the hooks of a side, it gets the side as
 * it is; otherwise it gets a packed copy, which is made before it runs or read afterwards. */
#include "core/mem.h"
#include "core/text.h"
#include "sched/plan/hooks.h"
#include "sched/problem/problem.h"

/* Elements that a hook takes at a time: as many as a cache holds. */
enum { BLOCK = 1024, LINE = 64 };

static bool is_copied(const sluice_plan *plan, int side)
{
    return plan->hooked && plan->hooked->on[side] && !plan->program->takes_hook[side];
}

bool sched_hooks_copy(const sluice_plan *plan)
{
    return is_copied(plan, 0) || is_copied(plan, 1);
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static size_t copied_bytes(const sluice_plan *plan, int side)
{
    return is_copied(plan, side) ? whole_lines(plan->hooked->packed[side]) : 0;
}

static size_t program_bytes(const sluice_plan *plan)
{
    return whole_lines(plan->program->table->team->work_bytes(plan->program));
}

size_t sched_plan_work_bytes(const sluice_plan *plan)
{
    if (!plan->hooked)
        return plan->program->table->team->work_bytes(plan->program);
    return program_bytes(plan) + copied_bytes(plan, 0) + copied_bytes(plan, 1);
}

static sluice_status copy_side(const prog_hook *h, const sluice_arrays *arrays, size_t first,
                               char *packed, bool load)
{
    const size_t element =
        (size_t)h->scalars * (h->precision == SLUICE_F32 ? sizeof(float) : sizeof(double));
    sluice_status status = SLUICE_OK;

    for (int64_t at = 0; at < h->elements && status == SLUICE_OK; at += BLOCK) {
        const int64_t count = h->elements - at < BLOCK ? h->elements - at : BLOCK;
        status = (load ? prog_hook_load : prog_hook_store)(h, arrays, first, at, count,
                                                           packed + (size_t)at * element);
    }
    return status;
}

static sluice_status run_copied(const sluice_plan *plan, const sluice_arrays *arrays,
                                char *const packed[2], void *work, int workers, size_t first)
{
    const sched_hooked *h = plan->hooked;
    sluice_arrays inner = {
        .in = arrays->in,
        .in_im = arrays->in_im,
        .out = arrays->out,
        .out_im = arrays->out_im,
        .reserved = {
            [PROG_ARRAYS_FIRST] = first, [PROG_ARRAYS_SEEN] = arrays->reserved[PROG_ARRAYS_SEEN]}};
    sluice_status status = SLUICE_OK;

    if (is_copied(plan, 0)) {
        inner.in = packed[0];
        inner.in_im = NULL;
        status = copy_side(&h->side[0], arrays, first, packed[0], true);
    }
    if (is_copied(plan, 1)) {
        inner.out = packed[1];
        inner.out_im = NULL;
    }
    if (status == SLUICE_OK)
        status = plan->program->run(plan->program, &inner, work, workers);
    if (status == SLUICE_OK && is_copied(plan, 1))
        status = copy_side(&h->side[1], arrays, first, packed[1], false);
    return status;
}

sluice_status sched_plan_run(const sluice_plan *plan, const sluice_arrays *arrays, void *work,
                             int workers, size_t first)
{
    if (!plan->hooked || (first == 0 && !sched_hooks_copy(plan)))
        return plan->program->run(plan->program, arrays, work, workers);
    const size_t in = copied_bytes(plan, 0), bytes = in + copied_bytes(plan, 1);
    char *own = bytes && !work ? core_aligned_alloc(bytes) : NULL;
    if (bytes && !work && !own)
        return SLUICE_E_MEMORY;
    char *const begin = own || !work ? own : (char *)work + program_bytes(plan);
    char *const packed[2] = {begin, begin ? begin + in : NULL};
    const sluice_status status = run_copied(plan, arrays, packed, work, workers, first);
    core_aligned_free(own);
    return status;
}

static sluice_status run_entry(const backend_program *program, const sluice_arrays *arrays,
                               void *work, int workers)
{
    return sched_plan_run(((const sched_entry *)program)->plan, arrays, work, workers, 0);
}

void sched_hooks_enter(sluice_plan *plan)
{
    if (!sched_hooks_copy(plan))
        return; /* the program applies all hooks */
    plan->entry.base = (backend_program){
        .run = run_entry, .table = plan->program->table, .owner = plan->program->owner};
    plan->entry.plan = plan;
    plan->execution = &plan->entry.base;
}

/* ---- as text ---- */

/* Where the hooks of a side are applied, according to the program. */
static const char *describe_place(const sluice_plan *plan, int side)
{
    static const char *const place[][2] = {
        [BACKEND_HOOK_OUTSIDE] = {"in a pass before the first stage",
                                  "in a pass after the last stage"},
        [BACKEND_HOOK_FUSED] = {"as the first stage loads", "as the last stage stores"},
        [BACKEND_HOOK_KERNEL] = {"in a kernel before the first stage",
                                 "in a kernel after the last stage"}};
    return place[plan->program->takes_hook[side]][side];
}

static void print_side(const sluice_plan *plan, int side, core_text *out)
{
    static const char *const word[] = {"", "f32", "f64", "i16", "f16"};
    const sluice_side_hooks *s = side ? &plan->hooked->spec.out : &plan->hooked->spec.in;
    const prog_hook *h = &plan->hooked->side[side];
    const bool on_device = plan->machine->table->kind == SLUICE_UNIT_OPENCL;
    bool extent = false;

    core_text_printf(out, "# hooks of the %s:", side ? "output" : "input");
    if (s->storage != SLUICE_STORE_SAME)
        core_text_printf(out, " %s,", word[s->storage]);
    for (int d = 0; d < plan->problem.rank; d++)
        extent = extent || s->extent[d];
    for (int d = 0; extent && d < plan->problem.rank; d++)
        core_text_printf(out, "%s%zu", d ? "x" : " extent ",
                         s->extent[d] ? s->extent[d]
                                      : sched_problem_extent(&plan->problem,
                                                             plan->problem.batch_rank + d, side));
    core_text_printf(out, "%s", extent ? "," : "");
    if (h->weight)
        core_text_printf(out, " %lld weights,", (long long)(h->weights / h->scalars));
    if (h->call)
        core_text_printf(out, on_device && !h->opencl ? " a function without OpenCL text,"
                                                      : " a function,");
    core_text_printf(out, " %s\n", describe_place(plan, side));
}

void sched_hooks_print(const sluice_plan *plan, core_text *out)
{
    for (int side = 0; side < 2 && plan->hooked; side++)
        if (plan->hooked->on[side])
            print_side(plan, side, out);
}
