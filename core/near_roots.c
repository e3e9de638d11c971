// SPDX-License-Identifier: BSD-3-Clause
/* Angles are folded into the first octant, where w^k = w^hi w^lo (Bailey 1990): with w^lo = 1 + d
 *     cos = C + (c + (C Re d - S Im d)),  sin = S + (s + (S Re d + C Im d)),
 * where C + c and S + s are cos and sin of hi in two doubles. d is small, so what is added is, and
 * its errors are small parts of an ulp. */
#include "core/near_roots.h"

#include <stdint.h>

#include "core/mem.h"
#include "core/trig.h"

/* Cosine and sine are computed side by side, in a vector of any machine. */
typedef double cosine_sine __attribute__((vector_size(16)));
typedef struct coarse_root {
    cosine_sine near, rest;
} coarse_root;
typedef struct fine_root {
    cosine_sine less_1; /* cos - 1, sin */
} fine_root;

/* An octant of the circle: an angle t of it is turn + by t, by 1 or -1, in the first one, where cos
 * and sin may have changed places. */
enum { OCTANTS = 8 };
typedef struct octant {
    int64_t turn, by;
    size_t cosine; /* which of the two is cos */
    double sign[2];
} octant;

/* Angles are multiples of an eighth of a turn by `unit`. */
struct core_near_roots {
    size_t unit, step, mask;
    int bits;
    double octants; /* by an angle's exponent */
    octant eighth[OCTANTS + 1];
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
        const cosine_sine near = {(double)c, (double)s};
        x->coarse[j].near = near;
        x->coarse[j].rest =
            (cosine_sine){(double)(c - (long double)near[0]), (double)(s - (long double)near[1])};
    }
    for (size_t j = 0; j <= x->mask && j <= x->unit; j++) {
        next_octant_root(&fine, &c, &s);
        x->fine[j].less_1 = (cosine_sine){(double)(0 - s * s / (1 + c)), (double)s};
    }
}

static void fill_octants(core_near_roots *x, size_t n)
{
    x->octants = (double)OCTANTS / (double)n;
    for (int i = 0; i <= OCTANTS; i++)
        x->eighth[i] = (octant){(int64_t)x->unit * (i % 2 ? i + 1 : -i),
                                i % 2 ? -1 : 1,
                                (size_t)((i + 1) / 2 % 2),
                                {(i + 2) / 4 % 2 ? -1.0 : 1.0, i / 4 % 2 ? 1.0 : -1.0}};
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
    fill_octants(x, n);
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

/* Cos and -sin. Octants are told by a product, as branches would be taken at random, and a division
 * takes as long as all else: an angle between two may be taken for one of either, for which halfway
 * to the axes cos and sin stay in their places. + 0: no negative zeros. */
static inline void near_root_of(const core_near_roots *x, size_t k, double *re, double *im)
{
    const octant *o = &x->eighth[(int)((double)(int64_t)k * x->octants)];
    const size_t t = (size_t)(o->turn + o->by * (int64_t)(k * x->step));
    const coarse_root a = x->coarse[t >> x->bits];
    const cosine_sine d = x->fine[t & x->mask].less_1;
    const cosine_sine turned = {-d[1], d[1]}, swapped = {a.near[1], a.near[0]};
    const cosine_sine w = a.near + (a.rest + (a.near * d[0] + swapped * turned));
    const double part[2] = {w[0], w[1]};
    const size_t cosine = o->cosine & (size_t)(t != x->unit);

    *re = part[cosine] * o->sign[0] + 0.0;
    *im = part[1 - cosine] * o->sign[1] + 0.0;
}

void core_near_roots_get(const core_near_roots *roots, int count, const size_t *k, double *re,
                         double *im)
{
    for (int i = 0; i < count; i++)
        near_root_of(roots, k[i], &re[i], &im[i]);
}
