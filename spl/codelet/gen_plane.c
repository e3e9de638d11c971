// SPDX-License-Identifier: BSD-3-Clause
/* Position P: A_n (x) A_n of reals in registers, with n the lanes of a vector, as for the 8 x 8
 * blocks of JPEG (Wallace 1991). A vector is a row of the plane:
 *     A_n (x) A_n = (A_n (x) I_n) L (A_n (x) I_n) L,   L = L_n^{n n} = L^-1, rows first
 *                 = L (A_n (x) I_n) L (A_n (x) I_n),    columns first
 * with the sums and bits of the codelets at T and C applied one after the other. */
#include <string.h>

#include "core/mem.h"
#include "spl/codelet/gen.h"
#include "spl/formula/transforms.h"

/* The vectors between the parts of a step: input and output of the next transform. */
typedef struct plane {
    gen_var in[GEN_MAX], out[GEN_MAX];
} plane;

bool gen_plane_columns_first(int kind)
{
    return kind == SPL_DCT3;
}

static gen_var load_vector(gen_emit *e, gen_io *io, int i)
{
    (void)e;
    return ((const plane *)io->user)->in[i];
}

static void store_vector(gen_emit *e, gen_io *io, int i, gen_var x)
{
    (void)e;
    ((plane *)io->user)->out[i] = x;
}

/* A_n (x) I_n; its output becomes the input of the next part. */
static void transform(gen_emit *e, plane *p)
{
    gen_dag *dag = gen_kind_dag(e->key->kind, e->key->n);
    gen_io io = {dag, load_vector, store_vector, p};
    gen_statements(e, &io);
    core_free(dag);
    memcpy(p->in, p->out, sizeof p->in);
}

void gen_plane_body(gen_emit *e)
{
    const int n = e->key->n;
    const bool columns_first = gen_plane_columns_first(e->key->kind);
    plane p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < n; i++)
        p.in[i] = gen_load_row(e, SPL_REAL, i);
    for (int turn = 0; turn < 2; turn++) {
        if (!columns_first)
            gen_transpose(e, p.in, n, n);
        transform(e, &p);
        if (columns_first)
            gen_transpose(e, p.in, n, n);
    }
    for (int i = 0; i < n; i++)
        gen_store_row(e, SPL_REAL, i, p.in[i]);
}
