// SPDX-License-Identifier: BSD-3-Clause
/* Angles are folded into the first octant, where w^k = w^hi w^lo (Bailey 1990): with w^lo = 1 + d
 *     cos = C + (c + (C Re d - S Im d)),  sin = S + (s + (S Re d + C Im d)),
 * where C + c and S + s are cos and sin of hi in two doubles. d is small, so what is added is, and
 * its errors are small parts of an ulp. */
#include "core/near_roots.h"

#include "core/mem.h"
#include "core/trig.h"

typedef struct coarse_root {
    double c, s, c_rest, s_rest;
} coarse_root;
typedef struct fine_root {
    double c_less_1, s;
} fine_root;

/* Angles are multiples of an eighth of a turn by `unit`. */
struct core_near_roots {
    size_t unit, step, mask;
    int bits;
    coarse_root *coarse; /* of multiples of 2^bits, and of the last one, unit */
    fine_root *fine;
};

/* w_8unit^-t of t = 0, step, .. in turn: each NEAR-th root as it is, those between as products. */
enum { NEAR = 32 };
typedef struct octant_walk {
    size_t unit, step, j;
    long double c[NEAR + 1], s[NEAR + 1]; /* of the first ones; of the last NEAR-th one */
} octant_walk;

static void put_octant_root(octant_walk *w, size_t at)
{
    core_root(w->j * w->step, 8 * w->unit, &w->c[at], &w->s[at]);
    w->s[at] = 0 - w->s[at];
}

static void next_octant_root(octant_walk *w, long double *c, long double *s)
{
    const size_t at = w->j < NEAR ? w->j : (size_t)NEAR, i = w->j % NEAR;

    if (w->j < NEAR || i == 0)
        put_octant_root(w, at);
    *c = w->c[at];
    *s = w->s[at];
    if (w->j > NEAR && i > 0) {
        *c = w->c[NEAR] * w->c[i] - w->s[NEAR] * w->s[i];
        *s = w->c[NEAR] * w->s[i] + w->s[NEAR] * w->c[i];
    }
    w->j++;
}

static void fill_octant(core_near_roots *x)
{
    octant_walk coarse = {x->unit, (size_t)1 << x->bits, 0, {0}, {0}};
    octant_walk fine = {x->unit, 1, 0, {0}, {0}};
    long double c, s;

    for (size_t j = 0; j <= x->unit >> x->bits; j++) {
        next_octant_root(&coarse, &c, &s);
        x->coarse[j].c = (double)c;
        x->coarse[j].s = (double)s;
        x->coarse[j].c_rest = (double)(c - (long double)x->coarse[j].c);
        x->coarse[j].s_rest = (double)(s - (long double)x->coarse[j].s);
    }
    for (size_t j = 0; j <= x->mask && j <= x->unit; j++) {
        next_octant_root(&fine, &c, &s);
        x->fine[j].c_less_1 = (double)(0 - s * s / (1 + c));
        x->fine[j].s = (double)s;
    }
}

core_near_roots *core_near_roots_open(size_t n)
{
    core_near_roots *x = (core_near_roots *)core_calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->step = n % 8 == 0 ? 1 : n % 4 == 0 ? 2 : n % 2 == 0 ? 4 : 8;
    x->unit = n * x->step / 8;
    while ((size_t)1 << 2 * x->bits < x->unit)
        x->bits++;
    x->mask = ((size_t)1 << x->bits) - 1;
    x->coarse = (coarse_root *)core_calloc((x->unit >> x->bits) + 1, sizeof *x->coarse);
    x->fine = (fine_root *)core_calloc(x->mask + 1, sizeof *x->fine);
    if (!x->coarse || !x->fine) {
        core_near_roots_close(x);
        return NULL;
    }
    fill_octant(x);
    return x;
}

void core_near_roots_close(core_near_roots *x)
{
    if (!x)
        return;
    core_free(x->coarse);
    core_free(x->fine);
    core_free(x);
}

static inline size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Signs are factors, as branches would be taken at random; + 0: no negative zeros. */
static inline void near_root_of(const core_near_roots *x, size_t k, double *re, double *im)
{
    static const double sign[2] = {1, -1};
    const size_t turn = k * x->step, half = lesser(turn, 8 * x->unit - turn),
                 quarter = lesser(half, 4 * x->unit - half),
                 t = lesser(quarter, 2 * x->unit - quarter);
    const coarse_root a = x->coarse[t >> x->bits];
    const fine_root b = x->fine[t & x->mask];
    const double c = a.c + (a.c_rest + (a.c * b.c_less_1 - a.s * b.s));
    const double s = a.s + (a.s_rest + (a.s * b.c_less_1 + a.c * b.s));
    const size_t swapped = t != quarter;
    const double part[2] = {c, s};

    *re = part[swapped] * sign[quarter != half] + 0.0;
    *im = part[1 - swapped] * sign[turn == half] + 0.0;
}

void core_near_roots_get(const core_near_roots *roots, int count, const size_t *k, double *re,
                         double *im)
{
    for (int i = 0; i < count; i++)
        near_root_of(roots, k[i], &re[i], &im[i]);
}
