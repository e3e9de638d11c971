// SPDX-License-Identifier: BSD-3-Clause
/* Transforms by the table of definitions (spl/formula/transforms.h). Reduced by the factors 2 that
 * the rows and columns have in common with the angle's denominator, an entry is
 *     weight_j trig(2 pi J K / D),   J = j + j0/2 or 2 j + j0,   K likewise.
 * To LARGEST points entries are summed up; above, x_j stands at J of a vector of D points, whose
 * DFT has the sums at K: a cosine is half of the DFT and the inverse together, a sine of their
 * difference. The inverse is the DFT read backwards. */
#include "spl/oracle/oracle.h"

#include <string.h>

#include "core/mem.h"
#include "core/trig.h"

enum { LARGEST = 16 };

typedef long double number;

typedef struct definition {
    const spl_transform *t;
    int64_t n, d;       /* points; D */
    int64_t rows, cols; /* sums and summands: those of the whole transform, halves completed */
    int j_step, k_step; /* J = j_step j + j_from */
    int j_from, k_from;
} definition;

static definition definition_of(spl_kind kind, int64_t n)
{
    const spl_transform *t = spl_transform_of(kind);
    const int j = t->j0 % 2 == 0 ? 2 : 1, k = t->k0 % 2 == 0 ? 2 : 1;
    return (definition){.t = t,
                        .n = n,
                        .d = t->unit * (n + t->more) / j / k,
                        .rows = spl_transform_rows(kind, n),
                        .cols = n,
                        .j_step = 2 / j,
                        .k_step = 2 / k,
                        .j_from = t->j0 / j,
                        .k_from = t->k0 / k};
}

static number *new_vector(int64_t n)
{
    return core_calloc((size_t)n, 2 * sizeof(number));
}

static number weight_of(const definition *d, int64_t j)
{
    const spl_edge edge = d->t->edge;
    const bool first = j == 0 && (edge == SPL_EDGE_FIRST || edge == SPL_EDGE_BOTH);
    const bool last = j == d->n - 1 && (edge == SPL_EDGE_LAST || edge == SPL_EDGE_BOTH);
    return first || last ? 1 : d->t->weight;
}

/* trig of the angle whose exp(-i x) is c + i s */
static void entry_of(spl_trig trig, const number *root, number *re, number *im)
{
    const number c = root[0], s = root[1];
    *re = trig == SPL_TRIG_SIN ? -s : trig == SPL_TRIG_CAS ? c - s : c;
    *im = trig == SPL_TRIG_EXP ? s : trig == SPL_TRIG_EXP_INVERSE ? -s : 0;
}

/* Of the column j, of which entry[A] is that of the angle A. Entries without imaginary parts make
 * none of a real number. */
static void add_column(const definition *d, const number *entry, int64_t j, const number *in,
                       number *out)
{
    const spl_trig trig = d->t->trig;
    const int64_t at = d->j_step * j + d->j_from, step = at * d->k_step % d->d;
    const number weight = weight_of(d, j), x = weight * in[2 * j], y = weight * in[2 * j + 1];
    const bool real = y == 0 && trig != SPL_TRIG_EXP && trig != SPL_TRIG_EXP_INVERSE;
    int64_t angle = at * d->k_from % d->d;
    for (int64_t k = 0; k < d->rows; k++) {
        const number re = entry[2 * angle], im = entry[2 * angle + 1];
        out[2 * k] += real ? re * x : re * x - im * y;
        if (!real)
            out[2 * k + 1] += re * y + im * x;
        angle += angle < d->d - step ? step : step - d->d;
    }
}

static sluice_status sum_entries(const definition *d, const number *in, number *out)
{
    number *entry = new_vector(d->d);
    if (entry == NULL)
        return SLUICE_E_MEMORY;
    for (int64_t k = 0; k < d->d; k++) {
        number root[2];
        core_root((size_t)k, (size_t)d->d, &root[0], &root[1]);
        entry_of(d->t->trig, root, &entry[2 * k], &entry[2 * k + 1]);
    }
    memset(out, 0, (size_t)d->rows * 2 * sizeof *out);
    for (int64_t j = 0; j < d->cols; j++)
        add_column(d, entry, j, in, out);
    core_free(entry);
    return SLUICE_OK;
}

/* What the DFT f of the spread vector and its inverse g make of one sum. */
static void add_combination(spl_trig trig, const number *f, const number *g, number *out)
{
    const number c[2] = {(f[0] + g[0]) / 2, (f[1] + g[1]) / 2};
    const number s[2] = {(g[1] - f[1]) / 2, (f[0] - g[0]) / 2};
    const number *of = trig == SPL_TRIG_EXP           ? f
                       : trig == SPL_TRIG_EXP_INVERSE ? g
                       : trig == SPL_TRIG_SIN         ? s
                                                      : c;
    for (int part = 0; part < 2; part++)
        out[part] = of[part] + (trig == SPL_TRIG_CAS ? s[part] : 0);
}

static sluice_status sum_by_dft(const definition *d, const number *in, number *out)
{
    number *spread = new_vector(2 * d->d);
    if (spread == NULL)
        return SLUICE_E_MEMORY;
    number *const f = spread + 2 * d->d;
    for (int64_t j = 0; j < d->cols; j++)
        for (int part = 0; part < 2; part++)
            spread[2 * (d->j_step * j + d->j_from) + part] = weight_of(d, j) * in[2 * j + part];
    const sluice_status status = spl_oracle_dft(d->d, false, spread, f);
    for (int64_t k = 0; k < d->rows && status == SLUICE_OK; k++) {
        const int64_t at = d->k_step * k + d->k_from;
        add_combination(d->t->trig, f + 2 * at, f + 2 * (at == 0 ? 0 : d->d - at), out + 2 * k);
    }
    core_free(spread);
    return status;
}

static sluice_status sum_products(const definition *d, const number *in, number *out)
{
    return (d->n <= LARGEST ? sum_entries : sum_by_dft)(d, in, out);
}

/* IRDFT: the other half are conjugates; the imaginary parts of what has none are not read. */
static sluice_status sum_completed(const definition *d, const number *in, number *out)
{
    number *all = new_vector(d->n);
    if (all == NULL)
        return SLUICE_E_MEMORY;
    for (int64_t j = 0; j <= d->n / 2; j++) {
        const bool alone = j == 0 || 2 * j == d->n;
        const int64_t mirrored = alone ? j : d->n - j;
        all[2 * mirrored] = all[2 * j] = in[2 * j];
        all[2 * mirrored + 1] = alone ? 0 : -in[2 * j + 1];
        all[2 * j + 1] = alone ? 0 : in[2 * j + 1];
    }
    const sluice_status status = sum_products(d, all, out);
    core_free(all);
    return status;
}

/* Vectors whose half-spectrum stands in an order of reals, by RDFT or IRDFT. */
static sluice_status transform_ordered(spl_kind kind, int64_t n, const number *in, number *out)
{
    const bool back = spl_transform_of(kind)->trig == SPL_TRIG_EXP_INVERSE;
    number *half = new_vector(n / 2 + 1);
    sluice_status status = half != NULL ? SLUICE_OK : SLUICE_E_MEMORY;
    if (half != NULL && !back)
        status = spl_oracle_transform(SPL_RDFT, n, in, half);
    for (int64_t i = 0; i < n && status == SLUICE_OK; i++) {
        const spl_half_place at = spl_transform_place(kind, n, back, i);
        if (back)
            half[2 * at.k + at.part] = in[2 * i];
        else
            out[2 * i] = half[2 * at.k + at.part];
        out[2 * i + 1] = 0;
    }
    if (status == SLUICE_OK && back)
        status = spl_oracle_transform(SPL_IRDFT, n, half, out);
    core_free(half);
    return status;
}

sluice_status spl_oracle_transform(spl_kind kind, int64_t n, const long double *in,
                                   long double *out)
{
    if (spl_transform_of(kind)->order != SPL_ORDER_NONE)
        return transform_ordered(kind, n, in, out);
    const definition d = definition_of(kind, n);
    const sluice_status status = (d.t->half_from ? sum_completed : sum_products)(&d, in, out);
    for (int64_t k = 0; d.t->to == SPL_TYPE_REAL && k < d.rows; k++)
        out[2 * k + 1] = 0;
    return status;
}
