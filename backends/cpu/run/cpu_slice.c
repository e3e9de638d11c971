// SPDX-License-Identifier: BSD-3-Clause
/* Codelets with a few lines of transfers after every call. A line that a block shares with its
 * neighbour is completed by ordinary stores. */
#include "backends/cpu/run/cpu_slice.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { SLICE_LINE = 64 };

void cpu_lines_scalar(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void cpu_lines_vec128(char *to, const char *from, size_t bytes)
{
#ifdef __x86_64__
    for (size_t i = 0; i < bytes; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
#else
    memcpy(to, from, bytes);
#endif
}

void cpu_lines_avx2(char *to, const char *from, size_t bytes)
{
#ifdef __x86_64__
    for (size_t i = 0; i < bytes; i += sizeof(__m256i))
        _mm256_stream_si256((__m256i *)(void *)(to + i),
                            _mm256_loadu_si256((const __m256i *)(const void *)(from + i)));
#else
    memcpy(to, from, bytes);
#endif
}

void cpu_lines_avx512(char *to, const char *from, size_t bytes)
{
#ifdef __x86_64__
    for (size_t i = 0; i < bytes; i += sizeof(__m512i))
        _mm512_stream_si512((__m512i *)(void *)(to + i),
                            _mm512_loadu_si512((const void *)(from + i)));
#else
    memcpy(to, from, bytes);
#endif
}

cpu_lines_fn *const cpu_lines[CORE_ISA_COUNT] = {
    [CORE_ISA_SCALAR] = cpu_lines_scalar,
    [CORE_ISA_VEC128] = cpu_lines_vec128,
    [CORE_ISA_AVX2] = cpu_lines_avx2,
    [CORE_ISA_AVX512] = cpu_lines_avx512,
};

static void advance_put(cpu_slices *s, size_t bytes)
{
    s->to += bytes;
    s->from += bytes;
    s->put_left -= bytes;
}

/* Stores whole lines, `most` bytes at most, and the end of the block if it ends inside a line. */
static void put_lines(cpu_slices *s, size_t most)
{
    const size_t bytes = s->put_left < most ? s->put_left : most;
    const size_t whole = bytes / SLICE_LINE * SLICE_LINE;

    if (whole) {
        cpu_lines_run(s->lines, s->to, s->from, whole);
        advance_put(s, whole);
    }
    if (s->put_left < SLICE_LINE && s->put_left > 0) {
        memcpy(s->to, s->from, s->put_left);
        advance_put(s, s->put_left);
    }
}

static void next_slice(cpu_slices *s)
{
    const size_t ahead = s->get_left < s->get_slice ? s->get_left : s->get_slice;

    for (size_t i = 0; i < ahead; i += SLICE_LINE)
        __builtin_prefetch(s->get + i, 0, 2);
    if (ahead)
        s->get += ahead;
    s->get_left -= ahead;
    if (s->put_left)
        put_lines(s, s->put_slice);
}

void cpu_slices_get(cpu_slices *s, const char *get, size_t bytes)
{
    s->get = get;
    s->get_left = bytes;
}

void cpu_slices_end(cpu_slices *s)
{
    put_lines(s, s->put_left);
}

void cpu_slices_put(cpu_slices *s, char *to, const char *from, size_t bytes)
{
    const size_t inside = (size_t)((uintptr_t)to % SLICE_LINE);
    const size_t head = inside ? SLICE_LINE - inside : 0, first = head < bytes ? head : bytes;

    cpu_slices_end(s);
    s->to = to;
    s->from = from;
    s->put_left = bytes;
    if (first) {
        memcpy(to, from, first);
        advance_put(s, first);
    }
}

void cpu_slice_columns(const bind_tail *tail, spl_codelet_fn *run, spl_call *call, size_t columns,
                       size_t lo, size_t hi, size_t first, size_t last, cpu_slices *s)
{
    const size_t lanes = (size_t)tail->lanes;
    const bool whole = !tail->sets && (hi - lo) % lanes == 0;

    if (last - first > 1)
        for (size_t at = first; at < last; at += columns, next_slice(s))
            cpu_columns(tail, run, call, lo, hi, at, last - at < columns ? last - at : columns);
    else /* the last vector may start early, so a call has at least one whole vector */
        for (size_t at = lo, end; at < hi; at = end, next_slice(s)) {
            end = hi - at < columns + lanes ? hi : at + columns;
            if (whole)
                bind_run(run, call, at, end - at);
            else
                cpu_columns(tail, run, call, at, end, first, 1);
        }
}
