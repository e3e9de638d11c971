// SPDX-License-Identifier: BSD-3-Clause
/* Prepares a program: binds it to codelets (spl/bind), reserves scratch, chooses how it is run. */
#include "backends/cpu/cpu_prepare.h"

#include "backends/cpu/cost/cpu_cost.h"
#include "backends/cpu/run/cpu_hooks.h"
#include "backends/cpu/run/cpu_state.h"
#include "backends/cpu/run/cpu_statement.h"
#include "backends/cpu/run/cpu_weighed.h"
#include "core/mem.h"
#include "core/status.h"
#include "spl/bind/bind_slices.h"

static sluice_status reserve_scratch(cpu_program *p, sluice_diag *why)
{
    const cpu_state *owner = p->owner;
    const size_t bytes = p->tape.work_bytes;
    const bool small = bytes <= owner->local_store * (size_t)owner->units;

    p->scratch = small ? owner->small : owner->large;
    const sluice_status status = bytes ? cpu_scratch_grow(p->scratch, bytes, why) : SLUICE_OK;
    if (status == SLUICE_E_MEMORY)
        return core_fail(why, status, 0, "no memory for scratch of %s",
                         core_bytes((double)bytes).text);
    return status;
}

/* Does the codelet read or write im of a side where the user's arrays have it? */
static bool has_im_of_user(spl_format side, const bind_buf *buffer)
{
    return side == SPL_INTER || side == SPL_REAL || buffer->format == SPL_SPLIT;
}

/* Is each side one array? */
static bool is_pair_of_arrays(const spl_key *key)
{
    return key->in != SPL_SPLIT && key->out != SPL_SPLIT;
}

/* Is an op one call of one codelet on the user's pointers as they are? */
static bool is_call(const cpu_program *p, const bind_op *op)
{
    if (!op->fixed_count || op->last_count || op->in_offset || op->out_offset || op->in != 0
        || op->out != 1)
        return false;
    const spl_key *key = &op->codelet->key;
    return !bind_runs_sets(key) && key->tw != SPL_TW_FACTORED_SHARED
           && key->position != SPL_POS_G /* those read more fields of a call */
           && has_im_of_user(key->in, &p->tape.buf[0]) && has_im_of_user(key->out, &p->tape.buf[1]);
}

/* Is the program one such call? */
static bool is_direct(const cpu_program *p)
{
    return p->tape.nops == 1 && is_call(p, &p->tape.op[0]);
}

/* Does an iteration move only the pointers of the sides, not twiddles or the strides of rows? */
static bool moves_sides(const bind_step *step)
{
    return step->tw == 0 && step->is == 0 && step->os == 0;
}

/* Is the program one or two loops around such a call, run by one member, without prefetching? */
static bool is_repeated(const cpu_program *p)
{
    const size_t loops = p->tape.nops - 1;
    const bind_op *op = &p->tape.op[loops];

    if (loops < 1 || loops > 2 || op->op != BIND_KERN || op->scaling.rows || !is_call(p, op)
        || op->prefetch_columns || op->prefetch_next_set || !is_pair_of_arrays(&op->codelet->key))
        return false;
    for (const bind_op *loop = &p->tape.op[0]; loop < op; loop++)
        if (loop->op != BIND_LOOP || !loop->has_constant_steps || loop->par
            || loop->range.share_var >= 0 || !moves_sides(&loop->step[0]))
            return false;
    return true;
}

/* Does the program copy the user's interleaved array as a whole? */
static bool copies_whole_array(const bind_tape *p)
{
    const bind_op *op = &p->op[0];

    return p->nops == 1 && op->op == BIND_MOVE && op->var == IX_INDEX && op->outer.n == 1
           && op->in == 0 && op->out == 1 && p->buf[0].format == SPL_INTER
           && p->buf[1].format == SPL_INTER && op->in_offset == 0 && op->out_offset == 0
           && op->call.ics == 2 && op->call.ocs == 2;
}

static void repeat_call(cpu_program *p)
{
    const bind_op *op = &p->tape.op[p->tape.nops - 1];
    const ptrdiff_t scalar = (ptrdiff_t)p->tape.scalar;

    p->direct = (cpu_direct){
        .run = op->codelet->run, .count = op->fixed_count, .call = op->call, .loop[1].times = 1};
    for (int i = 0; i < (int)p->tape.nops - 1; i++) {
        const bind_op *loop = op - 1 - i;
        p->direct.loop[i].times = loop->range.n;
        p->direct.loop[i].in = loop->step[0].in * scalar;
        p->direct.loop[i].out = loop->step[0].out * scalar;
    }
    p->base.run = cpu_run_any;
    p->base.run_pair = cpu_run_repeated;
}

/* Chooses how the program is run: by its tape, or by one indirect call. */
static void choose_run(cpu_program *p)
{
    const bool direct = is_direct(p);

    if (copies_whole_array(&p->tape)) {
        p->copied = (size_t)p->tape.op[0].cols.n * 2 * p->tape.scalar;
        p->base.run = cpu_run_copy_arrays;
        p->base.run_pair = cpu_run_copy;
        return;
    }
    if (is_repeated(p)) {
        repeat_call(p);
        return;
    }
    const bind_op *op = &p->tape.op[0];
    const bool scaled = direct && op->scaling.rows > 0;
    const bool pair = direct && is_pair_of_arrays(&op->codelet->key);
    const spl_position position = op->codelet ? op->codelet->key.position : SPL_POS_C;
    const bool whole =
        direct && (position == SPL_POS_W || position == SPL_POS_S) && op->fixed_count == 1;

    if (direct)
        p->direct =
            (cpu_direct){.run = op->codelet->run, .count = op->fixed_count, .call = op->call};

    p->base.run = direct && !scaled ? cpu_run_arrays : cpu_run_any;
    if (pair && !scaled)
        p->base.run_pair = whole ? cpu_run_whole : cpu_run_direct;
    p->scaled = pair && scaled ? cpu_scaled_scalars(op) : 0;
    p->scale = cpu_scale[p->tape.target->isa][p->tape.precision];
    if (p->scaled)
        p->base.run_pair = cpu_run_direct_scaled;
}

/* Is the program one call, on transforms that each have all weights of the hook? */
static bool is_weighed_call(const cpu_program *p)
{
    const prog_hook *const *hook = p->tape.body->sides.hook;
    const bind_op *op = &p->tape.op[0];

    return is_direct(p) && p->base.takes_hook[0] && !hook[1] && op->codelet_weighed
           && !op->codelet_nt && !op->scaling.rows && op->tail.rows_in
           && prog_hook_only_weighs(hook[0])
           && hook[0]->weights == op->tail.n * (op->tail.in == SPL_INTER ? 2 : 1);
}

/* Finds the weights of a call in a list, if they are the same in every execution; false: they are
 * not. */
static bool find_weights(const cpu_program *p, const cpu_hooked *h, const bind_op *op,
                         spl_call *call)
{
    static const int64_t no_loops[IX_MAX_VARS];
    char *base[BIND_ARENAS];

    if (op->op != BIND_KERN || !op->fixed_count || op->last_count || op->scaling.rows)
        return false;
    for (int i = 0; i < BIND_ARENAS; i++)
        base[i] = h->base[0];
    cpu_statement_call(p, op, base, no_loops, call);
    return cpu_weigh_call(h, op, call, 0, (size_t)op->cols.n, 0, (size_t)op->outer.n);
}

/* If all calls of a list have fixed weights, stores these in the calls, like twiddles. */
static bool fix_weights(cpu_program *p)
{
    const prog_hook *const *hook = p->tape.body->sides.hook;
    const sluice_arrays none = {.in = NULL};
    cpu_hooked h;
    spl_call call;

    if (!p->tape.is_list || !p->base.takes_hook[0] || hook[1] || !prog_hook_only_weighs(hook[0]))
        return false;
    cpu_hooks_open(&h, &p->tape, p->base.takes_hook, &none);
    /* an address in the middle, as only differences count */
    h.base[0] = (char *)((uintptr_t)1 << (sizeof(uintptr_t) * 5));
    for (size_t i = 0; i < p->tape.nops; i++)
        if (cpu_hook_of(&h, &p->tape.op[i]) && !find_weights(p, &h, &p->tape.op[i], &call))
            return false;
    for (size_t i = 0; i < p->tape.nops; i++) {
        bind_op *op = &p->tape.op[i];
        if (!cpu_hook_of(&h, op) || !find_weights(p, &h, op, &call))
            continue;
        op->call.weight = call.weight;
        op->call.ws = call.ws;
        op->call.wcs = call.wcs;
        op->codelet = op->codelet_weighed;
        op->tail.run = op->codelet->run;
    }
    return true;
}

/* Chooses how a program with hooks is run. */
static void choose_hooked_run(cpu_program *p)
{
    p->base.run = cpu_run_any;
    if (!is_weighed_call(p)) {
        p->has_weights = fix_weights(p);
        return;
    }
    p->tape.op[0].call.weight = p->tape.body->sides.hook[0]->weight;
    p->base.run = cpu_run_weighed_arrays;
    p->base.run_pair = cpu_run_weighed;
}

/* Does a side's function see each element only once? */
static bool is_passed_once(const cpu_program *p, int side)
{
    return side == 1 || !p->tape.body->sides.hook[side]->call || prog_reads_once(p->tape.body);
}

/* Hooks are fused into the ops that read the input or write the output, if these can execute them.
 * Loops with constant steps cannot, so they are executed op by op. */
static void take_hooks(cpu_program *p)
{
    backend_hook_place *const takes = p->base.takes_hook;

    for (int side = 0; side < 2; side++) {
        const prog_hook *h = p->tape.body->sides.hook[side];
        const bool after = h && (side == 1 || !h->in_place); /* in place, it runs beforehand */
        takes[side] = after && cpu_hook_fits(&p->tape, side == 1) && is_passed_once(p, side)
                          ? BACKEND_HOOK_FUSED
                          : BACKEND_HOOK_OUTSIDE;
    }
    for (size_t i = 0; i < p->tape.nops && (takes[0] || takes[1]); i++)
        p->tape.op[i].has_constant_steps = false;
}

static bool is_hooked(const cpu_program *p)
{
    return p->base.takes_hook[0] || p->base.takes_hook[1];
}

static sluice_status choose_slices(cpu_program *p, sluice_diag *why)
{
    double model[PRICE_FIGURES];
    const price_unit unit = cpu_price_unit(p, model);

    const sluice_status status = price_choose_slices(&p->tape, &unit, why);
    if (status == SLUICE_OK)
        bind_scratch_in_blocks(&p->tape);
    return status;
}

/* Programs that take less time than this run on one member: each further member costs a wake-up, a
 * report, and moving the lines that it wrote to other cores (docs/log/memory.md). */
static const double alone_seconds = 5e-6;

static bool is_done_alone(const cpu_program *p)
{
    double model[PRICE_FIGURES], cpu, memory;
    const price_unit unit = cpu_price_unit(p, model);
    const size_t points =
        (size_t)(p->tape.body->cols > p->tape.body->rows ? p->tape.body->cols : p->tape.body->rows);

    return p->tape.members > 1 && !p->owner->always_teams
           && 2 * points * p->tape.scalar <= p->owner->local_store
           && price_tape(&p->tape, &unit, &cpu, &memory) == SLUICE_OK
           && cpu + memory < alone_seconds;
}

/* Binds the body. Scratch is reserved before tables, which may take long to make, and again if
 * slices need local buffers; a sketch has none. */
static sluice_status bind_body(cpu_program *p, const double *costs, const prog *body,
                               backend_transfer_mode mode, sluice_precision precision, bool sketch,
                               sluice_diag *why)
{
    const bind_target *target = body->sides.reproducible ? &p->owner->alike : &p->owner->target;
    sluice_status status =
        bind_open(&p->tape, target, costs, body, precision, mode == BACKEND_HELPER, why);

    p->tape.sketch = sketch;
    if (status == SLUICE_OK && !sketch)
        status = reserve_scratch(p, why);
    const size_t bytes = p->tape.work_bytes;
    if (status == SLUICE_OK)
        status = bind_program(&p->tape, why);
    if (status == SLUICE_OK)
        take_hooks(p);
    if (status == SLUICE_OK && !is_hooked(p))
        status = choose_slices(p, why);
    if (status == SLUICE_OK && !sketch && p->tape.work_bytes > bytes)
        status = reserve_scratch(p, why);
    return status;
}

static sluice_status prepare(backend *b, const double *costs, const prog *body,
                             backend_transfer_mode mode, sluice_precision precision, bool sketch,
                             backend_program **out, sluice_diag *why)
{
    cpu_program *p = core_calloc(1, sizeof *p);

    if (!p)
        return core_fail_memory(why);
    p->owner = (cpu_state *)b;
    p->base.table = p->owner->table;
    p->base.owner = b;
    const sluice_status status = bind_body(p, costs, body, mode, precision, sketch, why);
    if (status != SLUICE_OK) {
        cpu_release(&p->base);
        return status;
    }
    if (!sketch) {
        p->alone = !is_hooked(p) && is_done_alone(p);
        (is_hooked(p) ? choose_hooked_run : choose_run)(p);
    }
    *out = &p->base;
    return SLUICE_OK;
}

sluice_status cpu_prepare(backend *b, const double *costs, const prog *body,
                          backend_transfer_mode mode, sluice_precision precision,
                          backend_program **out, sluice_diag *why)
{
    return prepare(b, costs, body, mode, precision, false, out, why);
}

sluice_status cpu_sketch(backend *b, const double *costs, const prog *body,
                         backend_transfer_mode mode, sluice_precision precision,
                         backend_program **out, sluice_diag *why)
{
    return prepare(b, costs, body, mode, precision, true, out, why);
}

void cpu_release(backend_program *program)
{
    cpu_program *p = (cpu_program *)program;

    if (!p)
        return;
    bind_release(&p->tape);
    core_free(p);
}
