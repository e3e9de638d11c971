// SPDX-License-Identifier: BSD-3-Clause
/* Counts accesses of warps from the digits of an index function. Loops are independent coordinates;
 * a digit that crosses the end of a warp is split in two. The part of an address that does not
 * depend on the item within a warp is a sum of digits, and how often it has each position in a line
 * is counted. */
#include <string.h>

#include "spl/price/warps.h"

enum { ELEMENT = IX_MAX_VARS, COORDINATES, DIGITS = 2 * IX_MAX_TERMS };
enum { MOST = 1 << 14 }; /* accesses that are visited if digits do not serve */
enum { POSITIONS = WARP_SPAN / WARP_BANK };

typedef struct digit {
    int64_t div, ext, coef;
} digit;

/* The values 0 .. n-1 of a loop, or of the elements; n 0: there is no such loop. */
typedef struct coordinate {
    int64_t n;
    int count;
    digit d[DIGITS];
} coordinate;

typedef struct sum {
    const warp_nest *nest;
    const warp_access *access;
    coordinate c[COORDINATES];
    const spl_range *range[IX_MAX_VARS];
    int64_t lanes; /* items of a warp */
    int nlane;
    digit lane[DIGITS];
    int64_t place[POSITIONS]; /* warps whose first item is at this element of a line */
    int places;
} sum;

/* ---- coordinates ---- */

static bool add_digit(coordinate *c, int64_t div, int64_t ext, int64_t coef)
{
    if (c->n == 0 || c->count == DIGITS)
        return false;
    int at = c->count++;
    while (at > 0 && c->d[at - 1].div > div) {
        c->d[at] = c->d[at - 1];
        at--;
    }
    c->d[at] = (digit){div, ext, coef};
    return true;
}

/* Splits a digit of a number at a: the part below a, and the part of the quotient by a. */
static bool split_digit(const digit *x, int64_t a, digit *below, digit *above)
{
    *below = *above = (digit){1, 1, 0};
    if (x->div >= a) {
        *above = (digit){x->div / a, x->ext, x->coef};
        return x->div % a == 0;
    }
    if (x->div * x->ext <= a) {
        *below = *x;
        return a % (x->div * x->ext) == 0;
    }
    const int64_t low = a / x->div;
    *below = (digit){x->div, low, x->coef};
    *above = (digit){1, x->ext / low, x->coef * low};
    return a % x->div == 0 && x->ext % low == 0;
}

static bool add_loop_digit(sum *s, const ix_term *t)
{
    const spl_range *r = s->range[t->src];
    const digit x = {t->div, t->ext, t->coef};
    digit below, above;

    if (!r)
        return false;
    if (r->share_var < 0)
        return add_digit(&s->c[t->src], x.div, x.ext, x.coef);
    return split_digit(&x, r->n / r->shares, &below, &above)
           && add_digit(&s->c[t->src], below.div, below.ext, below.coef)
           && add_digit(&s->c[r->share_var], above.div, above.ext, above.coef);
}

static bool add_loop(sum *s, const spl_range *r)
{
    s->range[r->var] = r;
    s->c[r->var].n = r->share_var < 0 ? r->n : r->n / r->shares;
    return r->share_var < 0 || r->n % (r->shares * r->grain) == 0;
}

/* Are the digits disjoint, and does each take all its values equally often? */
static bool are_independent(coordinate *c)
{
    int64_t free = 1;

    for (int i = 0; i < c->count; i++) {
        digit *x = &c->d[i];
        if (x->ext == 1)
            continue;
        if (x->div % free != 0)
            return false;
        if (x->div * x->ext >= c->n) {
            if (c->n % x->div != 0)
                return false;
            x->ext = c->n / x->div;
        }
        free = x->div * x->ext;
        if (c->n % free != 0)
            return false;
    }
    return true;
}

/* Reads the digits of all loops. */
static bool read_digits(sum *s)
{
    const warp_nest *nest = s->nest;
    const ix *f = s->access->f;
    bool done = f->kind == IX_DIGIT && (nest->elements == 1 || nest->elements == f->n);

    for (int l = 0; l < nest->outer_count && done; l++)
        done = add_loop(s, nest->outer[l]);
    for (int l = 0; l < nest->item_count && done; l++)
        done = add_loop(s, nest->item[l]);
    s->c[ELEMENT].n = nest->elements;
    for (int t = 0; t < f->nt && done; t++)
        if (f->t[t].src != IX_INDEX)
            done = add_loop_digit(s, &f->t[t]);
        else if (nest->elements > 1)
            done = add_digit(&s->c[ELEMENT], f->t[t].div, f->t[t].ext, f->t[t].coef);
    for (int k = 0; k < COORDINATES && done; k++)
        done = are_independent(&s->c[k]);
    return done;
}

/* ---- positions in a line ---- */

/* Adds coef x, for all x < ext, to a number whose positions are counted. */
static void spread(sum *s, int64_t ext, int64_t coef)
{
    const int n = s->places;
    int64_t was[POSITIONS];

    memcpy(was, s->place, sizeof was);
    memset(s->place, 0, sizeof was);
    for (int64_t x = 0; x < ext && x < n; x++) {
        const int64_t times = ext / n + (x < ext % n);
        const int by = (int)(((coef % n * x) % n + n) % n);
        for (int k = 0; k < n; k++)
            s->place[(k + by) % n] += times * was[k];
    }
}

static void repeat(sum *s, int64_t times)
{
    for (int k = 0; k < s->places; k++)
        s->place[k] *= times;
}

/* Adds a coordinate of items whose values are `place` items apart: digits within a warp are kept,
 * the others are spread. */
static bool add_items(sum *s, const coordinate *c, int64_t place)
{
    for (int i = 0; i < c->count; i++) {
        const digit whole = {c->d[i].div * place, c->d[i].ext, c->d[i].coef};
        digit below, above;
        if (!split_digit(&whole, s->lanes, &below, &above))
            return false;
        if (below.ext > 1)
            s->lane[s->nlane++] = below;
        spread(s, above.ext, above.coef);
    }
    return true;
}

/* Adds a coordinate of an outer loop, which is constant in a warp. */
static void add_outer(sum *s, const coordinate *c)
{
    int64_t values = 1;

    for (int i = 0; i < c->count; i++) {
        spread(s, c->d[i].ext, c->d[i].coef);
        values *= c->d[i].ext;
    }
    repeat(s, c->n / values);
}

/* Finds the number of items in a warp; false: warps differ. */
static bool find_lanes(sum *s, int64_t total)
{
    const int64_t width = total < s->nest->width ? total : s->nest->width;

    s->lanes = width < WARP_ITEMS ? width : WARP_ITEMS;
    return total % s->lanes == 0 && width % s->lanes == 0;
}

/* Counts the warps by the position of their first items. */
static bool place_warps(sum *s)
{
    const warp_nest *nest = s->nest;
    int64_t total = nest->elements, place = nest->elements;

    for (int l = 0; l < nest->item_count; l++)
        total *= s->c[nest->item[l]->var].n;
    s->places = WARP_SPAN / s->access->bytes;
    s->place[0] = 1;
    if (!find_lanes(s, total) || !add_items(s, &s->c[ELEMENT], 1))
        return false;
    for (int l = nest->item_count; l-- > 0;) {
        const coordinate *c = &s->c[nest->item[l]->var];
        if (!add_items(s, c, place))
            return false;
        place *= c->n;
    }
    int64_t warps = 0;
    for (int k = 0; k < s->places; k++)
        warps += s->place[k];
    repeat(s, total / s->lanes / warps);
    for (int l = 0; l < nest->outer_count; l++)
        add_outer(s, &s->c[nest->outer[l]->var]);
    return true;
}

/* ---- the whole ---- */

/* What an item of a warp adds to the index. */
static int64_t lane_index(const sum *s, int64_t item)
{
    int64_t index = 0;

    for (int i = 0; i < s->nlane; i++)
        index += s->lane[i].coef * (item / s->lane[i].div % s->lane[i].ext);
    return index;
}

/* The index of a row without what loops add; if elements are separate items it is the constant. */
static int64_t row_index(const sum *s, int64_t row)
{
    const ix *f = s->access->f;
    int64_t index = f->c;

    for (int t = 0; t < f->nt && s->nest->elements == 1; t++)
        if (f->t[t].src == IX_INDEX)
            index += f->t[t].coef * (row / f->t[t].div % f->t[t].ext);
    return index;
}

static void touch_row(const sum *s, int64_t row, warp_counts *out)
{
    const int bytes = s->access->bytes;
    int64_t address[WARP_ITEMS], offset[WARP_ITEMS], lowest = 0;

    for (int64_t i = 0; i < s->lanes; i++) {
        offset[i] = s->access->first + bytes * (row_index(s, row) + lane_index(s, i));
        lowest = offset[i] < lowest ? offset[i] : lowest;
    }
    const int64_t up =
        (WARP_SPAN - 1 - lowest) / WARP_SPAN * WARP_SPAN; /* addresses are positive */
    for (int k = 0; k < s->places; k++) {
        for (int64_t i = 0; i < s->lanes; i++)
            address[i] = offset[i] + up + (int64_t)k * bytes;
        if (s->place[k] > 0)
            warp_touch(out, address, (int)s->lanes, warp_bytes(s->access), s->place[k]);
    }
}

/* The sum of digits of a row of a function with branches; NULL: its loops choose the branch. */
static const ix *branch_of(const ix *f, int64_t row)
{
    while (f->kind == IX_TWO && f->t->src == IX_INDEX)
        f = f->branch[row / f->t->div % 2];
    return f->kind == IX_DIGIT ? f : NULL;
}

static bool count_row(warp_counts *out, const warp_nest *nest, const warp_access *access,
                      int64_t row)
{
    warp_access own = *access;
    sum s = {.nest = nest, .access = &own};

    own.f = branch_of(access->f, row);
    if (!own.f || !read_digits(&s) || !place_warps(&s))
        return false;
    touch_row(&s, row, out);
    return true;
}

/* Counts each row of a function with branches; false: nothing is counted. */
static bool count_branches(warp_counts *out, const warp_nest *nest, const warp_access *access)
{
    warp_counts all = *out;
    bool done = access->f->kind == IX_TWO && nest->elements == 1;

    for (int64_t row = 0; row < access->f->n && done; row++)
        done = warp_leaves(access, row) || count_row(&all, nest, access, row);
    if (done)
        *out = all;
    return done;
}

void warp_count(warp_counts *out, const warp_nest *nest, const warp_access *access)
{
    sum s = {.nest = nest, .access = access};

    if (count_branches(out, nest, access))
        return;
    if (!read_digits(&s) || !place_warps(&s)) {
        warp_count_each(out, nest, access, MOST);
        return;
    }
    for (int64_t row = 0; row < access->f->n / nest->elements; row++)
        if (!warp_leaves(access, row))
            touch_row(&s, row, out);
}
