// SPDX-License-Identifier: BSD-3-Clause
/* Pictures: pixels, rectangles, text, and PNG. */
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct colour {
    unsigned char red, green, blue;
} colour;

typedef struct picture {
    int width, height;
    colour *pixels; /* by rows, from the top */
} picture;

enum { PICTURE_TEXT_HEIGHT = 14 };

bool picture_new(picture *p, int width, int height, colour background);
void picture_free(picture *p);
/* Pixels outside the picture are ignored. */
void picture_fill(picture *p, int x, int y, int width, int height, colour c);
/* ASCII, and a box for any other character; x, y is the upper left corner. */
void picture_text(picture *p, int x, int y, const char *text, colour c);
int picture_text_width(const char *text);
/* Encodes the picture as PNG; the caller frees *bytes. NULL, or the reason of the failure. */
const char *picture_encode(const picture *p, void **bytes, size_t *count);

#endif
