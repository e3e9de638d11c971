// SPDX-License-Identifier: BSD-3-Clause
/* FFTW's wisdom, apart for each peer: a library has one store, and plans of one effort would decide
 * those of another. */
#ifndef PEER_FFTW_WISDOM_H
#define PEER_FFTW_WISDOM_H

#include "bench/peers/peer_fftw_load.h"

typedef struct fftw_wisdom {
    char *text; /* NULL: none */
    size_t length, capacity;
    bool changed; /* since it was read or written */
} fftw_wisdom;

/* Reads FILE.PEER.PRECISION; a file that is not there holds none. False where reading failed. */
bool fftw_wisdom_read(fftw_wisdom *w, const char *file, const char *peer,
                      sluice_precision precision);
/* Replaces that file, where there is anything new. False where writing failed. */
bool fftw_wisdom_write(fftw_wisdom *w, const char *file, const char *peer,
                       sluice_precision precision);
/* Makes this the library's wisdom, in place of what it knew; and takes what it knows now. */
void fftw_wisdom_give(const fftw_wisdom *w, const fftw_api *api);
void fftw_wisdom_take(fftw_wisdom *w, const fftw_api *api);

#endif
