// SPDX-License-Identifier: BSD-3-Clause
/* Statements, static tables and operation counts of one codelet. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "spl/codelet/gen.h"

gen_vector gen_vector_of(const spl_key *key, spl_format format, int lanes)
{
    static const char *const type[2][5] = {{"f32x1", "f32x2", "f32x4", "f32x8", "f32x16"},
                                           {"f64x1", "f64x2", "f64x4", "f64x8", NULL}};
    static const int bits[CORE_ISA_COUNT] = {0, 128, 256, 512};
    gen_vector v = {.bytes = key->precision == SLUICE_F32 ? 4 : 8, .split = format == SPL_SPLIT};
    const int parts = format == SPL_INTER ? 2 : 1;
    v.width = key->isa == CORE_ISA_SCALAR ? parts : bits[key->isa] / 8 / v.bytes;
    if (lanes > 0)
        v.width = lanes * parts;
    v.lanes = v.width / parts;
    int log = 0;
    while (1 << log < v.width)
        log++;
    v.type = type[key->precision][log];
    return v;
}

const char *gen_scalar(const gen_vector *vector)
{
    return vector->bytes == 4 ? "float" : "double";
}

gen_name gen_print(const char *format, ...)
{
    gen_name name;
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(name.text, sizeof name.text, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof name.text)
        strcpy(name.text, "@"); /* invalid C, so that compilation fails */
    return name;
}

void gen_say(gen_emit *e, const char *format, ...)
{
    static const char indent[] = "        ";
    va_list args;
    core_text_add(&e->body, indent, sizeof indent - 1);
    va_start(args, format);
    core_text_vprintf(&e->body, format, args);
    va_end(args);
    core_text_add(&e->body, "\n", 1);
}

void gen_count(gen_emit *e, gen_kind kind, int times)
{
    e->count[kind] += times;
}

void gen_store(gen_emit *e, const char *at, const char *x)
{
    gen_say(e, "%s_%s(%s, %s);", e->vector.type, e->key->nt ? "stream" : "store", at, x);
    gen_count(e, GEN_STORES, 1);
}

bool gen_declare_once(gen_emit *e, const char *name)
{
    for (int i = 0; i < e->declared_count; i++)
        if (strcmp(e->declared[i], name) == 0)
            return true;
    if (e->declared_count == (int)(sizeof e->declared / sizeof *e->declared)) {
        e->body.failed = true;
        return true;
    }
    snprintf(e->declared[e->declared_count++], sizeof e->declared[0], "%s", name);
    return false;
}

gen_var gen_new_temp(gen_emit *e)
{
    gen_var var = {"", ""};
    const int id = e->next_temp++;
    snprintf(var.re, sizeof var.re, e->vector.split ? "r%d" : "v%d", id);
    if (e->vector.split)
        snprintf(var.im, sizeof var.im, "i%d", id);
    return var;
}

void gen_assign(gen_emit *e, gen_kind kind, const char *name, const char *intrinsic, const char *x,
                const char *y, const char *z)
{
    const char *type = e->vector.type,
               *fused = e->fused && !e->fuses && kind == GEN_FMAS ? "fused_" : "";
    gen_say(e, "const %s %s = %s_%s%s(%s%s%s%s%s);", type, name, type, fused, intrinsic, x,
            y ? ", " : "", y ? y : "", z ? ", " : "", z ? z : "");
    gen_count(e, kind, 1);
}

gen_var gen_apply(gen_emit *e, gen_kind kind, const char *intrinsic, const char *x, const char *y,
                  const char *z)
{
    const gen_var to = gen_new_temp(e);
    gen_assign(e, kind, to.re, intrinsic, x, y, z);
    return to;
}

gen_var gen_each(gen_emit *e, gen_kind kind, const char *intrinsic, gen_var x, gen_var y, gen_var z)
{
    const gen_var to = gen_new_temp(e);
    gen_assign(e, kind, to.re, intrinsic, x.re, y.re[0] ? y.re : NULL, z.re[0] ? z.re : NULL);
    if (e->vector.split)
        gen_assign(e, kind, to.im, intrinsic, x.im, y.im[0] ? y.im : NULL, z.im[0] ? z.im : NULL);
    return to;
}

gen_name gen_number(const gen_emit *e, long double value)
{
    if (e->vector.bytes == 4)
        return gen_print("%af", (double)(float)value);
    return gen_print("%a", (double)value);
}

static bool equal_rows(const gen_constant_vector *a, const gen_constant_vector *b, int width)
{
    for (int i = 0; i < width; i++)
        if (a->value[i] != b->value[i] || a->except_lane[i] != b->except_lane[i])
            return false;
    return a->negated_in_inverse == b->negated_in_inverse && a->scalars == b->scalars;
}

static int row_width(const gen_emit *e)
{
    return e->row_width ? e->row_width : e->vector.width;
}

gen_name gen_table_row(gen_emit *e, const gen_constant_vector *row)
{
    int i = 0;
    while (i < e->rows && !equal_rows(&e->row[i], row, e->vector.width))
        i++;
    if (i == GEN_CONSTANTS)
        e->body.failed = true;
    else if (i == e->rows)
        e->row[e->rows++] = *row;
    const int bytes = e->vector.width * e->vector.bytes;
    const bool aligned = e->key->isa == CORE_ISA_VEC128 && bytes == 16;
    return gen_print("%s_load%s(table + %d)", e->vector.type, aligned ? "_aligned" : "",
                     i * row_width(e) * e->vector.bytes);
}

/* The number of a scalar in the table; rows of scalars are filled one after another. */
static int table_scalar(gen_emit *e, long double value)
{
    int last = -1;
    for (int i = 0; i < e->rows; i++) {
        last = e->row[i].scalars > 0 ? i : last;
        for (int k = 0; k < e->row[i].scalars; k++)
            if (e->row[i].value[k] == value)
                return i * row_width(e) + k;
    }
    if (last < 0 || e->row[last].scalars == row_width(e))
        last = e->rows++;
    if (e->rows > GEN_CONSTANTS) {
        e->rows = GEN_CONSTANTS;
        e->body.failed = true;
        return 0;
    }
    gen_constant_vector *const row = &e->row[last];
    row->value[row->scalars] = value;
    return last * row_width(e) + row->scalars++;
}

/* Constants come from the table, which needs no relocation: as a whole row, or as a single scalar
 * if the ISA's instructions can repeat a scalar of memory in every lane of an operand. */
gen_name gen_constant(gen_emit *e, long double value)
{
    gen_constant_vector row = {.negated_in_inverse = false};
    if (e->key == NULL) /* work-items have no table */
        return gen_print("%s_set1(%s)", e->vector.type, gen_number(e, value).text);
    if (e->key->isa == CORE_ISA_AVX512)
        return gen_print("%s_set1(((const %s *)table)[%d])", e->vector.type, gen_scalar(&e->vector),
                         table_scalar(e, value));
    for (int i = 0; i < e->vector.width; i++)
        row.value[i] = value;
    return gen_table_row(e, &row);
}

gen_name gen_parts_row(gen_emit *e, long double re, long double im)
{
    gen_constant_vector row = {.negated_in_inverse = false};
    for (int i = 0; i < e->vector.width; i++)
        row.value[i] = i % 2 ? im : re;
    return gen_table_row(e, &row);
}

gen_name gen_sign_row(gen_emit *e, long double c)
{
    gen_constant_vector row = {.negated_in_inverse = true};
    for (int i = 0; i < row_width(e); i += 2) {
        row.value[i] = c;
        row.value[i + 1] = -c;
    }
    return gen_table_row(e, &row);
}
