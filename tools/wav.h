// SPDX-License-Identifier: BSD-3-Clause
/* Recordings, read as one channel of floats. */
#ifndef TOOLS_WAV_H
#define TOOLS_WAV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sndfile.h>

typedef struct wav {
    SNDFILE *file;
    const char *path;
    int rate, channels;
    int channel;       /* from 1; 0: the mean of all */
    uint64_t samples;  /* of a channel, as the header promises */
    uint64_t position; /* samples read */
    float *chunk;      /* all channels of some samples */
} wav;

/* Returns an exit code, having complained where it is not 0. */
int wav_open(wav *w, const char *path, size_t channel);
/* Reads `count` samples, zeros after the last. False: the file ended early, or an I/O error;
 * complained. */
bool wav_read(wav *w, float *to, size_t count);
void wav_close(wav *w);

#endif
