// SPDX-License-Identifier: BSD-3-Clause
/* Products with a fixed Toeplitz matrix, y_i = SUM_j t[i - j] x_j, with few operations (Winograd
 * 1980, Agarwal & Cooley 1977). Cyclic and negacyclic convolutions are special cases.
 *
 * The matrix is split into blocks T_k, k the block row minus the block column, each again Toeplitz:
 *   halves  T_{k+2} = T_k, as in a cyclic one: modulo (z - 1) and (z + 1),
 *               a = 1/2 (T_0 + T_1) (x_0 + x_1)    y_0 = a + b
 *               b = 1/2 (T_0 - T_1) (x_0 - x_1)    y_1 = a - b
 *   thirds  T_{k+3} = T_k: modulo (z - 1) and (z^2 + z + 1), with M = 1/3 (T_0 + T_1 + T_2),
 *               a = M (x_0 + x_1 + x_2)            y_0 = a + p - q
 *               p = (T_0 - M) (x_0 - x_1)          y_1 = a - p - r
 *               q = (T_1 - M) (x_1 - x_2)          y_2 = a + q + r
 *               r = (T_2 - M) (x_0 - x_2)
 *   blocks  any even number of rows: three products instead of four (Karatsuba, transposed),
 *               a = T_0 (x_0 + x_1)                y_0 = a + (T_-1 - T_0) x_1
 *                                                  y_1 = a + (T_1 - T_0) x_0
 * Each is used if it needs fewer operations. Sums and differences of t are constants. Blocks of
 * unequal size would save a few more at 11 rows, but err by a quarter more (measured, DFT_23). */
#include <limits.h>
#include <string.h>

#include "spl/codelet/gen.h"

typedef struct shape {
    int rows;
    bool cyclic, from; /* from: another value is added in every row */
} shape;

typedef struct method {
    bool (*applies)(shape s);
    int (*count)(shape s);
    void (*multiply)(gen_dag *dag, const gen_toeplitz *t, const gen_value *from, const gen_value *x,
                     gen_value *y);
    int folds; /* the method contains a cyclic product of rows/folds rows; 1: it does not */
} method;

typedef struct term {
    int shift;
    long double factor;
} term;

static const method *best_method(shape s);
static int count_operations(shape s);

/* SUM factor t[d + shift], d = i - j, as a matrix. */
static gen_toeplitz combine_blocks(const gen_toeplitz *t, int rows, const term *terms, int count)
{
    gen_toeplitz sum = {.rows = rows};
    for (int d = 1 - rows; d < rows; d++)
        for (int k = 0; k < count; k++)
            sum.t[rows - 1 + d] += terms[k].factor * t->t[t->rows - 1 + d + terms[k].shift];
    return sum;
}

/* The mean 1/parts SUM_k T_k of a cyclic matrix's blocks, which is cyclic. */
static gen_toeplitz mean_block(const gen_toeplitz *t, int parts)
{
    term terms[3];
    const int m = t->rows / parts;
    for (int k = 0; k < parts; k++)
        terms[k] = (term){k * m, 1.0L / parts};
    gen_toeplitz sum = combine_blocks(t, m, terms, parts);
    sum.cyclic = true;
    return sum;
}

/* to[i] = SUM_k x[i + m k] */
static void fold_vector(gen_dag *dag, int m, int parts, const gen_value *x, gen_value *to)
{
    for (int i = 0; i < m; i++) {
        to[i] = x[i];
        for (int k = 1; k < parts; k++)
            to[i] = gen_add(dag, to[i], x[i + k * m]);
    }
}

static void subtract_vectors(gen_dag *dag, int m, const gen_value *x, const gen_value *y,
                             gen_value *to)
{
    for (int i = 0; i < m; i++)
        to[i] = gen_sub(dag, x[i], y[i]);
}

/* ---- dense ---- */

static bool applies_always(shape s)
{
    (void)s;
    return true;
}

static int count_dense(shape s)
{
    return s.rows * (s.rows - !s.from);
}

gen_value gen_toeplitz_row(gen_dag *dag, const gen_toeplitz *t, int i, const gen_value *from,
                           const gen_value *x)
{
    gen_value y = {0};
    for (int j = 0; j < t->rows; j++) {
        const gen_value z = gen_scale(x[j], t->t[t->rows - 1 + i - j]);
        y = j > 0 ? gen_add(dag, y, z) : from ? gen_add(dag, *from, z) : z;
    }
    return y;
}

static void multiply_dense(gen_dag *dag, const gen_toeplitz *t, const gen_value *from,
                           const gen_value *x, gen_value *y)
{
    for (int i = 0; i < t->rows; i++)
        y[i] = gen_toeplitz_row(dag, t, i, from, x);
}

/* ---- halves ---- */

static bool has_halves(shape s)
{
    return s.cyclic && s.rows % 2 == 0;
}

static int count_halves(shape s)
{
    const int m = s.rows / 2;
    return 4 * m + count_operations((shape){m, true, s.from})
           + count_operations((shape){m, false, false});
}

static void multiply_halves(gen_dag *dag, const gen_toeplitz *t, const gen_value *from,
                            const gen_value *x, gen_value *y)
{
    const int m = t->rows / 2;
    const gen_toeplitz same = mean_block(t, 2);
    const gen_toeplitz other = combine_blocks(t, m, (term[]){{0, 0.5L}, {m, -0.5L}}, 2);
    gen_value z[GEN_MAX / 4], b[GEN_MAX / 4];
    fold_vector(dag, m, 2, x, z);
    gen_toeplitz_multiply(dag, &same, from, z, y);
    subtract_vectors(dag, m, x, x + m, z);
    gen_toeplitz_multiply(dag, &other, NULL, z, b);
    for (int i = 0; i < m; i++) {
        y[m + i] = gen_sub(dag, y[i], b[i]);
        y[i] = gen_add(dag, y[i], b[i]);
    }
}

/* ---- thirds ---- */

static bool has_thirds(shape s)
{
    return s.cyclic && s.rows % 3 == 0;
}

static int count_thirds(shape s)
{
    const int m = s.rows / 3;
    return 11 * m + count_operations((shape){m, true, s.from})
           + 3 * count_operations((shape){m, false, false});
}

/* (T_k - M) x */
static void multiply_without_mean(gen_dag *dag, const gen_toeplitz *t, int k, const gen_value *x,
                                  gen_value *y)
{
    const int m = t->rows / 3;
    const term terms[] = {
        {k * m, 2 / 3.0L}, {(k + 1) % 3 * m, -1 / 3.0L}, {(k + 2) % 3 * m, -1 / 3.0L}};
    const gen_toeplitz difference = combine_blocks(t, m, terms, 3);
    gen_toeplitz_multiply(dag, &difference, NULL, x, y);
}

static void multiply_thirds(gen_dag *dag, const gen_toeplitz *t, const gen_value *from,
                            const gen_value *x, gen_value *y)
{
    const int m = t->rows / 3;
    const gen_toeplitz same = mean_block(t, 3);
    gen_value z[3][GEN_MAX / 6], p[GEN_MAX / 6];
    fold_vector(dag, m, 3, x, z[0]);
    gen_toeplitz_multiply(dag, &same, from, z[0], y);
    subtract_vectors(dag, m, x, x + m, z[0]);
    subtract_vectors(dag, m, x + m, x + 2 * m, z[1]);
    subtract_vectors(dag, m, x, x + 2 * m, z[2]);
    multiply_without_mean(dag, t, 0, z[0], p);
    for (int i = 0; i < m; i++) {
        y[2 * m + i] = y[i];
        y[m + i] = gen_sub(dag, y[i], p[i]);
        y[i] = gen_add(dag, y[i], p[i]);
    }
    multiply_without_mean(dag, t, 1, z[1], p);
    for (int i = 0; i < m; i++) {
        y[i] = gen_sub(dag, y[i], p[i]);
        y[2 * m + i] = gen_add(dag, y[2 * m + i], p[i]);
    }
    multiply_without_mean(dag, t, 2, z[2], p);
    for (int i = 0; i < m; i++) {
        y[m + i] = gen_sub(dag, y[m + i], p[i]);
        y[2 * m + i] = gen_add(dag, y[2 * m + i], p[i]);
    }
}

/* ---- blocks ---- */

static bool has_blocks(shape s)
{
    return s.rows % 2 == 0;
}

static int count_blocks(shape s)
{
    const int m = s.rows / 2;
    return 3 * m + count_operations((shape){m, false, s.from})
           + 2 * count_operations((shape){m, false, false});
}

static void multiply_blocks(gen_dag *dag, const gen_toeplitz *t, const gen_value *from,
                            const gen_value *x, gen_value *y)
{
    const int m = t->rows / 2;
    const gen_toeplitz common = combine_blocks(t, m, (term[]){{0, 1}}, 1);
    const gen_toeplitz upper = combine_blocks(t, m, (term[]){{-m, 1}, {0, -1}}, 2);
    const gen_toeplitz lower = combine_blocks(t, m, (term[]){{m, 1}, {0, -1}}, 2);
    gen_value z[GEN_MAX / 4], a[GEN_MAX / 4];
    fold_vector(dag, m, 2, x, z);
    gen_toeplitz_multiply(dag, &common, from, z, a);
    gen_toeplitz_multiply(dag, &upper, NULL, x + m, y);
    gen_toeplitz_multiply(dag, &lower, NULL, x, y + m);
    for (int i = 0; i < 2 * m; i++)
        y[i] = gen_add(dag, a[i % m], y[i]);
}

/* ---- the choice ---- */

static const method methods[] = {
    {applies_always, count_dense, multiply_dense, 1},
    {has_halves, count_halves, multiply_halves, 2},
    {has_thirds, count_thirds, multiply_thirds, 3},
    {has_blocks, count_blocks, multiply_blocks, 1},
};

static const method *best_method(shape s)
{
    const method *found = NULL;
    int min = INT_MAX;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const int here = methods[i].applies(s) ? methods[i].count(s) : INT_MAX;
        if (here < min) {
            min = here;
            found = &methods[i];
        }
    }
    return found;
}

static int count_operations(shape s)
{
    return best_method(s)->count(s);
}

void gen_toeplitz_multiply(gen_dag *dag, const gen_toeplitz *t, const gen_value *from,
                           const gen_value *x, gen_value *y)
{
    best_method((shape){t->rows, t->cyclic, from != NULL})->multiply(dag, t, from, x, y);
}

bool gen_toeplitz_dense(const gen_toeplitz *t)
{
    return best_method((shape){t->rows, t->cyclic, true})->multiply == multiply_dense;
}

gen_value gen_toeplitz_sum(gen_dag *dag, const gen_toeplitz *t, gen_value from, const gen_value *x)
{
    gen_value z[GEN_MAX / 2];
    shape s = {t->rows, t->cyclic, true};
    memcpy(z, x, (size_t)t->rows * sizeof *z);
    for (int folds; (folds = best_method(s)->folds) > 1;) {
        s.rows /= folds;
        fold_vector(dag, s.rows, folds, z, z);
    }
    for (int j = 0; j < s.rows; j++)
        from = gen_add(dag, from, z[j]);
    return from;
}
