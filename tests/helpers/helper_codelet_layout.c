// SPDX-License-Identifier: BSD-3-Clause
/* Where a trial has its elements. */
#include <stdlib.h>

#include "spl/formula/spl.h"
#include "tests/helpers/helper_codelet_inside.h"

bool trial_is_single(const trial *t)
{
    return t->codelet->key.precision == SLUICE_F32;
}

double trial_round_to_precision(const trial *t, double x)
{
    return trial_is_single(t) ? (double)(float)x : x;
}

bool trial_has_outer(const spl_key *k)
{
    return k->tw == SPL_TW_BROADCAST || k->position == SPL_POS_B;
}

bool trial_has_sets(const trial *t)
{
    return trial_has_outer(&t->codelet->key);
}

int trial_columns_end(const trial *t)
{
    return trial_has_sets(t) ? t->columns : t->first + t->columns;
}

int trial_outers_end(const trial *t)
{
    return trial_has_sets(t) ? t->first + t->outers : 1;
}

bool trial_is_pairs(const spl_key *k)
{
    return k->kind >= SPL_CODELET_PAIRS;
}

bool trial_is_copy(const spl_key *k)
{
    return !trial_is_pairs(k) && (k->in == SPL_MIRROR || k->out == SPL_MIRROR);
}

spl_pairs_kind trial_pairs_of(const spl_key *k)
{
    return (spl_pairs_kind)((k->kind - SPL_CODELET_PAIRS) / SPL_CODELET_ROLES);
}

spl_pairs_role trial_role_of(const spl_key *k)
{
    return (spl_pairs_role)((k->kind - SPL_CODELET_PAIRS) % SPL_CODELET_ROLES);
}

int trial_rows(const spl_key *k, bool in)
{
    const spl_kind kind = (spl_kind)k->kind;
    if (trial_is_pairs(k))
        return (in ? spl_role_cols : spl_role_rows)(trial_pairs_of(k), trial_role_of(k));
    if (k->position == SPL_POS_P)
        return k->n * k->n;
    return (int)(in ? spl_transform_cols(kind, k->n) : spl_transform_rows(kind, k->n));
}

ptrdiff_t trial_address(const trial_layout *l, int outer, int row, int column)
{
    const ptrdiff_t at = l->offset[0] >= 0 ? l->offset[row] : row * l->row;
    if (row == 1 && l->column1 != 0)
        return TRIAL_GUARD + outer * l->outer1 + at + column * l->column1;
    return TRIAL_GUARD + outer * l->outer + at + column * l->column;
}

ptrdiff_t trial_imaginary_address(const trial_layout *l, int outer, int row, int column)
{
    if (!l->mirror)
        return trial_address(l, outer, row, column);
    if (row == 1)
        return TRIAL_GUARD + l->im + outer * l->outer - l->row + column * l->column;
    return TRIAL_GUARD + l->im + outer * l->outer1 + column * l->column1;
}

double *trial_imaginary(spl_format format, const trial_layout *l, double *re, double *im, int outer,
                        int row, int column)
{
    if (format == SPL_REAL)
        return NULL;
    return format == SPL_INTER ? re + trial_address(l, outer, row, column) + 1
                               : im + trial_imaginary_address(l, outer, row, column);
}

/* Row 1 comes after row 0, in M and B, and spread in G, from its end on. */
static trial_layout pairs_layout(const spl_key *k, spl_format format, int columns, int outers,
                                 bool spread)
{
    trial_layout l = {.offset = {-1}, .mirror = format == SPL_MIRROR};
    const int unit = format == SPL_INTER ? 2 : 1;
    const int gap = !spread ? 0 : k->nt ? 16 : 3; /* whole lines */
    const bool back = k->position == SPL_POS_M || (k->position == SPL_POS_G && spread);
    l.column = k->position == SPL_POS_G && spread ? 3 : unit;
    l.outer = l.column * columns + gap;
    l.outer1 = -l.outer;
    l.column1 = back ? -l.column : l.column;
    l.row = l.outer * (2 * outers - 1) + gap + (back ? l.column * (columns - 1) : 0);
    l.im = l.mirror ? l.row + l.outer * outers : 0;
    return l;
}

/* unit: scalars from one dense element to the next. */
static trial_layout make_layout(const spl_key *k, int rows, int unit, bool rows_dense, int columns,
                                bool spread)
{
    trial_layout l = {.offset = {-1}};
    const int gap = !spread || k->position == SPL_POS_D ? 0 : k->nt ? 16 : 3; /* whole lines */
    if (k->position == SPL_POS_G) {
        l.column = spread ? 3 : unit;
        for (int i = 0; i < rows; i++) /* rows in reverse */
            l.offset[i] = (ptrdiff_t)(rows - 1 - i) * (columns * l.column + gap);
    } else if (rows_dense) {
        l.row = unit;
        l.column = unit * rows + gap;
    } else {
        l.column = unit;
        l.row = unit * columns + gap;
    }
    l.outer = (rows_dense ? l.column * columns : l.row * rows) + gap;
    return l;
}

/* Rows of a plane one after the other, then the next plane. */
static trial_layout plane_layout(const spl_key *k, bool spread)
{
    const int gap = spread ? 3 : 0;
    trial_layout l = {.row = k->n + gap};
    for (int i = 0; i < k->n * k->n; i++)
        l.offset[i] = i / k->n * l.row + i % k->n;
    l.column = k->n * l.row + gap;
    return l;
}

void trial_set_layouts(trial *t)
{
    const spl_key *k = &t->codelet->key;
    const spl_position p = k->position;
    const int in = k->in == SPL_INTER ? 2 : 1, out = k->out == SPL_INTER ? 2 : 1;
    const bool dense = p == SPL_POS_T || p == SPL_POS_W || p == SPL_POS_S || p == SPL_POS_D;
    const bool dense_in = dense || p == SPL_POS_R, dense_out = dense || p == SPL_POS_A;
    if (trial_is_pairs(k) || trial_is_copy(k)) {
        t->in = pairs_layout(k, k->in, trial_columns_end(t), trial_outers_end(t), t->spread);
        t->out = pairs_layout(k, k->out, trial_columns_end(t), trial_outers_end(t), t->spread);
        return;
    }
    if (p == SPL_POS_P) {
        t->in = t->out = plane_layout(k, t->spread);
        return;
    }
    t->in = make_layout(k, trial_rows(&t->codelet->key, true), in, dense_in, trial_columns_end(t),
                        t->spread);
    t->out = make_layout(k, trial_rows(&t->codelet->key, false), out, dense_out,
                         trial_columns_end(t), t->spread);
}
