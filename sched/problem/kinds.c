// SPDX-License-Identifier: BSD-3-Clause
#include "sched/problem/kinds.h"

#include "core/trig.h"
#include "sched/problem/problem.h"

static const sched_kind table[] = {
    [SLUICE_C2C] = {.axis = SPL_DFT},
    [SLUICE_R2C] = {.axis = SPL_RDFT,
                    .stands_last = true,
                    .half = 1,
                    .packed = SPL_PACKED,
                    .halfcomplex = SPL_HC},
    [SLUICE_C2R] = {.axis = SPL_IRDFT,
                    .stands_last = true,
                    .inverse = true,
                    .half = 0,
                    .packed = SPL_IPACKED,
                    .halfcomplex = SPL_IHC},
    [SLUICE_DCT2] = {.axis = SPL_DCT2},
    [SLUICE_DCT3] = {.axis = SPL_DCT3},
    [SLUICE_DCT4] = {.axis = SPL_DCT4},
    [SLUICE_DST2] = {.axis = SPL_DST2},
    [SLUICE_DST3] = {.axis = SPL_DST3},
    [SLUICE_DST4] = {.axis = SPL_DST4},
    [SLUICE_IDXST] = {.axis = SPL_IDXST},
    [SLUICE_DCT1] = {.axis = SPL_DCT1},
    [SLUICE_DST1] = {.axis = SPL_DST1},
    [SLUICE_DHT] = {.axis = SPL_DHT},
};

const sched_kind *sched_kind_of(sluice_kind kind)
{
    return &table[kind];
}

/* The transform along an axis of this kind, forward. */
static spl_kind forward_kind(const sluice_problem *p, const sched_kind *kind)
{
    const sluice_layout half = kind->half ? p->out_layout : p->in_layout;

    if (kind->stands_last && half == SLUICE_PACKED)
        return kind->packed;
    return kind->stands_last && half == SLUICE_HALFCOMPLEX ? kind->halfcomplex : kind->axis;
}

spl_kind sched_axis_kind(const sluice_problem *p, int axis)
{
    const bool inverse =
        p->direction == SLUICE_INVERSE || sched_kind_of(p->kind[p->rank - 1])->inverse;
    const spl_kind kind = forward_kind(p, sched_kind_of(p->kind[axis]));

    return kind == SPL_DFT && inverse ? (spl_kind)spl_transform_of(kind)->inverse : kind;
}

/* Is the transform along an axis a DFT, or that of a half-spectrum? */
static bool is_complex(const sluice_problem *p, int axis)
{
    const spl_transform *t = spl_transform_of(sched_axis_kind(p, axis));

    return t->from == SPL_TYPE_COMPLEX || t->to == SPL_TYPE_COMPLEX;
}

spl_type sched_axis_type(const sluice_problem *p, int axis)
{
    const spl_type own = spl_transform_of(sched_axis_kind(p, axis))->from;
    bool complex = false;

    for (int d = 0; d < p->rank; d++)
        complex = complex || is_complex(p, d);
    return own != SPL_TYPE_ANY ? own : complex ? SPL_TYPE_COMPLEX : SPL_TYPE_REAL;
}

/* Does a transform of columns leave its rows folded? The axis that runs next restores their
 * order. */
static bool is_folded_after(spl_kind kind)
{
    return kind == SPL_DCT3 || kind == SPL_DST3 || kind == SPL_IDXST || kind == SPL_DCT4
           || kind == SPL_DST4;
}

int sched_axis_order(const sluice_problem *p, int i)
{
    const int last = p->rank - 1;
    const bool reals =
        sched_axis_type(p, last) == SPL_TYPE_REAL && !sched_axis_has_half_spectrum(p, last);
    const bool first = reals ? last > 0 && is_folded_after(sched_axis_kind(p, last - 1))
                             : spl_transform_of(sched_axis_kind(p, last))->half_from;

    return first ? i : last - i;
}

bool sched_all_dft(const sluice_problem *p)
{
    for (int d = 0; d < p->rank; d++)
        if (p->kind[d] != SLUICE_C2C)
            return false;
    return true;
}

size_t sched_axis_columns(const sluice_problem *p, int axis)
{
    const spl_kind kind = sched_axis_kind(p, axis);
    const int64_t n = (int64_t)p->dim[axis].n;
    const int64_t rows = spl_transform_rows(kind, n), cols = spl_transform_cols(kind, n);

    return (size_t)(rows < cols ? rows : cols);
}

bool sched_axis_has_half_spectrum(const sluice_problem *p, int axis)
{
    const spl_transform *t = spl_transform_of(sched_axis_kind(p, axis));

    return t->half_from || t->half_to;
}

/* The entry of the matrix, from the table of transforms. */
double sched_axis_constant(const sluice_problem *p, int axis)
{
    const spl_transform *t = spl_transform_of(sched_axis_kind(p, axis));
    long double re, im;

    if (p->dim[axis].n == 1 && spl_is_dft_kind(sched_axis_kind(p, axis)))
        return 1;
    if (p->dim[axis].n != 1 || t->from != SPL_TYPE_ANY || sched_problem_axes(p) == 0)
        return 0;
    core_root((size_t)(t->j0 * t->k0), (size_t)(t->unit * (1 + t->more)), &re, &im);
    return (double)((t->edge == SPL_EDGE_NONE ? t->weight : 1)
                    * (t->trig == SPL_TRIG_SIN ? -im : re));
}

double sched_problem_constant(const sluice_problem *p)
{
    double all = 1;

    for (int axis = 0; axis < p->rank; axis++) {
        const double own = sched_axis_constant(p, axis);
        all *= own != 0 ? own : 1;
    }
    return all;
}
