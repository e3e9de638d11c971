// SPDX-License-Identifier: BSD-3-Clause
/* Opens files safely: temporary files under names that their writers lock, and substitutes for
 * closed standard descriptors. Inline, for programs that link only the public functions. */
#ifndef CORE_DESCRIPTOR_H
#define CORE_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CORE_WRITERS_MAX = 99 }; /* concurrent writers of one file */

/* Does this process now hold the lock of the file with that name? True if the file system has no
 * locks; false if the name was given to another file after it was opened. */
static inline bool core_descriptor_lock(int fd, const char *name)
{
    struct stat held, named;

    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(fd, &held) == 0 && lstat(name, &named) == 0 && held.st_ino == named.st_ino
           && held.st_dev == named.st_dev;
}

/* Opens the first temporary name beside `path` that no living writer has locked, and writes it to
 * `name`; a file left by a killed writer is reused. -1: errno is set. */
static inline int core_descriptor_temporary(const char *path, int flags, char *name, size_t size)
{
    for (int i = 1; i <= CORE_WRITERS_MAX; i++) {
        const int length = snprintf(name, size, "%s.sluice-part%d", path, i);
        if (length < 0 || (size_t)length >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(name, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 || core_descriptor_lock(fd, name))
            return fd;
        close(fd);
    }
    errno = EBUSY;
    return -1;
}

/* If a standard descriptor is closed, the first file that is opened would get its number, and
 * printed text would go into that file. So each closed one is opened on /dev/null in the wrong
 * direction: using it still fails. */
static inline void core_descriptor_keep_standard(void)
{
    static const int against[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", against[fd]) < 0)
            return;
}

#endif
