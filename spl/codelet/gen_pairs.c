// SPDX-License-Identifier: BSD-3-Clause
/* Steps of pairs in memory (codelet.h): loads and stores; loops are in gen_pairs_loops.c, and what
 * the steps compute in gen_step.c and gen_step_inter.c.
 *
 * A row is one stream of interleaved numbers, or two streams of parts. At M streams run forwards or
 * backwards; vectors of a backward stream are reversed, which takes one two-source permutation
 * together with separating or joining re and im. Copies (fold, unfold) are steps of one row that
 * compute nothing. */
#include <stdio.h>
#include <string.h>

#include "spl/codelet/gen.h"

const gen_row gen_rows[GEN_ROWS] = {
    {"in", false, false}, {"in1", false, true}, {"out", true, false}, {"out1", true, true}};
const gen_row gen_last_rows[GEN_ROW_OUT] = {{"last", false, false}, {"last1", false, true}};

static const char *const parts[2] = {"re", "im"};

static bool is_copy(const gen_emit *e)
{
    return e->key->kind < SPL_CODELET_PAIRS;
}

bool gen_is_pairs(const spl_key *key)
{
    return key->kind >= SPL_CODELET_PAIRS || key->position == SPL_POS_M;
}

int gen_pairs_inputs(int kind)
{
    return spl_role_cols(gen_step_pairs(kind), gen_step_role(kind));
}

static int row_count(const gen_emit *e, bool output)
{
    const int kind = e->key->kind;
    if (is_copy(e))
        return 1;
    return output ? spl_role_rows(gen_step_pairs(kind), gen_step_role(kind))
                  : gen_pairs_inputs(kind);
}

int gen_pairs_factors(const gen_emit *e)
{
    return e->key->tw == SPL_TW_NONE
               ? 0
               : spl_role_factors(gen_step_pairs(e->key->kind), gen_step_role(e->key->kind));
}

bool gen_has_row(const gen_emit *e, int i)
{
    return i % GEN_ROW_OUT < row_count(e, gen_rows[i].output);
}

spl_format gen_row_format(const gen_emit *e, const gen_row *r)
{
    return r->output ? e->key->out : e->key->in;
}

int gen_row_streams(const gen_emit *e, const gen_row *r)
{
    return gen_row_format(e, r) == SPL_INTER ? 1 : 2;
}

bool gen_row_backward(const gen_emit *e, const gen_row *r, int part)
{
    return r->second != (gen_row_format(e, r) == SPL_MIRROR && part == 1);
}

static bool is_reversed(const gen_emit *e, const gen_row *r, int part)
{
    return e->key->position == SPL_POS_M && gen_row_backward(e, r, part);
}

static bool is_computed_split(const gen_emit *e)
{
    return e->key->compute == SPL_SPLIT;
}

/* ---- rows ---- */

static gen_name pointer_of(const gen_row *r, int part)
{
    return gen_print("%s_%s", r->name, parts[part]);
}

static gen_var emit_part(gen_emit *e, gen_kind kind, const char *word, const char *x, const char *y)
{
    const gen_var to = gen_new_temp(e);
    gen_assign(e, kind, to.re, word, x, y, NULL);
    return to;
}

static gen_var both_parts(gen_var re, gen_var im)
{
    memcpy(re.im, im.re, sizeof re.im);
    return re;
}

/* Loads interleaved numbers of a row that is computed split: two vectors, as they are in memory. */
static gen_var load_two(gen_emit *e, const gen_row *r)
{
    const gen_name at = pointer_of(r, 0);
    const gen_name next = gen_print("%s + %d", at.text, e->vector.width * e->vector.bytes);
    const gen_var low = emit_part(e, GEN_LOADS, "load", at.text, NULL);
    return both_parts(low, emit_part(e, GEN_LOADS, "load", next.text, NULL));
}

static gen_var load_parts(gen_emit *e, const gen_row *r)
{
    const gen_name re = pointer_of(r, 0), im = pointer_of(r, 1);
    const gen_var part = emit_part(e, GEN_LOADS, "load", re.text, NULL);
    return both_parts(part, emit_part(e, GEN_LOADS, "load", im.text, NULL));
}

static gen_var gather_parts(gen_emit *e, const gen_row *r)
{
    gen_var to[2];
    for (int i = 0; i < 2; i++)
        to[i] = emit_part(e, GEN_LOADS, "gather", pointer_of(r, i).text,
                          gen_print("%s_%s_lanes", r->name, parts[i]).text);
    gen_count(e, GEN_LOADS, 2 * e->vector.lanes - 2);
    return both_parts(to[0], to[1]);
}

/* Loads a row as it is in memory, in whichever direction it runs. */
static gen_var load_row(gen_emit *e, const gen_row *r)
{
    gen_var to;
    if (e->key->position == SPL_POS_G)
        return gather_parts(e, r);
    if (is_computed_split(e))
        return (gen_row_streams(e, r) == 1 ? load_two : load_parts)(e, r);
    to = gen_new_temp(e);
    if (gen_row_streams(e, r) == 2)
        gen_load_split(e, pointer_of(r, 0).text, pointer_of(r, 1).text, e->vector.lanes, to.re);
    else
        gen_assign(e, GEN_LOADS, to.re, "load", pointer_of(r, 0).text, NULL, NULL);
    return to;
}

/* Shuffles that separate or join re and im: one of two sources, or two of them with 256 bits. */
static gen_var permute(gen_emit *e, const char *word, bool back, const char *x, const char *y)
{
    const bool wide = e->vector.width * e->vector.bytes == 64;
    gen_count(e, GEN_SHUFFLES, e->key->isa == CORE_ISA_SCALAR ? -1 : wide ? 0 : 1);
    return emit_part(e, GEN_SHUFFLES, gen_print("%s%s", word, back ? "_back" : "").text, x, y);
}

static gen_var taken_apart(gen_emit *e, gen_var x, bool re_back, bool im_back)
{
    const gen_var re = permute(e, "unzip_even", re_back, x.re, x.im);
    return both_parts(re, permute(e, "unzip_odd", im_back, x.re, x.im));
}

static gen_var reversed_parts(gen_emit *e, const gen_row *r, gen_var x)
{
    gen_var to[2] = {x, x};
    memcpy(to[1].re, x.im, sizeof x.im);
    for (int i = 0; i < 2; i++)
        if (is_reversed(e, r, i) && e->vector.lanes > 1)
            to[i] = emit_part(e, GEN_SHUFFLES, "backwards", to[i].re, NULL);
    return both_parts(to[0], to[1]);
}

/* Puts what was loaded in the order of columns. */
static gen_var by_columns(gen_emit *e, const gen_row *r, gen_var x)
{
    const gen_var none = {"", ""};
    const bool back = is_reversed(e, r, 0);
    if (is_computed_split(e) && gen_row_streams(e, r) == 1)
        return taken_apart(e, x, back, back);
    if (is_computed_split(e))
        return reversed_parts(e, r, x);
    return back && e->vector.lanes > 1 ? gen_each(e, GEN_SHUFFLES, "reverse", x, none, none) : x;
}

static void store_two(gen_emit *e, const gen_row *r, gen_var low, gen_var high)
{
    const gen_name at = pointer_of(r, 0);
    const gen_name next = gen_print("%s + %d", at.text, e->vector.width * e->vector.bytes);
    gen_store(e, at.text, low.re);
    gen_store(e, next.text, high.re);
}

static void store_split(gen_emit *e, const gen_row *r, gen_var x)
{
    const bool back = is_reversed(e, r, 0);
    if (gen_row_streams(e, r) == 1) {
        const gen_var low = permute(e, "zip_lo", back, x.re, x.im);
        store_two(e, r, low, permute(e, "zip_hi", back, x.re, x.im));
        return;
    }
    x = reversed_parts(e, r, x);
    gen_store(e, pointer_of(r, 0).text, x.re);
    gen_store(e, pointer_of(r, 1).text, x.im);
}

static void scatter_parts(gen_emit *e, const gen_row *r, gen_var x)
{
    const char *const from[2] = {x.re, x.im};
    for (int i = 0; i < 2; i++)
        gen_say(e, "%s_scatter(%s, %s_%s_lanes, %s);", e->vector.type, pointer_of(r, i).text,
                r->name, parts[i], from[i]);
    gen_count(e, GEN_STORES, 2 * e->vector.lanes);
}

static void store_row(gen_emit *e, const gen_row *r, gen_var x)
{
    const gen_var none = {"", ""};
    if (e->key->position == SPL_POS_G) {
        scatter_parts(e, r, x);
        return;
    }
    if (is_computed_split(e)) {
        store_split(e, r, x);
        return;
    }
    if (is_reversed(e, r, 0) && e->vector.lanes > 1)
        x = gen_each(e, GEN_SHUFFLES, "reverse", x, none, none);
    if (gen_row_streams(e, r) == 2)
        gen_store_split(e, pointer_of(r, 0).text, pointer_of(r, 1).text, e->vector.lanes, x.re);
    else
        gen_store(e, pointer_of(r, 0).text, x.re);
}

/* ---- statements ---- */

/* Changes the sign of im in the inverse. */
static gen_var conjugated(gen_emit *e, gen_var im)
{
    gen_constant_vector row = {.negated_in_inverse = true};
    for (int i = 0; i < e->vector.width; i++)
        row.value[i] = 1;
    return emit_part(e, GEN_MULS, "mul", gen_table_row(e, &row).text, im.re);
}

/* Copies between interleaved and mirrored; reversals are part of the permutations. */
static void copy_row(gen_emit *e, gen_var x)
{
    if (e->key->in == SPL_INTER) {
        const gen_var y = taken_apart(e, x, false, true);
        gen_var im = y;
        memcpy(im.re, y.im, sizeof im.re);
        gen_store(e, pointer_of(&gen_rows[GEN_ROW_OUT], 0).text, y.re);
        gen_store(e, pointer_of(&gen_rows[GEN_ROW_OUT], 1).text, conjugated(e, im).re);
        return;
    }
    gen_var im = x;
    memcpy(im.re, x.im, sizeof im.re);
    im = conjugated(e, im);
    const gen_var low = permute(e, "weave_lo", false, x.re, im.re);
    store_two(e, &gen_rows[GEN_ROW_OUT], low, permute(e, "weave_hi", false, x.re, im.re));
}

static void compute_rows(gen_emit *e, gen_var *in)
{
    gen_var out[2];
    if (is_copy(e)) {
        copy_row(e, in[0]);
        return;
    }
    for (int i = 0; i < row_count(e, false); i++)
        in[i] = by_columns(e, &gen_rows[i], in[i]);
    (is_computed_split(e) ? gen_step_split : gen_step_inter)(e, in, out);
    for (int i = 0; i < row_count(e, true); i++)
        store_row(e, &gen_rows[GEN_ROW_OUT + i], out[i]);
}

bool gen_pairs_repeats(const gen_emit *e)
{
    return e->key->position == SPL_POS_M && e->key->lanes > 1 && !e->key->nt;
}

/* The last vector repeats columns if columns do not fill vectors. Its rows are loaded before any
 * others are stored, because these may be in the same place. */
static void last_vector(gen_emit *e)
{
    const core_text body = e->body;
    gen_var in[2];
    int count[GEN_KINDS];
    memcpy(count, e->count, sizeof count);
    e->body = (core_text){0};
    for (int i = 0; i < row_count(e, false); i++)
        in[i] = load_row(e, &gen_last_rows[i]);
    e->held = e->body;
    e->body = (core_text){0};
    e->repeats = true;
    compute_rows(e, in);
    e->last = e->body;
    e->body = body;
    memcpy(e->count, count, sizeof count);
}

void gen_pairs_statements(gen_emit *e)
{
    gen_var in[2];
    for (int i = 0; i < row_count(e, false); i++)
        in[i] = load_row(e, &gen_rows[i]);
    compute_rows(e, in);
    if (gen_pairs_repeats(e))
        last_vector(e);
}
