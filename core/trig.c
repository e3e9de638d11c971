// SPDX-License-Identifier: BSD-3-Clause
/* Angles are folded into [0, pi/4] as integers. There the sine of a sum of angles is a sum of
 * positive terms, and the cosine subtracts a small term from a large one. So the product of two
 * table entries keeps its relative precision in both parts; without folding, a part near 0 would be
 * the difference of two large terms. */
#include "core/trig.h"

#include <math.h>
#include <stdbool.h>

#include "core/mem.h"

static const long double quarter_pi = 0.785398163397448309615660845819875721L;
static const long double sqrt_half = 0.707106781186547524400844362104849039L;

/* The angle 2 pi k/n as t pi/(4 unit), 0 <= t <= unit, and the reflections that led there. */
typedef struct folded {
    size_t t;
    bool minus_re, minus_im, swap;
} folded;

/* Returns n step/8, the steps of an octant: if 8 | n, step is 1; else a finer unit is needed. */
static size_t octant_unit(size_t n, size_t *step)
{
    const size_t low = n & (~n + 1); /* the power of two in n */
    const size_t common = low < 8 ? low : 8;
    *step = 8 / common;
    return n / common;
}

static inline folded fold_angle(size_t t, size_t unit)
{
    folded f = {t, false, false, false};
    if (f.t > 4 * unit) {
        f.t = 8 * unit - f.t;
        f.minus_im = true;
    }
    if (f.t > 2 * unit) {
        f.t = 4 * unit - f.t;
        f.minus_re = true;
    }
    if (f.t > unit) {
        f.t = 2 * unit - f.t;
        f.swap = true;
    }
    return f;
}

/* cos and sin of t pi/(4 unit), t <= unit. */
static void octant_cos_sin(size_t t, size_t unit, long double *c, long double *s)
{
    const long double angle = (long double)t / (long double)unit * quarter_pi;
    *c = t == unit ? sqrt_half : cosl(angle);
    *s = t == unit ? sqrt_half : sinl(angle);
}

/* exp(-i angle) from cos and sin of the folded angle. 0 - x instead of -x: no negative zeros. */
static inline void unfold_root(folded f, long double c, long double s, long double *re,
                               long double *im)
{
    const long double x = f.swap ? s : c;
    const long double y = f.swap ? c : s;
    *re = f.minus_re ? 0 - x : x;
    *im = f.minus_im ? y : 0 - y;
}

void core_root(size_t k, size_t n, long double *re, long double *im)
{
    size_t step;
    long double c, s;
    const size_t unit = octant_unit(n, &step);
    const folded f = fold_angle(k % n * step, unit);
    octant_cos_sin(f.t, unit, &c, &s);
    unfold_root(f, c, s, re, im);
}

typedef struct root {
    long double c, s;
} root;

struct core_roots {
    size_t unit, step, mask;
    int bits;
    root *coarse; /* angles of t = j << bits */
    root *fine;   /* angles of t = 0 .. mask */
};

core_roots *core_roots_open(size_t n)
{
    core_roots *roots = (core_roots *)core_calloc(1, sizeof *roots);
    if (roots == NULL)
        return NULL;
    roots->unit = octant_unit(n, &roots->step);
    while (((size_t)1 << 2 * roots->bits) < roots->unit && roots->bits < 31)
        roots->bits++;
    roots->mask = ((size_t)1 << roots->bits) - 1;
    const size_t coarse = (roots->unit >> roots->bits) + 1;
    roots->coarse = (root *)core_calloc(coarse, sizeof(root));
    roots->fine = (root *)core_calloc(roots->mask + 1, sizeof(root));
    if (roots->coarse == NULL || roots->fine == NULL) {
        core_roots_close(roots);
        return NULL;
    }
    for (size_t j = 0; j < coarse; j++)
        octant_cos_sin(j << roots->bits, roots->unit, &roots->coarse[j].c, &roots->coarse[j].s);
    for (size_t j = 0; j <= roots->mask; j++)
        octant_cos_sin(j, roots->unit, &roots->fine[j].c, &roots->fine[j].s);
    return roots;
}

void core_roots_close(core_roots *roots)
{
    if (roots == NULL)
        return;
    core_free(roots->coarse);
    core_free(roots->fine);
    core_free(roots);
}

static inline void root_of_index(const core_roots *roots, size_t k, long double *re,
                                 long double *im)
{
    const folded f = fold_angle(k * roots->step, roots->unit);
    const root a = roots->coarse[f.t >> roots->bits];
    const root b = roots->fine[f.t & roots->mask];
    long double c = a.c * b.c - a.s * b.s;
    long double s = a.s * b.c + a.c * b.s;
    if (f.t == roots->unit)
        c = s = sqrt_half; /* both parts have the same bits */
    unfold_root(f, c, s, re, im);
}

void core_roots_get(const core_roots *roots, size_t k, double *re, double *im)
{
    long double wide_re, wide_im;
    root_of_index(roots, k, &wide_re, &wide_im);
    *re = (double)wide_re;
    *im = (double)wide_im;
}

void core_roots_get_wide(const core_roots *roots, size_t k, long double *re, long double *im)
{
    root_of_index(roots, k, re, im);
}
