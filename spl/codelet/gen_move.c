// SPDX-License-Identifier: BSD-3-Clause
/* Between expressions and memory: addresses, twiddles, and the transposes of A, R and T.
 *
 * A chunk of w rows by `lanes` columns is transposed in w vectors, each of which holds lanes/w
 * segments of w adjacent rows of a column: L_w^{w w} in log2 w steps of w two-input shuffles.
 * Narrow chunks need fewer shuffles and more stores. If the number of rows is not a multiple of w,
 * a column ends with a narrower chunk, or with one that overlaps its neighbour and moves the same
 * values. */
#include <string.h>

#include "spl/codelet/gen.h"

static const gen_var none = {"", ""};

/* ---- addresses ---- */

gen_name gen_at(gen_emit *e, const char *base, const char *stride, int multiple, int bytes)
{
    const int block = multiple / 4 * 4, rest = multiple % 4;
    gen_name at = gen_print("%s", base);
    if (block > 0) {
        at = gen_print("%s%d", base, block);
        if (!gen_declare_once(e, at.text))
            gen_say(e, "%schar *const %s = %s + %d * %s;", base[0] == 'i' ? "const " : "", at.text,
                    base, block, stride);
    }
    if (rest == 3) {
        const gen_name three = gen_print("%s3", stride);
        gen_declare_once(e, three.text);
        at = gen_print("%s + %s", at.text, three.text);
    } else if (rest > 0) {
        at = gen_print(rest == 1 ? "%s + %s" : "%s + 2 * %s", at.text, stride);
    }
    return bytes ? gen_print("%s + %d", at.text, bytes) : at;
}

/* ---- rows ---- */

gen_var gen_load_row(gen_emit *e, spl_format format, int i)
{
    const gen_var to = gen_new_temp(e);
    const gen_name re = gen_at(e, "in_re", "is", i, 0);
    const bool pair = format == SPL_SPLIT;
    const gen_name im = pair ? gen_at(e, "in_im", "is", i, 0) : re;
    if (e->vector.split) {
        gen_assign(e, GEN_LOADS, to.re, "load", re.text, NULL, NULL);
        gen_assign(e, GEN_LOADS, to.im, "load", im.text, NULL, NULL);
    } else if (pair) {
        gen_load_split(e, re.text, im.text, e->vector.lanes, to.re);
    } else {
        gen_assign(e, GEN_LOADS, to.re, "load", re.text, NULL, NULL);
    }
    return to;
}

void gen_store_row(gen_emit *e, spl_format format, int i, gen_var x)
{
    const gen_name re = gen_at(e, "out_re", "os", i, 0);
    if (format != SPL_SPLIT) {
        gen_store(e, re.text, x.re);
        return;
    }
    const gen_name im = gen_at(e, "out_im", "os", i, 0);
    if (e->vector.split) {
        gen_store(e, re.text, x.re);
        gen_store(e, im.text, x.im);
        return;
    }
    gen_store_split(e, re.text, im.text, e->vector.lanes, x.re);
}

/* ---- neighbours ---- */

gen_var gen_slide(gen_emit *e, gen_var x, gen_var next, int lanes)
{
    const gen_var to = gen_new_temp(e);
    gen_assign(e, GEN_SHUFFLES, to.re, "slide", x.re, next.re, gen_print("%d", lanes).text);
    return to;
}

/* ---- weights ---- */

gen_var gen_weigh(gen_emit *e, const char *word, const char *at, gen_var x)
{
    const gen_var y = gen_new_temp(e);
    const char *const type = e->vector.type;
    gen_assign(e, GEN_MULS, y.re, "mul", x.re, gen_print("%s_%s(%s)", type, word, at).text, NULL);
    gen_count(e, GEN_LOADS, 1);
    return y;
}

/* ---- twiddles ---- */

/* x wr -+ swap(x) wi, minus in the real parts. */
static gen_var twiddle_inter(gen_emit *e, gen_var x, gen_name first, gen_name second)
{
    const gen_var y = gen_new_temp(e), t = gen_new_temp(e);
    const gen_var s = gen_each(e, GEN_SHUFFLES, "swap", x, none, none);
    gen_assign(e, GEN_MULS, t.re, "mul", s.re, second.text, NULL);
    gen_assign(e, GEN_FMAS, y.re, "fmaddsub", x.re, first.text, t.re);
    return y;
}

/* The same with factors that include the signs, at "tw + at". */
static gen_var twiddle_spread(gen_emit *e, int at, gen_var x)
{
    const gen_var y = gen_new_temp(e), t = gen_new_temp(e);
    const gen_var s = gen_each(e, GEN_SHUFFLES, "swap", x, none, none);
    const char *const type = e->vector.type;
    const gen_name re = gen_print("%s_load_aligned(tw + %d)", type, at);
    const gen_name im = gen_print("%s_load_aligned(tw + %d)", type, at + 16);
    gen_assign(e, GEN_MULS, t.re, "mul", s.re, im.text, NULL);
    gen_assign(e, GEN_FMAS, y.re, "fma", x.re, re.text, t.re);
    gen_count(e, GEN_LOADS, 2);
    return y;
}

static gen_var twiddle_split(gen_emit *e, gen_var x, gen_name wr, gen_name wi)
{
    const gen_var y = gen_new_temp(e), t = gen_new_temp(e), w = gen_new_temp(e);
    const char *const type = e->vector.type;
    gen_say(e, "const %s %s = %s, %s = %s;", type, w.re, wr.text, w.im, wi.text);
    if (e->fused) { /* rounds as twiddle_inter does */
        gen_assign(e, GEN_MULS, t.re, "mul", x.im, w.im, NULL);
        gen_assign(e, GEN_MULS, t.im, "mul", x.re, w.im, NULL);
        gen_assign(e, GEN_FMAS, y.re, "fms", x.re, w.re, t.re);
        gen_assign(e, GEN_FMAS, y.im, "fma", x.im, w.re, t.im);
        return y;
    }
    gen_assign(e, GEN_MULS, t.re, "mul", x.re, w.re, NULL);
    gen_assign(e, GEN_MULS, t.im, "mul", x.re, w.im, NULL);
    gen_assign(e, GEN_FMAS, y.re, "fnma", x.im, w.im, t.re);
    gen_assign(e, GEN_FMAS, y.im, "fma", x.im, w.re, t.im);
    return y;
}

/* Row 0 of a Stockham stage has no twiddles; other diagonals (positions C, G) may have them. A pair
 * has one factor. */
int gen_twiddle_rows(const spl_key *key)
{
    if (key->kind >= SPL_CODELET_PAIRS)
        return 1;
    const bool any = key->position == SPL_POS_G || key->position == SPL_POS_C;
    return any && key->tw != SPL_TW_FACTORED_SHARED ? key->n : key->n - 1;
}

/* Multiplies by one twiddle per lane, at "tw + at". */
static gen_var twiddle_lanes(gen_emit *e, int at, gen_var x)
{
    const char *const type = e->vector.type;
    const int next = at + e->vector.width * e->vector.bytes;
    gen_count(e, GEN_LOADS, 2);
    if (e->vector.split) /* wr and wi are in separate vectors */
        return twiddle_split(e, x, gen_print("%s_load(tw + %d)", type, at),
                             gen_print("%s_load(tw + %d)", type, next));
    return twiddle_inter(e, x, gen_print("%s_even(tw + %d)", type, at),
                         gen_print("%s_odd(tw + %d)", type, at));
}

/* Multiplies by one twiddle for all lanes, at "from + at". */
static gen_var twiddle_all(gen_emit *e, const char *from, int at, gen_var x)
{
    const char *const type = e->vector.type;
    const gen_name wr = gen_print("%s_dup(%s + %d)", type, from, at);
    const gen_name wi = gen_print("%s_dup(%s + %d)", type, from, at + e->vector.bytes);
    gen_count(e, GEN_LOADS, 2);
    return e->vector.split ? twiddle_split(e, x, wr, wi) : twiddle_inter(e, x, wr, wi);
}

gen_var gen_twiddle(gen_emit *e, int i, gen_var x)
{
    const int skipped = e->key->n - gen_twiddle_rows(e->key), bytes = e->vector.bytes;
    if (e->key->tw == SPL_TW_NONE || i < skipped)
        return x;
    if (spl_spreads_factors(e->key))
        return twiddle_spread(e, 4 * (i - skipped) * e->vector.lanes * bytes, x);
    if (e->key->tw == SPL_TW_BROADCAST)
        return twiddle_all(e, "tw", 2 * (i - skipped) * bytes, x);
    if (e->key->tw == SPL_TW_VECTOR)
        return twiddle_lanes(e, 2 * (i - skipped) * e->vector.lanes * bytes, x);
    const bool grid = e->key->tw == SPL_TW_FACTORED_SHARED;
    const gen_var y = twiddle_lanes(e, grid ? 2 * (i - skipped) * e->vector.lanes * bytes : 0, x);
    return i == 0 ? y : twiddle_all(e, "rows", 2 * (i - 1) * bytes, y);
}

/* ---- transposes ---- */

/* Each chunk is the largest one that fits. If the column has enough rows, 1 row is moved as 2 and
 * 3 rows as 4. */
int gen_chunks(int n, int max_width, gen_chunk *out)
{
    int count = 0, first = 0;
    while (first < n) {
        const int left = n - first;
        int width = max_width;
        while (width > n || width > left + (width <= 4))
            width /= 2;
        if (width > left)
            first = n - width;
        out[count++] = (gen_chunk){first, width, false};
        first += width;
    }
    return count;
}

/* One function of a transpose step. If there is no second vector, it gets the first one twice. */
static gen_var interleave_half(gen_emit *e, const char *intrinsic, gen_var a, gen_var b)
{
    return gen_each(e, GEN_SHUFFLES, intrinsic, a, b.re[0] ? b : a, none);
}

/* After a step, x[j] holds parts of the columns that are j modulo twice the step. */
void gen_transpose(gen_emit *e, gen_var *x, int width, int columns)
{
    const int unit = 8 * e->vector.bytes * (e->vector.width / e->vector.lanes);
    for (int step = 1; step < width; step *= 2) {
        const gen_name low = gen_print("lo%d", step * unit), high = gen_print("hi%d", step * unit);
        for (int j = 0; j < width; j++) {
            if (j & step)
                continue;
            const gen_var a = x[j], b = x[j + step];
            const int column = j % (2 * step);
            if (!a.re[0])
                continue;
            x[j] = column >= columns ? none : b.re[0] ? interleave_half(e, low.text, a, b) : a;
            x[j + step] = column + step >= columns ? none : interleave_half(e, high.text, a, b);
        }
    }
}

/* Lists the addresses of a vector's segments, separated by ", ": columns first,
 * first + column_stride .. */
static core_text segment_addresses(gen_emit *e, const char *base, const char *stride,
                                   gen_segments at)
{
    core_text list = {0};
    for (int i = 0; i < at.count; i++) {
        const int column = at.column + i * at.column_stride;
        const int dense = gen_dense_bytes(e) / e->key->lanes * column + at.bytes;
        const gen_name address = e->key->position == SPL_POS_D
                                     ? gen_print("%s + %d", base, dense)
                                     : gen_at(e, base, stride, column, at.bytes);
        core_text_printf(&list, "%s%s", i > 0 ? ", " : "", address.text);
    }
    return list;
}

void gen_load_segments(gen_emit *e, const char *base, gen_segments at, const char *to)
{
    const gen_name intrinsic =
        at.count > 1 ? gen_print("load_segments%d", at.count) : gen_print("load");
    core_text list = segment_addresses(e, base, "ics", at);
    core_text_printf(&e->body, "        const %s %s = %s_%s(%s);\n", e->vector.type, to,
                     e->vector.type, intrinsic.text, core_text_string(&list));
    gen_count(e, GEN_LOADS, at.count);
    gen_count(e, GEN_SHUFFLES, at.count - 1);
    core_text_free(&list);
}

void gen_store_segments(gen_emit *e, const char *base, gen_segments at, const char *x)
{
    if (e->key->position == SPL_POS_D && gen_dense_method_of(e->key) == GEN_DENSE_HALVES) {
        gen_dense_store(e, at, x);
        return;
    }
    const bool lines = e->key->position == SPL_POS_D;
    core_text list = segment_addresses(e, lines ? "line" : base, "ocs", at);
    if (at.count == 1 && lines) {
        core_text_printf(&e->body, "        %s_store(%s, %s);\n", e->vector.type,
                         core_text_string(&list), x);
        gen_count(e, GEN_STORES, 1);
    } else if (at.count == 1) {
        gen_store(e, core_text_string(&list), x);
    } else {
        core_text_printf(&e->body, "        %s_store_segments%d(%s, %s);\n", e->vector.type,
                         at.count, x, core_text_string(&list));
        gen_count(e, GEN_STORES, at.count);
    }
    core_text_free(&list);
}

void gen_load_part(gen_emit *e, const char *at, int lanes, const char *to)
{
    gen_assign(e, GEN_LOADS, to, "load_part", at, gen_print("%d", lanes).text, NULL);
}

/* Stores of 4, 2 and 1 lanes that make up a part. */
static int pieces_of(int lanes)
{
    return (lanes >> 2 & 1) + (lanes >> 1 & 1) + (lanes & 1);
}

/* Without masks, a part of three lanes is stored as two lanes and one. */
void gen_store_part(gen_emit *e, const char *at, int lanes, const char *x)
{
    const bool masks = e->key->isa == CORE_ISA_AVX512;
    gen_say(e, "%s_store_part(%s, %d, %s);", e->vector.type, at, lanes, x);
    gen_count(e, GEN_STORES, masks ? 1 : pieces_of(lanes));
}

void gen_store_end(gen_emit *e, const char *at, int lanes, const char *x)
{
    if (e->vector.width * e->vector.bytes < 64) {
        gen_store_part(e, at, lanes, x);
        return;
    }
    gen_say(e, "%s_store_end(%s, %d, %s);", e->vector.type, at, lanes, x);
    gen_count(e, GEN_STORES, pieces_of(lanes));
}

/* The segments of vector j of a chunk. */
static gen_segments chunk_segments(const gen_emit *e, gen_chunk chunk, int j)
{
    const int element = e->vector.bytes * (e->vector.width / e->vector.lanes);
    return (gen_segments){e->vector.lanes / chunk.width, j, chunk.width, chunk.first * element};
}

/* ---- split sides of interleaved vectors ---- */

/* Takes one shuffle, or two shuffles and a cheap blend. */
void gen_load_split(gen_emit *e, const char *re, const char *im, int lanes, const char *to)
{
    const bool whole = lanes == e->vector.lanes;
    const bool one = e->key->isa != CORE_ISA_AVX2 || e->vector.bytes == 8 || e->vector.lanes < 4;
    gen_assign(e, GEN_LOADS, to, whole ? "load_split" : "load_split_part", re, im,
               whole ? NULL : gen_print("%d", lanes).text);
    gen_count(e, GEN_LOADS, 1);
    gen_count(e, GEN_SHUFFLES, one ? 1 : 2);
}

/* Lanes that fill a shorter vector are stored as one. Otherwise masked stores need a separate
 * shuffle for im (vec_avx512.h); without masks three lanes are stored as two and one. Halves of 128
 * bits are stored without a shuffle. */
void gen_store_split(gen_emit *e, const char *re, const char *im, int lanes, const char *x)
{
    const char *const type = e->vector.type;
    const bool whole = lanes == e->vector.lanes, vector = (lanes & (lanes - 1)) == 0;
    const bool wide = e->vector.width * e->vector.bytes == 64, pieces = !wide && lanes == 3;
    if (whole)
        gen_say(e, "%s_store_split(%s, %s, %s);", type, re, im, x);
    else
        gen_say(e, "%s_store_split_part(%s, %s, %d, %s);", type, re, im, lanes, x);
    gen_count(e, GEN_STORES, pieces ? 4 : 2);
    if (lanes > 1 || e->vector.bytes == 4)
        gen_count(e, GEN_SHUFFLES, vector ? 1 : wide ? 2 : 3);
}

void gen_load_chunk(gen_emit *e, gen_chunk chunk, gen_var *row)
{
    gen_var x[16];
    for (int j = 0; j < chunk.width; j++) {
        x[j] = gen_new_temp(e);
        gen_load_segments(e, "in_re", chunk_segments(e, chunk, j), x[j].re);
        if (e->vector.split)
            gen_load_segments(e, "in_im", chunk_segments(e, chunk, j), x[j].im);
    }
    gen_transpose(e, x, chunk.width, chunk.width);
    for (int i = 0; i < chunk.width; i++) {
        gen_var *to = &row[chunk.first + i];
        const bool again = to->re[0] != 0; /* an overlapped row, already loaded */
        if (!again)
            *to = x[i];
        if (again || e->key->compute == SPL_REAL) /* parts that are zero are not used */
            gen_say(e, e->vector.split ? "(void)%s, (void)%s;" : "(void)%s;", x[i].re, x[i].im);
    }
}

void gen_store_chunk(gen_emit *e, gen_chunk chunk, const gen_var *row)
{
    gen_var x[16];
    memcpy(x, row + chunk.first, (size_t)chunk.width * sizeof *x);
    gen_transpose(e, x, chunk.width, chunk.width);
    for (int j = 0; j < chunk.width; j++) {
        gen_store_segments(e, "out_re", chunk_segments(e, chunk, j), x[j].re);
        if (e->vector.split)
            gen_store_segments(e, "out_im", chunk_segments(e, chunk, j), x[j].im);
    }
}
