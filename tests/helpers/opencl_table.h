// SPDX-License-Identifier: BSD-3-Clause
/* Entries of the tables of emitted OpenCL C, by the definitions in the head of such a file. */
#ifndef TESTS_OPENCL_TABLE_H
#define TESTS_OPENCL_TABLE_H

/* Entry t of the diagonal that a letter names. */
void opencl_table_entry(char diagonal, long n, long m, long t, long double *re, long double *im);

#endif
