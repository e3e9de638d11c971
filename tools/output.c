// SPDX-License-Identifier: BSD-3-Clause
/* Output files: written next to their name, renamed when they are complete. The other name is the
 * same in every run, `NAME.sluice-part1`, and locked while its process lives: one that is not locked
 * was left by a process that was killed, and is taken over; one that is makes this process take the
 * next number. */
#include "tools/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/tool.h"

enum { INPUTS_MAX = 4, WRITERS_MAX = 99 };

static struct {
    struct stat file;
    const char *shown;
} inputs[INPUTS_MAX];
static int input_count;

/* What the handler of signals removes; set while `part_exists`. */
static char part_name[PATH_MAX];
static volatile sig_atomic_t part_exists;

static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};

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

int output_failed(const char *shown, int error)
{
    complain("cannot write %s: %s", shown, strerror(error));
    return TOOL_IO;
}

void output_protect(const char *path)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    struct stat *file = &inputs[input_count].file;
    if (input_count < INPUTS_MAX && (is_stdin ? fstat(STDIN_FILENO, file) : stat(path, file)) == 0)
        inputs[input_count++].shown = is_stdin ? "standard input" : path;
}

/* The input that a file is; NULL: none. Terminals, pipes and /dev/null may be both. */
static const char *input_that_is(const struct stat *file)
{
    for (int i = 0; i < input_count; i++) {
        const struct stat *in = &inputs[i].file;
        const bool same_file =
            S_ISREG(file->st_mode) && in->st_dev == file->st_dev && in->st_ino == file->st_ino;
        const bool same_disk =
            S_ISBLK(file->st_mode) && S_ISBLK(in->st_mode) && in->st_rdev == file->st_rdev;
        if (same_file || same_disk)
            return inputs[i].shown;
    }
    return NULL;
}

static int refuse_input(const char *shown, const struct stat *file)
{
    const char *input = input_that_is(file);
    if (!input)
        return TOOL_DONE;
    complain("cannot write %s: it is the same file as the input %s", shown, input);
    return TOOL_USAGE;
}

int output_check(const char *path)
{
    struct stat there;
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".";
    if (slash && slash > path)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    else if (slash)
        strcpy(folder, "/");
    bool exists = stat(path, &there) == 0;
    if (exists && access(path, W_OK) != 0)
        return output_failed(path, errno);
    if ((!exists || S_ISREG(there.st_mode)) && access(folder, W_OK) != 0)
        return output_failed(path, errno);
    return TOOL_DONE;
}

static void forget(output *o)
{
    part_exists = 0;
    free(o->path);
    free(o->part);
    *o = (output){.fd = -1};
}

/* Whether this process holds the lock of the file of that name now. Where the file system knows no
 * locks it does; where the name went to another file after it was opened it does not. */
static bool take_lock(int fd, const char *name)
{
    struct stat held, named;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(fd, &held) == 0 && lstat(name, &named) == 0 && held.st_ino == named.st_ino
           && held.st_dev == named.st_dev;
}

/* Opens and locks the first name that no living process writes; sets part_name. -1: errno. */
static int open_free_name(const char *path)
{
    for (int i = 1; i <= WRITERS_MAX; i++) {
        int length = snprintf(part_name, sizeof part_name, "%s.sluice-part%d", path, i);
        if (length < 0 || (size_t)length >= sizeof part_name) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(part_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (fd < 0 || take_lock(fd, part_name))
            return fd;
        close(fd);
    }
    errno = EBUSY;
    return -1;
}

/* A new file has the permissions of the one that it will replace. Where they cannot be kept, those
 * of a new file will do. */
static void set_mode(int fd, const struct stat *replaced)
{
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, replaced ? replaced->st_mode & 0777 : 0666 & ~mask) != 0)
        errno = 0;
}

static int open_part(output *o, const struct stat *replaced)
{
    struct stat left;
    o->fd = open_free_name(o->path);
    if (o->fd < 0) { /* the name that is in the way, if one is */
        const int error = errno;
        return output_failed(lstat(part_name, &left) == 0 ? part_name : o->shown, error);
    }
    if (fstat(o->fd, &left) != 0)
        return output_failed(o->shown, errno);
    int code = refuse_input(part_name, &left);
    if (!code && ftruncate(o->fd, 0) != 0) /* what is no regular file fails here */
        code = output_failed(part_name, errno);
    if (code) {
        close(o->fd);
        return code;
    }
    part_exists = 1;
    watch_signals();
    set_mode(o->fd, replaced);
    o->part = strdup(part_name);
    if (o->part)
        return TOOL_DONE;
    unlink(part_name);
    close(o->fd);
    return output_failed(o->shown, ENOMEM);
}

/* The file that a link leads to, whether it is there or not, to be freed; NULL: errno. */
static char *follow(const char *path)
{
    enum { LINKS_MAX = 40 };
    char name[PATH_MAX], link[PATH_MAX];
    size_t length = strlen(path);
    if (length < sizeof name)
        memcpy(name, path, length + 1);
    for (int i = 0; i < LINKS_MAX && length < sizeof name; i++) {
        ssize_t read = readlink(name, link, sizeof link - 1);
        if (read < 0)
            return strdup(name);
        link[read] = 0;
        char *slash = strrchr(name, '/'), *to = link[0] != '/' && slash ? slash + 1 : name;
        length = (size_t)(to - name) + (size_t)read;
        if (length < sizeof name)
            memcpy(to, link, (size_t)read + 1);
    }
    errno = length < sizeof name ? ELOOP : ENAMETOOLONG;
    return NULL;
}

static int open_regular(output *o, const char *path, const struct stat *there)
{
    /* A file that may not be written must not be replaced either; a link stays a link. */
    if (there && access(path, W_OK) != 0)
        return output_failed(path, errno);
    o->path = follow(path);
    if (!o->path)
        return output_failed(path, errno);
    int code = open_part(o, there);
    if (code)
        forget(o);
    return code;
}

int output_open(output *o, const char *path)
{
    const bool is_stdout = strcmp(path, "-") == 0;
    *o = (output){.fd = STDOUT_FILENO, .shown = is_stdout ? "standard output" : path};
    struct stat there;
    bool exists = (is_stdout ? fstat(STDOUT_FILENO, &there) : stat(path, &there)) == 0;
    int code = exists ? refuse_input(o->shown, &there) : TOOL_DONE;
    if (code || is_stdout)
        return code;
    if (!exists || S_ISREG(there.st_mode))
        return open_regular(o, path, exists ? &there : NULL);
    o->fd = open(path, O_WRONLY | O_CLOEXEC);
    return o->fd < 0 ? output_failed(path, errno) : TOOL_DONE;
}

int output_write(output *o, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t done = write(o->fd, from, count);
        if (done < 0 && errno != EINTR)
            return output_failed(o->shown, errno);
        if (done > 0) {
            from += done;
            count -= (size_t)done;
        }
    }
    return TOOL_DONE;
}

int output_rewrite_start(output *o, const void *bytes, size_t count)
{
    if (lseek(o->fd, 0, SEEK_SET) != 0)
        return output_failed(o->shown, errno);
    return output_write(o, bytes, count);
}

/* Closing tells what quotas and network disks have to say, so it comes before the name changes; a
 * second descriptor keeps the lock until then. From then on the name may be another process's. */
int output_commit(output *o)
{
    const char *shown = o->shown;
    int lock = o->part ? dup(o->fd) : -1;
    int error = close(o->fd) == 0 ? 0 : errno;
    part_exists = 0;
    if (!error && o->part && rename(o->part, o->path) != 0)
        error = errno;
    if (error && o->part)
        unlink(o->part);
    if (lock >= 0)
        close(lock);
    forget(o);
    return error ? output_failed(shown, error) : TOOL_DONE;
}

void output_discard(output *o)
{
    if (o->part)
        unlink(o->part);
    close(o->fd);
    forget(o);
}

int output_file(const char *path, const void *bytes, size_t count)
{
    output o;
    int code = output_open(&o, path);
    if (code)
        return code;
    code = output_write(&o, bytes, count);
    if (!code)
        return output_commit(&o);
    output_discard(&o);
    return code;
}
