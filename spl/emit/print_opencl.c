// SPDX-License-Identifier: BSD-3-Clause
/* A program as a file of OpenCL C 1.2: a description for hosts, kernels, and what they mention. */
#include "spl/emit/print_opencl.h"

#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "core/real.h"
#include "core/status.h"
#include "spl/emit/ocl.h"
#include "spl/emit/words.h"
#include "spl/index/ix_form.h"

enum { LAUNCHES = 4096 }; /* at most */

/* ---- kernels and launches ---- */

static void print_launch(ocl *o, int number)
{
    const ocl_kernel *k = &o->kernel[number];
    const char *before = "";

    if (o->nlaunches == LAUNCHES) {
        ocl_fail(o, core_fail(o->why, SLUICE_E_UNSUPPORTED, 0,
                              "the program has more than %d launches: loops around barriers "
                              "between groups run on the host",
                              LAUNCHES));
        return;
    }
    core_text_printf(&o->launches, "%s\n    {\"kernel\": %d, \"loops\": [",
                     o->nlaunches++ ? "," : "", number);
    for (int v = 0; v < IX_MAX_VARS; v++)
        if (k->var[v]) {
            core_text_printf(&o->launches, "%s%" PRId64, before, o->host[v]);
            before = ", ";
        }
    core_text_printf(&o->launches, "]}");
}

static void print_sequence(ocl *o, size_t from, size_t to);

/* The host walks it: within a kernel groups cannot wait for each other. */
static void print_host_loop(ocl *o, size_t at)
{
    const prog_stmt *s = &o->p->stmt[at];
    const int v = s->range.var;
    int64_t lo = 0, hi = s->range.n;

    if (s->range.share_var >= 0)
        spl_share(hi, s->range.shares, s->range.grain, o->host[s->range.share_var], &lo, &hi);
    o->range[v] = s->range.n;
    o->hosts[o->nhosts++] = v;
    for (o->host[v] = lo; o->host[v] < hi && o->status == SLUICE_OK; o->host[v]++)
        print_sequence(o, at + 1, s->end);
    o->nhosts--;
}

static void print_sequence(ocl *o, size_t from, size_t to)
{
    for (size_t i = from; i < to && o->status == SLUICE_OK; i = o->p->stmt[i].end) {
        const prog_stmt *s = &o->p->stmt[i];
        int k = 0;
        if (s->op == PROG_SYNC)
            continue;
        if (s->op == PROG_LOOP && prog_has_sync(o->p, i, s->end)) {
            print_host_loop(o, i);
            continue;
        }
        while (k < o->nkernels && o->kernel[k].at != i)
            k++;
        if (k == o->nkernels)
            ocl_print_kernel(o, i);
        print_launch(o, k);
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

/* Do all indices fit an int, with whatever is added to them? */
static bool fits_int(const prog *p, const spl_opencl *how)
{
    static const int64_t limit = (int64_t)1 << 29;
    bool fits =
        p->shared_elems < limit && p->local_elems < limit && p->rows < limit && p->cols < limit;

    for (int side = 0; side < 2; side++)
        fits = fits && how->low[side] > -limit && how->high[side] < limit;
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

/* ---- the description ---- */

static int64_t scalar_bytes(const ocl *o)
{
    return o->options->precision == SLUICE_F32 ? 4 : 8;
}

static void describe_side(const ocl *o, int side, core_text *out)
{
    const prog_sides *s = &o->p->sides;
    const bool split = (side ? s->out_layout : s->in_layout) == SLUICE_SPLIT;
    const int64_t elements = o->options->high[side] - o->options->low[side] + 1;
    const char *const role = s->in_place ? "inout" : side ? "output" : "input";

    for (int part = 0; part < 1 + split; part++)
        core_text_printf(out,
                         "    {\"name\": \"%s\", \"role\": \"%s\", \"bytes\": %" PRId64
                         ", \"origin\": %" PRId64 "},\n",
                         ocl_arg_name[2 * side + part], role,
                         elements * scalar_bytes(o) * (split ? 1 : 2), -o->options->low[side]);
}

static void describe_scratch(const ocl *o, core_text *out)
{
    const int64_t elements[] = {o->p->shared_elems, o->spill};

    for (int i = 0; i < 2; i++) {
        bool used = false;
        for (int k = 0; k < o->nkernels; k++)
            used = used || o->kernel[k].arg[OCL_SCRATCH + i];
        if (used)
            core_text_printf(
                out, "    {\"name\": \"%s\", \"role\": \"scratch\", \"bytes\": %" PRId64 "},\n",
                ocl_arg_name[OCL_SCRATCH + i], elements[i] * 2 * scalar_bytes(o));
    }
}

static void describe_tables(const ocl *o, core_text *out)
{
    for (int t = 0; t < o->ntables; t++) {
        const ocl_table *table = &o->table[t];
        const int64_t entries = spl_values_size(table->values, table->n, table->m);
        core_text_printf(out,
                         "    {\"name\": \"table%d\", \"role\": \"table\", \"bytes\": %" PRId64
                         ", \"diagonal\": \"%c\", ",
                         t, entries * 2 * scalar_bytes(o), spl_values_named(table->values)->letter);
        if (table->values == SPL_CONST) /* its m is no number of a host's JSON */
            core_text_printf(out, "\"value\": %s},\n",
                             core_real(spl_constant_value(table->m)).text);
        else
            core_text_printf(out, "\"n\": %" PRId64 ", \"m\": %" PRId64 "},\n", table->n, table->m);
    }
}

static void describe_kernel(const ocl *o, const ocl_kernel *k, core_text *out)
{
    const char *before = "";

    core_text_printf(out,
                     "    {\"name\": \"%s\", \"groups\": %" PRId64 ", \"items\": %" PRId64
                     ", \"local_bytes\": %" PRId64 ", \"buffers\": [",
                     core_text_string(&k->name), k->groups, k->items,
                     k->spilled ? 0 : (k->hi - k->lo) * 2 * scalar_bytes(o));
    for (int a = 0; a < OCL_ARGS; a++)
        if (k->arg[a]) {
            core_text_printf(out, "%s\"%s\"", before, ocl_arg_name[a]);
            before = ", ";
        }
    for (int t = 0; t < o->ntables; t++)
        if (k->table[t])
            core_text_printf(out, ", \"table%d\"", t);
    core_text_printf(out, "]}");
}

/* What the last line added ends with goes: JSON has no comma before a bracket. */
static void end_list(core_text *out, const char *end)
{
    if (out->length > 2 && out->data[out->length - 2] == ',') {
        out->length -= 2;
        out->data[out->length] = '\0';
    }
    core_text_printf(out, "%s", end);
}

static void describe(const ocl *o, core_text *out)
{
    core_text_printf(out, "/* sluice-opencl\n{\"version\": 1, \"problem\": ");
    if (o->options->problem)
        core_text_printf(out, "\"%s\"", o->options->problem);
    else
        core_text_printf(out, "null");
    core_text_printf(out,
                     ", \"precision\": \"%s\", \"index_bytes\": %d,\n"
                     "  \"buffers\": [\n",
                     o->value, o->c.index[0] == 'i' ? 4 : 8);
    if (!o->p->sides.in_place)
        describe_side(o, 0, out);
    describe_side(o, 1, out);
    describe_scratch(o, out);
    describe_tables(o, out);
    end_list(out, "],\n  \"kernels\": [");
    for (int k = 0; k < o->nkernels; k++) {
        core_text_printf(out, k ? ",\n" : "\n");
        describe_kernel(o, &o->kernel[k], out);
    }
    core_text_printf(out, "],\n  \"launches\": [%s]}\n*/\n", core_text_string(&o->launches));
}

static void print_head(const ocl *o, core_text *out)
{
    core_text_printf(
        out,
        "/* %s\n"
        " *\n"
        " * Written by sluice %d.%d.%d, in OpenCL C 1.2: build it with -cl-std=CL1.2.\n"
        " * The comment below describes it to hosts. A host makes the buffers, fills tables, and\n"
        " * enqueues the launches in their order, each when the one before is done: `groups`\n"
        " * groups of `items` items, with the buffers in the order given and then the values of\n"
        " * `loops`, integers of index_bytes bytes. Element 0 of a side is the origin-th one of\n"
        " * its buffer. Tables hold re and im side by side:\n"
        " *     T(n,m)  entry t < nm is exp(-2 pi i (t div m) (t mod m) / (nm))\n"
        " *     C(n)    entry t < n is c(t) = exp(-pi i t^2 / n)\n"
        " *     B(n,m)  entry t < m is the sum of conj(c(j)) exp(-2 pi i j t / m) / m over\n"
        " *             |j| < n, j and -j once where they are the same modulo m\n"
        " *     R(n,m)  entries 0 and 1 are those 2 and 3 of K(n); entry t is the sum of\n"
        " *             exp(-2 pi i (m^-q mod n) / n) exp(-2 pi i q (t-1) / (n-1)) / (n-1)\n"
        " *             over 0 <= q < n-1\n"
        " *     K(n)    (1 + is)/2, (1 - is)/2, 1, -i/s with s the square root of n-1 */\n",
        o->options->title, SLUICE_VERSION_MAJOR, SLUICE_VERSION_MINOR, SLUICE_VERSION_PATCH);
}

/* ---- the file ---- */

static void assemble(const ocl *o, core_text *out)
{
    bool given[2][SPL_WORDS_MAX] = {{false}};
    core_text program = {0};

    if (strstr(core_text_string(&o->kernels), "spl_share"))
        spl_words_print(spl_words_common, given[0], "spl_share", &program);
    core_text_add(&program, core_text_string(&o->c.data), o->c.data.length);
    core_text_add(&program, core_text_string(&o->kernels), o->kernels.length);
    print_head(o, out);
    describe(o, out);
    core_text_printf(out, "\n%s#pragma OPENCL FP_CONTRACT OFF\n\n",
                     o->options->precision == SLUICE_F64
                         ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                         : "");
    spl_words_print(spl_words_opencl, given[1], core_text_string(&program), out);
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
    core_text_free(&o->launches);
}

sluice_status spl_print_opencl(const prog *p, const spl_opencl *how, core_text *out,
                               sluice_diag *why)
{
    const bool small = fits_int(p, how);
    ocl o = {.p = p,
             .options = how,
             .value = how->precision == SLUICE_F32 ? "f32" : "f64",
             .c = {.prefix = "index",
                   .storage = small ? "__constant const int" : "__constant const long",
                   .index = small ? "int" : "long"},
             .why = why};

    o.c.range = o.range;
    o.status = prog_check_complex(p, "OpenCL C", why);
    if (!open_kernels(&o))
        o.status = core_fail_memory(why);
    if (o.status == SLUICE_OK)
        print_sequence(&o, 0, p->nstmts);
    if (o.status == SLUICE_OK) {
        assemble(&o, out);
        if (out->failed || o.c.data.failed || o.kernels.failed || o.launches.failed)
            o.status = core_fail_memory(why);
    }
    close_kernels(&o);
    return o.status;
}
