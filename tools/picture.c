// SPDX-License-Identifier: BSD-3-Clause
/* Pictures: a pixel array, text, and libpng. */
#include "tools/picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "tools/font.h"

enum { ADVANCE = FONT_WIDTH + 1, SCALE = 2 };

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

static void draw_glyph(picture *p, int x, int y, const unsigned char *rows, colour c)
{
    for (int v = 0; v < FONT_HEIGHT; v++) {
        for (int u = 0; u < FONT_WIDTH; u++) {
            if (rows[v] >> (FONT_WIDTH - 1 - u) & 1)
                picture_fill(p, x + SCALE * u, y + SCALE * v, SCALE, SCALE, c);
        }
    }
}

/* Is the byte a continuation byte of UTF-8? */
static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

void picture_text(picture *p, int x, int y, const char *text, colour c)
{
    for (; *text; text++) {
        if (is_continuation(*text))
            continue;
        bool known = *text >= FONT_FIRST && *text <= FONT_LAST;
        draw_glyph(p, x, y, known ? font_rows[*text - FONT_FIRST] : font_box, c);
        x += ADVANCE * SCALE;
    }
}

int picture_text_width(const char *text)
{
    int characters = 0;
    for (; *text && characters < 10000; text++)
        characters += !is_continuation(*text);
    return characters * ADVANCE * SCALE - (ADVANCE - FONT_WIDTH) * SCALE;
}

const char *picture_encode(const picture *p, void **bytes, size_t *count)
{
    static char why[64]; /* copy of libpng's message, which is freed with the image */
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
