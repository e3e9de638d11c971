// SPDX-License-Identifier: BSD-3-Clause
/* Rules: named rewrites as data. A rule turns a node into an equal formula; its guard says why it
 * may not. Rules with parameters list their choices; the planner picks one, everything else is
 * deterministic. Every rule brings cases on which the tests compare both sides as dense
 * matrices. */
#ifndef SPL_RULE_H
#define SPL_RULE_H

#include "spl/formula/spl.h"

typedef struct spl_params {
    int64_t v[4]; /* factors, tile widths, ..: the rule's `params` says which */
} spl_params;

typedef enum spl_phase {
    SPL_BREAKDOWN, /* a transform into smaller ones: the planner searches, or somebody types it */
    SPL_PLANNED,   /* the same; the planner prices the rule's choices for each transform */
    SPL_TAGGING,   /* consumes the outermost tag of a tagged node            */
    SPL_SIGMA,     /* SPL construct -> loop                                  */
    SPL_MERGE,     /* Sigma-SPL -> Sigma-SPL, fewer or more inward operators */
    SPL_VECTOR     /* short-vector identities (in-register forms, codelets)  */
} spl_phase;

typedef struct spl_rule {
    const char *name; /* "dft-ct", "(7g)", "V5"      */
    spl_phase phase;
    const char *formula;   /* as in the comment above it  */
    const char *reference; /* where it comes from         */
    const char *params;    /* meaning of spl_params.v, "" for none */
    /* May the rule be used? If not, *refusal (may be NULL) is a static sentence naming the
     * condition. */
    bool (*guard)(const spl *x, const spl_params *p, const char **refusal);
    /* The right-hand side; NULL (recorded in ctx) on failure. Only called where guard holds. */
    const spl *(*build)(spl_ctx *ctx, const spl *x, const spl_params *p);
    /* Parameters that satisfy the guard, at most max; returns how many. NULL: the rule has none. */
    int (*choices)(const spl *x, spl_params *out, int max);
    /* The i-th test case: a left-hand side and parameters; false when there are no more. Cases
     * whose guard refuses are legal (tests check that the sentence exists). */
    bool (*test_case)(spl_ctx *ctx, int i, const spl **x, spl_params *p);
} spl_rule;

/* All rules, NULL-terminated, in the order of their phases (spl/rules/rules_table.c). */
extern const spl_rule *const spl_rules[];
const spl_rule *spl_rule_find(const char *name);
/* Guard, then build. A refused guard is recorded in ctx: "rule NAME: SENTENCE". */
const spl *spl_rule_apply(spl_ctx *ctx, const spl_rule *rule, const spl *x, const spl_params *p);

/* Breakdown rules (spl/rules/breakdown/rules_dft.c), used by the planner. x is DFT or IDFT (untagged, not leaf).
 * Results are untagged; subtransforms are bare DFT nodes to be broken down or marked leaf.
 *   dft-ct        DFT_nm = (DFT_n (x) I_m) T_{n,m} (I_n (x) DFT_m) L_n^{nm}           v = {n}
 *   dft-dif       DFT_nm = L_m^{nm} (I_n (x) DFT_m) T_{n,m} (DFT_n (x) I_m)           v = {n}
 *   dft-stockham  DFT_rm = (DFT_m (x) I_r) L_m^{rm} T_{r,m} (DFT_r (x) I_m)           v = {r}
 *                 (the four-step identity as one Stockham DIF step: radix r first)
 *   dft-tiles     the same with R = r q first, in tiles of w columns that are transposed between
 *                 DFT_r and DFT_q                                                   v = {R, r, w}
 *   dft-sixstep   DFT_nm = L_n^{nm} (I_m (x) DFT_n) L_m^{nm} T_{n,m} (I_n (x) DFT_m)
 *                 L_n^{nm}                                                            v = {n}
 *   dft-good-thomas  DFT_ab = P (DFT_a (x) DFT_b) P, a and b coprime                  v = {a}
 *   dft-bluestein DFT_n = C_n G(h) IDFT_M B_{n,M} DFT_M S(h) C_n, h the first n of M  v = {M}
 *   dft-rader     DFT_p = S (1 (+) IDFT_{p-1}) corner R_{p,g} (1 (+) DFT_{p-1}) G, p prime
 * Convolutions, IDFT_M D DFT_M (spl/rules/breakdown/rules_convolution.c):
 *   convolution-blocks  DFT_R on both ends of M/R points, between them R blocks, each with its own
 *                 transform, diagonal and inverse                                   v = {R}
 *   chirp-ends    (DFT_r (x) I_m) S(h) C_n, or C_n G(h) (DFT_r (x) I_m), in tiles of w columns,
 *                 each a loop that reads, multiplies and transforms                 v = {w}
 * Multi-dimensional, A (x) B with square A, B:
 *   row-column    A_m (x) B_n = (A_m (x) I_n)(I_m (x) B_n)
 *   slab          DFT_n (x) X: X and the first radix r of the axis in slabs of r X  v = {r} */
extern const spl_rule spl_dft_ct, spl_dft_dif, spl_dft_stockham, spl_dft_sixstep, spl_dft_coprime,
    spl_dft_bluestein, spl_dft_rader, spl_dft_tiles, spl_convolution_blocks, spl_chirp_ends,
    spl_slab, spl_row_column;

/* The tag local(bytes) of x replaced by stream(s), by the rule `local`; x itself where it has none. */
const spl *spl_derive_streams(spl_ctx *ctx, const spl *x, int64_t element_bytes);

/* Replaces every DFT/IDFT that is not leaf by its leaf-tagged self: {DFT(n)}_{leaf}. */
const spl *spl_mark_leaves(spl_ctx *ctx, const spl *x);
/* Is every transform of x a leaf and every s known, so that no choice remains? */
bool spl_complete(const spl *x);

#endif
