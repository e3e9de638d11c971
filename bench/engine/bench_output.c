// SPDX-License-Identifier: BSD-3-Clause
/* Checks without changing anything: a run that fails leaves no empty file. */
#include "bench/engine/bench_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/report/bench_say.h"

static bool ends_in_png(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && path[length - 5] != '/' && strcasecmp(path + length - 4, ".png") == 0;
}

/* Creates a file to find out whether it can be created: permissions alone do not tell. */
static bool can_make(const char *path, const char *end)
{
    char name[PATH_MAX];
    const int length = snprintf(name, sizeof name, "%s%s", path, end);
    if (length >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return false;
    }
    const int file = open(name, O_WRONLY | O_CREAT | O_NOFOLLOW, 0666);
    if (file >= 0) {
        close(file);
        unlink(name);
    }
    return file >= 0;
}

bench_exit bench_output_picture(const char *path)
{
    struct stat there;
    if (!ends_in_png(path)) {
        bench_complain(
            "--plot draws PNG pictures, into a file whose name ends in .png; '%s' does not", path);
        return BENCH_USAGE;
    }
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) {
        bench_complain("cannot write %s: it is no file", path);
        return BENCH_IO;
    }
    return can_make(path, BENCH_PART) ? BENCH_DONE : bench_cannot_write(path);
}

bench_exit bench_output_folder(const char *path)
{
    struct stat there;
    const bool exists = stat(path, &there) == 0;
    if (!exists && (strcmp(path, "-") == 0 || ends_in_png(path))) {
        bench_complain("--plot draws the pictures of a suite into a folder, and '%s' is none",
                       path);
        return BENCH_USAGE;
    }
    if (exists && !S_ISDIR(there.st_mode)) {
        errno = ENOTDIR;
        return bench_cannot_write(path);
    }
    const bool good =
        exists ? can_make(path, "/" BENCH_PART) : mkdir(path, 0777) == 0 && rmdir(path) == 0;
    return good ? BENCH_DONE : bench_cannot_write(path);
}

bool bench_output_same(const char *a, const char *b)
{
    struct stat x, y;
    if (!a || !b || strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return false;
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return strcmp(a, b) == 0;
}
