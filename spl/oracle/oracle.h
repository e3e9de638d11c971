// SPDX-License-Identifier: BSD-3-Clause
/* The oracle: what formulas, transforms and diagonals are by their definitions, in long double. It
 * shares no code with rules, lowering and codelets. Vectors are re,im pairs. */
#ifndef SPL_ORACLE_H
#define SPL_ORACLE_H

#include "spl/formula/spl.h"

/* out = x in: apply.c. Memory: SLUICE_E_MEMORY. A DFT is computed by spl_oracle_dft, a kernel of
 * pairs by spl_pair_apply, which tests/spl/test_pairs.c checks against sums of its own. */
sluice_status spl_apply(const spl *x, const long double *in, long double *out);
/* The dense matrix, row-major rows x cols re,im pairs: dense.c; for rows*cols <= 2^20.
 * E_UNSUPPORTED if there is none: a formula on complex vectors that is not complex-linear. */
sluice_status spl_dense(const spl *x, long double *matrix);
/* Largest absolute difference of what two formulas make of unit vectors, and of i times those where
 * either is not complex-linear; infinite if shapes or types differ. rows*cols <= 2^20. */
sluice_status spl_distance(const spl *a, const spl *b, long double *distance);
/* out = DFT_n in (inverse: conjugated kernel), any n, strides 1: oracle.c. By definition up to 64,
 * above by a recursive FFT with naive prime factors, itself tested against the definition. */
sluice_status spl_oracle_dft(int64_t n, bool inverse, const long double *in, long double *out);
/* Any transform by its definition (oracle_transform.c): `in` has its columns, `out` its rows; im of
 * reals is neither read nor left anything but 0. */
sluice_status spl_oracle_transform(spl_kind kind, int64_t n, const long double *in,
                                   long double *out);
/* Entry t of a diagonal, by its definition: SPL_SPECTRUM takes n steps. */
void spl_oracle_diagonal(spl_values values, int64_t n, int64_t m, int64_t t, long double *re,
                         long double *im);

#endif
