// SPDX-License-Identifier: BSD-3-Clause
/* Where the price of stages finds data: lines of accesses by counting, reuse distances against a
 * simulated stack of lines (LRU), rows of steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/price/price.h"
#include "spl/price/region.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_price.h"

enum { SCALAR = 4, ELEMENT = 2 * SCALAR, LINES = 1 << 14, THRESHOLDS = 12 };

/* ---------------------------------------------------------------- lines ----------------- */

/* Lines of an access, over all places that it may begin at in a line: multiples of `apart`
 * bytes. */
static double lines_counted(const ix *f, const int64_t *extent, int64_t apart)
{
    static bool seen[LINES];
    double all = 0;
    int offsets = 0;
    for (int64_t offset = 0; offset < PRICE_LINE; offset += apart, offsets++) {
        int64_t vars[IX_MAX_VARS] = {0};
        memset(seen, 0, sizeof seen);
        for (vars[0] = 0; vars[0] < extent[1]; vars[0]++)
            for (vars[1] = 0; vars[1] < extent[2]; vars[1]++)
                for (int64_t i = 0; i < extent[0]; i++) {
                    const int64_t at = (ix_eval(f, i, vars) * ELEMENT + offset) / PRICE_LINE;
                    assert_in_range(at, 0, LINES - 1);
                    all += !seen[at];
                    seen[at] = true;
                }
    }
    return all / offsets;
}

static void lines_are_those_touched(void **state)
{
    static const struct {
        int64_t i, v, w;    /* coefficients of the index, k0, k1 */
        int64_t ni, nv, nw; /* how many of each */
        int64_t mi, mv, mw; /* .. of them inside */
        int64_t apart;
    } cases[] = {
        {1, 64, 0, 64, 16, 1, 64, 16, 1, 64},    /* one piece */
        {1, 64, 0, 64, 16, 1, 64, 1, 1, 64},     /* a row of it */
        {128, 1, 0, 16, 128, 1, 16, 8, 1, 64},   /* a step of columns */
        {128, 1, 0, 16, 128, 1, 16, 128, 1, 64}, /* all columns */
        {8, 1, 64, 8, 8, 16, 8, 8, 16, 64},      /* tiles that are whole */
        {100, 1, 1000, 10, 8, 4, 10, 8, 4, 32},  /* rows that share lines with others */
        {25, 1, 250, 10, 5, 8, 10, 5, 1, 8},     /* rows of 40 bytes */
        {1, 0, 512, 100, 7, 4, 100, 7, 4, 64},   /* a loop that moves nothing */
        {64, 2, 1, 16, 4, 2, 16, 4, 2, 64},      /* digits out of order */
    };
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const ix_term term[] = {{IX_INDEX, 1, cases[k].ni, cases[k].i},
                                {0, 1, cases[k].nv, cases[k].v},
                                {1, 1, cases[k].nw, cases[k].w}};
        const ix *f = ix_digit(ctx, cases[k].ni, 1 << 16, 0, 3, term);
        price_span span = {{cases[k].mi, cases[k].mv, cases[k].mw}};
        for (int v = 3; v <= IX_MAX_VARS; v++)
            span.extent[v] = 1;
        assert_non_null(f);
        assert_float_equal(price_region_of(f, &span, ELEMENT).lines,
                           lines_counted(f, span.extent, cases[k].apart), 1e-9);
    }
    spl_ctx_close(ctx);
}

/* Rows of kernels of pairs run towards each other: from both ends of 60 or 64 numbers, and from the
 * ends and the middle. Where they meet they are one row, and no line counts twice. */
static void rows_that_meet_are_one(void **state)
{
    static const struct {
        int64_t low[4]; /* where the rows begin; every second one runs backwards */
        int rows;
        int64_t columns, times, distance;
        double pieces, run; /* in elements */
    } cases[] = {
        {{0, 63}, 2, 32, 4, 64, 1, 256},         /* they meet, as do those of four transforms */
        {{0, 63}, 2, 8, 1, 64, 2, 8},            /* the first step: at both ends */
        {{1, 62}, 2, 31, 1, 64, 1, 62},          /* without an edge */
        {{1, 62}, 2, 31, 4, 80, 4, 62},          /* with gaps between transforms */
        {{0, 31, 32, 63}, 4, 16, 1, 64, 1, 64},  /* four rows */
        {{1, 30, 33, 62}, 4, 15, 2, 64, 2, 62},  /* .. with single elements between them */
        {{0, 95, 256, 351}, 4, 16, 1, 0, 4, 16}, /* far apart */
    };
    spl_ctx *ctx = spl_ctx_open();

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const ix *row[4], *pair[2];
        for (int r = 0; r < cases[k].rows; r++) {
            const ix_term term[] = {{0, 1, cases[k].columns, r % 2 ? -1 : 1},
                                    {1, 1, cases[k].times, cases[k].distance}};
            row[r] = ix_digit(ctx, cases[k].rows, 1 << 16, cases[k].low[r], 2, term);
        }
        for (int r = 0; r < cases[k].rows / 2; r++)
            pair[r] = ix_two(ctx, IX_INDEX, 1, row[2 * r], row[2 * r + 1]);
        const ix *f = cases[k].rows == 2 ? pair[0] : ix_two(ctx, IX_INDEX, 2, pair[0], pair[1]);
        price_span span = {{cases[k].rows, cases[k].columns, cases[k].times}};
        for (int v = 3; v <= IX_MAX_VARS; v++)
            span.extent[v] = 1;
        assert_non_null(f);
        const price_region r = price_region_of(f, &span, ELEMENT);
        assert_float_equal(r.pieces, cases[k].pieces, 0);
        assert_float_equal(r.run, cases[k].run * ELEMENT, 0);
        assert_true(r.lines >= lines_counted(f, span.extent, PRICE_LINE));
        assert_true(r.lines <= lines_counted(f, span.extent, PRICE_LINE) + r.pieces);
    }
    spl_ctx_close(ctx);
}

/* ---------------------------------------------------------------- distances ------------- */

/* A stack of lines, the last one touched on top, and how many were found below each threshold. */
typedef struct stack {
    int64_t line[LINES];
    int count;
    double beyond[THRESHOLDS]; /* lines last touched more than 512 << i bytes before */
    double all;
    bool counts;
} stack;

static void touch(stack *s, int64_t line)
{
    int at = 0;
    while (at < s->count && s->line[at] != line)
        at++;
    if (at == s->count)
        assert_in_range(++s->count, 1, LINES);
    memmove(s->line + 1, s->line, (size_t)at * sizeof *s->line);
    s->line[0] = line;
    for (int i = 0; i < THRESHOLDS && s->counts; i++)
        s->beyond[i] += (double)at * PRICE_LINE > (double)(512 << i);
    s->all += s->counts;
}

typedef struct simulation {
    const prog *p;
    const price_binding *binding;
    int64_t base[16]; /* bytes where buffers start */
    int64_t vars[IX_MAX_VARS];
    stack stack;
} simulation;

/* The distinct lines of one side of a step. */
static void touch_side(simulation *m, const prog_stmt *s, bool out, int column, int64_t columns)
{
    const ix *f = out ? s->fout : s->fin;
    const int buffer = out ? s->out : s->in;
    const int64_t base = m->base[m->p->sides.in_place && buffer == 1 ? 0 : buffer];
    const int64_t element = prog_scalars(&m->p->buf[buffer]) * SCALAR;
    int64_t list[1024];
    int count = 0;
    const int64_t first = column >= 0 ? m->vars[column] : 0;
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < f->n; i++) {
            if (column >= 0)
                m->vars[column] = first + c;
            const int64_t line = (base + ix_eval(f, i, m->vars) * element) / PRICE_LINE;
            int k = 0;
            while (k < count && list[k] != line)
                k++;
            if (k == count)
                list[count++] = line;
        }
    if (column >= 0)
        m->vars[column] = first;
    for (int k = 0; k < count; k++)
        touch(&m->stack, list[k]);
}

static void simulate(simulation *m, size_t from, size_t to)
{
    for (size_t i = from; i < to; i = m->p->stmt[i].end) {
        const prog_stmt *s = &m->p->stmt[i];
        if (s->op == PROG_LOOP) {
            const spl_range *r = &s->range;
            const price_binding *b = &m->binding[i + 1];
            const bool columns = b->runs && b->columns_var == r->var;
            const int64_t step = columns ? b->lanes : 1;
            int64_t lo = 0, hi = r->n;
            if (r->share_var >= 0)
                spl_share(r->n, r->shares, r->grain, m->vars[r->share_var], &lo, &hi);
            for (int64_t v = lo; v < hi; v += step) {
                const int64_t count = hi - v < step ? hi - v : step;
                m->vars[r->var] = v;
                if (!columns) {
                    simulate(m, i + 1, s->end);
                    continue;
                }
                touch_side(m, s + 1, false, r->var, count);
                touch_side(m, s + 1, true, r->var, count);
            }
        } else if (s->op != PROG_SYNC) {
            touch_side(m, s, false, -1, 1);
            touch_side(m, s, true, -1, 1);
        }
    }
}

static void place_buffers(simulation *m)
{
    int64_t at = 0;
    assert_in_range(m->p->nbufs, 1, 16);
    for (int b = 0; b < m->p->nbufs; b++) {
        m->base[b] = at;
        at += (m->p->buf[b].elems * ELEMENT + 8 * PRICE_LINE) / PRICE_LINE * PRICE_LINE;
    }
}

static const struct {
    const char *text;
    bool in_place;
} programs[] = {
    {"(I(16) (x) ((DFT(8)_{leaf} (x) I(8)) * T(8,8) * (I(8) (x) DFT(8)_{leaf}) * L(64,8)))", false},
    {"(I(4) (x) ((DFT(32)_{leaf} (x) I(32))_{vec(8,inter)} * L(1024,32) * T(32,32) * "
     "(DFT(32)_{leaf} (x) I(32))_{vec(8,inter)}))",
     false},
    {"(I(4) (x) ((DFT(32)_{leaf} (x) I(32))_{vec(8,inter)} * L(1024,32) * T(32,32) * "
     "(DFT(32)_{leaf} (x) I(32))_{vec(8,inter)}))_{spe(2,1)}",
     false},
    {"(DFT(16)_{leaf} (x) I(256))_{vec(8,inter)} * (L(256,16) (x) I(16)) * (T(16,16) (x) I(16)) * "
     "(DFT(16)_{leaf} (x) I(256))_{vec(8,inter)} * L(4096,256) * T(16,256) * "
     "(DFT(16)_{leaf} (x) I(256))_{vec(8,inter)}",
     false},
    {"(DFT(32)_{leaf} (x) I(64))_{vec(8,inter)}", true},
    {"(DFT(32)_{leaf} (x) I(32))_{vec(8,inter)} * (I(32) (x) DFT(32)_{leaf})", true},
    {"((DFT(32)_{leaf} (x) I(64))_{vec(8,inter),tile(16)}) * (I(32) (x) DFT(64)_{leaf})", false},
    {"(I(64) (x) DFT(20)_{leaf} (x) I(4))_{vec(4,inter)}", false},
    {"PAIRS.rdft(1024)_{vec(8,inter)} * (DFT(32)_{leaf} (x) I(32))_{vec(8,inter)} * L(1024,32) * "
     "T(32,32) * (DFT(32)_{leaf} (x) I(32))_{vec(8,inter)} * V(1024)",
     false},
    {"V(1024)^-1 * (IDFT(32)_{leaf} (x) I(32))_{vec(8,inter)} * L(1024,32) * T(32,32)^-1 * "
     "(IDFT(32)_{leaf} (x) I(32))_{vec(8,inter)} * PAIRS.irdft(1024)_{vec(8,inter)}",
     false},
    {"PAIRS.rdft(1024)_{vec(8,inter)}", false},
    {"(PAIRS.rdft(32) (x) I(64))_{vec(8,inter)} * (DFT(32)_{leaf} (x) I(64))_{vec(8,inter)}",
     false},
    {"(DFT(16)_{leaf} (x) I(65))_{vec(8,inter)} * (I(16) (x) (PAIRS.rdft(64)_{vec(8,inter)} * "
     "DFT(64)_{leaf} * V(64)))",
     false},
};

/* Entries' lines that were last touched more than so many bytes before. */
static double lines_beyond(const price_reuse *r, double bytes)
{
    double lines = 0;
    for (size_t i = 0; i < r->count; i++)
        lines += r->entry[i].distance > bytes ? r->entry[i].lines : 0;
    return lines;
}

/* Distances are right to a factor of two, for all lines but a tenth. */
static void distances_are_those_of_a_stack(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
        spl_ctx *ctx = spl_ctx_open();
        const prog *p = price_lowered(ctx, programs[k].text, programs[k].in_place);
        price_binding *binding = price_bound(p);
        const bool split[16] = {false};
        const price_program program = {
            .body = p, .binding = binding, .split = split, .scalar = SCALAR};
        simulation *m = core_calloc(1, sizeof *m);
        price_reuse reuse;
        assert_non_null(m);
        m->p = p;
        m->binding = binding;
        place_buffers(m);
        simulate(m, 0, p->nstmts);
        m->stack.counts = true; /* as after the call before */
        simulate(m, 0, p->nstmts);
        assert_true(price_reuse_find(&reuse, &program));
        const double slack = m->stack.all / 10;
        for (int i = 1; i + 1 < THRESHOLDS; i++) {
            const double found = lines_beyond(&reuse, 512 << i);
            if (found > m->stack.beyond[i - 1] + slack || found < m->stack.beyond[i + 1] - slack)
                fail_msg("%s: %.0f lines beyond %d bytes, simulated %.0f beyond half, %.0f beyond "
                         "twice that, of %.0f",
                         programs[k].text, found, 512 << i, m->stack.beyond[i - 1],
                         m->stack.beyond[i + 1], m->stack.all);
        }
        price_reuse_free(&reuse);
        core_free(binding);
        core_free(m);
        spl_ctx_close(ctx);
    }
}

/* ---------------------------------------------------------------- rows ------------------ */

/* Columns of complex numbers, and the same as views of reals, have steps of as many rows. */
static void rows_are_those_of_columns(void **state)
{
    static const char *const columns[] = {
        "(DFT(16)_{leaf} (x) I(1024))_{vec(8,inter)}",
        "V(16384)^-1 * (DFT(16)_{leaf} (x) I(1024))_{vec(8,inter)} * V(16384)",
    };
    (void)state;
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        spl_ctx *ctx = spl_ctx_open();
        const prog *p = price_lowered(ctx, columns[k], true);
        price_binding *binding = price_bound(p);
        const bool split[16] = {false};
        const price_program program = {
            .body = p, .binding = binding, .split = split, .scalar = SCALAR};
        price_reuse reuse;
        assert_true(price_reuse_find(&reuse, &program));
        assert_int_not_equal(reuse.count, 0);
        for (size_t i = 0; i < reuse.count; i++) {
            assert_int_equal(reuse.entry[i].rows, 16);
            assert_int_equal(reuse.entry[i].stride, 1024 * ELEMENT);
        }
        price_reuse_free(&reuse);
        core_free(binding);
        spl_ctx_close(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lines_are_those_touched, nothing_leaks),
        cmocka_unit_test_teardown(rows_that_meet_are_one, nothing_leaks),
        cmocka_unit_test_teardown(distances_are_those_of_a_stack, nothing_leaks),
        cmocka_unit_test_teardown(rows_are_those_of_columns, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
