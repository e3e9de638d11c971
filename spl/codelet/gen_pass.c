// SPDX-License-Identifier: BSD-3-Clause
/* Steps of the passes between real transforms and complex ones of half the length, on rows k and m - k
 * (codelet.h; docs/FORMULAS.md, PAIRS).
 *
 * A pair is  s = u + v*,  d = b (u - v*),  row 0 = a s + d,  row 1 = (a s - d)*.  Interleaved, a
 * conjugate is a sign vector that an fma takes from the static table, and the last one is part of
 * fmaddsub: 6 operations and a shuffle, and at M the two reversals of row 1. Edge and self terms are
 * few: they are computed split, as G is. */
#include <stdio.h>

#include "spl/codelet/gen.h"

/* ---- arithmetic ---- */

/* A step: its rows, and what it computes of them. */
typedef struct step {
    const char *word;
    int inputs, outputs;
    long double a; /* of pairs; of self: the factor of the result */
    void (*compute)(gen_emit *e, const gen_var *in, gen_var *out);
} step;

static void pair_step(gen_emit *e, const gen_var *in, gen_var *out);
static void edge_out_step(gen_emit *e, const gen_var *in, gen_var *out);
static void edge_in_step(gen_emit *e, const gen_var *in, gen_var *out);
static void self_step(gen_emit *e, const gen_var *in, gen_var *out);

/* By key.kind from SPL_CODELET_PASS on: spl_pass_kind, spl_pass_role. */
static const step steps[] = {
    {"rdftpair", 2, 2, 0.5L, pair_step},  {"rdftedge", 1, 2, 1, edge_out_step},
    {"rdftself", 1, 1, 1, self_step},     {"irdftpair", 2, 2, 1, pair_step},
    {"irdftedge", 2, 1, 1, edge_in_step}, {"irdftself", 1, 1, 2, self_step},
};

static const step *step_of(const gen_emit *e)
{
    return &steps[e->key->kind - SPL_CODELET_PASS];
}

int gen_pass_inputs(int kind)
{
    return steps[kind - SPL_CODELET_PASS].inputs;
}

const char *gen_pass_word(int kind)
{
    return steps[kind - SPL_CODELET_PASS].word;
}

/* (c, -c) in every lane. */
static gen_name conjugate_row(gen_emit *e, long double c)
{
    gen_constant_vector row = {.negated_in_inverse = false};
    for (int i = 0; i < e->vector.width; i += 2) {
        row.value[i] = c;
        row.value[i + 1] = -c;
    }
    return gen_table_row(e, &row);
}

static gen_name factor_text(const gen_emit *e, long double c)
{
    return gen_print("%s_set1(%s)", e->vector.type, gen_number(e, c).text);
}

static void pair_interleaved(gen_emit *e, gen_var u, gen_var v, gen_var *out)
{
    const long double a = step_of(e)->a;
    const gen_var s = gen_new_temp(e), d = gen_new_temp(e);
    gen_assign(e, GEN_FMAS, s.re, "fma", conjugate_row(e, 1).text, v.re, u.re);
    gen_assign(e, GEN_FMAS, d.re, "fnma", conjugate_row(e, 1).text, v.re, u.re);
    const gen_var o = gen_twiddle(e, 1, d);
    out[0] = gen_new_temp(e);
    out[1] = gen_new_temp(e);
    if (a == 1)
        gen_assign(e, GEN_ADDS, out[0].re, "add", s.re, o.re, NULL);
    else
        gen_assign(e, GEN_FMAS, out[0].re, "fma", factor_text(e, a).text, s.re, o.re);
    gen_assign(e, GEN_FMAS, out[1].re, "fmaddsub", conjugate_row(e, a).text, s.re, o.re);
}

/* c x, in each part */
static gen_var scaled(gen_emit *e, long double c, gen_var x)
{
    const gen_var to = gen_new_temp(e);
    if (c == 1)
        return x;
    gen_assign(e, GEN_MULS, to.re, "mul", factor_text(e, c).text, x.re, NULL);
    gen_assign(e, GEN_MULS, to.im, "mul", factor_text(e, c).text, x.im, NULL);
    return to;
}

static void pair_split(gen_emit *e, gen_var u, gen_var v, gen_var *out)
{
    const gen_var none = {"", ""}, sum = gen_new_temp(e), d = gen_new_temp(e);
    gen_assign(e, GEN_ADDS, sum.re, "add", u.re, v.re, NULL);
    gen_assign(e, GEN_ADDS, sum.im, "sub", u.im, v.im, NULL);
    gen_assign(e, GEN_ADDS, d.re, "sub", u.re, v.re, NULL);
    gen_assign(e, GEN_ADDS, d.im, "add", u.im, v.im, NULL);
    const gen_var o = gen_twiddle(e, 1, d);
    const gen_var s = scaled(e, step_of(e)->a, sum);
    out[0] = gen_each(e, GEN_ADDS, "add", s, o, none);
    out[1] = gen_new_temp(e);
    gen_assign(e, GEN_ADDS, out[1].re, "sub", s.re, o.re, NULL);
    gen_assign(e, GEN_ADDS, out[1].im, "sub", o.im, s.im, NULL);
}

static void pair_step(gen_emit *e, const gen_var *in, gen_var *out)
{
    (e->vector.split ? pair_split : pair_interleaved)(e, in[0], in[1], out);
}

static gen_var zero_part(gen_emit *e, gen_var x)
{
    snprintf(x.im, sizeof x.im, "zero");
    if (gen_declare_once(e, x.im))
        return x;
    gen_say(e, "const %s zero = %s;", e->vector.type, factor_text(e, 0).text);
    return x;
}

static void edge_out_step(gen_emit *e, const gen_var *in, gen_var *out)
{
    for (int i = 0; i < 2; i++) {
        out[i] = gen_new_temp(e);
        gen_assign(e, GEN_ADDS, out[i].re, i ? "sub" : "add", in[0].re, in[0].im, NULL);
        out[i] = zero_part(e, out[i]);
    }
}

static void edge_in_step(gen_emit *e, const gen_var *in, gen_var *out)
{
    out[0] = gen_new_temp(e);
    gen_assign(e, GEN_ADDS, out[0].re, "add", in[0].re, in[1].re, NULL);
    gen_assign(e, GEN_ADDS, out[0].im, "sub", in[0].re, in[1].re, NULL);
    gen_say(e, "(void)%s, (void)%s;", in[0].im, in[1].im);
}

static void self_step(gen_emit *e, const gen_var *in, gen_var *out)
{
    const long double c = step_of(e)->a;
    out[0] = gen_new_temp(e);
    gen_assign(e, GEN_MULS, out[0].re, "mul", factor_text(e, c).text, in[0].re, NULL);
    gen_assign(e, GEN_MULS, out[0].im, "mul", factor_text(e, -c).text, in[0].im, NULL);
}

/* ---- rows in memory ---- */

/* A row of a side, at the pointers NAME_re and NAME_im. */
typedef struct pass_row {
    const char *name, *side;
    bool second;
} pass_row;

enum { OUT = 2, ROWS = 4 };
static const pass_row rows[ROWS] = {
    {"in", "in", false}, {"in1", "in", true}, {"out", "out", false}, {"out1", "out", true}};

static bool has_row(const gen_emit *e, int i)
{
    return i < OUT ? i < step_of(e)->inputs : i < OUT + step_of(e)->outputs;
}

static bool is_input(const pass_row *r)
{
    return r->side[0] == 'i';
}

static bool is_split(const gen_emit *e, const pass_row *r)
{
    return (is_input(r) ? e->key->in : e->key->out) == SPL_SPLIT;
}

/* Bytes from one column to the next where they are adjacent. */
static int column_bytes(const gen_emit *e, const pass_row *r)
{
    return e->vector.bytes * (is_split(e, r) ? 1 : 2);
}

static gen_var load_pass_row(gen_emit *e, const pass_row *r)
{
    const gen_var to = gen_new_temp(e);
    const gen_name re = gen_print("%s_re", r->name), im = gen_print("%s_im", r->name);
    if (e->key->position == SPL_POS_G) {
        const gen_name lanes = gen_print("%s_lanes", r->name);
        gen_assign(e, GEN_LOADS, to.re, "gather", re.text, lanes.text, NULL);
        gen_assign(e, GEN_LOADS, to.im, "gather", im.text, lanes.text, NULL);
        gen_count(e, GEN_LOADS, 2 * e->vector.lanes - 2);
    } else if (is_split(e, r)) {
        gen_load_split(e, re.text, im.text, e->vector.lanes, to.re);
    } else {
        gen_assign(e, GEN_LOADS, to.re, "load", re.text, NULL, NULL);
    }
    return to;
}

static void store_pass_row(gen_emit *e, const pass_row *r, gen_var x)
{
    const char *const type = e->vector.type;
    const gen_name re = gen_print("%s_re", r->name), im = gen_print("%s_im", r->name);
    if (e->key->position == SPL_POS_G) {
        gen_say(e, "%s_scatter(%s, %s_lanes, %s);", type, re.text, r->name, x.re);
        gen_say(e, "%s_scatter(%s, %s_lanes, %s);", type, im.text, r->name, x.im);
        gen_count(e, GEN_STORES, 2 * e->vector.lanes);
    } else if (is_split(e, r)) {
        gen_store_split(e, re.text, im.text, e->vector.lanes, x.re);
    } else {
        gen_store(e, re.text, x.re);
    }
}

/* Row 1 of M runs backwards: its vectors are reversed. */
static gen_var reversed(gen_emit *e, gen_var x)
{
    const gen_var none = {"", ""};
    if (e->key->position != SPL_POS_M || e->vector.lanes == 1)
        return x;
    return gen_each(e, GEN_SHUFFLES, "reverse", x, none, none);
}

void gen_pass_statements(gen_emit *e)
{
    gen_var in[2], out[2];
    for (int i = 0; i < step_of(e)->inputs; i++) {
        in[i] = load_pass_row(e, &rows[i]);
        in[i] = i ? reversed(e, in[i]) : in[i];
    }
    step_of(e)->compute(e, in, out);
    for (int i = 0; i < step_of(e)->outputs; i++)
        store_pass_row(e, &rows[OUT + i], i ? reversed(e, out[i]) : out[i]);
}

/* ---- the function ---- */

/* Bytes from column to column, as an expression. */
static gen_name column_of(const gen_emit *e, const pass_row *r)
{
    const int unit = column_bytes(e, r);
    if (e->key->position == SPL_POS_G)
        return gen_print("call->%ccs%s * %d", r->side[0], r->second ? "1" : "", e->vector.bytes);
    return gen_print("%d", r->second && e->key->position == SPL_POS_M ? -unit : unit);
}

/* Bytes from set to set. */
static gen_name set_of(const gen_emit *e, const pass_row *r)
{
    return gen_print("call->%couter * %d", r->side[0],
                     r->second ? -e->vector.bytes : e->vector.bytes);
}

/* Bytes from column 0 of row 0 to the vector of the row that is loaded first. */
static gen_name start_of(const gen_emit *e, const pass_row *r)
{
    const gen_name row = r->second ? gen_print("call->%cs * %d + ", r->side[0], e->vector.bytes)
                                   : gen_print("%s", "");
    const gen_name by = e->key->position == SPL_POS_B ? set_of(e, r) : column_of(e, r);
    const int back = e->key->lanes - 1;
    if (r->second && e->key->position == SPL_POS_M && back > 0)
        return gen_print("%s((ptrdiff_t)first + %d) * %s", row.text, back, by.text);
    return gen_print("%s(ptrdiff_t)first * %s", row.text, by.text);
}

static void print_row_variables(const gen_emit *e, const pass_row *r, core_text *text)
{
    static const char *const io[] = {"re", "im"};
    const char *const type = is_input(r) ? "const char" : "char";
    const gen_name column = column_of(e, r), start = start_of(e, r);
    for (int i = 0; i < (is_split(e, r) ? 2 : 1); i++)
        core_text_printf(text, "    %s *%s_%s = (%s *)call->%s_%s + (%s);\n", type, r->name, io[i],
                         type, r->side, io[i], start.text);
    core_text_printf(text, "    const ptrdiff_t %s_step = %d * %s;\n", r->name, e->key->lanes,
                     column.text);
    if (e->key->position == SPL_POS_B)
        core_text_printf(text, "    const ptrdiff_t %s_set = %s - (ptrdiff_t)call->lanes * %s;\n",
                         r->name, set_of(e, r).text, column.text);
    if (e->key->position == SPL_POS_G)
        core_text_printf(text, "    const %s_index %s_lanes = %s_lanes(call->%ccs%s);\n",
                         e->vector.type, r->name, e->vector.type, r->side[0], r->second ? "1" : "");
}

static void print_advance(const gen_emit *e, const char *by, core_text *text)
{
    for (int i = 0; i < ROWS; i++) {
        const pass_row *r = &rows[i];
        if (!has_row(e, i))
            continue;
        core_text_printf(text, "        %s_re += %s_%s;\n", r->name, r->name, by);
        if (is_split(e, r))
            core_text_printf(text, "        %s_im += %s_%s;\n", r->name, r->name, by);
    }
}

/* A last vector that is not full starts early, at columns that the one before has computed. */
static void print_last_vector(const gen_emit *e, core_text *text)
{
    core_text_printf(text,
                     "        if (c + %d > count) {\n"
                     "            const ptrdiff_t back = (ptrdiff_t)(c + %d - count);\n",
                     e->key->lanes, e->key->lanes);
    for (int i = 0; i < ROWS; i++)
        for (int part = 0; part < (is_split(e, &rows[i]) ? 2 : 1); part++)
            core_text_printf(text, "            %s_%s -= back * %s;\n", rows[i].name,
                             part ? "im" : "re", column_of(e, &rows[i]).text);
    core_text_printf(text, "            tw -= back * %d;\n        }\n", 2 * e->vector.bytes);
}

static void print_columns(const gen_emit *e, const char *count, core_text *text)
{
    core_text_printf(text, "    for (size_t c = 0; c < %s; c += %d) {\n", count, e->key->lanes);
    if (e->key->position == SPL_POS_M && e->key->lanes > 1)
        print_last_vector(e, text);
    core_text_add(text, core_text_string(&e->body), e->body.length);
    print_advance(e, "step", text);
    if (e->key->tw == SPL_TW_VECTOR)
        core_text_printf(text, "        tw += %d;\n", 2 * e->key->lanes * e->vector.bytes);
    core_text_printf(text, "    }\n");
}

void gen_pass_loops(const gen_emit *e, core_text *text)
{
    const bool sets = e->key->tw == SPL_TW_BROADCAST;
    for (int i = 0; i < ROWS; i++)
        if (has_row(e, i))
            print_row_variables(e, &rows[i], text);
    if (e->key->tw != SPL_TW_NONE)
        core_text_printf(text, "    const char *tw = (const char *)call->tw + first * %d;\n",
                         2 * e->vector.bytes);
    if (!sets) {
        print_columns(e, "count", text);
        return;
    }
    core_text_printf(text, "    for (size_t t = 0; t < count; t++) {\n");
    print_columns(e, "call->lanes", text);
    print_advance(e, "set", text);
    core_text_printf(text, "        tw += %d;\n    }\n", 2 * e->vector.bytes);
}
