// SPDX-License-Identifier: BSD-3-Clause
/* Position W: one transform in registers, n = a b:
 *
 *   DFT_ab = (DFT_b (x) I_a) (blocks of L_nu^{nu nu}) T (DFT_a (x) I_b)
 *
 * (short-vector Cooley-Tukey, Franchetti & Pueschel 2003). The input is a x b, rows adjacent; DFT_a
 * runs down its columns nu at a time; its results times w_n^{k j} are transposed in blocks of
 * nu x nu; DFT_b runs over j for nu values of k at a time and stores them.
 *
 * Where nu does not divide b, the last vectors of the columns also hold what follows in memory; the
 * transposes leave that out. Where it does not divide a, the last vectors of the output are stored
 * in part. Of all a, b and nu that one is taken for which fewest cycles are predicted.
 *
 * Position T does the same to two transforms at a time where nu lanes are half a vector: one small
 * transpose instead of two large ones.
 *
 * Split sides are interleaved as they are loaded and taken apart as they are stored. */
#include <string.h>

#include "core/mem.h"
#include "core/trig.h"
#include "spl/codelet/gen.h"

enum { FETCH_BYTES = 4096 /* ahead, at least */, LINE_BYTES = 64 };
enum { LARGEST = 512, LARGEST_FACTOR = 32, LARGEST_SINGLE = 128, MIDDLE = 4 * GEN_MAX };

typedef struct wide {
    const gen_shape *shape;
    int nu;
    bool split_in, split_out;
    int group;              /* columns (stage 1) or rows (stage 2) group*nu .. + nu-1 */
    gen_var middle[MIDDLE]; /* stage 1: [k + a*group]; after the transposes [j + b*(k/nu)] */
} wide;

static int groups(int of, int nu)
{
    return (of + nu - 1) / nu;
}

/* nu rows of every transform from row `first` on */
static gen_pieces pieces_of(const gen_emit *e, const wide *w, int first)
{
    return (gen_pieces){w->shape->together, 0, 1, first * 2 * e->vector.bytes};
}

/* What is stored past the caches comes from afar too, in an order that no hardware foresees: with
 * every line the same one of a later transform is fetched. */
static void fetch_ahead(gen_emit *e, int at)
{
    const int transform = e->key->n * 2 * e->vector.bytes;
    const int columns = transform < FETCH_BYTES ? FETCH_BYTES / transform : 1;

    if (e->key->nt && e->key->position == SPL_POS_W && at % LINE_BYTES == 0)
        gen_say(e, "fetch(in_re + %d * ics + %d);", columns, at);
}

/* re and im of element `first` of a split side */
static gen_name split_at(const gen_emit *e, const char *part, int first)
{
    return gen_print("%s + %d", part, first * e->vector.bytes);
}

/* The vector ends with the transform at the latest. */
static gen_var load_input(gen_emit *e, gen_part *part, int i)
{
    const wide *w = part->user;
    const int first = i * w->shape->b + w->group * w->nu, left = e->key->n - first;
    const gen_var to = gen_fresh(e);

    fetch_ahead(e, first * 2 * e->vector.bytes);
    if (w->split_in)
        gen_load_split(e, split_at(e, "in_re", first).text, split_at(e, "in_im", first).text,
                       left < w->nu ? left : w->nu, to.re);
    else if (left >= w->nu)
        gen_load_pieces(e, "in_re", pieces_of(e, w, first), to.re);
    else
        gen_load_part(e, gen_print("in_re + %d", first * 2 * e->vector.bytes).text, left, to.re);
    return to;
}

/* times w_n^{k j}, j = columns of the group, constants of the static table */
static void twiddle_middle(gen_emit *e, gen_part *part, int k, gen_var x)
{
    wide *w = part->user;
    const gen_var none = {"", ""};
    gen_var *to = &w->middle[k + w->shape->a * w->group];
    gen_row first = {.odd = false}, second = {.odd = true};
    *to = x;
    if (k == 0 || w->shape->b == 1)
        return;
    for (int l = 0; l < e->vector.lanes; l++) {
        long double re, im;
        const int j = w->group * w->nu + l % w->nu;
        core_root((size_t)(k * j), (size_t)e->key->n, &re, &im);
        first.value[2 * l] = first.value[2 * l + 1] = re;
        second.value[2 * l] = -im;
        second.value[2 * l + 1] = im;
    }
    const gen_var s = gen_each(e, GEN_SHUFFLES, "swap", x, none, none);
    const gen_var t = gen_fresh(e);
    gen_let(e, GEN_MULS, t.re, "mul", s.re, gen_table_row(e, &second).text, NULL);
    *to = gen_fresh(e);
    gen_let(e, GEN_FMAS, to->re, "fma", x.re, gen_table_row(e, &first).text, t.re);
    gen_count(e, GEN_LOADS, 2);
}

static gen_var load_middle(gen_emit *e, gen_part *part, int i)
{
    const wide *w = part->user;
    (void)e;
    return w->middle[i + w->shape->b * w->group];
}

static void store_output(gen_emit *e, gen_part *part, int i, gen_var x)
{
    const wide *w = part->user;
    const int k = w->group * w->nu, left = w->shape->a - k, first = i * w->shape->a + k;

    if (w->split_out)
        gen_store_split(e, split_at(e, "out_re", first).text, split_at(e, "out_im", first).text,
                        left < w->nu ? left : w->nu, x.re);
    else if (left >= w->nu)
        gen_store_pieces(e, "out_re", pieces_of(e, w, first), x.re);
    else
        gen_store_part(e, gen_print("out_re + %d", first * 2 * e->vector.bytes).text, left, x.re);
}

/* Blocks (k/nu, j/nu) of nu vectors: from [k][j/nu] to [j][k/nu]. */
static void transpose_middle(gen_emit *e, wide *w)
{
    gen_var turned[MIDDLE];
    const int nu = w->nu, a = w->shape->a, b = w->shape->b;
    for (int k = 0; k < a; k += nu) {
        for (int j = 0; j < b; j += nu) {
            gen_var block[16] = {{"", ""}};
            const int rows = a - k < nu ? a - k : nu, columns = b - j < nu ? b - j : nu;
            memcpy(block, &w->middle[k + a * (j / nu)], (size_t)rows * sizeof *block);
            gen_transpose(e, block, nu, columns);
            memcpy(&turned[j + b * (k / nu)], block, (size_t)columns * sizeof *block);
        }
    }
    memcpy(w->middle, turned, (size_t)(b * groups(a, nu)) * sizeof *turned);
}

void gen_wide_body(gen_emit *e, const gen_shape *shape)
{
    wide w = {.shape = shape,
              .nu = shape->vector.lanes / shape->together,
              .split_in = e->key->in == SPL_SPLIT,
              .split_out = e->key->out == SPL_SPLIT};
    gen_dag *first = gen_dft(shape->a), *second = gen_dft(shape->b);
    gen_part columns = {first, load_input, twiddle_middle, &w};
    gen_part rows = {second, load_middle, store_output, &w};
    e->vector = shape->vector;
    e->step = shape->together;
    for (w.group = 0; w.group < groups(shape->b, w.nu); w.group++)
        gen_statements(e, &columns);
    transpose_middle(e, &w);
    for (w.group = 0; w.group < groups(shape->a, w.nu); w.group++)
        gen_statements(e, &rows);
    core_free(first);
    core_free(second);
}

/* ---- shapes ---- */

/* Negative: out of memory. Stores of split sides that leave long vectors idle count a shuffle more
 * (measured: with that most sizes are up to a fifth faster, by shorter vectors). */
static double cycles_of(const spl_key *key, const gen_shape *shape)
{
    static gen_emit e;

    memset(&e, 0, sizeof e);
    e.key = key;
    e.name = "of some shape";
    gen_wide_body(&e, shape);
    if (key->out == SPL_SPLIT && e.vector.width * e.vector.bytes == 64
        && shape->a % e.vector.lanes != 0)
        gen_count(&e, GEN_SHUFFLES, shape->b);
    const bool failed = e.body.failed;
    core_text_free(&e.body);
    return failed ? -1 : gen_cycles(key, &e.vector, e.count);
}

/* Of shapes that cost the same that with the shorter vectors: fewer of them are stored in part.
 * With vectors of several columns both factors have to be more than one; large transforms need
 * long vectors, or they have more constants than a table holds. */
static gen_shape search_shape(const spl_key *key)
{
    gen_shape best = {.together = 0};
    double fewest = 0;
    const int shortest = key->n > LARGEST_SINGLE ? 4 : 1;

    for (int nu = gen_vector_of(key, SPL_INTER, 0).lanes; nu >= shortest; nu /= 2) {
        const gen_vector vector = gen_vector_of(key, SPL_INTER, nu);
        for (int a = 2; a <= LARGEST_FACTOR; a++) {
            const gen_shape shape = {vector, 1, a, key->n / a, false};
            if (key->n % a != 0 || shape.b > LARGEST_FACTOR || (nu > 1 && shape.b == 1))
                continue;
            const double cycles = cycles_of(key, &shape);
            if (cycles < 0)
                return (gen_shape){.failed = true};
            const bool shorter = best.together > 0 && nu < best.vector.lanes;
            if (fewest == 0 || cycles < fewest || (shorter && cycles == fewest)) {
                best = shape;
                fewest = cycles;
            }
        }
    }
    return best;
}

static bool whole_shape(const spl_key *key, gen_shape *shape)
{
    static gen_shape found[CORE_ISA_COUNT][2][2][2][LARGEST + 1];
    gen_shape *known = &found[key->isa][key->precision][key->in][key->out][key->n];

    if (known->together == 0)
        *known = search_shape(key);
    *shape = *known;
    known->failed = false;
    return shape->together > 0;
}

/* Pairs of halves of at least four lanes that divide both factors; with fewer lanes transposes of
 * all rows are as fast (measured). */
static bool pair_shape(const spl_key *key, gen_shape *shape)
{
    const gen_vector widest = gen_vector_of(key, SPL_INTER, 0);
    int log = 0;
    while (1 << log < key->n)
        log++;
    shape->a = 1 << log / 2;
    shape->b = key->n / shape->a;
    if (shape->a * shape->b != key->n || 1 << log != key->n)
        return false;
    shape->together = 2;
    for (int nu = widest.lanes / 2; nu >= 4; nu /= 2) {
        if (shape->a % nu != 0)
            continue;
        shape->vector = gen_vector_of(key, SPL_INTER, nu * 2);
        return shape->vector.type != NULL;
    }
    return false;
}

bool gen_wide_shape(const spl_key *key, gen_shape *shape)
{
    shape->failed = false;
    return (key->position == SPL_POS_W ? whole_shape : pair_shape)(key, shape);
}
