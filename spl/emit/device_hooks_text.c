// SPDX-License-Identifier: BSD-3-Clause
/* A group processes consecutive packed elements. If it has one item, that does a run of a row at a
 * time; else each item does one element at a time. Numbers of the problem are constants in the
 * text, because compilers turn divisions by constants into faster code. */
#include "spl/emit/device_hooks_text.h"

#include <inttypes.h>

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

/* ---- parameters ---- */

static void add_arg(hook_text *t, device_role role, int number, const char *type, const char *name)
{
    device_kernel *k = t->kernel;

    core_text_printf(&t->parameters, "%s%s%s", k->nargs > 0 ? ", " : "", type, name);
    k->arg[k->nargs++] = (device_arg){.role = role, .number = number};
}

/* A buffer; `name` points to where the program's part of it begins. */
static void add_buffer(hook_text *t, device_role role, const char *type, const char *name)
{
    const bool packed = role == DEVICE_IN_PACKED || role == DEVICE_OUT_PACKED;
    const char *const constant = packed == (t->side == 1) ? "const " : ""; /* it is read */
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

void device_hook_parameters(hook_text *t, int table)
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

/* The index of scalar k of the element at `at`. */
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

/* Multiplies by the weights and applies the user's text. */
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

/* The index of the run that begins with element i, and how many elements of it are in the array. */
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

void device_hook_body(hook_text *t)
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

/* Rounds to nearest, ties to even, and saturates; NaN becomes 0. */
static void print_to_i16(const prog_hook *h, core_text *out)
{
    core_text_printf(out,
                     "static short hook_to_i16(%s value)\n{\n"
                     "    const %s x = value * 32768;\n"
                     "    const %s inside = x < -32768 ? -32768 : x > 32767 ? 32767 : x;\n"
                     "    return (short)(int)rint(x == x ? inside : 0);\n}\n\n",
                     real_type(h), real_type(h), real_type(h));
}

/* Rounding to odd, with more digits than the result has, and then to nearest gives the same as
 * rounding once (Boldo, Melquiond 2008). */
static void print_to_odd(core_text *out)
{
    core_text_printf(out, "static float hook_to_odd(double value)\n{\n"
                          "    const float less = convert_float_rtz(value);\n"
                          "    return less == value || less != less ? less\n"
                          "                                         : as_float(as_uint(less) | 1);"
                          "\n}\n\n");
}

/* The user's text, with #line so that compilers report its own lines. */
static void print_user_text(const prog_hook *h, int side, core_text *out)
{
    const char *const vector = h->scalars == 2 ? "2" : "";

    core_text_printf(out,
                     "static %s%s hook_text_%s(%s%s x, long i)\n{\n    return (\n"
                     "#line 1 \"%s\"\n%s\n    );\n}\n#line 1 \"kernels\"\n\n",
                     real_type(h), vector, side ? "out" : "in", real_type(h), vector,
                     device_hooks_text_name(side), h->opencl);
}

void device_hook_functions(const prog_hook *h, int side, core_text *out)
{
    if (side && h->storage == SLUICE_STORE_I16)
        print_to_i16(h, out);
    if (side && h->storage == SLUICE_STORE_F16 && h->precision == SLUICE_F64)
        print_to_odd(out);
    if (h->call)
        print_user_text(h, side, out);
}
