// SPDX-License-Identifier: BSD-3-Clause
/* Finds the loops whose addresses are computed once and then advance by constant steps: loops of
 * kernels that always have the same number of columns, and loops of such loops. An inner loop of n
 * iterations leaves a kernel's addresses n of its steps further on, so the outer loop's step takes
 * these back. In loops that move data in slices, steps may also alternate between two buffers. */
#include "spl/bind/bind_choice.h"
#include "spl/bind/bind_slices.h"

static void add_to(bind_step *sum, const bind_step *s)
{
    sum->in += s->in;
    sum->out += s->out;
    sum->tw += s->tw;
    sum->is += s->is;
    sum->os += s->os;
}

/* Sums the steps of a loop: `step`, and `turn` between the `copies` copies of a rotating buffer;
 * false: it has other steps as well. */
static bool sum_steps(const bind_op *op, int var, int copies, bind_step *step, bind_step *turn)
{
    *step = *turn = (bind_step){.var = var};
    for (int i = 0; i < op->nsteps; i++) {
        const bind_step *s = &op->step[i];
        if (s->var != var)
            continue;
        if (s->ext != 0 && (s->div != 1 || s->ext != copies))
            return false;
        add_to(s->ext ? turn : step, s);
    }
    return true;
}

bool bind_alternating_steps(const bind_op *op, int var, bind_step *step, bind_step *turn)
{
    return sum_steps(op, var, BIND_SLICE_COPIES, step, turn);
}

bool bind_uniform_step(const bind_op *op, int var, bind_step *out)
{
    bind_step turn;

    return sum_steps(op, var, 0, out, &turn);
}

/* Do only the kernel's addresses differ from iteration to iteration? */
static bool has_fixed_shape(const bind_op *op)
{
    return op->op == BIND_KERN && op->codelet && op->cols.share_var < 0 && op->outer.share_var < 0;
}

/* Does the loop have the same iterations, with known steps, whichever member runs it? */
static bool is_inner_loop(const bind_tape *p, const bind_op *op)
{
    return op->op == BIND_LOOP && op->has_constant_steps && !op->par && !op->has_par && !op->slices
           && op->range.share_var < 0 && !p->may_overlap;
}

static bool step_of(const bind_op *op, const bind_op *loop, const bind_op *inner, bind_step *step)
{
    bind_step back = {0}, turn;

    if (!(loop->slices ? bind_alternating_steps(op, loop->var, step, &turn)
                       : bind_uniform_step(op, loop->var, step))
        || (inner && !bind_uniform_step(op, inner->var, &back)))
        return false;
    const ptrdiff_t n = inner ? (ptrdiff_t)inner->range.n : 0;
    step->in -= n * back.in;
    step->out -= n * back.out;
    step->tw -= n * back.tw;
    step->is -= n * back.is;
    step->os -= n * back.os;
    return true;
}

/* Do the blocks that a loop moves in slices have constant distances? */
static bool moves_evenly(const bind_op *loop)
{
    const bind_slices *s = loop->slices;
    bind_step step, turn;

    return bind_alternating_steps(&s->get, loop->var, &step, &turn)
           && bind_alternating_steps(&s->put, loop->var, &step, &turn);
}

/* Finds the step of the loop for each kernel inside. */
static bool find_steps(const bind_tape *p, bind_op *loop)
{
    const bind_op *inner = NULL; /* the outermost loop inside that holds the kernel */
    size_t steps = 0;
    int kernels = 0;

    if (loop->op != BIND_LOOP || (loop->slices && !moves_evenly(loop)))
        return false;
    for (const bind_op *op = loop + 1; op < &p->op[loop->end]; op++) {
        if (inner && op >= &p->op[inner->end])
            inner = NULL;
        if (is_inner_loop(p, op)) {
            inner = inner ? inner : op;
            steps += op->end - (size_t)(op - p->op) - 1;
            continue;
        }
        if (kernels == BIND_MAX_STEPPED || !has_fixed_shape(op)
            || !step_of(op, loop, inner, &loop->step[kernels]))
            return false;
        kernels++;
    }
    return kernels > 0 && steps + (size_t)kernels <= BIND_MAX_NEST_STEPS;
}

void bind_constant_steps(bind_tape *p)
{
    for (size_t i = p->nops; i-- > 0;) /* loops inside first */
        p->op[i].has_constant_steps = find_steps(p, &p->op[i]);
}
