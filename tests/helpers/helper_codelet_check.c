// SPDX-License-Identifier: BSD-3-Clause
/* What codelets should compute, and whether one did. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/trig.h"
#include "spl/oracle/oracle.h"
#include "tests/helpers/helper_codelet_inside.h"

/* The n-th roots of unity, kept until another n is asked for. */
static long double (*roots_of(int n))[2]
{
    static long double root[TRIAL_MAX_N][2];
    static int made;
    for (int e = 0; e < n && made != n; e++)
        core_root((size_t)e, (size_t)n, &root[e][0], &root[e][1]);
    made = n;
    return root;
}

static void sum_dft(const spl_key *k, int inverse, long double (*x)[2], long double (*y)[2])
{
    long double(*const root)[2] = roots_of(k->n);
    for (int i = 0; i < k->n; i++) {
        y[i][0] = y[i][1] = 0;
        for (int j = 0; j < k->n; j++) {
            const long double c = root[i * j % k->n][0], w = root[i * j % k->n][1];
            const long double s = inverse ? -w : w;
            y[i][0] += x[j][0] * c - x[j][1] * s;
            y[i][1] += x[j][0] * s + x[j][1] * c;
        }
    }
}

/* Rows, then columns of n x n elements. */
static void plane_transform(const spl_key *k, long double (*x)[2], long double (*y)[2])
{
    static long double line[TRIAL_MAX_N][2], made[TRIAL_MAX_N][2];
    for (int down = 0; down < 2; down++) {
        long double(*const from)[2] = down ? y : x;
        for (int l = 0; l < k->n; l++) {
            for (int i = 0; i < k->n; i++)
                memcpy(line[i], from[down ? i * k->n + l : l * k->n + i], sizeof line[i]);
            assert_int_equal(
                spl_oracle_transform((spl_kind)k->kind, k->n, &line[0][0], &made[0][0]), SLUICE_OK);
            for (int i = 0; i < k->n; i++)
                memcpy(y[down ? i * k->n + l : l * k->n + i], made[i], sizeof made[i]);
        }
    }
}

static void column_transform(const trial *t, int outer, int column, long double (*y)[2])
{
    static long double x[TRIAL_MAX_N][2];
    const spl_key *k = &t->codelet->key;
    for (int j = 0; j < trial_rows(&t->codelet->key, true); j++) {
        const ptrdiff_t at = trial_address(&t->in, outer, j, column);
        const double *const im =
            trial_imaginary(k->in, &t->in, t->in_re, t->in_im, outer, j, column);
        x[j][0] = t->in_re[at] * trial_weight(t, outer, j, column);
        x[j][1] = im ? *im * trial_weight(t, outer, j, column) : 0;
    }
    if (trial_is_copy(k)) {
        y[0][0] = x[0][0];
        y[0][1] = t->inverse ? -x[0][1] : x[0][1];
        return;
    }
    if (k->position == SPL_POS_P) {
        plane_transform(k, x, y);
        return;
    }
    if (k->kind != SPL_DFT) {
        assert_int_equal(spl_oracle_transform((spl_kind)k->kind, k->n, &x[0][0], &y[0][0]),
                         SLUICE_OK);
        return;
    }
    sum_dft(k, t->inverse, x, y);
    for (int i = 0; i < k->n; i++) {
        const long double re = y[i][0], im = y[i][1];
        double wr, wi;
        trial_rounded_twiddle(t, outer, i, column, &wr, &wi);
        if (t->inverse && k->compute == SPL_SPLIT)
            wi = -wi; /* swap . (w F) . swap = conj(w F) */
        y[i][0] = re * wr - im * wi;
        y[i][1] = re * wi + im * wr;
    }
}

/* A table has factors with the scale of the pairs. */
static long double table_scale(const spl_pairs_def *p)
{
    return p->form == SPL_PAIR_IN || p->form == SPL_PAIR_OUT ? 1 : p->scale;
}

static void column_pairs(const trial *t, int outer, int column, long double (*y)[2])
{
    const spl_key *k = &t->codelet->key;
    const long double scale = table_scale(spl_pairs_def_of(trial_pairs_of(k)));
    long double x[2][2], root[2][2] = {{0}};
    for (int i = 0; i < trial_rows(k, true); i++) {
        x[i][0] = t->in_re[trial_address(&t->in, outer, i, column)];
        x[i][1] = *trial_imaginary(k->in, &t->in, t->in_re, t->in_im, outer, i, column);
    }
    for (int i = 0; i < spl_role_factors(trial_pairs_of(k), trial_role_of(k)); i++) {
        double re, im;
        trial_rounded_twiddle(t, outer, 1 + i, column, &re, &im);
        root[i][0] = re / scale;
        root[i][1] = im / scale;
    }
    spl_pair_apply(trial_pairs_of(k), trial_role_of(k), &root[0][0], &x[0][0], &y[0][0]);
}

/* Adds the error of one column and restores its outputs to the contents before the run. */
static void compare_column(trial *t, int outer, int column, long double *error, long double *norm)
{
    static long double y[TRIAL_MAX_N][2];
    const spl_format format = t->codelet->key.out;
    (trial_is_pairs(&t->codelet->key) ? column_pairs : column_transform)(t, outer, column, y);
    for (int i = 0; i < trial_rows(&t->codelet->key, false); i++) {
        const ptrdiff_t at = trial_address(&t->out, outer, i, column);
        double *const re = &t->out_re[at];
        double *const im = trial_imaginary(format, &t->out, t->out_re, t->out_im, outer, i, column);
        const long double wrong[2] = {*re - y[i][0], im ? *im - y[i][1] : 0};
        *error += wrong[0] * wrong[0] + wrong[1] * wrong[1];
        *norm += y[i][0] * y[i][0] + y[i][1] * y[i][1];
        *re = t->before_re[at];
        if (im)
            *im = *trial_imaginary(format, &t->out, t->before_re, t->before_im, outer, i, column);
    }
}

/* Multiplications of outputs or inputs by roots of unity besides the DFT; those by tangent and
 * cosine have a rounding more. Pairs have constants as well. */
static int rotations(const spl_key *k)
{
    if (trial_is_pairs(k))
        return 1 + spl_role_factors(trial_pairs_of(k), trial_role_of(k));
    if (k->position == SPL_POS_P) /* of two transforms */
        return 4;
    if (k->kind > SPL_IRDFT)
        return k->kind == SPL_DCT4 || k->kind == SPL_DST4 ? 3 : 2;
    return k->tw == SPL_TW_NONE ? 0 : k->tw >= SPL_TW_FACTORED ? 2 : 1;
}

bool trial_check(trial *t)
{
    const spl_codelet *codelet = t->codelet;
    const bool outer = trial_has_sets(t);
    const double eps = trial_is_single(t) ? FLT_EPSILON : DBL_EPSILON;
    /* The bound is for the typical error; the fewer values, the more some of them may have. */
    const bool reals = codelet->key.compute == SPL_REAL || codelet->key.kind > SPL_IDFT;
    const double values = (double)codelet->key.n * t->columns / (reals ? 2 : 1);
    const double chance = 1 + fmin(0.5 / sqrt(values), 0.25);
    const double allowed = eps
                           * (0.6 * chance * sqrt(log2(codelet->key.n > 2 ? codelet->key.n : 2))
                              + 0.4 * rotations(&codelet->key));
    long double error = 0, norm = 0;
    for (int o = outer ? t->first : 0; o < trial_outers_end(t); o++)
        for (int c = outer ? 0 : t->first; c < trial_columns_end(t); c++)
            compare_column(t, o, c, &error, &norm);
    const double relative = norm > 0 ? (double)sqrtl(error / norm) : (double)error;
    const char *what = NULL;
    if (!(relative <= allowed))
        what = "wrong result";
    for (int i = 0; i < TRIAL_ARENA && !what; i++)
        if (t->out_re[i] != t->before_re[i] || t->out_im[i] != t->before_im[i])
            what = "wrote where it must not";
    if (what)
        snprintf(t->message, sizeof t->message,
                 "%s: %s, error %.3g allowed %.3g, seed %llu inverse %d in place %d spread %d "
                 "columns %d first %d",
                 codelet->name, what, relative, allowed, (unsigned long long)t->seed, t->inverse,
                 t->in_place, t->spread, t->columns, t->first);
    return what == NULL;
}
