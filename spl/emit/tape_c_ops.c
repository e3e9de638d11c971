// SPDX-License-Identifier: BSD-3-Clause
/* The tape as C: loops as loops, kernels as calls of codelets, addresses as sums of loop counters
 * and digits of them. A printed statement does what the target does with the op. */
#include <inttypes.h>

#include "core/cpu.h"
#include "core/real.h"
#include "spl/bind/bind_slices.h"
#include "spl/codelet/gen.h"
#include "spl/emit/tape_c.h"
#include "spl/emit/tape_opencl_parts.h"

static void print_side(tape_c *e, const bind_op *op, int depth, bool in)
{
    static const char *const field[2][2] = {{"out_re", "out_im"}, {"in_re", "in_im"}};

    for (int part = 0; part < 2; part++) {
        spl_c_line(&e->c, depth, ".%s = ", field[in][part]);
        tape_c_pointer(e, &op->base[(in ? 0 : 2) + part]);
        tape_c_steps(e, op, 0, in ? TAPE_C_IN : TAPE_C_OUT);
        if (part == 1 && op->mirrored[!in])
            tape_c_steps(e, op, 0, in ? TAPE_C_IN_ROW_BYTES : TAPE_C_OUT_ROW_BYTES);
        core_text_printf(&e->c.text, ",\n");
    }
}

static void print_offsets(tape_c *e, const bind_op *op, size_t number)
{
    const int n = op->codelet->key.n;

    core_text_printf(&e->c.data, "static const ptrdiff_t offsets_%zu[] = {", number);
    for (int i = 0; i < 2 * n; i++)
        core_text_printf(&e->c.data, "%s%td", spl_c_separator(i), op->offsets[i]);
    core_text_printf(&e->c.data, "};\n");
}

/* The text of a table's address. */
static gen_name table_of(tape_c *e, const bind_table *table)
{
    const int number = tape_c_table(e->p, table);

    if (e->opencl)
        return tape_opencl_table(e, number);
    return gen_print("(const char *)tables[%d].data", number);
}

static void print_call(tape_c *e, const bind_op *op, size_t number, int depth)
{
    const spl_call *c = &op->call;

    spl_c_line(&e->c, depth, "spl_call call = {\n");
    print_side(e, op, depth + 1, true);
    print_side(e, op, depth + 1, false);
    if (op->table) {
        spl_c_line(&e->c, depth + 1, ".tw = %s", table_of(e, op->table).text);
        tape_c_steps(e, op, 0, TAPE_C_TABLE);
        core_text_printf(&e->c.text, ",\n");
    }
    if (op->shared_table)
        spl_c_line(&e->c, depth + 1, ".tw_shared = %s,\n", table_of(e, op->shared_table).text);
    spl_c_line(&e->c, depth + 1, ".is = %td", c->is);
    tape_c_steps(e, op, 0, TAPE_C_IN_ROWS);
    core_text_printf(&e->c.text, ", .os = %td", c->os);
    tape_c_steps(e, op, 0, TAPE_C_OUT_ROWS);
    core_text_printf(&e->c.text, ", .ics = %td, .ocs = %td", c->ics, c->ocs);
    if (op->offsets) {
        print_offsets(e, op, number);
        core_text_printf(&e->c.text,
                         ", .in_off = BIND_ARRAY(const ptrdiff_t, offsets_%zu)"
                         ", .out_off = BIND_ARRAY(const ptrdiff_t, offsets_%zu + %d)",
                         number, number, op->codelet->key.n);
    }
    if (c->set_columns)
        core_text_printf(&e->c.text, ", .set_columns = %zu", c->set_columns);
    if (c->iouter || c->oouter)
        core_text_printf(&e->c.text, ", .iouter = %td, .oouter = %td", c->iouter, c->oouter);
    if (c->inverse)
        core_text_printf(&e->c.text, ", .inverse = 1");
    if (c->ics1 || c->ocs1)
        core_text_printf(&e->c.text, ", .ics1 = %td, .ocs1 = %td", c->ics1, c->ocs1);
    core_text_printf(&e->c.text, "};\n");
}

/* The argument by which functions get a codelet: its name, or in OpenCL C its number. */
static gen_name codelet_of(tape_c *e, const spl_codelet *codelet)
{
    return e->opencl ? tape_opencl_codelet(e, codelet) : gen_print("%s", codelet->name);
}

/* Prints the codelets of shorter vectors for the tail. */
static void print_shorter(tape_c *e, const bind_op *op)
{
    for (int i = 0; i < BIND_WIDTHS && op->shorter[i]; i++)
        core_text_printf(&e->c.data, "%s{%s, %d}", i ? ", " : ",\n    .shorter = {",
                         codelet_of(e, op->shorter[i]).text, op->shorter[i]->key.lanes);
    core_text_printf(&e->c.data, "%s};\n", op->shorter[0] ? "}" : "");
}

static void print_tail(tape_c *e, const bind_op *op, size_t number)
{
    static const char *const format[] = {"SPL_INTER", "SPL_SPLIT", "SPL_REAL", "SPL_MIRROR"};
    static const char *const tw[] = {"SPL_TW_NONE", "SPL_TW_VECTOR", "SPL_TW_BROADCAST",
                                     "SPL_TW_FACTORED", "SPL_TW_FACTORED_SHARED"};
    const bind_tail *t = &op->tail;

    core_text_printf(
        &e->c.data,
        "static const bind_tail tail_%zu = {.run = %s, .n = %d, .outputs = %d, .lanes = %d,\n"
        "    .unit = %d, .in = %s, .out = %s, .rows_in = %s, .rows_out = %s, .pairs = %s,\n"
        "    .tw = %s, .sets = %s, .may_start_early = %s, .repeats = %s, .columns = %zu, .block = "
        "%zu,\n"
        "    .scalar = %zu",
        number, codelet_of(e, op->codelet).text, t->n, t->outputs, t->lanes, t->unit, format[t->in],
        format[t->out], spl_truth(t->rows_in), spl_truth(t->rows_out), spl_truth(t->pairs),
        tw[t->tw], spl_truth(t->sets), spl_truth(t->may_start_early), spl_truth(t->repeats),
        t->columns, t->block, t->scalar);
    print_shorter(e, op);
    if (op->scaling.rows)
        core_text_printf(
            &e->c.data,
            "static const bind_scaling scaling_%zu = {.by = %s, .rows = %d, .piece = %zu};\n",
            number, core_real(op->scaling.by).text, op->scaling.rows, op->scaling.piece);
}

/* Declares lo and hi, the bounds of this iteration's share of a range. */
static void print_range(tape_c *e, const spl_range *r, int depth, const char *lo, const char *hi)
{
    spl_c_line(&e->c, depth, "int64_t %s = 0, %s = %" PRId64 ";\n", lo, hi, r->n);
    if (r->share_var < 0)
        return;
    spl_range shared = *r;
    if (e->opencl && r->share_var == e->opencl->split_var)
        shared.shares *= e->opencl->split;
    spl_c_share(&e->c, depth, &shared, lo, hi);
}

/* Prints a call for columns lo..hi-1 that also prefetches the input of a later call. */
static void print_prefetch(tape_c *e, const bind_op *op, size_t number, const char *run, int depth)
{
    const bind_op *first = op->prefetch_op ? &e->p->op[op->prefetch_op] : NULL;

    spl_c_line(&e->c, depth, "cpu_prefetch_columns(&tail_%zu, %s, &call,\n", number, run);
    spl_c_line(&e->c, depth + 3,
               "(cpu_prefetch){.columns = %zu, .bytes = %zu, .step = %td, .to_l2 = %s,\n",
               op->prefetch_columns, op->prefetch_bytes, op->prefetch_step,
               spl_truth(first != NULL));
    spl_c_line(&e->c, depth + 3, "    .next = ");
    if (first) {
        tape_c_pointer(e, &first->base[0]);
        tape_c_steps(e, first, 0, TAPE_C_IN);
        core_text_printf(&e->c.text, " + (%td)", op->prefetch_offset);
        if (op->prefetch_apart) {
            core_text_printf(&e->c.text, ",\n");
            spl_c_line(&e->c, depth + 3, "    .next_im = ");
            tape_c_pointer(e, &first->base[1]);
            tape_c_steps(e, first, 0, TAPE_C_IN);
            core_text_printf(&e->c.text, " + (%td)", op->prefetch_offset);
        }
        core_text_printf(&e->c.text, "},\n");
    } else {
        core_text_printf(&e->c.text, "(const char *)call.in_re + (lo + %zu) * %td},\n",
                         BIND_PREFETCH_DISTANCE * op->prefetch_columns,
                         op->call.ics * (ptrdiff_t)e->p->scalar);
    }
    spl_c_line(&e->c, depth + 3, "(size_t)lo, (size_t)hi);\n");
}

/* Arguments: the tail, the scaling, and the function that scales. */
static gen_name scaling_of(const tape_c *e, size_t number)
{
    if (e->opencl) /* see cpu_scale_run in snippets_device.cl */
        return gen_print("&tail_%zu, &scaling_%zu, %zu", number, number, e->p->scalar);
    return gen_print("&tail_%zu, &scaling_%zu, cpu_scale_%s_%s", number, number,
                     core_isa_name(e->p->target->isa),
                     e->p->precision == SLUICE_F32 ? "f32" : "f64");
}

static void print_scaled_columns(tape_c *e, const bind_op *op, size_t number, int depth)
{
    const gen_name scaling = scaling_of(e, number);
    const bool lines = bind_stores_lines(e->p, op);

    print_range(e, &op->cols, depth, "lo", "hi");
    print_range(e, &op->outer, depth, "first", "last");
    if (lines) {
        spl_c_line(&e->c, depth, "if (((uintptr_t)call.out_re & 63) == 0)\n");
        spl_c_line(&e->c, depth + 1, "cpu_scaled_lines(%s, %s, &call, (size_t)lo, (size_t)hi);\n",
                   scaling.text, codelet_of(e, op->codelet_nt).text);
        spl_c_line(&e->c, depth, "else\n");
    }
    spl_c_line(&e->c, depth + lines,
               "cpu_scaled_columns(%s, %s, &call, (size_t)lo, (size_t)hi, (size_t)first,\n"
               "%*s(size_t)(last - first));\n",
               scaling.text, codelet_of(e, op->codelet).text, 4 * depth + 8, "");
}

/* Scales results after columns that were computed in slices. */
static void print_scaled_results(tape_c *e, const bind_op *op, size_t number, int depth)
{
    spl_c_line(&e->c, depth, "cpu_scale_results(%s, &call, 0, %" PRId64 ", 0, %" PRId64 ");\n",
               scaling_of(e, number).text, op->cols.n, op->outer.n);
}

static void print_columns(tape_c *e, const bind_op *op, size_t number, int depth)
{
    const bool lines = bind_stores_lines(e->p, op), slices = op->slice_columns;
    const gen_name codelet = codelet_of(e, op->codelet);
    const char *const run = lines ? "run" : codelet.text;

    if (op->scaling.rows && !slices) {
        print_scaled_columns(e, op, number, depth);
        return;
    }
    if (lines) /* non-temporal stores, if vectors are whole lines */
        spl_c_line(&e->c, depth,
                   "spl_codelet_fn *const run = ((uintptr_t)call.out_re & 63) == 0\n"
                   "%*s? %s\n%*s: %s;\n",
                   4 * depth + 4, "", codelet_of(e, op->codelet_nt).text, 4 * depth + 4, "",
                   codelet.text);
    if (slices) {
        spl_c_line(&e->c, depth,
                   "cpu_slice_columns(&tail_%zu, %s, &call, %zu, 0, %" PRId64 ", 0, %" PRId64
                   ", &slices);\n",
                   number, run, op->slice_columns, op->cols.n, op->outer.n);
        if (op->scaling.rows)
            print_scaled_results(e, op, number, depth);
        return;
    }
    print_range(e, &op->cols, depth, "lo", "hi");
    if (op->prefetch_columns) {
        print_prefetch(e, op, number, run, depth);
        return;
    }
    print_range(e, &op->outer, depth, "first", "last");
    spl_c_line(&e->c, depth,
               "cpu_columns(&tail_%zu, %s, &call, (size_t)lo, (size_t)hi,\n"
               "%*s(size_t)first, (size_t)(last - first));\n",
               number, run, 4 * depth + 12, "");
}

static void print_kernel(tape_c *e, const bind_op *op, int depth)
{
    const size_t number = (size_t)(op - e->p->op);
    const bool columns =
        !op->fixed_count || op->last_count || op->scaling.rows || op->prefetch_columns;

    if (columns || op->prefetch_next_set)
        print_tail(e, op, number);
    spl_c_line(&e->c, depth, "{\n");
    print_call(e, op, number, depth + 1);
    if (columns)
        print_columns(e, op, number, depth + 1);
    else if (op->prefetch_next_set)
        spl_c_line(&e->c, depth + 1, "cpu_prefetch_sets(&tail_%zu, &call, %zu, %td, %s);\n", number,
                   op->fixed_count, op->next_iteration_bytes, spl_truth(op->prefetch_to_l2));
    else
        spl_c_line(&e->c, depth + 1, "%s(&call, 0, %zu);\n", op->codelet->name, op->fixed_count);
    spl_c_line(&e->c, depth, "}\n");
}

/* A move: the loops that binding merged into the op, with addresses as expressions. */
static void print_move(tape_c *e, const bind_op *op, int depth)
{
    const bool rows = op->outer.n > 1;
    const ptrdiff_t scalar = (ptrdiff_t)e->p->scalar;
    bind_op at = *op; /* addresses are printed with their constants */

    for (int i = 0; i < 4; i++)
        at.base[i].bytes -= (i < 2 ? op->in_offset : op->out_offset) * scalar;
    if (op->var == IX_INDEX && !rows) {
        tape_c_eval(e, &at, depth);
        return;
    }
    spl_c_line(&e->c, depth, "{\n");
    if (rows) {
        print_range(e, &op->outer, depth + 1, "first", "last");
        spl_c_for(&e->c, depth + 1, gen_print("k%d", op->outer.var).text, "first", "last", " {");
    }
    if (op->var != IX_INDEX) {
        print_range(e, &op->cols, depth + 1 + rows, "lo", "hi");
        spl_c_for(&e->c, depth + 1 + rows, gen_print("k%d", op->var).text, "lo", "hi", "");
    }
    tape_c_eval(e, &at, depth + 2 + rows);
    if (rows)
        spl_c_line(&e->c, depth + 1, "}\n");
    spl_c_line(&e->c, depth, "}\n");
}

/* Before the body of a loop that moves its data in slices: sets the range to be prefetched. */
static void print_get(tape_c *e, const bind_slices *s, int depth)
{
    if (!s->get_bytes)
        return;
    spl_c_line(&e->c, depth, "cpu_slices_get(&slices, ");
    tape_c_pointer(e, &s->get.base[0]);
    tape_c_steps(e, &s->get, 0, TAPE_C_IN);
    core_text_printf(&e->c.text, ", %zu);\n", s->get_bytes);
}

/* After the body: sets the range to be written during the next iteration. */
static void print_put(tape_c *e, const bind_slices *s, int depth)
{
    if (!s->put_bytes)
        return;
    spl_c_line(&e->c, depth, "cpu_slices_put(&slices, ");
    tape_c_pointer(e, &s->put.base[2]);
    tape_c_steps(e, &s->put, 0, TAPE_C_OUT);
    core_text_printf(&e->c.text, ",\n");
    spl_c_line(&e->c, depth, "               ");
    tape_c_pointer(e, &s->put.base[0]);
    tape_c_steps(e, &s->put, 0, TAPE_C_IN);
    core_text_printf(&e->c.text, ", %zu);\n", s->put_bytes);
}

static void print_slices(tape_c *e, const bind_slices *s, int depth)
{
    const char *const isa = core_isa_name(e->p->target->isa);
    const gen_name lines = e->opencl ? gen_print("0") : gen_print("cpu_lines_%s", isa);

    spl_c_line(&e->c, depth,
               "cpu_slices slices = {.get_slice = %zu, .put_slice = %zu, .lines = %s};\n",
               s->get_slice, s->put_slice, lines.text);
}

void tape_c_body(tape_c *e, const bind_op *loop, int depth, bool in_par)
{
    const bind_slices *const slices = loop->slices;

    if (slices)
        print_get(e, slices, depth);
    tape_c_ops(e, (size_t)(loop - e->p->op) + 1, loop->end, depth, in_par);
    if (slices)
        print_put(e, slices, depth);
}

/* A loop and its body. The bounds of shares are variables, hence a block around the loop. */
static void print_loop(tape_c *e, const bind_op *op, int depth, bool in_par)
{
    const spl_range *r = &op->range;
    const bind_slices *const slices = op->slices;
    const bool shared = slices || (r->share_var >= 0 && !(op->par && e->team));
    const int inner = depth + shared;
    const gen_name var = gen_print("k%d", op->var);

    if (shared) {
        spl_c_line(&e->c, depth, "{\n");
        if (slices)
            print_slices(e, slices, inner);
        print_range(e, r, inner, "low", "high");
        spl_c_for(&e->c, inner, var.text, "low", "high", " {");
    } else if (op->par && e->team) {
        spl_c_line(&e->c, depth, "loops++;\n");
        spl_c_line(&e->c, depth, "for (int64_t %s; (%s = team_part(loops, %" PRId64 ")) >= 0;) {\n",
                   var.text, var.text, r->n);
    } else {
        spl_c_for(&e->c, depth, var.text, "0", gen_print("%" PRId64, r->n).text, " {");
    }
    tape_c_body(e, op, inner + 1, in_par);
    spl_c_line(&e->c, inner, "}\n");
    if (slices)
        spl_c_line(&e->c, inner, "cpu_slices_end(&slices);\n");
    if (shared)
        spl_c_line(&e->c, depth, "}\n");
}

static void print_sync(tape_c *e, int depth)
{
    if (e->p->has_nt_stores && !e->opencl)
        spl_c_line(&e->c, depth, "__builtin_ia32_sfence();\n");
    if (e->team)
        spl_c_line(&e->c, depth, "team_sync();\n");
}

void tape_c_ops(tape_c *e, size_t from, size_t to, int depth, bool in_par)
{
    for (size_t i = from; i < to;) {
        const bind_op *op = &e->p->op[i];
        /* Ops outside of parallel loops are executed by member 0. */
        const bool alone =
            e->team && !in_par && op->op != BIND_SYNC && !(op->op == BIND_LOOP && op->has_par);
        const int inner = depth + alone;
        if (alone)
            spl_c_line(&e->c, depth, "if (member == 0) {\n");
        if (op->op == BIND_LOOP) {
            print_loop(e, op, inner, in_par || op->par || alone);
        } else if (op->op == BIND_KERN) {
            print_kernel(e, op, inner);
        } else if (op->op == BIND_EVAL) {
            tape_c_eval(e, op, inner);
        } else if (op->op == BIND_MOVE) {
            print_move(e, op, inner);
        } else if (op->op == BIND_ZERO) {
            tape_c_zero(e, op, inner);
        } else if (op->op == BIND_COPY) {
            tape_c_transfer(e, op, inner);
        } else {
            print_sync(e, inner);
        }
        if (alone)
            spl_c_line(&e->c, depth, "}\n");
        i = bind_next_op(e->p, i);
    }
}
