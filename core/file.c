// SPDX-License-Identifier: BSD-3-Clause
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The name of the process and a number, since threads may write the same file. */
static bool name_part(const char *path, char *part, size_t size)
{
    static atomic_uint number;
    const int length = snprintf(part, size, "%s.%ld.%u.part", path, (long)getpid(),
                                atomic_fetch_add_explicit(&number, 1, memory_order_relaxed));

    if (length > 0 && (size_t)length < size)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* A failure whose errno what follows must not cover. */
static sluice_status undo(int fd, const char *part)
{
    const int error = errno;

    if (fd >= 0)
        close(fd);
    if (part)
        unlink(part);
    errno = error;
    return SLUICE_E_IO;
}

static sluice_status write_directly(const char *path, const char *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return SLUICE_E_IO;
    if (!write_all(fd, bytes, length))
        return undo(fd, NULL);
    return close(fd) == 0 ? SLUICE_OK : SLUICE_E_IO;
}

/* fsync, for without it a crash may leave the new name with nothing behind it. */
static sluice_status write_part(const char *part, mode_t mode, const char *bytes, size_t length)
{
    const int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd < 0)
        return SLUICE_E_IO;
    if (!write_all(fd, bytes, length))
        return undo(fd, part);
    /* Where the permissions cannot be kept, those of a new file will do. */
    if (mode != 0 && fchmod(fd, mode) != 0)
        errno = 0;
    if (fsync(fd) != 0)
        return undo(fd, part);
    return close(fd) == 0 ? SLUICE_OK : undo(-1, part);
}

sluice_status core_file_write(const char *path, const char *bytes, size_t length)
{
    char target[PATH_MAX], part[PATH_MAX];
    struct stat there;
    const bool exists = stat(path, &there) == 0;
    const char *const to = exists ? target : path;

    if (exists && !S_ISREG(there.st_mode))
        return write_directly(path, bytes, length);
    /* A file that may not be written must not be replaced either. */
    if (exists && (access(path, W_OK) != 0 || !realpath(path, target)))
        return SLUICE_E_IO;
    if (!name_part(to, part, sizeof part))
        return SLUICE_E_IO;
    const sluice_status status = write_part(part, exists ? there.st_mode & 0777 : 0, bytes, length);
    if (status != SLUICE_OK)
        return status;
    return rename(part, to) == 0 ? SLUICE_OK : undo(-1, part);
}
