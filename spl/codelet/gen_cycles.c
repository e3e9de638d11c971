// SPDX-License-Identifier: BSD-3-Clause
/* Predicts the cycles of a codelet from its instruction counts: those of the busiest port. */
#include "spl/codelet/gen.h"

/* Ports: AVX-512 has two for arithmetic, one of which shuffles; AVX2 has three, of which two
 * multiply and one shuffles; all do two loads and one store. Vectors of 128 bits are like AVX2;
 * without an fma instruction an fma is two operations. Scalar code does three operations a cycle,
 * an fma counting as two, and as many loads and stores as a vector has scalars. */
double gen_cycles(const spl_key *key, const gen_vector *v, bool fma, const int *count)
{
    const int muls = count[GEN_MULS] + count[GEN_FMAS], shuffles = count[GEN_SHUFFLES];
    const bool scalar = key->isa == CORE_ISA_SCALAR, wide = v->width * v->bytes == 64;
    const int sums = scalar || fma ? 0 : count[GEN_FMAS];
    const int all = count[GEN_ADDS] + muls + sums + shuffles, parts = scalar ? v->width : 1;
    const double bound[] = {
        scalar ? (all - shuffles + count[GEN_FMAS]) * parts / 3.0 : all / (wide ? 2.0 : 3.0),
        scalar || wide ? 0 : muls / 2.0,
        scalar ? 0 : shuffles,
        count[GEN_LOADS] * parts / 2.0,
        count[GEN_STORES] * parts,
    };
    double max = 0;
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
        max = bound[i] > max ? bound[i] : max;
    return max;
}
