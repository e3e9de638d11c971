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
    int descriptor;
    const char *name;
    int rate, channels;
    int channel;       /* channel number, from 1; 0: the mean of all */
    uint64_t samples;  /* samples per channel: first from the header, after the end those read */
    bool has_promise;  /* false: the header was written to a pipe */
    uint64_t position; /* samples read */
    uint64_t not_finite, first_not_finite; /* samples that are NaN or infinite */
    float *chunk;                          /* all channels of a chunk of samples */
} wav;

/* "-": stdin. Returns an exit code and has printed the reason if it is not 0. */
int wav_open(wav *w, const char *path, size_t channel);
/* Reads `count` samples, zeros after the last. False: the file ended early or could not be read;
 * the reason has been printed. */
bool wav_read(wav *w, float *to, size_t count);
/* Does a sample of that number exist, as far as has been read? */
bool wav_has(const wav *w, uint64_t sample);
void wav_close(wav *w);

#endif
