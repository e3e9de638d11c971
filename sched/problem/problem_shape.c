// SPDX-License-Identifier: BSD-3-Clause
/* Problems checked and completed: whatever can be refused without a machine is refused here. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/problem/problem.h"
#include "spl/formula/spl.h"

/* What formulas count: points, and elements that strides reach over. */
static const size_t max_points = (size_t)spl_max_size;
/* Overlap is decided by counting offsets, up to this many, if no ordering of the strides proves
 * it. */
static const size_t max_exact_span = (size_t)1 << 26;

#define REFUSE(...) core_fail(why, SLUICE_E_INVALID, 0, __VA_ARGS__)

static int dims(const sluice_problem *p)
{
    return p->batch_rank + p->rank;
}

static const sluice_dim *raw_dim(const sluice_problem *p, int d)
{
    return d < p->batch_rank ? &p->batch[d] : &p->dim[d - p->batch_rank];
}

static ptrdiff_t raw_stride(const sluice_problem *p, int d, int side)
{
    return side ? raw_dim(p, d)->out_stride : raw_dim(p, d)->in_stride;
}

spl_kind sched_axis_kind(const sluice_problem *p, int axis)
{
    static const spl_kind kinds[] = {
        [SLUICE_R2C] = SPL_RDFT,  [SLUICE_C2R] = SPL_IRDFT, [SLUICE_DCT2] = SPL_DCT2,
        [SLUICE_DCT3] = SPL_DCT3, [SLUICE_DCT4] = SPL_DCT4, [SLUICE_DST2] = SPL_DST2,
        [SLUICE_DST3] = SPL_DST3, [SLUICE_DST4] = SPL_DST4, [SLUICE_IDXST] = SPL_IDXST};
    if (p->kind[axis] <= SLUICE_C2C)
        return p->direction == SLUICE_INVERSE ? SPL_IDFT : SPL_DFT;
    return kinds[p->kind[axis]];
}

/* The last axis is the first transform of r2c and the last one of c2r; transforms that act on
 * either type are of reals in problems. */
static spl_type side_type(const sluice_problem *p, int side)
{
    const spl_transform *t = spl_transform_of(sched_axis_kind(p, p->rank - 1));
    const spl_type type = side ? t->to : t->from;
    return type == SPL_TYPE_ANY ? SPL_TYPE_REAL : type;
}

size_t sched_side_scalars(const sluice_problem *p, int side)
{
    return side_type(p, side) == SPL_TYPE_REAL ? 1 : 2;
}

size_t sched_scalar_bytes(const sluice_problem *p)
{
    return p->precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
}

size_t sched_side_bytes(const sluice_problem *p, int side)
{
    return sched_side_scalars(p, side) * sched_scalar_bytes(p);
}

size_t sched_problem_extent(const sluice_problem *p, int d, int side)
{
    const int64_t n = (int64_t)raw_dim(p, d)->n;
    if (d < p->batch_rank)
        return (size_t)n;
    const spl_kind kind = sched_axis_kind(p, d - p->batch_rank);
    return (size_t)(side ? spl_transform_rows(kind, n) : spl_transform_cols(kind, n));
}

bool sched_problem_packed(const sluice_problem *p, int side)
{
    for (int d = 0; d < dims(p); d++)
        if (raw_stride(p, d, side) != 0)
            return false;
    return true;
}

sluice_dim sched_problem_dim(const sluice_problem *p, int d)
{
    sluice_dim out = *raw_dim(p, d);
    ptrdiff_t *const stride[2] = {&out.in_stride, &out.out_stride};

    for (int side = 0; side < 2; side++) {
        if (!sched_problem_packed(p, side))
            continue;
        *stride[side] = 1;
        for (int e = d + 1; e < dims(p); e++)
            *stride[side] *= (ptrdiff_t)sched_problem_extent(p, e, side);
    }
    return out;
}

sluice_cyclic sched_problem_cyclic(const sluice_problem *p, int side)
{
    return side ? p->out_cyclic : p->in_cyclic;
}

size_t sched_problem_points(const sluice_problem *p)
{
    size_t n = 1;

    for (int d = 0; d < p->rank; d++)
        n *= p->dim[d].n;
    return n;
}

size_t sched_problem_batch(const sluice_problem *p)
{
    size_t n = 1;

    for (int d = 0; d < p->batch_rank; d++)
        n *= p->batch[d].n;
    return n;
}

int sched_problem_axes(const sluice_problem *p)
{
    int axes = 0;

    for (int d = 0; d < p->rank; d++)
        axes += p->dim[d].n > 1;
    return axes;
}

void sched_problem_span(const sluice_problem *p, int side, ptrdiff_t *lo, ptrdiff_t *hi)
{
    *lo = *hi = 0;
    for (int d = 0; d < dims(p); d++) {
        const sluice_dim dim = sched_problem_dim(p, d);
        const ptrdiff_t reach = (ptrdiff_t)(sched_problem_extent(p, d, side) - 1)
                                * (side ? dim.out_stride : dim.in_stride);
        if (reach < 0)
            *lo += reach;
        else
            *hi += reach;
    }
}

void sched_problem_bytes(const sluice_problem *p, int side, size_t *before, size_t *after)
{
    const bool split = (side ? p->out_layout : p->in_layout) == SLUICE_SPLIT;
    const size_t element = split ? sched_scalar_bytes(p) : sched_side_bytes(p, side);
    ptrdiff_t lo, hi;

    sched_problem_span(p, side, &lo, &hi);
    *before = (size_t)-lo * element;
    *after = ((size_t)hi + 1) * element;
}

static sluice_status check_sizes(const sluice_problem *p, sluice_diag *why)
{
    size_t total = 1;

    if (p->rank < 1 || p->rank > SLUICE_MAX_RANK)
        return REFUSE("the rank is %d, it must be 1 to %d", p->rank, SLUICE_MAX_RANK);
    if (p->batch_rank < 0 || p->batch_rank > SLUICE_MAX_BATCH_RANK)
        return REFUSE("the batch rank is %d, it must be 0 to %d", p->batch_rank,
                      SLUICE_MAX_BATCH_RANK);
    for (int d = 0; d < dims(p); d++) {
        const size_t n = raw_dim(p, d)->n;
        if (n == 0)
            return REFUSE("size 0: every size must be at least 1");
        if (!core_mul(total, n, &total) || total > max_points)
            return REFUSE("the product of the sizes is too large (limit 2^40 points)");
    }
    return SLUICE_OK;
}

/* Strides of a dimension of size 1 have no meaning. */
static void drop_strides_of_one(sluice_problem *p)
{
    for (int d = 0; d < dims(p); d++) {
        sluice_dim *dim = d < p->batch_rank ? &p->batch[d] : &p->dim[d - p->batch_rank];
        if (dim->n == 1)
            dim->in_stride = dim->out_stride = 0;
    }
}

/* All strides of a side or none; their reach must fit. */
static sluice_status check_strides(const sluice_problem *p, int side, sluice_diag *why)
{
    size_t reach = 0;

    if (sched_problem_packed(p, side))
        return SLUICE_OK;
    for (int d = 0; d < dims(p); d++) {
        const ptrdiff_t stride = raw_stride(p, d, side);
        const size_t n = sched_problem_extent(p, d, side);
        size_t step = 0;
        if (n > 1 && stride == 0)
            return REFUSE(
                "every dimension of a side has a stride or none has (%s, dimension of %zu)",
                side ? "output" : "input", n);
        const size_t size = stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
        if (size > max_points || !core_mul(n - 1, size, &step) || !core_add(reach, step, &reach)
            || reach > max_points)
            return REFUSE("the strides reach too far (limit 2^40 elements)");
    }
    return SLUICE_OK;
}

static int by_stride(const void *a, const void *b)
{
    const size_t x = ((const sluice_dim *)a)->n, y = ((const sluice_dim *)b)->n;
    const ptrdiff_t sx = ((const sluice_dim *)a)->out_stride,
                    sy = ((const sluice_dim *)b)->out_stride;

    if (sx != sy)
        return sx < sy ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Counts every offset once; *clash is set if two are equal. */
static sluice_status count_offsets(const sluice_dim *dim, int count, size_t span, bool *clash,
                                   sluice_diag *why)
{
    unsigned char *seen = core_calloc(span / 8 + 1, 1);
    size_t index[SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK] = {0};
    size_t at = 0;
    int d = 0;

    if (!seen)
        return core_fail_memory(why);
    *clash = false;
    while (d < count && !*clash) {
        if (seen[at / 8] >> (at % 8) & 1)
            *clash = true;
        seen[at / 8] |= (unsigned char)(1 << at % 8);
        for (d = 0; d < count; d++) {
            at += (size_t)dim[d].out_stride;
            if (++index[d] < dim[d].n)
                break;
            at -= dim[d].n * (size_t)dim[d].out_stride;
            index[d] = 0;
        }
    }
    core_free(seen);
    return SLUICE_OK;
}

/* No element of the output may be written twice. Sorted strides each beyond the reach of the
 * smaller ones prove it; else offsets are counted. */
static sluice_status check_overlap(const sluice_problem *p, sluice_diag *why)
{
    sluice_dim dim[SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK];
    int count = 0;
    size_t reach = 0;
    bool proven = true, clash = false;

    for (int d = 0; d < dims(p); d++) {
        sluice_dim e = sched_problem_dim(p, d);
        e.n = sched_problem_extent(p, d, 1);
        if (e.n == 1)
            continue;
        dim[count] = e;
        if (e.out_stride < 0)
            dim[count].out_stride = -e.out_stride;
        count++;
    }
    qsort(dim, (size_t)count, sizeof dim[0], by_stride);
    for (int d = 0; d < count; d++) {
        if ((size_t)dim[d].out_stride <= reach)
            proven = false;
        reach += (dim[d].n - 1) * (size_t)dim[d].out_stride;
    }
    if (proven)
        return SLUICE_OK;
    if (reach > max_exact_span)
        return REFUSE("the output's strides overlap, or cannot be shown not to");
    const sluice_status status = count_offsets(dim, count, reach + 1, &clash, why);
    if (status != SLUICE_OK)
        return status;
    return clash ? REFUSE("the output's strides overlap: an element would be written twice")
                 : SLUICE_OK;
}

/* In place, a side without strides takes the other's; two that are given must agree. */
static sluice_status share_strides(sluice_problem *p, sluice_diag *why)
{
    const bool in = !sched_problem_packed(p, 0), out = !sched_problem_packed(p, 1);

    if (p->in_layout != p->out_layout)
        return REFUSE("in place, both sides have one layout");
    for (int d = 0; d < dims(p); d++) {
        sluice_dim *dim = d < p->batch_rank ? &p->batch[d] : &p->dim[d - p->batch_rank];
        if (in && !out)
            dim->out_stride = dim->in_stride;
        if (out && !in)
            dim->in_stride = dim->out_stride;
        if (dim->in_stride != dim->out_stride)
            return REFUSE("in place, both sides have the same strides");
    }
    return SLUICE_OK;
}

static bool enums_valid(const sluice_problem *p)
{
    for (int d = 0; d < SLUICE_MAX_RANK; d++)
        if ((int)p->kind[d] < 0 || p->kind[d] > SLUICE_IDXST)
            return false;
    return (int)p->precision >= 0 && p->precision <= SLUICE_F64 && (int)p->direction >= 0
           && p->direction <= SLUICE_INVERSE && (int)p->in_layout >= 0
           && p->in_layout <= SLUICE_HALFCOMPLEX && (int)p->out_layout >= 0
           && p->out_layout <= SLUICE_HALFCOMPLEX && (int)p->scale >= 0
           && p->scale <= SLUICE_SCALE_ORTHO && (int)p->mode >= 0 && p->mode <= SLUICE_THROUGHPUT;
}

/* Whether a word of the options fits the kinds; half-spectra belong to real transforms. */
static sluice_status check_options(const sluice_problem *p, sluice_diag *why)
{
    bool half = false;

    for (int d = 0; d < p->rank; d++) {
        if (p->direction == SLUICE_INVERSE && p->kind[d] != SLUICE_C2C)
            return REFUSE("'inverse' belongs to c2c; other kinds name their inverse");
        if (p->kind[d] == SLUICE_R2C || p->kind[d] == SLUICE_C2R)
            half = true;
    }
    if (!half && (p->in_layout >= SLUICE_PACKED || p->out_layout >= SLUICE_PACKED))
        return REFUSE("the layouts packed and halfcomplex belong to r2c and c2r");
    if (p->workers < 0 || p->workers > 65536)
        return REFUSE("the number of workers is %d, it must be 0 (all) to 65536", p->workers);
    return SLUICE_OK;
}

/* Blocks of B distributed cyclically to P parts: one packed transform, B*P a divisor of its
 * points. */
static sluice_status check_cyclic(const sluice_problem *p, int side, sluice_diag *why)
{
    const sluice_cyclic c = sched_problem_cyclic(p, side);
    size_t round = 0;

    if (c.block == 0 && c.parts == 0)
        return SLUICE_OK;
    if (c.block == 0 || c.parts == 0)
        return REFUSE("a block-cyclic side has at least one part and blocks of at least 1");
    if (!core_mul(c.block, c.parts, &round) || sched_problem_points(p) % round != 0)
        return REFUSE("block-cyclic %zu/%zu: block times parts must divide the %zu points", c.block,
                      c.parts, sched_problem_points(p));
    if (sched_problem_batch(p) != 1)
        return REFUSE("a block-cyclic side holds one transform, no batch");
    if (!sched_problem_packed(p, side))
        return REFUSE("a block-cyclic side has no strides");
    return SLUICE_OK;
}

static int64_t elements(const sluice_problem *p, int side)
{
    int64_t n = 1;

    for (int d = 0; d < dims(p); d++)
        n *= (int64_t)sched_problem_extent(p, d, side);
    return n;
}

sluice_status sched_problem_fits(const sluice_problem *p, const spl *formula, sluice_diag *why)
{
    static const char *const word[] = {"either", "reals", "complex numbers"};

    if (formula->rows != elements(p, 1) || formula->cols != elements(p, 0))
        return REFUSE("the formula is %lld x %lld, the problem has %lld points",
                      (long long)formula->rows, (long long)formula->cols,
                      (long long)(sched_problem_points(p) * sched_problem_batch(p)));
    if (formula->from == SPL_TYPE_ANY
        || (formula->from == side_type(p, 0) && formula->to == side_type(p, 1)))
        return SLUICE_OK;
    return REFUSE("the formula takes %s to %s, the problem %s to %s", word[formula->from],
                  word[formula->to], word[side_type(p, 0)], word[side_type(p, 1)]);
}

sluice_status sched_problem_normalise(sluice_problem *p, sluice_diag *why)
{
    if (!enums_valid(p))
        return REFUSE("a field of the problem holds no value of its type");
    for (size_t i = 0; i < sizeof p->reserved / sizeof p->reserved[0]; i++)
        if (p->reserved[i])
            return REFUSE("the problem's reserved fields must be zero");
    sluice_status status = check_sizes(p, why);
    if (status != SLUICE_OK)
        return status;
    drop_strides_of_one(p);
    for (int d = 0; d < p->rank; d++)
        if (p->kind[d] == SLUICE_KIND_SAME)
            p->kind[d] = d ? p->kind[d - 1] : SLUICE_C2C;
    status = check_options(p, why);
    for (int side = 0; side < 2 && status == SLUICE_OK; side++)
        status = check_strides(p, side, why);
    if (status == SLUICE_OK && p->in_place)
        status = share_strides(p, why);
    for (int side = 0; side < 2 && status == SLUICE_OK; side++)
        status = check_cyclic(p, side, why);
    if (status == SLUICE_OK)
        status = check_overlap(p, why);
    if (status == SLUICE_OK && p->mode == SLUICE_MODE_AUTO)
        p->mode = sched_problem_batch(p) == 1 ? SLUICE_LATENCY : SLUICE_THROUGHPUT;
    return status;
}
