// SPDX-License-Identifier: BSD-3-Clause
/* Prints the kernels of a tape, and makes their arguments and launches. */
#include "spl/emit/tape_opencl.h"

#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/emit/tape_opencl_parts.h"

enum { LINE = 64 };

static void fail(tape_c *e, sluice_status status, const char *sentence)
{
    if (e->opencl->status == SLUICE_OK)
        e->opencl->status = core_fail(e->opencl->why, status, 0, "%s", sentence);
}

/* ---- kernels ---- */

static device_kernel *add_kernel(tape_c *e)
{
    device_program *d = e->opencl->out;
    device_kernel *more = core_realloc(d->kernel, ((size_t)d->nkernels + 1) * sizeof *more);

    if (!more) {
        fail(e, SLUICE_E_MEMORY, "out of memory");
        return NULL;
    }
    d->kernel = more;
    more[d->nkernels] = (device_kernel){.groups = 1, .items = 1};
    core_text_printf(&more[d->nkernels].name, "step%d", d->nkernels);
    return &more[d->nkernels++];
}

/* Adds a parameter to a kernel, and its declaration to `parameters`. */
static void add_arg(tape_c *e, device_kernel *k, device_arg arg, const char *declaration,
                    core_text *parameters)
{
    device_arg *more = core_realloc(k->arg, ((size_t)k->nargs + 1) * sizeof *more);

    if (!more) {
        fail(e, SLUICE_E_MEMORY, "out of memory");
        return;
    }
    k->arg = more;
    k->arg[k->nargs++] = arg;
    core_text_printf(parameters, "%s%s", k->nargs > 1 ? ", " : "", declaration);
}

/* Adds a buffer, which may begin after its memory object does; `name` is its name in the kernel. */
static void add_buffer(tape_c *e, device_kernel *k, device_role role, const char *type,
                       const char *name, core_text *parameters, core_text *body)
{
    if (!e->opencl->how->offsets) {
        add_arg(e, k, (device_arg){.role = role}, gen_print("%s%s", type, name).text, parameters);
        return;
    }
    add_arg(e, k, (device_arg){.role = role}, gen_print("%sall_%s", type, name).text, parameters);
    add_arg(e, k, (device_arg){.role = DEVICE_OFFSET, .number = (int)role},
            gen_print("long from_%s", name).text, parameters);
    core_text_printf(body, "    %sconst %s = all_%s + from_%s;\n", type, name, name, name);
}

/* The user's array of an arena, from its element 0 on; in place the input is the output. */
static void print_side(tape_c *e, device_kernel *k, bind_arena arena, core_text *parameters,
                       core_text *body)
{
    static const struct {
        const char *name, *type;
    } side[] = {
        {"in", "const char *"}, {"in_im", "const char *"}, {"out", "char *"}, {"out_im", "char *"}};
    const device_program *d = e->opencl->out;
    const bool in = arena <= BIND_ARENA_IN_IM;
    const bool aliased = in && d->in_place; /* it needs no parameter of its own */
    const int role = aliased ? (int)arena + DEVICE_OUT : (int)arena;
    const device_side *s = &d->side[!in];

    if (!aliased || !e->opencl->uses[role])
        add_buffer(e, k, (device_role)role, side[role].type,
                   gen_print("at_%s", side[role].name).text, parameters, body);
    core_text_printf(body, "    %sconst %s = at_%s - (%" PRId64 ");\n", side[arena].type,
                     side[arena].name, side[role].name, s->low * (int64_t)s->element_bytes);
}

/* Declares scratch that all share, and the group's memory. */
static void print_memory(tape_c *e, device_kernel *k, core_text *parameters, core_text *body)
{
    const bind_tape *p = e->p;
    device_program *d = e->opencl->out;
    const int64_t bytes = ((int64_t)p->local_bytes + LINE - 1) / LINE * LINE;

    if (e->opencl->uses[BIND_ARENA_SHARED]) {
        d->scratch_bytes = (int64_t)p->shared_bytes;
        add_buffer(e, k, DEVICE_SCRATCH, "char *", "shared", parameters, body);
    }
    if (!e->opencl->uses[BIND_ARENA_LOCAL])
        return;
    if (bytes <= e->opencl->how->local_bytes) {
        k->local_bytes = bytes;
        core_text_printf(body,
                         "    __local float16 lines_of_group[%" PRId64 "];\n"
                         "    char *const own = BIND_ARRAY(char, lines_of_group);\n",
                         bytes / LINE);
        return;
    }
    if (k->groups * bytes > d->spill_bytes)
        d->spill_bytes = k->groups * bytes;
    add_buffer(e, k, DEVICE_SPILL, "char *", "spill", parameters, body);
    core_text_printf(
        body, "    char *const own = spill + (ptrdiff_t)get_group_id(0) * %" PRId64 ";\n", bytes);
}

/* The parameters of a kernel, which follow from what its statements use, and their names. */
static void print_parameters(tape_c *e, device_kernel *k, const int *loop, int loops,
                             core_text *parameters, core_text *body)
{
    for (int a = BIND_ARENA_OUT_IM; a >= BIND_ARENA_IN;
         a--) /* output first, as input in place refers to it */
        if (e->opencl->uses[a])
            print_side(e, k, (bind_arena)a, parameters, body);
    print_memory(e, k, parameters, body);
    for (int t = 0; t < TAPE_OPENCL_TABLES; t++)
        if (e->opencl->uses_table[t])
            add_arg(e, k, (device_arg){.role = DEVICE_TABLE, .number = t},
                    gen_print("const char *table%d", t).text, parameters);
    for (int l = 0; l < loops; l++)
        add_arg(e, k, (device_arg){.role = DEVICE_LOOP, .number = loop[l]},
                gen_print("long k%d", loop[l]).text, parameters);
}

/* The kernels printed so far, and the enclosing loops of the host. */
typedef struct walk {
    core_text kernels;
    int loops, loop[IX_MAX_VARS];
} walk;

static void begin_kernel(tape_c *e)
{
    tape_opencl *o = e->opencl;

    memset(o->uses, 0, sizeof o->uses);
    memset(o->uses_table, 0, sizeof o->uses_table);
    o->split_var = -1;
    core_text_free(&e->c.text);
    e->c.text = (core_text){0};
}

/* Prints ops from .. to-1, or one iteration of the parallel loop `from`, as a kernel. */
static void print_kernel(tape_c *e, walk *w, size_t from, size_t to)
{
    const bind_op *op = &e->p->op[from];
    device_kernel *k = add_kernel(e);
    core_text parameters = {0}, body = {0};

    if (!k)
        return;
    begin_kernel(e);
    if (op->op == BIND_LOOP && op->par) {
        e->opencl->split_var = op->var;
        e->opencl->split = tape_opencl_split(e, op);
        k->groups = op->range.n * e->opencl->split;
        spl_c_line(&e->c, 1, "const int64_t k%d = (int64_t)get_group_id(0);\n", op->var);
        tape_c_body(e, op, 1, true);
    } else {
        tape_c_ops(e, from, to, 1, true);
    }
    if (e->p->has_nt_stores) /* they have to be visible when the kernel ends */
        spl_c_line(&e->c, 1, "__sync_synchronize();\n");
    print_parameters(e, k, w->loop, w->loops, &parameters, &body);
    core_text_printf(&w->kernels, "\nSTEP void %s(%s)\n{\n%s%s}\n", core_text_string(&k->name),
                     core_text_string(&parameters), core_text_string(&body),
                     core_text_string(&e->c.text));
    w->kernels.failed = w->kernels.failed || parameters.failed || body.failed || e->c.text.failed;
    core_text_free(&parameters);
    core_text_free(&body);
}

/* Adds a step; returns its index, -1: out of memory. */
static int add_step(tape_c *e, int kernel, const spl_range *range)
{
    const int at = device_step_add(e->opencl->out, kernel, range);

    if (at < 0)
        fail(e, SLUICE_E_MEMORY, "out of memory");
    return at;
}

static bool is_shared_out(const bind_op *op)
{
    return op->op == BIND_LOOP && op->has_par;
}

static void walk_ops(tape_c *e, walk *w, size_t from, size_t to);

/* A loop around parallel ones becomes a loop of the host. */
static void walk_loop(tape_c *e, walk *w, size_t at)
{
    const bind_op *op = &e->p->op[at];
    const int step = add_step(e, -1, &op->range);

    if (step < 0)
        return;
    w->loop[w->loops++] = op->var;
    walk_ops(e, w, at + 1, op->end);
    w->loops--;
    e->opencl->out->step[step].end = e->opencl->out->nsteps;
}

static void walk_ops(tape_c *e, walk *w, size_t from, size_t to)
{
    for (size_t i = from, next; i < to && e->opencl->status == SLUICE_OK; i = next) {
        const bind_op *op = &e->p->op[i];
        next = bind_next_op(e->p, i);
        if (op->op == BIND_SYNC)
            continue;
        if (is_shared_out(op) && op->range.share_var >= 0) {
            fail(e, SLUICE_E_UNSUPPORTED, "OpenCL C of a parallel loop over a share of another");
        } else if (is_shared_out(op) && !op->par) {
            walk_loop(e, w, i);
        } else {
            while (!is_shared_out(op) && next < to && !is_shared_out(&e->p->op[next]))
                next = bind_next_op(e->p, next);
            print_kernel(e, w, i, next);
            (void)add_step(e, e->opencl->out->nkernels - 1, NULL);
        }
    }
}

/* Refuses programs in which a member's memory would have to survive from kernel to kernel. */
static void check_memory(tape_c *e)
{
    const device_program *d = e->opencl->out;

    for (int k = 0; k < d->nkernels; k++)
        if (d->nkernels > 1 && d->kernel[k].groups == 1 && d->kernel[k].local_bytes > 0)
            fail(e, SLUICE_E_UNSUPPORTED,
                 "OpenCL C of a program with memory of its members outside parallel loops");
}

/* ---- the whole ---- */

gen_name tape_opencl_codelet(tape_c *e, const spl_codelet *codelet)
{
    tape_opencl *o = e->opencl;
    int i = 0;

    while (i < o->codelets && o->codelet[i] != codelet)
        i++;
    if (i == TAPE_OPENCL_CODELETS)
        fail(e, SLUICE_E_UNSUPPORTED, "OpenCL C of more than 256 codelets");
    else if (i == o->codelets)
        o->codelet[o->codelets++] = codelet;
    return gen_print("%d", i);
}

sluice_status tape_opencl_print(const bind_tape *p, const tape_opencl_how *how, device_program *out,
                                sluice_diag *why)
{
    tape_opencl o = {.how = how, .out = out, .why = why};
    tape_c e = {.p = p, .c = SPL_C("index"), .opencl = &o};
    walk w = {.loops = 0};

    o.status = tape_c_check_evaluated(p, "OpenCL C", why);
    if (o.status != SLUICE_OK)
        return o.status;
    device_sides_of(out, p->body, p->precision);
    out->index_bytes = sizeof(int64_t);
    tape_opencl_tables(&e);
    walk_ops(&e, &w, 0, p->nops);
    check_memory(&e);
    if (o.status == SLUICE_OK && !tape_opencl_source(&e, &w.kernels, &out->source))
        o.status = core_fail_memory(why);
    core_text_free(&w.kernels);
    core_text_free(&e.c.text);
    core_text_free(&e.c.data);
    return o.status;
}
