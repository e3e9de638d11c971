// SPDX-License-Identifier: BSD-3-Clause
/* Position D: position T on columns that follow each other without gaps, so that memory is a run of
 * whole vectors, and is written so. Parts of a line, which T stores where it has them, cost a core
 * that waits for its second level up to twice the time of whole lines, and cannot go past the
 * caches. There are four ways, and all have the bits of T.
 *
 * LANES  n = 2, 4 divides the lanes nu: butterflies between lanes,
 *            n = 2    y = S x + flip(x),                S = (1, -1)
 *            n = 4    t = S x + flip(x),                S = (1, 1, -1, -1)
 *                     y = (t0 t2 t0 t2) + S (t1 t3 t1 t3), S = (1, -i, -1, i)
 * JOIN   half vectors divide n, which is even: T moves half vectors, and here two of them that are
 *        neighbours in memory are joined before they are stored
 * TURN   n is odd and small: row i of column c is in lane (n c + i) mod nu of some vector, another
 *        one for each column. So a row is mixed from vectors, and turned by i lanes, after which
 *        column c is in lane n c mod nu of every row; the output is the reverse
 * LINES  anything else: T into a small buffer, which is stored one step later */
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

/* Mixing takes a step for every vector that has lanes of a row: it pays for so many (measured). */
gen_dense gen_dense_way(const spl_key *key)
{
    const int n = key->n, lanes = key->lanes;
    const int largest = lanes <= 4 ? 9 : 5;

    if ((n == 2 || n == 4) && lanes % n == 0)
        return GEN_DENSE_LANES;
    if (n % 2 == 0 && 2 * n % lanes == 0)
        return GEN_DENSE_JOIN;
    if (n % 2 == 1 && n <= largest && key->isa == CORE_ISA_AVX512)
        return GEN_DENSE_TURN;
    return GEN_DENSE_LINES;
}

/* ---- between lanes ---- */

/* sign[l] in both parts of lane l of every n */
static gen_row signs(const gen_emit *e, const int *sign)
{
    gen_row row = {.odd = false};

    for (int i = 0; i < e->vector.width; i++)
        row.value[i] = sign[i / 2 % e->key->n];
    return row;
}

/* (1, 1) (1, -1) (-1, -1) (-1, 1), of which the inverse changes the second and the last */
static gen_row turns(const gen_emit *e)
{
    static const int value[] = {1, 1, 1, -1, -1, -1, -1, 1};
    gen_row row = {.odd = true};

    for (int i = 0; i < e->vector.width; i++) {
        row.value[i] = value[i % 8];
        row.fixed[i] = i % 4 < 2;
    }
    return row;
}

static gen_var butterfly(gen_emit *e, const char *word, const int *sign, gen_var x)
{
    const gen_var none = {"", ""}, y = gen_fresh(e);
    const gen_row row = signs(e, sign);
    const gen_var turned = gen_each(e, GEN_SHUFFLES, word, x, none, none);

    gen_let(e, GEN_FMAS, y.re, "fma", x.re, gen_table_row(e, &row).text, turned.re);
    return y;
}

void gen_dense_lanes(gen_emit *e)
{
    static const int two[] = {1, -1}, four[] = {1, 1, -1, -1};
    const gen_var none = {"", ""};
    const int n = e->key->n, bytes = vector_bytes(e);
    const gen_name flip = gen_print("flip%d", n / 2 * COMPLEX * e->vector.bytes * 8);

    for (int at = 0; at < gen_dense_bytes(e); at += bytes) {
        gen_var x = gen_fresh(e);
        gen_let(e, GEN_LOADS, x.re, "load", gen_print("in_re + %d", at).text, NULL, NULL);
        x = butterfly(e, flip.text, n == 2 ? two : four, x);
        if (n == 4) {
            const gen_row row = turns(e);
            const gen_var even = gen_each(e, GEN_SHUFFLES, "even4", x, none, none);
            const gen_var odd = gen_each(e, GEN_SHUFFLES, "odd4", x, none, none);
            x = gen_fresh(e);
            gen_let(e, GEN_FMAS, x.re, "fma", odd.re, gen_table_row(e, &row).text, even.re);
        }
        gen_store(e, gen_print("out_re + %d", at).text, x.re);
    }
}

/* ---- halves of a vector that are joined ---- */

static int address(const gen_emit *e, gen_pieces at, int i)
{
    return (at.column + i * at.apart) * gen_dense_bytes(e) / e->key->lanes + at.bytes;
}

static void store_joined(gen_emit *e, const gen_half *low, const gen_half *high)
{
    const int half = vector_bytes(e) / 2;

    for (int i = 0; i < 2; i++) {
        const gen_var x = gen_fresh(e);
        const gen_name word = gen_print("%s%d", i ? "hi" : "lo", 8 * half);
        gen_let(e, GEN_SHUFFLES, x.re, word.text, low->name, high->name, NULL);
        gen_store(e, gen_print("out_re + %d", address(e, low->at, i)).text, x.re);
    }
}

void gen_dense_store(gen_emit *e, gen_pieces at, const char *x)
{
    gen_half now = {.at = at};

    if (at.count != 2)
        e->body.failed = true; /* there is no such codelet */
    strcpy(now.name, x);
    for (int i = 0; i < e->halves; i++) {
        const gen_half other = e->half[i];
        const int a = address(e, other.at, 0), b = address(e, at, 0);
        if (a / vector_bytes(e) != b / vector_bytes(e))
            continue;
        e->half[i] = e->half[--e->halves];
        store_joined(e, a < b ? &other : &now, a < b ? &now : &other);
        return;
    }
    e->half[e->halves++] = now;
}

/* ---- rows mixed from vectors and turned ---- */

typedef struct turning {
    gen_var whole[GEN_MAX]; /* the input's vectors, once they are loaded */
    gen_var row[GEN_MAX];   /* of the output, turned */
    bool ready[GEN_MAX], done[GEN_MAX];
} turning;

/* The lanes of vector k that hold row i, as a mask of doubles; 0: none. */
static unsigned lanes_of(const gen_emit *e, int k, int i)
{
    const int lanes = e->key->lanes, bits = 8 / lanes;
    unsigned mask = 0;

    for (int l = 0; l < lanes; l++)
        if ((k * lanes + l) % e->key->n == i)
            mask |= ((1u << bits) - 1) << l * bits;
    return mask;
}

/* Lane l of the result is lane l + by of x. */
static gen_var turned(gen_emit *e, int by, gen_var x)
{
    const gen_var none = {"", ""};

    if (by % e->key->lanes == 0)
        return x;
    return gen_each(e, GEN_SHUFFLES, gen_print("turn%d", by % e->key->lanes).text, x, none, none);
}

/* x with the lanes of y that the mask names; x may be nothing yet. */
static gen_var mixed(gen_emit *e, unsigned mask, gen_var x, gen_var y)
{
    if (mask == 0 || x.re[0] == 0)
        return mask == 0 ? x : y;
    const gen_var to = gen_fresh(e);
    gen_let(e, GEN_SHUFFLES, to.re, "mix", x.re, y.re, gen_print("0x%02x", mask).text);
    return to;
}

static gen_var load_turned(gen_emit *e, gen_part *part, int i)
{
    turning *t = part->user;
    gen_var x = {"", ""};

    for (int k = 0; k < e->key->n; k++) {
        gen_var *whole = &t->whole[k];
        const gen_name at = gen_print("in_re + %d", k * vector_bytes(e));
        if (lanes_of(e, k, i) != 0 && whole->re[0] == 0) {
            *whole = gen_fresh(e);
            gen_let(e, GEN_LOADS, whole->re, "load", at.text, NULL, NULL);
        }
        x = mixed(e, lanes_of(e, k, i), x, *whole);
    }
    return turned(e, i, x);
}

static bool is_ready(const gen_emit *e, const turning *t, int k)
{
    for (int i = 0; i < e->key->n; i++)
        if (lanes_of(e, k, i) != 0 && !t->ready[i])
            return false;
    return true;
}

static void store_turned(gen_emit *e, gen_part *part, int i, gen_var x)
{
    turning *t = part->user;
    const int n = e->key->n;

    t->row[i] = turned(e, n * e->key->lanes - i, x);
    t->ready[i] = true;
    for (int k = 0; k < n; k++) {
        gen_var y = {"", ""};
        if (t->done[k] || !is_ready(e, t, k))
            continue;
        for (int j = 0; j < n; j++)
            y = mixed(e, lanes_of(e, k, j), y, t->row[j]);
        gen_store(e, gen_print("out_re + %d", k * vector_bytes(e)).text, y.re);
        t->done[k] = true;
    }
}

void gen_dense_turn(gen_emit *e)
{
    turning t;
    gen_dag *dag = gen_dft(e->key->n);
    gen_part part = {dag, load_turned, store_turned, &t};

    memset(&t, 0, sizeof t);
    gen_statements(e, &part);
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
