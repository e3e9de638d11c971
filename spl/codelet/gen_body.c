// SPDX-License-Identifier: BSD-3-Clause
/* Bodies of codelets: an expression between the loads and the stores of positions A, B, C, D, G, R
 * and T. */
#include <string.h>

#include "core/mem.h"
#include "spl/codelet/gen.h"

/* State of the load and store functions of a position. */
typedef struct frame {
    gen_var row[GEN_OUTPUTS]; /* A, T: outputs until their chunk is complete */
    gen_var loaded[GEN_OUTPUTS];
    bool ready[GEN_OUTPUTS];
    gen_chunk in[GEN_OUTPUTS], out[GEN_OUTPUTS];
    int ins, outs;
    gen_var (*load)(gen_emit *e, gen_io *io, int i); /* used before rows are weighed */
} frame;

static gen_var load_row(gen_emit *e, gen_io *io, int i)
{
    (void)io;
    return gen_load_row(e, e->key->in, i);
}

static void store_row(gen_emit *e, gen_io *io, int i, gen_var x)
{
    (void)io;
    gen_store_row(e, e->key->out, i, gen_twiddle(e, i, x));
}

static gen_var load_chunk(gen_emit *e, gen_io *io, int i)
{
    frame *f = io->user;
    for (int c = 0; c < f->ins; c++) {
        gen_chunk *chunk = &f->in[c];
        if (i < chunk->first || i >= chunk->first + chunk->width)
            continue;
        if (!chunk->done)
            gen_load_chunk(e, *chunk, f->loaded);
        chunk->done = true;
        break;
    }
    return f->loaded[i];
}

static bool all_ready(const frame *f, gen_chunk chunk)
{
    for (int i = 0; i < chunk.width; i++)
        if (!f->ready[chunk.first + i])
            return false;
    return true;
}

static void store_chunk(gen_emit *e, gen_io *io, int i, gen_var x)
{
    frame *f = io->user;
    f->row[i] = gen_twiddle(e, i, x);
    f->ready[i] = true;
    for (int c = 0; c < f->outs; c++) {
        if (f->out[c].done || !all_ready(f, f->out[c]))
            continue;
        gen_store_chunk(e, f->out[c], f->row);
        f->out[c].done = true;
    }
}

/* One real of a complex number: part i % 2 of number i/2. Interleaved side, adjacent columns. */
static gen_var load_part_of_row(gen_emit *e, gen_io *io, int i)
{
    frame *f = io->user;
    const gen_var to = gen_new_temp(e);
    gen_var *const pair = &f->loaded[i / 2 * 2];
    if (e->vector.width == 1) {
        gen_assign(e, GEN_LOADS, to.re, "load",
                   gen_at(e, "in_re", "is", i / 2, i % 2 * e->vector.bytes).text, NULL, NULL);
        return to;
    }
    for (int half = 0; half < 2 && !f->ready[i / 2]; half++) {
        const int bytes = half * e->vector.width * e->vector.bytes;
        pair[half] = gen_new_temp(e);
        gen_assign(e, GEN_LOADS, pair[half].re, "load", gen_at(e, "in_re", "is", i / 2, bytes).text,
                   NULL, NULL);
    }
    f->ready[i / 2] = true;
    gen_assign(e, GEN_SHUFFLES, to.re, i % 2 ? "unzip_odd" : "unzip_even", pair[0].re, pair[1].re,
               NULL);
    return to;
}

static void store_part_of_row(gen_emit *e, gen_io *io, int i, gen_var x)
{
    static const char *const zip[] = {"zip_lo", "zip_hi"};
    frame *f = io->user;
    gen_var *const pair = &f->row[i / 2 * 2];
    pair[i % 2] = x;
    if (e->vector.width == 1) {
        gen_store(e, gen_at(e, "out_re", "os", i / 2, i % 2 * e->vector.bytes).text, x.re);
        return;
    }
    for (int half = 0; half < 2 && pair[0].re[0] && pair[1].re[0]; half++) {
        const gen_var y = gen_each(e, GEN_SHUFFLES, zip[half], pair[0], pair[1], (gen_var){"", ""});
        const int bytes = half * e->vector.width * e->vector.bytes;
        gen_store(e, gen_at(e, "out_re", "os", i / 2, bytes).text, y.re);
    }
}

/* Loads row i and multiplies it by its weights: one for each column or, if rows are adjacent, one
 * for all columns. */
static gen_var load_weighed(gen_emit *e, gen_io *io, int i)
{
    const frame *f = io->user;
    const gen_var x = f->load(e, io, i);
    const int scalars = e->key->compute == SPL_INTER ? 2 : 1;
    if (e->key->position == SPL_POS_T)
        return gen_weigh(e, "dup", gen_print("in_weight + %d", i * scalars * e->vector.bytes).text,
                         x);
    return gen_weigh(e, "load", gen_at(e, "in_weight", "ws", i, 0).text, x);
}

static gen_var gather_row(gen_emit *e, gen_io *io, int i)
{
    const gen_var to = gen_new_temp(e);
    (void)io;
    gen_say(e, "const ptrdiff_t at%d = in_off[%d] * %d;", i, i, e->vector.bytes);
    gen_assign(e, GEN_LOADS, to.re, "gather", gen_print("in_re + at%d", i).text, "in_lanes", NULL);
    gen_assign(e, GEN_LOADS, to.im, "gather", gen_print("in_im + at%d", i).text, "in_lanes", NULL);
    gen_count(e, GEN_LOADS, 2 * e->vector.lanes - 2);
    return to;
}

static void scatter_row(gen_emit *e, gen_io *io, int i, gen_var x)
{
    const gen_var y = gen_twiddle(e, i, x);
    const char *const type = e->vector.type;
    (void)io;
    gen_say(e, "const ptrdiff_t to%d = out_off[%d] * %d;", i, i, e->vector.bytes);
    gen_say(e, "%s_scatter(out_re + to%d, out_lanes, %s);", type, i, y.re);
    gen_say(e, "%s_scatter(out_im + to%d, out_lanes, %s);", type, i, y.im);
    gen_count(e, GEN_STORES, 2 * e->vector.lanes);
}

/* ---- the body ---- */

/* Rows of a side; with reals, the scalars of a column. */
static int side_rows(const gen_emit *e, bool in)
{
    return e->key->compute == SPL_REAL ? gen_kind_scalars(e->key->kind, e->key->n, in) : e->key->n;
}

/* Are re and im of a complex side computed in separate vectors? */
static bool splits_parts(const gen_emit *e, spl_format side)
{
    return e->key->compute == SPL_REAL && side == SPL_INTER && e->key->position == SPL_POS_C;
}

static gen_dag *codelet_dag(const spl_key *key)
{
    return key->compute == SPL_REAL ? gen_kind_dag(key->kind, key->n) : gen_dft(key->n);
}

void gen_expression_body(gen_emit *e)
{
    static const struct {
        gen_var (*load)(gen_emit *e, gen_io *io, int i);
        void (*store)(gen_emit *e, gen_io *io, int i, gen_var x);
    } access[] = {
        [SPL_POS_A] = {load_row, store_chunk},   [SPL_POS_B] = {load_row, store_row},
        [SPL_POS_C] = {load_row, store_row},     [SPL_POS_T] = {load_chunk, store_chunk},
        [SPL_POS_G] = {gather_row, scatter_row}, [SPL_POS_D] = {load_chunk, store_chunk},
        [SPL_POS_R] = {load_chunk, store_row},
    };
    frame f;
    memset(&f, 0, sizeof f);
    const int max_width =
        e->vector.lanes > 1 ? e->vector.lanes / 2 : 1; /* two segments: measured */
    f.ins = gen_chunks(side_rows(e, true), max_width, f.in);
    f.outs = gen_chunks(side_rows(e, false), max_width, f.out);
    gen_dag *dag = codelet_dag(e->key);
    gen_io io = {dag, access[e->key->position].load, access[e->key->position].store, &f};
    if (splits_parts(e, e->key->in))
        io.load = load_part_of_row;
    if (splits_parts(e, e->key->out))
        io.store = store_part_of_row;
    f.load = io.load;
    if (e->key->weighed)
        io.load = load_weighed;
    gen_statements(e, &io);
    core_free(dag);
}
