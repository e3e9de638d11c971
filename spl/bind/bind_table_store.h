// SPDX-License-Identifier: BSD-3-Clause
/* Stores numbers into twiddle tables, in the precision and order of the table. */
#ifndef SPL_BIND_TABLE_STORE_H
#define SPL_BIND_TABLE_STORE_H

#include "core/wide.h"
#include "spl/bind/bind_table.h"

static inline void store_factor(const bind_table *t, size_t at, double value)
{
    if (t->key.precision == SLUICE_F32)
        ((float *)t->data)[at] = (float)value;
    else
        ((double *)t->data)[at] = value;
}

static inline double fetch_factor(const bind_table *t, size_t at)
{
    if (t->key.precision == SLUICE_F32)
        return (double)((const float *)t->data)[at];
    return ((const double *)t->data)[at];
}

/* Stores a vector of lanes: re and im of each lane adjacent (`pairs`), or all re, then all im.
 * Callers pass constants for `pairs` and `lanes`. */
static inline void store_vector(const bind_table *t, size_t at, const double *re, const double *im,
                                bool pairs, size_t lanes)
{
    const size_t next = pairs ? 2 : 1, apart = pairs ? 1 : lanes;

    if (t->key.precision == SLUICE_F32) {
        float *to = (float *)t->data + at;
        CORE_APART
        for (size_t l = 0; l < lanes; l++) {
            to[next * l] = (float)re[l];
            to[next * l + apart] = (float)im[l];
        }
    } else {
        double *to = (double *)t->data + at;
        CORE_APART
        for (size_t l = 0; l < lanes; l++) {
            to[next * l] = re[l];
            to[next * l + apart] = im[l];
        }
    }
}

static inline void store_formed(const bind_table *t, size_t at, const double *re, const double *im,
                                size_t lanes)
{
    if (bind_table_in_pairs(&t->key))
        store_vector(t, at, re, im, true, lanes);
    else
        store_vector(t, at, re, im, false, lanes);
}

static inline void store_lanes(const bind_table *t, size_t at, const double *re, const double *im)
{
    switch (t->key.lanes) {
    case 2: store_formed(t, at, re, im, 2); break;
    case 4: store_formed(t, at, re, im, 4); break;
    case 8: store_formed(t, at, re, im, 8); break;
    case 16: store_formed(t, at, re, im, 16); break;
    default: store_formed(t, at, re, im, (size_t)t->key.lanes);
    }
}

#endif
