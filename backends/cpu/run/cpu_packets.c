// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/run/cpu_packets.h"

#include <string.h>

#if SLUICE_HAVE_X86
#include <emmintrin.h>
#endif

/* ---- what they are ---- */

/* Where digits of the index begin in either function. */
typedef struct bounds {
    int count;
    int64_t at[4 * IX_MAX_TERMS + 2];
} bounds;

static void add_bound(bounds *b, int64_t at, int64_t n)
{
    int i = 0;

    at = at < n ? at : n;
    while (i < b->count && b->at[i] < at)
        i++;
    if (i < b->count && b->at[i] == at)
        return;
    memmove(b->at + i + 1, b->at + i, (size_t)(b->count - i) * sizeof b->at[0]);
    b->at[i] = at;
    b->count++;
}

static void add_bounds(bounds *b, const ix *f, int64_t n)
{
    for (int t = 0; t < f->nt; t++)
        if (f->t[t].src == IX_INDEX) {
            add_bound(b, f->t[t].div, n);
            add_bound(b, f->t[t].div * f->t[t].ext, n);
        }
}

/* What the digit of the index that begins at `at` is worth. */
static int64_t worth(const ix *f, int64_t at)
{
    int64_t sum = 0;

    for (int t = 0; t < f->nt; t++) {
        const ix_term *x = &f->t[t];
        if (x->src == IX_INDEX && x->div <= at && at < x->div * x->ext)
            sum += x->coef * (at / x->div);
    }
    return sum;
}

/* Puts a loop around all there are, or makes the outermost one longer. */
static bool add_level(cpu_packets *p, int64_t count, ptrdiff_t in, ptrdiff_t out)
{
    if (p->levels > 0 && in == p->in[0] * (ptrdiff_t)p->count[0]
        && out == p->out[0] * (ptrdiff_t)p->count[0]) {
        p->count[0] *= count;
        return true;
    }
    if (p->levels == CPU_PACKET_LEVELS)
        return false;
    memmove(p->count + 1, p->count, (size_t)p->levels * sizeof p->count[0]);
    memmove(p->in + 1, p->in, (size_t)p->levels * sizeof p->in[0]);
    memmove(p->out + 1, p->out, (size_t)p->levels * sizeof p->out[0]);
    p->count[0] = count;
    p->in[0] = in;
    p->out[0] = out;
    p->levels++;
    return true;
}

bool cpu_packets_of(cpu_packets *p, const ix *fin, const ix *fout, int64_t n)
{
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar;
    const ptrdiff_t iu = p->split_in ? scalar : 2 * scalar, ou = p->split_out ? scalar : 2 * scalar;
    bounds b = {.count = 0};

    p->levels = 0;
    p->run = 1;
    if (fin->kind != IX_DIGIT || fout->kind != IX_DIGIT)
        return false;
    add_bound(&b, 1, n);
    add_bound(&b, n, n);
    add_bounds(&b, fin, n);
    add_bounds(&b, fout, n);
    for (int i = 0; i + 1 < b.count; i++) {
        const int64_t at = b.at[i], size = b.at[i + 1] / at, in = worth(fin, at),
                      out = worth(fout, at);
        if (b.at[i + 1] % at != 0)
            return false;
        if (p->levels == 0 && in == (int64_t)p->run && out == (int64_t)p->run)
            p->run *= (size_t)size;
        else if (!add_level(p, size, (ptrdiff_t)in * iu, (ptrdiff_t)out * ou))
            return false;
    }
    return true;
}

int64_t cpu_packets_count(const cpu_packets *p)
{
    int64_t count = 1;

    for (int i = 0; i < p->levels; i++)
        count *= p->count[i];
    return count;
}

size_t cpu_packets_bytes(const cpu_packets *p)
{
    return p->run * 2 * p->scalar;
}

/* ---- moving them ---- */

/* One array: packets of `bytes`, or, where elements change their distance, of scalars. */
typedef struct mover {
    const cpu_packets *p;
    size_t bytes;      /* adjacent on both sides; 0: not so */
    ptrdiff_t in, out; /* bytes from scalar to scalar, where they are not */
} mover;

#if SLUICE_HAVE_X86
static void move_past(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
}
#endif

/* Whole lines only: a part of one would be read first all the same. */
static bool stores_lines(const mover *m, const char *to)
{
#if SLUICE_HAVE_X86
    uintptr_t bits = (uintptr_t)to | m->bytes;

    for (int i = 0; i < m->p->levels; i++)
        bits |= (uintptr_t)m->p->out[i];
    return m->p->past && m->bytes && (bits & 63) == 0;
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

/* Short packets by copies of a size that the compiler knows. */
static void move_row(const mover *m, char *to, const char *from, int64_t count, ptrdiff_t in,
                     ptrdiff_t out, bool lines)
{
    for (int64_t k = 0; k < count; k++, from += in, to += out) {
#if SLUICE_HAVE_X86
        if (lines) {
            move_past(to, from, m->bytes);
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
    const cpu_packets *p = m->p;
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

void cpu_packets_move(const cpu_packets *p, const char *const in[2], char *const out[2])
{
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar;
    const bool apart = p->split_in || p->split_out; /* re and im go one after the other */
    const bool same = p->split_in == p->split_out;
    const mover m = {.p = p,
                     .bytes = same ? p->run * p->scalar * (apart ? 1 : 2) : 0,
                     .in = p->split_in ? scalar : 2 * scalar,
                     .out = p->split_out ? scalar : 2 * scalar};

    for (int part = 0; part < 1 + apart; part++)
        move_array(&m, out[part], in[part]);
}
