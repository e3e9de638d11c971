// SPDX-License-Identifier: BSD-3-Clause
/* DFT_n as an expression.
 *
 *   n = p q    coprime: DFT_n = P (DFT_p (x) DFT_q) Q, no twiddles (Good 1958, Thomas 1963)
 *   n = 2^k    conjugate-pair split radix: DFT_{n/2} of x[2i], DFT_{n/4} of x[4i+1] and x[4i-1]
 *              (Kamar & Elcherif 1989)
 *   n = p^k    p odd: DFT_n = (DFT_p (x) I_m) T (I_p (x) DFT_m) Q (Cooley & Tukey 1965); Q takes
 *              x[p i + j] and x[p i - j] as a pair, so that their twiddles are conjugate
 *   n = p      X[+-k] = (x[0] + C (x[j] + x[-j])) +- S (-i) (x[j] - x[-j]), j, k = 1 .. (p-1)/2 in
 *              the order of powers of a generator, so that C and S are Toeplitz: convolutions
 *              (Rader 1968), see gen_toeplitz.c */
#include "core/mem.h"
#include "core/trig.h"
#include "spl/codelet/gen.h"

static void build_dft(gen_dag *dag, int n, const gen_value *in, gen_value *out);

/* sum = w z + w* z' and rotated = -i (w z - w* z') for w = w_n^k = c - i s = c (1 - i t), t = s/c.
 * With a = z + z', b = -i (z - z'):
 *     sum = c (a + t b)        rotated = s (b/t - a)
 * so both need only the one rotation in b; later sums absorb c and s. */
static void conjugate_pair(gen_dag *dag, size_t k, size_t n, gen_value z, gen_value zc,
                           gen_value *sum, gen_value *rotated)
{
    const gen_value a = gen_add(dag, z, zc), b = gen_rotate_quarters(gen_sub(dag, z, zc), 1);
    long double c, s;
    *sum = a;
    *rotated = b;
    if (k == 0)
        return;
    core_root(k, n, &c, &s);
    s = -s;
    *sum = gen_scale(gen_add(dag, a, gen_scale(b, s / c)), c);
    *rotated = gen_scale(gen_sub(dag, a, gen_scale(b, c / s)), -s);
}

/* DFT_m of x[j + r i], i = 0.., with indices modulo r m; j may be negative. */
static void dft_of_progression(gen_dag *dag, int r, int m, int j, const gen_value *in,
                               gen_value *out)
{
    gen_value x[GEN_MAX] = {0};
    for (int i = 0; i < m; i++)
        x[i] = in[(j + r * i + r * m) % (r * m)];
    build_dft(dag, m, x, out);
}

static void split_radix(gen_dag *dag, int n, const gen_value *in, gen_value *out)
{
    gen_value z[GEN_MAX / 4], zc[GEN_MAX / 4], sum, rotated;
    const int quarter = n / 4;
    dft_of_progression(dag, 2, n / 2, 0, in, out);
    dft_of_progression(dag, 4, quarter, 1, in, z);
    dft_of_progression(dag, 4, quarter, -1, in, zc);
    for (int k = 0; k < quarter; k++) {
        const gen_value e = out[k], f = out[k + quarter];
        conjugate_pair(dag, (size_t)k, (size_t)n, z[k], zc[k], &sum, &rotated);
        out[k] = gen_add(dag, e, sum);
        out[k + 2 * quarter] = gen_sub(dag, e, sum);
        out[k + quarter] = gen_add(dag, f, rotated);
        out[k + 3 * quarter] = gen_sub(dag, f, rotated);
    }
}

/* power[i] = g^i mod p, i < p - 1, for the smallest g whose first (p - 1)/2 powers are the
 * numbers 1 .. (p - 1)/2 up to sign, and whose next power is 1 if (p - 1)/2 is odd, else -1. */
static void generator_powers(int p, int *power)
{
    const int half = (p - 1) / 2, order = half % 2 == 1 ? half : p - 1;
    int period = 0;
    for (int g = 1; period != order; g++) {
        period = 0;
        for (int i = 0; i < p - 1; i++) {
            power[i] = i == 0 ? 1 : power[i - 1] * g % p;
            if (period == 0 && power[i] * g % p == 1)
                period = i + 1;
        }
    }
}

/* Cosines and sines of power[b - a]. Those of power[b - a + (p - 1)/2] are equal, or opposite if
 * (p - 1)/2 is even. */
static void rader_matrices(int p, const int *power, gen_toeplitz *cosines, gen_toeplitz *sines)
{
    const int half = (p - 1) / 2;
    for (int d = 1 - half; d < half; d++) {
        long double re, im;
        core_root((size_t)power[(d + p - 1) % (p - 1)], (size_t)p, &re, &im);
        cosines->t[half - 1 + d] = re;
        sines->t[half - 1 + d] = -im;
    }
    cosines->cyclic = true;
    sines->cyclic = half % 2 == 1;
}

/* DFT_p, p odd, of x0 and pairs x[j], x[-j] given by sum[j] = x[j] + x[-j] and
 * rotated[j] = -i (x[j] - x[-j]):  X[+-k] = (x0 + SUM cos sum[j]) +- SUM sin rotated[j], with
 * j = g^-a and k = g^b, so that cosines and sines depend on b - a alone. */
static void odd_prime(gen_dag *dag, int p, gen_value x0, const gen_value *sum,
                      const gen_value *rotated, gen_value *out, int stride)
{
    const int half = (p - 1) / 2;
    int power[GEN_MAX], log[GEN_MAX];
    gen_value s[GEN_MAX / 2], t[GEN_MAX / 2], even[GEN_MAX / 2], odd[GEN_MAX / 2];
    gen_toeplitz cosines = {.rows = half}, sines = {.rows = half};
    generator_powers(p, power);
    rader_matrices(p, power, &cosines, &sines);
    for (int a = 0; a < half; a++) {
        const int j = power[(p - 1 - a) % (p - 1)];
        s[a] = sum[j <= half ? j : p - j];
        t[a] = j <= half ? rotated[j] : gen_rotate_quarters(rotated[p - j], 2);
        log[power[a]] = log[p - power[a]] = a;
    }
    out[0] = gen_toeplitz_sum(dag, &cosines, x0, s);
    const bool rows = gen_toeplitz_dense(&cosines) && gen_toeplitz_dense(&sines);
    if (!rows) {
        gen_toeplitz_multiply(dag, &cosines, &x0, s, even);
        gen_toeplitz_multiply(dag, &sines, NULL, t, odd);
    }
    for (int i = 1; i <= half; i++) {
        const int b = log[i], k = power[b];
        if (rows) {
            even[b] = gen_toeplitz_row(dag, &cosines, b, &x0, s);
            odd[b] = gen_toeplitz_row(dag, &sines, b, NULL, t);
        }
        out[k * stride] = gen_add(dag, even[b], odd[b]);
        out[(p - k) * stride] = gen_sub(dag, even[b], odd[b]);
    }
}

/* n = r m, r odd: the transforms of x[j + r i] and x[-j + r i] have conjugate twiddles. */
static void odd_radix(gen_dag *dag, int r, int m, const gen_value *in, gen_value *out)
{
    gen_value part[GEN_MAX] = {0}, sum[GEN_MAX] = {0}, rotated[GEN_MAX] = {0};
    for (int j = 0; j < r; j++)
        dft_of_progression(dag, r, m, j <= r / 2 ? j : j - r, in, part + j * m);
    for (int k = 0; k < m; k++) {
        for (int j = 1; j <= r / 2; j++)
            conjugate_pair(dag, (size_t)(j * k), (size_t)(r * m), part[j * m + k],
                           part[(r - j) * m + k], &sum[j], &rotated[j]);
        odd_prime(dag, r, part[k], sum, rotated, out + k, m);
    }
}

/* Reads in[(q j1 + p j2) mod n] and writes out[k] with k = k1 mod p, k = k2 mod q. */
static void good_thomas(gen_dag *dag, int p, int q, const gen_value *in, gen_value *out)
{
    const int n = p * q;
    gen_value middle[GEN_MAX], x[GEN_MAX] = {0}, y[GEN_MAX];
    for (int j2 = 0; j2 < q; j2++) {
        for (int j1 = 0; j1 < p; j1++)
            x[j1] = in[(q * j1 + p * j2) % n];
        build_dft(dag, p, x, y);
        for (int k1 = 0; k1 < p; k1++)
            middle[k1 * q + j2] = y[k1];
    }
    for (int k1 = 0; k1 < p; k1++) {
        build_dft(dag, q, middle + k1 * q, y);
        for (int k = k1; k < n; k += p)
            out[k] = y[k % q];
    }
}

/* The smallest prime factor of n and its power in n. */
static int smallest_factor(int n, int *power)
{
    int p = 2;
    while (n % p != 0)
        p++;
    *power = p;
    while (n % (*power * p) == 0)
        *power *= p;
    return p;
}

static void build_dft(gen_dag *dag, int n, const gen_value *in, gen_value *out)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    int power;
    const int p = smallest_factor(n, &power);
    if (power < n) {
        good_thomas(dag, power, n / power, in, out);
    } else if (p > 2) {
        odd_radix(dag, p, n / p, in, out);
    } else if (n > 2) {
        split_radix(dag, n, in, out);
    } else {
        const gen_value x = in[0], y = in[1];
        out[0] = gen_add(dag, x, y);
        out[1] = gen_sub(dag, x, y);
    }
}

gen_dag *gen_dft(int n)
{
    gen_value in[GEN_MAX] = {0}, out[GEN_MAX];
    gen_dag *dag = core_calloc(1, sizeof *dag);
    if (!dag)
        return NULL;
    dag->n = n;
    for (int i = 0; i < n; i++)
        in[i] = gen_input(dag, i);
    build_dft(dag, n, in, out);
    for (int i = 0; i < n; i++)
        gen_output(dag, i, out[i]);
    return dag;
}
