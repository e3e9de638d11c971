// SPDX-License-Identifier: BSD-3-Clause
/* The passes around a complex transform that make it another one: a table with a row for each.
 *
 * A pass of m points computes on pairs of rows k and m-k, 0 < k < m/2, and on rows that have no
 * partner: 0, and m/2 if m is even. A pair is one of the forms below, from right to left, with
 * F = [1 1; 1 -1]; y and x act on single rows, and v_k is a root of unity. All that is not
 * complex-linear about a transform of reals lies in its pass. */
#ifndef SPL_PASSES_H
#define SPL_PASSES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum spl_pass_kind {
    SPL_PASS_RDFT = 0, /* DFT_m of pairs of reals -> RDFT_2m */
    SPL_PASS_IRDFT,    /* RDFT_2m -> DFT_m of pairs of reals, times 2m */
    SPL_PASS_DCT2,     /* DFT_m of folded elements -> DCT2_m; complex-linear, as the next */
    SPL_PASS_DCT3,     /* -> DFT_m of folded elements of DCT3_m */
    SPL_PASS_DHT,      /* DFT_m -> DHT_m */
    SPL_PASSES
} spl_pass_kind;

/* What a kernel of a pass computes: a pair, or what has no partner. */
typedef enum spl_pass_role {
    SPL_ROLE_PAIR = 0, /* rows k and m-k          */
    SPL_ROLE_EDGE,     /* row 0, with row m on a side that has it */
    SPL_ROLE_SELF,     /* row m/2                 */
    SPL_ROLES
} spl_pass_role;

typedef enum spl_pair_form {
    SPL_PAIR_MIDDLE = 0, /* x F diag(s, s v_k) F y          */
    SPL_PAIR_TURN,       /* x F diag(s, s i) F y: no factor */
    SPL_PAIR_IN,         /* x F diag(v_k, v_k*) y           */
    SPL_PAIR_OUT         /* x diag(v_k, v_k*) F y           */
} spl_pair_form;

/* What y and x do to a row. */
typedef enum spl_row_map {
    SPL_ROW_SAME = 0,
    SPL_ROW_CONJUGATE,
    SPL_ROW_I,
    SPL_ROW_MINUS_I
} spl_row_map;

/* Row 0. Complex row z and real rows p, q, of which im is neither read nor left anything but 0. */
typedef enum spl_pass_edge {
    SPL_EDGE_APART = 0, /* z -> p = re z + im z, q = re z - im z   */
    SPL_EDGE_TOGETHER,  /* p, q -> z = (p + q) + i (p - q)         */
    SPL_EDGE_SCALE      /* z -> edge_scale z                       */
} spl_pass_edge;

typedef struct spl_pass {
    const char *word; /* "rdft", in PAIRS.rdft(m)               */
    spl_pair_form form;
    bool last_in, last_out;  /* m + 1 rows there, m without            */
    spl_row_map y[2], x[2];  /* of rows k and m-k                      */
    long double scale;       /* s                                      */
    int order, per_k, per_m; /* v_k = w_{order m}^{per_k k + per_m m}  */
    bool conjugate;          /* of that                                */
    spl_pass_edge edge;      /* row 0                                  */
    long double edge_scale;
    spl_row_map self; /* row m/2                                */
    long double self_scale;
} spl_pass;

const spl_pass *spl_pass_of(spl_pass_kind kind);
int64_t spl_pass_rows(spl_pass_kind kind, int64_t m);
int64_t spl_pass_cols(spl_pass_kind kind, int64_t m);
/* Rows that the kernel of a role writes and reads. */
int spl_role_rows(spl_pass_kind kind, spl_pass_role role);
int spl_role_cols(spl_pass_kind kind, spl_pass_role role);
const char *spl_role_word(spl_pass_role role); /* "PAIR" "EDGE" "SELF" */
/* Pairs of a pass: k = 1 .. this. */
int64_t spl_pass_pairs(int64_t m);

#endif
