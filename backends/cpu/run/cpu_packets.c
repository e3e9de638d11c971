// SPDX-License-Identifier: BSD-3-Clause
/* Moves packets (spl/program/move.h): short ones by copies of constant size, and whole lines that
 * will leave the caches by non-temporal stores. */
#include "backends/cpu/run/cpu_packets.h"

#include <string.h>

#if SLUICE_HAVE_X86
#include <emmintrin.h>
#endif

/* One array of a transfer. */
typedef struct mover {
    const prog_move *p;
    size_t bytes;      /* of a packet, adjacent on both sides; 0: it goes scalar by scalar */
    ptrdiff_t in, out; /* then bytes from scalar to scalar */
} mover;

#if SLUICE_HAVE_X86
static void copy_non_temporal(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
}
#endif

/* Only whole lines: storing part of a line would read the line first. */
static bool stores_lines(const mover *m, const char *to)
{
#if SLUICE_HAVE_X86
    uintptr_t bits = (uintptr_t)to | m->bytes;

    for (int i = 0; i < m->p->levels; i++)
        bits |= (uintptr_t)m->p->out[i];
    return m->p->non_temporal && m->bytes && (bits & 63) == 0;
#else
    (void)m, (void)to;
    return false;
#endif
}

static void move_scalars(const mover *m, char *to, const char *from)
{
    for (size_t i = 0; i < m->p->run; i++)
        memcpy(to + (ptrdiff_t)i * m->out, from + (ptrdiff_t)i * m->in, m->p->scalar);
}

/* Short packets by copies of constant size. */
static void move_row(const mover *m, char *to, const char *from, int64_t count, ptrdiff_t in,
                     ptrdiff_t out, bool lines)
{
    for (int64_t k = 0; k < count; k++, from += in, to += out) {
#if SLUICE_HAVE_X86
        if (lines) {
            copy_non_temporal(to, from, m->bytes);
            continue;
        }
#else
        (void)lines;
#endif
        switch (m->bytes) {
        case 0: move_scalars(m, to, from); break;
        case 8: memcpy(to, from, 8); break;
        case 16: memcpy(to, from, 16); break;
        case 64: memcpy(to, from, 64); break;
        case 128: memcpy(to, from, 128); break;
        default: memcpy(to, from, m->bytes);
        }
    }
}

static void move_array(const mover *m, char *to, const char *from)
{
    const prog_move *p = m->p;
    const bool lines = stores_lines(m, to);
    const int last = p->levels - 1;
    int64_t rows = 1;

    for (int i = 0; i < last; i++)
        rows *= p->count[i];
    for (int64_t row = 0; row < rows; row++) {
        ptrdiff_t in = 0, out = 0;
        int64_t rest = row;
        for (int i = last - 1; i >= 0; i--) {
            in += (ptrdiff_t)(rest % p->count[i]) * p->in[i];
            out += (ptrdiff_t)(rest % p->count[i]) * p->out[i];
            rest /= p->count[i];
        }
        move_row(m, to + out, from + in, last >= 0 ? p->count[last] : 1,
                 last >= 0 ? p->in[last] : 0, last >= 0 ? p->out[last] : 0, lines);
    }
}

void cpu_move_packets(const prog_move *p, const char *const in[2], char *const out[2])
{
    const bool apart = p->split_in || p->split_out; /* first re, then im */
    const size_t in_bytes = prog_move_adjacent(p, false) * p->scalar;
    const size_t out_bytes = prog_move_adjacent(p, true) * p->scalar;
    const mover m = {.p = p,
                     .bytes = in_bytes == out_bytes ? p->run * in_bytes : 0,
                     .in = (ptrdiff_t)in_bytes,
                     .out = (ptrdiff_t)out_bytes};

    for (int part = 0; part < 1 + apart; part++)
        move_array(&m, out[part], in[part]);
}
