// SPDX-License-Identifier: BSD-3-Clause
/* Wavefronts, sectors and lines of warps, counted from digits, against tables of all addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spl/price/warps.h"

enum { BYTES = 1 << 16, EACH = 1 << 30 };

static uint64_t seed;

static int64_t draw(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(seed >> 33) % n;
}

/* ---- known patterns ---- */

/* 64 items of a group each access `rows` elements of 8 bytes, at stride apart, row by row. */
static warp_counts strided(int64_t stride, int64_t row, int bytes, int64_t first)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl_range items = {.var = 0, .n = 64, .share_var = -1};
    const warp_nest nest = {.item_count = 1, .item = {&items}, .elements = 1, .width = 64};
    const ix_term term[] = {{IX_INDEX, 1, 4, row}, {0, 1, 64, stride}};
    const warp_access access = {
        .f = ix_digit(ctx, 4, 1 << 20, 0, 2, term), .first = first, .bytes = bytes};
    warp_counts counts = {.exact = true};
    warp_count(&counts, &nest, &access);
    spl_ctx_close(ctx);
    assert_true(counts.exact);
    assert_int_equal(counts.elements, 4 * 64);
    assert_int_equal(counts.accesses, 4 * 2);
    return counts;
}

static void known_patterns(void **state)
{
    (void)state;
    warp_counts c = strided(1, 64, 8, 0); /* neighbours: half a warp fills all banks */
    assert_int_equal(c.least, 16);
    assert_int_equal(c.wavefronts, 16);
    assert_int_equal(c.sectors, 64);
    assert_int_equal(c.lines, 16);
    c = strided(16, 1, 8, 0); /* columns of a table: one bank */
    assert_int_equal(c.wavefronts, 16 * 16);
    assert_int_equal(c.sectors, 8 * 32);
    assert_int_equal(c.lines, 8 * 32);
    c = strided(17, 1, 8, 0); /* with a gap in each row: none twice */
    assert_int_equal(c.wavefronts, 16);
    c = strided(4, 1, 16, 0); /* 8 items of 16 bytes together, two banks of four */
    assert_int_equal(c.least, 32);
    assert_int_equal(c.wavefronts, 4 * 32);
    c = strided(1, 64, 4, 64); /* a line begins within a warp */
    assert_int_equal(c.wavefronts, 8);
    assert_int_equal(c.sectors, 32);
    assert_int_equal(c.lines, 16);
    c = strided(0, 1, 8, 0); /* one word for all */
    assert_int_equal(c.wavefronts, 16);
    assert_int_equal(c.lines, 8);
}

/* ---- drawn patterns, against a table of all bytes ---- */

typedef struct pattern {
    spl_range par, share, walk, item[2];
    warp_nest nest;
    warp_access access;
} pattern;

static void touch(warp_counts *sum, const int64_t *address, int items, int bytes)
{
    static unsigned char byte[BYTES];
    int most[3] = {0, 0, 0}; /* of each part of a warp: words in the fullest bank */
    int sectors = 0, lines = 0;

    for (int part = 0; part < items; part += 128 / bytes) {
        int fullest = 0;
        memset(byte, 0, sizeof byte);
        for (int i = part; i < items && i < part + 128 / bytes; i++)
            memset(byte + address[i], 1, (size_t)bytes);
        for (int bank = 0; bank < 32; bank++) {
            int words = 0;
            for (int at = 4 * bank; at < BYTES; at += 128)
                words += byte[at];
            fullest = words > fullest ? words : fullest;
        }
        most[0] += fullest;
        most[1]++;
    }
    memset(byte, 0, sizeof byte);
    for (int i = 0; i < items; i++)
        memset(byte + address[i], 1, (size_t)bytes);
    for (int at = 0; at < BYTES; at += 128) {
        bool line = false;
        for (int sector = 0; sector < 128; sector += 32) {
            const bool touched = memchr(byte + at + sector, 1, 32) != NULL;
            sectors += touched;
            line = line || touched;
        }
        lines += line;
    }
    sum->wavefronts += most[0];
    sum->least += most[1];
    sum->sectors += sectors;
    sum->lines += lines;
    sum->accesses++;
    sum->elements += items;
}

static void touch_group(const pattern *p, int64_t *vars, warp_counts *sum)
{
    const int64_t n0 = p->item[0].n, n1 = p->item[1].n, elements = p->nest.elements;
    const int64_t total = n0 * n1 * elements, rows = p->access.f->n / elements;

    for (int64_t from = 0; from < total; from += p->nest.width)
        for (int64_t warp = from; warp < total && warp < from + p->nest.width; warp += 32)
            for (int64_t row = 0; row < rows; row++) {
                int64_t address[32];
                int items = 0;
                for (int64_t j = warp;
                     j < total && j < warp + 32 && j < from + p->nest.width && row != 2; j++) {
                    vars[p->item[0].var] = j / elements / n1;
                    vars[p->item[1].var] = j / elements % n1;
                    address[items++] =
                        p->access.first
                        + p->access.bytes * ix_eval(p->access.f, j % elements * rows + row, vars);
                }
                if (items > 0)
                    touch(sum, address, items, p->access.bytes);
            }
}

/* Groups, each with its share of a loop; a loop inside that all items walk. */
static warp_counts brute_force(const pattern *p)
{
    warp_counts sum = {.exact = true};
    int64_t vars[IX_MAX_VARS] = {0};

    for (int64_t g = 0; g < p->par.n; g++) {
        int64_t low, high;
        spl_share(p->share.n, p->par.n, p->share.grain, g, &low, &high);
        vars[p->par.var] = g;
        for (vars[p->share.var] = low; vars[p->share.var] < high; vars[p->share.var]++)
            for (vars[p->walk.var] = 0; vars[p->walk.var] < p->walk.n; vars[p->walk.var]++)
                touch_group(p, vars, &sum);
    }
    return sum;
}

/* A function with digits of all loops: of random divisors, and coefficients that meet in banks. */
static const ix *draw_function(spl_ctx *ctx, const pattern *p, int64_t rows)
{
    static const int64_t coefs[] = {1, 2, 4, 16, 17, 33, 5, 64, 0, 8};
    const spl_range *const loops[] = {&p->share, &p->walk, &p->item[0], &p->item[1]};
    ix_term term[2 * 4 + 2];
    int count = 0;

    for (int i = 0; i < 2; i++) {
        const int64_t div = i ? 2 : 1;
        if (rows > div)
            term[count++] = (ix_term){IX_INDEX, div, i ? rows : 2, coefs[draw(10)]};
    }
    for (int l = 0; l < 4; l++) {
        const int64_t n = loops[l]->n, cut = n % 4 == 0 && draw(2) ? 4 : n % 3 == 0 ? 3 : n;
        term[count++] = (ix_term){loops[l]->var, 1, cut, coefs[draw(10)]};
        if (cut < n)
            term[count++] = (ix_term){loops[l]->var, cut, n / cut, coefs[draw(10)]};
    }
    return ix_digit(ctx, rows, 1 << 20, draw(3), count, term);
}

static void draw_pattern(spl_ctx *ctx, pattern *p)
{
    static const int64_t sizes[] = {1, 2, 4, 8, 16, 32, 3, 6, 12, 5};
    static const int64_t widths[] = {64, 32, 16, 8, 128, 48};
    const int64_t groups = 1 + draw(3), elements = draw(4) ? 1 : 4 << draw(2);
    const int64_t rows = elements > 1 ? elements : 1 + draw(5);

    *p = (pattern){
        .par = {.var = 4, .n = groups, .share_var = -1},
        .share = {.var = 3,
                  .n = draw(4) ? 4 * groups : 7,
                  .share_var = 4,
                  .shares = groups,
                  .grain = 1 + draw(2)},
        .walk = {.var = 2, .n = 1 + draw(3), .share_var = -1},
        .item = {{.var = 1, .n = sizes[draw(10)], .share_var = -1},
                 {.var = 0, .n = sizes[draw(10)], .share_var = -1}},
    };
    p->nest = (warp_nest){.outer_count = 3,
                          .outer = {&p->par, &p->share, &p->walk},
                          .item_count = 2,
                          .item = {&p->item[0], &p->item[1]},
                          .elements = elements,
                          .width = widths[draw(6)]};
    p->access = (warp_access){.f = draw_function(ctx, p, rows),
                              .bytes = 4 << draw(3),
                              .first = 16 * draw(8),
                              .left = elements > 1 ? 0 : 4};
}

static void assert_same(const warp_counts *a, const warp_counts *b, int number)
{
    if (!a->exact || a->elements != b->elements || a->accesses != b->accesses
        || a->wavefronts != b->wavefronts || a->least != b->least || a->sectors != b->sectors
        || a->lines != b->lines)
        fail_msg("pattern %d: %d %d %d of %d, %d %d; are %d %d %d of %d, %d %d", number,
                 (int)a->elements, (int)a->accesses, (int)a->wavefronts, (int)a->least,
                 (int)a->sectors, (int)a->lines, (int)b->elements, (int)b->accesses,
                 (int)b->wavefronts, (int)b->least, (int)b->sectors, (int)b->lines);
}

static void drawn_patterns(void **state)
{
    (void)state;
    for (int number = 0; number < 120; number++) {
        spl_ctx *ctx = spl_ctx_open();
        pattern p;
        seed = (uint64_t)number;
        draw_pattern(ctx, &p);
        assert_non_null(p.access.f);
        warp_counts digits = {.exact = true}, each = digits;
        warp_count(&digits, &p.nest, &p.access);
        warp_count_each(&each, &p.nest, &p.access, EACH);
        const warp_counts all = brute_force(&p);
        assert_same(&each, &all, number);
        if (digits.exact)
            assert_same(&digits, &all, number);
        spl_ctx_close(ctx);
    }
}

/* More accesses than anyone goes through: digits count them, and say that it is exact. */
static void large_programs_are_counted(void **state)
{
    (void)state;
    spl_ctx *ctx = spl_ctx_open();
    const spl_range groups = {.var = 1, .n = 1 << 14, .share_var = -1},
                    items = {.var = 0, .n = 256, .share_var = -1};
    const warp_nest nest = {.outer_count = 1,
                            .outer = {&groups},
                            .item_count = 1,
                            .item = {&items},
                            .elements = 1,
                            .width = 256};
    const ix_term term[] = {{IX_INDEX, 1, 16, 256}, {0, 1, 256, 1}, {1, 1, 1 << 14, 4096}};
    const warp_access access = {.f = ix_digit(ctx, 16, (int64_t)1 << 26, 0, 3, term), .bytes = 8};
    warp_counts counts = {.exact = true}, some = counts;
    warp_count(&counts, &nest, &access);
    assert_true(counts.exact);
    assert_int_equal(counts.elements, 1 << 26);
    assert_int_equal(counts.lines, 1 << 22);
    assert_int_equal(counts.wavefronts, counts.least);
    warp_count_each(&some, &nest, &access, 1 << 14);
    assert_false(some.exact);
    assert_true(some.lines > counts.lines / 10 * 9 && some.lines < counts.lines / 9 * 10);
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_patterns),
        cmocka_unit_test(drawn_patterns),
        cmocka_unit_test(large_programs_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
