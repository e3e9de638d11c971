// SPDX-License-Identifier: BSD-3-Clause
/* The powers of a spectrogram: accumulates any number of spectra in bounded memory. */
#ifndef TOOLS_SPECTRUM_H
#define TOOLS_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bins are grouped in rows and spectra in columns, each with the maximum of its group. If all
 * columns are used, pairs of columns are merged. */
typedef struct spectrum {
    size_t bins, rows, columns;
    uint64_t frames, column_frames; /* spectra so far; spectra per column */
    size_t *first, *end;            /* range of bins of each row, from the lowest */
    float *power;                   /* by columns */
} spectrum;

/* For spectra of `size` real points. Rows divide 0 to the highest frequency evenly, or if
 * `logarithmic` (size 8 and more) the first bin to the last in equal ratios. False: out of memory.
 */
bool spectrum_new(spectrum *s, size_t size, bool logarithmic);
void spectrum_free(spectrum *s);
/* Adds a half-spectrum, `bins` times re im; values that are not finite are ignored. */
void spectrum_add(spectrum *s, const float *bins);
/* Converts powers to decibels in place, once; returns the highest, or 0 for silence. */
double spectrum_to_decibels(spectrum *s);

#endif
