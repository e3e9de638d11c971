// SPDX-License-Identifier: BSD-3-Clause
/* What formulas mean: y = A x, node by node, straight from the definitions. Nothing here is shared
 * with the lowering, so that each can be checked against the other.
 *
 * A loop SUM_v A_v adds into its result, S(f) adds at f(i) only, and in a product the leftmost
 * factor adds what the others made; so an iteration S * A * G costs what it touches. */
#include "spl/oracle/oracle.h"

#include <string.h>

#include "core/mem.h"
#include "core/trig.h"
#include "spl/index/ix_form.h"

typedef long double number;

/* Values of the loop variables around, and which of them there are. */
typedef struct env {
    int64_t v[IX_MAX_VARS];
    uint32_t bound;
} env;

static sluice_status apply_node(const spl *x, env *e, const number *in, number *out);
static sluice_status add_node(const spl *x, env *e, const number *in, number *out);

static number *new_vector(int64_t n)
{
    return core_calloc((size_t)n, 2 * sizeof(number));
}

static void clear_vector(number *out, int64_t n)
{
    memset(out, 0, (size_t)n * 2 * sizeof *out);
}

static void copy_vector(number *out, const number *in, int64_t n)
{
    memcpy(out, in, (size_t)n * 2 * sizeof *out);
}

static void add_number(number *out, const number *in)
{
    out[0] += in[0];
    out[1] += in[1];
}

/* Of nothing, kernels make nothing: most of what unit vectors send through a formula. */
static bool is_zero(const number *in, int64_t n)
{
    for (int64_t i = 0; i < 2 * n; i++)
        if (in[i] != 0)
            return false;
    return true;
}

static bool is_bound(const ix *f, const env *e)
{
    return (ix_variables(f) & ~e->bound) == 0;
}

static sluice_status apply_transform(const spl *x, const number *in, number *out)
{
    if (!is_zero(in, x->cols))
        return spl_oracle_transform(spl_transform_kind(x), spl_transform_size(x), in, out);
    clear_vector(out, x->rows);
    return SLUICE_OK;
}

/* Reals have im 0. */
static void apply_retype(const spl *x, const number *in, number *out)
{
    const int64_t n = x->a[0];
    clear_vector(out, x->rows);
    for (int64_t i = 0; i < n; i++)
        switch (spl_retype_kind(x)) {
        case SPL_RETYPE_VIEW:
            out[2 * i] = in[4 * i];
            out[2 * i + 1] = in[4 * i + 2];
            break;
        case SPL_RETYPE_UNVIEW:
            out[4 * i] = in[2 * i];
            out[4 * i + 2] = in[2 * i + 1];
            break;
        case SPL_RETYPE_CONJ:
            out[2 * i] = in[2 * i];
            out[2 * i + 1] = -in[2 * i + 1];
            break;
        default: out[2 * i] = in[2 * i]; break;
        }
}

/* The factors of a kernel's k; 1 where there are none. */
static void roots_of_pair(const spl *x, spl_pairs_role role, int64_t k, number *root)
{
    const spl_pairs_kind kind = spl_pairs_kind_of(x);
    const spl_pairs_def *p = spl_pairs_def_of(kind);
    const int64_t m = spl_pairs_points(x), n = p->order * m;
    for (int i = 0; i < SPL_PAIR_FACTORS; i++) {
        root[2 * i] = 1;
        root[2 * i + 1] = 0;
    }
    for (int i = 0; i < spl_role_factors(kind, role); i++) {
        core_root((size_t)(spl_pairs_exponent(kind, i, m, k) % n), (size_t)n, &root[2 * i],
                  &root[2 * i + 1]);
        root[2 * i + 1] *= p->conjugate ? -1 : 1;
    }
}

static sluice_status apply_kernel_node(const spl *x, const env *e, const number *in, number *out)
{
    const spl_pairs_role role = spl_pair_role(x);
    number root[2 * SPL_PAIR_FACTORS];
    if (x->f != NULL && !is_bound(x->f, e))
        return SLUICE_E_INVALID;
    if (is_zero(in, x->cols)) {
        clear_vector(out, x->rows);
        return SLUICE_OK;
    }
    const int64_t k = x->f != NULL ? ix_eval(x->f, 0, e->v)
                                   : spl_pairs_self(spl_pairs_kind_of(x), spl_pairs_points(x));
    roots_of_pair(x, role, k, root);
    spl_pair_apply(spl_pairs_kind_of(x), role, root, in, out);
    return SLUICE_OK;
}

/* Where a part of row r of a side is. */
static int64_t place_of_part(const spl *x, spl_pairs_side side, int64_t r, int part)
{
    const int64_t m = spl_pairs_points(x), shift = spl_pairs_def_of(spl_pairs_kind_of(x))->shift;
    if (side != SPL_SIDE_MIRRORED)
        return 2 * r + part;
    if (r == 0)
        return 2 * (part == 0 ? (2 * m - shift) % (2 * m) : m - shift);
    return 2 * ((part == 0 ? r : 2 * m - r) - shift);
}

/* Rows of each kernel: k, and its partner. */
static void apply_pairs(const spl *x, const number *in, number *out)
{
    const spl_pairs_kind kind = spl_pairs_kind_of(x);
    const spl_pairs_def *p = spl_pairs_def_of(kind);
    const int64_t m = spl_pairs_points(x), first = spl_pairs_first(kind);
    const int64_t kernels = first + spl_pairs_count(kind, m) + (spl_pairs_self(kind, m) >= 0);
    clear_vector(out, x->rows);
    if (is_zero(in, x->cols))
        return;
    for (int64_t k = 0; k < kernels; k++) {
        const spl_pairs_role role = k < first                      ? SPL_ROLE_EDGE
                                    : k == spl_pairs_self(kind, m) ? SPL_ROLE_SELF
                                                                   : SPL_ROLE_PAIR;
        const int64_t row[2] = {k, m - 1 + first - k};
        const bool swapped = p->swapped && role == SPL_ROLE_PAIR;
        number root[2 * SPL_PAIR_FACTORS], z[4] = {0}, y[4];
        for (int i = 0; i < 2 * spl_role_cols(kind, role); i++)
            z[i] = in[place_of_part(x, p->in, row[swapped ? 1 - i / 2 : i / 2], i % 2)];
        if (is_zero(z, 2))
            continue;
        roots_of_pair(x, role, k, root);
        spl_pair_apply(kind, role, root, z, y);
        for (int i = 0; i < 2 * spl_role_rows(kind, role); i++)
            out[place_of_part(x, p->out, row[i / 2], i % 2)] = y[i];
    }
}

/* y[i*(N/k) + j] = x[j*k + i] */
static void apply_stride(int64_t N, int64_t k, const number *in, number *out)
{
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < N / k; j++)
            copy_vector(out + 2 * (i * (N / k) + j), in + 2 * (j * k + i), 1);
}

/* y = d[t] x, d the diagonal of x */
static void apply_diagonal(const spl *x, int64_t t, const number *in, number *out)
{
    number re, im;
    if (is_zero(in, 1)) {
        out[0] = out[1] = 0;
        return;
    }
    spl_oracle_diagonal(spl_diagonal_values(x), x->a[0], x->a[1], t, &re, &im);
    im *= x->a[2] ? -1 : 1;
    out[0] = re * in[0] - im * in[1];
    out[1] = re * in[1] + im * in[0];
}

/* T, C, B, R, K, P, D, G and S: one element at a time. */
static sluice_status apply_elements(const spl *x, const env *e, const number *in, number *out)
{
    if (x->f != NULL && !is_bound(x->f, e))
        return SLUICE_E_INVALID;
    if (x->op == SPL_SCAT)
        clear_vector(out, x->rows);
    const int64_t n = x->op == SPL_SCAT ? x->cols : x->rows;
    for (int64_t i = 0; i < n; i++) {
        const int64_t t = x->f == NULL ? i : ix_eval(x->f, i, e->v);
        if (x->op == SPL_DIAGONAL || x->op == SPL_DIAG_OF)
            apply_diagonal(x, t, in + 2 * i, out + 2 * i);
        else if (x->op == SPL_SCAT)
            add_number(out + 2 * t, in + 2 * i);
        else
            copy_vector(out + 2 * i, in + 2 * t, 1);
    }
    return SLUICE_OK;
}

/* The factors from number `first` on, the last one first. */
static sluice_status apply_factors(const spl *x, int first, env *e, const number *in, number *out)
{
    int64_t widest = 1;
    for (int k = first + 1; k < x->nkids; k++)
        widest = x->kid[k]->rows > widest ? x->kid[k]->rows : widest;
    number *const temp = new_vector(2 * widest);
    if (temp == NULL)
        return SLUICE_E_MEMORY;
    sluice_status status = SLUICE_OK;
    const number *from = in;
    for (int k = x->nkids - 1; k >= first && status == SLUICE_OK; k--) {
        number *const to = k == first ? out : temp + (k % 2) * 2 * widest;
        status = apply_node(x->kid[k], e, from, to);
        from = to;
    }
    core_free(temp);
    return status;
}

/* (I_left (x) A (x) I_right) x, column by column; `column` holds one of each side. */
static sluice_status apply_inside(const spl *a, int64_t left, int64_t right, env *e,
                                  const number *in, number *out, number *column)
{
    sluice_status status = SLUICE_OK;
    number *const result = column + 2 * a->cols;
    for (int64_t l = 0; l < left; l++)
        for (int64_t r = 0; r < right && status == SLUICE_OK; r++) {
            for (int64_t i = 0; i < a->cols; i++)
                copy_vector(column + 2 * i, in + 2 * ((l * a->cols + i) * right + r), 1);
            status = apply_node(a, e, column, result);
            for (int64_t i = 0; i < a->rows; i++)
                copy_vector(out + 2 * ((l * a->rows + i) * right + r), result + 2 * i, 1);
        }
    return status;
}

/* A (x) B (x) C = (A (x) I)(I (x) B (x) I)(I (x) C) */
static sluice_status apply_kron(const spl *x, env *e, const number *in, number *out)
{
    int64_t widest = x->rows > x->cols ? x->rows : x->cols, right = 1, left = x->cols, side = 0;
    for (int k = x->nkids - 1; k >= 0; k--) {
        const spl *a = x->kid[k];
        side = a->rows + a->cols > side ? a->rows + a->cols : side;
        left /= a->cols;
        right *= a->rows;
        widest = left * right > widest ? left * right : widest;
    }
    number *const temp = new_vector(2 * widest + side);
    if (temp == NULL)
        return SLUICE_E_MEMORY;
    sluice_status status = SLUICE_OK;
    const number *from = in;
    left = x->cols;
    right = 1;
    for (int k = x->nkids - 1; k >= 0 && status == SLUICE_OK; k--) {
        const spl *a = x->kid[k];
        number *const to = from == temp ? temp + 2 * widest : temp;
        left /= a->cols;
        if (a->op != SPL_I) {
            status = apply_inside(a, left, right, e, from, to, temp + 4 * widest);
            from = to;
        }
        right *= a->rows;
    }
    copy_vector(out, from, x->rows);
    core_free(temp);
    return status;
}

static sluice_status apply_sum(const spl *x, env *e, const number *in, number *out)
{
    sluice_status status = SLUICE_OK;
    int64_t row = 0, col = 0;
    for (int k = 0; k < x->nkids && status == SLUICE_OK; k++) {
        status = apply_node(x->kid[k], e, in + 2 * col, out + 2 * row);
        row += x->kid[k]->rows;
        col += x->kid[k]->cols;
    }
    return status;
}

static sluice_status add_loop(const spl *x, env *outer, const number *in, number *out)
{
    const spl_range r = spl_range_of(x);
    int64_t lo = 0, hi = r.n;
    if (r.share_var >= 0 && !(outer->bound >> r.share_var & 1))
        return SLUICE_E_INVALID;
    if (r.share_var >= 0)
        spl_share(r.n, r.shares, r.grain, outer->v[r.share_var], &lo, &hi);
    env e = *outer;
    e.bound |= UINT32_C(1) << r.var;
    sluice_status status = SLUICE_OK;
    for (int64_t v = lo; v < hi && status == SLUICE_OK; v++) {
        e.v[r.var] = v;
        status = add_node(x->kid[0], &e, in, out);
    }
    return status;
}

static sluice_status add_addends(const spl *x, env *e, const number *in, number *out)
{
    sluice_status status = SLUICE_OK;
    for (int k = 0; k < x->nkids && status == SLUICE_OK; k++)
        status = add_node(x->kid[k], e, in, out);
    return status;
}

/* out += x in, through a temporary where the node has no better way. */
static sluice_status add_node(const spl *x, env *e, const number *in, number *out)
{
    if (x->op == SPL_TAG)
        return add_node(x->kid[0], e, in, out);
    if (x->op == SPL_LOOP)
        return add_loop(x, e, in, out);
    if (x->op == SPL_PLUS)
        return add_addends(x, e, in, out);
    if (x->op == SPL_SCAT) {
        if (!is_bound(x->f, e))
            return SLUICE_E_INVALID;
        for (int64_t i = 0; i < x->cols; i++)
            add_number(out + 2 * ix_eval(x->f, i, e->v), in + 2 * i);
        return SLUICE_OK;
    }
    const bool product = x->op == SPL_MUL;
    const int64_t size = product ? x->kid[0]->cols : x->rows;
    number *const temp = new_vector(size);
    if (temp == NULL)
        return SLUICE_E_MEMORY;
    sluice_status status = product ? apply_factors(x, 1, e, in, temp) : apply_node(x, e, in, temp);
    if (status == SLUICE_OK && product)
        status = add_node(x->kid[0], e, temp, out);
    for (int64_t i = 0; i < size && !product && status == SLUICE_OK; i++)
        add_number(out + 2 * i, temp + 2 * i);
    core_free(temp);
    return status;
}

static sluice_status apply_node(const spl *x, env *e, const number *in, number *out)
{
    switch (x->op) {
    case SPL_I: copy_vector(out, in, x->rows); return SLUICE_OK;
    case SPL_TRANSFORM: return apply_transform(x, in, out);
    case SPL_RETYPE: apply_retype(x, in, out); return SLUICE_OK;
    case SPL_PAIRS: apply_pairs(x, in, out); return SLUICE_OK;
    case SPL_PAIR: return apply_kernel_node(x, e, in, out);
    case SPL_L: apply_stride(x->a[0], x->a[1], in, out); return SLUICE_OK;
    case SPL_KRON: return apply_kron(x, e, in, out);
    case SPL_MUL: return apply_factors(x, 0, e, in, out);
    case SPL_DSUM: return apply_sum(x, e, in, out);
    case SPL_TAG: return apply_node(x->kid[0], e, in, out);
    case SPL_LOOP: clear_vector(out, x->rows); return add_loop(x, e, in, out);
    case SPL_PLUS: clear_vector(out, x->rows); return add_addends(x, e, in, out);
    default: return apply_elements(x, e, in, out);
    }
}

sluice_status spl_apply(const spl *x, const long double *in, long double *out)
{
    env e = {.bound = 0};
    return apply_node(x, &e, in, out);
}
