// SPDX-License-Identifier: BSD-3-Clause
/* With z = V x, Z = DFT_m z and n = 2m, rows k and m-k of RDFT_n are
 *     X_k = E + O, X_{m-k} = (E - O)*,  E = (Z_k + Z_{m-k}*)/2,  O = -i w_n^k (Z_k - Z_{m-k}*)/2
 * (Cooley, Lewis & Welch 1970); -i w_n^k = w_8m^{4k+2m}. Backwards E = X_k + X_{m-k}* and
 * O = i w_n^-k (X_k - X_{m-k}*) are n Z_k = E + O, n Z_{m-k} = (E - O)*.
 *
 * With Z = DFT_m of the evens upwards and the odds downwards (Makhoul 1980) and v = w_4m^k,
 *     DCT2: y_k = v Z_k + v* Z_{m-k}, y_{m-k} = i (v Z_k - v* Z_{m-k})
 *     DCT3, to such a Z: Z_k = v* (x_k - i x_{m-k}), Z_{m-k} = v (x_k + i x_{m-k})
 * and with Z = DFT_m x
 *     DHT: y_k = ((1 + i) Z_k + (1 - i) Z_{m-k})/2 (Bracewell 1983).
 *
 * Of reals the two meet: DCT2_n has y_k - i y_{n-k} = 2 c_k X_k, c_k = w_4n^k = w_8m^k, X the
 * RDFT_n of folded reals, and c_{m-k} = w_8 c_k*. DCT3_n is made of X_k = c_k* (x_k - i x_{n-k}).
 * Sines (DST2, DST3, IDXST) have the reals of each row exchanged: a + ib becomes i (a + ib)*.
 *
 * DCT4_n (Britanak, Yip & Rao 2007): with z_j = s_j (x_2j + i x_{n-1-2j}), s_j = w_16n^{8j+1} =
 * w_32m^{8j+1}, and Z = DFT_m z, y_2j - i y_{n-1-2j} = 2 s_j Z_j. On columns, with half a step more
 * than DCT3, Z_k = v* (x_k - i x_{m-1-k}), Z_{m-1-k} = v (x_k + i x_{m-1-k}), v = w_8m^{2k+1}. */
#include "spl/formula/pairs.h"

#define SQRT2 1.41421356237309504880168872420969807857L
#define SQRT_HALF 0.70710678118654752440084436210484903928L
#define TWICE_COS 1.84775906502257351225636637879357657364L /* 2 cos(pi/8) */
#define TWICE_SIN 0.76536686473017954345691996806079773352L /* 2 sin(pi/8) */

#define REALS(a, b)                                                                                \
    {                                                                                              \
        SPL_ROW_##a, SPL_ROW_##b                                                                   \
    }
/* -i w_2m^k */
#define TURNED_ROOT .order = 8, .root = {{4, 2, 0}}
/* w_8m^k, and this times -i w_2m^k */
#define COSINE_ROOTS .order = 8, .root = {{1, 0, 0}, {5, 2, 0}}
/* w_32m^{8j+1}, and that of row m-1-j */
#define HALF_STEP_ROOTS .order = 32, .root = {{8, 0, 1}, {-8, 8, -7}}, .edge = SPL_EDGE_NO_ROW

static const spl_pairs_def table[SPL_PAIRS_KINDS] = {
    [SPL_PAIRS_RDFT] = {"rdft", .out = SPL_SIDE_LAST, .y = REALS(SAME, CONJUGATE),
                        .x = REALS(SAME, CONJUGATE), .scale = 0.5L, TURNED_ROOT,
                        .edge = SPL_EDGE_APART, .self = SPL_ROW_CONJUGATE, .self_factor = {1}},
    [SPL_PAIRS_IRDFT] = {"irdft", .in = SPL_SIDE_LAST, .y = REALS(SAME, CONJUGATE),
                         .x = REALS(SAME, CONJUGATE), .scale = 1, TURNED_ROOT, .conjugate = true,
                         .edge = SPL_EDGE_TOGETHER, .self = SPL_ROW_CONJUGATE, .self_factor = {2}},
    [SPL_PAIRS_DCT2] = {"dct2", .form = SPL_PAIR_IN, .x = REALS(SAME, I), .scale = 1, .order = 4,
                        .root = {{1, 0, 0}}, .edge = SPL_EDGE_SCALE, .edge_factor = {2},
                        .self_factor = {SQRT2}},
    [SPL_PAIRS_DCT3] = {"dct3", .form = SPL_PAIR_OUT, .y = REALS(SAME, MINUS_I), .scale = 1,
                        .order = 4, .root = {{1, 0, 0}}, .conjugate = true, .edge = SPL_EDGE_SCALE,
                        .edge_factor = {1}, .self_factor = {SQRT2}},
    [SPL_PAIRS_DHT] = {"dht", .form = SPL_PAIR_TURN, .scale = 0.5L, .edge = SPL_EDGE_SCALE,
                       .edge_factor = {1}, .self_factor = {1}},
    [SPL_PAIRS_IDXST] = {"idxst", .form = SPL_PAIR_OUT, .swapped = true, .y = REALS(SAME, MINUS_I),
                         .scale = 1, .order = 4, .root = {{1, 0, 0}}, .conjugate = true,
                         .edge = SPL_EDGE_SCALE, .edge_factor = {0}, .self_factor = {SQRT2}},
    [SPL_PAIRS_DCT4] = {"dct4", .form = SPL_PAIR_OUT, .y = REALS(SAME, MINUS_I), .scale = 1,
                        .order = 8, .root = {{2, 0, 1}}, .conjugate = true, .edge = SPL_EDGE_NO_ROW,
                        .self_factor = {SQRT2}},
    [SPL_PAIRS_RDCT2] = {"rdct2", .form = SPL_PAIR_BOTH, .out = SPL_SIDE_MIRRORED,
                         .y = REALS(SAME, CONJUGATE), .x = REALS(CONJUGATE, EIGHTH_BACK),
                         .scale = 1, COSINE_ROOTS, .edge = SPL_EDGE_PARTS_OUT,
                         .edge_factor = {2, SQRT2}, .self_factor = {TWICE_COS, TWICE_SIN}},
    [SPL_PAIRS_RDCT3] = {"rdct3", .form = SPL_PAIR_BOTH, .in = SPL_SIDE_MIRRORED,
                         .y = REALS(CONJUGATE, EIGHTH), .x = REALS(SAME, CONJUGATE), .scale = 1,
                         COSINE_ROOTS, .conjugate = true, .edge = SPL_EDGE_PARTS_IN,
                         .edge_factor = {1, SQRT2}, .self_factor = {TWICE_COS, -TWICE_SIN}},
    [SPL_PAIRS_RDST2] = {"rdst2", .form = SPL_PAIR_BOTH, .out = SPL_SIDE_MIRRORED, .shift = 1,
                         .y = REALS(SAME, CONJUGATE), .x = REALS(I, CONJUGATE_EIGHTH_BACK),
                         .scale = 1, COSINE_ROOTS, .edge = SPL_EDGE_PARTS_OUT,
                         .edge_factor = {2, SQRT2}, .self = SPL_ROW_CONJUGATE,
                         .self_factor = {TWICE_SIN, TWICE_COS}},
    [SPL_PAIRS_RDST3] = {"rdst3", .form = SPL_PAIR_BOTH, .in = SPL_SIDE_MIRRORED, .shift = 1,
                         .y = REALS(MINUS_I, CONJUGATE_EIGHTH_BACK), .x = REALS(SAME, CONJUGATE),
                         .scale = 1, COSINE_ROOTS, .conjugate = true, .edge = SPL_EDGE_PARTS_IN,
                         .edge_factor = {1, SQRT2}, .self = SPL_ROW_CONJUGATE,
                         .self_factor = {TWICE_SIN, TWICE_COS}},
    [SPL_PAIRS_RIDXST] = {"ridxst", .form = SPL_PAIR_BOTH, .in = SPL_SIDE_MIRRORED,
                          .y = REALS(MINUS_I, CONJUGATE_EIGHTH_BACK), .x = REALS(SAME, CONJUGATE),
                          .scale = 1, COSINE_ROOTS, .conjugate = true, .edge = SPL_EDGE_PARTS_IN,
                          .edge_factor = {0, SQRT2}, .self = SPL_ROW_CONJUGATE,
                          .self_factor = {TWICE_SIN, TWICE_COS}},
    [SPL_PAIRS_RDHT] = {"rdht", .out = SPL_SIDE_MIRRORED, .y = REALS(SAME, CONJUGATE),
                        .x = REALS(ONE_I, CONJUGATE_ONE_I), .scale = 0.5L, TURNED_ROOT,
                        .edge = SPL_EDGE_PARTS_OUT, .edge_factor = {1, 1},
                        .self = SPL_ROW_CONJUGATE, .self_factor = {1, 1}},
    [SPL_PAIRS_HC] = {"hc", .out = SPL_SIDE_MIRRORED, .y = REALS(SAME, CONJUGATE),
                      .x = REALS(SAME, CONJUGATE), .scale = 0.5L, TURNED_ROOT,
                      .edge = SPL_EDGE_PARTS_OUT, .edge_factor = {1, 1}, .self = SPL_ROW_CONJUGATE,
                      .self_factor = {1}},
    [SPL_PAIRS_IHC] = {"ihc", .in = SPL_SIDE_MIRRORED, .y = REALS(SAME, CONJUGATE),
                       .x = REALS(SAME, CONJUGATE), .scale = 1, TURNED_ROOT, .conjugate = true,
                       .edge = SPL_EDGE_PARTS_IN, .edge_factor = {1, 1}, .self = SPL_ROW_CONJUGATE,
                       .self_factor = {2}},
    [SPL_PAIRS_PACKED] = {"packed", .y = REALS(SAME, CONJUGATE), .x = REALS(SAME, CONJUGATE),
                          .scale = 0.5L, TURNED_ROOT, .edge = SPL_EDGE_PARTS_OUT,
                          .edge_factor = {1, 1}, .self = SPL_ROW_CONJUGATE, .self_factor = {1}},
    [SPL_PAIRS_IPACKED] = {"ipacked", .y = REALS(SAME, CONJUGATE), .x = REALS(SAME, CONJUGATE),
                           .scale = 1, TURNED_ROOT, .conjugate = true, .edge = SPL_EDGE_PARTS_IN,
                           .edge_factor = {1, 1}, .self = SPL_ROW_CONJUGATE, .self_factor = {2}},
    [SPL_PAIRS_DCT4IN] = {"dct4in", .form = SPL_PAIR_SWAP_IN, .scale = 1, HALF_STEP_ROOTS},
    [SPL_PAIRS_DCT4OUT] = {"dct4out", .form = SPL_PAIR_SWAP_OUT, .x = REALS(CONJUGATE, CONJUGATE),
                           .scale = 2, HALF_STEP_ROOTS, .self = SPL_ROW_CONJUGATE},
    [SPL_PAIRS_DST4IN] = {"dst4in", .form = SPL_PAIR_SWAP_IN, .y = REALS(CONJUGATE_I, CONJUGATE_I),
                          .scale = 1, HALF_STEP_ROOTS, .self = SPL_ROW_CONJUGATE_I},
    [SPL_PAIRS_DST4OUT] = {"dst4out", .form = SPL_PAIR_SWAP_OUT, .scale = 2, HALF_STEP_ROOTS},
};

const spl_pairs_def *spl_pairs_def_of(spl_pairs_kind kind)
{
    return &table[kind];
}

spl_row_factor spl_row_factor_of(spl_row_map map)
{
    static const spl_row_factor maps[SPL_ROW_MAPS] = {
        [SPL_ROW_SAME] = {false, 1, 0},
        [SPL_ROW_CONJUGATE] = {true, 1, 0},
        [SPL_ROW_I] = {false, 0, 1},
        [SPL_ROW_MINUS_I] = {false, 0, -1},
        [SPL_ROW_EIGHTH] = {false, SQRT_HALF, -SQRT_HALF},
        [SPL_ROW_EIGHTH_BACK] = {false, SQRT_HALF, SQRT_HALF},
        [SPL_ROW_ONE_I] = {false, 1, 1},
        [SPL_ROW_CONJUGATE_I] = {true, 0, 1},
        [SPL_ROW_CONJUGATE_EIGHTH_BACK] = {true, SQRT_HALF, SQRT_HALF},
        [SPL_ROW_CONJUGATE_ONE_I] = {true, 1, 1},
    };
    return maps[map];
}

static int64_t elements_of(spl_pairs_side side, int64_t m)
{
    return side == SPL_SIDE_MIRRORED ? 2 * m : m + (side == SPL_SIDE_LAST);
}

int64_t spl_pairs_rows(spl_pairs_kind kind, int64_t m)
{
    return elements_of(table[kind].out, m);
}

int64_t spl_pairs_cols(spl_pairs_kind kind, int64_t m)
{
    return elements_of(table[kind].in, m);
}

static int rows_of(spl_pairs_role role, spl_pairs_side side)
{
    return role == SPL_ROLE_PAIR || (role == SPL_ROLE_EDGE && side == SPL_SIDE_LAST) ? 2 : 1;
}

int spl_role_rows(spl_pairs_kind kind, spl_pairs_role role)
{
    return rows_of(role, table[kind].out);
}

int spl_role_cols(spl_pairs_kind kind, spl_pairs_role role)
{
    return rows_of(role, table[kind].in);
}

const char *spl_role_word(spl_pairs_role role)
{
    static const char *const words[SPL_ROLES] = {"PAIR", "EDGE", "SELF"};
    return words[role];
}

static bool exchanges_parts(const spl_pairs_def *p)
{
    return p->form == SPL_PAIR_SWAP_IN || p->form == SPL_PAIR_SWAP_OUT;
}

int spl_role_factors(spl_pairs_kind kind, spl_pairs_role role)
{
    static const int factors[] = {
        [SPL_PAIR_MIDDLE] = 1, [SPL_PAIR_TURN] = 0,    [SPL_PAIR_IN] = 1,      [SPL_PAIR_OUT] = 1,
        [SPL_PAIR_BOTH] = 2,   [SPL_PAIR_SWAP_IN] = 2, [SPL_PAIR_SWAP_OUT] = 2};
    const spl_pairs_def *p = &table[kind];
    if (role == SPL_ROLE_PAIR)
        return factors[p->form];
    return role == SPL_ROLE_SELF && exchanges_parts(p) ? 1 : 0;
}

int64_t spl_pairs_exponent(spl_pairs_kind kind, int i, int64_t m, int64_t k)
{
    const spl_pairs_root *root = &table[kind].root[i];
    return root->per_k * k + root->per_m * m + root->per_one;
}

static bool same_kernel(const spl_pairs_def *a, const spl_pairs_def *b, spl_pairs_role role)
{
    if (role == SPL_ROLE_PAIR)
        return a->form == b->form && a->y[0] == b->y[0] && a->y[1] == b->y[1] && a->x[0] == b->x[0]
               && a->x[1] == b->x[1] && a->scale == b->scale;
    if (role == SPL_ROLE_EDGE)
        return a->edge == b->edge && a->edge_factor[0] == b->edge_factor[0]
               && a->edge_factor[1] == b->edge_factor[1];
    return (exchanges_parts(a) || exchanges_parts(b) ? a->form == b->form && a->scale == b->scale
                                                     : true)
           && a->self == b->self && a->self_factor[0] == b->self_factor[0]
           && a->self_factor[1] == b->self_factor[1];
}

spl_pairs_kind spl_role_like(spl_pairs_kind kind, spl_pairs_role role)
{
    int like = 0;
    while (!same_kernel(&table[like], &table[kind], role))
        like++;
    return (spl_pairs_kind)like;
}

static bool has_edge(spl_pairs_kind kind)
{
    return table[kind].edge != SPL_EDGE_NO_ROW;
}

int64_t spl_pairs_count(spl_pairs_kind kind, int64_t m)
{
    return has_edge(kind) ? (m - 1) / 2 : m / 2;
}

int spl_pairs_first(spl_pairs_kind kind)
{
    return has_edge(kind) ? 1 : 0;
}

int64_t spl_pairs_self(spl_pairs_kind kind, int64_t m)
{
    return m % 2 == (has_edge(kind) ? 0 : 1) ? m / 2 : -1;
}
