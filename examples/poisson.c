// SPDX-License-Identifier: BSD-3-Clause
/* poisson DENSITY.png OUT.png
 * cc poisson.c $(pkg-config --cflags --libs sluice libpng) -lm -o poisson
 *
 * Computes the electric potential and field of charges in a box whose walls no field crosses. The
 * charge density is a picture's darkness less its mean, as the box is neutral. OUT.png shows the
 * potential in colours and the field as needles, in the direction of the force on a positive
 * charge.
 *
 * Let a_uv be the cosine coefficients of the density, w_u = pi u / M and w_v = pi v / N. The
 * potential has the coefficients a_uv / (w_u^2 + w_v^2). The field has these times w_u or w_v, with
 * sines in place of cosines along that axis. So there are a DCT-II, then for the potential DCT-III
 * along both axes, and for the field IDXST and DCT-III, DCT-III and IDXST. Placers of circuits
 * spread cells in this way (algorithm 4 of Jiang, Gu, Pan, "A New Acceleration Paradigm for
 * Discrete Cosine Transform and Other Fourier-Related Transforms").
 *
 * First, the result for a density whose potential and field are known is compared with these. */
#include <errno.h>
#include <math.h>
#include <png.h>
#include <sluice.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { FORWARD, POTENTIAL, DOWN, ACROSS, PLANS };

static const char *const kinds[PLANS] = {
    [FORWARD] = "dct2", [POTENTIAL] = "dct3", [DOWN] = "idxst*dct3", [ACROSS] = "dct3*idxst"};

typedef struct box {
    size_t rows, columns;
    sluice_plan *plan[PLANS];
    double *density, *coefficients, *scaled;
    double *result[PLANS]; /* potential; field down and across */
} box;

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "poisson: %s: %s\n", what, why);
    return false;
}

static bool open_box(box *b, sluice_machine *machine, size_t rows, size_t columns)
{
    const size_t bytes = rows * columns * sizeof(double);
    double **const arrays[] = {&b->density,           &b->coefficients, &b->scaled,
                               &b->result[POTENTIAL], &b->result[DOWN], &b->result[ACROSS]};
    b->rows = rows;
    b->columns = columns;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = sluice_alloc(bytes)))
            return complain("the box", "there is no memory for it");
    for (int i = 0; i < PLANS; i++) {
        char text[64];
        sluice_diag why = {0};
        snprintf(text, sizeof text, "%s:f64:%zux%zu", kinds[i], rows, columns);
        if (sluice_plan_from_text(&b->plan[i], machine, text, NULL, &why) != SLUICE_OK)
            return complain(text, why.message);
    }
    return true;
}

static void close_box(box *b)
{
    for (int i = 0; i < PLANS; i++) {
        sluice_plan_destroy(b->plan[i]);
        sluice_free(b->result[i]);
    }
    sluice_free(b->density);
    sluice_free(b->coefficients);
    sluice_free(b->scaled);
}

/* The coefficients of one result: those of the density over the squares; for fields times the
 * frequency of their axis. DCT-III after DCT-II multiplies by 2 n along each axis. Coefficient 0 is
 * the mean. */
static void scale_coefficients(box *b, int which)
{
    const double norm = 1 / (4 * (double)b->rows * (double)b->columns);
    for (size_t u = 0, i = 0; u < b->rows; u++)
        for (size_t v = 0; v < b->columns; v++, i++) {
            const double down = PI * (double)u / (double)b->rows;
            const double across = PI * (double)v / (double)b->columns;
            const double factor = which == DOWN ? down : which == ACROSS ? across : 1;
            const double squares = down * down + across * across;
            b->scaled[i] = i == 0 ? 0 : b->coefficients[i] * norm * factor / squares;
        }
}

static bool solve(box *b)
{
    bool good = sluice_execute(b->plan[FORWARD], b->density, b->coefficients) == SLUICE_OK;
    for (int i = POTENTIAL; i < PLANS; i++) {
        scale_coefficients(b, i);
        good = sluice_execute(b->plan[i], b->scaled, b->result[i]) == SLUICE_OK && good;
    }
    return good || complain("the box", "a transform failed");
}

/* ---- a density whose potential and field are known: a few waves */

static const struct {
    double u, v, amplitude;
} waves[] = {{1, 0, 1}, {0, 2, -0.5}, {3, 1, 0.25}, {2, 5, 0.1}};

/* One value of the sum of waves; which = FORWARD: of the density. */
static double known(const box *b, int which, size_t i, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k < sizeof waves / sizeof *waves; k++) {
        const double down = PI * waves[k].u / (double)b->rows;
        const double across = PI * waves[k].v / (double)b->columns;
        const double x = down * ((double)i + 0.5), y = across * ((double)j + 0.5);
        const double value[PLANS] = {
            [FORWARD] = (down * down + across * across) * cos(x) * cos(y),
            [POTENTIAL] = cos(x) * cos(y),
            [DOWN] = down * sin(x) * cos(y),
            [ACROSS] = across * cos(x) * sin(y),
        };
        sum += waves[k].amplitude * value[which];
    }
    return sum;
}

/* The largest error relative to the largest value. */
static double error_of(const box *b, int which)
{
    double largest = 0, error = 0;
    for (size_t i = 0; i < b->rows; i++)
        for (size_t j = 0; j < b->columns; j++) {
            const double wanted = known(b, which, i, j);
            largest = fmax(largest, fabs(wanted));
            error = fmax(error, fabs(b->result[which][i * b->columns + j] - wanted));
        }
    return error / largest;
}

/* Checks the result for the waves, which need at least 8 rows and columns. */
static bool check_known(box *b)
{
    if (b->rows < 8 || b->columns < 8)
        return complain("the picture", "it is smaller than 8 x 8");
    for (size_t i = 0; i < b->rows; i++)
        for (size_t j = 0; j < b->columns; j++)
            b->density[i * b->columns + j] = known(b, FORWARD, i, j);
    if (!solve(b))
        return false;
    const double potential = error_of(b, POTENTIAL);
    const double field = fmax(error_of(b, DOWN), error_of(b, ACROSS));
    printf("known solution: potential within %.1e, field within %.1e\n", potential, field);
    return (potential < 1e-9 && field < 1e-9) || complain("known solution", "it is not found");
}

/* ---- pictures */

static bool read_density(png_image *image, unsigned char **pixels, const char *name)
{
    const png_color white = {255, 255, 255}; /* transparent pixels have no charge */
    image->version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(image, name))
        return complain(name, image->message);
    image->format = PNG_FORMAT_GRAY;
    *pixels = malloc(PNG_IMAGE_SIZE(*image));
    if (!*pixels)
        return complain(name, "there is no memory for it");
    return png_image_finish_read(image, &white, *pixels, 0, NULL) || complain(name, image->message);
}

static void set_density(box *b, const unsigned char *pixels)
{
    for (size_t i = 0; i < b->rows * b->columns; i++)
        b->density[i] = (255 - pixels[i]) / 255.0;
}

static double largest_of(const double *values, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

/* Blue below 0, white at 0, red above. */
static void set_colour(unsigned char *pixel, double value)
{
    const double fade = 255 * (1 - fmin(fabs(value), 1));
    pixel[0] = (unsigned char)(value > 0 ? 255 - (255 - fade) * 0.2 : fade);
    pixel[1] = (unsigned char)fade;
    pixel[2] = (unsigned char)(value > 0 ? fade : 255 - (255 - fade) * 0.2);
}

enum { NEEDLE = 16 }; /* pixels from one needle to the next */

/* Draws a line from the middle of a square in the direction of the field. Its length is the root of
 * the field relative to the largest one, so that weak fields are visible. */
static void draw_needle(const box *b, unsigned char *pixels, size_t i, size_t j, double largest)
{
    const double down = b->result[DOWN][i * b->columns + j];
    const double across = b->result[ACROSS][i * b->columns + j];
    const double field = hypot(down, across);
    const double length = 0.9 * NEEDLE * sqrt(field / largest);
    for (double t = 0; t < length; t += 0.5) {
        const double y = (double)i + t * down / field, x = (double)j + t * across / field;
        if (y < 0 || x < 0 || y >= (double)b->rows || x >= (double)b->columns)
            return;
        memset(pixels + ((size_t)y * b->columns + (size_t)x) * 3, t < 2 ? 0 : 64, 3);
    }
}

/* Writes through a FILE: if writing to a name fails, libpng removes it, even a device. */
static bool write_picture(png_image *image, const unsigned char *pixels, const char *name)
{
    FILE *file = fopen(name, "wb");
    if (!file)
        return complain(name, strerror(errno));
    const bool written = png_image_write_to_stdio(image, file, 0, pixels, 0, NULL);
    const bool closed = fclose(file) == 0;
    return (written && closed) || complain(name, written ? strerror(errno) : image->message);
}

static bool draw(const box *b, const char *name)
{
    const size_t count = b->rows * b->columns;
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)b->columns,
                       .height = (png_uint_32)b->rows,
                       .format = PNG_FORMAT_RGB};
    unsigned char *pixels = malloc(3 * count);
    if (!pixels)
        return complain(name, "there is no memory for it");
    const double none = 1e-300; /* a uniform density has no potential */
    const double potential = fmax(largest_of(b->result[POTENTIAL], count), none);
    const double field =
        fmax(hypot(largest_of(b->result[DOWN], count), largest_of(b->result[ACROSS], count)), none);
    for (size_t i = 0; i < count; i++)
        set_colour(pixels + 3 * i, b->result[POTENTIAL][i] / potential);
    for (size_t i = NEEDLE / 2; i < b->rows; i += NEEDLE)
        for (size_t j = NEEDLE / 2; j < b->columns; j += NEEDLE)
            draw_needle(b, pixels, i, j, field);
    const bool good = write_picture(&image, pixels, name);
    free(pixels);
    return good;
}

static bool run(box *b, sluice_machine *machine, char **names)
{
    png_image image = {0};
    unsigned char *pixels = NULL;
    bool good = read_density(&image, &pixels, names[0])
                && open_box(b, machine, image.height, image.width) && check_known(b);
    if (good) {
        set_density(b, pixels);
        good = solve(b) && draw(b, names[1]);
    }
    if (good) {
        const size_t count = b->rows * b->columns;
        printf("%zu x %zu: potential to %.4g, field to %.4g down and %.4g across\n", b->columns,
               b->rows, largest_of(b->result[POTENTIAL], count), largest_of(b->result[DOWN], count),
               largest_of(b->result[ACROSS], count));
    }
    png_image_free(&image);
    free(pixels);
    return good;
}

int main(int argc, char **argv)
{
    box b = {0};
    sluice_machine *machine = NULL;
    sluice_diag why = {0};
    if (argc != 3) {
        fputs("usage: poisson DENSITY.png OUT.png\n", stderr);
        return 2;
    }
    bool good = sluice_machine_open(&machine, NULL, &why) == SLUICE_OK
                || complain("the machine", why.message);
    good = good && run(&b, machine, argv + 1);
    close_box(&b);
    sluice_machine_close(machine);
    return good ? 0 : 1;
}
