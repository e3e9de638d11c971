// SPDX-License-Identifier: BSD-3-Clause
/* Definitions: Martucci 1994 for the cosine and sine transforms; IDXST as in DREAMPlace (Lin et al.
 * 2019): DST3 of x_1 .. x_{n-1}, 0. */
#include "spl/formula/transforms.h"

#define COMPLEX .from = SPL_TYPE_COMPLEX, .to = SPL_TYPE_COMPLEX
#define REAL .from = SPL_TYPE_REAL, .to = SPL_TYPE_REAL, .least = 1, .unit = 4, .weight = 1

static const spl_transform table[SPL_KIND_COUNT] = {
    [SPL_DFT] = {"DFT", COMPLEX, .least = 1, .inverse = SPL_IDFT, .unit = 4, .weight = 1},
    [SPL_IDFT] = {"IDFT", COMPLEX, .least = 1, .inverse = SPL_DFT, .trig = SPL_TRIG_EXP_INVERSE,
                  .unit = 4, .weight = 1},
    [SPL_RDFT] = {"RDFT", .from = SPL_TYPE_REAL, .to = SPL_TYPE_COMPLEX, .half_to = true,
                  .least = 1, .inverse = SPL_IRDFT, .unit = 4, .weight = 1},
    [SPL_IRDFT] = {"IRDFT", .from = SPL_TYPE_COMPLEX, .to = SPL_TYPE_REAL, .half_from = true,
                   .least = 1, .inverse = SPL_RDFT, .trig = SPL_TRIG_EXP_INVERSE, .unit = 4,
                   .weight = 1},
    [SPL_DHT] = {"DHT", .least = 1, .inverse = SPL_DHT, .trig = SPL_TRIG_CAS, .unit = 4,
                 .weight = 1},
    [SPL_DCT1] = {"DCT1", .least = 2, .inverse = SPL_DCT1, .trig = SPL_TRIG_COS, .unit = 8,
                  .more = -1, .weight = 2, .edge = SPL_EDGE_BOTH},
    [SPL_DCT2] = {"DCT2", .least = 1, .inverse = SPL_DCT3, .trig = SPL_TRIG_COS, .j0 = 1, .unit = 8,
                  .weight = 2},
    [SPL_DCT3] = {"DCT3", .least = 1, .inverse = SPL_DCT2, .trig = SPL_TRIG_COS, .k0 = 1, .unit = 8,
                  .weight = 2, .edge = SPL_EDGE_FIRST},
    [SPL_DCT4] = {"DCT4", .least = 1, .inverse = SPL_DCT4, .trig = SPL_TRIG_COS, .j0 = 1, .k0 = 1,
                  .unit = 8, .weight = 2},
    [SPL_DST1] = {"DST1", .least = 1, .inverse = SPL_DST1, .trig = SPL_TRIG_SIN, .j0 = 2, .k0 = 2,
                  .unit = 8, .more = 1, .weight = 2},
    [SPL_DST2] = {"DST2", .least = 1, .inverse = SPL_DST3, .trig = SPL_TRIG_SIN, .j0 = 1, .k0 = 2,
                  .unit = 8, .weight = 2},
    [SPL_DST3] = {"DST3", .least = 1, .inverse = SPL_DST2, .trig = SPL_TRIG_SIN, .j0 = 2, .k0 = 1,
                  .unit = 8, .weight = 2, .edge = SPL_EDGE_LAST},
    [SPL_DST4] = {"DST4", .least = 1, .inverse = SPL_DST4, .trig = SPL_TRIG_SIN, .j0 = 1, .k0 = 1,
                  .unit = 8, .weight = 2},
    [SPL_IDXST] = {"IDXST", .least = 1, .inverse = -1, .trig = SPL_TRIG_SIN, .k0 = 1, .unit = 8,
                   .weight = 2},
    [SPL_HC] = {"HC", REAL, .inverse = SPL_IHC, .order = SPL_ORDER_HALFCOMPLEX},
    [SPL_IHC] = {"IHC", REAL, .inverse = SPL_HC, .trig = SPL_TRIG_EXP_INVERSE,
                 .order = SPL_ORDER_HALFCOMPLEX},
    [SPL_PACKED] = {"PACKED", REAL, .inverse = SPL_IPACKED, .order = SPL_ORDER_PACKED},
    [SPL_IPACKED] = {"IPACKED", REAL, .inverse = SPL_PACKED, .trig = SPL_TRIG_EXP_INVERSE,
                     .order = SPL_ORDER_PACKED},
};

const spl_transform *spl_transform_of(spl_kind kind)
{
    return &table[kind];
}

int64_t spl_transform_rows(spl_kind kind, int64_t n)
{
    return table[kind].half_to ? n / 2 + 1 : n;
}

int64_t spl_transform_cols(spl_kind kind, int64_t n)
{
    return table[kind].half_from ? n / 2 + 1 : n;
}

spl_half_place spl_transform_place(spl_kind kind, int64_t n, bool input, int64_t i)
{
    const spl_transform *t = &table[kind];
    const bool ordered = t->order && input == (t->trig == SPL_TRIG_EXP_INVERSE);
    return ordered ? spl_order_place(t->order, n, i) : (spl_half_place){i, 0};
}
