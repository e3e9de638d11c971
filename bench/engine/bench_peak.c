// SPDX-License-Identifier: BSD-3-Clause
/* Independent chains of FMAs, more of them than latency times ports, in the widest vectors that the
 * processor has. Without FMA instructions each is replaced by a multiplication and an addition. */
#include "bench/engine/bench_peak.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "bench/engine/bench_clock.h"
#include "bench/engine/bench_together.h"

enum { CHAINS = 12, STEPS = 2000, CALLS = 50, SAMPLES = 60 };

/* a = a/2 + 1 converges to 2 from any value: no overflow, no denormals, no constant folding. */
#define CHAIN_LOOP(vector, broadcast, fma)                                                         \
    vector chain[CHAINS], half = broadcast(0.5), one = broadcast(1.0);                             \
    for (int i = 0; i < CHAINS; i++)                                                               \
        chain[i] = broadcast(i);                                                                   \
    for (int step = 0; step < STEPS; step++) {                                                     \
        _Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) chain[i] =                       \
            fma(chain[i], half, one);                                                              \
    }                                                                                              \
    for (int i = 0; i < CHAINS; i++)                                                               \
        __asm__ volatile("" : : "m"(chain[i]));

typedef float plain_f32 __attribute__((vector_size(16)));
typedef double plain_f64 __attribute__((vector_size(16)));
#define PLAIN_F32(x) ((plain_f32){(float)(x), (float)(x), (float)(x), (float)(x)})
#define PLAIN_F64(x) ((plain_f64){(x), (x)})
#define PLAIN_FMA(a, b, c) ((a) * (b) + (c))

static void chains_plain_f32(void)
{
    CHAIN_LOOP(plain_f32, PLAIN_F32, PLAIN_FMA)
}

static void chains_plain_f64(void){CHAIN_LOOP(plain_f64, PLAIN_F64, PLAIN_FMA)}

#if defined(__x86_64__)
#define WITH_AVX2 __attribute__((target("avx2,fma")))
#define WITH_AVX512 __attribute__((target("avx512f")))
#define BROADCAST_F32(x) _mm256_set1_ps((float)(x))
#define BROADCAST_F32_512(x) _mm512_set1_ps((float)(x))

WITH_AVX2 static void chains_avx2_f32(void){CHAIN_LOOP(__m256, BROADCAST_F32, _mm256_fmadd_ps)}

WITH_AVX2 static void chains_avx2_f64(void){CHAIN_LOOP(__m256d, _mm256_set1_pd, _mm256_fmadd_pd)}

WITH_AVX512
    static void chains_avx512_f32(void){CHAIN_LOOP(__m512, BROADCAST_F32_512, _mm512_fmadd_ps)}

WITH_AVX512 static void chains_avx512_f64(void)
{
    CHAIN_LOOP(__m512d, _mm512_set1_pd, _mm512_fmadd_pd)
}
#endif

typedef struct fma_loop {
    void (*run)(void);
    int lanes; /* real numbers in a vector */
} fma_loop;

static const fma_loop plain[] = {
    [SLUICE_F32] = {chains_plain_f32, 4}, [SLUICE_F64] = {chains_plain_f64, 2}};
#if defined(__x86_64__)
static const fma_loop avx2[] = {
    [SLUICE_F32] = {chains_avx2_f32, 8}, [SLUICE_F64] = {chains_avx2_f64, 4}};
static const fma_loop avx512[] = {
    [SLUICE_F32] = {chains_avx512_f32, 16}, [SLUICE_F64] = {chains_avx512_f64, 8}};
#endif

static const fma_loop *choose_fma_loop(sluice_precision precision)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return &avx512[precision];
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &avx2[precision];
#endif
    return &plain[precision];
}

typedef struct sample {
    const fma_loop *fma_loop;
    size_t reps;
} sample;

static void warm_fma(void *argument, int member)
{
    (void)member;
    const sample *s = argument;
    s->fma_loop->run();
}

static void repeat_fma(void *argument, int member)
{
    (void)member;
    const sample *s = argument;
    for (size_t i = 0; i < s->reps; i++)
        s->fma_loop->run();
}

static double time_peak(bench_engine *e, const bench_data *d, size_t reps)
{
    (void)d;
    sample s = {.fma_loop = e->self, .reps = reps};
    return bench_together(e->workers, warm_fma, repeat_fma, &s);
}

static const bench_calls peak_calls = {.time = time_peak};

void bench_peak_open(bench_engine *e, sluice_precision precision, int threads)
{
    memset(e, 0, sizeof *e);
    e->role = BENCH_PEAK;
    e->name = "fma";
    e->workers = threads;
    e->calls = &peak_calls;
    e->self = choose_fma_loop(precision);
}

double bench_peak_work(const bench_engine *e)
{
    const fma_loop *k = e->self;
    return 2.0 * k->lanes * CHAINS * STEPS * e->workers;
}

double bench_peak_flops(sluice_precision precision, int threads)
{
    bench_engine e;
    double best = 0;
    bench_peak_open(&e, precision, threads);
    for (int i = 0; i < SAMPLES; i++) {
        double seconds = time_peak(&e, NULL, CALLS);
        if (seconds > 0 && CALLS * bench_peak_work(&e) / seconds > best)
            best = CALLS * bench_peak_work(&e) / seconds;
    }
    return best;
}
