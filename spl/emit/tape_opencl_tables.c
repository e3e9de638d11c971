// SPDX-License-Identifier: BSD-3-Clause
/* Tables of a tape that is printed as OpenCL C: those of its codelets, and the factors of evaluated
 * kernels, which are in no codelet's table. */
#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/bind/bind_factors.h"
#include "spl/emit/tape_opencl_parts.h"

enum { MOST_FACTORS = 1 << 22 };

/* Adds a table that the caller fills in; NULL: the failure is in e->opencl->status. */
static void *add_table(tape_c *e, size_t bytes)
{
    tape_opencl *o = e->opencl;
    device_program *d = o->out;

    if (o->status != SLUICE_OK)
        return NULL;
    if (d->ntables == TAPE_OPENCL_TABLES) {
        o->status = core_fail(o->why, SLUICE_E_UNSUPPORTED, 0, "OpenCL C of more than %d tables",
                              TAPE_OPENCL_TABLES);
        return NULL;
    }
    void *data = device_table_add(d, bytes);
    if (!data)
        o->status = core_fail_memory(o->why);
    return data;
}

/* The variable of the loop over blocks; -1: there are none. */
static int blocks_var(const bind_tape *p)
{
    return p->body->blocks > 1 ? p->body->stmt[0].range.var : -1;
}

/* The part of a table that one block reads. */
typedef struct slice {
    int64_t length, slices, each; /* length in scalars, 0: none; see device_table */
} slice;

/* The slice of an op's table: its address has one step by the block's number, or, with blocks of
 * several transforms, by a digit of it. */
static slice slice_of(const bind_tape *p, const bind_op *op)
{
    slice s = {0, 0, 0};

    for (int k = 0; k < op->nsteps; k++) {
        const bind_step *step = &op->step[k];
        if (step->var != blocks_var(p) || step->tw == 0)
            continue;
        if (s.length > 0 || step->tw < 0)
            return (slice){0, 0, 0};
        s = step->ext > 0 ? (slice){step->tw, step->ext, step->div}
                          : (slice){step->tw, p->body->blocks, 1};
    }
    return s;
}

/* Do all ops read a table block by block along its slowest dimension? */
static bool find_slices(const bind_tape *p, const bind_table *table, slice *all)
{
    bool sliced = blocks_var(p) >= 0;

    *all = (slice){0, 0, 0};
    for (size_t i = 0; i < p->nops && sliced; i++) {
        const bind_op *op = &p->op[i];
        if (op->op != BIND_KERN || (op->table != table && op->shared_table != table))
            continue;
        const slice s = slice_of(p, op);
        const bool first = all->length == 0;
        *all = first ? s : *all;
        sliced = op->shared_table != table && s.length > 0 && s.length == all->length
                 && s.slices == all->slices && s.each == all->each
                 && (size_t)(s.length * s.slices) * p->scalar == table->bytes;
    }
    return sliced && all->length > 0;
}

bool tape_opencl_has_slice(const tape_c *e, const bind_op *op, int var)
{
    return op->table && var == blocks_var(e->p)
           && e->opencl->out->table[tape_c_table(e->p, op->table)].slices > 1;
}

void tape_opencl_tables(tape_c *e)
{
    for (size_t i = 0; i < e->p->nops; i++) {
        const bind_op *op = &e->p->op[i];
        const bind_table *const tables[] = {op->table, op->shared_table};
        for (int k = 0; k < 2; k++) {
            if (op->op != BIND_KERN || !tables[k]
                || tape_c_table(e->p, tables[k]) < e->opencl->out->ntables)
                continue;
            void *data = add_table(e, tables[k]->bytes);
            if (!data)
                continue;
            memcpy(data, tables[k]->data, tables[k]->bytes);
            device_table *const table = &e->opencl->out->table[e->opencl->out->ntables - 1];
            slice s;
            if (e->opencl->how->slices && find_slices(e->p, tables[k], &s)) {
                table->slices = s.slices;
                table->each = s.each;
            }
        }
    }
}

gen_name tape_opencl_table(tape_c *e, int number)
{
    if (number < TAPE_OPENCL_TABLES)
        e->opencl->uses_table[number] = true;
    return gen_print("table%d", number);
}

/* ---- factors ---- */

/* Iterations of the loops that enclose an evaluated kernel. */
static void ranges_of(const bind_tape *p, const bind_op *op, int64_t range[IX_MAX_VARS])
{
    size_t at = 0;

    while (p->op[at].stmt != op->stmt || p->op[at].op == BIND_LOOP)
        at++;
    memset(range, 0, IX_MAX_VARS * sizeof *range);
    for (size_t i = 0; i < at; i++)
        if (p->op[i].op == BIND_LOOP && p->op[i].end > at)
            range[p->op[i].var] = p->op[i].range.n;
    if (op->op == BIND_MOVE && op->var != IX_INDEX)
        range[op->var] = op->cols.n;
    if (op->op == BIND_MOVE && op->outer.n > 1)
        range[op->outer.var] = op->outer.n;
}

void tape_opencl_factors(tape_c *e, const bind_op *op, const char *i, int depth)
{
    const int64_t elements = strcmp(i, "0") == 0 ? 1 : op->stmt->twiddle[0].f->n;
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";
    tape_opencl *o = e->opencl;
    int64_t range[IX_MAX_VARS];
    bind_factor_table t;

    ranges_of(e->p, op, range);
    bind_factor_table_of(op->stmt, elements, range, &t);
    if (o->status == SLUICE_OK && t.entries > MOST_FACTORS)
        o->status =
            core_fail(o->why, SLUICE_E_UNSUPPORTED, 0,
                      "OpenCL C of more than %d factors of a step %s whose addresses have no "
                      "strides",
                      MOST_FACTORS, prog_kernel_word(op->stmt));
    void *const data = add_table(e, (size_t)t.entries * 2 * e->p->scalar);
    if (!data)
        return;
    if (!bind_factor_table_fill(&t, e->p->precision, data))
        o->status = core_fail_memory(o->why);
    spl_c_line(&e->c, depth, "const %s *const factor = (const %s *)%s\n", real, real,
               tape_opencl_table(e, o->out->ntables - 1).text);
    spl_c_line(&e->c, depth + 1, "+ 2 * (%s", i);
    for (int v = 0; v < IX_MAX_VARS; v++)
        if (t.step[v] > 0)
            core_text_printf(&e->c.text, " + k%d * %" PRId64, v, t.step[v]);
    core_text_printf(&e->c.text, ");\n");
    spl_c_line(&e->c, depth, "const %s wr = factor[0], wi = factor[1];\n", real);
}
