// SPDX-License-Identifier: BSD-3-Clause
/* Kernels as a file that describes itself to hosts: JSON in a comment has what the library's own
 * host gets in a device_program. */
#include <inttypes.h>

#include "core/real.h"
#include "core/status.h"
#include "spl/emit/print_opencl.h"

/* ---- buffers ---- */

static void describe_side(const device_program *d, int side, core_text *out)
{
    const device_side *s = &d->side[side];
    const char *const role = d->in_place ? "inout" : side ? "output" : "input";

    for (int part = 0; part < 1 + s->split; part++)
        core_text_printf(out,
                         "    {\"name\": \"%s\", \"role\": \"%s\", \"bytes\": %" PRId64
                         ", \"element_bytes\": %zu, \"origin\": %" PRId64 "},\n",
                         device_role_name((device_role)(2 * side + part)), role,
                         device_side_bytes(s), s->element_bytes, -s->low);
}

static void describe_scratch(device_role role, int64_t bytes, core_text *out)
{
    if (bytes > 0)
        core_text_printf(out,
                         "    {\"name\": \"%s\", \"role\": \"scratch\", \"bytes\": %" PRId64 "},\n",
                         device_role_name(role), bytes);
}

/* The numbers of a table of products of several diagonals' entries. */
static void describe_values(const device_program *d, const device_table *t, core_text *out)
{
    const bool single = d->precision == SLUICE_F32;
    const size_t count = t->bytes / (single ? sizeof(float) : sizeof(double));
    const char *before = "\"values\": [";

    for (size_t i = 0; i < count; i++, before = ", ")
        core_text_printf(
            out, "%s%s", before,
            core_real(single ? (double)((float *)t->data)[i] : ((double *)t->data)[i]).text);
    core_text_printf(out, "]},\n");
}

static void describe_tables(const device_program *d, core_text *out)
{
    for (int i = 0; i < d->ntables; i++) {
        const device_table *t = &d->table[i];
        core_text_printf(out, "    {\"name\": \"table%d\", \"role\": \"table\", \"bytes\": %zu, ",
                         i, t->bytes);
        if (t->data) {
            describe_values(d, t, out);
            continue;
        }
        core_text_printf(out, "\"diagonal\": \"%c\", ", spl_values_named(t->values)->letter);
        if (t->values == SPL_CONST) { /* its m encodes the constant, which hosts cannot decode */
            core_text_printf(out, "\"value\": %s},\n", core_real(spl_constant_value(t->m)).text);
            continue;
        }
        core_text_printf(out,
                         "\"n\": %" PRId64 ", \"m\": %" PRId64 ", \"first\": %" PRId64
                         ", \"step\": %" PRId64,
                         t->n, t->m, t->first, t->step);
        if (t->scale != 1)
            core_text_printf(out, ", \"scale\": %s", core_real(t->scale).text);
        core_text_printf(out, "},\n");
    }
}

/* ---- kernels ---- */

static void describe_kernel(const device_kernel *k, core_text *out)
{
    const char *before = "";

    core_text_printf(out,
                     "    {\"name\": \"%s\", \"groups\": %" PRId64 ", \"items\": %" PRId64
                     ", \"local_bytes\": %" PRId64 ", \"buffers\": [",
                     core_text_string(&k->name), k->groups, k->items, k->local_bytes);
    for (int a = 0; a < k->nargs; a++) {
        const device_arg *arg = &k->arg[a];
        if (arg->role == DEVICE_TABLE)
            core_text_printf(out, "%s\"table%d\"", before, arg->number);
        else if (arg->role < DEVICE_TABLE)
            core_text_printf(out, "%s\"%s\"", before, device_role_name(arg->role));
        before = ", ";
    }
    core_text_printf(out, "]}");
}

/* ---- launches ---- */

static void describe_launch(const device_program *d, int kernel, core_text *out)
{
    const device_kernel *k = &d->kernel[kernel];
    const char *before = "";

    core_text_printf(out, "{\"kernel\": %d, \"loops\": [", kernel);
    for (int a = 0; a < k->nargs; a++)
        if (k->arg[a].role == DEVICE_LOOP) {
            core_text_printf(out, "%s\"k%d\"", before, k->arg[a].number);
            before = ", ";
        }
    core_text_printf(out, "]}");
}

static void describe_range(const spl_range *r, core_text *out)
{
    core_text_printf(out, "{\"loop\": \"k%d\", \"n\": %" PRId64, r->var, r->n);
    if (r->share_var >= 0)
        core_text_printf(out, ", \"share\": \"k%d\", \"shares\": %" PRId64 ", \"grain\": %" PRId64,
                         r->share_var, r->shares, r->grain);
    core_text_printf(out, ", \"launches\": [");
}

static void describe_steps(const device_program *d, int from, int to, int depth, core_text *out)
{
    for (int i = from; i < to; i++) {
        const device_step *s = &d->step[i];
        core_text_printf(out, "%s\n%*s", i > from ? "," : "", 2 + 2 * depth, "");
        if (s->kernel >= 0) {
            describe_launch(d, s->kernel, out);
            continue;
        }
        describe_range(&s->range, out);
        describe_steps(d, i + 1, s->end, depth + 1, out);
        core_text_printf(out, "]}");
        i = s->end - 1;
    }
}

/* ---- the file ---- */

/* Removes the last line's comma: JSON has none before a bracket. */
static void end_list(core_text *out, const char *end)
{
    if (out->length > 2 && out->data[out->length - 2] == ',') {
        out->length -= 2;
        out->data[out->length] = '\0';
    }
    core_text_printf(out, "%s", end);
}

static void describe_program(const device_program *d, const char *problem, core_text *out)
{
    core_text_printf(out, "/* sluice-opencl\n{\"version\": 2, \"problem\": ");
    if (problem)
        core_text_printf(out, "\"%s\"", problem);
    else
        core_text_printf(out, "null");
    core_text_printf(out,
                     ", \"precision\": \"%s\", \"index_bytes\": %d,\n"
                     "  \"buffers\": [\n",
                     d->precision == SLUICE_F32 ? "f32" : "f64", d->index_bytes);
    for (int side = d->in_place ? 1 : 0; side < 2; side++)
        describe_side(d, side, out);
    describe_scratch(DEVICE_SCRATCH, d->scratch_bytes, out);
    describe_scratch(DEVICE_SPILL, d->spill_bytes, out);
    describe_tables(d, out);
    end_list(out, "],\n  \"kernels\": [");
    for (int k = 0; k < d->nkernels; k++) {
        core_text_printf(out, k ? ",\n" : "\n");
        describe_kernel(&d->kernel[k], out);
    }
    core_text_printf(out, "],\n  \"launches\": [");
    describe_steps(d, 0, d->nsteps, 1, out);
    core_text_printf(out, "]}\n*/\n\n");
}

static void print_head(const char *title, core_text *out)
{
    core_text_printf(
        out,
        "/* %s\n"
        " *\n"
        " * Written by sluice %d.%d.%d, in OpenCL C 1.2: build it with -cl-std=CL1.2.\n"
        " * The comment below describes it to hosts. A host makes the buffers, fills tables, and\n"
        " * enqueues the launches in their order, each when the one before is done: `groups`\n"
        " * groups of `items` items, with the buffers in the order given and then the values of\n"
        " * `loops`, integers of index_bytes bytes. A `loop` is n times the launches in it; with\n"
        " * a `share` only from min(lo, n) to min(hi, n) - 1, where with units = ceil(n / grain)\n"
        " * and s the value of the loop that share names lo = units * s / shares, rounded down,\n"
        " * times grain, hi that of s + 1. Element 0 of a side is the origin-th one of its\n"
        " * buffer. Tables hold re and im side by side, every step-th entry from `first` on:\n"
        " *     T(n,m)  entry t < nm is exp(-2 pi i (t div m) (t mod m) / (nm))\n"
        " *     C(n)    entry t < n is c(t) = exp(-pi i t^2 / n)\n"
        " *     B(n,m)  entry t < m is the sum of conj(c(j)) exp(-2 pi i j t / m) / m over\n"
        " *             |j| < n, j and -j once where they are the same modulo m\n"
        " *     R(n,m)  entries 0 and 1 are those 2 and 3 of K(n); entry t is the sum of\n"
        " *             exp(-2 pi i (m^-q mod n) / n) exp(-2 pi i q (t-1) / (n-1)) / (n-1)\n"
        " *             over 0 <= q < n-1\n"
        " *     K(n)    (1 + is)/2, (1 - is)/2, 1, -i/s with s the square root of n-1\n"
        " *     W(n)    entry t < n is exp(-2 pi i t / n)\n"
        " *     H(n)    1, then n-1 times 2\n"
        " *     Q(n)    1 in the first half, the middle one included, then -1 */\n",
        title, SLUICE_VERSION_MAJOR, SLUICE_VERSION_MINOR, SLUICE_VERSION_PATCH);
}

sluice_status spl_print_opencl(const prog *p, const spl_opencl *how, core_text *out,
                               sluice_diag *why)
{
    device_program d;
    sluice_status status = spl_device_item(p, how, &d, why);

    if (status == SLUICE_OK) {
        print_head(how->title, out);
        describe_program(&d, how->problem, out);
        core_text_add(out, core_text_string(&d.source), d.source.length);
        status = out->failed ? core_fail_memory(why) : SLUICE_OK;
    }
    device_program_free(&d);
    return status;
}
