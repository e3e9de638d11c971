// SPDX-License-Identifier: BSD-3-Clause
#include "core/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.h"

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
    const int fd = core_descriptor_temporary(to, O_WRONLY, part, sizeof part);
    if (fd < 0)
        return SLUICE_E_IO;
    return write_temporary(fd, part, to, exists ? there.st_mode & 0777 : 0, bytes, length);
}
