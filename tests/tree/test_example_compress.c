// SPDX-License-Identifier: BSD-3-Clause
/* The example compress against sums written out: pixels, the share of coefficients, PSNR; a picture
 * of this repository; what it refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <png.h>

#define PI 3.14159265358979323846
#define PICTURE "docs/images/front-center.png"

static char folder[] = "/tmp/sluice-compress-XXXXXX";
static char said[1024]; /* by the last command */

typedef struct pixels {
    png_image image;
    unsigned char *bytes;
    size_t height, width, channels;
} pixels;

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static pixels read_pixels(const char *path)
{
    pixels p = {.image = {.version = PNG_IMAGE_VERSION}};
    assert_true(png_image_begin_read_from_file(&p.image, path));
    p.bytes = malloc(PNG_IMAGE_SIZE(p.image));
    p.height = p.image.height;
    p.width = p.image.width;
    p.channels = PNG_IMAGE_SAMPLE_CHANNELS(p.image.format);
    assert_non_null(p.bytes);
    assert_true(png_image_finish_read(&p.image, NULL, p.bytes, 0, NULL));
    return p;
}

/* Something with edges, slopes and noise; other channels are turned pictures. */
static pixels make_pixels(size_t height, size_t width, size_t channels)
{
    pixels p = {.image = {.version = PNG_IMAGE_VERSION,
                          .height = (png_uint_32)height,
                          .width = (png_uint_32)width,
                          .format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY},
                .height = height,
                .width = width,
                .channels = channels};
    p.bytes = malloc(height * width * channels);
    assert_non_null(p.bytes);
    for (size_t i = 0; i < height; i++)
        for (size_t j = 0; j < width; j++)
            for (size_t c = 0; c < channels; c++)
                p.bytes[(i * width + j) * channels + c] =
                    (unsigned char)((i > height / 2 ? 100 : 0) + (c * i + 5 * j) % 130
                                    + (i * i * 31 + j * 77) % 23);
    return p;
}

static int compress(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "'%s/examples/compress' %s 2>&1", getenv("SLUICE_BIN_DIR"),
             arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Element k, i of the orthonormal DCT-II of n points. */
static double cosine(size_t n, size_t k, size_t i)
{
    return sqrt((k == 0 ? 1.0 : 2.0) / (double)n)
           * cos(PI * (double)k * ((double)i + 0.5) / (double)n);
}

/* y = A x B^T, with the DCT-II or its transpose along both axes. */
static void transform(double *y, const double *x, size_t height, size_t width, int back)
{
    double *rows = malloc(height * width * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < height; i++)
        for (size_t k = 0; k < width; k++) {
            rows[i * width + k] = 0;
            for (size_t j = 0; j < width; j++)
                rows[i * width + k] +=
                    x[i * width + j] * (back ? cosine(width, j, k) : cosine(width, k, j));
        }
    for (size_t k = 0; k < height; k++)
        for (size_t j = 0; j < width; j++) {
            y[k * width + j] = 0;
            for (size_t i = 0; i < height; i++)
                y[k * width + j] +=
                    rows[i * width + j] * (back ? cosine(height, i, k) : cosine(height, k, i));
        }
    free(rows);
}

/* One channel as it should come out; returns how many coefficients are left. */
static size_t expect_channel(double *x, const pixels *p, size_t channel, double least)
{
    const size_t points = p->height * p->width;
    double *y = malloc(points * sizeof *y);
    size_t kept = 0;
    assert_non_null(y);
    for (size_t i = 0; i < points; i++)
        x[i] = p->bytes[i * p->channels + channel];
    transform(y, x, p->height, p->width, 0);
    for (size_t i = 0; i < points; i++) {
        assert_true(fabs(fabs(y[i]) - least) > 1e-4); /* rounding decides nothing */
        y[i] = fabs(y[i]) < least ? 0 : y[i];
        kept += y[i] != 0;
    }
    transform(x, y, p->height, p->width, 1);
    free(y);
    return kept;
}

/* What the program said: its share of coefficients, and its PSNR. */
static void read_said(double *share, double *psnr)
{
    const char *numbers = strchr(said, ':');
    assert_non_null(numbers);
    assert_int_equal(sscanf(numbers, ": %lf %% of the coefficients, PSNR %lf", share, psnr), 2);
}

static double psnr_between(const pixels *a, const pixels *b)
{
    const size_t count = a->height * a->width * a->channels;
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (a->bytes[i] - b->bytes[i]) * (a->bytes[i] - b->bytes[i]);
    return 10 * log10(255 * 255 * (double)count / squares);
}

static void check_size(size_t height, size_t width, size_t channels, double least)
{
    char arguments[256];
    pixels in = make_pixels(height, width, channels);
    const size_t points = height * width;
    double *x = malloc(points * sizeof *x), share, psnr;
    size_t kept = 0;
    assert_non_null(x);
    assert_true(png_image_write_to_file(&in.image, path_of("in.png"), 0, in.bytes, 0, NULL));
    snprintf(arguments, sizeof arguments, "%s/in.png %s/out.png %.9g", folder, folder, least);
    if (compress(arguments) != 0)
        fail_msg("%s", said);
    pixels out = read_pixels(path_of("out.png"));
    assert_int_equal(out.channels, channels);
    for (size_t c = 0; c < channels; c++) {
        kept += expect_channel(x, &in, c, least);
        for (size_t i = 0; i < points; i++)
            assert_true(fabs(out.bytes[i * channels + c] - fmin(fmax(x[i], 0), 255)) < 0.502);
    }
    read_said(&share, &psnr);
    assert_true(fabs(share - 100 * (double)kept / (double)(points * channels)) <= 0.005);
    assert_true(fabs(psnr - psnr_between(&in, &out)) <= 0.005);
    free(x);
    free(in.bytes);
    free(out.bytes);
}

static void pixels_are_those_of_the_sums(void **state)
{
    (void)state;
    check_size(16, 16, 1, 20);
    check_size(24, 40, 3, 12.5);
    check_size(7, 13, 1, 33);
    check_size(37, 10, 3, 9.25);
    check_size(1, 30, 1, 20);
}

static void nothing_is_lost_without_a_limit(void **state)
{
    char arguments[256];
    (void)state;
    snprintf(arguments, sizeof arguments, "%s %s/all.png 0", PICTURE, folder);
    assert_int_equal(compress(arguments), 0);
    assert_non_null(strstr(said, "PSNR inf dB\n"));
    pixels in = read_pixels(PICTURE), out = read_pixels(path_of("all.png"));
    assert_memory_equal(in.bytes, out.bytes, in.height * in.width * in.channels);
    free(in.bytes);
    free(out.bytes);
}

static void a_picture_is_compressed(void **state)
{
    double share, psnr;
    char arguments[256];
    (void)state;
    snprintf(arguments, sizeof arguments, "%s %s/some.png", PICTURE, folder);
    assert_int_equal(compress(arguments), 0);
    read_said(&share, &psnr);
    pixels in = read_pixels(PICTURE), out = read_pixels(path_of("some.png"));
    assert_true(fabs(psnr - psnr_between(&in, &out)) <= 0.005);
    assert_true(psnr > 30 && share < 50);
    free(in.bytes);
    free(out.bytes);
}

static void refuse(int code, const char *arguments, const char *sentence)
{
    assert_int_equal(compress(arguments), code);
    if (!strstr(said, sentence))
        fail_msg("'%s' is not in '%s'", sentence, said);
}

static void it_refuses_in_sentences(void **state)
{
    (void)state;
    refuse(2, PICTURE, "usage: compress");
    refuse(2, PICTURE " /dev/null -1", "usage: compress");
    refuse(2, PICTURE " /dev/null much", "usage: compress");
    refuse(1, "none.png /dev/null", "compress: none.png: ");
    refuse(1, "README.md /dev/null", "compress: README.md: ");
    refuse(1, PICTURE " none/out.png", "compress: none/out.png: ");
    refuse(1, PICTURE " /dev/full", "compress: /dev/full: ");
    setenv("SLUICE_UNITS", "nothing", 1);
    refuse(1, PICTURE " /dev/null", "nothing");
    unsetenv("SLUICE_UNITS");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_are_those_of_the_sums),
        cmocka_unit_test(nothing_is_lost_without_a_limit),
        cmocka_unit_test(a_picture_is_compressed),
        cmocka_unit_test(it_refuses_in_sentences),
    };
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/compress", getenv("SLUICE_BIN_DIR"));
    if (access(path, X_OK) != 0)
        return 77;
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
