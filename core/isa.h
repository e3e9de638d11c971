// SPDX-License-Identifier: BSD-3-Clause
/* Instruction sets of vectors, in ascending order. In a file of its own, so that codelets, which
 * take long to compile, depend on nothing else of this folder. */
#ifndef CORE_ISA_H
#define CORE_ISA_H

typedef enum core_isa {
    CORE_ISA_SCALAR = 0,
    CORE_ISA_VEC128,
    CORE_ISA_AVX2,
    CORE_ISA_AVX512,
    CORE_ISA_COUNT
} core_isa;

#endif
