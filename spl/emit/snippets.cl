// SPDX-License-Identifier: BSD-3-Clause
/* The vocabulary of codelets in OpenCL C: what backends/cpu/isa/vec_scalar.h is in C. Printed into
 * programs (spl/emit/snippets.h), never compiled with the library. fNNx1 is a real number in a
 * register, fNNx2 a complex number in memory. */

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

/* Entry t of the factors between stages, w_N^k, k = (t div m)(t mod m), by a turn of at most a half
 * either way. Macros, as CUDA C++ has other words for functions. */
#define power_of(t, m) ((long)(t) / (m) * ((t) % (m)))
#define turn_of(t, m, N) (2 * power_of(t, m) <= (N) ? -2 * power_of(t, m) : 2 * ((N) - power_of(t, m)))
#define f32_turn(t, m, N) ((float)turn_of(t, m, N) / (float)(N))
#define f64_turn(t, m, N) ((double)turn_of(t, m, N) / (double)(N))
#define f32x2_sincos(t, m, N) f32x2_of(cospi(f32_turn(t, m, N)), sinpi(f32_turn(t, m, N)))
#define f64x2_sincos(t, m, N) f64x2_of(cospi(f64_turn(t, m, N)), sinpi(f64_turn(t, m, N)))
#define f32x2_native(t, m, N) f32x2_of(native_cos(3.14159274f * f32_turn(t, m, N)), native_sin(3.14159274f * f32_turn(t, m, N)))
#define f64x2_native(t, m, N) f64x2_sincos(t, m, N) /* doubles have no such functions */
