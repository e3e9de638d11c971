// SPDX-License-Identifier: BSD-3-Clause
/* Windows as cosine sums a0 - a1 cos(2 pi i/n) + a2 cos(4 pi i/n). */
#include "tools/window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/npy.h"
#include "tools/tool.h"

const char *const window_names[] = {"hann", "hamming", "blackman", "rect", NULL};
static const double terms[][3] = {{0.5, 0.5, 0}, {0.54, 0.46, 0}, {0.42, 0.5, 0.08}, {1, 0, 0}};

double *window_make(int name, size_t n, double *sum)
{
    double *weights = malloc(n * sizeof *weights), step = 2 * acos(-1) / (double)n;
    const double *a = terms[name];
    *sum = 0;
    for (size_t i = 0; weights && i < n; i++) {
        double angle = step * (double)i;
        weights[i] = a[0] - a[1] * cos(angle) + a[2] * cos(2 * angle);
        *sum += weights[i];
    }
    return weights;
}

/* NULL: `why` says the reason. */
static double *read_numbers(FILE *file, size_t n, char why[NPY_WHY])
{
    npy_array a;
    if (!npy_read(file, &a, why))
        return NULL;
    snprintf(why, NPY_WHY, "holds no %zu real numbers of one dimension", n);
    if (a.is_complex || a.rank != 1 || a.shape[0] != n)
        return NULL;
    double *weights = malloc(n * sizeof *weights);
    void *bytes = malloc(n * a.format->bytes);
    const bool read = weights && bytes && fread(bytes, a.format->bytes, n, file) == n;
    if (read && a.swapped)
        sample_swap(a.format, bytes, n);
    if (read)
        sample_decode(a.format, bytes, n, false, weights);
    free(bytes);
    if (read)
        return weights;
    free(weights);
    return NULL;
}

double *window_read(const char *path, size_t n)
{
    char why[NPY_WHY];
    FILE *file = fopen(path, "rb");
    if (!file) {
        complain("cannot open %s: %s", path, strerror(errno));
        return NULL;
    }
    double *weights = read_numbers(file, n, why);
    fclose(file);
    if (!weights)
        complain("--window: %s %s", path, why);
    return weights;
}
