// SPDX-License-Identifier: BSD-3-Clause
/* A spectrogram as a picture with axes. */
#ifndef TOOLS_CHART_H
#define TOOLS_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/picture.h"

/* Levels in decibels, column after column; in a column the lowest frequency first. */
typedef struct chart {
    size_t columns, rows;
    const float *level;
    double seconds, hertz; /* where the axes end; time begins at 0 */
    double lowest;         /* hertz where frequency begins; above 0: its axis is logarithmic */
    double top, range;     /* decibels of the brightest colour, and from there to the darkest */
    const char *title;     /* NULL: none */
} chart;

/* Where the plot lies in the picture: pixels from the upper left corner. */
typedef struct chart_frame {
    int x, y, width, height;
} chart_frame;

/* Makes the picture; false: there is no memory. */
bool chart_draw(const chart *c, picture *out, chart_frame *where);

#endif
