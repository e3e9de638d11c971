// SPDX-License-Identifier: BSD-3-Clause
/* compress IN.png OUT.png [LEAST]
 * cc compress.c $(pkg-config --cflags --libs sluice libpng) -lm -o compress
 *
 * Shows a picture without its small cosine coefficients: a DCT-II of the whole picture, zeros for
 * coefficients of a magnitude below LEAST, and the inverse. Coefficients are those of the
 * orthonormal transform, in levels of grey; LEAST is 20 if it is not given. (Algorithm 3 of Jiang,
 * Gu, Pan, "A New Acceleration Paradigm for Discrete Cosine Transform and Other Fourier-Related
 * Transforms".) */
#include <errno.h>
#include <math.h>
#include <png.h>
#include <sluice.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct picture {
    size_t height, width, channels; /* 1: grey; 3: red, green, blue */
    png_image image;
    unsigned char *pixels; /* row by row, the channels of a pixel side by side */
} picture;

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "compress: %s: %s\n", what, why);
    return false;
}

static bool read_picture(picture *p, const char *name)
{
    const png_color white = {255, 255, 255}; /* background of transparent pixels */
    p->image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&p->image, name))
        return complain(name, p->image.message);
    p->image.format &= PNG_FORMAT_FLAG_COLOR; /* 8 bits of RGB or of grey */
    p->height = p->image.height;
    p->width = p->image.width;
    p->channels = PNG_IMAGE_SAMPLE_CHANNELS(p->image.format);
    p->pixels = malloc(PNG_IMAGE_SIZE(p->image));
    if (!p->pixels)
        return complain(name, "there is no memory for it");
    return png_image_finish_read(&p->image, &white, p->pixels, 0, NULL)
           || complain(name, p->image.message);
}

/* Writes through a FILE: if writing to a name fails, libpng removes it, even a device. */
static bool write_picture(picture *p, const char *name)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        return complain(name, strerror(errno));
    const bool written = png_image_write_to_stdio(&p->image, file, 0, p->pixels, 0, NULL);
    const bool closed = fclose(file) == 0;
    return (written && closed) || complain(name, written ? strerror(errno) : p->image.message);
}

/* Copies pixels to one plane of numbers per channel. */
static void get_planes(float *planes, const picture *p)
{
    const size_t points = p->height * p->width;
    for (size_t i = 0; i < points; i++)
        for (size_t c = 0; c < p->channels; c++)
            planes[c * points + i] = p->pixels[i * p->channels + c];
}

/* Copies planes times `scale` to pixels; returns the mean square of the change. */
static double put_planes(picture *p, const float *planes, double scale)
{
    const size_t points = p->height * p->width;
    double squares = 0;
    for (size_t i = 0; i < points; i++)
        for (size_t c = 0; c < p->channels; c++) {
            unsigned char *pixel = &p->pixels[i * p->channels + c];
            const double level = fmin(fmax(rint(planes[c * points + i] * scale), 0), 255);
            squares += (level - *pixel) * (level - *pixel);
            *pixel = (unsigned char)level;
        }
    return squares / (double)(points * p->channels);
}

/* Zeroes coefficients below a limit, in planes of so many pixels. */
typedef struct threshold {
    size_t height, width;
    double limit;
    atomic_size_t kept;
} threshold;

/* A hook: it sees coefficients from number `first` on, as the last stage of the transform stores
 * them. A coefficient of the unscaled DCT-II is 2 sqrt(H W) times that of the orthonormal one, and
 * sqrt(2) times more for each index that is 0. */
static sluice_status drop_small(void *user, size_t first, size_t count, void *data)
{
    threshold *t = user;
    float *coefficient = data;
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t i = (first + k) / t->width % t->height, j = (first + k) % t->width;
        const double edge = (i == 0 ? sqrt(2) : 1) * (j == 0 ? sqrt(2) : 1);
        if (fabs((double)coefficient[k]) < t->limit * edge)
            coefficient[k] = 0;
        kept += coefficient[k] != 0;
    }
    atomic_fetch_add(&t->kept, kept);
    return SLUICE_OK;
}

/* Transforms every plane, with hooks or NULL. */
static bool transform(sluice_machine *machine, const char *kind, const picture *p,
                      const sluice_hooks *hooks, const float *from, float *to)
{
    const sluice_plan_options options = {.hooks = hooks};
    char text[128];
    sluice_plan *plan;
    sluice_diag why = {0};
    snprintf(text, sizeof text, "%s:f32:%zux%zu*%zu", kind, p->height, p->width, p->channels);
    sluice_status status = sluice_plan_from_text(&plan, machine, text, &options, &why);
    if (status != SLUICE_OK)
        return complain(text, why.message);
    status = sluice_execute(plan, from, to);
    sluice_plan_destroy(plan);
    return status == SLUICE_OK || complain(text, sluice_strerror(status));
}

/* Transforms there and back, dropping small coefficients between. */
static bool transform_twice(sluice_machine *machine, const picture *p, threshold *t, float *planes,
                            float *coefficients)
{
    const sluice_hooks hooks = {.out = {.call = drop_small, .user = t}};
    return transform(machine, "dct2", p, &hooks, planes, coefficients)
           && transform(machine, "dct3", p, NULL, coefficients, planes);
}

/* DCT-III after DCT-II multiplies the input by 2 n along each axis. */
static bool compress(picture *p, sluice_machine *machine, double least)
{
    const size_t points = p->height * p->width, count = points * p->channels;
    threshold t = {.height = p->height,
                   .width = p->width,
                   .limit = least * 2 * sqrt((double)p->height * (double)p->width)};
    float *planes = sluice_alloc(count * sizeof *planes);
    float *coefficients = sluice_alloc(count * sizeof *coefficients);
    bool good = planes && coefficients;
    if (!good)
        complain("the picture", "there is no memory for its coefficients");
    else
        get_planes(planes, p);
    good = good && transform_twice(machine, p, &t, planes, coefficients);
    if (good) {
        const double squares = put_planes(p, planes, 1 / (4 * (double)points));
        printf("%zu x %zu, %zu channel%s: %.2f %% of the coefficients, PSNR %.2f dB\n", p->width,
               p->height, p->channels, p->channels == 1 ? "" : "s",
               100 * (double)atomic_load(&t.kept) / (double)count, 10 * log10(255 * 255 / squares));
    }
    sluice_free(planes);
    sluice_free(coefficients);
    return good;
}

/* Not a number if the argument is not a number or is negative. */
static double read_least(const char *text)
{
    char *end;
    const double least = strtod(text, &end);
    return end != text && *end == '\0' && least >= 0 ? least : NAN;
}

int main(int argc, char **argv)
{
    const double least = argc == 4 ? read_least(argv[3]) : 20;
    sluice_machine *machine = NULL;
    sluice_diag why = {0};
    picture p = {0};
    if (argc < 3 || argc > 4 || isnan(least)) {
        fputs("usage: compress IN.png OUT.png [LEAST]\n"
              "LEAST: magnitude of the smallest coefficient that is kept; default 20\n",
              stderr);
        return 2;
    }
    bool good = sluice_machine_open(&machine, NULL, &why) == SLUICE_OK
                || complain("the machine", why.message);
    good = good && read_picture(&p, argv[1]) && compress(&p, machine, least)
           && write_picture(&p, argv[2]);
    png_image_free(&p.image);
    free(p.pixels);
    sluice_machine_close(machine);
    return good ? 0 : 1;
}
