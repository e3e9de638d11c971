// SPDX-License-Identifier: BSD-3-Clause
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_WRITERS = 99 }; /* concurrent writers of one file */

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t done = write(fd, bytes, length);
        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            bytes += done;
            length -= (size_t)done;
        }
    }
    return true;
}

/* Is the open file locked by this process and still the one of that name? False if another writer
 * has it. True if the file system has no locks. */
static bool holds_name(int fd, const char *part)
{
    struct stat held, named;

    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(fd, &held) == 0 && lstat(part, &named) == 0 && held.st_ino == named.st_ino
           && held.st_dev == named.st_dev;
}

/* Opens the first temporary name that no living writer has locked; a file left by a killed writer
 * is reused. -1: errno is set. */
static int open_temporary(const char *path, char *part, size_t size)
{
    for (int i = 1; i <= MAX_WRITERS; i++) {
        const int length = snprintf(part, size, "%s.sluice-part%d", path, i);
        if (length < 0 || (size_t)length >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd = open(part, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 || holds_name(fd, part))
            return fd;
        close(fd);
    }
    errno = EBUSY;
    return -1;
}

/* Closes and removes the temporary file and preserves errno. */
static sluice_status discard_temporary(int fd, const char *part)
{
    const int error = errno;

    if (part)
        unlink(part);
    close(fd);
    errno = error;
    return SLUICE_E_IO;
}

static sluice_status write_directly(const char *path, const char *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return SLUICE_E_IO;
    if (!write_all(fd, bytes, length))
        return discard_temporary(fd, NULL);
    return close(fd) == 0 ? SLUICE_OK : SLUICE_E_IO;
}

/* Uses fsync: without it a crash may leave an empty file under the new name. The file is closed,
 * which unlocks it, after the rename. */
static sluice_status write_temporary(int fd, const char *part, const char *to, mode_t mode,
                                     const char *bytes, size_t length)
{
    if (ftruncate(fd, 0) != 0 || !write_all(fd, bytes, length))
        return discard_temporary(fd, part);
    /* If the permissions cannot be kept, the file has those of a new one. */
    if (mode != 0 && fchmod(fd, mode) != 0)
        errno = 0;
    if (fsync(fd) != 0 || rename(part, to) != 0)
        return discard_temporary(fd, part);
    close(fd);
    return SLUICE_OK;
}

sluice_status core_file_write(const char *path, const char *bytes, size_t length)
{
    char target[PATH_MAX], part[PATH_MAX];
    struct stat there;
    const bool exists = stat(path, &there) == 0;
    const char *const to = exists ? target : path;

    if (exists && !S_ISREG(there.st_mode))
        return write_directly(path, bytes, length);
    /* A file without write permission must not be replaced. */
    if (exists && (access(path, W_OK) != 0 || !realpath(path, target)))
        return SLUICE_E_IO;
    const int fd = open_temporary(to, part, sizeof part);
    if (fd < 0)
        return SLUICE_E_IO;
    return write_temporary(fd, part, to, exists ? there.st_mode & 0777 : 0, bytes, length);
}
