// SPDX-License-Identifier: BSD-3-Clause
/* Rows are cut where the weights repeat, so that the weights of a run of elements are adjacent. */
#include "spl/emit/device_hooks.h"

#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "core/number.h"
#include "core/status.h"
#include "spl/emit/device_hooks_text.h"

enum { LEAST_ELEMENTS = 1024 }; /* for which starting a group is worthwhile */

/* Indices below this limit, and sums of them, are ints. */
static const int64_t int_limit = (int64_t)1 << 29;

static const char head[] =
    "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
    "#pragma OPENCL FP_CONTRACT OFF\n";

const char *device_hooks_text_name(int side)
{
    return side ? "out.opencl" : "in.opencl";
}

/* ---- shape ---- */

static prog_hook shape_of(const prog_hook *h)
{
    prog_hook s = *h;
    prog_hook_dim *const last = &s.dim[s.dims - 1];
    const int64_t period = h->weight ? h->weights / h->scalars : last->n;
    const int64_t row = core_gcd(last->n, period);

    if (row == last->n)
        return s;
    const prog_hook_dim whole = *last;
    *last = (prog_hook_dim){whole.n / row, whole.extent / row, (ptrdiff_t)row * whole.stride};
    s.dim[s.dims++] = (prog_hook_dim){row, row, whole.stride};
    return s;
}

static int64_t elements_of_group(const prog_hook *h, const device_hooks_how *how)
{
    const int64_t share = (h->elements + how->groups - 1) / how->groups;
    const int64_t per = share > LEAST_ELEMENTS ? share : LEAST_ELEMENTS;

    return (per + how->items - 1) / how->items * how->items;
}

/* ---- the program ---- */

/* Weights as a table; false: out of memory. */
static bool add_table(device_program *d, const prog_hook *h)
{
    const size_t bytes =
        (size_t)h->weights * (h->precision == SLUICE_F32 ? sizeof(float) : sizeof(double));
    void *data = device_table_add(d, bytes);

    if (!data)
        return false;
    memcpy(data, h->weight, bytes);
    return true;
}

static device_kernel *add_kernel(device_program *d, int side, int64_t groups, int64_t items)
{
    device_kernel *more = core_realloc(d->kernel, ((size_t)d->nkernels + 1) * sizeof *more);
    device_arg *arg = core_calloc(DEVICE_HOOK_ARGS, sizeof *arg);

    if (more)
        d->kernel = more;
    if (!more || !arg) {
        core_free(arg);
        return NULL;
    }
    device_kernel *k = &more[d->nkernels++];
    *k = (device_kernel){.groups = groups, .items = items, .arg = arg, .by_count = true};
    core_text_printf(&k->name, side ? "hook_out" : "hook_in");
    return k;
}

/* Do indices fit an int? Also those of elements outside the extent, which are computed too. */
static bool fits_int(const device_program *d, const prog_hook *h, int side)
{
    int64_t reach = d->side[side].high - d->side[side].low;

    for (int i = 0; i < h->dims; i++)
        reach += h->dim[i].n * imaxabs(h->dim[i].stride);
    return h->elements < int_limit && reach < int_limit;
}

/* Adds the kernel of one side to the program, and its text to `source`. */
static bool add_hook(device_program *d, const prog_hook *h, int side, const device_hooks_how *how,
                     core_text *source)
{
    hook_text t = {.hook = h, .shape = shape_of(h), .side = side, .how = how, .program = d};

    t.per = elements_of_group(h, how);
    t.index = fits_int(d, h, side) ? "int" : "long";
    if (h->weight && !add_table(d, h))
        return false;
    t.kernel = add_kernel(d, side, (h->elements + t.per - 1) / t.per, how->items);
    if (!t.kernel || !device_step_around(d, d->nkernels - 1, side == 0))
        return false;
    device_hook_parameters(&t, d->ntables - 1);
    device_hook_body(&t);
    device_hook_functions(h, side, source);
    core_text_printf(source,
                     "__kernel __attribute__((reqd_work_group_size(%" PRId64 ", 1, 1)))\n"
                     "void %s(%s)\n{\n%s}\n\n",
                     how->items, core_text_string(&t.kernel->name), core_text_string(&t.parameters),
                     core_text_string(&t.text));
    const bool made = !t.parameters.failed && !t.text.failed && !t.kernel->name.failed;
    core_text_free(&t.parameters);
    core_text_free(&t.text);
    return made;
}

/* Makes the user's array the program's side, which was the packed one. */
static void set_side(device_program *d, const prog_hook *h, int side)
{
    device_side *s = &d->side[side];
    const size_t scalar = prog_storage_bytes(h->storage);

    d->packed_bytes[side] = device_side_bytes(s);
    prog_hook_reach(h, &s->low, &s->high);
    s->element_bytes = scalar * (h->split ? 1 : (size_t)h->scalars);
    s->alignment = scalar;
    s->split = h->split;
}

/* Kernels that accessed the side access packed memory instead. */
static void redirect(device_program *d, int side)
{
    const int from = side ? DEVICE_OUT : DEVICE_IN;
    const int to = side ? DEVICE_OUT_PACKED : DEVICE_IN_PACKED;

    for (int k = 0; k < d->nkernels; k++)
        for (int a = 0; a < d->kernel[k].nargs; a++) {
            device_arg *arg = &d->kernel[k].arg[a];
            if (arg->role == (device_role)from)
                arg->role = (device_role)to;
            else if (arg->role == DEVICE_OFFSET && arg->number == from)
                arg->number = to;
        }
}

sluice_status device_hooks_add(device_program *d, const prog_hook *const hook[2],
                               const device_hooks_how *how, sluice_diag *why)
{
    core_text source = {0};
    bool made = true;

    for (int side = 0; side < 2; side++)
        if (hook[side]) {
            set_side(d, hook[side], side);
            redirect(d, side);
            d->in_place = hook[side]->in_place;
        }
    if (d->in_place)
        device_join_sides(d->side);
    core_text_printf(&source, "%s", head);
    for (int side = 0; side < 2 && made; side++)
        made = !hook[side] || add_hook(d, hook[side], side, how, &source);
    core_text_add(&source, core_text_string(&d->source), d->source.length);
    made = made && !source.failed;
    core_text_free(&d->source);
    d->source = source;
    return made ? SLUICE_OK : core_fail_memory(why);
}
