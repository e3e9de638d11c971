// SPDX-License-Identifier: BSD-3-Clause
/* The arrays of a problem in a device's memory, for engines that compute there. Transfers are not
 * timed. All engines of one memory share a mirror, which lives as long as the arrays. */
#ifndef BENCH_MIRROR_H
#define BENCH_MIRROR_H

#include <stdbool.h>
#include <stddef.h>

struct bench_data;

/* A device's memory, as blocks (addresses, or objects that represent them). Functions that fail
 * return false or NULL. */
typedef struct bench_memory {
    const char *data; /* value of the records' field about data: "device" "host" */
    /* Do the blocks share the host's arrays? Then the device owns them from `write` to `read`,
     * which move nothing, and there are no copies. */
    bool is_shared;
    void *(*make)(void *host, size_t bytes); /* host: the arrays, for blocks that share them */
    void (*release)(void *block, void *host);
    bool (*write)(void *block, void *host, size_t bytes);
    bool (*read)(void *host, void *block, size_t bytes);
    /* Copies between blocks, after what was enqueued before; may return before it is done. */
    bool (*copy)(void *to, void *from, size_t bytes);
    bool (*wait)(void); /* until the device is idle */
} bench_memory;

enum { BENCH_MIRROR_INPUTS = 32 };

/* A mirror. If calls overwrite their input it has several inputs, so that many calls can follow
 * each other before values must be restored. */
typedef struct bench_mirror {
    const bench_memory *memory;
    void *in[BENCH_MIRROR_INPUTS]; /* copies of in_block */
    size_t inputs, calls;          /* calls: calls on one input, before the next one */
    void *out;                     /* copy of out_block; NULL: in place */
    void *pristine;                /* copy of the input for restoring; NULL: none */
    unsigned long filling;         /* which values it holds (bench_data.filling) */
    bool is_used;                  /* calls may have overwritten inputs since */
    struct bench_mirror *next;
} bench_mirror;

/* The blocks of a call; calls are counted from 0 when the mirror was put. */
static inline void *bench_mirror_in(const bench_mirror *m, size_t call)
{
    return m->in[call / m->calls];
}

static inline void *bench_mirror_out(const bench_mirror *m, size_t call)
{
    return m->out ? m->out : bench_mirror_in(m, call);
}

/* The number of calls until values must be restored. */
size_t bench_mirror_calls(const struct bench_data *d, const bench_memory *memory);

/* The mirror of the arrays in that memory, created if needed, with the values they were last filled
 * with; the device is idle. Belongs to `d`. NULL: it failed. */
bench_mirror *bench_mirror_put(const struct bench_data *d, const bench_memory *memory);
/* Called after calls on the mirror: returns shared blocks to the host. `outputs`: copies the
 * outputs to the arrays. */
bool bench_mirror_back(const struct bench_data *d, const bench_memory *memory, bool outputs);
void bench_mirrors_free(const struct bench_data *d);

#endif
