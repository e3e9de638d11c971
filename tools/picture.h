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
    colour *pixels; /* rows, the top one first */
} picture;

enum { PICTURE_TEXT_HEIGHT = 14 };

bool picture_new(picture *p, int width, int height, colour background);
void picture_free(picture *p);
/* Anything outside the picture is left out. */
void picture_fill(picture *p, int x, int y, int width, int height, colour c);
/* ASCII, a box for what else there is; x, y is the upper left corner. */
void picture_text(picture *p, int x, int y, const char *text, colour c);
int picture_text_width(const char *text);
/* The picture as PNG, *bytes to be freed. NULL, or why not. */
const char *picture_encode(const picture *p, void **bytes, size_t *count);

#endif
