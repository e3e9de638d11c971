// SPDX-License-Identifier: BSD-3-Clause
/* Output files: written beside their name, renamed when they are complete. */
#define _XOPEN_SOURCE 700
#include "tools/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the handler of signals removes; set while `part_exists`. */
static char part_name[PATH_MAX];
static volatile sig_atomic_t part_exists;

static const int deadly[] = {SIGHUP, SIGINT, SIGTERM};

static void remove_part(int signal_number)
{
    if (part_exists)
        unlink(part_name);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* An ignored signal stays ignored: nohup means it. */
static void watch_signals(void)
{
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        struct sigaction was, act = {.sa_handler = remove_part};
        sigemptyset(&act.sa_mask);
        if (sigaction(deadly[i], NULL, &was) == 0 && was.sa_handler == SIG_DFL)
            sigaction(deadly[i], &act, NULL);
    }
}

static void forget(output *o)
{
    part_exists = 0;
    free(o->path);
    free(o->part);
    o->path = o->part = NULL;
    o->fd = -1;
}

/* Opens the name beside o->path, with the permissions of a file that it will replace. */
static int open_part(output *o, const struct stat *replaced)
{
    int length = snprintf(part_name, sizeof part_name, "%s.%ld.part", o->path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof part_name)
        return ENAMETOOLONG;
    o->part = strdup(part_name);
    if (!o->part)
        return ENOMEM;
    o->fd = open(part_name, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (o->fd < 0)
        return errno;
    part_exists = 1;
    watch_signals();
    /* Where the permissions cannot be kept, those of a new file will do. */
    if (replaced && fchmod(o->fd, replaced->st_mode & 0777) != 0)
        errno = 0;
    return 0;
}

int output_open(output *o, const char *path)
{
    *o = (output){.fd = STDOUT_FILENO, .shown = path};
    if (strcmp(path, "-") == 0) {
        o->shown = "standard output";
        return 0;
    }
    struct stat there;
    bool exists = stat(path, &there) == 0;
    if (exists && !S_ISREG(there.st_mode)) {
        o->fd = open(path, O_WRONLY);
        return o->fd < 0 ? errno : 0;
    }
    /* A file that may not be written must not be replaced either; a link stays a link. */
    if (exists && access(path, W_OK) != 0)
        return errno;
    o->path = exists ? realpath(path, NULL) : strdup(path);
    int error = o->path ? open_part(o, exists ? &there : NULL) : errno;
    if (error)
        forget(o);
    return error;
}

int output_write(output *o, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t done = write(o->fd, from, count);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0) {
            from += done;
            count -= (size_t)done;
        }
    }
    return 0;
}

int output_commit(output *o)
{
    int error = close(o->fd) == 0 ? 0 : errno; /* quotas and network disks complain here */
    if (!error && o->part && rename(o->part, o->path) != 0)
        error = errno;
    if (error && o->part)
        unlink(o->part);
    forget(o);
    return error;
}

void output_discard(output *o)
{
    close(o->fd);
    if (o->part)
        unlink(o->part);
    forget(o);
}
