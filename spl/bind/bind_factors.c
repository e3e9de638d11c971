// SPDX-License-Identifier: BSD-3-Clause
#include "spl/bind/bind_factors.h"

#include <string.h>

#include "spl/bind/bind_complex.h"

bool bind_factors_open(const prog_stmt *s, spl_diagonal *diagonal[PROG_MAX_TWIDDLES])
{
    bool opened = true;

    memset(diagonal, 0, PROG_MAX_TWIDDLES * sizeof *diagonal);
    for (int k = 0; k < s->ntwiddles && opened; k++) {
        const prog_twiddle *w = &s->twiddle[k];
        diagonal[k] = spl_diagonal_open(w->values, w->n, w->m);
        opened = diagonal[k] != NULL;
    }
    return opened;
}

void bind_factors_close(spl_diagonal *diagonal[PROG_MAX_TWIDDLES])
{
    for (int k = 0; k < PROG_MAX_TWIDDLES; k++)
        spl_diagonal_close(diagonal[k]);
}

void bind_factors_get(const prog_stmt *s, spl_diagonal *const *diagonal, int64_t i,
                      const int64_t *vars, double *re, double *im)
{
    long double wr = 1, wi = 0;
    double scale = 1;

    for (int k = 0; k < s->ntwiddles; k++) {
        const prog_twiddle *w = &s->twiddle[k];
        long double cr, ci;
        if (w->values == SPL_CONST) {
            scale *= spl_constant_value(w->m);
            continue;
        }
        spl_diagonal_get(diagonal[k], ix_eval(w->f, i, vars), &cr, &ci);
        bind_complex_multiply(cr, ci, w->conjugate, &wr, &wi);
    }
    *re = (double)(scale * wr);
    *im = (double)(scale * wi);
}

/* ---- tables ---- */

static bool factors_follow(const prog_stmt *s, int var)
{
    for (int k = 0; k < s->ntwiddles; k++)
        if (ix_uses(s->twiddle[k].f, var))
            return true;
    return false;
}

void bind_factor_table_of(const prog_stmt *s, int64_t elements, const int64_t *range,
                          bind_factor_table *out)
{
    *out = (bind_factor_table){.stmt = s, .elements = elements, .entries = elements};
    for (int v = IX_MAX_VARS - 1; v >= 0; v--) {
        if (!factors_follow(s, v))
            continue;
        out->step[v] = out->entries;
        out->range[v] = range[v];
        out->entries *= range[v];
    }
}

static void store_entry(sluice_precision precision, void *data, int64_t at, double value)
{
    if (precision == SLUICE_F32)
        ((float *)data)[at] = (float)value;
    else
        ((double *)data)[at] = value;
}

bool bind_factor_table_fill(const bind_factor_table *t, sluice_precision precision, void *data)
{
    spl_diagonal *diagonal[PROG_MAX_TWIDDLES];
    const bool opened = bind_factors_open(t->stmt, diagonal);

    for (int64_t entry = 0; entry < t->entries && opened; entry++) {
        int64_t vars[IX_MAX_VARS] = {0};
        double re, im;
        for (int v = 0; v < IX_MAX_VARS; v++)
            vars[v] = t->step[v] > 0 ? entry / t->step[v] % t->range[v] : 0;
        bind_factors_get(t->stmt, diagonal, entry % t->elements, vars, &re, &im);
        store_entry(precision, data, 2 * entry, re);
        store_entry(precision, data, 2 * entry + 1, im);
    }
    bind_factors_close(diagonal);
    return opened;
}
