// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_distance.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double value_at(const plan_data *d, size_t i)
{
    const char *at = plan_data_at(d, 1, i / 2, (int)(i % 2));
    float f;
    double x;
    memcpy(&f, at, sizeof f);
    if (d->scalar == sizeof f)
        return f;
    memcpy(&x, at, sizeof x);
    return x;
}

double distance_of(const plan_data *a, const plan_data *b)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < 2 * a->total; i++) {
        const double x = value_at(a, i), y = value_at(b, i);
        difference += (x - y) * (x - y);
        size += y * y;
    }
    return sqrt(difference / size);
}

double distance_bound(const plan_data *d)
{
    const double levels = log2((double)d->total);
    return (plan_smooth(d->total) ? 0.6 : 1.5)
           * (d->scalar == sizeof(float) ? FLT_EPSILON : DBL_EPSILON)
           * sqrt(levels > 1 ? levels : 1);
}
