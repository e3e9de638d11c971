// SPDX-License-Identifier: BSD-3-Clause
/* Position D: position T on columns without gaps, so that memory is a sequence of whole vectors,
 * each of which is stored whole. Partial lines, which T may store, take a core that waits for L2 up
 * to twice the time of whole lines, and cannot be stored non-temporally. There are four methods,
 * all with the bits of T.
 *
 * IN_LANE  n = 2, 4 divides the lanes nu: butterflies between lanes,
 *              n = 2    y = S x + flip(x),                S = (1, -1)
 *              n = 4    t = S x + flip(x),                S = (1, 1, -1, -1)
 *                       y = (t0 t2 t0 t2) + S (t1 t3 t1 t3), S = (1, -i, -1, i)
 * HALVES   half vectors divide n, which is even: T moves half vectors, and two halves that are
 *          adjacent in memory are joined before they are stored
 * ROTATE   n is odd and small: row i of column c is in lane (n c + i) mod nu of some vector, a
 *          different one for each column. So a row is blended from vectors and rotated by i lanes;
 *          then column c is in lane n c mod nu of every row. The output is the reverse
 * BUFFERED otherwise: T into a small buffer, which is copied one step later */
#include <string.h>

#include "core/mem.h"
#include "spl/codelet/gen.h"

enum { COMPLEX = 2 };

int gen_dense_bytes(const gen_emit *e)
{
    return e->key->n * e->key->lanes * COMPLEX * e->vector.bytes;
}

static int vector_bytes(const gen_emit *e)
{
    return e->vector.width * e->vector.bytes;
}

/* The method for n. Blending needs a step for every vector that holds lanes of a row, so ROTATE is
 * limited to small n (measured). */
gen_dense_method gen_dense_method_of(const spl_key *key)
{
    const int n = key->n, lanes = key->lanes;
    const int max_n = lanes <= 4 ? 9 : 5;

    if ((n == 2 || n == 4) && lanes % n == 0)
        return GEN_DENSE_IN_LANE;
    if (n % 2 == 0 && 2 * n % lanes == 0)
        return GEN_DENSE_HALVES;
    if (n % 2 == 1 && n <= max_n && key->isa == CORE_ISA_AVX512)
        return GEN_DENSE_ROTATE;
    return GEN_DENSE_BUFFERED;
}

/* ---- between lanes ---- */

/* A row of constants sign[l] in both parts of lane l, repeated every n lanes. */
static gen_constant_vector sign_vector(const gen_emit *e, const int *sign)
{
    gen_constant_vector row = {.negated_in_inverse = false};

    for (int i = 0; i < e->vector.width; i++)
        row.value[i] = sign[i / 2 % e->key->n];
    return row;
}

/* A row of constants (1, 1) (1, -1) (-1, -1) (-1, 1). The inverse changes the sign of the second
 * and the last pair. */
static gen_constant_vector quarter_vector(const gen_emit *e)
{
    static const int value[] = {1, 1, 1, -1, -1, -1, -1, 1};
    gen_constant_vector row = {.negated_in_inverse = true};

    for (int i = 0; i < e->vector.width; i++) {
        row.value[i] = value[i % 8];
        row.except_lane[i] = i % 4 < 2;
    }
    return row;
}

static gen_var lane_butterfly(gen_emit *e, const char *intrinsic, const int *sign, gen_var x)
{
    const gen_var none = {"", ""}, y = gen_new_temp(e);
    const gen_constant_vector row = sign_vector(e, sign);
    const gen_var flipped = gen_each(e, GEN_SHUFFLES, intrinsic, x, none, none);

    gen_assign(e, GEN_FMAS, y.re, "fma", x.re, gen_table_row(e, &row).text, flipped.re);
    return y;
}

void gen_dense_in_lane(gen_emit *e)
{
    static const int two[] = {1, -1}, four[] = {1, 1, -1, -1};
    const gen_var none = {"", ""};
    const int n = e->key->n, bytes = vector_bytes(e);
    const gen_name flip = gen_print("flip%d", n / 2 * COMPLEX * e->vector.bytes * 8);

    for (int at = 0; at < gen_dense_bytes(e); at += bytes) {
        gen_var x = gen_new_temp(e);
        gen_assign(e, GEN_LOADS, x.re, "load", gen_print("in_re + %d", at).text, NULL, NULL);
        x = lane_butterfly(e, flip.text, n == 2 ? two : four, x);
        if (n == 4) {
            const gen_constant_vector row = quarter_vector(e);
            const gen_var even = gen_each(e, GEN_SHUFFLES, "even4", x, none, none);
            const gen_var odd = gen_each(e, GEN_SHUFFLES, "odd4", x, none, none);
            x = gen_new_temp(e);
            gen_assign(e, GEN_FMAS, x.re, "fma", odd.re, gen_table_row(e, &row).text, even.re);
        }
        gen_store(e, gen_print("out_re + %d", at).text, x.re);
    }
}

/* ---- halves of a vector that are joined ---- */

static int segment_offset(const gen_emit *e, gen_segments at, int i)
{
    return (at.column + i * at.column_stride) * gen_dense_bytes(e) / e->key->lanes + at.bytes;
}

static void store_joined(gen_emit *e, const gen_pending_half *low, const gen_pending_half *high)
{
    const int half = vector_bytes(e) / 2;

    for (int i = 0; i < 2; i++) {
        const gen_var x = gen_new_temp(e);
        const gen_name intrinsic = gen_print("%s%d", i ? "hi" : "lo", 8 * half);
        gen_assign(e, GEN_SHUFFLES, x.re, intrinsic.text, low->name, high->name, NULL);
        gen_store(e, gen_print("out_re + %d", segment_offset(e, low->at, i)).text, x.re);
    }
}

void gen_dense_store(gen_emit *e, gen_segments at, const char *x)
{
    gen_pending_half pending = {.at = at};

    if (at.count != 2)
        e->body.failed = true; /* the list has no such codelet */
    strcpy(pending.name, x);
    for (int i = 0; i < e->halves; i++) {
        const gen_pending_half other = e->half[i];
        const int a = segment_offset(e, other.at, 0), b = segment_offset(e, at, 0);
        if (a / vector_bytes(e) != b / vector_bytes(e))
            continue;
        e->half[i] = e->half[--e->halves];
        store_joined(e, a < b ? &other : &pending, a < b ? &pending : &other);
        return;
    }
    e->half[e->halves++] = pending;
}

/* ---- rows blended from vectors and rotated ---- */

typedef struct rotation {
    gen_var whole[GEN_MAX]; /* vectors of the input, after loading */
    gen_var row[GEN_MAX];   /* rows of the output, rotated */
    bool ready[GEN_MAX], done[GEN_MAX];
} rotation;

/* The lanes of vector k that hold row i, as a mask of doubles; 0: none. */
static unsigned lane_mask(const gen_emit *e, int k, int i)
{
    const int lanes = e->key->lanes, bits = 8 / lanes;
    unsigned mask = 0;

    for (int l = 0; l < lanes; l++)
        if ((k * lanes + l) % e->key->n == i)
            mask |= ((1u << bits) - 1) << l * bits;
    return mask;
}

/* Lane l of the result is lane l + by of x. */
static gen_var rotate_lanes(gen_emit *e, int by, gen_var x)
{
    const gen_var none = {"", ""};

    if (by % e->key->lanes == 0)
        return x;
    return gen_each(e, GEN_SHUFFLES, gen_print("rotate%d", by % e->key->lanes).text, x, none, none);
}

/* x, with the lanes of y where the mask is set; x may be empty. */
static gen_var blend_lanes(gen_emit *e, unsigned mask, gen_var x, gen_var y)
{
    if (mask == 0 || x.re[0] == 0)
        return mask == 0 ? x : y;
    const gen_var to = gen_new_temp(e);
    gen_assign(e, GEN_SHUFFLES, to.re, "blend", x.re, y.re, gen_print("0x%02x", mask).text);
    return to;
}

static gen_var load_rotated(gen_emit *e, gen_io *io, int i)
{
    rotation *t = io->user;
    gen_var x = {"", ""};

    for (int k = 0; k < e->key->n; k++) {
        gen_var *whole = &t->whole[k];
        const gen_name at = gen_print("in_re + %d", k * vector_bytes(e));
        if (lane_mask(e, k, i) != 0 && whole->re[0] == 0) {
            *whole = gen_new_temp(e);
            gen_assign(e, GEN_LOADS, whole->re, "load", at.text, NULL, NULL);
        }
        x = blend_lanes(e, lane_mask(e, k, i), x, *whole);
    }
    return rotate_lanes(e, i, x);
}

static bool is_ready(const gen_emit *e, const rotation *t, int k)
{
    for (int i = 0; i < e->key->n; i++)
        if (lane_mask(e, k, i) != 0 && !t->ready[i])
            return false;
    return true;
}

static void store_rotated(gen_emit *e, gen_io *io, int i, gen_var x)
{
    rotation *t = io->user;
    const int n = e->key->n;

    t->row[i] = rotate_lanes(e, n * e->key->lanes - i, x);
    t->ready[i] = true;
    for (int k = 0; k < n; k++) {
        gen_var y = {"", ""};
        if (t->done[k] || !is_ready(e, t, k))
            continue;
        for (int j = 0; j < n; j++)
            y = blend_lanes(e, lane_mask(e, k, j), y, t->row[j]);
        gen_store(e, gen_print("out_re + %d", k * vector_bytes(e)).text, y.re);
        t->done[k] = true;
    }
}

void gen_dense_rotate(gen_emit *e)
{
    rotation t;
    gen_dag *dag = gen_dft(e->key->n);
    gen_io io = {dag, load_rotated, store_rotated, &t};

    memset(&t, 0, sizeof t);
    gen_statements(e, &io);
    core_free(dag);
}

/* ---- the small buffer ---- */

void gen_dense_copy(const gen_emit *e, const char *from, const char *indent, core_text *text)
{
    const char *const type = e->vector.type;

    for (int at = 0; at < gen_dense_bytes(e); at += vector_bytes(e))
        core_text_printf(text, "%s%s_%s(out_re + %d, %s_load(%s + %d));\n", indent, type,
                         e->key->nt ? "stream" : "store", at, type, from, at);
}
