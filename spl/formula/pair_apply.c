// SPDX-License-Identifier: BSD-3-Clause
/* What kernels of pairs compute: the meaning of the table of spl/formula/pairs.h. */
#include "spl/formula/pairs.h"

typedef long double number;

static void multiply_complex(const number *a, const number *b, number *out)
{
    const number re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    out[0] = re;
    out[1] = im;
}

static void map_row(spl_row_map map, number scale, const number *z, number *out)
{
    const spl_row_factor f = spl_row_factor_of(map);
    const number factor[2] = {f.re, f.im};
    const number scaled[2] = {scale * z[0], (f.conjugate ? -scale : scale) * z[1]};
    multiply_complex(factor, scaled, out);
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

static void apply_edge(const spl_pairs_def *p, const number *in, number *out)
{
    const number *const e = p->edge_factor;
    const number a = in[0], b = in[p->edge == SPL_EDGE_TOGETHER ? 2 : 1];
    switch (p->edge) {
    case SPL_EDGE_APART:
        out[0] = a + b;
        out[2] = a - b;
        out[1] = out[3] = 0;
        break;
    case SPL_EDGE_TOGETHER:
        out[0] = a + b;
        out[1] = a - b;
        break;
    case SPL_EDGE_PARTS_OUT:
        out[0] = e[0] * (a + b);
        out[1] = e[1] * (a - b);
        break;
    case SPL_EDGE_PARTS_IN:
        out[0] = e[0] * a + e[1] * b;
        out[1] = e[0] * a - e[1] * b;
        break;
    case SPL_EDGE_SCALE: map_row(SPL_ROW_SAME, e[0], in, out); break;
    case SPL_EDGE_NO_ROW: break;
    }
}

/* re z + i im w, re w + i im z */
static void exchange_imaginary_parts(number *z, number *w)
{
    const number im = z[1];
    z[1] = w[1];
    w[1] = im;
}

static void apply_roots(const number *root, number scale, number *z, number *w)
{
    const number u[2] = {scale * root[0], scale * root[1]};
    const number v[2] = {scale * root[2], scale * root[3]};
    multiply_complex(u, z, z);
    multiply_complex(v, w, w);
}

/* What stands between y and x. */
static void apply_middle(const spl_pairs_def *p, const number *root, number *u, number *w)
{
    static const number quarter[4] = {1, 0, 0, 1};
    const number conjugates[4] = {root[0], root[1], root[0], -root[1]};
    const number one[4] = {1, 0, root[0], root[1]};
    switch (p->form) {
    case SPL_PAIR_IN:
        apply_roots(conjugates, 1, u, w);
        add_and_subtract(u, w);
        break;
    case SPL_PAIR_OUT:
        add_and_subtract(u, w);
        apply_roots(conjugates, 1, u, w);
        break;
    case SPL_PAIR_MIDDLE:
    case SPL_PAIR_TURN:
    case SPL_PAIR_BOTH:
        add_and_subtract(u, w);
        apply_roots(p->form == SPL_PAIR_MIDDLE ? one
                    : p->form == SPL_PAIR_TURN ? quarter
                                               : root,
                    p->scale, u, w);
        add_and_subtract(u, w);
        break;
    case SPL_PAIR_SWAP_IN:
    case SPL_PAIR_SWAP_OUT: apply_roots(root, p->scale, u, w); break;
    }
}

static void apply_pair(const spl_pairs_def *p, const number *root, const number *in, number *out)
{
    number u[2] = {in[0], in[1]}, w[2] = {in[2], in[3]};
    if (p->form == SPL_PAIR_SWAP_IN)
        exchange_imaginary_parts(u, w);
    map_row(p->y[0], 1, u, u);
    map_row(p->y[1], 1, w, w);
    apply_middle(p, root, u, w);
    if (p->form == SPL_PAIR_SWAP_OUT)
        exchange_imaginary_parts(u, w);
    map_row(p->x[0], 1, u, out);
    map_row(p->x[1], 1, w, out + 2);
}

/* One row z that is its own partner: x s u y z, or the table's factor of it. */
static void apply_self(const spl_pairs_def *p, bool has_root, const number *root, const number *in,
                       number *out)
{
    const number scaled[2] = {p->scale * root[0], p->scale * root[1]};
    const bool last = p->form == SPL_PAIR_SWAP_OUT;
    const number *const factor = has_root ? scaled : p->self_factor;
    number z[2] = {in[0], in[1]};
    map_row(last ? SPL_ROW_SAME : p->self, 1, z, z);
    multiply_complex(factor, z, z);
    map_row(last ? p->self : SPL_ROW_SAME, 1, z, out);
}

void spl_pair_apply(spl_pairs_kind kind, spl_pairs_role role, const number *root, const number *in,
                    number *out)
{
    const spl_pairs_def *p = spl_pairs_def_of(kind);
    if (role == SPL_ROLE_PAIR)
        apply_pair(p, root, in, out);
    else if (role == SPL_ROLE_EDGE)
        apply_edge(p, in, out);
    else
        apply_self(p, spl_role_factors(kind, role) > 0, root, in, out);
}
