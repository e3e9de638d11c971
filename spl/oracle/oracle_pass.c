// SPDX-License-Identifier: BSD-3-Clause
/* Kernels of passes, by the table of spl/formula/passes.h. */
#include "spl/formula/spl.h"

typedef long double number;

static void map_row(spl_row_map map, number scale, const number *z, number *out)
{
    const number re = scale * z[0], im = scale * z[1];
    out[0] = re;
    out[1] = map == SPL_ROW_CONJUGATE ? -im : im;
}

/* z and w become z + w and z - w. */
static void add_and_subtract(number *z, number *w)
{
    for (int part = 0; part < 2; part++) {
        const number sum = z[part] + w[part];
        w[part] = z[part] - w[part];
        z[part] = sum;
    }
}

static void apply_edge(const spl_pass *p, const number *in, number *out)
{
    if (p->edge == SPL_EDGE_APART) {
        const number z[2] = {in[0], in[1]};
        out[0] = z[0] + z[1];
        out[2] = z[0] - z[1];
        out[1] = out[3] = 0;
    } else {
        const number a = in[0], b = in[2];
        out[0] = a + b;
        out[1] = a - b;
    }
}

static void apply_pair(const spl_pass *p, const number *root, const number *in, number *out)
{
    number u[2], w[2];
    map_row(p->y[0], (number)p->scale, in, u);
    map_row(p->y[1], (number)p->scale, in + 2, w);
    add_and_subtract(u, w);
    number turned[2] = {root[0] * w[0] - root[1] * w[1], root[0] * w[1] + root[1] * w[0]};
    add_and_subtract(u, turned);
    map_row(p->x[0], 1, u, out);
    map_row(p->x[1], 1, turned, out + 2);
}

void spl_oracle_pair(spl_pass_kind kind, spl_pass_role role, const number *root, const number *in,
                     number *out)
{
    const spl_pass *p = spl_pass_of(kind);
    if (role == SPL_ROLE_PAIR)
        apply_pair(p, root, in, out);
    else if (role == SPL_ROLE_EDGE)
        apply_edge(p, in, out);
    else
        map_row(p->self, (number)p->self_scale, in, out);
}
