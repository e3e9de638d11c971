// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of real data as expressions of reals: each is a DFT_m between wired inputs and
 * outputs.
 *
 *   RDFT, IRDFT, DHT     DFT_n of reals; DFT_n of half a spectrum and its conjugates; re - im
 *   HC, PACKED           RDFT with its parts in an order of reals; IHC, IPACKED: the inverses
 *   DCT2_n               y_k = 2 re Z_k, y_{n-k} = -2 im Z_k, Z_k = w_4n^k V_k, V = DFT_n of
 *                        x_0 x_2 .. x_3 x_1 (Makhoul 1980)
 *   DCT3_n               its transpose
 *   DCT4_n               n even: Z = 2 s DFT_{n/2} s (x_2j + i x_{n-1-2j}), s_j = w_16n^{8j+1},
 *                        y_2k = re Z_k, y_{n-1-2k} = -im Z_k; n odd: sqrt2 times signed
 *                        permutations around DFT_n (Chan & Ho 1990)
 *   DCT1_n, DST1_n       DFT of the even extension, of the odd extension
 *   DST2, DST3, DST4     DCT2, 3, 4 with alternating signs on one side, reversed on the other
 *   IDXST                DST3 of x_1 .. x_{n-1}, 0 */
#include "core/mem.h"
#include "core/trig.h"
#include "spl/codelet/gen.h"
#include "spl/formula/transforms.h"

/* Builds outputs y from inputs x, in scalars. False: out of memory. */
typedef bool kind_wires(gen_dag *dag, int n, const gen_value *x, gen_value *y);

static gen_value real_scaled(gen_value x, bool minus, long double factor)
{
    return gen_scale(x, minus ? -factor : factor);
}

static bool is_own_mirror_image(int k, int n)
{
    return k == 0 || 2 * k == n;
}

/* The DFT of reals; X_k and X_{n-k} are conjugate. */
static bool dft_of_reals(gen_dag *dag, int n, const gen_value *x, gen_complex *out)
{
    gen_complex in[GEN_MAX] = {0};
    for (int i = 0; i < n; i++)
        in[i] = (gen_complex){x[i], gen_zero};
    return gen_real_dft(dag, n, in, out);
}

/* The reals whose DFT is half[0 .. n/2] and, in the other half, the conjugates of these. */
static bool dft_to_reals(gen_dag *dag, int n, const gen_complex *half, gen_value *y)
{
    gen_complex in[GEN_MAX] = {0}, out[GEN_MAX];
    for (int k = 0; k <= n / 2; k++) {
        in[k] = is_own_mirror_image(k, n) ? (gen_complex){half[k].re, gen_zero}
                                          : gen_conjugate(half[k]);
        if (!is_own_mirror_image(k, n))
            in[n - k] = half[k];
    }
    if (!gen_real_dft(dag, n, in, out))
        return false;
    for (int j = 0; j < n; j++)
        y[j] = out[j].re;
    return true;
}

static bool wire_rdft(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_complex out[GEN_MAX];
    if (!dft_of_reals(dag, n, x, out))
        return false;
    for (int k = 0; k <= n / 2; k++) {
        y[2 * k] = out[k].re;
        y[2 * k + 1] = is_own_mirror_image(k, n) ? gen_zero : out[k].im;
    }
    return true;
}

static bool wire_irdft(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_complex half[GEN_OUTPUTS / 2] = {0};
    for (int k = 0; k <= n / 2; k++)
        half[k] = (gen_complex){x[2 * k], x[2 * k + 1]};
    return dft_to_reals(dag, n, half, y);
}

static bool to_order(spl_order order, gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_complex out[GEN_MAX];
    if (!dft_of_reals(dag, n, x, out))
        return false;
    for (int i = 0; i < n; i++) {
        const spl_half_place at = spl_order_place(order, n, i);
        y[i] = at.part ? out[at.k].im : out[at.k].re;
    }
    return true;
}

static bool from_order(spl_order order, gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_complex half[GEN_OUTPUTS / 2] = {0};
    for (int i = 0; i < n; i++) {
        const spl_half_place at = spl_order_place(order, n, i);
        *(at.part ? &half[at.k].im : &half[at.k].re) = x[i];
    }
    return dft_to_reals(dag, n, half, y);
}

static bool wire_hc(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    return to_order(SPL_ORDER_HALFCOMPLEX, dag, n, x, y);
}

static bool wire_ihc(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    return from_order(SPL_ORDER_HALFCOMPLEX, dag, n, x, y);
}

static bool wire_packed(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    return to_order(SPL_ORDER_PACKED, dag, n, x, y);
}

static bool wire_ipacked(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    return from_order(SPL_ORDER_PACKED, dag, n, x, y);
}

static bool wire_dht(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_complex out[GEN_MAX];
    if (!dft_of_reals(dag, n, x, out))
        return false;
    for (int k = 0; k < n; k++)
        y[k] = gen_real_sub(dag, out[k].re, out[k].im);
    return true;
}

/* The place of x_i: elements of even i in order, followed by those of odd i in reverse. */
static int fold(int i, int n)
{
    return i % 2 == 0 ? i / 2 : n - 1 - i / 2;
}

static bool wire_dct2(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_value folded[GEN_MAX] = {0};
    gen_complex out[GEN_MAX];
    for (int i = 0; i < n; i++)
        folded[fold(i, n)] = x[i];
    if (!dft_of_reals(dag, n, folded, out))
        return false;
    for (int k = 0; k <= n / 2; k++) {
        const gen_complex z = gen_real_root(dag, out[k], (size_t)k, 4 * (size_t)n);
        y[k] = gen_scale(z.re, 2);
        if (!is_own_mirror_image(k, n))
            y[n - k] = gen_scale(z.im, -2);
    }
    return true;
}

/* The inverse DFT of the conjugates of w_4n^k (x_k + i x_{n-k}). */
static bool wire_dct3(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_complex half[GEN_OUTPUTS / 2] = {0};
    gen_value folded[GEN_MAX] = {0};
    for (int k = 0; k <= n / 2; k++) {
        const gen_complex pair = {x[k], k == 0 ? gen_zero : x[n - k]};
        half[k] = gen_conjugate(gen_real_root(dag, pair, (size_t)k, 4 * (size_t)n));
    }
    if (!dft_to_reals(dag, n, half, folded))
        return false;
    for (int i = 0; i < n; i++)
        y[i] = folded[fold(i, n)];
    return true;
}

static bool wire_dct4_even(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_complex in[GEN_MAX] = {0}, out[GEN_MAX];
    const size_t unit = 16 * (size_t)n;
    for (int j = 0; j < n / 2; j++)
        in[j] =
            gen_real_root(dag, (gen_complex){x[2 * j], x[n - 1 - 2 * j]}, 8 * (size_t)j + 1, unit);
    if (!gen_real_dft(dag, n / 2, in, out))
        return false;
    for (int k = 0; k < n / 2; k++) {
        const gen_complex z = gen_real_root(dag, out[k], 8 * (size_t)k + 1, unit);
        y[2 * k] = gen_scale(z.re, 2);
        y[n - 1 - 2 * k] = gen_scale(z.im, -2);
    }
    return true;
}

/* The number whose product with 8 is a modulo n. */
static int eighth(int a, int n)
{
    int j = 0;
    while (8 * j % n != a % n)
        j++;
    return j;
}

/* The sign chi is negative if b is 3 or 5 modulo 8, psi if b is 5 or 7. Modulo 8 each odd n is its
 * own inverse. */
static bool wire_dct4_odd(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_value s[GEN_MAX] = {0}, v[GEN_MAX] = {0};
    gen_complex out[GEN_MAX];
    long double half, unused;
    core_root(1, 8, &half, &unused); /* sqrt2 / 2 */
    for (int b = 1; b < 2 * n; b += 2)
        s[b % n] = real_scaled(x[b / 2], b % 8 == 3 || b % 8 == 5, 1);
    for (int b = 1; b < 2 * n; b += 2)
        v[b % n] = s[b % 4 == 3 ? (2 * n - b) % n : b % n];
    if (!dft_of_reals(dag, n, v, out))
        return false;
    for (int a = 1; a < 2 * n; a += 2) {
        const int j = eighth(a, n), ua = n * a % 8;
        y[a / 2] = gen_scale(gen_real_add(dag, real_scaled(out[j].re, ua == 3 || ua == 5, 1),
                                          real_scaled(out[j].im, ua == 5 || ua == 7, 1)),
                             2 * half);
    }
    return true;
}

static bool wire_dct4(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    return (n % 2 == 0 ? wire_dct4_even : wire_dct4_odd)(dag, n, x, y);
}

/* ---- extensions ---- */

static bool wire_dct1(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_value all[GEN_MAX] = {0};
    gen_complex out[GEN_MAX];
    for (int i = 0; i < n; i++)
        all[i] = all[(2 * n - 2 - i) % (2 * n - 2)] = x[i];
    if (!dft_of_reals(dag, 2 * n - 2, all, out))
        return false;
    for (int k = 0; k < n; k++)
        y[k] = out[k].re;
    return true;
}

static bool wire_dst1(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_value all[GEN_MAX] = {0};
    gen_complex out[GEN_MAX];
    all[0] = all[n + 1] = gen_zero;
    for (int i = 0; i < n; i++) {
        all[i + 1] = x[i];
        all[2 * n + 1 - i] = gen_rotate_quarters(x[i], 2);
    }
    if (!dft_of_reals(dag, 2 * n + 2, all, out))
        return false;
    for (int k = 0; k < n; k++)
        y[k] = gen_rotate_quarters(out[k + 1].im, 2);
    return true;
}

/* ---- sines of cosines ---- */

/* Applies `of` to x with alternating signs, and reverses the result. */
static bool signs_first(kind_wires *of, gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_value in[GEN_MAX] = {0}, out[GEN_MAX];
    for (int i = 0; i < n; i++)
        in[i] = real_scaled(x[i], i % 2 == 1, 1);
    if (!of(dag, n, in, out))
        return false;
    for (int i = 0; i < n; i++)
        y[i] = out[n - 1 - i];
    return true;
}

static bool wire_dst2(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    return signs_first(wire_dct2, dag, n, x, y);
}

static bool wire_dst4(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    return signs_first(wire_dct4, dag, n, x, y);
}

static bool wire_dst3(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_value in[GEN_MAX] = {0};
    for (int i = 0; i < n; i++)
        in[i] = x[n - 1 - i];
    if (!wire_dct3(dag, n, in, y))
        return false;
    for (int i = 1; i < n; i += 2)
        y[i] = gen_rotate_quarters(y[i], 2);
    return true;
}

static bool wire_idxst(gen_dag *dag, int n, const gen_value *x, gen_value *y)
{
    gen_value in[GEN_MAX] = {0};
    for (int i = 0; i < n; i++)
        in[i] = i + 1 < n ? x[i + 1] : gen_zero;
    return wire_dst3(dag, n, in, y);
}

/* ---- the table ---- */

static kind_wires *const wires[SPL_KIND_COUNT] = {
    [SPL_RDFT] = wire_rdft,       [SPL_IRDFT] = wire_irdft, [SPL_DHT] = wire_dht,
    [SPL_DCT1] = wire_dct1,       [SPL_DCT2] = wire_dct2,   [SPL_DCT3] = wire_dct3,
    [SPL_DCT4] = wire_dct4,       [SPL_DST1] = wire_dst1,   [SPL_DST2] = wire_dst2,
    [SPL_DST3] = wire_dst3,       [SPL_DST4] = wire_dst4,   [SPL_IDXST] = wire_idxst,
    [SPL_HC] = wire_hc,           [SPL_IHC] = wire_ihc,     [SPL_PACKED] = wire_packed,
    [SPL_IPACKED] = wire_ipacked,
};

int gen_kind_scalars(int kind, int n, bool in)
{
    const spl_transform *t = spl_transform_of((spl_kind)kind);
    const int64_t elements =
        in ? spl_transform_cols((spl_kind)kind, n) : spl_transform_rows((spl_kind)kind, n);
    return (int)elements * ((in ? t->from : t->to) == SPL_TYPE_COMPLEX ? 2 : 1);
}

gen_dag *gen_kind_dag(int kind, int n)
{
    gen_value x[GEN_OUTPUTS] = {0}, y[GEN_OUTPUTS];
    gen_dag *dag = wires[kind] ? core_calloc(1, sizeof *dag) : NULL;
    if (!dag)
        return NULL;
    for (int i = 0; i < gen_kind_scalars(kind, n, true); i++)
        x[i] = gen_input(dag, i);
    if (!wires[kind](dag, n, x, y)) {
        core_free(dag);
        return NULL;
    }
    gen_real_outputs(dag, gen_kind_scalars(kind, n, false), y);
    return dag;
}
