// SPDX-License-Identifier: BSD-3-Clause
/* Pairs of rows on interleaved vectors (spl/formula/pairs.h), where exchanging re and im is a
 * shuffle: one per pair. With J = (-1, 1) on re and im, i x = J swap(x).
 *
 *   MIDDLE  s = u + v*, d = b (u - v*), a s + d, (a s - d)*: conjugates are a sign vector from the
 *           static table in an fma, the last one is part of fmaddsub
 *   TURN    s = u + v, d = u - v:  a s + a J swap(d), a s - a J swap(d)
 *   IN      b u + b* v = br s + bi J swap(d), i (b u - b* v) = br J swap(d) - bi s: the second
 *           row is multiplied by i, so both rows use the same swap(d)
 *   OUT     of u and -i v or i v, its transpose: g = br u + bi v, h = br v - bi u, g - i h, g + i h
 *
 * MIDDLE is at M and B, the others are at B, where constants are prepared once per set. */
#include "spl/codelet/gen.h"

static const gen_var none = {"", ""};

static void middle_pair(gen_emit *e, const spl_pairs_def *p, const gen_var *in, gen_var *out)
{
    const gen_var s =
        gen_apply(e, GEN_FMAS, "fma", gen_parts_row(e, 1, -1).text, in[1].re, in[0].re);
    const gen_var d =
        gen_apply(e, GEN_FMAS, "fnma", gen_parts_row(e, 1, -1).text, in[1].re, in[0].re);
    const gen_var o = gen_twiddle(e, 1, d);
    if (p->scale == 1)
        out[0] = gen_each(e, GEN_ADDS, "add", s, o, none);
    else
        out[0] = gen_apply(e, GEN_FMAS, "fma", gen_constant(e, p->scale).text, s.re, o.re);
    out[1] =
        gen_apply(e, GEN_FMAS, "fmaddsub", gen_parts_row(e, p->scale, -p->scale).text, s.re, o.re);
}

static void turn_pair(gen_emit *e, const spl_pairs_def *p, const gen_var *in, gen_var *out)
{
    const gen_var s = gen_each(e, GEN_ADDS, "add", in[0], in[1], none);
    const gen_var d = gen_each(e, GEN_ADDS, "sub", in[0], in[1], none);
    const gen_var half = gen_apply(e, GEN_MULS, "mul", gen_constant(e, p->scale).text, s.re, NULL);
    const gen_var turned = gen_each(e, GEN_SHUFFLES, "swap", d, none, none);
    const gen_name i = gen_parts_row(e, -p->scale, p->scale);
    out[0] = gen_apply(e, GEN_FMAS, "fma", i.text, turned.re, half.re);
    out[1] = gen_apply(e, GEN_FMAS, "fnma", i.text, turned.re, half.re);
}

/* Part 0 or 1 of the factor times (re, im): a vector that serves all columns of a set. */
static gen_var held_factor(gen_emit *e, int part, long double re, long double im)
{
    const gen_name at = gen_print("%s_dup(tw + %d)", e->vector.type, part * e->vector.bytes);
    const core_text body = e->body;
    gen_var to = gen_new_temp(e);
    e->body = e->held;
    if (re == 1 && im == 1)
        gen_say(e, "const %s %s = %s;", e->vector.type, to.re, at.text);
    else
        gen_say(e, "const %s %s = %s_mul(%s, %s);", e->vector.type, to.re, e->vector.type, at.text,
                gen_parts_row(e, re, im).text);
    e->held = e->body;
    e->body = body;
    return to;
}

/* Only for x = (1, i). */
static void in_pair(gen_emit *e, const spl_pairs_def *p, const gen_var *in, gen_var *out)
{
    e->body.failed |= p->x[0] != SPL_ROW_SAME || p->x[1] != SPL_ROW_I;
    const gen_var br = held_factor(e, 0, 1, 1), bi = held_factor(e, 1, 1, 1);
    const gen_var br_turned = held_factor(e, 0, -1, 1), bi_turned = held_factor(e, 1, -1, 1);
    const gen_var s = gen_each(e, GEN_ADDS, "add", in[0], in[1], none);
    const gen_var d = gen_each(e, GEN_ADDS, "sub", in[0], in[1], none);
    const gen_var turned = gen_each(e, GEN_SHUFFLES, "swap", d, none, none);
    const gen_var a = gen_each(e, GEN_MULS, "mul", turned, bi_turned, none);
    const gen_var b = gen_each(e, GEN_MULS, "mul", turned, br_turned, none);
    out[0] = gen_each(e, GEN_FMAS, "fma", s, br, a);
    out[1] = gen_each(e, GEN_FMAS, "fnma", s, bi, b);
}

/* Only for y = (1, -i) and x = (1, 1). */
static void out_pair(gen_emit *e, const spl_pairs_def *p, const gen_var *in, gen_var *out)
{
    e->body.failed |= p->y[0] != SPL_ROW_SAME || p->y[1] != SPL_ROW_MINUS_I
                      || p->x[0] != SPL_ROW_SAME || p->x[1] != SPL_ROW_SAME;
    const gen_var br = held_factor(e, 0, 1, 1), bi = held_factor(e, 1, 1, 1);
    const gen_var a = gen_each(e, GEN_MULS, "mul", in[0], br, none);
    const gen_var b = gen_each(e, GEN_MULS, "mul", in[1], br, none);
    const gen_var g = gen_each(e, GEN_FMAS, "fma", in[1], bi, a);
    const gen_var h = gen_each(e, GEN_FMAS, "fnma", in[0], bi, b);
    const gen_var turned = gen_each(e, GEN_SHUFFLES, "swap", h, none, none);
    const gen_name i = gen_parts_row(e, -1, 1);
    out[0] = gen_apply(e, GEN_FMAS, "fnma", i.text, turned.re, g.re);
    out[1] = gen_apply(e, GEN_FMAS, "fma", i.text, turned.re, g.re);
}

typedef void pair_function(gen_emit *e, const spl_pairs_def *p, const gen_var *in, gen_var *out);

static pair_function *const of_form[] = {[SPL_PAIR_MIDDLE] = middle_pair,
                                         [SPL_PAIR_TURN] = turn_pair,
                                         [SPL_PAIR_IN] = in_pair,
                                         [SPL_PAIR_OUT] = out_pair};

bool gen_step_inter_has_form(spl_pair_form form)
{
    return (size_t)form < sizeof of_form / sizeof *of_form;
}

void gen_step_inter(gen_emit *e, const gen_var *in, gen_var *out)
{
    const spl_pairs_def *p = spl_pairs_def_of(gen_step_pairs(e->key->kind));
    of_form[p->form](e, p, in, out);
}
