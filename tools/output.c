// SPDX-License-Identifier: BSD-3-Clause
/* Output files: written under a temporary name in the same folder and renamed when complete. The
 * temporary name is the same in every run, `NAME.sluice-part1`, and locked while its process lives.
 * A file that is not locked was left by a killed process and is reused; if it is locked, this
 * process uses the next number. */
#include "tools/output.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.h"
#include "tools/tool.h"

enum { INPUTS_MAX = 4 };

static struct {
    struct stat file;
    const char *shown;
} inputs[INPUTS_MAX];
static int input_count;

/* The file that the signal handler removes; valid while `part_exists`. */
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

/* An ignored signal stays ignored, as nohup requires. */
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

/* The input that is the same file; NULL: none. Terminals, pipes and /dev/null may be input and
 * output. */
static const char *find_input(const struct stat *file)
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
    const char *input = find_input(file);
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

static void clear_output(output *o)
{
    part_exists = 0;
    free(o->path);
    free(o->part);
    *o = (output){.fd = -1};
}

/* Gives a new file the permissions of the file that it will replace; if that fails, it keeps those
 * of a new file. */
static void set_mode(int fd, const struct stat *replaced)
{
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, replaced ? replaced->st_mode & 0777 : 0666 & ~mask) != 0)
        errno = 0;
}

static int open_part_file(output *o, const struct stat *replaced)
{
    struct stat left;
    o->fd = core_descriptor_temporary(o->path, O_RDWR | O_NONBLOCK, part_name, sizeof part_name);
    if (o->fd < 0) { /* the existing file that is in the way, if any */
        const int error = errno;
        return output_failed(lstat(part_name, &left) == 0 ? part_name : o->shown, error);
    }
    if (fstat(o->fd, &left) != 0)
        return output_failed(o->shown, errno);
    int code = refuse_input(part_name, &left);
    if (!code && ftruncate(o->fd, 0) != 0) /* fails unless it is a regular file */
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

/* The path that a link leads to, whether it exists or not, freed by the caller; NULL: errno is set.
 */
static char *resolve_link(const char *path)
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
    /* A file without write permission must not be replaced; a link stays a link. */
    if (there && access(path, W_OK) != 0)
        return output_failed(path, errno);
    o->path = resolve_link(path);
    if (!o->path)
        return output_failed(path, errno);
    int code = open_part_file(o, there);
    if (code)
        clear_output(o);
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

/* Quotas and network disks report errors at close, so it precedes the rename; a second descriptor
 * keeps the lock until then. After the rename another process may use the temporary name. */
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
    clear_output(o);
    return error ? output_failed(shown, error) : TOOL_DONE;
}

void output_discard(output *o)
{
    if (o->part)
        unlink(o->part);
    close(o->fd);
    clear_output(o);
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
