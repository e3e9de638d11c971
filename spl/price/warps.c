// SPDX-License-Identifier: BSD-3-Clause
/* Counts accesses of warps by visiting them one by one. */
#include "spl/price/warps.h"

#include <inttypes.h>

#include "spl/index/ix_form.h"

/* ---- one access ---- */

static bool is_among(const int64_t *list, int count, int64_t value)
{
    for (int i = 0; i < count; i++)
        if (list[i] == value)
            return true;
    return false;
}

/* The number of blocks of `size` bytes that are touched. */
static int blocks(const int64_t *address, int items, int bytes, int64_t size)
{
    int64_t seen[2 * WARP_ITEMS];
    int count = 0;

    for (int i = 0; i < items; i++)
        for (int end = 0; end < 2; end++) {
            const int64_t block = (address[i] + (end ? bytes - 1 : 0)) / size;
            if (!is_among(seen, count, block))
                seen[count++] = block;
        }
    return count;
}

/* The number of words in the fullest bank, for items that are served together. */
static int fullest_bank(const int64_t *address, int items, int bytes)
{
    int64_t words[WARP_BANKS][WARP_ITEMS];
    int in[WARP_BANKS] = {0}, most = 0;

    for (int i = 0; i < items; i++)
        for (int part = 0; part < bytes; part += WARP_BANK) {
            const int64_t word = (address[i] + part) / WARP_BANK;
            const int bank = (int)(word % WARP_BANKS);
            if (is_among(words[bank], in[bank], word))
                continue;
            words[bank][in[bank]++] = word;
            most = in[bank] > most ? in[bank] : most;
        }
    return most;
}

void warp_touch(warp_counts *out, const int64_t *address, int items, int bytes, int64_t times)
{
    const int together = WARP_ITEMS * WARP_BANK / bytes;

    for (int i = 0; i < items; i += together) {
        const int some = items - i < together ? items - i : together;
        out->wavefronts += times * fullest_bank(address + i, some, bytes);
        out->least += times;
    }
    out->accesses += times;
    out->elements += times * items;
    out->sectors += times * blocks(address, items, bytes, WARP_SECTOR);
    out->lines += times * blocks(address, items, bytes, WARP_SPAN);
}

/* ---- all of them ---- */

typedef struct walk {
    warp_counts *out;
    const warp_nest *nest;
    const warp_access *access;
    int64_t every, at; /* one of so many warps is visited; number of the next warp */
    int64_t low[IX_MAX_VARS], count[IX_MAX_VARS], vars[IX_MAX_VARS];
} walk;

static void set_bounds(walk *w, const spl_range *r)
{
    int64_t low, high;

    spl_range_bounds(r, w->vars, &low, &high);
    w->low[r->var] = low;
    w->count[r->var] = high - low;
}

/* The byte address of value `row` of item j. */
static int64_t address_of(walk *w, int64_t j, int64_t row)
{
    const warp_nest *nest = w->nest;
    const int64_t parts = w->access->f->n / nest->elements;
    const int64_t i = j % nest->elements * parts + row;
    int64_t rest = j / nest->elements;

    for (int l = nest->item_count; l-- > 0;) {
        const int v = nest->item[l]->var;
        w->vars[v] = w->low[v] + rest % w->count[v];
        rest /= w->count[v];
    }
    return w->access->first + w->access->bytes * ix_eval(w->access->f, i, w->vars);
}

/* Adds a whole number of lines to the addresses, so that none is negative. */
static void lift(int64_t *address, int items)
{
    int64_t lowest = 0;

    for (int i = 0; i < items; i++)
        lowest = address[i] < lowest ? address[i] : lowest;
    for (int i = 0; i < items; i++)
        address[i] += (WARP_SPAN - 1 - lowest) / WARP_SPAN * WARP_SPAN;
}

/* Visits the `items` items of a warp that begins with item `first`. */
static void touch_rows(walk *w, int64_t first, int items)
{
    const int64_t rows = w->access->f->n / w->nest->elements;
    int64_t address[WARP_ITEMS];

    for (int64_t row = 0; row < rows; row++) {
        if (warp_leaves(w->access, row))
            continue;
        for (int i = 0; i < items; i++)
            address[i] = address_of(w, first + i, row);
        lift(address, items);
        warp_touch(w->out, address, items, warp_bytes(w->access), w->every);
    }
}

static int64_t smallest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void touch_items(walk *w)
{
    int64_t total = w->nest->elements;

    for (int l = 0; l < w->nest->item_count; l++) {
        set_bounds(w, w->nest->item[l]);
        total *= w->count[w->nest->item[l]->var];
    }
    for (int64_t j = 0; j < total; j += w->nest->width) {
        const int64_t end = smallest(total, j + w->nest->width);
        for (int64_t first = j; first < end; first += WARP_ITEMS)
            if (w->at++ % w->every == 0)
                touch_rows(w, first, (int)smallest(end - first, WARP_ITEMS));
    }
}

static void walk_outer(walk *w, int l)
{
    if (l == w->nest->outer_count) {
        touch_items(w);
        return;
    }
    const spl_range *r = w->nest->outer[l];
    set_bounds(w, r);
    const int64_t low = w->low[r->var], end = low + w->count[r->var];
    for (int64_t k = low; k < end; k++) {
        w->vars[r->var] = k;
        walk_outer(w, l + 1);
    }
}

/* Iterations of a loop; of a loop over shares those of one share. */
static double iterations(const spl_range *r)
{
    return r->share_var < 0 ? (double)r->n : (double)r->n / (double)r->shares;
}

/* The approximate number of accesses of warps. */
static double count_accesses(const warp_nest *nest, const warp_access *access)
{
    double items = (double)nest->elements, outer = 1;

    for (int l = 0; l < nest->item_count; l++)
        items *= iterations(nest->item[l]);
    for (int l = 0; l < nest->outer_count; l++)
        outer *= iterations(nest->outer[l]);
    const double width = nest->width < WARP_ITEMS ? (double)nest->width : WARP_ITEMS;
    return outer * (items / width + 1) * (double)(access->f->n / nest->elements);
}

void warp_count_each(warp_counts *out, const warp_nest *nest, const warp_access *access,
                     int64_t most)
{
    walk w = {.out = out, .nest = nest, .access = access};

    w.every = (int64_t)(count_accesses(nest, access) / (double)most) | 1; /* odd */
    out->exact = out->exact && w.every == 1;
    walk_outer(&w, 0);
}
