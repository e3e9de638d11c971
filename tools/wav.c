// SPDX-License-Identifier: BSD-3-Clause
/* Recordings through libsndfile. It silently shortens a WAV whose header promises more than the
 * file holds, so the size is checked here first. */
#define _XOPEN_SOURCE 700 /* pread */
#include "tools/wav.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/output.h"
#include "tools/tool.h"
#include "tools/tool_text.h"

enum { CHUNK_SAMPLES = 4096 };

/* A writer to a pipe does not know the size and writes one of about 2 or 4 GiB. */
static const uint32_t unknown_size = 0x7f000000u;

static uint32_t little_endian(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Bytes of samples that a RIFF header promises after the end of the file; 0 if none, or if it is
 * not a RIFF file, which libsndfile checks. */
static uint64_t missing_bytes(int file, uint64_t size)
{
    unsigned char head[12];
    if (pread(file, head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head, "RIFF", 4) != 0)
        return 0;
    uint64_t at = sizeof head;
    while (pread(file, head, 8, (off_t)at) == 8) {
        uint64_t promised = little_endian(head + 4);
        at += 8;
        if (memcmp(head, "data", 4) == 0)
            return promised < unknown_size && promised > size - at ? promised - (size - at) : 0;
        at += promised + promised % 2; /* chunks begin at even offsets */
    }
    return 0;
}

/* Refuses files that are not recordings; pipes are checked by reading them. */
static int check_recording(const char *name, int file)
{
    struct stat there;
    if (fstat(file, &there) != 0) {
        complain("cannot open %s: %s", name, strerror(errno));
        return TOOL_IO;
    }
    uint64_t missing = 0;
    const bool regular = S_ISREG(there.st_mode), empty = regular && there.st_size == 0;
    const bool pipe = S_ISFIFO(there.st_mode) || S_ISSOCK(there.st_mode);
    char bytes[TEXT_BYTES];
    if (regular && !empty)
        missing = missing_bytes(file, (uint64_t)there.st_size);
    if (!regular && !pipe)
        complain("%s is not a regular file, nor a pipe", name);
    else if (empty)
        complain("%s is empty", name);
    else if (missing)
        complain("%s is truncated: %s of samples that its header promises are missing", name,
                 text_bytes(bytes, missing));
    return (!regular && !pipe) || empty || missing ? TOOL_IO : TOOL_DONE;
}

/* Copies the values of the header; refuses a recording without samples or without the channel. */
static int accept_header(wav *w, const SF_INFO *info, size_t channel)
{
    if (info->frames <= 0 || info->samplerate <= 0) {
        complain("%s holds no samples", w->name);
        return TOOL_IO;
    }
    if (channel > (size_t)info->channels) {
        complain("%s has %d channels, not %zu", w->name, info->channels, channel);
        return TOOL_USAGE;
    }
    w->samples = (uint64_t)info->frames;
    w->has_promise = info->seekable || w->samples * (uint64_t)info->channels < unknown_size / 8;
    w->rate = info->samplerate;
    w->channels = info->channels;
    w->channel = (int)channel;
    w->chunk = malloc(CHUNK_SAMPLES * sizeof *w->chunk * (size_t)info->channels);
    if (w->chunk)
        return TOOL_DONE;
    complain("there is no memory to read %s", w->name);
    return TOOL_IO;
}

static int read_header(wav *w, int file, size_t channel)
{
    int code = check_recording(w->name, file);
    if (code)
        return code;
    SF_INFO info = {0};
    w->file = sf_open_fd(file, SFM_READ, &info, false);
    if (w->file)
        return accept_header(w, &info, channel);
    complain("%s is no recording that can be read: %s", w->name, sf_strerror(NULL));
    return TOOL_IO;
}

int wav_open(wav *w, const char *path, size_t channel)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    *w = (wav){.name = is_stdin ? "standard input" : path};
    w->descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (w->descriptor < 0) {
        complain("cannot open %s: %s", path, strerror(errno));
        return TOOL_IO;
    }
    output_protect(path);
    int code = read_header(w, w->descriptor, channel);
    if (code)
        wav_close(w);
    return code;
}

static float one_channel(const wav *w, const float *all)
{
    if (w->channel > 0)
        return all[w->channel - 1];
    float sum = 0;
    for (int i = 0; i < w->channels; i++)
        sum += all[i];
    return sum / (float)w->channels;
}

/* Checks whether the recording ended where its header says. */
static bool check_recording_end(wav *w)
{
    if (w->has_promise && w->position < w->samples) {
        complain("%s is truncated: it ends after %llu of %llu samples", w->name,
                 (unsigned long long)w->position, (unsigned long long)w->samples);
        return false;
    }
    w->samples = w->position;
    return true;
}

static bool read_chunk(wav *w, float *to, size_t count)
{
    sf_count_t read = sf_readf_float(w->file, w->chunk, (sf_count_t)count);
    size_t got = read > 0 ? (size_t)read : 0;
    memset(to + got, 0, (count - got) * sizeof *to);
    for (size_t i = 0; i < got; i++, w->position++) {
        to[i] = one_channel(w, w->chunk + i * (size_t)w->channels);
        if (!isfinite(to[i]) && w->not_finite++ == 0)
            w->first_not_finite = w->position;
    }
    return got == count || check_recording_end(w);
}

bool wav_read(wav *w, float *to, size_t count)
{
    for (size_t n; count > 0; to += n, count -= n) {
        uint64_t left = w->samples - w->position;
        n = count < CHUNK_SAMPLES ? count : CHUNK_SAMPLES;
        n = left > 0 && n > left ? (size_t)left : n;
        if (left == 0)
            memset(to, 0, n * sizeof *to);
        else if (!read_chunk(w, to, n))
            return false;
    }
    return true;
}

bool wav_has(const wav *w, uint64_t sample)
{
    return sample < w->samples;
}

void wav_close(wav *w)
{
    if (w->file)
        sf_close(w->file);
    if (w->descriptor != STDIN_FILENO)
        close(w->descriptor);
    free(w->chunk);
}
