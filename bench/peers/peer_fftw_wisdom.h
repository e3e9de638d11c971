// SPDX-License-Identifier: BSD-3-Clause
/* FFTW's wisdom, separate for each peer: the library has one store, in which plans of one effort
 * would replace planning with another. */
#ifndef PEER_FFTW_WISDOM_H
#define PEER_FFTW_WISDOM_H

#include "bench/peers/peer_fftw_load.h"

typedef struct fftw_wisdom {
    char *text; /* NULL: none */
    size_t length, capacity;
    bool changed; /* since it was read or written */
} fftw_wisdom;

/* Reads FILE.PEER.PRECISION; a missing file holds none. False if reading failed. */
bool fftw_wisdom_read(fftw_wisdom *w, const char *file, const char *peer,
                      sluice_precision precision);
/* Replaces that file if the wisdom has changed. False if writing failed. */
bool fftw_wisdom_write(fftw_wisdom *w, const char *file, const char *peer,
                       sluice_precision precision);
/* Import replaces the library's wisdom by `w`, export replaces `w` by the library's wisdom. */
void fftw_wisdom_import(const fftw_wisdom *w, const fftw_api *api);
void fftw_wisdom_export(fftw_wisdom *w, const fftw_api *api);

#endif
