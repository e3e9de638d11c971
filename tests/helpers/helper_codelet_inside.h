// SPDX-License-Identifier: BSD-3-Clause
/* What the files of helper_codelet.h share. */
#ifndef HELPER_CODELET_INSIDE_H
#define HELPER_CODELET_INSIDE_H

#include "spl/formula/pairs.h"
#include "tests/helpers/helper_codelet.h"

enum { TRIAL_ARENA = 10240 }; /* scalars */
enum { TRIAL_GUARD = 65 };    /* scalars before the data: one off any alignment */

/* The tables of codelets of each instruction set and precision, NULL where they are not built, and
 * the best set that this processor has. */
extern const spl_codelet *const trial_tables[CORE_ISA_COUNT][2];
core_isa trial_best_isa(void);

bool trial_is_single(const trial *t);
double trial_round_to_precision(const trial *t, double x);
/* End of the range of columns, and of twiddle sets, that are accessed. */
int trial_columns_end(const trial *t);
int trial_outers_end(const trial *t);
bool trial_has_sets(const trial *t);
bool trial_is_pairs(const spl_key *key);
bool trial_is_copy(const spl_key *key); /* to or from a mirrored side */
spl_pairs_kind trial_pairs_of(const spl_key *key);
spl_pairs_role trial_role_of(const spl_key *key);
void trial_set_layouts(trial *t);
/* Offset of the imaginary part in the second arena. */
ptrdiff_t trial_imaginary_address(const trial_layout *l, int outer, int row, int column);
/* What a codelet that weighs multiplies both parts of an element by: a power of two. */
double trial_weight(const trial *t, int outer, int row, int column);
/* Where the imaginary part of an element of a side is; NULL: of a real one. */
double *trial_imaginary(spl_format format, const trial_layout *l, double *re, double *im, int outer,
                        int row, int column);
/* The rounded twiddle of a row; columns first .. are those of the trial. */
void trial_rounded_twiddle(const trial *t, int outer, int row, int column, double *re, double *im);

#endif
