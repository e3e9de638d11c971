// SPDX-License-Identifier: BSD-3-Clause
/* The tape as C: loops as loops, kernels as calls of codelets, addresses as sums of loop counters
 * and digits of them. What cpu_run.c does with an op, the printed statement does. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "backends/cpu/emit/cpu_emit.h"

void cpu_emit_line(cpu_emitter *e, int depth, const char *format, ...)
{
    char line[400];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    core_text_printf(&e->c.text, "%*s%s", 4 * depth, "", line);
}

void cpu_emit_pointer(cpu_emitter *e, const cpu_begin *begin)
{
    static const char *const arena[CPU_ARENAS] = {
        [CPU_ARENA_IN] = "in",         [CPU_ARENA_IN_IM] = "in_im",   [CPU_ARENA_OUT] = "out",
        [CPU_ARENA_OUT_IM] = "out_im", [CPU_ARENA_SHARED] = "shared", [CPU_ARENA_LOCAL] = "local"};

    core_text_printf(&e->c.text, "%s", arena[begin->arena]);
    if (begin->bytes)
        core_text_printf(&e->c.text, " + %td", begin->bytes);
}

void cpu_emit_steps(cpu_emitter *e, const cpu_op *op, int from, int which)
{
    const ptrdiff_t scalar = (ptrdiff_t)e->p->scalar;

    for (int i = from; i < op->nsteps; i++) {
        const cpu_step *s = &op->step[i];
        const ptrdiff_t by = (which == 0 ? s->in : which == 1 ? s->out : s->tw) * scalar;
        if (by == 0)
            continue;
        core_text_printf(&e->c.text, " + k%d", s->var);
        if (s->ext && s->div != 1)
            core_text_printf(&e->c.text, " / %" PRId64, s->div);
        if (s->ext)
            core_text_printf(&e->c.text, " %% %" PRId64, s->ext);
        core_text_printf(&e->c.text, " * %td", by);
    }
}

static void print_side(cpu_emitter *e, const cpu_op *op, int depth, bool in)
{
    static const char *const field[2][2] = {{"out_re", "out_im"}, {"in_re", "in_im"}};

    for (int part = 0; part < 2; part++) {
        cpu_emit_line(e, depth, ".%s = ", field[in][part]);
        cpu_emit_pointer(e, &op->begin[(in ? 0 : 2) + part]);
        cpu_emit_steps(e, op, 0, in ? 0 : 1);
        core_text_printf(&e->c.text, ",\n");
    }
}

static void print_offsets(cpu_emitter *e, const cpu_op *op, size_t number)
{
    const int n = op->codelet->key.n;

    core_text_printf(&e->c.data, "static const ptrdiff_t offsets_%zu[] = {", number);
    for (int i = 0; i < 2 * n; i++)
        core_text_printf(&e->c.data, "%s%td",
                         i == 0       ? ""
                         : i % 8 == 0 ? ",\n    "
                                      : ", ",
                         op->offsets[i]);
    core_text_printf(&e->c.data, "};\n");
}

static void print_call(cpu_emitter *e, const cpu_op *op, size_t number, int depth)
{
    const spl_call *c = &op->call;

    cpu_emit_line(e, depth, "const spl_call call = {\n");
    print_side(e, op, depth + 1, true);
    print_side(e, op, depth + 1, false);
    if (op->table) {
        cpu_emit_line(e, depth + 1, ".tw = (const char *)tables[%d].data",
                      cpu_emit_table(e->p, op->table));
        cpu_emit_steps(e, op, 0, 2);
        core_text_printf(&e->c.text, ",\n");
    }
    if (op->grid)
        cpu_emit_line(e, depth + 1, ".grid = tables[%d].data,\n", cpu_emit_table(e->p, op->grid));
    cpu_emit_line(e, depth + 1, ".is = %td, .os = %td, .ics = %td, .ocs = %td", c->is, c->os,
                  c->ics, c->ocs);
    if (op->offsets) {
        print_offsets(e, op, number);
        core_text_printf(&e->c.text, ", .in_off = offsets_%zu, .out_off = offsets_%zu + %d", number,
                         number, op->codelet->key.n);
    }
    if (c->lanes)
        core_text_printf(&e->c.text, ", .lanes = %zu", c->lanes);
    if (c->iouter || c->oouter)
        core_text_printf(&e->c.text, ", .iouter = %td, .oouter = %td", c->iouter, c->oouter);
    if (c->inverse)
        core_text_printf(&e->c.text, ", .inverse = 1");
    core_text_printf(&e->c.text, "};\n");
}

static void print_tail(cpu_emitter *e, const cpu_op *op, size_t number)
{
    static const char *const tw[] = {"SPL_TW_NONE", "SPL_TW_VECTOR", "SPL_TW_BROADCAST",
                                     "SPL_TW_FACTORED", "SPL_TW_FACTORED_SHARED"};
    const cpu_tail *t = &op->tail;

    core_text_printf(&e->c.data,
                     "static const cpu_tail tail_%zu = {.run = %s, .n = %d, .lanes = %d,\n"
                     "    .split_in = %s, .split_out = %s, .rows_in = %s, .rows_out = %s,\n"
                     "    .tw = %s, .overlap = %s, .columns = %zu, .block = %zu, .scalar = %zu};\n",
                     number, op->codelet->name, t->n, t->lanes, spl_truth(t->split_in),
                     spl_truth(t->split_out), spl_truth(t->rows_in), spl_truth(t->rows_out),
                     tw[t->tw], spl_truth(t->overlap), t->columns, t->block, t->scalar);
}

/* Declares lo and hi, this iteration's share of a range. */
static void print_range(cpu_emitter *e, const cpu_range *r, int depth, const char *lo,
                        const char *hi)
{
    cpu_emit_line(e, depth, "int64_t %s = 0, %s = %" PRId64 ";\n", lo, hi, r->n);
    if (r->share_var >= 0)
        cpu_emit_line(e, depth,
                      "spl_share(%" PRId64 ", %" PRId64 ", %" PRId64 ", k%d, &%s, &%s);\n", r->n,
                      r->shares, r->grain, r->share_var, lo, hi);
}

/* Columns lo..hi-1 while what a later call reads is fetched. */
static void print_ahead(cpu_emitter *e, const cpu_op *op, size_t number, const char *run, int depth)
{
    const cpu_op *first = op->next ? &e->p->op[op->next] : NULL;

    cpu_emit_line(e, depth, "cpu_fetch_columns(&tail_%zu, %s, &call,\n", number, run);
    cpu_emit_line(e, depth + 3, "(cpu_ahead){.columns = %zu, .bytes = %zu, .time = %s,\n",
                  op->ahead, op->ahead_bytes, spl_truth(first != NULL));
    cpu_emit_line(e, depth + 3, "    .next = ");
    if (first) {
        cpu_emit_pointer(e, &first->begin[0]);
        cpu_emit_steps(e, first, 0, 0);
        core_text_printf(&e->c.text, " + %zu},\n", op->next_bytes);
    } else {
        core_text_printf(&e->c.text, "(const char *)call.in_re + (lo + %zu) * %td},\n",
                         CPU_AHEAD_CALLS * op->ahead, op->call.ics * (ptrdiff_t)e->p->scalar);
    }
    cpu_emit_line(e, depth + 3, "(size_t)lo, (size_t)hi);\n");
}

static void print_columns(cpu_emitter *e, const cpu_op *op, size_t number, int depth)
{
    const char *const run = op->codelet_nt ? "run" : op->codelet->name;

    print_range(e, &op->cols, depth, "lo", "hi");
    if (op->codelet_nt) /* past the caches, where vectors are whole lines */
        cpu_emit_line(e, depth,
                      "spl_codelet_fn *const run = ((uintptr_t)call.out_re & 63) == 0\n"
                      "%*s? %s\n%*s: %s;\n",
                      4 * depth + 4, "", op->codelet_nt->name, 4 * depth + 4, "",
                      op->codelet->name);
    if (op->ahead) {
        print_ahead(e, op, number, run, depth);
        return;
    }
    print_range(e, &op->rows, depth, "first", "last");
    cpu_emit_line(e, depth,
                  "cpu_columns(&tail_%zu, %s, &call, (size_t)lo, (size_t)hi,\n"
                  "%*s(size_t)first, (size_t)(last - first));\n",
                  number, run, 4 * depth + 12, "");
}

static void print_kernel(cpu_emitter *e, const cpu_op *op, int depth)
{
    const size_t number = (size_t)(op - e->p->op);

    if (!op->steady || op->sets)
        print_tail(e, op, number);
    cpu_emit_line(e, depth, "{\n");
    print_call(e, op, number, depth + 1);
    if (!op->steady)
        print_columns(e, op, number, depth + 1);
    else if (op->sets)
        cpu_emit_line(e, depth + 1, "cpu_fetch_sets(&tail_%zu, &call, %zu, %td, %s);\n", number,
                      op->steady, op->turn, spl_truth(op->far));
    else
        cpu_emit_line(e, depth + 1, "%s(&call, 0, %zu);\n", op->codelet->name, op->steady);
    cpu_emit_line(e, depth, "}\n");
}

/* The loop that the op has taken over, with addresses as expressions. */
static void print_move(cpu_emitter *e, const cpu_op *op, int depth)
{
    const int v = op->var;

    cpu_emit_line(e, depth, "{\n");
    print_range(e, &op->cols, depth + 1, "lo", "hi");
    cpu_emit_line(e, depth + 1, "for (int64_t k%d = lo; k%d < hi; k%d++)\n", v, v, v);
    cpu_emit_eval(e, op, depth + 2);
    cpu_emit_line(e, depth, "}\n");
}

/* A loop and its body, op `body` on. Shares have names of their own, hence a block around them. */
static void print_loop(cpu_emitter *e, const cpu_op *op, int depth, size_t body, bool in_par)
{
    const cpu_range *r = &op->range;
    const bool shared = r->share_var >= 0 && !(op->par && e->team);
    const int inner = depth + shared, v = op->var;

    if (shared) {
        cpu_emit_line(e, depth, "{\n");
        print_range(e, r, inner, "low", "high");
        cpu_emit_line(e, inner, "for (int64_t k%d = low; k%d < high; k%d++) {\n", v, v, v);
    } else if (op->par && e->team) {
        cpu_emit_line(e, depth, "loops++;\n");
        cpu_emit_line(e, depth,
                      "for (int64_t k%d; (k%d = team_part(loops, %" PRId64 ")) >= 0;) {\n", v, v,
                      r->n);
    } else {
        cpu_emit_line(e, depth, "for (int64_t k%d = 0; k%d < %" PRId64 "; k%d++) {\n", v, v, r->n,
                      v);
    }
    cpu_emit_ops(e, body, op->end, inner + 1, in_par);
    cpu_emit_line(e, inner, "}\n");
    if (shared)
        cpu_emit_line(e, depth, "}\n");
}

static void print_sync(cpu_emitter *e, int depth)
{
    if (e->p->streams)
        cpu_emit_line(e, depth, "__builtin_ia32_sfence();\n");
    if (e->team)
        cpu_emit_line(e, depth, "team_sync();\n");
}

void cpu_emit_ops(cpu_emitter *e, size_t from, size_t to, int depth, bool in_par)
{
    for (size_t i = from; i < to;) {
        const cpu_op *op = &e->p->op[i];
        /* What stands outside parallel loops is member 0's. */
        const bool alone =
            e->team && !in_par && op->op != CPU_SYNC && !(op->op == CPU_LOOP && op->has_par);
        const int inner = depth + alone;
        if (alone)
            cpu_emit_line(e, depth, "if (member == 0) {\n");
        if (op->op == CPU_LOOP) {
            print_loop(e, op, inner, i + 1, in_par || op->par || alone);
        } else if (op->op == CPU_KERN) {
            print_kernel(e, op, inner);
        } else if (op->op == CPU_EVAL) {
            cpu_emit_eval(e, op, inner);
        } else if (op->op == CPU_MOVE) {
            print_move(e, op, inner);
        } else if (op->op == CPU_ZERO) {
            cpu_emit_zero(e, op, inner);
        } else if (op->op == CPU_COPY) {
            cpu_emit_transfer(e, op, inner);
        } else {
            print_sync(e, inner);
        }
        if (alone)
            cpu_emit_line(e, depth, "}\n");
        i = op->op == CPU_LOOP ? op->end : i + 1;
    }
}
