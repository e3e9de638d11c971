// SPDX-License-Identifier: BSD-3-Clause
/* Checks and strides of batches that are computed by loops. */
#include "bench/peers/peer_loop.h"

static bool is_packed(const bench_shape *s, bool output)
{
    const sluice_problem *p = &s->problem;
    ptrdiff_t stride = 1;
    for (int i = p->rank - 1; i >= 0; i--) {
        const sluice_dim *d = &p->dim[i];
        if (d->n > 1 && (output ? d->out_stride : d->in_stride) != stride)
            return false;
        stride *= (ptrdiff_t)bench_extent(s, p->batch_rank + i, output);
    }
    return true;
}

static int count_batch_dims(const sluice_problem *p)
{
    int count = 0;
    for (int i = 0; i < p->batch_rank; i++)
        count += p->batch[i].n > 1;
    return count;
}

bool peer_loop_fits(const bench_shape *s, int workers, peer_limits limits, sluice_diag *why)
{
    const sluice_problem *p = &s->problem;
    if (workers > 1)
        peer_refuse(why, "it has no threads");
    else if ((s->in.real || s->out.real) && !limits.reals)
        peer_refuse(why, "it is timed with c2c alone");
    else if (p->rank > limits.max_rank)
        peer_refuse(why, "it has no transforms of %s",
                    limits.max_rank == 1 ? "several dimensions" : "so many dimensions");
    else if (p->in_cyclic.parts || p->out_cyclic.parts)
        peer_refuse(why, "it has no block-cyclic order");
    else if (p->scale != SLUICE_SCALE_NONE)
        peer_refuse(why, "it is timed without scaling");
    else if (p->in_layout != SLUICE_INTERLEAVED || p->out_layout != SLUICE_INTERLEAVED)
        peer_refuse(why, "it computes interleaved numbers only");
    else if (!is_packed(s, false) || !is_packed(s, true))
        peer_refuse(why, "it has no strides");
    else if (count_batch_dims(p) > 1)
        peer_refuse(why, "it is timed with one batch dimension");
    else
        return true;
    return false;
}

peer_loop peer_loop_of(const bench_shape *s)
{
    const sluice_problem *p = &s->problem;
    peer_loop loop = {.count = 1};
    for (int i = 0; i < p->batch_rank; i++)
        if (p->batch[i].n > 1)
            loop = (peer_loop){.count = p->batch[i].n,
                               .in_step = p->batch[i].in_stride * (ptrdiff_t)s->in.element,
                               .out_step = p->batch[i].out_stride * (ptrdiff_t)s->out.element};
    return loop;
}
