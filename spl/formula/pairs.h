// SPDX-License-Identifier: BSD-3-Clause
/* Stages of pairs, which make another transform of a complex one: a table with a row for each.
 *
 * A stage of m points computes on pairs of rows k and m-k, 0 < k < m/2, and on rows that have no
 * partner: 0, and m/2 if m is even. Stages without an edge pair rows k and m-1-k, 0 <= k < (m-1)/2,
 * and have no partner for (m-1)/2 if m is odd. A pair is one of the forms below, from right to
 * left, with F = [1 1; 1 -1]; y and x act on single rows, u_k and v_k are roots of unity. All that
 * is not complex-linear about a transform of reals lies in its pairs.
 *
 * A side is complex rows, or mirrored: 2m reals, of which a row is two that step in opposite
 * directions, re of row k at k and im at 2m-k. Row 0 has 0 and m. */
#ifndef SPL_PAIRS_H
#define SPL_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum spl_pairs_kind {
    SPL_PAIRS_RDFT = 0, /* DFT_m of pairs of reals -> RDFT_2m */
    SPL_PAIRS_IRDFT,    /* RDFT_2m -> DFT_m of pairs of reals, times 2m */
    SPL_PAIRS_DCT2,     /* DFT_m of folded elements -> DCT2_m; complex-linear, as the next */
    SPL_PAIRS_DCT3,     /* -> DFT_m of folded elements of DCT3_m */
    SPL_PAIRS_DHT,      /* DFT_m -> DHT_m */
    SPL_PAIRS_IDXST,    /* as DCT3, of what IDXST reads */
    SPL_PAIRS_DCT4,     /* -> DFT_m of folded elements of DCT4_m, but for a rotation of these */
    SPL_PAIRS_RDCT2,    /* DFT_m of pairs of 2m folded reals -> DCT2_2m */
    SPL_PAIRS_RDCT3,    /* -> DFT_m of pairs of 2m folded reals of DCT3_2m */
    SPL_PAIRS_RDST2,    /* the same for sines, of which every other real has its sign changed */
    SPL_PAIRS_RDST3,
    SPL_PAIRS_RIDXST,
    SPL_PAIRS_RDHT,   /* DFT_m of pairs of reals -> DHT_2m */
    SPL_PAIRS_HC,     /* DFT_m of pairs of reals -> RDFT_2m: real parts, imaginary parts mirrored */
    SPL_PAIRS_IHC,    /* back, times 2m */
    SPL_PAIRS_PACKED, /* DFT_m of pairs of reals -> RDFT_2m, rows 0 and m as re and im of row 0 */
    SPL_PAIRS_IPACKED, /* back, times 2m */
    SPL_PAIRS_DCT4IN,  /* pairs of 2m reals -> what DFT_m takes of DCT4_2m, .. */
    SPL_PAIRS_DCT4OUT, /* .. and what it leaves -> pairs of reals */
    SPL_PAIRS_DST4IN,  /* the same for DST4_2m, .. */
    SPL_PAIRS_DST4OUT, /* .. of which every other real has its sign changed */
    SPL_PAIRS_KINDS
} spl_pairs_kind;

/* What a kernel of pairs computes: a pair, or what has no partner. */
typedef enum spl_pairs_role {
    SPL_ROLE_PAIR = 0, /* rows k and m-k (m-1-k)  */
    SPL_ROLE_EDGE,     /* row 0, with row m on a side that has it */
    SPL_ROLE_SELF,     /* row m/2 ((m-1)/2)       */
    SPL_ROLES
} spl_pairs_role;

/* Each may have a scale s. */
typedef enum spl_pair_form {
    SPL_PAIR_MIDDLE = 0, /* x F diag(s, s v_k) F y          */
    SPL_PAIR_TURN,       /* x F diag(s, s i) F y: no factor */
    SPL_PAIR_IN,         /* x F diag(v_k, v_k*) y           */
    SPL_PAIR_OUT,        /* x diag(v_k, v_k*) F y           */
    SPL_PAIR_BOTH,       /* x F diag(s u_k, s v_k) F y      */
    SPL_PAIR_SWAP_IN,    /* of rows a, b: y (re a + i im b) s u_k and y (re b + i im a) s v_k */
    SPL_PAIR_SWAP_OUT    /* a' = s u_k a, b' = s v_k b: x (re a' + i im b'), x (re b' + i im a') */
} spl_pair_form;

/* What y and x do to a row: a conjugation, then a factor. */
typedef enum spl_row_map {
    SPL_ROW_SAME = 0,
    SPL_ROW_CONJUGATE,
    SPL_ROW_I,
    SPL_ROW_MINUS_I,
    SPL_ROW_EIGHTH,      /* w_8 = (1 - i)/sqrt 2  */
    SPL_ROW_EIGHTH_BACK, /* w_8* = (1 + i)/sqrt 2 */
    SPL_ROW_ONE_I,       /* 1 + i                 */
    SPL_ROW_CONJUGATE_I,
    SPL_ROW_CONJUGATE_EIGHTH_BACK,
    SPL_ROW_CONJUGATE_ONE_I,
    SPL_ROW_MAPS
} spl_row_map;

typedef struct spl_row_factor {
    bool conjugate;
    long double re, im; /* of the conjugated row */
} spl_row_factor;

typedef enum spl_pairs_side {
    SPL_SIDE_ROWS = 0, /* m complex rows                           */
    SPL_SIDE_LAST,     /* m + 1, of which rows 0 and m are real    */
    SPL_SIDE_MIRRORED  /* 2m reals                                 */
} spl_pairs_side;

/* Row 0. Complex row z and real rows p, q, of which im is neither read nor left anything but 0; or
 * p and q are the parts of a row. */
typedef enum spl_edge_form {
    SPL_EDGE_APART = 0, /* z -> p = re z + im z, q = re z - im z   */
    SPL_EDGE_TOGETHER,  /* p, q -> z = (p + q) + i (p - q)         */
    SPL_EDGE_SCALE,     /* z -> e0 z                               */
    SPL_EDGE_PARTS_OUT, /* parts p, q -> e0 (p + q), e1 (p - q)    */
    SPL_EDGE_PARTS_IN,  /* parts p, q -> e0 p + e1 q, e0 p - e1 q  */
    SPL_EDGE_NO_ROW     /* rows k and m-1-k are pairs              */
} spl_edge_form;

/* w_{order m}^{per_k k + per_m m + per_one} */
typedef struct spl_pairs_root {
    int per_k, per_m, per_one;
} spl_pairs_root;

enum { SPL_PAIR_FACTORS = 2 }; /* at most */

typedef struct spl_pairs_def {
    const char *word; /* "rdft", in PAIRS.rdft(m)               */
    spl_pair_form form;
    spl_pairs_side in, out;
    bool swapped;                          /* rows are read in the order m-k, k      */
    int shift;                             /* mirrored reals are that much lower     */
    spl_row_map y[2], x[2];                /* of rows k and m-k                      */
    long double scale;                     /* s; 1 where the form has none           */
    int order;                             /* of the roots; 0: none                  */
    spl_pairs_root root[SPL_PAIR_FACTORS]; /* v_k, or u_k and v_k       */
    bool conjugate;                        /* of these                  */
    spl_edge_form edge;                    /* row 0                     */
    long double edge_factor[2];            /* e0, e1                    */
    spl_row_map self;                      /* row m/2, then a factor    */
    long double self_factor[2];            /* re, im; SWAP_IN, SWAP_OUT: y u_k or x u_k instead */
} spl_pairs_def;

const spl_pairs_def *spl_pairs_def_of(spl_pairs_kind kind);
spl_row_factor spl_row_factor_of(spl_row_map map);
int64_t spl_pairs_rows(spl_pairs_kind kind, int64_t m);
int64_t spl_pairs_cols(spl_pairs_kind kind, int64_t m);
/* Rows that the kernel of a role writes and reads. */
int spl_role_rows(spl_pairs_kind kind, spl_pairs_role role);
int spl_role_cols(spl_pairs_kind kind, spl_pairs_role role);
const char *spl_role_word(spl_pairs_role role); /* "PAIR" "EDGE" "SELF" */
/* Roots of unity that the kernel of a role multiplies by, 0 to 2: those of its k, in this order. */
int spl_role_factors(spl_pairs_kind kind, spl_pairs_role role);
/* The exponent of w_{order m} of the i-th of them. */
int64_t spl_pairs_exponent(spl_pairs_kind kind, int i, int64_t m, int64_t k);
/* The first kind whose kernel of this role computes the same, given its factors. */
spl_pairs_kind spl_role_like(spl_pairs_kind kind, spl_pairs_role role);
/* Pairs of a stage: k from spl_pairs_first on, this many. */
int64_t spl_pairs_count(spl_pairs_kind kind, int64_t m);
int spl_pairs_first(spl_pairs_kind kind);
/* The row without a partner; -1: all have one. */
int64_t spl_pairs_self(spl_pairs_kind kind, int64_t m);
/* The kernel of a role, of rows that are re,im pairs (pair_apply.c); root: its factors, two pairs
 * of which those that it has come first. */
void spl_pair_apply(spl_pairs_kind kind, spl_pairs_role role, const long double *root,
                    const long double *in, long double *out);

#endif
