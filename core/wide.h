// SPDX-License-Identifier: BSD-3-Clause
/* CORE_WIDE before a function of plain loops over doubles: the compiler makes one version for each
 * vector length, and the loader selects the longest that the processor has. Multiply-adds are not
 * contracted, so all versions give the same bits. Not with sanitizers: their instrumented resolvers
 * would call the sanitizer's functions before these are loaded. */
#ifndef CORE_WIDE_H
#define CORE_WIDE_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__OPTIMIZE__) && !defined(__clang__)  \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CORE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CORE_WIDE
#endif

/* Before a loop in which no iteration loads what another one stores. Clang gets none: it checks
 * this at run time, and its pragma is an error where sanitizers prevent vectorisation. */
#ifdef __clang__
#define CORE_APART
#else
#define CORE_APART _Pragma("GCC ivdep")
#endif

#endif
