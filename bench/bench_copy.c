// SPDX-License-Identifier: BSD-3-Clause
/* Copy bandwidth at a problem's own size, on its own arrays. Each thread repeats its share, and
 * they only meet at the start: no transform could be better synchronised than not at all. */
#include "bench/bench_copy.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "bench/bench_clock.h"

struct bench_copy_method {
    const char *name;
    bool in_place;
    size_t smallest; /* bytes of data from which the method is worth a try */
    void (*move)(void *out, const void *in, size_t bytes);
};

static void move_plain(void *out, const void *in, size_t bytes)
{
    memcpy(out, in, bytes);
    /* Repeated copies are the point; the compiler must not see that they are the same. */
    __asm__ volatile("" ::: "memory");
}

typedef uint64_t wide __attribute__((vector_size(64), may_alias));
typedef uint64_t word __attribute__((may_alias));

/* Flips the lowest bit of each word, and the next call flips it back: values stay harmless. */
static inline __attribute__((always_inline)) void flip(void *data, size_t bytes)
{
    wide *x = data;
    size_t whole = bytes / sizeof *x;
    for (size_t i = 0; i < whole; i++)
        x[i] ^= 1;
    word *rest = (word *)(x + whole);
    for (size_t i = 0; i < bytes % sizeof *x / sizeof *rest; i++)
        rest[i] ^= 1;
    __asm__ volatile("" ::: "memory");
}

static void flip_plain(void *data, size_t bytes)
{
    flip(data, bytes);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void flip_avx2(void *data, size_t bytes)
{
    flip(data, bytes);
}

static void move_in_place(void *out, const void *in, size_t bytes)
{
    (void)in;
    (__builtin_cpu_supports("avx2") ? flip_avx2 : flip_plain)(out, bytes);
}

/* Past the caches: spares the read of every line that is about to be overwritten. */
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
    flip_plain(out, bytes);
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

/* What the threads of one sample share. */
typedef struct meeting {
    atomic_int arrived;
    int threads;
    size_t reps;
    void (*move)(void *out, const void *in, size_t bytes);
} meeting;

typedef struct share {
    meeting *all;
    char *out;
    const char *in;
    size_t bytes;
    double seconds;
} share;

static void *move_share(void *argument)
{
    share *s = argument;
    meeting *all = s->all;
    all->move(s->out, s->in, s->bytes); /* brings the share into this core's caches */
    /* The counter carries no data, it only says that everyone runs. */
    atomic_fetch_add_explicit(&all->arrived, 1, memory_order_relaxed);
    while (atomic_load_explicit(&all->arrived, memory_order_relaxed) < all->threads)
        sched_yield();
    double start = bench_now();
    for (size_t i = 0; i < all->reps; i++)
        all->move(s->out, s->in, s->bytes);
    s->seconds = bench_now() - start;
    return NULL;
}

/* Cache lines are not shared; the last thread takes the remainder. */
static void cut_shares(share *shares, meeting *all, const bench_data *d)
{
    size_t each = d->data_bytes / (size_t)all->threads / 64 * 64;
    for (int i = 0; i < all->threads; i++) {
        size_t first = (size_t)i * each;
        bool last = i + 1 == all->threads;
        shares[i] = (share){.all = all,
                            .out = (char *)d->out_block + first,
                            .in = (const char *)d->in_block + first,
                            .bytes = last ? d->data_bytes - first : each};
    }
}

/* Starts the helpers; a thread that cannot start must not be waited for, so none goes ahead. */
static int start_helpers(pthread_t *thread, share *shares, meeting *all)
{
    int started = 1;
    while (started < all->threads
           && pthread_create(&thread[started], NULL, move_share, &shares[started]) == 0)
        started++;
    if (started < all->threads)
        atomic_fetch_add_explicit(&all->arrived, all->threads - started, memory_order_relaxed);
    return started;
}

static double time_copy(bench_engine *e, const bench_data *d, size_t reps)
{
    const bench_copy_method *method = e->self;
    meeting all = {.threads = e->workers, .reps = reps, .move = method->move};
    share *shares = calloc((size_t)e->workers, sizeof *shares);
    pthread_t *thread = calloc((size_t)e->workers, sizeof *thread);
    double seconds = -1;
    if (shares && thread) {
        cut_shares(shares, &all, d);
        int started = start_helpers(thread, shares, &all);
        move_share(&shares[0]);
        seconds = shares[0].seconds;
        for (int i = 1; i < started; i++) {
            pthread_join(thread[i], NULL);
            if (shares[i].seconds > seconds)
                seconds = shares[i].seconds;
        }
        if (started < e->workers)
            seconds = -1;
    }
    free(shares);
    free(thread);
    return seconds;
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
