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
 *     DHT: y_k = ((1 + i) Z_k + (1 - i) Z_{m-k})/2 (Bracewell 1983). */
#include "spl/formula/passes.h"

#define SQRT2 1.41421356237309504880168872420969807857L

static const spl_pass table[SPL_PASSES] = {
    [SPL_PASS_RDFT] = {"rdft", .last_out = true, .y = {SPL_ROW_SAME, SPL_ROW_CONJUGATE},
                       .x = {SPL_ROW_SAME, SPL_ROW_CONJUGATE}, .scale = 0.5L, .order = 8,
                       .per_k = 4, .per_m = 2, .edge = SPL_EDGE_APART, .self = SPL_ROW_CONJUGATE,
                       .self_scale = 1},
    [SPL_PASS_IRDFT] = {"irdft", .last_in = true, .y = {SPL_ROW_SAME, SPL_ROW_CONJUGATE},
                        .x = {SPL_ROW_SAME, SPL_ROW_CONJUGATE}, .scale = 1, .order = 8, .per_k = 4,
                        .per_m = 2, .conjugate = true, .edge = SPL_EDGE_TOGETHER,
                        .self = SPL_ROW_CONJUGATE, .self_scale = 2},
    [SPL_PASS_DCT2] = {"dct2", .form = SPL_PAIR_IN, .x = {SPL_ROW_SAME, SPL_ROW_I}, .order = 4,
                       .per_k = 1, .edge = SPL_EDGE_SCALE, .edge_scale = 2, .self_scale = SQRT2},
    [SPL_PASS_DCT3] = {"dct3", .form = SPL_PAIR_OUT, .y = {SPL_ROW_SAME, SPL_ROW_MINUS_I},
                       .order = 4, .per_k = 1, .conjugate = true, .edge = SPL_EDGE_SCALE,
                       .edge_scale = 1, .self_scale = SQRT2},
    [SPL_PASS_DHT] = {"dht", .form = SPL_PAIR_TURN, .scale = 0.5L, .edge = SPL_EDGE_SCALE,
                      .edge_scale = 1, .self_scale = 1},
};

const spl_pass *spl_pass_of(spl_pass_kind kind)
{
    return &table[kind];
}

int64_t spl_pass_rows(spl_pass_kind kind, int64_t m)
{
    return m + table[kind].last_out;
}

int64_t spl_pass_cols(spl_pass_kind kind, int64_t m)
{
    return m + table[kind].last_in;
}

static int rows_of(spl_pass_role role, bool last)
{
    return role == SPL_ROLE_PAIR || (role == SPL_ROLE_EDGE && last) ? 2 : 1;
}

int spl_role_rows(spl_pass_kind kind, spl_pass_role role)
{
    return rows_of(role, table[kind].last_out);
}

int spl_role_cols(spl_pass_kind kind, spl_pass_role role)
{
    return rows_of(role, table[kind].last_in);
}

const char *spl_role_word(spl_pass_role role)
{
    static const char *const words[SPL_ROLES] = {"PAIR", "EDGE", "SELF"};
    return words[role];
}

int64_t spl_pass_pairs(int64_t m)
{
    return (m - 1) / 2;
}
