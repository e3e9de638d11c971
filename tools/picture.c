// SPDX-License-Identifier: BSD-3-Clause
/* Pictures: a pixel array, a font of the characters that axes need, and libpng. */
#include "tools/picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7, ADVANCE = 6, SCALE = 2 };

/* Rows from the top; bit 4 is the leftmost pixel. */
typedef struct glyph {
    char character;
    unsigned char row[GLYPH_HEIGHT];
} glyph;

static const glyph font[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'-', {0, 0, 0, 14, 0, 0, 0}},       {'.', {0, 0, 0, 0, 0, 12, 12}},
    {'k', {16, 16, 18, 20, 24, 20, 18}}, {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'z', {0, 0, 31, 2, 4, 8, 31}},      {'s', {0, 0, 14, 16, 14, 1, 30}},
    {'d', {1, 1, 13, 19, 17, 17, 15}},   {'B', {30, 17, 17, 30, 17, 17, 30}},
};

bool picture_new(picture *p, int width, int height, colour background)
{
    *p = (picture){.width = width, .height = height};
    p->pixels = malloc((size_t)width * (size_t)height * sizeof *p->pixels);
    if (p->pixels)
        picture_fill(p, 0, 0, width, height, background);
    return p->pixels != NULL;
}

void picture_free(picture *p)
{
    free(p->pixels);
}

void picture_fill(picture *p, int x, int y, int width, int height, colour c)
{
    for (int v = y < 0 ? 0 : y; v < y + height && v < p->height; v++) {
        for (int u = x < 0 ? 0 : x; u < x + width && u < p->width; u++)
            p->pixels[(size_t)v * (size_t)p->width + (size_t)u] = c;
    }
}

static void draw_glyph(picture *p, int x, int y, const glyph *g, colour c)
{
    for (int v = 0; v < GLYPH_HEIGHT; v++) {
        for (int u = 0; u < GLYPH_WIDTH; u++) {
            if (g->row[v] >> (GLYPH_WIDTH - 1 - u) & 1)
                picture_fill(p, x + SCALE * u, y + SCALE * v, SCALE, SCALE, c);
        }
    }
}

void picture_text(picture *p, int x, int y, const char *text, colour c)
{
    for (; *text; text++, x += ADVANCE * SCALE) {
        for (size_t i = 0; i < sizeof font / sizeof font[0]; i++) {
            if (font[i].character == *text)
                draw_glyph(p, x, y, &font[i], c);
        }
    }
}

int picture_text_width(const char *text)
{
    return (int)strlen(text) * ADVANCE * SCALE - (ADVANCE - GLYPH_WIDTH) * SCALE;
}

const char *picture_encode(const picture *p, void **bytes, size_t *count)
{
    static char why[64]; /* libpng's own, which ends with the image */
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)p->width,
        .height = (png_uint_32)p->height,
        .format = PNG_FORMAT_RGB,
    };
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    *bytes = malloc(size);
    if (!*bytes)
        return "there is no memory";
    if (!png_image_write_to_memory(&image, *bytes, &size, 0, p->pixels, 0, NULL)) {
        memcpy(why, image.message, sizeof why);
        png_image_free(&image);
        free(*bytes);
        *bytes = NULL;
        return why;
    }
    *count = size;
    return NULL;
}
