// SPDX-License-Identifier: BSD-3-Clause
/* The powers that a spectrogram shows: spectra come in one after the other, any number of them, and
 * are kept in bounded memory. */
#ifndef TOOLS_SPECTRUM_H
#define TOOLS_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bins are gathered in rows and spectra in columns; of several the strongest counts. Where columns
 * run out two become one. */
typedef struct spectrum {
    size_t bins, rows, columns;
    uint64_t frames, column_frames; /* spectra so far; of a column */
    size_t *first, *end;            /* the bins of a row, from the lowest up */
    float *power;                   /* column after column */
} spectrum;

/* For spectra of `size` real points; the rows cover 0 to the highest frequency evenly, or where
 * `logarithmic` says so (size 8 and more) the first bin to the last in equal ratios. False: there is
 * no memory. */
bool spectrum_new(spectrum *s, size_t size, bool logarithmic);
void spectrum_free(spectrum *s);
/* Adds a spectrum of re im re im; what is not finite is left out. */
void spectrum_add(spectrum *s, const float *bins);
/* Turns powers into decibels where they stand, once; returns the highest, or 0 of silence. */
double spectrum_to_decibels(spectrum *s);

#endif
