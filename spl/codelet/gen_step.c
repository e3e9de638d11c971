// SPDX-License-Identifier: BSD-3-Clause
/* What steps of pairs compute on split vectors: the forms, maps and constants of
 * spl/formula/pairs.h. gen_step_inter.c: on interleaved vectors.
 *
 * A part of a row is a vector with a sign. Conjugation, signs and factors i only exchange names and
 * signs, which the next operation takes into account. */
#include <stdio.h>
#include <string.h>

#include "spl/codelet/gen.h"

typedef struct term {
    char name[16];
    bool minus;
} term;

typedef struct row {
    term re, im;
} row;

/* ---- additions and multiplications ---- */

static term named(const char *name)
{
    term t = {.minus = false};
    snprintf(t.name, sizeof t.name, "%s", name);
    return t;
}

static term negated(term x)
{
    x.minus = !x.minus;
    return x;
}

static term emit_term(gen_emit *e, gen_kind kind, const char *word, const char *x, const char *y,
                      const char *z)
{
    const term to = named(gen_new_temp(e).re);
    gen_assign(e, kind, to.name, word, x, y, z);
    return to;
}

static term sum(gen_emit *e, term a, term b)
{
    if (a.minus && b.minus)
        return emit_term(e, GEN_FMAS, "fnms", gen_constant(e, 1).text, a.name, b.name);
    if (a.minus)
        return emit_term(e, GEN_ADDS, "sub", b.name, a.name, NULL);
    return emit_term(e, GEN_ADDS, b.minus ? "sub" : "add", a.name, b.name, NULL);
}

static term scaled_term(gen_emit *e, long double c, term x)
{
    if (c == 1)
        return x;
    return emit_term(e, GEN_MULS, "mul", gen_constant(e, x.minus ? -c : c).text, x.name, NULL);
}

/* f a */
static term product(gen_emit *e, const char *f, term a)
{
    term to = emit_term(e, GEN_MULS, "mul", a.name, f, NULL);
    to.minus = a.minus;
    return to;
}

/* f a + b */
static term fused(gen_emit *e, const char *f, term a, term b)
{
    static const char *const words[2][2] = {{"fma", "fms"}, {"fnma", "fnms"}};
    return emit_term(e, GEN_FMAS, words[a.minus][b.minus], a.name, f, b.name);
}

/* w x, or its conjugate, rounded as interleaved products are: the fma of re and im uses w.re. */
static row multiply(gen_emit *e, row w, row x, bool conjugate)
{
    const term re = product(e, w.im.name, w.im.minus ? negated(x.im) : x.im);
    const term im = product(e, w.im.name, w.im.minus ? negated(x.re) : x.re);
    return (row){
        fused(e, w.re.name, x.re, negated(re)),
        fused(e, w.re.name, conjugate ? negated(x.im) : x.im, conjugate ? negated(im) : im)};
}

/* (re + i im) x; only exchanges names and signs if one is 0 and the other 1. */
static row multiply_constant(gen_emit *e, long double re, long double im, row x)
{
    const long double p = re < 0 ? -re : re, q = im < 0 ? -im : im;
    const term a = re < 0 ? negated(x.re) : x.re, b = re < 0 ? negated(x.im) : x.im;
    const term c = im < 0 ? x.im : negated(x.im), d = im < 0 ? negated(x.re) : x.re;
    if (q == 0)
        return (row){scaled_term(e, p, a), scaled_term(e, p, b)};
    if (p == 0)
        return (row){scaled_term(e, q, c), scaled_term(e, q, d)};
    if (p == 1 && q == 1)
        return (row){sum(e, a, c), sum(e, b, d)};
    const gen_name by_p = gen_constant(e, p), by_q = gen_constant(e, q);
    const term first = product(e, by_q.text, c);
    term second = p == q ? first : product(e, by_p.text, b);
    second.minus = b.minus;
    return (row){fused(e, by_p.text, a, first), fused(e, by_q.text, d, second)};
}

static row map_row(gen_emit *e, spl_row_map map, row x)
{
    const spl_row_factor f = spl_row_factor_of(map);
    if (f.conjugate)
        x.im = negated(x.im);
    return multiply_constant(e, f.re, f.im, x);
}

/* Loads vector `part` of a block of factors. If columns are repeated, the first ones are in the
 * preceding block. */
static term load_part(gen_emit *e, int part)
{
    const int bytes = e->vector.width * e->vector.bytes, block = 2 * gen_pairs_factors(e) * bytes;
    const gen_name at = gen_print("tw + %d", part * bytes);
    const gen_name before = gen_print("tw + %d", (part + 1) * bytes - block);
    if (e->key->tw != SPL_TW_VECTOR)
        return emit_term(e, GEN_LOADS, "dup", gen_print("tw + %d", part * e->vector.bytes).text,
                         NULL, NULL);
    return e->repeats ? emit_term(e, GEN_LOADS, "load_join", before.text, "(int)back", at.text)
                      : emit_term(e, GEN_LOADS, "load", at.text, NULL, NULL);
}

/* The i-th factor. */
static row load_factor(gen_emit *e, int i)
{
    if (e->factor) {
        const gen_var w = e->factor(e, i);
        return (row){named(w.re), named(w.im)};
    }
    const term re = load_part(e, 2 * i);
    return (row){re, load_part(e, 2 * i + 1)};
}

/* ---- pairs ---- */

/* c a + b, or c a - b */
static row add_scaled(gen_emit *e, long double c, row a, row b, bool minus)
{
    const term re = minus ? negated(b.re) : b.re, im = minus ? negated(b.im) : b.im;
    row to;
    if (c == 1) {
        to.re = sum(e, a.re, re);
        to.im = sum(e, a.im, im);
        return to;
    }
    const gen_name by = gen_constant(e, c);
    to.re = fused(e, by.text, a.re, re);
    to.im = fused(e, by.text, a.im, im);
    return to;
}

/* x F diag(c, 1) of two rows; maps that only exchange names and signs are applied before the
 * sums. */
static void add_rows(gen_emit *e, const spl_row_map *x, long double c, const row *in, row *out)
{
    for (int i = 0; i < 2; i++) {
        const spl_row_factor f = spl_row_factor_of(x[i]);
        const bool first = f.re == 0 || f.im == 0;
        const spl_row_map before = first ? x[i] : f.conjugate ? SPL_ROW_CONJUGATE : SPL_ROW_SAME;
        const row a = map_row(e, before, in[0]), b = map_row(e, before, in[1]);
        out[i] = add_scaled(e, c, a, b, i == 1);
        if (!first)
            out[i] = multiply_constant(e, f.re, f.im, out[i]);
    }
}

static void sum_and_difference(gen_emit *e, const row *in, row *out)
{
    static const spl_row_map same[2] = {SPL_ROW_SAME, SPL_ROW_SAME};
    add_rows(e, same, 1, in, out);
}

/* The table's factor includes the scale. */
static void middle_pair(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    row f[2];
    sum_and_difference(e, in, f);
    f[1] = multiply(e, load_factor(e, 0), f[1], false);
    add_rows(e, p->x, p->scale, f, out);
}

static void turn_pair(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    row f[2];
    sum_and_difference(e, in, f);
    f[1] = multiply_constant(e, 0, 1, multiply_constant(e, p->scale, 0, f[1]));
    add_rows(e, p->x, p->scale, f, out);
}

/* c a + f b */
static row add_products(gen_emit *e, term c, row a, term f, row b)
{
    return (row){fused(e, c.name, a.re, product(e, f.name, b.re)),
                 fused(e, c.name, a.im, product(e, f.name, b.im))};
}

static row minus(row x)
{
    return (row){negated(x.re), negated(x.im)};
}

/* Like the interleaved one (gen_step_inter.c), which checks the maps. */
static void in_pair(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    row f[2];
    (void)p;
    sum_and_difference(e, in, f);
    const row b = load_factor(e, 0), turned = map_row(e, SPL_ROW_I, f[1]);
    out[0] = add_products(e, b.re, f[0], b.im, turned);
    out[1] = add_products(e, b.im, minus(f[0]), b.re, turned);
}

static void out_pair(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    const row b = load_factor(e, 0), v = map_row(e, SPL_ROW_I, in[1]);
    row f[2] = {add_products(e, b.im, v, b.re, in[0])};
    (void)p;
    f[1] = map_row(e, SPL_ROW_MINUS_I, add_products(e, b.im, minus(in[0]), b.re, v));
    sum_and_difference(e, f, out);
}

static void both_pair(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    row f[2];
    sum_and_difference(e, in, f);
    for (int i = 0; i < 2; i++)
        f[i] = multiply(e, load_factor(e, i), f[i], false);
    add_rows(e, p->x, 1, f, out);
}

static void swap_in_pair(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    (void)p; /* its y comes after the exchange */
    for (int i = 0; i < 2; i++) {
        const row mixed = map_row(e, p->y[i], (row){in[i].re, in[1 - i].im});
        out[i] = multiply(e, load_factor(e, i), mixed, false);
    }
}

/* x only conjugates: im of each row is that of the other row's product. */
static void swap_out_pair(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    row to[2];
    for (int i = 0; i < 2; i++)
        to[i] = multiply(e, load_factor(e, i), in[i], spl_row_factor_of(p->x[1 - i]).conjugate);
    for (int i = 0; i < 2; i++)
        out[i] = (row){to[i].re, to[1 - i].im};
}

typedef void pair_function(gen_emit *e, const spl_pairs_def *p, const row *in, row *out);

static void split_pair(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    static pair_function *const of_form[] = {
        [SPL_PAIR_MIDDLE] = middle_pair,
        [SPL_PAIR_TURN] = turn_pair,
        [SPL_PAIR_IN] = in_pair,
        [SPL_PAIR_OUT] = out_pair,
        [SPL_PAIR_BOTH] = both_pair,
        [SPL_PAIR_SWAP_IN] = swap_in_pair,
        [SPL_PAIR_SWAP_OUT] = swap_out_pair,
    };
    const bool swaps = p->form == SPL_PAIR_SWAP_IN;
    row y[2] = {in[0], in[1]};
    for (int i = 0; i < 2 && !swaps; i++)
        y[i] = map_row(e, p->y[i], y[i]);
    of_form[p->form](e, p, y, out);
}

/* ---- rows without a partner ---- */

static row zero_im(gen_emit *e, term re)
{
    if (!gen_declare_once(e, "zero"))
        gen_say(e, "const %s zero = %s;", e->vector.type, gen_constant(e, 0).text);
    return (row){re, named("zero")};
}

static void edge_apart(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    (void)p;
    out[0] = zero_im(e, sum(e, in[0].re, in[0].im));
    out[1] = zero_im(e, sum(e, in[0].re, negated(in[0].im)));
}

static void edge_together(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    (void)p;
    out[0] = (row){sum(e, in[0].re, in[1].re), sum(e, in[0].re, negated(in[1].re))};
    gen_say(e, "(void)%s, (void)%s;", in[0].im.name, in[1].im.name);
}

static void edge_scale(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    out[0] = multiply_constant(e, p->edge_factor[0], 0, in[0]);
}

static void edge_parts_out(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    out[0].re = scaled_term(e, p->edge_factor[0], sum(e, in[0].re, in[0].im));
    out[0].im = scaled_term(e, p->edge_factor[1], sum(e, in[0].re, negated(in[0].im)));
}

static void edge_parts_in(gen_emit *e, const spl_pairs_def *p, const row *in, row *out)
{
    const term re = scaled_term(e, p->edge_factor[0], in[0].re);
    const term im = scaled_term(e, p->edge_factor[1], in[0].im);
    out[0] = (row){sum(e, re, im), sum(e, re, negated(im))};
}

static pair_function *const edge_of_form[] = {
    [SPL_EDGE_APART] = edge_apart,       [SPL_EDGE_TOGETHER] = edge_together,
    [SPL_EDGE_SCALE] = edge_scale,       [SPL_EDGE_PARTS_OUT] = edge_parts_out,
    [SPL_EDGE_PARTS_IN] = edge_parts_in,
};

/* A map and a constant; for forms that exchange parts, the map and a factor of the table. */
static row self_row(gen_emit *e, const spl_pairs_def *p, row x)
{
    if (p->form == SPL_PAIR_SWAP_IN)
        return multiply(e, load_factor(e, 0), map_row(e, p->self, x), false);
    if (p->form == SPL_PAIR_SWAP_OUT)
        return map_row(e, p->self, multiply(e, load_factor(e, 0), x, false));
    return multiply_constant(e, p->self_factor[0], p->self_factor[1], map_row(e, p->self, x));
}

/* ---- steps ---- */

spl_pairs_kind gen_step_pairs(int kind)
{
    return (spl_pairs_kind)((kind - SPL_CODELET_PAIRS) / SPL_CODELET_ROLES);
}

spl_pairs_role gen_step_role(int kind)
{
    return (spl_pairs_role)((kind - SPL_CODELET_PAIRS) % SPL_CODELET_ROLES);
}

void gen_step(gen_emit *e, spl_pairs_kind kind, spl_pairs_role role, const gen_var *in,
              gen_var *out)
{
    const spl_pairs_def *p = spl_pairs_def_of(kind);
    row x[2], y[2];
    for (int i = 0; i < spl_role_cols(kind, role); i++)
        x[i] = (row){named(in[i].re), named(in[i].im)};
    if (role == SPL_ROLE_PAIR)
        split_pair(e, p, x, y);
    else if (role == SPL_ROLE_EDGE)
        edge_of_form[p->edge](e, p, x, y);
    else
        y[0] = self_row(e, p, x[0]);
    for (int i = 0; i < spl_role_rows(kind, role); i++) {
        const term re = y[i].re.minus ? scaled_term(e, -1, negated(y[i].re)) : y[i].re;
        const term im = y[i].im.minus ? scaled_term(e, -1, negated(y[i].im)) : y[i].im;
        memcpy(out[i].re, re.name, sizeof out[i].re);
        memcpy(out[i].im, im.name, sizeof out[i].im);
    }
}

void gen_step_split(gen_emit *e, const gen_var *in, gen_var *out)
{
    gen_step(e, gen_step_pairs(e->key->kind), gen_step_role(e->key->kind), in, out);
}
