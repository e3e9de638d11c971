// SPDX-License-Identifier: BSD-3-Clause
/* A program as kernels in OpenCL C 1.2, with the definitions that they mention and the data that
 * hosts need to run them. */
#include "spl/emit/print_opencl.h"

#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/emit/ocl.h"
#include "spl/emit/snippets.h"
#include "spl/index/ix_form.h"

/* ---- kernels and launches ---- */

/* Adds a step; returns its index, -1: out of memory. */
static int add_step(ocl *o, int kernel, const spl_range *range)
{
    const int at = device_step_add(o->out, kernel, range);

    if (at < 0)
        ocl_fail(o, core_fail_memory(o->why));
    return at;
}

static void print_sequence(ocl *o, size_t from, size_t to);

/* A loop of the host: within a kernel groups cannot wait for each other. */
static void print_host_loop(ocl *o, size_t at)
{
    const prog_stmt *s = &o->p->stmt[at];
    const int step = add_step(o, -1, &s->range);

    if (step < 0)
        return;
    o->range[s->range.var] = s->range.n;
    o->hosts[o->nhosts++] = s->range.var;
    print_sequence(o, at + 1, s->end);
    o->nhosts--;
    o->out->step[step].end = o->out->nsteps;
}

static void print_sequence(ocl *o, size_t from, size_t to)
{
    for (size_t i = from, end; i < to && o->status == SLUICE_OK; i = end) {
        const prog_stmt *s = &o->p->stmt[i];
        end = ocl_kernel_end(o->p, i);
        if (s->op == PROG_SYNC)
            continue;
        if (s->op == PROG_LOOP
            && (prog_has_sync(o->p, i, s->end) || (o->p->blocks > 0 && i == 0))) {
            print_host_loop(o, i);
            continue;
        }
        ocl_print_kernel(o, i);
        (void)add_step(o, o->nkernels - 1, NULL);
    }
}

/* ---- indices ---- */

static bool is_small(const ix *f)
{
    static const int64_t limit = (int64_t)1 << 29;
    int64_t lo, hi;

    if (f->kind == IX_OPAQUE && (!is_small(f->inner) || !is_small(f->outer)))
        return false;
    if (f->kind == IX_TWO && (!is_small(f->branch[0]) || !is_small(f->branch[1])))
        return false;
    return ix_bounds(f, &lo, &hi) && lo > -limit && hi < limit;
}

/* Do all indices, and sums of them, fit an int? */
static bool fits_int(const prog *p, const device_program *d)
{
    static const int64_t limit = (int64_t)1 << 29;
    bool fits =
        p->shared_elems < limit && p->local_elems < limit && p->rows < limit && p->cols < limit;

    for (int side = 0; side < 2; side++)
        fits = fits && d->side[side].low > -limit && d->side[side].high < limit;
    for (size_t i = 0; i < p->nstmts && fits; i++) {
        const prog_stmt *s = &p->stmt[i];
        if (!prog_is_stage(s))
            continue;
        fits = is_small(s->fin) && is_small(s->fout);
        for (int k = 0; k < s->ntwiddles && s->op == PROG_KERN; k++)
            fits = fits && is_small(s->twiddle[k].f);
    }
    return fits;
}

/* ---- description for hosts ---- */

static void add_arg(device_kernel *k, device_role role, int number)
{
    k->arg[k->nargs++] = (device_arg){.role = role, .number = number};
}

static bool describe_kernel(const ocl *o, ocl_kernel *from, device_kernel *k)
{
    *k = (device_kernel){
        .name = from->name,
        .groups = from->groups,
        .items = from->items,
        .fallbacks = from->fallbacks,
        .local_bytes = from->spilled ? 0 : (from->hi - from->lo) * o->element_bytes,
        .arg = core_calloc((size_t)(2 * OCL_ARGS + o->ntables + IX_MAX_VARS), sizeof *k->arg),
    };
    from->name = (core_text){0};
    for (int a = 0; a < OCL_ARGS && k->arg; a++)
        if (from->arg[a]) {
            add_arg(k, (device_role)a, 0);
            if (o->options->offsets)
                add_arg(k, DEVICE_OFFSET, a);
        }
    for (int t = 0; t < o->ntables && k->arg; t++)
        if (from->table[t])
            add_arg(k, DEVICE_TABLE, t);
    for (int v = 0; v < IX_MAX_VARS && k->arg; v++)
        if (from->var[v])
            add_arg(k, DEVICE_LOOP, v);
    return k->arg != NULL;
}

static bool uses_role(const ocl *o, device_role role)
{
    for (int k = 0; k < o->nkernels; k++)
        if (o->kernel[k].arg[role])
            return true;
    return false;
}

/* Fills in a table of products. */
static bool fill_products(const ocl *o, const bind_factor_table *t, device_table *to)
{
    to->data = core_malloc(to->bytes);
    return to->data && bind_factor_table_fill(t, o->options->precision, to->data);
}

static bool describe_buffers(ocl *o)
{
    device_program *d = o->out;

    d->index_bytes = o->c.index[0] == 'i' ? 4 : 8;
    d->scratch_bytes = uses_role(o, DEVICE_SCRATCH) ? o->p->shared_elems * o->element_bytes : 0;
    d->spill_bytes = uses_role(o, DEVICE_SPILL) ? o->spill * o->element_bytes : 0;
    d->table = core_calloc((size_t)o->ntables + 1, sizeof *d->table);
    d->kernel = core_calloc((size_t)o->nkernels + 1, sizeof *d->kernel);
    bool made = d->table && d->kernel;
    for (; d->ntables < o->ntables && made; d->ntables++) {
        const ocl_table *t = &o->table[d->ntables];
        d->table[d->ntables] = (device_table){.bytes = (size_t)(t->count * o->element_bytes),
                                              .values = t->values,
                                              .n = t->n,
                                              .m = t->m,
                                              .first = t->first,
                                              .step = t->step,
                                              .scale = t->scale};
        if (t->product.stmt)
            made = fill_products(o, &t->product, &d->table[d->ntables]);
    }
    for (; d->nkernels < o->nkernels && made; d->nkernels++)
        made = describe_kernel(o, &o->kernel[d->nkernels], &d->kernel[d->nkernels]);
    return made;
}

/* ---- the source ---- */

static void assemble(const ocl *o)
{
    core_text *out = &o->out->source;
    bool given[2][SPL_SNIPPETS_MAX] = {{false}};
    core_text program = {0};

    if (strstr(core_text_string(&o->kernels), "spl_share"))
        spl_snippets_print(spl_snippets_common, given[0], "spl_share", &program);
    core_text_add(&program, core_text_string(&o->c.data), o->c.data.length);
    core_text_add(&program, core_text_string(&o->kernels), o->kernels.length);
    core_text_printf(out, "%s#pragma OPENCL FP_CONTRACT OFF\n\n",
                     o->options->precision == SLUICE_F64
                         ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                         : "");
    spl_snippets_print(spl_snippets_opencl, given[1], core_text_string(&program), out);
    core_text_add(out, core_text_string(&program), program.length);
    out->failed = out->failed || program.failed;
    core_text_free(&program);
}

static bool open_kernels(ocl *o)
{
    const size_t most = o->p->nstmts + 1, tables = most * PROG_MAX_TWIDDLES;
    bool opened = true;

    o->kernel = core_calloc(most, sizeof *o->kernel);
    o->table = core_calloc(tables, sizeof *o->table);
    for (size_t k = 0; k < most && o->kernel && opened; k++) {
        o->kernel[k].table = core_calloc(tables, sizeof *o->kernel[k].table);
        opened = o->kernel[k].table != NULL;
    }
    return o->kernel && o->table && opened;
}

static void close_kernels(ocl *o)
{
    for (size_t k = 0; o->kernel && k < o->p->nstmts + 1; k++) {
        core_text_free(&o->kernel[k].name);
        core_free(o->kernel[k].table);
    }
    core_free(o->kernel);
    core_free(o->table);
    core_text_free(&o->c.data);
    core_text_free(&o->c.text);
    core_text_free(&o->kernels);
}

sluice_status spl_device_item(const prog *p, const spl_opencl *how, device_program *out,
                              sluice_diag *why)
{
    *out = (device_program){.nkernels = 0};
    device_sides_of(out, p, how->precision);
    const bool small = fits_int(p, out);
    ocl o = {.p = p,
             .options = how,
             .out = out,
             .value = how->precision == SLUICE_F32 ? "f32" : "f64",
             .element_bytes = how->precision == SLUICE_F32 ? 8 : 16,
             .c = {.prefix = "index",
                   .storage = small ? "__constant const int" : "__constant const long",
                   .index = small ? "int" : "long"},
             .why = why};

    o.c.range = o.range;
    if (!open_kernels(&o))
        o.status = core_fail_memory(why);
    if (o.status == SLUICE_OK)
        print_sequence(&o, 0, p->nstmts);
    if (o.status == SLUICE_OK) {
        assemble(&o);
        if (!describe_buffers(&o) || out->source.failed || o.c.data.failed || o.kernels.failed)
            o.status = core_fail_memory(why);
    }
    close_kernels(&o);
    return o.status;
}
