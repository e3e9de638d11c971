// SPDX-License-Identifier: BSD-3-Clause
/* Windows as cosine sums a0 - a1 cos(2 pi i/n) + a2 cos(4 pi i/n). */
#include "tools/window.h"

#include <math.h>
#include <stdlib.h>

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
