// SPDX-License-Identifier: BSD-3-Clause
/* Copies of complex numbers between an interleaved side and a mirrored one, such as the fold of
 * reals and its inverse: a MOVE whose elements are adjacent on both sides becomes a codelet at
 * position M. */
#include "spl/bind/bind_choice.h"

/* Are elements adjacent? Steps in scalars, of re and of im. */
static bool is_dense(spl_format format, ptrdiff_t step, ptrdiff_t im_step)
{
    return format == SPL_MIRROR ? step == 1 && im_step == -1 : step == 2 && im_step == 2;
}

/* The codelet of the longest vectors that the columns fill; NULL: there is none. */
static const spl_codelet *find_fold(const bind_choice *ch, spl_format in, spl_format out,
                                    int64_t columns)
{
    const spl_codelet *fold = NULL;

    for (int isa = (int)ch->tape->target->isa; isa >= CORE_ISA_SCALAR; isa--) {
        const spl_key key = {.n = 1,
                             .isa = (core_isa)isa,
                             .precision = (int)ch->tape->precision,
                             .compute = SPL_SPLIT,
                             .in = in,
                             .out = out,
                             .position = SPL_POS_M,
                             .tw = SPL_TW_NONE,
                             .kind = SPL_CODELET_DFT};
        fold = bind_codelet_find(ch->tape->target, &key);
        if (fold && fold->key.lanes <= columns)
            break;
    }
    return fold;
}

void bind_prefer_fold(bind_choice *ch, spl_format in, spl_format out)
{
    bind_op *op = ch->op;
    const bool folds =
        (in == SPL_INTER && out == SPL_MIRROR) || (in == SPL_MIRROR && out == SPL_INTER);
    const bool dense =
        is_dense(in, op->call.ics, op->call.ics1) && is_dense(out, op->call.ocs, op->call.ocs1);

    if (!folds || !dense || op->element_offsets[0] || op->element_offsets[1])
        return;
    op->codelet = find_fold(ch, in, out, op->cols.n);
    if (!op->codelet)
        return;
    op->op = BIND_KERN;
    op->call.inverse = op->moved == BIND_MOVED_CONJUGATE;
    bind_fill_tail(ch);
    op->tail.n = op->tail.outputs = 1;
}
