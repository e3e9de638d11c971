// SPDX-License-Identifier: BSD-3-Clause
/* CORE_WIDE before a function of plain loops over doubles: it is compiled for each length of the
 * vectors that processors have, and the loader takes the longest one that there is. Nothing is
 * contracted, so that bits are the same. Sanitizers call functions of theirs before they are
 * loaded. */
#ifndef CORE_WIDE_H
#define CORE_WIDE_H

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__OPTIMIZE__) && !defined(__clang__)  \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CORE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CORE_WIDE
#endif

/* Before a loop: what it stores is not what it loads in other iterations. Clang checks that at run
 * time: its pragma is an error where sanitizers prevent vectors. */
#ifdef __clang__
#define CORE_APART
#else
#define CORE_APART _Pragma("GCC ivdep")
#endif

#endif
