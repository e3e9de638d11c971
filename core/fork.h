// SPDX-License-Identifier: BSD-3-Clause
/* Tells the process that opened the library from children forked from it. Every execution checks
 * this, so the check makes no system call: it reads a page that the kernel clears in children. */
#ifndef CORE_FORK_H
#define CORE_FORK_H

#include <stdbool.h>

typedef struct core_fork core_fork;

core_fork *core_fork_open(void);       /* NULL: out of memory */
void core_fork_close(core_fork *mark); /* NULL allowed */
/* True in every process but the one that called core_fork_open. Any thread. */
bool core_forked(const core_fork *mark);

#endif
