// SPDX-License-Identifier: BSD-3-Clause
/* The arrays of a problem in the memory of a device, where engines that compute there have them
 * while they are timed: what moves them lies outside of what is timed. All engines of one memory
 * share them, and they go with the arrays. */
#ifndef BENCH_MIRROR_H
#define BENCH_MIRROR_H

#include <stdbool.h>
#include <stddef.h>

struct bench_data;

/* A device's memory, in blocks of it (addresses, or objects that stand for them); false, NULL: it
 * failed. */
typedef struct bench_memory {
    const char *data; /* where records say that data were: "device" "host" */
    /* Are the blocks the host's arrays? Then they belong to the device from `write` until `read`,
     * which move nothing, and there are no copies. */
    bool is_shared;
    void *(*make)(void *host, size_t bytes); /* host: the arrays, for blocks that share them */
    void (*release)(void *block, void *host);
    bool (*write)(void *block, void *host, size_t bytes);
    bool (*read)(void *host, void *block, size_t bytes);
    /* From block to block, after what was enqueued before; need not be waited for. */
    bool (*copy)(void *to, void *from, size_t bytes);
    bool (*wait)(void); /* until the device is idle */
} bench_memory;

enum { BENCH_MIRROR_INPUTS = 32 };

/* Where calls overwrite their input there are several, so that many calls follow each other before
 * values have to be restored. */
typedef struct bench_mirror {
    const bench_memory *memory;
    void *in[BENCH_MIRROR_INPUTS]; /* of in_block */
    size_t inputs, calls;          /* calls: of each input in turn */
    void *out;                     /* of out_block; NULL: in place */
    void *pristine;                /* what refilling restores; NULL: nothing */
    unsigned long filling;         /* which values it has (bench_data.filling) */
    bool is_used;                  /* calls may have overwritten inputs since */
    struct bench_mirror *next;
} bench_mirror;

/* The blocks of a call, counted from 0 since the mirror was put. */
static inline void *bench_mirror_in(const bench_mirror *m, size_t call)
{
    return m->in[call / m->calls];
}

static inline void *bench_mirror_out(const bench_mirror *m, size_t call)
{
    return m->out ? m->out : bench_mirror_in(m, call);
}

/* How many calls there may be then. */
size_t bench_mirror_calls(const struct bench_data *d, const bench_memory *memory);

/* The arrays in that memory with the values that they were filled with last, made if there are none
 * yet; the device is idle. Belongs to `d`. NULL: it failed. */
bench_mirror *bench_mirror_put(const struct bench_data *d, const bench_memory *memory);
/* After calls on it: gives shared blocks back. `outputs`: brings the outputs to the arrays. */
bool bench_mirror_back(const struct bench_data *d, const bench_memory *memory, bool outputs);
void bench_mirrors_free(const struct bench_data *d);

#endif
