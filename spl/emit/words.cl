// SPDX-License-Identifier: BSD-3-Clause
/* The vocabulary of codelets in OpenCL C: what backends/cpu/isa/vec_scalar.h is in C. Printed into
 * programs (spl/emit/words.h), never compiled with the library. fNNx1 is a real number in a register,
 * fNNx2 a complex number in memory. */

typedef long int64_t;
typedef float f32x1;
typedef double f64x1;
typedef float2 f32x2;
typedef double2 f64x2;
#define f32x2_of(re, im) ((float2)(re, im))
#define f64x2_of(re, im) ((double2)(re, im))
#define f32x1_set1(a) (a)
#define f64x1_set1(a) (a)
#define f32x1_add(a, b) ((a) + (b))
#define f64x1_add(a, b) ((a) + (b))
#define f32x1_sub(a, b) ((a) - (b))
#define f64x1_sub(a, b) ((a) - (b))
#define f32x1_mul(a, b) ((a) * (b))
#define f64x1_mul(a, b) ((a) * (b))
#define f32x1_fma(a, b, c) fma(a, b, c)
#define f64x1_fma(a, b, c) fma(a, b, c)
#define f32x1_fnma(a, b, c) fma(-(a), b, c)
#define f64x1_fnma(a, b, c) fma(-(a), b, c)
#define f32x1_fms(a, b, c) fma(a, b, -(c))
#define f64x1_fms(a, b, c) fma(a, b, -(c))
#define f32x1_fnms(a, b, c) fma(-(a), b, -(c))
#define f64x1_fnms(a, b, c) fma(-(a), b, -(c))

/* Entry t of the factors between stages, w_N^{(t div m)(t mod m)}, by a turn of at most a half either way. */
static long turn_of(long t, long m, long N)
{
    const long k = t / m * (t % m);
    return 2 * k <= N ? -2 * k : 2 * (N - k);
}

static float2 f32x2_sincos(long t, long m, long N)
{
    const float turn = (float)turn_of(t, m, N) / (float)N;
    return (float2)(cospi(turn), sinpi(turn));
}

static double2 f64x2_sincos(long t, long m, long N)
{
    const double turn = (double)turn_of(t, m, N) / (double)N;
    return (double2)(cospi(turn), sinpi(turn));
}

static float2 f32x2_native(long t, long m, long N)
{
    const float turn = (float)turn_of(t, m, N) * (3.14159274f / (float)N);
    return (float2)(native_cos(turn), native_sin(turn));
}

/* Doubles have no such functions. */
static double2 f64x2_native(long t, long m, long N)
{
    return f64x2_sincos(t, m, N);
}
