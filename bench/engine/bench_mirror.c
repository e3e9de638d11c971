// SPDX-License-Identifier: BSD-3-Clause
/* Values are sent to the device once after they were filled. If calls overwrite them, they are
 * restored from another block on the device. */
#include "bench/engine/bench_mirror.h"

#include <stdint.h>
#include <stdlib.h>

#include "bench/engine/bench_data.h"

/* The limit of all inputs together, except that there is at least one. */
static const size_t most_bytes = (size_t)32 << 20;

static size_t inputs_of(const bench_data *d, const bench_memory *memory)
{
    const size_t fit = most_bytes / d->in_bytes;
    if (!d->pristine || memory->is_shared || d->safe_reps == SIZE_MAX || fit == 0)
        return 1;
    return fit < BENCH_MIRROR_INPUTS ? fit : BENCH_MIRROR_INPUTS;
}

size_t bench_mirror_calls(const bench_data *d, const bench_memory *memory)
{
    const size_t inputs = inputs_of(d, memory);
    return inputs > 1 ? inputs * d->safe_reps : d->safe_reps;
}

static void free_mirror(const bench_data *d, bench_mirror *m)
{
    if (m->pristine)
        m->memory->release(m->pristine, NULL);
    if (m->out)
        m->memory->release(m->out, d->out_block);
    for (size_t i = 0; i < m->inputs; i++)
        if (m->in[i])
            m->memory->release(m->in[i], d->in_block);
    free(m);
}

static bool make_blocks(const bench_data *d, bench_mirror *m)
{
    const bench_memory *memory = m->memory;
    bool good = true;
    for (size_t i = 0; i < m->inputs && good; i++)
        good = (m->in[i] = memory->make(d->in_block, d->in_bytes)) != NULL;
    if (good && d->out_block != d->in_block)
        good = (m->out = memory->make(d->out_block, d->out_bytes)) != NULL;
    if (good && d->pristine && !memory->is_shared)
        good = (m->pristine = memory->make(NULL, d->in_bytes)) != NULL;
    return good;
}

static bench_mirror *find_mirror(const bench_data *d, const bench_memory *memory)
{
    bench_mirror *m = *d->mirrors;
    while (m && m->memory != memory)
        m = m->next;
    return m;
}

static bench_mirror *make_mirror(const bench_data *d, const bench_memory *memory)
{
    bench_mirror *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->memory = memory;
    m->inputs = inputs_of(d, memory);
    m->calls = d->safe_reps;
    m->filling = d->filling - 1; /* it holds no values yet */
    if (!make_blocks(d, m)) {
        free_mirror(d, m);
        return NULL;
    }
    m->next = *d->mirrors;
    *d->mirrors = m;
    return m;
}

/* Sends the output too, so that elements between outputs are as in the arrays. */
static bool send_output(const bench_data *d, const bench_mirror *m)
{
    return !m->out || m->memory->write(m->out, d->out_block, d->out_bytes);
}

static bool send_values(const bench_data *d, const bench_mirror *m)
{
    void *values = d->pristine ? d->pristine : d->in_block;
    return m->memory->write(m->pristine ? m->pristine : m->in[0], values, d->in_bytes)
           && send_output(d, m);
}

static bool give_blocks(const bench_data *d, bench_mirror *m)
{
    return m->memory->write(m->in[0], d->in_block, d->in_bytes) && send_output(d, m);
}

static bool restore_values(const bench_data *d, bench_mirror *m)
{
    const bool is_new = m->filling != d->filling;
    bool good = !is_new || send_values(d, m);
    for (size_t i = 0; i < m->inputs && good && m->pristine && (is_new || m->is_used); i++)
        good = m->memory->copy(m->in[i], m->pristine, d->in_bytes);
    m->filling = good ? d->filling : d->filling - 1;
    return good;
}

bench_mirror *bench_mirror_put(const bench_data *d, const bench_memory *memory)
{
    bench_mirror *m = find_mirror(d, memory);
    if (!m)
        m = make_mirror(d, memory);
    if (!m || !(memory->is_shared ? give_blocks : restore_values)(d, m) || !memory->wait())
        return NULL;
    m->is_used = true;
    return m;
}

bool bench_mirror_back(const bench_data *d, const bench_memory *memory, bool outputs)
{
    const bench_mirror *m = find_mirror(d, memory);
    bool good = m;
    if (good && m->out && (outputs || memory->is_shared))
        good = memory->read(d->out_block, m->out, d->out_bytes);
    if (good && (memory->is_shared || (outputs && !m->out)))
        good = memory->read(d->in_block, m->in[0], d->in_bytes);
    return good;
}

void bench_mirrors_free(const bench_data *d)
{
    while (d->mirrors && *d->mirrors) {
        bench_mirror *m = *d->mirrors;
        *d->mirrors = m->next;
        free_mirror(d, m);
    }
}
