// SPDX-License-Identifier: BSD-3-Clause
/* MADV_WIPEONFORK (Linux 4.14): a private page reads as zeros after fork. On older kernels the
 * process number is compared instead. */
#include "core/fork.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/mem.h"

struct core_fork {
    size_t bytes;
    const volatile int *opened; /* 1; 0 after fork. NULL: no such page */
    pid_t pid;
};

core_fork *core_fork_open(void)
{
    core_fork *mark = core_calloc(1, sizeof *mark);

    if (!mark)
        return NULL;
    mark->pid = getpid();
    mark->bytes = (size_t)sysconf(_SC_PAGESIZE);
    int *page = mmap(NULL, mark->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return mark;
    if (madvise(page, mark->bytes, MADV_WIPEONFORK) != 0) {
        munmap(page, mark->bytes);
        return mark;
    }
    *page = 1;
    mark->opened = page;
    return mark;
}

void core_fork_close(core_fork *mark)
{
    if (!mark)
        return;
    if (mark->opened)
        munmap((void *)(size_t)mark->opened, mark->bytes);
    core_free(mark);
}

bool core_forked(const core_fork *mark)
{
    return mark->opened ? *mark->opened == 0 : mark->pid != getpid();
}
