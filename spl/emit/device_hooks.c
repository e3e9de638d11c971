// SPDX-License-Identifier: BSD-3-Clause
/* A group has some packed elements that follow each other, a run of a row at a time if it is one item's,
 * else an element of each item. Rows are cut where the weights begin anew, so that those of a run are
 * neighbours. Numbers of the problem are constants of the text: compilers divide by them fast. */
#include "spl/emit/device_hooks.h"

#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"

/* Elements of a group at least: what is worth starting it. */
enum { LEAST_ELEMENTS = 1024, MOST_ARGS = 16 };

/* Indices up to this, with what is added to them, are ints. */
static const int64_t int_limit = (int64_t)1 << 29;

const char *device_hooks_text_name(int side)
{
    return side ? "out.opencl" : "in.opencl";
}

/* A kernel that is being printed. */
typedef struct hook_text {
    const prog_hook *hook;
    prog_hook shape; /* the same elements, in rows that end with the weights */
    int side;
    const device_hooks_how *how;
    const device_program *program;
    const char *index; /* type of indices */
    int64_t per;       /* elements of a group */
    device_kernel *kernel;
    core_text parameters, text;
} hook_text;

static const char *stored_type(sluice_storage storage)
{
    static const char *const type[] = {[SLUICE_STORE_F32] = "float",
                                       [SLUICE_STORE_F64] = "double",
                                       [SLUICE_STORE_I16] = "short",
                                       [SLUICE_STORE_F16] = "half"};
    return type[storage];
}

static const char *real_type(const prog_hook *h)
{
    return h->precision == SLUICE_F32 ? "float" : "double";
}

/* ---- shape ---- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b > 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static prog_hook shape_of(const prog_hook *h)
{
    prog_hook s = *h;
    prog_hook_dim *const last = &s.dim[s.dims - 1];
    const int64_t period = h->weight ? h->weights / h->scalars : last->n;
    const int64_t row = common_divisor(last->n, period);

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

/* ---- parameters ---- */

static void add_arg(hook_text *t, device_role role, int number, const char *type, const char *name)
{
    device_kernel *k = t->kernel;

    core_text_printf(&t->parameters, "%s%s%s", k->nargs > 0 ? ", " : "", type, name);
    k->arg[k->nargs++] = (device_arg){.role = role, .number = number};
}

/* A buffer, called `name` from where the program's begins on. */
static void add_buffer(hook_text *t, device_role role, const char *type, const char *name)
{
    const bool packed = role == DEVICE_IN_PACKED || role == DEVICE_OUT_PACKED;
    const char *const constant = packed == (t->side == 1) ? "const " : ""; /* what is read */
    core_text pointer = {0}, all = {0}, from = {0};

    core_text_printf(&pointer, "__global %s%s *restrict ", constant, type);
    core_text_printf(&all, "all_%s", name);
    core_text_printf(&from, "from_%s", name);
    add_arg(t, role, 0, core_text_string(&pointer), core_text_string(&all));
    if (t->how->offsets) {
        add_arg(t, DEVICE_OFFSET, (int)role, "long ", core_text_string(&from));
        core_text_printf(&t->text,
                         "    __global %s%s *restrict const %s = (__global %s%s *)"
                         "((__global %schar *)all_%s + from_%s);\n",
                         constant, type, name, constant, type, constant, name, name);
    } else {
        core_text_printf(&t->text, "    __global %s%s *restrict const %s = all_%s;\n", constant,
                         type, name, name);
    }
    t->parameters.failed = t->parameters.failed || pointer.failed || all.failed || from.failed;
    core_text_free(&pointer);
    core_text_free(&all);
    core_text_free(&from);
}

static void add_parameters(hook_text *t, int table)
{
    const prog_hook *h = t->hook;
    const int user = t->side || h->in_place ? DEVICE_OUT : DEVICE_IN;

    add_buffer(t, (device_role)user, stored_type(h->storage), "user");
    if (h->split)
        add_buffer(t, (device_role)(user + 1), stored_type(h->storage), "user_im");
    add_buffer(t, t->side ? DEVICE_OUT_PACKED : DEVICE_IN_PACKED, real_type(h), "packed");
    if (h->weight)
        add_arg(t, DEVICE_TABLE, table,
                h->precision == SLUICE_F32 ? "__global const float *restrict "
                                           : "__global const double *restrict ",
                "weight");
    add_arg(t, DEVICE_ELEMENTS, t->side, "long ", "elements");
    if (h->call)
        add_arg(t, DEVICE_FIRST, t->side, "long ", "first");
}

/* ---- elements ---- */

/* The place of scalar k of the element at `at`. */
static void print_place(const hook_text *t, int k, core_text *out)
{
    if (t->hook->split || t->hook->scalars == 1)
        core_text_printf(out, "at");
    else
        core_text_printf(out, "2 * at + %d", k);
}

static void print_get(hook_text *t, int k)
{
    const prog_hook *h = t->hook;
    const char *const array = h->split && k ? "user_im" : "user";
    core_text place = {0};

    print_place(t, k, &place);
    core_text_printf(&t->text, "            %s x%d = ", real_type(h), k);
    if (h->storage == SLUICE_STORE_F16)
        core_text_printf(&t->text, "vload_half(%s, %s);\n", core_text_string(&place), array);
    else
        core_text_printf(&t->text, "(%s)%s[%s]%s;\n", real_type(h), array, core_text_string(&place),
                         h->storage != SLUICE_STORE_I16 ? ""
                         : h->precision == SLUICE_F32   ? " * 0x1p-15f"
                                                        : " * 0x1p-15");
    t->text.failed = t->text.failed || place.failed;
    core_text_free(&place);
}

static void print_put(hook_text *t, int k)
{
    const prog_hook *h = t->hook;
    const char *const array = h->split && k ? "user_im" : "user";
    core_text place = {0};

    print_place(t, k, &place);
    core_text_printf(&t->text, "            ");
    if (h->storage == SLUICE_STORE_F16)
        core_text_printf(&t->text, "vstore_half_rte(%s(x%d), %s, %s);\n",
                         h->precision == SLUICE_F32 ? "" : "hook_to_odd", k,
                         core_text_string(&place), array);
    else
        core_text_printf(&t->text, "%s[%s] = %s(x%d);\n", array, core_text_string(&place),
                         h->storage == SLUICE_STORE_I16   ? "hook_to_i16"
                         : h->storage == SLUICE_STORE_F32 ? "(float)"
                                                          : "(double)",
                         k);
    t->text.failed = t->text.failed || place.failed;
    core_text_free(&place);
}

/* By the weights and the user's text. */
static void print_change(hook_text *t)
{
    const prog_hook *h = t->hook;
    const char *const name = t->side ? "out" : "in";

    for (int k = 0; k < h->scalars && h->weight; k++)
        core_text_printf(&t->text, "            x%d *= weight[w + j * %d + %d];\n", k, h->scalars,
                         k);
    if (h->call && h->scalars == 1)
        core_text_printf(&t->text, "            x0 = hook_text_%s(x0, first + i + j);\n", name);
    else if (h->call)
        core_text_printf(&t->text,
                         "            const %s2 x = hook_text_%s((%s2)(x0, x1), first + i + j);\n"
                         "            x0 = x.x;\n            x1 = x.y;\n",
                         real_type(h), name, real_type(h));
}

static void print_element(hook_text *t)
{
    const prog_hook *h = t->hook;
    const int s = h->scalars;

    core_text_printf(&t->text, "            const %s at = here + j * (%" PRId64 ");\n", t->index,
                     (int64_t)t->shape.dim[t->shape.dims - 1].stride);
    for (int k = 0; k < s; k++)
        if (t->side)
            core_text_printf(&t->text, "            %s x%d = packed[(i + j) * %d + %d];\n",
                             real_type(h), k, s, k);
        else
            print_get(t, k);
    print_change(t);
    for (int k = 0; k < s; k++)
        if (t->side)
            print_put(t, k);
        else
            core_text_printf(&t->text, "            packed[(i + j) * %d + %d] = x%d;\n", s, k, k);
}

/* ---- runs ---- */

/* Where the run that begins with element i is, and how much of its row is in the array. */
static void print_digits(hook_text *t)
{
    const prog_hook *h = &t->shape;
    const prog_hook_dim *last = &h->dim[h->dims - 1];

    core_text_printf(&t->text,
                     "        const %s k = i %% %" PRId64 ";\n"
                     "        %s present = %" PRId64 " - k, here = k * (%" PRId64 ") - (%" PRId64
                     ");\n",
                     t->index, last->n, t->index, last->extent, (int64_t)last->stride,
                     t->program->side[t->side].low);
    if (h->dims > 1)
        core_text_printf(&t->text, "        %s row = i / %" PRId64 ";\n", t->index, last->n);
    for (int d = h->dims - 2; d >= 0; d--) {
        const prog_hook_dim *dim = &h->dim[d];
        core_text_printf(&t->text, "        here += row %% %" PRId64 " * (%" PRId64 ");\n", dim->n,
                         (int64_t)dim->stride);
        if (dim->extent < dim->n)
            core_text_printf(&t->text,
                             "        present = row %% %" PRId64 " < %" PRId64 " ? present : 0;\n",
                             dim->n, dim->extent);
        core_text_printf(&t->text, "        row /= %" PRId64 ";\n", dim->n);
    }
}

static void print_run(hook_text *t)
{
    const prog_hook *h = t->hook;

    print_digits(t);
    if (t->how->items == 1)
        core_text_printf(
            &t->text,
            "        const %s left = %" PRId64 " - k < end - i ? %" PRId64 " - k : end - i;\n",
            t->index, t->shape.dim[t->shape.dims - 1].n, t->shape.dim[t->shape.dims - 1].n);
    else
        core_text_printf(&t->text, "        const %s left = 1;\n", t->index);
    core_text_printf(&t->text,
                     "        present = present < 0 ? 0 : present < left ? present : left;\n");
    if (h->weight)
        core_text_printf(&t->text, "        const %s w = i %% %" PRId64 " * %d;\n", t->index,
                         h->weights / h->scalars, h->scalars);
    core_text_printf(&t->text, "        for (%s j = 0; j < present; j++) {\n", t->index);
    print_element(t);
    core_text_printf(&t->text, "        }\n");
    if (!t->side && prog_hook_present(h) < h->elements)
        core_text_printf(&t->text,
                         "        for (%s j = (i + present) * %d; j < (i + left) * %d; j++)\n"
                         "            packed[j] = 0;\n",
                         t->index, h->scalars, h->scalars);
    if (t->how->items == 1)
        core_text_printf(&t->text, "        i += left;\n");
    else
        core_text_printf(&t->text, "        i += %" PRId64 ";\n", t->how->items);
}

static void print_body(hook_text *t)
{
    core_text_printf(&t->text,
                     "    const long begin = (long)get_group_id(0) * %" PRId64 ";\n"
                     "    const %s end = (%s)(begin + %" PRId64 " < elements ? begin + %" PRId64
                     " : elements);\n"
                     "    for (%s i = (%s)begin + (%s)get_local_id(0); i < end;) {\n",
                     t->per, t->index, t->index, t->per, t->per, t->index, t->index, t->index);
    print_run(t);
    core_text_printf(&t->text, "    }\n");
}

/* ---- functions ---- */

static const char head[] =
    "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
    "#pragma OPENCL FP_CONTRACT OFF\n";

/* The nearest, ties to even, saturated; not a number: 0. */
static void print_to_i16(const prog_hook *h, core_text *out)
{
    core_text_printf(out,
                     "static short hook_to_i16(%s value)\n{\n"
                     "    const %s r = rint(value * 32768);\n"
                     "    return (short)(r >= 32767 ? 32767 : r > -32768 ? r : r <= -32768 ? "
                     "-32768 : 0);\n}\n\n",
                     real_type(h), real_type(h));
}

/* Boldo, Melquiond 2008: rounded to odd, with more digits than it is to have, and then to nearest, a
 * number is rounded as if once. */
static void print_to_odd(core_text *out)
{
    core_text_printf(out, "static float hook_to_odd(double value)\n{\n"
                          "    const float less = convert_float_rtz(value);\n"
                          "    return less == value || less != less ? less\n"
                          "                                         : as_float(as_uint(less) | 1);"
                          "\n}\n\n");
}

/* The user's text, in lines that compilers name and count as its own. */
static void print_user_text(const prog_hook *h, int side, core_text *out)
{
    const char *const vector = h->scalars == 2 ? "2" : "";

    core_text_printf(out,
                     "static %s%s hook_text_%s(%s%s x, long i)\n{\n    return (\n"
                     "#line 1 \"%s\"\n%s\n    );\n}\n#line 1 \"kernels\"\n\n",
                     real_type(h), vector, side ? "out" : "in", real_type(h), vector,
                     device_hooks_text_name(side), h->opencl);
}

static void print_functions(const prog_hook *h, int side, core_text *out)
{
    if (side && h->storage == SLUICE_STORE_I16)
        print_to_i16(h, out);
    if (side && h->storage == SLUICE_STORE_F16 && h->precision == SLUICE_F64)
        print_to_odd(out);
    if (h->call)
        print_user_text(h, side, out);
}

/* ---- the program ---- */

/* Weights as a table; false: out of memory. */
static bool add_table(device_program *d, const prog_hook *h)
{
    const size_t bytes =
        (size_t)h->weights * (h->precision == SLUICE_F32 ? sizeof(float) : sizeof(double));
    device_table *more = core_realloc(d->table, ((size_t)d->ntables + 1) * sizeof *more);
    void *data = core_malloc(bytes);

    if (more)
        d->table = more;
    if (!more || !data) {
        core_free(data);
        return false;
    }
    memcpy(data, h->weight, bytes);
    d->table[d->ntables++] = (device_table){.bytes = bytes, .data = data};
    return true;
}

/* A launch before or after all others. */
static bool add_launch(device_program *d, int kernel, bool before)
{
    device_launch *more = core_realloc(d->launch, ((size_t)d->nlaunches + 1) * sizeof *more);

    if (!more)
        return false;
    d->launch = more;
    if (before)
        memmove(more + 1, more, (size_t)d->nlaunches * sizeof *more);
    more[before ? 0 : d->nlaunches] = (device_launch){.kernel = kernel};
    d->nlaunches++;
    return true;
}

static device_kernel *add_kernel(device_program *d, int side, int64_t groups, int64_t items)
{
    device_kernel *more = core_realloc(d->kernel, ((size_t)d->nkernels + 1) * sizeof *more);
    device_arg *arg = core_calloc(MOST_ARGS, sizeof *arg);

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

/* Places of elements that are not in the array are computed too. */
static bool fits_int(const device_program *d, const prog_hook *h, int side)
{
    int64_t reach = d->side[side].high - d->side[side].low;

    for (int i = 0; i < h->dims; i++)
        reach += h->dim[i].n * imaxabs(h->dim[i].stride);
    return h->elements < int_limit && reach < int_limit;
}

/* The kernel of one side, behind what is in `source`. */
static bool add_hook(device_program *d, const prog_hook *h, int side, const device_hooks_how *how,
                     core_text *source)
{
    hook_text t = {.hook = h, .shape = shape_of(h), .side = side, .how = how, .program = d};

    t.per = elements_of_group(h, how);
    t.index = fits_int(d, h, side) ? "int" : "long";
    if (h->weight && !add_table(d, h))
        return false;
    t.kernel = add_kernel(d, side, (h->elements + t.per - 1) / t.per, how->items);
    if (!t.kernel || !add_launch(d, d->nkernels - 1, side == 0))
        return false;
    add_parameters(&t, d->ntables - 1);
    print_body(&t);
    print_functions(h, side, source);
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

/* The user's array; the program's side was packed. */
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

/* Kernels that took the side take packed memory. */
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
