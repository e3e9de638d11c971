// SPDX-License-Identifier: BSD-3-Clause
/* Waiting without sleeping, for a few microseconds at most. */
#ifndef BACKENDS_CPU_SPIN_H
#define BACKENDS_CPU_SPIN_H

static inline void cpu_spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Polls before sleeping: about 20 us, the cost of a sleep and a wake-up. */
static inline int cpu_spin_limit(void)
{
    return 1000;
}

#endif
