// SPDX-License-Identifier: BSD-3-Clause
#include "bench/portability/bench_spectrum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double likely = 0.99;     /* minimum p for agreement */
static const double deviations = 8;    /* deviations of the largest of many errors */
static const double error_share = 0.6; /* docs/TESTING.md */
static const double spectra = 2;       /* both have errors, whose squares add up */

void bench_spectrum_fill(const bench_shape *s, void *in)
{
    for (size_t i = 0; i < 2 * s->points; i++) {
        const double value = i % 2 ? 0 : (double)(i / 2);
        if (s->problem.precision == SLUICE_F64)
            ((double *)in)[i] = value;
        else
            ((float *)in)[i] = (float)value;
    }
}

void bench_spectrum_magnitudes(const bench_shape *s, const void *out, double *magnitude)
{
    const bool f64 = s->problem.precision == SLUICE_F64;
    const double *const twice = out;
    const float *const single = out;
    for (size_t k = 0; k < s->points; k++)
        magnitude[k] = f64 ? hypot(twice[2 * k], twice[2 * k + 1])
                           : hypot((double)single[2 * k], (double)single[2 * k + 1]);
}

double bench_spectrum_bound(const bench_shape *s, const double *reference)
{
    const double epsilon = s->problem.precision == SLUICE_F64 ? DBL_EPSILON : FLT_EPSILON;
    double squares = 0, smallest = INFINITY;
    for (size_t k = 0; k < s->points; k++) {
        squares += reference[k] * reference[k];
        smallest = fmin(smallest, reference[k]);
    }
    const double rms = sqrt(squares / (double)s->points);
    const double error = error_share * epsilon * sqrt(spectra * log2((double)s->points));
    return deviations * error * rms / smallest;
}

bench_verdict bench_spectrum_compare(const bench_shape *s, const double *magnitude,
                                     const double *reference)
{
    bench_verdict v = {.found = bench_agreement_of(magnitude, reference, s->points),
                       .bound = bench_spectrum_bound(s, reference)};
    v.agrees = v.found.p >= likely && v.found.largest <= v.bound;
    return v;
}

bool bench_spectrum_control(const bench_shape *s, const double *reference)
{
    double *changed = malloc(s->points * sizeof *changed);
    if (!changed)
        return false;
    for (size_t k = 0; k < s->points; k++)
        changed[k] = reference[k] + 2 * sqrt(reference[k]);
    bool found = !bench_spectrum_compare(s, changed, reference).agrees;
    memcpy(changed, reference, s->points * sizeof *changed);
    changed[s->points / 3] *= 1 + 10 * bench_spectrum_bound(s, reference);
    found = !bench_spectrum_compare(s, changed, reference).agrees && found;
    free(changed);
    return found;
}
