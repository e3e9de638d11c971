// SPDX-License-Identifier: BSD-3-Clause
/* Scales results in pieces that a cache holds: one multiplication per scalar, but no further pass
 * through memory. */
#include "backends/cpu/run/cpu_scale.h"

#include <stdalign.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

void cpu_scale_scalar_f32(void *to, const void *from, size_t count, double by)
{
    const float *const f = (const float *)from, s = (float)by;
    float *const t = (float *)to;

    for (size_t i = 0; i < count; i++)
        t[i] = s * f[i];
}

void cpu_scale_scalar_f64(void *to, const void *from, size_t count, double by)
{
    const double *const f = (const double *)from;
    double *const t = (double *)to;

    for (size_t i = 0; i < count; i++)
        t[i] = by * f[i];
}

void cpu_scale_vec128_f32(void *to, const void *from, size_t count, double by)
{
    typedef __attribute__((vector_size(16), aligned(4), may_alias)) float vector;
    const float *const f = (const float *)from, s = (float)by;
    float *const t = (float *)to;
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        *(vector *)(void *)(t + i) = s * *(const vector *)(const void *)(f + i);
    cpu_scale_scalar_f32(t + i, f + i, count - i, by);
}

void cpu_scale_vec128_f64(void *to, const void *from, size_t count, double by)
{
    typedef __attribute__((vector_size(16), aligned(8), may_alias)) double vector;
    const double *const f = (const double *)from;
    double *const t = (double *)to;
    size_t i = 0;
    for (; i + 2 <= count; i += 2)
        *(vector *)(void *)(t + i) = by * *(const vector *)(const void *)(f + i);
    cpu_scale_scalar_f64(t + i, f + i, count - i, by);
}

void cpu_scale_avx2_f32(void *to, const void *from, size_t count, double by)
{
    const float *const f = (const float *)from;
    float *const t = (float *)to;
    size_t i = 0;
#ifdef __x86_64__
    const __m256 s = _mm256_set1_ps((float)by);
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(t + i, _mm256_mul_ps(s, _mm256_loadu_ps(f + i)));
#endif
    cpu_scale_scalar_f32(t + i, f + i, count - i, by);
}

void cpu_scale_avx2_f64(void *to, const void *from, size_t count, double by)
{
    const double *const f = (const double *)from;
    double *const t = (double *)to;
    size_t i = 0;
#ifdef __x86_64__
    const __m256d s = _mm256_set1_pd(by);
    for (; i + 4 <= count; i += 4)
        _mm256_storeu_pd(t + i, _mm256_mul_pd(s, _mm256_loadu_pd(f + i)));
#endif
    cpu_scale_scalar_f64(t + i, f + i, count - i, by);
}

void cpu_scale_avx512_f32(void *to, const void *from, size_t count, double by)
{
    const float *const f = (const float *)from;
    float *const t = (float *)to;
    size_t i = 0;
#ifdef __x86_64__
    const __m512 s = _mm512_set1_ps((float)by);
    for (; i + 16 <= count; i += 16)
        _mm512_storeu_ps(t + i, _mm512_mul_ps(s, _mm512_loadu_ps(f + i)));
#endif
    cpu_scale_scalar_f32(t + i, f + i, count - i, by);
}

void cpu_scale_avx512_f64(void *to, const void *from, size_t count, double by)
{
    const double *const f = (const double *)from;
    double *const t = (double *)to;
    size_t i = 0;
#ifdef __x86_64__
    const __m512d s = _mm512_set1_pd(by);
    for (; i + 8 <= count; i += 8)
        _mm512_storeu_pd(t + i, _mm512_mul_pd(s, _mm512_loadu_pd(f + i)));
#endif
    cpu_scale_scalar_f64(t + i, f + i, count - i, by);
}

cpu_scale_fn *const cpu_scale[CORE_ISA_COUNT][2] = {
    [CORE_ISA_SCALAR] = {cpu_scale_scalar_f32, cpu_scale_scalar_f64},
    [CORE_ISA_VEC128] = {cpu_scale_vec128_f32, cpu_scale_vec128_f64},
    [CORE_ISA_AVX2] = {cpu_scale_avx2_f32, cpu_scale_avx2_f64},
    [CORE_ISA_AVX512] = {cpu_scale_avx512_f32, cpu_scale_avx512_f64},
};

/* `count` elements of one or two scalars each, whose distance is `step` scalars. */
static void scale_strided_f32(float *x, bool pairs, ptrdiff_t step, size_t count, float by)
{
    for (size_t i = 0; i < count; i++, x += step) {
        x[0] *= by;
        if (pairs)
            x[1] *= by;
    }
}

static void scale_strided_f64(double *x, bool pairs, ptrdiff_t step, size_t count, double by)
{
    for (size_t i = 0; i < count; i++, x += step) {
        x[0] *= by;
        if (pairs)
            x[1] *= by;
    }
}

/* `count` elements of `unit` scalars each, whose distance is `step` scalars. */
static void scale_runs(cpu_scale_fn *scale, double by, char *at, size_t scalar, ptrdiff_t unit,
                       ptrdiff_t step, size_t count)
{
    for (size_t i = 0; i < count; i++, at += step * (ptrdiff_t)scalar)
        cpu_scale_run(scale, at, at, (size_t)unit, by);
}

/* One array of a side: `count` elements of `unit` scalars, whose distance is `step` scalars. */
static void scale_elements(cpu_scale_fn *scale, double by, char *at, size_t scalar, ptrdiff_t unit,
                           ptrdiff_t step, size_t count)
{
    if (step == unit)
        cpu_scale_run(scale, at, at, count * (size_t)unit, by);
    else if (unit > 2)
        scale_runs(scale, by, at, scalar, unit, step, count);
    else if (scalar == sizeof(float))
        scale_strided_f32((float *)(void *)at, unit == 2, step, count, (float)by);
    else
        scale_strided_f64((double *)(void *)at, unit == 2, step, count, by);
}

size_t cpu_adjacent_results(const bind_tail *t, const spl_call *c, int rows, size_t columns)
{
    const ptrdiff_t unit = t->unit, height = rows, width = (ptrdiff_t)columns;
    const bool by_columns = c->os == unit && (width == 1 || c->ocs == height * unit);
    const bool by_rows = c->ocs == unit && (height == 1 || c->os == width * unit);

    if (c->out_off || t->pairs || t->out == SPL_SPLIT || !(by_columns || by_rows))
        return 0;
    return (size_t)(height * width * unit);
}

/* Scales rows of columns lo .. hi-1 of one set, re and im, along the direction that is adjacent. */
static void scale_set(const bind_tail *t, const bind_scaling *s, cpu_scale_fn *scale,
                      const spl_call *c, ptrdiff_t set, size_t lo, size_t hi)
{
    const ptrdiff_t unit = t->unit, scalar = (ptrdiff_t)t->scalar;
    const bool by_columns = !c->out_off && c->os == unit && s->rows > 1;
    const size_t outer = by_columns ? hi - lo : (size_t)s->rows;
    const size_t inner = by_columns ? (size_t)s->rows : hi - lo;
    const size_t all = cpu_adjacent_results(t, c, s->rows, hi - lo);

    if (all > 0) {
        char *const at = (char *)c->out_re + ((ptrdiff_t)lo * c->ocs + set * c->oouter) * scalar;
        cpu_scale_run(scale, at, at, all, s->by);
        return;
    }
    for (int part = 0; part < (t->out == SPL_SPLIT ? 2 : 1); part++)
        for (size_t i = 0; i < outer; i++) {
            const ptrdiff_t row = by_columns ? 0 : (ptrdiff_t)i;
            const ptrdiff_t column = (ptrdiff_t)lo + (by_columns ? (ptrdiff_t)i : 0);
            const bool second = t->pairs && row == 1;
            const ptrdiff_t step = second ? c->ocs1 : c->ocs, back = second ? -1 : 1;
            const ptrdiff_t at = (c->out_off ? c->out_off[row] : row * c->os) + column * step
                                 + set * c->oouter * back;
            scale_elements(scale, s->by, (char *)(part ? c->out_im : c->out_re) + at * scalar,
                           t->scalar, unit, by_columns ? unit : step, inner);
        }
}

void cpu_scale_results(const bind_tail *t, const bind_scaling *s, cpu_scale_fn *scale,
                       const spl_call *call, size_t lo, size_t hi, size_t first, size_t count)
{
    const bool sets = t->tw == SPL_TW_BROADCAST;

    for (size_t set = first; set < first + (sets ? count : 1); set++)
        scale_set(t, s, scale, call, sets ? (ptrdiff_t)set : 0, lo, hi);
}

void cpu_scaled_columns(const bind_tail *t, const bind_scaling *s, cpu_scale_fn *scale,
                        spl_codelet_fn *run, spl_call *call, size_t lo, size_t hi, size_t first,
                        size_t count)
{
    if (t->tw == SPL_TW_BROADCAST) {
        for (size_t at = first, end; at < first + count; at = end) {
            end = first + count - at < s->piece ? first + count : at + s->piece;
            cpu_columns(t, run, call, lo, hi, at, end - at);
            cpu_scale_results(t, s, scale, call, lo, hi, at, end - at);
        }
        return;
    }
    /* the last vector may start early, so a piece has at least one whole vector */
    for (size_t at = lo, end; at < hi; at = end) {
        end = hi - at < s->piece + (size_t)t->lanes ? hi : at + s->piece;
        cpu_columns(t, run, call, at, end, first, count);
        cpu_scale_results(t, s, scale, call, at, end, first, count);
    }
}

void cpu_scaled_lines(const bind_tail *t, const bind_scaling *s, cpu_scale_fn *scale,
                      spl_codelet_fn *run, spl_call *call, size_t lo, size_t hi)
{
    enum { BYTES = 8 * 1024 };
    alignas(64) char buffer[BYTES];
    char *const piece = BIND_ARRAY(char, buffer);
    const size_t lanes = (size_t)t->lanes, column = (size_t)t->n * 2 * t->scalar;
    const size_t most = BYTES / column / lanes * lanes, whole = (hi - lo) / lanes * lanes;

    for (size_t at = lo, end; at < lo + whole; at = end) {
        spl_call c = *call;
        end = lo + whole - at < most ? lo + whole : at + most;
        c.in_re = piece;
        c.out_re = (char *)call->out_re + (ptrdiff_t)at * call->ocs * (ptrdiff_t)t->scalar;
        cpu_scale_run(scale, piece, (const char *)call->in_re + at * column,
                      (end - at) * column / t->scalar, s->by);
        bind_run(run, &c, 0, end - at);
    }
    if (lo + whole < hi)
        cpu_scaled_columns(t, s, scale, t->run, call, lo + whole, hi, 0, 1);
}
