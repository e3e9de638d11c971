// SPDX-License-Identifier: BSD-3-Clause
/* A spectrogram as a picture with axes. */
#ifndef TOOLS_CHART_H
#define TOOLS_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/picture.h"

/* Levels in decibels, by columns; a column begins with the lowest frequency. */
typedef struct chart {
    size_t columns, rows;
    const float *level;
    double seconds, hertz; /* ends of the axes; time begins at 0 */
    double lowest; /* begin of the frequency axis in hertz; above 0: the axis is logarithmic */
    double top,
        range; /* decibels of the brightest colour, and decibels from there to the darkest */
    const char *title; /* NULL: none */
} chart;

/* Position of the plot in the picture, in pixels from the upper left corner. */
typedef struct chart_frame {
    int x, y, width, height;
} chart_frame;

/* Draws the picture; false: out of memory. */
bool chart_draw(const chart *c, picture *out, chart_frame *where);

#endif
