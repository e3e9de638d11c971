// SPDX-License-Identifier: BSD-3-Clause
/* The contract between the codelet generator (spl/codelet/gen_*.c, which prints codelets at build
 * time) and their callers.
 *
 * A codelet applies DFT_n (or its inverse) to many columns. Element i of column c is read at
 *     in + i*is + c*ics      and written at      out + i*os + c*ocs        (strides in SCALARS)
 * On an interleaved side a complex number is two adjacent scalars (in_im = in_re + 1, is = 2 for
 * dense data); on a split side re and im are in two arrays (is = 1 for dense data).
 *
 * Positions (V.. are identities of docs/RULES.md, Vectors)
 *   C  T (DFT_n (x) I_nu)               vertical: columns adjacent on both sides; no twiddles,
 *                                       one per row and column (vector), or that as a product of
 *                                       two (product, grid)                                      V1
 *   B  T (DFT_n (x) I_nu)               vertical, one twiddle per row for all lanes (broadcast)
 *   A  L_nu (T (DFT_n (x) I_nu))        columns adjacent on input, rows adjacent on output, one
 *                                       twiddle per row and column (vector, grid), or per
 *                                       row (broadcast), or none                                 V5
 *   R  (DFT_n (x) I_nu) L_n             rows adjacent on input, columns adjacent on output; no
 *                                       twiddles
 *   T  L_nu (DFT_n (x) I_nu) L_n        rows adjacent on both sides: nu transforms at a time     V6
 *   W  (whole transform in registers)   rows adjacent on both sides: one transform at a time,
 *                                       n = a b (short-vector Cooley-Tukey); computes
 *                                       interleaved, sides are in either format
 *   S  DFT_n of one transform           as W, but a vector holds one element, which is loaded and
 *                                       stored by itself: a call that reads the results of the call
 *                                       before waits least; same sums as T
 *   D  as T                             columns without gaps: memory is a sequence of vectors,
 *                                       each of which is stored whole
 *   G  DFT_n, any strides               element i at in + in_off[i] + c*ics, lane by lane; twiddles
 *                                       none or vector
 *   M  pairs, copies (see below)        row 0 adjacent, row 1 adjacent and backwards
 *   P  A_n (x) A_n of reals             a plane at a time, whose rows are vectors (gen_plane.c):
 *                                       element (i,j) at in + i*is + j, out + i*os + j
 *
 * The strides that a position reads; the others follow from "adjacent":
 *   C, B is os    A is ocs    R ics os    T, W, S ics ocs    G ics ocs in_off out_off    D none
 *   M (but for copies) is os      G, steps of pairs: is os ics ocs ics1 ocs1     P is os ics ocs
 *
 * Transforms of reals (key.kind is an spl_kind, key.n the n of its definition; no twiddles):
 * elements of a side are reals (SPL_REAL: one array, is = 1 for dense data) or complex numbers;
 * RDFT writes and IRDFT reads n/2 + 1 of these. C and T compute with reals, a transform in each
 * lane; W computes interleaved, as a DFT of n/2 points and pairs; P computes with reals, along both
 * axes of n x n elements. IRDFT ignores the imaginary parts of elements that are real.
 * call->inverse is not read.
 *
 * A codelet that weighs (key.weighed) multiplies what it loads by real weights, one per scalar of
 * its input, equal for re and im. If columns are adjacent, those of element i of column c are at
 * weight + i*ws + c*wcs, and sets step at iouter as the input does; at W they are at weight +
 * c*wcs, rows adjacent; at T rows are adjacent and all columns have the same weights.
 *
 * Steps of pairs (key.kind; spl/formula/pairs.h says what each computes, docs/FORMULAS.md from
 * which rows). Rows are at in, in + is and out, out + os; call->inverse is 0.
 *
 *   pair     M B G   2 -> 2   key.tw is none if the form has no factor (TURN)
 *   edge     B G     as many rows as spl_role_cols and spl_role_rows say; im of a row that is real
 *                    is not read, and is written as 0
 *   self     B G     1 -> 1   at B if there is no factor; key.tw vector if spl_role_factors is 1
 *
 * Row 1 of a pair runs backwards: at M its column c is c columns before is, os; at B its set t is t
 * sets before. At G row 0 has columns at ics, row 1 at ics1. The factors in a pair's table include
 * the scale of the pairs, except for IN and OUT, which have none. A column (vector) or a set
 * (broadcast) has spl_role_factors of them, in the order of the root's index.
 *
 * On a mirrored side (SPL_MIRROR) re and im are reals at separate places that step in opposite
 * directions. in_re and in_im are those of row 0. Addresses in scalars, for column c:
 *   M    row 0: in_re + c, in_im - c               row 1: in_re + is - c, in_im - is + c
 *   B    as M with t iouter instead of c for set t, whose columns are adjacent, upwards
 *   G    row 0: in_re + c ics, in_im + c ics1      row 1: in_re + is + c ics1, in_im - is + c ics
 * At M, pairs of such sides and pairs that exchange parts (SWAP_IN, SWAP_OUT) are computed split: a
 * vector has as many columns as scalars, and the other side is interleaved. Steps of one row are
 * never mirrored: at G re and im are wherever in_re and in_im point.
 *
 * Copies between interleaved and mirrored sides (kind DFT, n 1, M, split) are the fold of reals and
 * its inverse. They conjugate if call->inverse is set.
 *
 * With broadcast twiddles, and at B, there are two loops: over `count` sets, at distances iouter
 * and oouter in memory, and for each over call->set_columns columns. `first` and `count` then count
 * sets.
 *
 * Twiddles multiply OUTPUTS (before the store). Tables, in scalars of the codelet's precision; ROWS
 * are the output rows i; block b holds columns b*lanes .. b*lanes+lanes-1:
 *   vector, interleaved  block b: for i = f..n-1: 2*lanes scalars, wr,wi per lane
 *   vector, split        block b: for i = f..n-1: lanes scalars wr, then lanes scalars wi; the
 *                        factors of pairs alike
 *   broadcast            set t of the outer loop: for i = 1..n-1: wr, wi
 *   product              for i = 1..n-1: wr, wi, of the rows, to a multiple of 2*lanes scalars;
 *                        then block b: 2*lanes scalars, wr,wi per lane, of the columns
 *   grid                 two tables: tw as a set of broadcast ones, tw_shared as vector ones, f = 1
 * For vec128, interleaved, vector and broadcast factors are spread, so that they can be operands as
 * they are, and aligned to 16 bytes: for each row, per lane (broadcast: for all lanes), 2*lanes
 * scalars wr,wr, then 2*lanes scalars -wi,wi. At A f = 1, because row 0 of a Stockham stage has no
 * twiddles; at C and G f = 0.
 *
 * The inverse. Interleaved compute (compute = SPL_INTER) reads call->inverse and flips the sign of
 * its own imaginary constants; the caller passes conjugated twiddles. Split compute (SPL_SPLIT; G
 * always), except copies, ignores call->inverse: the caller exchanges the pointers to re and im on
 * both sides and passes the forward twiddles, since swap . F . swap = conj(F).
 *
 * count (broadcast: call->set_columns) is always a multiple of key.lanes: callers handle tails.
 * Data need only be aligned to the scalar. in may equal out if all strides and offsets are the same
 * on both sides, because each vector of columns is read before it is written; not so at A and R. No
 * codelet reads outside its rows and columns.
 *
 * M takes any count from key.lanes on: its last vector repeats columns, except with non-temporal
 * stores. */
#ifndef SPL_CODELET_H
#define SPL_CODELET_H

#include <stdbool.h>
#include <stddef.h>

#include "core/isa.h"
#include "spl/formula/formats.h"

typedef enum spl_position {
    SPL_POS_A = 0,
    SPL_POS_B,
    SPL_POS_C,
    SPL_POS_T,
    SPL_POS_W,
    SPL_POS_G,
    SPL_POS_D,
    SPL_POS_M,
    SPL_POS_P,
    SPL_POS_R,
    SPL_POS_S
} spl_position;
/* Kinds of codelets: spl_kind of transforms, and from SPL_CODELET_PAIRS on steps of pairs, by
 * spl_pairs_kind and spl_pairs_role. */
enum { SPL_CODELET_DFT = 0, SPL_CODELET_PAIRS = 100, SPL_CODELET_ROLES = 3 };
typedef enum spl_tw {
    SPL_TW_NONE = 0,
    SPL_TW_VECTOR,
    SPL_TW_BROADCAST,
    SPL_TW_FACTORED,       /* row factor times column factor; C, interleaved */
    SPL_TW_FACTORED_SHARED /* the same, column factors shared by all tiles; A, C, interleaved */
} spl_tw;

typedef struct spl_call {
    const void *in_re, *in_im; /* interleaved sides: in_im is not read */
    void *out_re, *out_im;
    const void *tw;                    /* table of column 0 (broadcast: of twiddle set 0) */
    const void *tw_shared;             /* grid: table of column 0 */
    ptrdiff_t is, os;                  /* strides of rows, in scalars */
    ptrdiff_t ics, ocs;                /* strides of columns, in scalars */
    const ptrdiff_t *in_off, *out_off; /* G: offset of each row, in scalars */
    size_t set_columns;                /* broadcast, B: columns of a set */
    ptrdiff_t iouter, oouter;          /* broadcast, B: strides of sets, in scalars */
    int inverse;                       /* 0 or 1, interleaved compute only */
    ptrdiff_t ics1, ocs1;              /* steps of pairs, G: strides of columns of row 1 */
    const void *weight;                /* key.weighed: of column 0 */
    ptrdiff_t ws, wcs;                 /* its strides of rows and columns, in scalars */
} spl_call;

/* Columns (broadcast: twiddle sets) first .. first+count-1. With vector twiddles first is a
 * multiple of key.lanes. */
typedef void spl_codelet_fn(const spl_call *call, size_t first, size_t count);

typedef struct spl_key {
    int n;
    core_isa isa;
    int precision;      /* sluice_precision */
    spl_format compute; /* format of the computation */
    spl_format in, out; /* formats in memory (G: SPL_SPLIT, which serves both) */
    spl_position position;
    spl_tw tw;
    int lanes; /* columns per vector step (W, S, P: 1) */
    /* Non-temporal stores: the caller guarantees that every stored vector is a whole, aligned line
     * of 64 bytes, and issues the store fence. */
    bool nt;
    int kind; /* spl_kind of the transform (SPL_DFT = 0 serves the inverse as well), or of pairs */
    bool weighed; /* multiplies its input by weights as it loads it */
} spl_key;

static inline int spl_pairs_codelet(int pairs, int role)
{
    return SPL_CODELET_PAIRS + pairs * SPL_CODELET_ROLES + role;
}

typedef struct spl_codelet {
    spl_key key;
    const char *name; /* holds every parameter: "dft16_avx512_f32_A_inter_inter_vector_8" */
    spl_codelet_fn *run;
    /* Instructions of one step, without loads of constants, which may stay in registers. */
    int adds, muls, fmas, shuffles, loads, stores;
    double cycles; /* predicted, of one step of `lanes` columns (W, S: one transform) */
    /* W and S, up to the largest n of S: cycles between two calls, the second of which reads the
     * results of the first. */
    double chain;
} spl_codelet;

/* Are the factors in its table spread? */
static inline bool spl_spreads_factors(const spl_key *key)
{
    return key->isa == CORE_ISA_VEC128 && key->kind == SPL_CODELET_DFT && key->compute == SPL_INTER
           && (key->tw == SPL_TW_VECTOR || key->tw == SPL_TW_BROADCAST);
}

/* Scalars of the row factors in a product's table. */
static inline size_t spl_product_head(int n, int lanes)
{
    const size_t line = 2 * (size_t)lanes;

    return (2 * ((size_t)n - 1) + line - 1) / line * line;
}

/* One table per ISA and precision, written by the generator; ends with name == NULL. */
extern const spl_codelet spl_codelets_scalar_f32[], spl_codelets_scalar_f64[];
extern const spl_codelet spl_codelets_vec128_f32[], spl_codelets_vec128_f64[];
extern const spl_codelet spl_codelets_avx2_f32[], spl_codelets_avx2_f64[];
extern const spl_codelet spl_codelets_avx512_f32[], spl_codelets_avx512_f64[];

#endif
