// SPDX-License-Identifier: BSD-3-Clause
/* Position W of cosine and sine transforms of n = 2 m reals: a DFT of m points in registers,
 * between the input and output stages of its rule in spl/rules/breakdown/rules_half.c.
 *
 * Samples x_j are folded: z_j = x_4j + i x_4j+2 from the front, z_(m-1-j) = x_4j+3 + i x_4j+1 from
 * the back; one unzip of two vectors makes both. Frequencies y_k are handled as t_k = (y_k, y_m+k),
 * two streams of adjacent elements, so that the four values of a pair of numbers k, m-k are t_k and
 * t_m-k (Makhoul 1980). With c_k = w_4n^k, w = w_8:
 *
 *   dct2   A = (c_k (Z_k + Z_m-k*))*, B = (-i w_n^k c_k (Z_k - Z_m-k*))*,
 *          (y_k, y_n-k) = A + B, (y_m-k, y_m+k) = w* (A - B)*
 *   dct3   the transpose
 *   dct4   z_j = s_j (x_2j + i x_n-1-2j), s_j = w_16n^(8j+1), and 2 s_j Z_k = (y_2k, -y_n-1-2k)
 *
 * Sines are cosines with reversed frequencies (dst2, dst3; idxst except y_0, which is 0) or
 * reversed samples (dst4), and with alternating signs on the other side. */
#include "core/trig.h"
#include "spl/codelet/gen.h"
#include "spl/formula/transforms.h"

enum { MAX_VECTORS = GEN_MAX * 4, FOLDED_BYTES = 32 /* of a vector */ };

static const gen_var none = {"", ""};

/* How a kind differs from the cosines of its type. */
typedef struct variant {
    spl_kind like;
    bool reversed, mirrored; /* frequencies (dst4: input) in reverse: all, or all but the first */
    bool alternating;        /* signs of samples (dst4: of output) alternate */
} variant;

static const variant variants[SPL_KIND_COUNT] = {
    [SPL_DCT2] = {.like = SPL_DCT2},
    [SPL_DCT3] = {.like = SPL_DCT3},
    [SPL_DCT4] = {.like = SPL_DCT4},
    [SPL_DST2] = {.like = SPL_DCT2, .reversed = true, .alternating = true},
    [SPL_DST3] = {.like = SPL_DCT3, .reversed = true, .alternating = true},
    [SPL_DST4] = {.like = SPL_DCT4, .reversed = true, .alternating = true},
    [SPL_IDXST] = {.like = SPL_DCT3, .mirrored = true, .alternating = true},
};

bool gen_is_cosine(int kind)
{
    return kind < SPL_KIND_COUNT && variants[kind].like != SPL_DFT;
}

bool gen_is_inverse(int kind)
{
    return kind == SPL_IRDFT || (gen_is_cosine(kind) && variants[kind].like == SPL_DCT3);
}

/* Folds need vectors with all the functions that they use. Columns that do not fill long vectors
 * are as fast in short ones, or faster (measured, 48 to 192 points). */
bool gen_cosine_suits(gen_vector vector, int columns)
{
    const int bytes = vector.width * vector.bytes;

    return bytes == FOLDED_BYTES || (bytes > FOLDED_BYTES && columns % vector.lanes == 0);
}

/* ---- products ---- */

/* A function of one vector or two: y may be `none`. */
static gen_var word(gen_emit *e, gen_kind kind, const char *name, gen_var x, gen_var y)
{
    return gen_each(e, kind, name, x, y, none);
}

/* How a complex factor f is applied. */
typedef enum product_form { PLAIN, CONJUGATE /* (f x)* */ } product_form;

/* scale w_of^(step (first + l) + from) in lane l */
typedef struct root_row {
    long double scale;
    int64_t of, step, from;
} root_row;

static gen_var multiply(gen_emit *e, product_form form, root_row f, int first, gen_var x)
{
    gen_constant_vector same = {.negated_in_inverse = false}, cross = same;
    const long double sign = form == CONJUGATE ? -1 : 1;
    for (int l = 0; l < e->vector.lanes; l++) {
        long double re, im;
        core_root((size_t)(f.step * (first + l) + f.from), (size_t)f.of, &re, &im);
        same.value[2 * l] = f.scale * re;
        same.value[2 * l + 1] = sign * f.scale * re;
        cross.value[2 * l] = -f.scale * im;
        cross.value[2 * l + 1] = sign * f.scale * im;
    }
    const gen_var s = word(e, GEN_SHUFFLES, "swap", x, none);
    const gen_var t = gen_new_temp(e), y = gen_new_temp(e);
    gen_assign(e, GEN_MULS, t.re, "mul", s.re, gen_table_row(e, &cross).text, NULL);
    gen_assign(e, GEN_FMAS, y.re, "fma", x.re, gen_table_row(e, &same).text, t.re);
    gen_count(e, GEN_LOADS, 2);
    return y;
}

/* Multiplies by scale w_16^k in every lane. */
static gen_var turn(gen_emit *e, product_form form, long double scale, int k, gen_var x)
{
    return multiply(e, form, (root_row){scale, 16, 0, k}, 0, x);
}

/* (c_k x)*, and (-i w_n^k c_k x)* */
static gen_var even_part(gen_emit *e, int first, gen_var x)
{
    return multiply(e, CONJUGATE, (root_row){1, 4 * e->key->n, 1, 0}, first, x);
}

static gen_var odd_part(gen_emit *e, int first, gen_var x)
{
    return multiply(e, CONJUGATE, (root_row){1, 4 * e->key->n, 5, e->key->n}, first, x);
}

static gen_var scale_parts(gen_emit *e, long double re, long double im, gen_var x)
{
    gen_count(e, GEN_LOADS, 1);
    return gen_apply(e, GEN_MULS, "mul", x.re, gen_parts_row(e, re, im).text, NULL);
}

/* x + y*: "fma"; x - y*: "fnma" */
static gen_var add_conjugate(gen_emit *e, const char *fma, gen_var x, gen_var y)
{
    gen_count(e, GEN_LOADS, 1);
    return gen_apply(e, GEN_FMAS, fma, gen_parts_row(e, 1, -1).text, y.re, x.re);
}

/* (re x, re y), and (im x, im y) */
static gen_var first_parts(gen_emit *e, gen_var x, gen_var y)
{
    return word(e, GEN_SHUFFLES, gen_print("lo%d", 8 * e->vector.bytes).text, x, y);
}

static gen_var second_parts(gen_emit *e, gen_var x, gen_var y)
{
    return word(e, GEN_SHUFFLES, gen_print("hi%d", 8 * e->vector.bytes).text, x, y);
}

/* Elements m-k for a vector of elements k, from the reversed sequence. */
static gen_var mirror(gen_emit *e, gen_var x, gen_var next)
{
    return word(e, GEN_SHUFFLES, "mirror", x, next);
}

/* ---- memory ---- */

/* Loads a vector, from scalar `first` of the input on. */
static gen_var load_reals(gen_emit *e, int first)
{
    const gen_var to = gen_new_temp(e);
    const int at = first * e->vector.bytes;
    gen_assign(e, GEN_LOADS, to.re, "load", gen_print("in_re + %d", at).text, NULL, NULL);
    return e->key->weighed ? gen_weigh(e, "load", gen_print("in_weight + %d", at).text, to) : to;
}

static void store_reals(gen_emit *e, int first, gen_var x)
{
    gen_store(e, gen_print("out_re + %d", first * e->vector.bytes).text, x.re);
}

/* If the number of vectors is odd, the middle one is folded with itself: then what is unzipped has
 * both of its halves twice. */
static void load_samples(gen_emit *e, const variant *v, int vectors, gen_var *z)
{
    const int width = e->vector.width;

    for (int i = 0; 2 * i < vectors; i++) {
        const bool alone = 2 * i + 1 == vectors;
        const gen_var x = load_reals(e, 2 * i * width);
        const gen_var y = alone ? x : load_reals(e, (2 * i + 1) * width);
        const gen_var front = word(e, GEN_SHUFFLES, "unzip_even", x, y);
        const gen_var odd = word(e, GEN_SHUFFLES, "unzip_odd_back", x, y);
        const gen_var back = v->alternating ? scale_parts(e, -1, -1, odd) : odd;
        z[i] = front;
        z[vectors - 1 - i] = alone ? gen_slide(e, front, back, e->vector.lanes / 2) : back;
    }
}

static void store_samples(gen_emit *e, const variant *v, int vectors, const gen_var *z)
{
    const int width = e->vector.width;

    for (int i = 0; 2 * i < vectors; i++) {
        const gen_var last = z[vectors - 1 - i];
        const gen_var back = v->alternating ? scale_parts(e, -1, -1, last) : last;
        store_reals(e, 2 * i * width, word(e, GEN_SHUFFLES, "weave_lo", z[i], back));
        if (2 * i + 1 < vectors)
            store_reals(e, (2 * i + 1) * width, word(e, GEN_SHUFFLES, "weave_hi", z[i], back));
    }
}

/* The first frequency of pair i of vectors. If the number of vectors is odd, the last two pairs
 * share a vector. */
static int first_of_pair(const gen_emit *e, int vectors, int i)
{
    return (2 * i + 2 <= vectors ? 2 * i : vectors - 2) * e->vector.lanes;
}

/* Where y_k and the following elements are, and where y_m+k is. */
static void find_frequencies(const gen_emit *e, const variant *v, int k, int *at, int *other)
{
    const int n = e->key->n, m = n / 2;

    *at = v->reversed ? n - e->vector.width - k : k;
    *other = v->reversed ? *at - m : *at + m;
}

static void load_frequencies(gen_emit *e, const variant *v, int vectors, gen_var *t)
{
    static const char *const zip[2][2] = {{"zip_lo", "zip_hi"}, {"zip_lo_back", "zip_hi_back"}};
    for (int i = 0; 2 * i < vectors; i++) {
        const int k = first_of_pair(e, vectors, i), first = k / e->vector.lanes;
        int at, other;
        find_frequencies(e, v, k, &at, &other);
        const gen_var x = load_reals(e, at), y = load_reals(e, other);
        for (int half = 2 * i - first; half < 2; half++)
            t[first + half] = word(e, GEN_SHUFFLES, zip[v->reversed][half], x, y);
    }
}

static void store_frequencies(gen_emit *e, const variant *v, int vectors, const gen_var *t)
{
    static const char *const unzip[2][2] = {{"unzip_even", "unzip_odd"},
                                            {"unzip_even_back", "unzip_odd_back"}};
    for (int i = 0; 2 * i < vectors; i++) {
        const int k = first_of_pair(e, vectors, i);
        const gen_var *const pair = t + k / e->vector.lanes;
        int at, other;
        find_frequencies(e, v, k, &at, &other);
        store_reals(e, at, word(e, GEN_SHUFFLES, unzip[v->reversed][0], pair[0], pair[1]));
        store_reals(e, other, word(e, GEN_SHUFFLES, unzip[v->reversed][1], pair[0], pair[1]));
    }
}

/* ---- type 2 ---- */

/* t of a vector, and of its partner, reversed. */
static void frequencies_of(gen_emit *e, const gen_var *z, int vectors, int i, gen_var *t,
                           gen_var *partner)
{
    const int first = i * e->vector.lanes;
    const gen_var back = mirror(e, z[vectors - 1 - i], z[(vectors - i) % vectors]);
    const gen_var a = even_part(e, first, add_conjugate(e, "fma", z[i], back));
    const gen_var b = odd_part(e, first, add_conjugate(e, "fnma", z[i], back));
    const gen_var y = word(e, GEN_ADDS, "add", a, b);
    const gen_var other = turn(e, PLAIN, 1, 14, word(e, GEN_ADDS, "sub", a, b));
    *t = first_parts(e, y, other);
    *partner = second_parts(e, other, y);
}

static void body_of_type_2(gen_emit *e, const gen_shape *shape, const variant *v)
{
    gen_var z[MAX_VECTORS] = {{"", ""}}, t[MAX_VECTORS] = {{"", ""}}, partner[MAX_VECTORS];
    e->vector = shape->vector;
    const int vectors = e->key->n / 2 / e->vector.lanes, middle = vectors / 2;
    load_samples(e, v, vectors, z);
    gen_whole_core(e, shape, z, z);
    for (int i = 0; 2 * i < vectors; i++)
        frequencies_of(e, z, vectors, i, &t[i], &partner[i]);
    if (vectors % 2 == 0)
        partner[middle] = turn(e, PLAIN, 2, 15, z[middle]);
    for (int i = 0; i < middle; i++)
        t[vectors - 1 - i] = mirror(e, partner[i], partner[i + 1]);
    store_frequencies(e, v, vectors, t);
}

/* ---- type 3 ---- */

/* Z of a vector, and of its partner, reversed. */
static void pairs_of(gen_emit *e, gen_var lower, gen_var upper, int i, gen_var *z, gen_var *partner)
{
    const int first = i * e->vector.lanes;
    const gen_var b = turn(e, CONJUGATE, 1, 2, upper);
    const gen_var even = even_part(e, first, word(e, GEN_ADDS, "add", lower, b));
    const gen_var odd = odd_part(e, first, word(e, GEN_ADDS, "sub", lower, b));
    *z = word(e, GEN_ADDS, "add", even, odd);
    *partner = scale_parts(e, 1, -1, word(e, GEN_ADDS, "sub", even, odd));
}

/* (t_k, t_m-k) as (x_k, x_n-k) and (x_m-k, x_m+k). For k = 0 they are (x_0, 0) and (x_m, x_m), or,
 * if mirrored, (0, 0). */
static void numbers_of(gen_emit *e, const variant *v, const gen_var *t, int vectors, int i,
                       gen_var *lower, gen_var *upper)
{
    gen_var same = t[i], next = t[(vectors - i) % vectors];
    if (i == 0) {
        next = word(e, GEN_SHUFFLES, "swap", t[0], none);
        next = word(e, GEN_SHUFFLES, "real_first", next, none);
        same = v->mirrored ? word(e, GEN_SHUFFLES, "swap", next, none) : t[0];
    }
    const gen_var back = mirror(e, t[vectors - 1 - i], next);
    const gen_var turned = word(e, GEN_SHUFFLES, "swap", back, none);
    *lower = v->mirrored ? first_parts(e, turned, same) : first_parts(e, same, turned);
    *upper = v->mirrored ? second_parts(e, same, turned) : second_parts(e, turned, same);
}

/* Z of number m/2, which is its own partner. */
static gen_var own_partner(gen_emit *e, const variant *v, gen_var t)
{
    return turn(e, PLAIN, 2, 1, v->mirrored ? word(e, GEN_SHUFFLES, "swap", t, none) : t);
}

static void body_of_type_3(gen_emit *e, const gen_shape *shape, const variant *v)
{
    gen_var z[MAX_VECTORS] = {{"", ""}}, t[MAX_VECTORS] = {{"", ""}}, partner[MAX_VECTORS];
    e->vector = shape->vector;
    const int vectors = e->key->n / 2 / e->vector.lanes, middle = vectors / 2;
    load_frequencies(e, v, vectors, t);
    for (int i = 0; 2 * i < vectors; i++) {
        gen_var lower, upper;
        numbers_of(e, v, t, vectors, i, &lower, &upper);
        pairs_of(e, lower, upper, i, &z[i], &partner[i]);
    }
    if (vectors % 2 == 0)
        partner[middle] = own_partner(e, v, t[middle]);
    for (int i = 0; i < middle; i++)
        z[vectors - 1 - i] = mirror(e, partner[i], partner[i + 1]);
    gen_whole_core(e, shape, z, z);
    store_samples(e, v, vectors, z);
}

/* ---- type 4 ---- */

static gen_var rotate_halves(gen_emit *e, product_form form, long double scale, int i, gen_var x)
{
    const int n = e->key->n;
    return multiply(e, form, (root_row){scale, 16 * (int64_t)n, 8, 1}, i * e->vector.lanes, x);
}

/* Turns pairs of adjacent elements into (x_2j, x_n-1-2j), or back. */
static void exchange_ends(gen_emit *e, bool reversed, int vectors, const gen_var *x, gen_var *z)
{
    gen_var back[MAX_VECTORS];
    for (int i = 0; i < vectors; i++)
        back[i] = word(e, GEN_SHUFFLES, "backwards", x[i], none);
    for (int i = 0; i < vectors; i++)
        z[i] = reversed ? first_parts(e, back[vectors - 1 - i], x[i])
                        : first_parts(e, x[i], back[vectors - 1 - i]);
}

static void body_of_type_4(gen_emit *e, const gen_shape *shape, const variant *v)
{
    gen_var x[MAX_VECTORS] = {{"", ""}}, z[MAX_VECTORS];
    e->vector = shape->vector;
    const int vectors = e->key->n / 2 / e->vector.lanes;
    for (int i = 0; i < vectors; i++)
        x[i] = load_reals(e, i * e->vector.width);
    exchange_ends(e, v->reversed, vectors, x, z);
    for (int i = 0; i < vectors; i++)
        z[i] = rotate_halves(e, PLAIN, 1, i, z[i]);
    gen_whole_core(e, shape, z, z);
    for (int i = 0; i < vectors; i++)
        x[i] = rotate_halves(e, v->alternating ? PLAIN : CONJUGATE, 2, i, z[i]);
    exchange_ends(e, false, vectors, x, z);
    for (int i = 0; i < vectors; i++)
        store_reals(e, i * e->vector.width, z[i]);
}

void gen_cosine_body(gen_emit *e, const gen_shape *shape)
{
    const variant *v = &variants[e->key->kind];
    if (v->like == SPL_DCT2)
        body_of_type_2(e, shape, v);
    else
        (v->like == SPL_DCT3 ? body_of_type_3 : body_of_type_4)(e, shape, v);
}
