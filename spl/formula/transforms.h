// SPDX-License-Identifier: BSD-3-Clause
/* The transforms: one table with the name of each, the types of its vectors and its matrix. Scales
 * are those of FFTW's unnormalised definitions. Besides it only the rules that break a transform
 * down know its definition.
 *
 * Vectors are typed: their elements are reals or complex numbers. */
#ifndef SPL_TRANSFORMS_H
#define SPL_TRANSFORMS_H

#include <stdbool.h>
#include <stdint.h>

#include "spl/formula/half_order.h"

typedef enum spl_type {
    SPL_TYPE_ANY = 0, /* the matrix is real, so it acts on either */
    SPL_TYPE_REAL,
    SPL_TYPE_COMPLEX
} spl_type;

typedef enum spl_kind {
    SPL_DFT = 0,
    SPL_IDFT,
    SPL_RDFT,
    SPL_IRDFT,
    SPL_DHT,
    SPL_DCT1,
    SPL_DCT2,
    SPL_DCT3,
    SPL_DCT4,
    SPL_DST1,
    SPL_DST2,
    SPL_DST3,
    SPL_DST4,
    SPL_IDXST,
    SPL_HC, /* RDFT and back with the half-spectrum as n reals, in an order of its own */
    SPL_IHC,
    SPL_PACKED,
    SPL_IPACKED,
    SPL_KIND_COUNT
} spl_kind;

/* Which columns have weight 1 where the others have `weight`. */
typedef enum spl_edge { SPL_EDGE_NONE = 0, SPL_EDGE_FIRST, SPL_EDGE_LAST, SPL_EDGE_BOTH } spl_edge;

/* The entry in row k and column j of a transform of n points is
 *     weight_j trig(2 pi (2 j + j0) (2 k + k0) / (unit (n + more))),
 * trig one of exp(-i x), exp(i x), cos, sin, cos + sin. With an order it is that of RDFT (exp(-i
 * x)) or IRDFT, whose half-spectrum stands in this order. */
typedef enum spl_trig {
    SPL_TRIG_EXP = 0,
    SPL_TRIG_EXP_INVERSE,
    SPL_TRIG_COS,
    SPL_TRIG_SIN,
    SPL_TRIG_CAS
} spl_trig;

typedef struct spl_transform {
    const char *word; /* "DFT" */
    spl_type from, to;
    bool half_from, half_to; /* n/2 + 1 elements there instead of n: the others are conjugates */
    int64_t least;           /* the smallest n */
    int inverse;             /* the transform that undoes it but for a factor; -1: none */
    spl_trig trig;
    int j0, k0, unit, more, weight;
    spl_edge edge;
    spl_order order;
} spl_transform;

const spl_transform *spl_transform_of(spl_kind kind);
int64_t spl_transform_rows(spl_kind kind, int64_t n);
int64_t spl_transform_cols(spl_kind kind, int64_t n);
/* What element i of the input or the output of a transform is: row or column k, or a part of X_k
 * where that side is a half-spectrum in an order of its own. */
spl_half_place spl_transform_place(spl_kind kind, int64_t n, bool input, int64_t i);

#endif
