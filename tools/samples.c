// SPDX-License-Identifier: BSD-3-Clause
/* Raw samples: blocks of whole transforms are read into slots and written from them. */
#define _POSIX_C_SOURCE 200809L
#include "tools/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/tool.h"

/* Reads until the block is full or the file ends; -1: errno. */
static ssize_t read_block(int fd, char *to, size_t bytes)
{
    size_t got = 0;
    while (got < bytes) {
        ssize_t n = read(fd, to + got, bytes - got);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n == 0)
            break;
        if (n > 0)
            got += (size_t)n;
    }
    return (ssize_t)got;
}

static sluice_status get_failed(samples *s)
{
    s->in.failed = true;
    return SLUICE_E_IO;
}

static void complain_partial(const samples *s, uint64_t bytes)
{
    complain("%s ends inside a transform: the last %llu of %llu bytes are no whole transform of "
             "%zu bytes",
             s->name, (unsigned long long)(bytes % s->transform), (unsigned long long)bytes,
             s->transform);
}

sluice_status samples_get(void *user, sluice_slot *slot)
{
    samples *s = user;
    if (s->ended)
        return SLUICE_END;
    char *to = s->in.bounce ? s->in.bounce : slot->in;
    size_t wanted = s->block * s->transform;
    ssize_t got = read_block(s->fd, to, wanted);
    if (got < 0) {
        complain("cannot read %s: %s", s->name, strerror(errno));
        return get_failed(s);
    }
    s->ended = (size_t)got < wanted;
    s->bytes_read += (uint64_t)got;
    if ((size_t)got % s->transform) {
        complain_partial(s, s->bytes_read);
        return get_failed(s);
    }
    slot->count = (size_t)got / s->transform;
    if (slot->count == 0)
        return SLUICE_END;
    size_t half = s->transform / 2;
    for (size_t i = 0; s->in.bounce && i < slot->count; i++) {
        memcpy((char *)slot->in + i * half, to + i * s->transform, half);
        memcpy((char *)slot->in_im + i * half, to + i * s->transform + half, half);
    }
    return SLUICE_OK;
}

sluice_status samples_put(void *user, sluice_slot *slot)
{
    samples *s = user;
    size_t half = s->transform / 2, bytes = slot->count * s->transform;
    char *bounce = s->out.bounce;
    for (size_t i = 0; bounce && i < slot->count; i++) {
        memcpy(bounce + i * s->transform, (char *)slot->out + i * half, half);
        memcpy(bounce + i * s->transform + half, (char *)slot->out_im + i * half, half);
    }
    int error = output_write(&s->to, bounce ? bounce : slot->out, bytes);
    if (error) {
        complain("cannot write %s: %s", s->to.shown, strerror(error));
        s->out.failed = true;
        return SLUICE_E_IO;
    }
    s->bytes_written += bytes;
    progress_at(&s->meter, s->bytes_written);
    return SLUICE_OK;
}

static int open_input(samples *s, const char *from)
{
    bool is_stdin = strcmp(from, "-") == 0;
    s->name = is_stdin ? "standard input" : from;
    s->fd = is_stdin ? STDIN_FILENO : open(from, O_RDONLY);
    if (s->fd >= 0)
        return TOOL_DONE;
    complain("cannot open %s: %s", s->name, strerror(errno));
    return TOOL_IO;
}

/* Where the size is known, a partial transform is found before any output is there. */
static int measure_input(samples *s, uint64_t *total)
{
    struct stat file;
    off_t at = lseek(s->fd, 0, SEEK_CUR);
    *total = 0;
    if (at < 0 || fstat(s->fd, &file) != 0 || !S_ISREG(file.st_mode) || at > file.st_size)
        return TOOL_DONE;
    *total = (uint64_t)(file.st_size - at);
    if (*total % s->transform == 0)
        return TOOL_DONE;
    complain_partial(s, *total);
    return TOOL_IO;
}

static int open_bounce(samples_side *side, size_t bytes)
{
    side->bounce = side->split ? malloc(bytes) : NULL;
    if (!side->split || side->bounce)
        return TOOL_DONE;
    complain("there is no memory for a block of %zu bytes", bytes);
    return TOOL_IO;
}

static void close_input(samples *s)
{
    if (s->fd != STDIN_FILENO)
        close(s->fd);
    free(s->in.bounce);
    free(s->out.bounce);
}

int samples_open(samples *s, const sluice_problem *problem, const char *from, const char *to)
{
    s->in.split = problem->in_layout == SLUICE_SPLIT;
    s->out.split = problem->out_layout == SLUICE_SPLIT;
    int code = open_input(s, from);
    if (code)
        return code;
    uint64_t total;
    code = measure_input(s, &total);
    if (!code)
        code = open_bounce(&s->in, s->block * s->transform);
    if (!code)
        code = open_bounce(&s->out, s->block * s->transform);
    int error = code ? 0 : output_open(&s->to, to);
    if (error) {
        complain("cannot open %s: %s", to, strerror(error));
        code = TOOL_IO;
    }
    if (code)
        close_input(s);
    else
        progress_start(&s->meter, total);
    return code;
}

int samples_close(samples *s, bool good)
{
    progress_end(&s->meter, s->bytes_written);
    close_input(s);
    if (!good) {
        output_discard(&s->to);
        return TOOL_DONE;
    }
    const char *shown = s->to.shown;
    int error = output_commit(&s->to);
    if (error)
        complain("cannot write %s: %s", shown, strerror(error));
    return error ? TOOL_IO : TOOL_DONE;
}
