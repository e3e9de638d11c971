// SPDX-License-Identifier: BSD-3-Clause
/* Is a formula the transform of its problem? Decided by two executions and O(points) more
 * operations.
 *
 * The transform and the formula are matrices F and A. If A = F, then w A = w F for every row w;
 * otherwise w A x = w F x for almost no x, so a random x is enough, up to rounding. w is a product
 * of powers, w_k = PROD_d z_d^{k_d} over all dimensions, where z_d lies on the unit circle and is
 * no root of unity of small order, so that no two rows of A have the same weight. w F has a closed
 * form, for which no transform is computed: along an axis of h outputs whose angles step by
 * multiples of 2 pi/N, with z = exp(2 pi i (m+f)/N), m integer, and a = pi (m+f-+J)/N,
 *
 *   SUM_{k<h} z^k exp(-+2 pi i Jk/N) = exp(i (h-1) a) sin(h a) / sin(a).
 *
 * No digits cancel in it, as f is never lost in m. For a DFT of n points N = n and J = j; cosines
 * and sines are two such sums. Along the batch it is z^b itself. From a half-spectrum to reals the
 * outputs are SUM_k weight_k Re(x_k ..) = SUM_k weight_k / 2 (x_k exp(+..) + x_k^* exp(-..)): two
 * such sums. */
#include <math.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/plan/sides.h"
#include "sched/plan/verify_oracle.h"
#include "sched/problem/problem.h"

static const double pi = 3.14159265358979323846;
/* The limit of arrays and tables for a proof. */
static const size_t max_bytes = (size_t)1 << 30;
/* Errors of a correct formula's outputs, which the bound covers, are independent of w, so they add
 * up like noise. A difference this many times the noise is not rounding. */
static const double margin = 10;
/* Two inputs: a wrong output that happens to be small for one is not small for the other. */
static const uint64_t seeds[] = {88172645463325252ull, 2685821657736338717ull};

typedef struct proof {
    const sluice_plan *plan;
    const sluice_problem *p;
    int dims;
    bool folds; /* transforms a half-spectrum to reals */
    sched_sides sides;
    double *table; /* the weights of each dimension as re, im; of one side at a time */
} proof;

/* The angles of a dimension's transform: multiples of 2 pi/N, column j by twice J. t = NULL: a
 * batch dimension. */
typedef struct angles {
    const spl_transform *t;
    size_t n, steps; /* points, N */
} angles;

static angles angles_of(const sluice_problem *p, int d)
{
    const size_t n = sched_problem_dim(p, d).n;
    if (d < p->batch_rank)
        return (angles){NULL, n, n};
    const spl_transform *t = spl_transform_of(sched_axis_kind(p, d - p->batch_rank));
    const size_t denominator = (size_t)t->unit * (size_t)((int64_t)n + t->more);
    return (angles){t, n, denominator / (t->unit == 4 ? 4 : 2)};
}

/* Chooses z of dimension d, for angles in steps of 1/n: m and f. */
static void choose_angle(int d, size_t n, double *m, double *f)
{
    const double golden = 0.6180339887498949 * (d + 1);

    *m = floor((double)n * (golden - floor(golden)));
    *f = 0.3183098861837907 + 0.0236067977499790 * d;
}

/* z^k. The whole multiples of 2 pi / n are reduced separately. */
static void weight_power(double m, double f, size_t n, size_t k, double *out)
{
    const size_t whole = (size_t)m * k % n;
    const double angle = 2 * pi * (((double)whole + f * (double)k) / (double)n);

    out[0] = cos(angle);
    out[1] = sin(angle);
}

/* SUM_{k<h} z^k w^{jk}, where w is a root of unity of order n. */
static void weight_series(double m, double f, size_t n, size_t h, size_t j, bool inverse,
                          double *out)
{
    const size_t shift = inverse ? (size_t)m + j : (size_t)m + n - j, q = shift % n;
    const double step = pi / (double)n;
    const double turn = step * ((double)((h - 1) * q % (2 * n)) + (double)(h - 1) * f);
    const double wide = step * ((double)(h * q % (2 * n)) + (double)h * f);
    const double nearest = 2 * q > n ? (double)q - (double)n : (double)q;
    /* sin(a - pi) = - sin(a) */
    const double size = (2 * q > n ? -1 : 1) * sin(wide) / sin(step * (nearest + f));

    out[0] = cos(turn) * size;
    out[1] = sin(turn) * size;
}

/* SUM_{k<h} z^k times the entry in row k, column j of an axis's matrix, or of its conjugate. */
static void weight_column(const angles *a, double m, double f, size_t h, size_t j, bool conjugated,
                          double *out)
{
    const spl_transform *t = a->t;
    const size_t J = t->unit == 4 ? j : 2 * j + (size_t)t->j0;
    const double turn = pi * (double)(J * (size_t)t->k0) / (double)a->steps; /* of row 0 */
    const bool first = t->edge == SPL_EDGE_FIRST || t->edge == SPL_EDGE_BOTH;
    const bool last = t->edge == SPL_EDGE_LAST || t->edge == SPL_EDGE_BOTH;
    const double weight = (first && j == 0) || (last && j + 1 == a->n) ? 1 : t->weight;
    double e[2][2]; /* the sums with exp(-ix), exp(ix) */

    for (int i = 0; i < 2; i++) {
        double sum[2];
        weight_series(m, f, a->steps, h, J % a->steps, i == 1, sum);
        const double c = weight * cos(turn), s = weight * (i == 1 ? 1 : -1) * sin(turn);
        e[i][0] = c * sum[0] - s * sum[1];
        e[i][1] = c * sum[1] + s * sum[0];
    }
    const double cosine[2] = {(e[0][0] + e[1][0]) / 2, (e[0][1] + e[1][1]) / 2};
    const double sine[2] = {(e[1][1] - e[0][1]) / 2, (e[0][0] - e[1][0]) / 2};
    const bool inverse = (t->trig == SPL_TRIG_EXP_INVERSE) != conjugated;
    for (int part = 0; part < 2; part++)
        out[part] = t->trig <= SPL_TRIG_EXP_INVERSE ? e[inverse][part]
                    : t->trig == SPL_TRIG_COS       ? cosine[part]
                    : t->trig == SPL_TRIG_SIN       ? sine[part]
                                                    : cosine[part] + sine[part];
}

/* Which element of the transform element i of dimension d is on a side. */
static spl_half_place element_on_side(const sluice_problem *p, int d, int side, size_t i)
{
    const int axis = d - p->batch_rank;

    return axis < 0 ? (spl_half_place){(int64_t)i, 0}
                    : spl_transform_place(sched_axis_kind(p, axis), (int64_t)p->dim[axis].n,
                                          side == 0, (int64_t)i);
}

/* Rows of its transform; of a half-spectrum in an order of reals, its complex numbers. */
static size_t rows_of_transform(const sluice_problem *p, int d)
{
    const spl_transform *t = spl_transform_of(sched_axis_kind(p, d - p->batch_rank));
    const bool ordered = t->order && t->trig == SPL_TRIG_EXP;

    return ordered ? sched_problem_extent(p, d, 1) / 2 + 1 : sched_problem_extent(p, d, 1);
}

/* Times i, or -i for the conjugate, for an imaginary part that is stored as a real. */
static void multiply_by_i(bool conjugated, double *x)
{
    const double re = x[0];

    x[0] = conjugated ? x[1] : -x[1];
    x[1] = conjugated ? -re : re;
}

/* Computes the weights of the elements of a side; for the input, of the matrix or its conjugate. */
static void make_tables(const proof *c, int side, bool conjugated)
{
    const sluice_problem *p = c->p;
    double *at = c->table;

    for (int d = 0; d < c->dims; d++) {
        const angles a = angles_of(p, d);
        const size_t extent = sched_problem_extent(p, d, side);
        double m, f;
        choose_angle(d, a.steps, &m, &f);
        for (size_t i = 0; i < extent; i++, at += 2) {
            const spl_half_place x = element_on_side(p, d, side, i);
            if (side == 1 || d < p->batch_rank)
                weight_power(m, f, a.steps, (size_t)x.k, at);
            else
                weight_column(&a, m, f, rows_of_transform(p, d), (size_t)x.k, conjugated, at);
            if (x.part == 1)
                multiply_by_i(conjugated, at);
            const double half = c->folds && side == 0 && d == c->dims - 1
                                    ? sched_oracle_weight(p, side, i) / 2.0
                                    : 1;
            double edge = 1;
            if (d >= p->batch_rank)
                edge = sched_axis_edge(p, d - p->batch_rank, side, i);
            at[0] *= half * (side ? 1 / edge : edge);
            at[1] *= half * (side ? 1 / edge : edge);
        }
    }
}

/* The weight of a row along the innermost dimension, without that dimension's own weight; returns
 * its table. */
static const double *weigh_row(const proof *c, int side, size_t row, double *weight)
{
    const double *table = c->table;
    size_t n[SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK];

    for (int d = 0; d < c->dims; d++) {
        n[d] = sched_problem_extent(c->p, d, side);
        table += 2 * n[d];
    }
    table -= 2 * n[c->dims - 1];
    const double *own = table;
    weight[0] = 1;
    weight[1] = 0;
    for (int d = c->dims - 2; d >= 0; d--) {
        table -= 2 * n[d];
        const double *w = table + 2 * (row % n[d]), re = weight[0];
        weight[0] = re * w[0] - weight[1] * w[1];
        weight[1] = re * w[1] + weight[1] * w[0];
        row /= n[d];
    }
    return own;
}

/* Adds weight * element, or its conjugate, over a side, and the energy of the elements. */
static void add_weighted(const proof *c, int side, bool conjugate, long double *sum,
                         long double *energy)
{
    const sched_side s = sched_side_of(c->plan, side);
    const size_t length = s.n[c->dims - 1];
    const size_t rows = sched_side_elements(c->p, side) * sched_problem_batch(c->p) / length;
    const bool cyclic = s.cyclic.parts != 0;

    *energy = 0;
    for (size_t row = 0; row < rows; row++) {
        double outer[2];
        const double *own = weigh_row(c, side, row, outer);
        const ptrdiff_t base = cyclic ? 0 : sched_side_offset(&s, 0, c->dims - 1, row);
        for (size_t i = 0; i < length; i++) {
            const ptrdiff_t at = cyclic ? sched_side_offset(&s, 0, c->dims, row * length + i)
                                        : base + (ptrdiff_t)i * s.stride[c->dims - 1];
            const double *w = own + 2 * i;
            const long double re = outer[0] * w[0] - outer[1] * w[1];
            const long double im = outer[0] * w[1] + outer[1] * w[0];
            long double x[2];
            sched_side_get(&s, &c->sides.arrays, at, x);
            x[1] = conjugate ? -x[1] : x[1];
            sum[0] += re * x[0] - im * x[1];
            sum[1] += re * x[1] + im * x[0];
            *energy += x[0] * x[0] + x[1] * x[1];
        }
    }
}

/* w F x; called before an execution in place. */
static void expected_sum(const proof *c, long double *sum, long double *energy)
{
    sum[0] = sum[1] = 0;
    for (int k = 0; k <= c->folds; k++) {
        make_tables(c, 0, k == 1);
        add_weighted(c, 0, k == 1, sum, energy);
    }
}

static sluice_status compare_sums(const proof *c, uint64_t seed, bool *right)
{
    const backend_program *program = c->plan->program;
    long double want[2], got[2] = {0, 0}, energy, ignored;

    sched_sides_fill(&c->sides, c->plan, seed);
    expected_sum(c, want, &energy);
    const sluice_status status = program->run(program, &c->sides.arrays, NULL, c->plan->workers);
    if (status != SLUICE_OK)
        return status;
    make_tables(c, 1, false);
    add_weighted(c, 1, false, got, &ignored);
    want[0] *= c->plan->result_scale;
    want[1] *= c->plan->result_scale;
    const long double size =
        fabsl((long double)c->plan->result_scale) * sqrtl(energy * sched_oracle_gain(c->p));
    *right = hypotl(got[0] - want[0], got[1] - want[1])
             <= margin * sched_plan_bound(c->plan) * size; /* false for NaN */
    return SLUICE_OK;
}

/* Computes the bytes of the tables. Are they and the arrays within the limit? */
static bool is_within_limit(const proof *c, size_t *tables)
{
    const sluice_plan *plan = c->plan;
    size_t points = 0, arrays = 0;

    for (int d = 0; d < c->dims; d++)
        points += sched_problem_dim(c->p, d).n;
    *tables = points * 2 * sizeof(double);
    for (int side = 0; side < (plan->in_place ? 1 : 2); side++)
        arrays += (plan->bytes_before[side] + plan->bytes_from[side]) * (plan->split[side] ? 2 : 1);
    return arrays <= max_bytes && *tables <= max_bytes - arrays;
}

sluice_status sched_plan_prove(const sluice_plan *plan, bool *right, sluice_diag *why)
{
    const sluice_problem *p = &plan->problem;
    const spl_transform *last = spl_transform_of(sched_axis_kind(p, p->rank - 1));
    const bool ordered = last->order && last->trig == SPL_TRIG_EXP_INVERSE;
    const bool all_dft = sched_all_dft(p);
    proof c = {
        .plan = plan, .p = p, .dims = sched_problem_dims(p), .folds = last->half_from || ordered};
    size_t bytes = 0;

    while (all_dft && c.dims > 1 && sched_problem_dim(c.p, c.dims - 1).n == 1)
        c.dims--; /* for long rows */
    if (!is_within_limit(&c, &bytes))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "too large to be checked: more than %zu MiB of arrays", max_bytes >> 20);
    sluice_status status = sched_sides_open(&c.sides, plan, 0, why);
    if (status != SLUICE_OK)
        return status;
    c.table = core_malloc(bytes);
    status = c.table ? compare_sums(&c, seeds[0], right) : SLUICE_E_MEMORY;
    if (status == SLUICE_OK && *right)
        status = compare_sums(&c, seeds[1], right);
    core_free(c.table);
    sched_sides_close(&c.sides);
    if (status == SLUICE_E_MEMORY)
        return core_fail_memory(why);
    return status == SLUICE_OK ? status : core_fail(why, status, 0, "the plan did not execute");
}
