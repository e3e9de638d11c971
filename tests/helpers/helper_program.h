// SPDX-License-Identifier: BSD-3-Clause
/* Programs in tests: from text, run by the reference, compared with the formula. */
#ifndef TESTS_HELPER_PROGRAM_H
#define TESTS_HELPER_PROGRAM_H

#include "spl/program/program.h"

/* The two stages of a DFT_64 as loops over two parts; PAR_A * PAR_B is the transform. */
#define PAR_A                                                                                      \
    "SUM.par(k1<2, SUM(k0<4, S(h(8,64,k0%4+4*k1%2,8)) * DFT(8)_{leaf} * "                          \
    "G(h(8,64,k0%4+4*k1%2,8))))"
#define PAR_B                                                                                      \
    "SUM.par(k1<2, SUM(k0<4, S(h(8,64,8*k0%4+32*k1%2,1)) * D(8,8,h(8,64,8*k0%4+32*k1%2,1)) * "     \
    "DFT(8)_{leaf} * G(h(8,64,k0%4+4*k1%2,8))))"

/* Fails the test if the text does not parse. */
const spl *program_parsed(spl_ctx *ctx, const char *text);
/* Fails the test and prints the program if the checker refuses it. */
void program_check(const prog *p, const char *text);
/* Runs p with 1, 2 and 3 threads, in both precisions, in arrays of its sides' layouts, and compares
 * with the formula; the input must be unchanged unless the program is in place. */
void program_compare(const prog *p, const spl *formula);
/* Once, with another executor in place of the reference. */
typedef sluice_status program_runner(const prog *p, sluice_precision precision,
                                     const sluice_arrays *arrays, int threads);
void program_compare_on(program_runner *run, sluice_precision precision, int threads, const prog *p,
                        const spl *formula);

#endif
