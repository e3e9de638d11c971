// SPDX-License-Identifier: BSD-3-Clause
/* Recordings through libsndfile. It silently shortens a WAV whose header promises more than the
 * file holds, so the promise is checked here first. */
#define _POSIX_C_SOURCE 200809L /* fseeko */
#include "tools/wav.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/tool.h"

enum { CHUNK_SAMPLES = 4096 };

/* A writer that could not seek back leaves this for a size. */
static const uint32_t unknown_size = 0xffffffffu;

static uint32_t little_endian(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Bytes of samples that a RIFF file promises beyond its end; 0 where it promises none, or is no
 * RIFF file, which libsndfile judges. */
static uint64_t missing_bytes(FILE *file, uint64_t size)
{
    unsigned char head[12];
    if (fread(head, 1, sizeof head, file) != sizeof head || memcmp(head, "RIFF", 4) != 0)
        return 0;
    uint64_t at = sizeof head;
    while (fseeko(file, (off_t)at, SEEK_SET) == 0 && fread(head, 1, 8, file) == 8) {
        uint64_t promised = little_endian(head + 4);
        at += 8;
        if (memcmp(head, "data", 4) == 0)
            return promised != unknown_size && promised > size - at ? promised - (size - at) : 0;
        at += promised + promised % 2; /* chunks begin at even places */
    }
    return 0;
}

/* Complains of files that are no recording at all, with the system's reason. */
static int check_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat there;
    if (!file || fstat(fileno(file), &there) != 0) {
        complain("cannot open %s: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return TOOL_IO;
    }
    uint64_t missing = 0;
    bool regular = S_ISREG(there.st_mode), empty = regular && there.st_size == 0;
    if (regular && !empty)
        missing = missing_bytes(file, (uint64_t)there.st_size);
    fclose(file);
    if (!regular)
        complain("%s is not a regular file", path);
    else if (empty)
        complain("%s is empty", path);
    else if (missing)
        complain("%s is truncated: %llu bytes of samples that its header promises are missing",
                 path, (unsigned long long)missing);
    return !regular || empty || missing ? TOOL_IO : TOOL_DONE;
}

/* Takes over what the header says; complains of a recording without samples or channel. */
static int accept_header(wav *w, const SF_INFO *info, size_t channel)
{
    if (info->frames <= 0 || info->samplerate <= 0) {
        complain("%s holds no samples", w->path);
        return TOOL_IO;
    }
    if (channel > (size_t)info->channels) {
        complain("%s has %d channels, not %zu", w->path, info->channels, channel);
        return TOOL_USAGE;
    }
    w->samples = (uint64_t)info->frames;
    w->rate = info->samplerate;
    w->channels = info->channels;
    w->channel = (int)channel;
    w->chunk = malloc(CHUNK_SAMPLES * sizeof *w->chunk * (size_t)info->channels);
    if (w->chunk)
        return TOOL_DONE;
    complain("there is no memory to read %s", w->path);
    return TOOL_IO;
}

int wav_open(wav *w, const char *path, size_t channel)
{
    *w = (wav){.path = path};
    int code = check_file(path);
    if (code)
        return code;
    SF_INFO info = {0};
    w->file = sf_open(path, SFM_READ, &info);
    if (!w->file) {
        complain("%s is no recording that can be read: %s", path, sf_strerror(NULL));
        return TOOL_IO;
    }
    code = accept_header(w, &info, channel);
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

static bool read_chunk(wav *w, float *to, size_t count)
{
    sf_count_t got = sf_readf_float(w->file, w->chunk, (sf_count_t)count);
    if (got != (sf_count_t)count) {
        complain("%s is truncated: it ends after %llu of %llu samples", w->path,
                 (unsigned long long)(w->position + (uint64_t)(got > 0 ? got : 0)),
                 (unsigned long long)w->samples);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        to[i] = one_channel(w, w->chunk + i * (size_t)w->channels);
    w->position += count;
    return true;
}

bool wav_read(wav *w, float *to, size_t count)
{
    while (count > 0) {
        uint64_t left = w->samples - w->position;
        size_t n = count < CHUNK_SAMPLES ? count : CHUNK_SAMPLES;
        if (left == 0) {
            memset(to, 0, count * sizeof *to);
            return true;
        }
        n = n < left ? n : (size_t)left;
        if (!read_chunk(w, to, n))
            return false;
        to += n;
        count -= n;
    }
    return true;
}

void wav_close(wav *w)
{
    sf_close(w->file);
    free(w->chunk);
}
