// SPDX-License-Identifier: BSD-3-Clause
/* Verifying a plan: random data through the program, against a long double oracle that shares no
 * code with it. Every output is compared if that takes seconds at most; else random outputs are
 * computed from the definition and the energy by Parseval's identity. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "core/trig.h"
#include "sched/plan/sides.h"
#include "sched/problem/problem.h"

/* Points of one transform up to which the oracle computes all outputs; points in total up to which
 * every transform of a batch is compared. */
static const size_t oracle_points = (size_t)1 << 22, total_points = (size_t)1 << 23;
/* Products that it may take, points times the largest prime factor. */
static const size_t oracle_sums = (size_t)1 << 26;
enum { SAMPLES = 16 };

typedef struct sums {
    long double difference, reference;
} sums;

typedef struct check {
    const sluice_plan *plan;
    sched_sides sides;
    char *kept; /* in place: a copy of the input */
    sums sums;
} check;

/* Element `at` (relative to the side's pointer) of the input as it was, or of the output. */
static void read_point(const check *c, int side, ptrdiff_t at, long double *out)
{
    const size_t bytes = c->plan->bytes_before[0] + c->plan->bytes_from[0];
    sluice_arrays arrays = c->sides.arrays;

    if (side == 0 && c->kept) {
        arrays.in = c->kept + c->plan->bytes_before[0];
        arrays.in_im = c->kept + bytes + c->plan->bytes_before[0];
    }
    sched_sides_get(c->plan, &arrays, side, at, out);
}

static void add_difference(sums *s, const long double *got, const long double *want)
{
    const long double dr = got[0] - want[0], di = got[1] - want[1];

    s->difference += dr * dr + di * di;
    s->reference += want[0] * want[0] + want[1] * want[1];
}

/* The oracle along every dimension of one transform, in place on x. */
static sluice_status apply_oracle(const sluice_problem *p, long double *x, size_t points)
{
    size_t inner = 1;

    for (int d = p->rank - 1; d >= 0; d--) {
        const size_t n = p->dim[d].n;
        long double *line = core_malloc(4 * n * sizeof *line);
        if (!line)
            return SLUICE_E_MEMORY;
        for (size_t start = 0; start < points; start++) {
            if (start / inner % n != 0)
                continue;
            for (size_t i = 0; i < n; i++)
                memcpy(line + 2 * i, x + 2 * (start + i * inner), 2 * sizeof *x);
            const sluice_status status =
                spl_oracle_transform(sched_axis_kind(p, d), (int64_t)n, line, line + 2 * n);
            if (status != SLUICE_OK) {
                core_free(line);
                return status;
            }
            for (size_t i = 0; i < n; i++)
                memcpy(x + 2 * (start + i * inner), line + 2 * (n + i), 2 * sizeof *x);
        }
        core_free(line);
        inner *= n;
    }
    return SLUICE_OK;
}

static sluice_status check_transform(check *c, size_t which, size_t points)
{
    const sluice_problem *p = &c->plan->problem;
    const int batch = p->batch_rank, dims = p->batch_rank + p->rank;
    const ptrdiff_t in = sched_sides_offset(p, 0, batch, which, 0),
                    out = sched_sides_offset(p, 0, batch, which, 1);
    long double *x = core_malloc(2 * points * sizeof *x);

    if (!x)
        return SLUICE_E_MEMORY;
    for (size_t i = 0; i < points; i++)
        read_point(c, 0, in + sched_sides_offset(p, batch, dims, i, 0), x + 2 * i);
    const sluice_status status = apply_oracle(p, x, points);
    for (size_t i = 0; i < points && status == SLUICE_OK; i++) {
        long double got[2];
        read_point(c, 1, out + sched_sides_offset(p, batch, dims, i, 1), got);
        add_difference(&c->sums, got, x + 2 * i);
    }
    core_free(x);
    return status;
}

/* All transforms of a small batch; else the first, the last and some between. */
static sluice_status check_all(check *c, size_t points)
{
    const size_t batch = sched_problem_batch(&c->plan->problem);
    const bool all = batch <= total_points / points;
    const size_t count = all ? batch : SAMPLES;
    uint64_t state = 1234567;
    sluice_status status = SLUICE_OK;

    for (size_t i = 0; i < count && status == SLUICE_OK; i++) {
        size_t which = i;
        if (!all && i == 1)
            which = batch - 1;
        if (!all && i > 1)
            which = (size_t)((sched_sides_random(&state) + 1) / 2 * (double)(batch - 1));
        status = check_transform(c, which, points);
    }
    return status;
}

/* w_n^{jk} of one axis, all j: the root of j mod block times that of the rest, about 2 sqrt(n) roots
 * in all. Not core_roots, of which plans make their tables. */
typedef struct axis_roots {
    int shift; /* block is 2^shift */
    long double *low, *high;
} axis_roots;

/* Output k of the first transform by definition: SUM_j x_j prod_d w_{n_d}^{j_d k_d}. */
typedef struct sample {
    size_t k;
    axis_roots axis[SLUICE_MAX_RANK];
    long double want[2];
} sample;

static void close_sample(sample *s, int rank)
{
    for (int d = 0; d < rank; d++) {
        core_free(s->axis[d].low);
        core_free(s->axis[d].high);
    }
}

static bool open_axis(axis_roots *a, size_t n, size_t k, bool inverse)
{
    while (n >> a->shift >> a->shift > 1)
        a->shift++;
    const size_t block = (size_t)1 << a->shift, blocks = (n - 1) / block + 1;
    a->low = core_malloc(2 * block * sizeof *a->low);
    a->high = core_malloc(2 * blocks * sizeof *a->high);
    if (!a->low || !a->high)
        return false;
    for (size_t i = 0; i < block + blocks; i++) {
        long double *w = i < block ? a->low + 2 * i : a->high + 2 * (i - block);
        const size_t j = i < block ? i : (i - block) * block;
        core_root(j % n * k % n, n, w, w + 1);
        w[1] = inverse ? -w[1] : w[1];
    }
    return true;
}

static bool open_sample(sample *s, const sluice_problem *p)
{
    size_t k = s->k;
    bool opened = true;

    for (int d = p->rank - 1; d >= 0; d--) {
        const size_t n = p->dim[d].n;
        opened = opened && open_axis(&s->axis[d], n, k % n, p->direction == SLUICE_INVERSE);
        k /= n;
    }
    return opened;
}

static void multiply(long double *x, const long double *w)
{
    const long double re = x[0] * w[0] - x[1] * w[1];
    x[1] = x[0] * w[1] + x[1] * w[0];
    x[0] = re;
}

/* Adds x_j times its root, `at` being j as the axes' indices. */
static void add_term(sample *s, int rank, const size_t *at, const long double *x)
{
    long double term[2] = {x[0], x[1]};

    for (int d = 0; d < rank; d++) {
        const axis_roots *a = &s->axis[d];
        multiply(term, a->low + 2 * (at[d] & (((size_t)1 << a->shift) - 1)));
        multiply(term, a->high + 2 * (at[d] >> a->shift));
    }
    s->want[0] += term[0];
    s->want[1] += term[1];
}

/* All samples in one pass over the input of the first transform. Returns its energy. */
static long double sum_by_definition(const check *c, size_t points, sample *all)
{
    const sluice_problem *p = &c->plan->problem;
    size_t at[SLUICE_MAX_RANK] = {0};
    long double energy = 0;

    for (size_t j = 0; j < points; j++) {
        long double x[2];
        read_point(c, 0, sched_sides_offset(p, p->batch_rank, p->batch_rank + p->rank, j, 0), x);
        energy += x[0] * x[0] + x[1] * x[1];
        for (int s = 0; s < SAMPLES; s++)
            add_term(&all[s], p->rank, at, x);
        for (int d = p->rank - 1; d >= 0 && ++at[d] == p->dim[d].n; d--)
            at[d] = 0;
    }
    return energy;
}

/* Energy of the first transform's output. */
static long double output_energy(const check *c, size_t points)
{
    const sluice_problem *p = &c->plan->problem;
    long double sum = 0, x[2];

    for (size_t i = 0; i < points; i++) {
        read_point(c, 1, sched_sides_offset(p, p->batch_rank, p->batch_rank + p->rank, i, 1), x);
        sum += x[0] * x[0] + x[1] * x[1];
    }
    return sum;
}

static void compare_samples(check *c, size_t points, sample *all)
{
    const sluice_problem *p = &c->plan->problem;
    const long double in = sum_by_definition(c, points, all) * (long double)points,
                      out = output_energy(c, points);

    for (int s = 0; s < SAMPLES; s++) {
        long double got[2];
        read_point(c, 1, sched_sides_offset(p, p->batch_rank, p->batch_rank + p->rank, all[s].k, 1),
                   got);
        add_difference(&c->sums, got, all[s].want);
    }
    const long double relative = in > 0 ? fabsl(out - in) / in / 2 : out;
    if (relative * relative * c->sums.reference > c->sums.difference)
        c->sums.difference = relative * relative * c->sums.reference;
}

static sluice_status check_samples(check *c, size_t points)
{
    const sluice_problem *p = &c->plan->problem;
    sample all[SAMPLES] = {0};
    uint64_t state = 7654321;
    bool opened = true;

    for (int s = 0; s < SAMPLES; s++) {
        all[s].k = (size_t)((sched_sides_random(&state) + 1) / 2 * (double)(points - 1));
        opened = opened && open_sample(&all[s], p);
    }
    if (opened)
        compare_samples(c, points, all);
    for (int s = 0; s < SAMPLES; s++)
        close_sample(&all[s], p->rank);
    return opened ? SLUICE_OK : SLUICE_E_MEMORY;
}

/* A formula without a problem: its own meaning is the oracle. */
static sluice_status check_formula(check *c)
{
    const size_t n = (size_t)c->plan->formula->rows;
    long double *x = core_malloc(4 * n * sizeof *x);

    if (!x)
        return SLUICE_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        read_point(c, 0, (ptrdiff_t)i, x + 2 * i);
    const sluice_status status = spl_apply(c->plan->formula, x, x + 2 * n);
    for (size_t i = 0; i < n && status == SLUICE_OK; i++) {
        long double got[2];
        read_point(c, 1, (ptrdiff_t)i, got);
        add_difference(&c->sums, got, x + 2 * (n + i));
    }
    core_free(x);
    return status;
}

static bool keep_input(check *c)
{
    const size_t bytes = c->plan->bytes_before[0] + c->plan->bytes_from[0];

    if (!c->plan->in_place)
        return true;
    c->kept = core_malloc(2 * bytes);
    if (!c->kept)
        return false;
    for (int part = 0; part < 2; part++)
        if (c->sides.block[part])
            memcpy(c->kept + (size_t)part * bytes, c->sides.block[part], bytes);
    return true;
}

/* The oracle sums prime factors by definition: is one of an axis too large for that? */
static bool oracle_is_slow(const sluice_problem *p)
{
    size_t largest = 1;

    for (int d = 0; d < p->rank; d++) {
        size_t n = p->dim[d].n;
        for (size_t f = 2; f <= n / f; f++)
            while (n % f == 0) {
                largest = f > largest ? f : largest;
                n /= f;
            }
        largest = n > largest ? n : largest;
    }
    return largest > oracle_sums / sched_problem_points(p);
}

static sluice_status run_check(check *c)
{
    const size_t points = sched_problem_points(&c->plan->problem);
    const backend_program *program = c->plan->program;

    sched_sides_fill(&c->sides, c->plan, 88172645463325252ull);
    if (!keep_input(c))
        return SLUICE_E_MEMORY;
    const sluice_status status = program->run(program, &c->sides.arrays, NULL, c->plan->workers);
    if (status != SLUICE_OK)
        return status;
    if (!c->plan->has_problem)
        return check_formula(c);
    if (points <= oracle_points && !oracle_is_slow(&c->plan->problem))
        return check_all(c, points);
    return check_samples(c, points);
}

/* Is some transform done as a convolution, three transforms of twice the size? */
static bool is_convolved(const spl *x)
{
    if ((x->op == SPL_T || x->op == SPL_DIAG) && (x->a[3] == SPL_SPECTRUM || x->a[3] == SPL_RADER))
        return true;
    for (int i = 0; i < x->nkids; i++)
        if (is_convolved(x->kid[i]))
            return true;
    return false;
}

double sched_plan_bound(const sluice_plan *plan)
{
    const double levels = log2((double)sched_problem_points(&plan->problem));
    const double epsilon = plan->problem.precision == SLUICE_F32 ? FLT_EPSILON : DBL_EPSILON;

    return 0.6 * epsilon * sqrt(levels > 1 ? levels : 1) * (is_convolved(plan->formula) ? 2.5 : 1);
}

sluice_status sched_plan_verify(const sluice_plan *plan, double *error, double *bound,
                                sluice_diag *why)
{
    check c = {.plan = plan};

    sluice_status status = sched_sides_open(&c.sides, plan, why);
    if (status != SLUICE_OK)
        return status;
    status = run_check(&c);
    core_free(c.kept);
    sched_sides_close(&c.sides);
    if (status == SLUICE_E_MEMORY)
        return core_fail_memory(why);
    if (status != SLUICE_OK)
        return core_fail(why, status, 0, "the plan did not execute");
    const long double size = c.sums.reference > 0 ? c.sums.reference : 1;
    *error = (double)sqrtl(c.sums.difference / size);
    *bound = sched_plan_bound(plan);
    return SLUICE_OK;
}
