// SPDX-License-Identifier: BSD-3-Clause
/* Position W: one transform in registers, n = a b, nu | a, nu | b:
 *
 *   DFT_ab = (DFT_b (x) I_a) ((I_{ab/nu^2} (x) L_nu^{nu nu}) ..) T (DFT_a (x) I_b)
 *
 * (short-vector Cooley-Tukey, Franchetti & Pueschel 2003). The input is a x b, rows adjacent; DFT_a
 * runs down its columns nu at a time; its results times w_n^{k j} are transposed in blocks of
 * nu x nu; DFT_b runs over j for nu values of k at a time and stores whole vectors. */
#include "core/mem.h"
#include "core/trig.h"
#include "spl/gen.h"

typedef struct wide {
    int a, b, group; /* group: columns (stage 1) or rows (stage 2) group*nu .. + nu-1 */
    gen_var middle[2 * GEN_MAX]; /* stage 1: [k + a*group]; after the transposes [j + b*(k/nu)] */
} wide;

bool gen_wide_shape(const spl_key *key, gen_vector *vector, int *a, int *b)
{
    static const int lanes[] = { 8, 4, 2, 1 };
    const gen_vector widest = gen_vector_of(key, SPL_INTER, 0);
    int log = 0;
    while (1 << log < key->n)
        log++;
    *a = 1 << log / 2;
    *b = key->n / *a;
    for (int i = 0; i < 4; i++) {
        if (lanes[i] > widest.lanes || *a % lanes[i] != 0 || *b % lanes[i] != 0)
            continue;
        *vector = gen_vector_of(key, SPL_INTER, lanes[i]);
        return vector->type != NULL;
    }
    return false;
}

static gen_var load_input(gen_emit *e, gen_part *part, int i)
{
    const wide *w = part->user;
    const int at = i * w->b + w->group * e->vector.lanes;
    const gen_var to = gen_fresh(e);
    const gen_name from = gen_print("in_re + %d", at * 2 * e->vector.bytes);
    gen_let(e, GEN_LOADS, to.re, "load", from.text, NULL, NULL);
    return to;
}

/* times w_n^{k j}, j = columns of the group, constants of the static table */
static void twiddle_middle(gen_emit *e, gen_part *part, int k, gen_var x)
{
    wide *w = part->user;
    const gen_var none = { "", "" };
    gen_var *to = &w->middle[k + w->a * w->group];
    gen_row first = { .odd = false }, second = { .odd = true };
    *to = x;
    if (k == 0)
        return;
    for (int l = 0; l < e->vector.lanes; l++) {
        long double re, im;
        const int j = w->group * e->vector.lanes + l;
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
    return w->middle[i + w->b * w->group];
}

static void store_output(gen_emit *e, gen_part *part, int i, gen_var x)
{
    const wide *w = part->user;
    const int at = i * w->a + w->group * e->vector.lanes;
    gen_say(e, "%s_store(out_re + %d, %s);", e->vector.type, at * 2 * e->vector.bytes, x.re);
    gen_count(e, GEN_STORES, 1);
}

/* Blocks (k/nu, j/nu) of nu vectors: from [k][j/nu] to [j][k/nu]. */
static void transpose_middle(gen_emit *e, wide *w)
{
    gen_var turned[2 * GEN_MAX];
    const int nu = e->vector.lanes;
    for (int k = 0; k < w->a; k += nu) {
        for (int j = 0; j < w->b; j += nu) {
            gen_var *block = &w->middle[k + w->a * (j / nu)];
            gen_transpose(e, block, nu);
            for (int i = 0; i < nu; i++)
                turned[j + i + w->b * (k / nu)] = block[i];
        }
    }
    for (int i = 0; i < w->a * w->b / nu; i++)
        w->middle[i] = turned[i];
}

void gen_wide_body(gen_emit *e)
{
    wide w = { 0 };
    gen_wide_shape(e->key, &e->vector, &w.a, &w.b);
    gen_dag *first = gen_dft(w.a), *second = gen_dft(w.b);
    gen_part columns = { first, load_input, twiddle_middle, &w };
    gen_part rows = { second, load_middle, store_output, &w };
    for (w.group = 0; w.group < w.b / e->vector.lanes; w.group++)
        gen_statements(e, &columns);
    transpose_middle(e, &w);
    for (w.group = 0; w.group < w.a / e->vector.lanes; w.group++)
        gen_statements(e, &rows);
    core_free(first);
    core_free(second);
}
