// SPDX-License-Identifier: BSD-3-Clause
/* Queries of a program's buffers and statements: sizes, kernels. */
#include "spl/program/program.h"

int64_t prog_scalars(const prog_buf *b)
{
    return b->type == SPL_TYPE_REAL ? 1 : 2;
}

bool prog_is_split(const prog *p, int buf)
{
    return (buf == 0 && p->sides.in_layout == SLUICE_SPLIT)
           || (buf == 1 && p->sides.out_layout == SLUICE_SPLIT);
}

int64_t prog_held_scalars(const prog_buf *b)
{
    return b->halves ? 1 : prog_scalars(b);
}

int64_t prog_copy_places(const prog_buf *b)
{
    const int64_t unit = PROG_ALIGN * PROG_PLACE_SCALARS;
    return (b->elems * prog_held_scalars(b) + unit - 1) / unit * PROG_ALIGN;
}

int64_t prog_cells_of(const prog_buf *b)
{
    return prog_copy_places(b) * b->copies;
}

bool prog_share_memory(const prog *p, int a, int b)
{
    return a == b
           || (p->sides.in_place && p->buf[a].space <= PROG_OUT && p->buf[b].space <= PROG_OUT);
}

int64_t prog_min_scalars(const prog *p)
{
    int64_t min = 2;
    for (int i = 0; i < p->nbufs; i++)
        min = prog_scalars(&p->buf[i]) < min ? prog_scalars(&p->buf[i]) : min;
    return min;
}

bool prog_is_stage(const prog_stmt *s)
{
    return s->op != PROG_LOOP && s->op != PROG_SYNC;
}

bool prog_has_sync(const prog *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (p->stmt[i].op == PROG_SYNC)
            return true;
    return false;
}

bool prog_is_dft(const prog_stmt *s)
{
    return s->kernel == SPL_TRANSFORM && (s->kind == SPL_DFT || s->kind == SPL_IDFT);
}

bool prog_is_inverse(const prog_stmt *s)
{
    return s->kernel == SPL_TRANSFORM && s->kind == SPL_IDFT;
}

const char *prog_kernel_word(const prog_stmt *s)
{
    return s->kernel == SPL_TRANSFORM ? spl_transform_of((spl_kind)s->kind)->word
           : s->kernel == SPL_RETYPE  ? spl_retype_word((spl_retype)s->kind)
           : s->kernel == SPL_PAIR    ? spl_role_word(s->role)
                                      : "I";
}
