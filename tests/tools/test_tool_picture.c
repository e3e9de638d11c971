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

#include "tests/helpers/helper_tool.h"

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
        assert_true(tool_file_contains("err", bad[i][1]));
        tool_check_absent("bad");
    }
    static const char *const wrong[] = {
        "good.wav bad.png --channel 2",
        "good.wav bad.png --db 0",
        "good.wav bad.png --db x",
        "good.wav bad.png --log-frequency --size 4",
        "good.wav bad.jpg",
        "good.wav bad.JPEG",
        "good.wav bad.svg",
        "good.wav ./bad.pdf",
        "good.wav bad.png.webp",
        "bad.png bad.wav",
        "missing.wav bad.gif", /* its name is refused before anything is looked at */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tool_checkf(2, "$S spectrogram %s", wrong[i]);
        tool_check_absent("bad");
    }
    tool_check("$S spectrogram good.wav bad.jpg", 2);
    assert_true(tool_file_contains("err", "the picture is a PNG, so its name cannot end in .jpg"));
    tool_check("mkdir -p folder.jpg && $S spectrogram good.wav folder.jpg/noon && "
               "cp folder.jpg/noon 12.30 && $S spectrogram good.wav 12.30",
               0);
}

/* Pipes give the same picture as files, whatever size the header states. */
static void spectrogram_of_pipes(void **state)
{
    (void)state;
    static const size_t promises[] = {8000, 0x7ffffff0u / 2, 0x3fffffffu, 0x40000000u, 0x7fffffffu};
    tool_make_wav("good.wav", 8000, 1000, NULL, 8000, 8000);
    tool_check("$S spectrogram good.wav file.png", 0);
    for (size_t i = 0; i < sizeof promises / sizeof promises[0]; i++) {
        tool_make_wav("promise.wav", 8000, 1000, NULL, promises[i], 8000);
        tool_check("cat promise.wav | $S spectrogram - pipe.png && cmp pipe.png file.png >&2", 0);
        tool_check("$S spectrogram - pipe.png <promise.wav && cmp pipe.png file.png >&2", 0);
    }
    tool_check("$S spectrogram - - <good.wav | cmp - file.png >&2", 0);
    tool_check("rm -f p.wav; mkfifo p.wav; cat good.wav >p.wav & $S spectrogram p.wav pipe.png && "
               "cmp pipe.png file.png >&2",
               0);
    tool_check("rm -f bad*; head -c 9000 good.wav | $S spectrogram - bad.png", 3);
    assert_true(tool_file_contains("err", "standard input is truncated: it ends after "));
    tool_check("$S spectrogram - bad.png </dev/null", 3);
    tool_check("printf hello | $S spectrogram - bad.png", 3);
    tool_check_absent("bad");
}

static void spectrogram_json(void **state)
{
    (void)state;
    tool_make_wav("good.wav", 8000, 1000, NULL, 8000, 8000);
    tool_check("$S spectrogram good.wav x.png --json", 0);
    assert_true(tool_file_contains("out", "{\"picture\":\"x.png\",\"rate\":8000,\"frames\":32,"));
    tool_check("$S spectrogram good.wav - --json | cmp - x.png >&2", 0);
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

static int record_field(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    assert_non_null(at);
    return atoi(at + strlen(name));
}

/* Height of the brightest row above the bottom of the plot, as a share of the plot's height. */
static double brightest_row(const unsigned char *pixels, const png_image *image, const char *record)
{
    int x = record_field(record, " plot_x="), width = record_field(record, " plot_width=");
    int y = record_field(record, " plot_y="), height = record_field(record, " plot_height=");
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
    static const struct {
        const char *options;
        double share; /* of the axis, that 1000 Hz of 4000 have */
    } ways[] = {
        {"", 0.25},
        {"--size 256 --hop 64 --window hamming", 0.25},
        {"--size 4096 --hop 1000 --window blackman", 0.25},
        {"--size 128 --hop 500 --window rect --channel 1", 0.25},
        {"--title 'One thousand hertz'", 0.25},
        {"--log-frequency", 7. / 9}, /* 7 of 9 octaves above 8000 / 1024 Hz */
        {"--log-frequency --size 64 --hop 8", 3. / 5},
        {"--log-frequency --size 8192 --db 120", 10. / 12},
    };
    tool_make_wav("sine.wav", 8000, 1000, NULL, 16000, 16000);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        tool_checkf(0, "$S spectrogram sine.wav sine.png %s", ways[i].options);
        png_image image;
        unsigned char *pixels = read_png("sine.png", &image);
        if (!pixels)
            skip();
        char *record = tool_read("out", NULL);
        assert_true(fabs(brightest_row(pixels, &image, record) - ways[i].share) < 0.03);
        free(record);
        free(pixels);
    }
#else
    skip();
#endif
}

#if HAVE_PNG
/* The sum of red, green and blue at shares of the plot's width and height. */
static int pixel_sum(const unsigned char *pixels, const png_image *image, const char *record,
                     double x, double y)
{
    int u = record_field(record, " plot_x=") + (int)(x * record_field(record, " plot_width="));
    int v =
        record_field(record, " plot_y=") + (int)((1 - y) * record_field(record, " plot_height="));
    const unsigned char *p = pixels + 3 * ((size_t)v * image->width + (size_t)u);
    return p[0] + p[1] + p[2];
}

enum { LONG = 6800 };

/* 1000 Hz, then 3000 Hz; all along 2000 Hz, 40 dB below. */
static float *two_tones(void)
{
    float *x = malloc(LONG * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < LONG; i++) {
        double step = 2 * acos(-1) * i / 8000;
        x[i] = (float)(0.5 * sin((i < LONG / 2 ? 1000 : 3000) * step) + 0.005 * sin(2000 * step));
    }
    return x;
}

typedef struct drawn {
    png_image image;
    unsigned char *pixels;
    char *record;
} drawn;

/* Draws x.wav; false: there is no libpng to read pictures with. */
static bool draw_picture(drawn *d, const char *options)
{
    tool_checkf(0, "$S spectrogram x.wav x.png %s", options);
    d->record = tool_read("out", NULL);
    d->pixels = read_png("x.png", &d->image);
    return d->pixels;
}

static int light_of(const drawn *d, double x, double y)
{
    return pixel_sum(d->pixels, &d->image, d->record, x, y);
}

static void forget(drawn *d)
{
    free(d->pixels);
    free(d->record);
}
#endif

/* More frames than columns: several are one column, and the times are right. */
static void long_recordings(void **state)
{
    (void)state;
#if HAVE_PNG
    float *x = two_tones();
    tool_make_wav("x.wav", 8000, 0, x, LONG, LONG);
    free(x);
    static const struct {
        const char *options;
        int frames, width;
    } cases[] = {{"--hop 2 --size 64", 3400, 850},
                 {"--hop 4 --size 64", 1700, 850},
                 {"--hop 5 --size 64", 1360, 1360},
                 {"--hop 1 --size 64", 6800, 850}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        drawn d;
        if (!draw_picture(&d, cases[i].options))
            skip();
        assert_int_equal(record_field(d.record, " frames="), cases[i].frames);
        assert_int_equal(record_field(d.record, " plot_width="), cases[i].width);
        for (double at = 0.05; at < 1; at += 0.1) {
            assert_true((light_of(&d, at, 0.25) > 500) == (at < 0.5));
            assert_true((light_of(&d, at, 0.75) > 500) == (at > 0.5));
        }
        forget(&d);
    }
#else
    skip();
#endif
}

static void range_and_title(void **state)
{
    (void)state;
#if HAVE_PNG
    float *x = two_tones();
    tool_make_wav("x.wav", 8000, 0, x, LONG, LONG);
    free(x);
    drawn d;
    if (!draw_picture(&d, "--window blackman"))
        skip();
    assert_true(light_of(&d, 0.25, 0.5) > 200);
    int top = record_field(d.record, " plot_y=");
    forget(&d);
    draw_picture(&d, "--window blackman --db 20"); /* 40 dB below is out of it */
    assert_true(light_of(&d, 0.25, 0.5) < 10);
    assert_true(light_of(&d, 0.25, 0.25) > 500);
    forget(&d);
    tool_check("cp x.png plain.png", 0);
    draw_picture(
        &d, "--window blackman --db 20 --title \"Zwei Tone: 1 & 3 kHz, $(printf '\\303\\266')\"");
    assert_true(record_field(d.record, " plot_y=") > top);
    int ink = 0;
    for (size_t i = 0; i < (size_t)d.image.width * 20; i++)
        ink += d.pixels[3 * i] == 0;
    assert_in_range(ink, 500, 4000);
    forget(&d);
    draw_picture(&d, "--title \"$(seq -s ' ' 1000)\""); /* wider than the picture */
    forget(&d);
#else
    skip();
#endif
}

static void not_finite(void **state)
{
    (void)state;
#if HAVE_PNG
    float *x = two_tones();
    x[2000] = NAN;
    x[2001] = -INFINITY;
    tool_make_wav("x.wav", 8000, 0, x, LONG, LONG);
    free(x);
    drawn d;
    if (!draw_picture(&d, ""))
        skip();
    assert_true(
        tool_file_contains("err", "x.wav: 2 samples are not finite (NaN or infinite), the first at "
                                  "0.250 s"));
    assert_true(light_of(&d, 2000. / LONG, 0.25) < 10);
    assert_true(light_of(&d, 0.1, 0.25) > 500);
    assert_true(light_of(&d, 0.45, 0.25) > 500);
    forget(&d);
#else
    skip();
#endif
}

/* ---------------------------------------------------------------- main ------------------ */

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectrogram_failures), cmocka_unit_test(spectrogram_of_pipes),
        cmocka_unit_test(spectrogram_json),     cmocka_unit_test(spectrogram_of_sine),
        cmocka_unit_test(long_recordings),      cmocka_unit_test(range_and_title),
        cmocka_unit_test(not_finite),
    };
    int code = tool_begin();
    return code ? code : tool_end(cmocka_run_group_tests_name("tool_picture", tests, NULL, NULL));
}
