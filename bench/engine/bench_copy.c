// SPDX-License-Identifier: BSD-3-Clause
/* Copy bandwidth at a problem's own size, on its own arrays. */
#include "bench/engine/bench_copy.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "bench/engine/bench_clock.h"
#include "bench/engine/bench_together.h"

struct bench_copy_method {
    const char *name;
    bool in_place;
    size_t smallest; /* the method is tried from this many bytes of data on */
    void (*move)(void *out, const void *in, size_t bytes);
};

static void move_plain(void *out, const void *in, size_t bytes)
{
    memcpy(out, in, bytes);
    /* Keeps the compiler from removing repeated copies. */
    __asm__ volatile("" ::: "memory");
}

typedef uint64_t word __attribute__((may_alias));

/* Flips the lowest bit of each word; the next call flips it back, so values stay finite. */
static void flip_words(void *data, size_t bytes)
{
    word *x = data;
    for (size_t i = 0; i < bytes / sizeof *x; i++)
        x[i] ^= 1;
    __asm__ volatile("" ::: "memory");
}

#if defined(__x86_64__)
/* Written with intrinsics: compilers passed vectors wider than the target's through the stack,
 * which is slower than memory. */
__attribute__((target("avx2"))) static void flip_avx2(void *data, size_t bytes)
{
    enum { AT_ONCE = 4 };
    const __m256i one = _mm256_set1_epi64x(1);
    __m256i *x = data;
    size_t whole = bytes / sizeof *x / AT_ONCE * AT_ONCE;
    for (size_t i = 0; i < whole; i += AT_ONCE)
        for (size_t k = 0; k < AT_ONCE; k++)
            _mm256_storeu_si256(x + i + k, _mm256_xor_si256(_mm256_loadu_si256(x + i + k), one));
    flip_words(x + whole, bytes - whole * sizeof *x);
}

static void move_in_place(void *out, const void *in, size_t bytes)
{
    (void)in;
    (__builtin_cpu_supports("avx2") ? flip_avx2 : flip_words)(out, bytes);
}

/* Non-temporal stores: they avoid reading each line before it is overwritten. */
static void move_stream(void *out, const void *in, size_t bytes)
{
    const __m128i *x = in;
    __m128i *y = out;
    size_t whole = bytes / sizeof *x;
    for (size_t i = 0; i < whole; i++)
        _mm_stream_si128(y + i, _mm_loadu_si128(x + i));
    memcpy(y + whole, x + whole, bytes % sizeof *x);
    _mm_sfence();
}
#else
static void move_in_place(void *out, const void *in, size_t bytes)
{
    (void)in;
    flip_words(out, bytes);
}
#endif

static const bench_copy_method methods[] = {
    {"copy", false, 0, move_plain},
#if defined(__x86_64__)
    {"copy-stream", false, 256 * 1024, move_stream},
#endif
    {"sweep", true, 0, move_in_place},
};

const bench_copy_method *bench_copy_at(int method, const bench_shape *shape)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const bench_copy_method *m = &methods[i];
        bool fits = m->in_place == shape->problem.in_place && shape->data_bytes >= m->smallest;
        if (fits && method-- == 0)
            return m;
    }
    return NULL;
}

/* One sample: every thread moves its share `reps` times. */
typedef struct sample {
    const bench_copy_method *method;
    const bench_data *data;
    int threads;
    size_t reps;
} sample;

/* Shares are whole cache lines; the last thread moves the remainder. */
static void move_share(const sample *s, int member)
{
    size_t each = s->data->data_bytes / (size_t)s->threads / 64 * 64;
    size_t first = (size_t)member * each;
    bool last = member + 1 == s->threads;
    s->method->move((char *)s->data->out_block + first, (const char *)s->data->in_block + first,
                    last ? s->data->data_bytes - first : each);
}

/* Brings the share into this core's caches. */
static void warm_share(void *argument, int member)
{
    move_share(argument, member);
}

static void repeat_move(void *argument, int member)
{
    const sample *s = argument;
    for (size_t i = 0; i < s->reps; i++)
        move_share(s, member);
}

static double time_copy(bench_engine *e, const bench_data *d, size_t reps)
{
    sample s = {.method = e->self, .data = d, .threads = e->workers, .reps = reps};
    return bench_together(e->workers, warm_share, repeat_move, &s);
}

static const bench_calls copy_calls = {.time = time_copy};

void bench_copy_open(bench_engine *e, const bench_copy_method *method, int threads)
{
    memset(e, 0, sizeof *e);
    e->role = BENCH_COPY;
    e->name = method->name;
    e->workers = threads;
    e->calls = &copy_calls;
    e->self = method;
}

/* ---- on a device */

static double time_copy_there(bench_engine *e, const bench_data *d, size_t reps)
{
    const bench_mirror *m = bench_mirror_put(d, e->memory);
    if (!m)
        return -1;
    void *from = m->pristine ? m->pristine : m->in[0], *to = m->pristine ? m->in[0] : m->out;
    double start = bench_now();
    bool good = true;
    for (size_t i = 0; i < reps && good; i++)
        good = e->memory->copy(to, from, d->data_bytes);
    good = e->memory->wait() && good;
    return good ? bench_now() - start : -1;
}

static const bench_calls copy_there_calls = {.time = time_copy_there};

void bench_copy_open_there(bench_engine *e, const bench_memory *memory, int workers)
{
    memset(e, 0, sizeof *e);
    e->role = BENCH_COPY;
    e->name = "copy";
    e->workers = workers;
    e->memory = memory;
    e->calls = &copy_there_calls;
}
