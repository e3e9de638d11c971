// SPDX-License-Identifier: BSD-3-Clause
/* Kernels of passes, by the table of spl/formula/passes.h. */
#include "spl/formula/spl.h"

typedef long double number;

static void times(const number *a, const number *b, number *out)
{
    const number re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    out[0] = re;
    out[1] = im;
}

static void map_row(spl_row_map map, number scale, const number *z, number *out)
{
    static const number factor[][2] = {{1, 0}, {1, 0}, {0, 1}, {0, -1}};
    const number scaled[2] = {scale * z[0], (map == SPL_ROW_CONJUGATE ? -scale : scale) * z[1]};
    times(factor[map], scaled, out);
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
    } else if (p->edge == SPL_EDGE_TOGETHER) {
        const number a = in[0], b = in[2];
        out[0] = a + b;
        out[1] = a - b;
    } else {
        map_row(SPL_ROW_SAME, p->edge_scale, in, out);
    }
}

static void apply_pair(const spl_pass *p, const number *root, const number *in, number *out)
{
    static const number quarter[2] = {0, 1};
    const bool two = p->form == SPL_PAIR_MIDDLE || p->form == SPL_PAIR_TURN; /* F twice */
    const number conjugate[2] = {root[0], -root[1]};
    number u[2], w[2];
    map_row(p->y[0], two ? p->scale : 1, in, u);
    map_row(p->y[1], two ? p->scale : 1, in + 2, w);
    if (p->form == SPL_PAIR_IN) {
        times(root, u, u);
        times(conjugate, w, w);
    }
    add_and_subtract(u, w);
    if (two) {
        times(p->form == SPL_PAIR_TURN ? quarter : root, w, w);
        add_and_subtract(u, w);
    } else if (p->form == SPL_PAIR_OUT) {
        times(root, u, u);
        times(conjugate, w, w);
    }
    map_row(p->x[0], 1, u, out);
    map_row(p->x[1], 1, w, out + 2);
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
        map_row(p->self, p->self_scale, in, out);
}
