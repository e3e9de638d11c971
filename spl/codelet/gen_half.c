// SPDX-License-Identifier: BSD-3-Clause
/* RDFT and IRDFT of n = 2 m points in registers: the DFT of m points of position W and, after or
 * before it, the pairs between its numbers and those of the real transform (Sorensen et al. 1987)
 *
 *   RDFT    E = (Z_k + Z_{m-k}*)/2, O = t_k (Z_k - Z_{m-k}*)/2, X_k = E + O, X_{m-k} = (E - O)*
 *   IRDFT   E = X_k + X_{m-k}*, O = t_k* (X_k - X_{m-k}*), Z_k = E + O, Z_{m-k} = (E - O)*
 *
 * with t_k = -i w_n^k, on vectors of nu adjacent numbers: k = k0 .. k0+nu-1 and, reversed, m-k. The
 * latter are in two vectors, from which one function makes one vector. If the number of vectors
 * m/nu is odd, the middle one is its own partner; else element m/2 has no partner: conjugate it. */
#include "core/trig.h"
#include "spl/codelet/gen.h"
#include "spl/formula/transforms.h"

static const gen_var none = {"", ""};

/* factor t_k x, or factor t_k* x with `conjugate`, for k = first .. */
static gen_var multiply_root(gen_emit *e, int first, long double factor, bool conjugate, gen_var x)
{
    gen_constant_vector same = {.negated_in_inverse = false}, cross = same;
    for (int l = 0; l < e->vector.lanes; l++) {
        long double c, s; /* t = -i (c + i s) = s - i c */
        core_root((size_t)(first + l), (size_t)e->key->n, &c, &s);
        same.value[2 * l] = same.value[2 * l + 1] = factor * s;
        cross.value[2 * l] = conjugate ? -factor * c : factor * c;
        cross.value[2 * l + 1] = -cross.value[2 * l];
    }
    const gen_var swapped = gen_each(e, GEN_SHUFFLES, "swap", x, none, none);
    const gen_var t = gen_new_temp(e), y = gen_new_temp(e);
    gen_assign(e, GEN_MULS, t.re, "mul", x.re, gen_table_row(e, &same).text, NULL);
    gen_assign(e, GEN_FMAS, y.re, "fma", swapped.re, gen_table_row(e, &cross).text, t.re);
    gen_count(e, GEN_LOADS, 2);
    return y;
}

/* s = x + y*, d = x - y* */
static void conjugate_sums(gen_emit *e, gen_var x, gen_var y, gen_var *s, gen_var *d)
{
    const gen_name conjugate = gen_parts_row(e, 1, -1);
    *s = gen_apply(e, GEN_FMAS, "fma", conjugate.text, y.re, x.re);
    *d = gen_apply(e, GEN_FMAS, "fnma", conjugate.text, y.re, x.re);
}

static gen_name element_address(const gen_emit *e, const char *base, int element)
{
    return gen_print("%s + %d", base, element * 2 * e->vector.bytes);
}

/* ---- RDFT ---- */

/* Computes and stores X of a vector and of its partner; Z is in m / nu vectors. */
static void store_pair(gen_emit *e, const gen_var *z, int vectors, int i)
{
    const int nu = e->vector.lanes, first = i * nu, m = vectors * nu;
    const gen_var partner = gen_apply(e, GEN_SHUFFLES, "mirror", z[vectors - 1 - i].re,
                                      z[(vectors - i) % vectors].re, NULL);
    gen_var s, d;
    conjugate_sums(e, z[i], partner, &s, &d);
    const gen_var o = multiply_root(e, first, 0.5L, false, d);
    const gen_name half = gen_parts_row(e, 0.5L, 0.5L);
    const gen_var x = gen_apply(e, GEN_FMAS, "fma", half.text, s.re, o.re);
    const gen_var y =
        gen_apply(e, GEN_FMAS, "fmaddsub", gen_parts_row(e, 0.5L, -0.5L).text, s.re, o.re);
    const gen_var back = gen_each(e, GEN_SHUFFLES, "reverse", y, none, none);
    gen_store(e, element_address(e, "out_re", first).text, x.re);
    gen_store(e, element_address(e, "out_re", m - first - nu + 1).text, back.re);
}

static void rdft_body(gen_emit *e, const gen_shape *shape)
{
    gen_var z[GEN_MAX * 4];
    const int nu = shape->vector.lanes, vectors = e->key->n / 2 / nu;
    gen_whole_core(e, shape, NULL, z);
    for (int i = 0; 2 * i < vectors; i++)
        store_pair(e, z, vectors, i);
    if (vectors % 2 != 0)
        return;
    const gen_name at = element_address(e, "out_re", e->key->n / 4);
    const gen_var middle =
        gen_apply(e, GEN_MULS, "mul", gen_parts_row(e, 1, -1).text, z[vectors / 2].re, NULL);
    if (nu == 1)
        gen_store(e, at.text, middle.re);
    else
        gen_store_part(e, at.text, 1, middle.re);
}

/* ---- IRDFT ---- */

static gen_var load_elements(gen_emit *e, int element)
{
    const gen_var x =
        gen_apply(e, GEN_LOADS, "load", element_address(e, "in_re", element).text, NULL, NULL);

    if (!e->key->weighed)
        return x;
    return gen_weigh(e, "load", element_address(e, "in_weight", element).text, x);
}

/* Z of a vector, and of its partner, reversed. Imaginary parts of numbers 0 and m are ignored. */
static void load_pair(gen_emit *e, int m, int i, gen_var *z, gen_var *partner)
{
    const int nu = e->vector.lanes, first = i * nu;
    gen_var s, d, x = load_elements(e, first), y = load_elements(e, m - first - nu + 1);
    y = gen_each(e, GEN_SHUFFLES, "reverse", y, none, none);
    if (i == 0) {
        x = gen_each(e, GEN_SHUFFLES, "real_first", x, none, none);
        y = gen_each(e, GEN_SHUFFLES, "real_first", y, none, none);
    }
    conjugate_sums(e, x, y, &s, &d);
    const gen_var o = multiply_root(e, first, 1, true, d);
    *z = gen_each(e, GEN_ADDS, "add", s, o, none);
    *partner = gen_apply(e, GEN_FMAS, "fmaddsub", gen_parts_row(e, 1, -1).text, s.re, o.re);
}

static void irdft_body(gen_emit *e, const gen_shape *shape)
{
    gen_var z[GEN_MAX * 4], partner[GEN_MAX * 2 + 1];
    e->vector = shape->vector;
    const int nu = shape->vector.lanes, m = e->key->n / 2, vectors = m / nu;
    for (int i = 0; 2 * i < vectors; i++)
        load_pair(e, m, i, &z[i], &partner[i]);
    if (vectors % 2 == 0)
        partner[vectors / 2] = gen_apply(e, GEN_MULS, "mul", gen_parts_row(e, 2, -2).text,
                                         load_elements(e, m / 2).re, NULL);
    for (int i = 0; i < vectors / 2; i++)
        z[vectors - 1 - i] =
            gen_apply(e, GEN_SHUFFLES, "mirror", partner[i].re, partner[i + 1].re, NULL);
    gen_whole_core(e, shape, z, NULL);
}

void gen_half_body(gen_emit *e, const gen_shape *shape)
{
    (e->key->kind == SPL_RDFT ? rdft_body : irdft_body)(e, shape);
}
