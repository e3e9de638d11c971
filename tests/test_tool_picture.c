// SPDX-License-Identifier: BSD-3-Clause
/* `sluice spectrogram`: pictures of recordings. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helper_tool.h"

#if __has_include(<png.h>)
#include <png.h>
#define HAVE_PNG 1
#else
#define HAVE_PNG 0
#endif

/* ---------------------------------------------------------------- spectrogram ----------- */

static void spectrogram_failures(void **state)
{
    (void)state;
    tool_make_wav("short.wav", 8000, 1000, NULL, 8000, 4000);
    tool_make_wav("mute.wav", 8000, 1000, NULL, 0, 0);
    tool_make_wav("good.wav", 8000, 1000, NULL, 8000, 8000);
    static const char *const bad[][2] = {
        {"$S spectrogram missing.wav bad.png", "No such file"},
        {"$S spectrogram short.wav bad.png", "truncated"},
        {"$S spectrogram mute.wav bad.png", "no samples"},
        {": >empty.wav; $S spectrogram empty.wav bad.png", "empty"},
        {"echo hello world >text.wav; $S spectrogram text.wav bad.png", "no recording"},
        {"head -c 30 good.wav >head.wav; $S spectrogram head.wav bad.png", "head.wav"},
        {"$S spectrogram . bad.png", "not a regular file"},
        {"$S spectrogram good.wav nowhere/bad.png", "No such file"},
        {"$S spectrogram good.wav /dev/full", "No space left"},
    };
    assert_int_equal(tool_shell("rm -f bad*"), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tool_check(bad[i][0], 3);
        assert_true(tool_says("err", bad[i][1]));
        tool_check_absent("bad");
    }
    tool_check("$S spectrogram good.wav bad.png --channel 2", 2);
    tool_check_absent("bad");
}

#if HAVE_PNG
/* A picture read through libpng, which the tests are not linked with. */
static unsigned char *read_png(const char *path, png_image *image)
{
    void *library = dlopen("libpng16.so.16", RTLD_NOW);
    if (!library)
        return NULL;
    int (*begin)(png_image *, const char *);
    int (*finish)(png_image *, const png_color *, void *, png_int_32, void *);
    *(void **)&begin = dlsym(library, "png_image_begin_read_from_file");
    *(void **)&finish = dlsym(library, "png_image_finish_read");
    assert_true(begin && finish);
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    assert_true(begin(image, path));
    image->format = PNG_FORMAT_RGB;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(*image));
    assert_non_null(pixels);
    assert_true(finish(image, NULL, pixels, 0, NULL));
    return pixels;
}

static int field(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    assert_non_null(at);
    return atoi(at + strlen(name));
}

/* The height of the brightest row over the bottom of the plot, as a share of the plot's height. */
static double brightest(const unsigned char *pixels, const png_image *image, const char *record)
{
    int x = field(record, " plot_x="), width = field(record, " plot_width=");
    int y = field(record, " plot_y="), height = field(record, " plot_height=");
    long best = -1;
    int row = 0;
    assert_true(x + width <= (int)image->width && y + height <= (int)image->height);
    for (int v = 0; v < height; v++) {
        long sum = 0;
        for (int u = 0; u < 3 * width; u++)
            sum += pixels[3 * ((size_t)(y + v) * image->width + (size_t)x) + (size_t)u];
        if (sum > best) {
            best = sum;
            row = v;
        }
    }
    return 1 - (row + 0.5) / height;
}
#endif

static void spectrogram_of_sine(void **state)
{
    (void)state;
#if HAVE_PNG
    static const char *const ways[] = {"", "--size 256 --hop 64 --window hamming",
                                       "--size 4096 --hop 1000 --window blackman",
                                       "--size 128 --hop 500 --window rect --channel 1"};
    tool_make_wav("sine.wav", 8000, 1000, NULL, 16000, 16000);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char line[TOOL_LINE];
        snprintf(line, sizeof line, "$S spectrogram sine.wav sine.png %s", ways[i]);
        tool_check(line, 0);
        png_image image;
        unsigned char *pixels = read_png("sine.png", &image);
        if (!pixels)
            skip();
        char *record = tool_read("out", NULL);
        assert_true(fabs(brightest(pixels, &image, record) - 0.25) < 0.02); /* 1000 of 4000 Hz */
        free(record);
        free(pixels);
    }
#else
    skip();
#endif
}

/* ---------------------------------------------------------------- main ------------------ */

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectrogram_failures),
        cmocka_unit_test(spectrogram_of_sine),
    };
    int code = tool_begin();
    return code ? code : tool_end(cmocka_run_group_tests_name("tool_picture", tests, NULL, NULL));
}
