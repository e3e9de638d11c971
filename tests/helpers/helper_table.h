// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables in tests: keys, and what the elements of a table have to be. */
#ifndef TESTS_HELPER_TABLE_H
#define TESTS_HELPER_TABLE_H

#include "spl/bind/bind_table.h"

/* T_{n,m} with rows m apart and columns 1 apart, as in DFT_{nm} = (DFT_n (x) I_m) T (..). */
bind_table_key table_key(bind_table_form form, int lanes, int64_t n, int64_t m);
/* The table of a key, which the caller puts back; fails the test where there is none. */
bind_table *table_made(bind_tables *tables, const bind_table_key *key);
/* w_{nm}^{(t div m)(t mod m)}, conjugated where asked, in the precision of the key. */
void table_factor(const bind_table_key *k, int64_t t, double *re, double *im);
/* Number `at` of the table has to be `value`, but for rounding. */
void table_expect(const bind_table *t, size_t at, double value);

#endif
