// SPDX-License-Identifier: BSD-3-Clause
/* Verifies a plan: random data through the program, compared with a long double oracle that shares
 * no code with it. Every output is compared if that takes at most seconds. Otherwise random outputs
 * are compared with the definition, and the energy by Parseval's identity. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/plan/sides.h"
#include "sched/plan/verify_hooks.h"
#include "sched/plan/verify_oracle.h"
#include "sched/problem/problem.h"
#include "spl/oracle/oracle.h"

/* The largest transform, in points, of which the oracle computes all outputs; the largest total of
 * points for which every transform of a batch is compared. */
static const size_t oracle_points = (size_t)1 << 22, total_points = (size_t)1 << 23;
/* The most products that the oracle may take: points times the largest prime factor. */
static const size_t oracle_sums = (size_t)1 << 26;
enum { SAMPLES = 16 };
static const uint64_t random_seed = 88172645463325252;

typedef struct sums {
    long double difference, reference;
    size_t count;
} sums;

typedef struct check {
    const sluice_plan *plan;
    sched_side side[2];
    sched_sides sides;
    char *kept; /* in place: a copy of the input */
    long double scale;
    sums sums;
} check;

/* Element `at`, relative to the side's pointer, of the input as it was or of the output. */
static void read_point(const check *c, int side, ptrdiff_t at, long double *out)
{
    const size_t bytes = c->plan->bytes_before[0] + c->plan->bytes_from[0];
    sluice_arrays arrays = c->sides.arrays;

    if (side == 0 && c->kept) {
        arrays.in = c->kept + c->plan->bytes_before[0];
        arrays.in_im = c->kept + bytes + c->plan->bytes_before[0];
    }
    sched_side_get(&c->side[side], &arrays, at, out);
}

/* Element `index` of an input whose first element is at `from`, as the transform reads it. */
static void read_transformed(const check *c, size_t which, ptrdiff_t from, size_t index,
                             long double *out)
{
    out[0] = out[1] = 0;
    if (!sched_hooks_reach(c->plan, 0, index))
        return;
    read_point(c, 0, from + sched_side_element_offset(&c->side[0], index), out);
    sched_hooks_apply(c->plan, 0, which, index, out);
}

/* The oracle has no edges: inputs are weighted for it, and weights of outputs are divided out. */
static void scale_complex(long double *x, double by)
{
    x[0] *= by;
    x[1] *= by;
}

/* Adds the difference of output `index` of a transform that begins at `from`; `want` is not scaled
 * yet. */
static void add_difference(check *c, size_t which, ptrdiff_t from, size_t index,
                           const long double *want)
{
    const sluice_problem *p = &c->plan->problem;
    const long double edge = c->plan->has_problem ? sched_side_edge(p, 1, index) : 1;
    long double got[2], y[2] = {c->scale * edge * want[0], c->scale * edge * want[1]};

    if (!sched_hooks_reach(c->plan, 1, index))
        return;
    read_point(c, 1, from + sched_side_element_offset(&c->side[1], index), got);
    sched_hooks_apply(c->plan, 1, which, index, y);
    scale_complex(got, 1 / edge);
    scale_complex(y, 1 / edge);
    const long double dr = got[0] - y[0], di = got[1] - y[1];
    c->sums.difference += dr * dr + di * di;
    c->sums.reference += y[0] * y[0] + y[1] * y[1];
    c->sums.count++;
}

static sluice_status check_transform(check *c, size_t which)
{
    const sluice_problem *p = &c->plan->problem;
    const ptrdiff_t in = sched_side_batch_offset(&c->side[0], which),
                    out = sched_side_batch_offset(&c->side[1], which);
    const size_t inputs = sched_side_elements(p, 0), outputs = sched_side_elements(p, 1);
    long double *x = core_malloc(2 * inputs * sizeof *x), *want;

    if (!x)
        return SLUICE_E_MEMORY;
    for (size_t i = 0; i < inputs; i++) {
        read_transformed(c, which, in, i, x + 2 * i);
        scale_complex(x + 2 * i, sched_side_edge(p, 0, i));
    }
    const sluice_status status = sched_oracle_apply(p, x, &want);
    for (size_t i = 0; i < outputs && status == SLUICE_OK; i++)
        add_difference(c, which, out, i, want + 2 * i);
    core_free(want);
    return status;
}

/* Compares all transforms of a small batch; otherwise the first, the last and some between. */
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
        status = check_transform(c, which);
    }
    return status;
}

/* An element of the first transform. */
static void read_input(const void *user, size_t index, long double *out)
{
    const check *c = user;
    read_transformed(c, 0, 0, index, out);
    scale_complex(out, sched_side_edge(&c->plan->problem, 0, index));
}

static void read_output(const void *user, size_t index, long double *out)
{
    const check *c = user;
    read_point(c, 1, sched_side_element_offset(&c->side[1], index), out);
    scale_complex(out, 1 / sched_side_edge(&c->plan->problem, 1, index));
}

static sluice_status check_samples(check *c)
{
    const sluice_problem *p = &c->plan->problem;
    const sched_oracle_read in = {read_input, c}, out = {read_output, c};
    const size_t outputs = sched_side_elements(p, 1);
    sched_oracle_sample all[SAMPLES];
    uint64_t state = 7654321;

    for (int s = 0; s < SAMPLES; s++)
        all[s].k = (size_t)((sched_sides_random(&state) + 1) / 2 * (double)(outputs - 1));
    const sluice_status status = sched_oracle_samples(p, &in, all, SAMPLES);
    for (int s = 0; s < SAMPLES && status == SLUICE_OK; s++)
        add_difference(c, 0, 0, all[s].k, all[s].want);
    if (c->plan->hooked) /* hooks do not preserve energy */
        return status;
    const long double before = c->scale * c->scale * sched_oracle_energy(p, 0, &in)
                               * sched_oracle_gain(p),
                      after = sched_oracle_energy(p, 1, &out);
    const long double relative = before > 0 ? fabsl(after - before) / before / 2 : after;
    if (relative * relative * c->sums.reference > c->sums.difference)
        c->sums.difference = relative * relative * c->sums.reference;
    return status;
}

/* Checks a formula without a problem; its own meaning is the oracle. */
static sluice_status check_formula(check *c)
{
    const size_t n = (size_t)c->plan->formula->rows;
    long double *x = core_malloc(4 * n * sizeof *x);

    if (!x)
        return SLUICE_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        read_transformed(c, 0, 0, i, x + 2 * i);
    const sluice_status status = spl_apply(c->plan->formula, x, x + 2 * n);
    for (size_t i = 0; i < n && status == SLUICE_OK; i++)
        add_difference(c, 0, 0, i, x + 2 * (n + i));
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

/* The oracle sums prime factors by definition. Has an axis, extended to a period of its kind, a
 * prime factor that is too large for this? */
static bool oracle_is_slow(const sluice_problem *p)
{
    size_t largest = 1;

    for (int d = 0; d < p->rank; d++) {
        size_t n = sched_axis_length(p, d);
        for (size_t f = 2; f <= n / f; f++)
            while (n % f == 0) {
                largest = f > largest ? f : largest;
                n /= f;
            }
        largest = n > largest ? n : largest;
    }
    return largest > oracle_sums / sched_problem_points(p);
}

static sluice_status compare(check *c)
{
    const size_t points = sched_problem_points(&c->plan->problem);

    if (!c->plan->has_problem)
        return check_formula(c);
    if (points <= oracle_points && !oracle_is_slow(&c->plan->problem))
        return check_all(c, points);
    return check_samples(c);
}

/* Executes once more through run_pair, which should give the same bits. If it does not, its results
 * are compared too. */
static sluice_status check_pair(check *c)
{
    const backend_program *execution = c->plan->execution;
    const sluice_arrays *a = &c->sides.arrays;
    const int side = c->plan->in_place ? 0 : 1;
    const size_t bytes = c->plan->bytes_before[side] + c->plan->bytes_from[side];
    const void *block = c->sides.block[2 * side];
    void *first = core_malloc(bytes);

    if (!first)
        return SLUICE_E_MEMORY;
    memcpy(first, block, bytes);
    sched_sides_fill(&c->sides, c->plan, random_seed);
    const sluice_status status = execution->run_pair(execution, a->in, a->out, c->plan->workers);
    const bool same = memcmp(first, block, bytes) == 0;
    core_free(first);
    return status != SLUICE_OK || same ? status : compare(c);
}

static sluice_status run_check(check *c)
{
    const backend_program *execution = c->plan->execution;

    sched_sides_fill(&c->sides, c->plan, random_seed);
    if (!keep_input(c))
        return SLUICE_E_MEMORY;
    sluice_status status = execution->run(execution, &c->sides.arrays, NULL, c->plan->workers);
    if (status == SLUICE_OK)
        status = compare(c);
    return status == SLUICE_OK && execution->run_pair ? check_pair(c) : status;
}

/* Is some transform a convolution, that is, three transforms of twice the size? */
static bool is_convolved(const spl *x)
{
    if ((x->op == SPL_DIAGONAL || x->op == SPL_DIAG_OF)
        && (x->a[3] == SPL_SPECTRUM || x->a[3] == SPL_RADER))
        return true;
    for (int i = 0; i < x->nkids; i++)
        if (is_convolved(x->kid[i]))
            return true;
    return false;
}

/* Based on the typical error of many numbers. A few numbers may all be rounded badly at once, so
 * their bound is larger. */
double sched_plan_bound(const sluice_plan *plan)
{
    const sluice_problem *p = &plan->problem;
    const double numbers = (double)sched_problem_points(p) * (double)sched_problem_batch(p);
    const double few = 1 + 2 / sqrt(numbers);
    const double levels = log2((double)sched_problem_length(&plan->problem));
    const double epsilon = plan->problem.precision == SLUICE_F32 ? FLT_EPSILON : DBL_EPSILON;

    return 0.6 * epsilon * sqrt(levels > 2 ? levels : 2) * few
           * (is_convolved(plan->formula) ? 2.5 : 1);
}

sluice_status sched_plan_verify(const sluice_plan *plan, double *error, double *bound,
                                sluice_diag *why)
{
    check c = {.plan = plan,
               .side = {sched_side_of(plan, 0), sched_side_of(plan, 1)},
               .scale = plan->result_scale};

    sluice_status status = sched_sides_open(&c.sides, plan, 0, why);
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
    *bound = sched_plan_bound(plan)
             + sched_hooks_bound(plan, c.sums.reference, c.sums.count ? c.sums.count : 1);
    return SLUICE_OK;
}
