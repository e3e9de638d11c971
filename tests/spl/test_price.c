// SPDX-License-Identifier: BSD-3-Clause
/* The price of stages: lines and distances against a simulated stack of lines (LRU), and what
 * follows from the figures of a unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/price/price.h"
#include "spl/price/region.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_program.h"

enum { SCALAR = 4, ELEMENT = 2 * SCALAR, LINES = 1 << 14, THRESHOLDS = 12, PAGE = 4096 };

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
            const bool columns = b->runs && b->columns == r->var;
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

static prog *lowered(spl_ctx *ctx, const char *text, bool in_place)
{
    const prog_sides sides = {.in_place = in_place, .out_is_scratch = true};
    const spl *sigma = spl_merge(ctx, spl_to_sigma(ctx, program_parsed(ctx, text)), true);
    prog *p = NULL;
    sluice_diag why = {0};
    if (!sigma || prog_lower(&p, ctx, sigma, &sides, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return p;
}

/* Every VEC loop is columns, its lanes a step. */
static price_binding *bound(const prog *p)
{
    price_binding *b = core_calloc(p->nstmts, sizeof *b);
    assert_non_null(b);
    for (size_t i = 0; i < p->nstmts; i++) {
        const prog_stmt *s = &p->stmt[i], *around = i > 0 ? s - 1 : s;
        const bool columns = around->op == PROG_LOOP && around->range.kind == SPL_VEC;
        if (!prog_is_stage(s))
            continue;
        b[i] = (price_binding){.runs = true,
                               .columns = columns ? around->range.var : -1,
                               .rows = -1,
                               .lanes = columns ? around->range.nu : 1,
                               .step = 1e-9};
    }
    return b;
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
        const prog *p = lowered(ctx, programs[k].text, programs[k].in_place);
        price_binding *binding = bound(p);
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

/* ---------------------------------------------------------------- price ----------------- */

static double priced_with(const prog *p, const price_binding *binding, const double *figure,
                          size_t ways, double *memory)
{
    const bool split[16] = {false};
    const price_program program = {.body = p,
                                   .binding = binding,
                                   .split = split,
                                   .l1 = price_sets_of(ways * PAGE, ways),
                                   .l2 = price_sets_of(32 * ways * PAGE, ways),
                                   .scalar = SCALAR};
    price_stage *stage = core_calloc(p->nstmts, sizeof *stage);
    double cpu = 0;
    *memory = 0;
    assert_true(price_of(stage, &program, figure));
    for (size_t i = 0; i < p->nstmts; i++) {
        cpu += stage[i].cpu;
        *memory += stage[i].memory;
    }
    core_free(stage);
    return cpu;
}

static double priced(const prog *p, const price_binding *binding, const double *figure,
                     double *memory)
{
    return priced_with(p, binding, figure, 12, memory);
}

static void a_price_follows_its_figures(void **state)
{
    double figure[PRICE_FIGURES], memory, far, more;
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    const prog *p = lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = bound(p);
    price_model(figure, 64, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
    figure[PRICE_SPLIT_LINE] = 0;
    const double cpu = priced(p, binding, figure, &memory);
    /* 3 steps of 64 calls, of which each has one that is not full; 400 KiB in all */
    const double calls = 64 * (figure[PRICE_CALL] + figure[PRICE_TAIL]) * 1e-12;
    assert_float_equal(cpu, 64 * 3e-9 + calls, 1e-15);
    figure[PRICE_L1] = figure[PRICE_L2] = 4096;
    figure[PRICE_L3] = 8192;
    assert_float_equal(priced(p, binding, figure, &far), cpu, 1e-15);
    assert_true(far > 5 * memory);
    binding[2].padded = true; /* kernels behind two loops */
    assert_true(priced(p, binding, figure, &more) > cpu);
    core_free(binding);
    spl_ctx_close(ctx);
}

/* The columns that are left over of all sets of a call take one more call. */
static void a_call_has_one_tail(void **state)
{
    double figure[PRICE_FIGURES], memory;
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    const prog *p = lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = bound(p);
    price_model(figure, 64, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
    figure[PRICE_SPLIT_LINE] = 0;
    binding[2].rows = p->stmt[0].range.var;
    const double calls = figure[PRICE_CALL] + 64 * figure[PRICE_SET] + figure[PRICE_TAIL];
    assert_float_equal(priced(p, binding, figure, &memory), 64 * 3e-9 + calls * 1e-12, 1e-15);
    core_free(binding);
    spl_ctx_close(ctx);
}

/* The larger of computing and of what is moved meanwhile, and a share of the smaller. */
static void slices_are_hidden(void **state)
{
    static const double expensive = 1e6;
    double figure[PRICE_FIGURES];
    const bool split[16] = {false};
    const price_slices slices = {.calls = 0, .near = 1};
    spl_ctx *ctx = spl_ctx_open();
    (void)state;
    const prog *p = lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = bound(p);
    price_stage *stage = core_calloc(p->nstmts, sizeof *stage);
    const price_program program = {.body = p,
                                   .binding = binding,
                                   .nslices = 1,
                                   .slices = &slices,
                                   .split = split,
                                   .scalar = SCALAR};
    for (int puts = 0; puts < 2; puts++) {
        price_model(figure, 64, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
        figure[PRICE_L1] = figure[PRICE_L2] = figure[PRICE_L3] = 1;
        figure[PRICE_READ_MEMORY] = figure[PRICE_PAST] = 0;
        binding[2].slices = 1;
        binding[2].gets = !puts;
        binding[2].puts = puts;
        assert_true(price_of(stage, &program, figure));
        const double near = stage[2].cpu + stage[2].memory;
        double total[2];
        for (int i = 0; i < 2; i++) {
            figure[puts ? PRICE_PAST : PRICE_READ_MEMORY] = (i + 1) * expensive;
            assert_true(price_of(stage, &program, figure));
            total[i] = stage[2].cpu + stage[2].memory;
        }
        const double moved = total[1] - total[0]; /* at the lower price */
        assert_true(near > 0 && moved > 10 * near);
        assert_float_equal(total[0], moved + 0.35 * near, 1e-3 * near);
    }
    core_free(stage);
    core_free(binding);
    spl_ctx_close(ctx);
}

/* Seconds of a stage that reads in slices, with `step` a step of it. */
static double sliced(const double *figure, const price_slices *slices, double step)
{
    const bool split[16] = {false};
    spl_ctx *ctx = spl_ctx_open();
    const prog *p = lowered(ctx, "(I(64) (x) DFT(20)_{leaf} (x) I(20))_{vec(8,inter)}", false);
    price_binding *binding = bound(p);
    price_stage *stage = core_calloc(p->nstmts, sizeof *stage);
    const price_program program = {.body = p,
                                   .binding = binding,
                                   .nslices = 1,
                                   .slices = slices,
                                   .split = split,
                                   .scalar = SCALAR};
    binding[2].slices = 1;
    binding[2].gets = true;
    binding[2].step = step;
    assert_true(price_of(stage, &program, figure));
    const double seconds = stage[2].cpu + stage[2].memory;
    core_free(stage);
    core_free(binding);
    spl_ctx_close(ctx);
    return seconds;
}

/* A slice after a call costs more than the call. */
static void slices_cost_calls(void **state)
{
    double figure[PRICE_FIGURES], total[2];
    (void)state;
    price_model(figure, 64, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
    figure[PRICE_READ_MEMORY] = 0;
    for (int i = 0; i < 2; i++) {
        const price_slices slices = {.calls = i * 64, .near = 1};
        total[i] = sliced(figure, &slices, 1e-9);
    }
    assert_true(total[1] - total[0] > 2 * 64 * 1e-12 * figure[PRICE_CALL]);
}

/* What a core cannot fetch while it computes is waited for. */
static void bursts_are_waited_for(void **state)
{
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 1, [PRICE_L2] = 1, [PRICE_L3] = 1};
    double total[4];
    (void)state;
    figure[PRICE_READ_MEMORY] = 1000;
    for (int i = 0; i < 4; i++) {
        const price_slices slices = {.calls = 64, .near = 1, .get_burst = i * 48 * PRICE_LINE};
        total[i] = sliced(figure, &slices, 1e-3); /* hides all that is fetched between calls */
    }
    const double half = total[2] - total[1], two_thirds = total[3] - total[1];
    assert_true(half > 1e-6);
    assert_float_equal((total[1] - total[0]), 0, 1e-12);
    assert_float_equal(two_thirds, half * 4 / 3, 1e-10);
}

static double memory_of(const char *text, bool in_place, const double *figure, size_t ways)
{
    double memory;
    spl_ctx *ctx = spl_ctx_open();
    const prog *p = lowered(ctx, text, in_place);
    price_binding *binding = bound(p);
    priced_with(p, binding, figure, ways, &memory);
    core_free(binding);
    spl_ctx_close(ctx);
    return memory;
}

/* In place, of a unit where nothing costs but lines that are evicted before they are rewritten. */
static double rewriting(const char *text, const double *figure, size_t ways)
{
    return memory_of(text, true, figure, ways);
}

/* Rows 8 KiB apart share one set of L1: as many of n stay in it as it has ways. All where
 * these are not known. */
static void rows_of_one_set_evict_each_other(void **state)
{
    static const size_t ways[] = {12, 8, 32, 0};
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    (void)state;
    figure[PRICE_CLASH_REWRITE] = 1000; /* with 32 rows */
    for (int i = 0; i < 4; i++) {
        const size_t w = ways[i];
        const bool evicts = w > 0 && w < 32;
        const double few = rewriting("(DFT(8)_{leaf} (x) I(1024))_{vec(8,inter)}", figure, w);
        const double tuned = rewriting("(DFT(32)_{leaf} (x) I(1024))_{vec(8,inter)}", figure, w);
        const double many = rewriting("(DFT(64)_{leaf} (x) I(1024))_{vec(8,inter)}", figure, w);
        const double share = (1 - (double)w / 64) / (1 - (double)w / 32);
        assert_float_equal(few, 0, 0);
        assert_float_equal(tuned, evicts ? 32 * 128 * 1e-9 : 0, 1e-11);
        assert_float_equal(many, evicts ? 2 * tuned * share : 0, 1e-10);
    }
}

/* What a line more costs where a step is a transform of so many points that is touched out of
 * order, from memory, where only jumps cost anything. */
static double disorder(int points, bool non_temporal)
{
    enum { TRANSFORMS = 64 };
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 64, [PRICE_L3] = 64};
    double memory[2];
    char text[80];
    spl_ctx *ctx = spl_ctx_open();
    figure[PRICE_JUMP_MEMORY] = 1000;
    snprintf(text, sizeof text, "I(%d) (x) DFT(%d)_{leaf}", TRANSFORMS, points);
    const prog *p = lowered(ctx, text, false);
    price_binding *binding = bound(p);
    for (int whole = 0; whole < 2; whole++) {
        price_binding *b = &binding[p->nstmts - 1];
        *b = (price_binding){.runs = true,
                             .columns = -1,
                             .rows = -1,
                             .lanes = 1,
                             .whole = whole,
                             .non_temporal = non_temporal};
        priced(p, binding, figure, &memory[whole]);
    }
    core_free(binding);
    spl_ctx_close(ctx);
    return (memory[1] - memory[0]) / (TRANSFORMS * points * ELEMENT / PRICE_LINE);
}

static void long_transforms_of_one_step_jump(void **state)
{
    const double all = disorder(256, false); /* half a page */
    (void)state;
    assert_float_equal(all, 2 * 2e-9, 1e-13); /* lines read and written, in runs of two */
    assert_float_equal(disorder(512, false), all, 1e-13);
    assert_float_equal(disorder(128, false), all / 8, 1e-13);
    assert_float_equal(disorder(256, true), all / 2, 1e-13);
}

/* Rows that are read, of 32 as many lines, and written where they do not meet. */
static void rows_of_one_set_are_read_again(void **state)
{
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    (void)state;
    figure[PRICE_CLASH_READ] = 1000; /* with 32 rows */
    for (size_t ways = 8; ways <= 32; ways *= 2) {
        const double few =
            memory_of("(DFT(8)_{leaf} (x) I(1024))_{vec(8,inter)}", false, figure, ways);
        const double half =
            memory_of("(DFT(16)_{leaf} (x) I(1024))_{vec(8,inter)}", false, figure, ways);
        const double tuned =
            memory_of("(DFT(32)_{leaf} (x) I(1024))_{vec(8,inter)}", false, figure, ways);
        assert_float_equal(few, 0, 0);
        assert_float_equal(tuned, ways < 32 ? 32 * 128 * 1e-9 : 0, 1e-11);
        assert_float_equal(half, ways == 8 ? tuned / 2 * (0.5 / 0.75) : 0, 1e-10);
    }
}

/* Rows from memory that share pages, line by line of each: lines of 2 KiB and more in a step. */
static void rows_of_one_page_jump(void **state)
{
    enum { LINES_READ = (1 << 18) * ELEMENT / PRICE_LINE };
    static const struct {
        const char *text;
        double jumps;
    } rows[] = {{"I(64) (x) (DFT(8)_{leaf} (x) I(512))_{vec(8,inter)}", 0},
                {"I(64) (x) (DFT(32)_{leaf} (x) I(128))_{vec(8,inter)}", 2},
                {"I(512) (x) (DFT(32)_{leaf} (x) I(16))_{vec(8,inter)}", 2},
                {"I(2048) (x) (DFT(8)_{leaf} (x) I(16))_{vec(8,inter)}", 2.0 / 8}};
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 64, [PRICE_L3] = 64};
    (void)state;
    figure[PRICE_JUMP_MEMORY] = 1000;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double memory[2];
        for (int ahead = 0; ahead < 2; ahead++) {
            spl_ctx *ctx = spl_ctx_open();
            const prog *p = lowered(ctx, rows[i].text, false);
            price_binding *binding = bound(p);
            for (size_t k = 0; k < p->nstmts; k++)
                binding[k].fetched_ahead = ahead > 0;
            priced_with(p, binding, figure, 0, &memory[ahead]);
            core_free(binding);
            spl_ctx_close(ctx);
        }
        assert_float_equal((memory[0] - memory[1]), rows[i].jumps * LINES_READ * 1e-9, 1e-9);
    }
}

/* What 32 rows from memory cost that were fetched ahead into L1 or L2, of which other rows of the
 * step may evict them; nothing else costs anything. */
static double fetched_ahead(const char *text, bool into_l2)
{
    const double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 64, [PRICE_L3] = 64};
    double memory;
    spl_ctx *ctx = spl_ctx_open();
    const prog *p = lowered(ctx, text, false);
    price_binding *binding = bound(p);
    for (size_t i = 0; i < p->nstmts; i++)
        binding[i].ahead_in_l2 = into_l2;
    priced_with(p, binding, figure, 8, &memory);
    core_free(binding);
    spl_ctx_close(ctx);
    return memory;
}

/* Rows 8 KiB apart share a set of L1 and no set of L2, rows 128 KiB apart one of each. */
static void what_is_fetched_ahead_may_be_evicted(void **state)
{
    static const char near[] = "(DFT(32)_{leaf} (x) I(1024))_{vec(8,inter)}";
    static const char far[] = "(DFT(32)_{leaf} (x) I(16384))_{vec(8,inter)}";
    (void)state;
    assert_true(fetched_ahead(near, false) > 0);
    assert_float_equal(fetched_ahead(near, true), 0, 0);
    assert_float_equal(fetched_ahead(far, true), 16 * fetched_ahead(near, false), 1e-9);
    assert_float_equal(fetched_ahead(far, true), fetched_ahead(far, false), 1e-12);
}

/* The share of a time that lines from memory take which is left beside as much arithmetic. */
static double beside_steps(const char *text, bool transforms, bool whole)
{
    enum { TRANSFORMS = 65536, LINES = TRANSFORMS * 16 * ELEMENT / PRICE_LINE };
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 64, [PRICE_L2] = 64, [PRICE_L3] = 64};
    double memory;
    spl_ctx *ctx = spl_ctx_open();
    const prog *p = lowered(ctx, text, false);
    price_binding *binding = bound(p);
    for (size_t i = 0; i < p->nstmts; i++) {
        binding[i].step = 1e-6 * (double)binding[i].lanes;
        binding[i].non_temporal = true;
        binding[i].transforms = transforms;
        binding[i].whole = whole;
    }
    figure[PRICE_READ_MEMORY] = 1e6 * TRANSFORMS / LINES;
    priced_with(p, binding, figure, 0, &memory);
    core_free(binding);
    spl_ctx_close(ctx);
    return memory / (1e-6 * TRANSFORMS);
}

/* Transforms that follow each other within a call, in lanes, hide lines behind all of their
 * arithmetic, each by itself behind half of it, the less the longer they are; those of a call each
 * hide as little as stages. */
static void transforms_in_a_row_hide_lines(void **state)
{
    static const char batch[] = "(I(65536) (x) DFT(16)_{leaf})_{vec(8,inter)}";
    static const char each[] = "I(65536) (x) DFT(16)_{leaf}";
    (void)state;
    assert_float_equal(beside_steps(batch, false, false), 0.7, 1e-3);
    assert_float_equal(beside_steps(batch, true, false), 0, 1e-3);
    assert_float_equal(beside_steps(batch, true, true), 0.5 + 0.2 / 8, 1e-3); /* of 1 KiB a step */
    assert_float_equal(beside_steps(each, true, false), 0.7, 1e-3);
}

/* 16 rows of 64 lines, a page apart: a vector of half a line reads each of them twice. Both write
 * the same. */
static void pieces_of_rows_of_one_set_are_read_again(void **state)
{
    static const char halves[] = "(DFT(16)_{leaf} (x) I(512))_{vec(4,inter)}";
    static const char whole[] = "(DFT(16)_{leaf} (x) I(512))_{vec(8,inter)}";
    double figure[PRICE_FIGURES] = {[PRICE_L1] = 16 << 10, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15};
    (void)state;
    figure[PRICE_CLASH_WRITE] = 1000;
    for (size_t ways = 8; ways <= 16; ways *= 2) {
        const double more =
            memory_of(halves, false, figure, ways) - memory_of(whole, false, figure, ways);
        assert_float_equal(more, ways < 16 ? 16 * 64 * 1e-9 : 0, 1e-9);
    }
}

/* With fewer ways more of the rows that are tuned with are evicted, and cost more by the model. */
static void the_model_knows_ways(void **state)
{
    double few[PRICE_FIGURES], many[PRICE_FIGURES];
    (void)state;
    price_model(few, 64, price_sets_of(32 << 10, 8), 2 << 20, 32 << 20);
    price_model(many, 64, price_sets_of(48 << 10, 12), 2 << 20, 32 << 20);
    assert_float_equal(few[PRICE_CLASH_REWRITE] / many[PRICE_CLASH_REWRITE], 0.75 / 0.625, 1e-9);
    assert_float_equal(few[PRICE_L1] / many[PRICE_L1], 32.0 / 48, 1e-9);
    price_model(few, 64, price_sets_of(0, 0), 0, 0);
    assert_true(few[PRICE_L1] > 0);
}

/* Both stages take as many steps in one program as in two. */
static void a_stage_waits_for_the_one_before(void **state)
{
    static const char *const texts[] = {
        "(DFT(32)_{leaf} (x) I(32))_{vec(8,inter)} * (I(32) (x) DFT(32)_{leaf})",
        "(DFT(32)_{leaf} (x) I(32))_{vec(8,inter)}", "I(32) (x) DFT(32)_{leaf}"};
    const double figure[PRICE_FIGURES] = {
        [PRICE_L1] = 1e15, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15, [PRICE_WAIT] = 1e4};
    double cpu[3], memory;
    (void)state;
    for (int i = 0; i < 3; i++) {
        spl_ctx *ctx = spl_ctx_open();
        const prog *p = lowered(ctx, texts[i], false);
        price_binding *binding = bound(p);
        cpu[i] = priced(p, binding, figure, &memory);
        core_free(binding);
        spl_ctx_close(ctx);
    }
    assert_true(cpu[0] > cpu[1] + cpu[2] + 1e-9);
    assert_true(cpu[0] < cpu[1] + cpu[2] + 2e-8);
}

/* In place the first step reads what the execution before stored; the caller's code and the call
 * run meanwhile, and few rows are few levels. */
static void an_execution_in_place_waits_for_the_one_before(void **state)
{
    static const struct {
        const char *text;
        double wait; /* picoseconds */
    } cases[] = {{"DFT(2)_{leaf}", 10000.0 / 3 - 3000},
                 {"DFT(8)_{leaf}", 10000 - 3000},
                 {"DFT(64)_{leaf}", 10000 - 3000}};
    double figure[PRICE_FIGURES] = {
        [PRICE_L1] = 1e15, [PRICE_L2] = 1e15, [PRICE_L3] = 1e15, [PRICE_CALL] = 1000};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        double cpu[2][2], memory;
        for (int in_place = 0; in_place < 2; in_place++) {
            const prog *p = lowered(ctx, cases[i].text, in_place);
            price_binding *binding = bound(p);
            for (int waits = 0; waits < 2; waits++) {
                figure[PRICE_WAIT] = waits ? 10000 : 0;
                cpu[in_place][waits] = priced(p, binding, figure, &memory);
            }
            core_free(binding);
        }
        assert_float_equal(cpu[0][1], cpu[0][0], 1e-15);
        assert_float_equal(cpu[1][1] - cpu[1][0], 1e-12 * cases[i].wait, 1e-15);
        spl_ctx_close(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lines_are_those_touched, nothing_leaks),
        cmocka_unit_test_teardown(distances_are_those_of_a_stack, nothing_leaks),
        cmocka_unit_test_teardown(a_price_follows_its_figures, nothing_leaks),
        cmocka_unit_test_teardown(a_call_has_one_tail, nothing_leaks),
        cmocka_unit_test_teardown(slices_are_hidden, nothing_leaks),
        cmocka_unit_test_teardown(slices_cost_calls, nothing_leaks),
        cmocka_unit_test_teardown(rows_of_one_set_evict_each_other, nothing_leaks),
        cmocka_unit_test_teardown(rows_of_one_set_are_read_again, nothing_leaks),
        cmocka_unit_test_teardown(bursts_are_waited_for, nothing_leaks),
        cmocka_unit_test_teardown(rows_of_one_page_jump, nothing_leaks),
        cmocka_unit_test_teardown(what_is_fetched_ahead_may_be_evicted, nothing_leaks),
        cmocka_unit_test_teardown(transforms_in_a_row_hide_lines, nothing_leaks),
        cmocka_unit_test_teardown(pieces_of_rows_of_one_set_are_read_again, nothing_leaks),
        cmocka_unit_test_teardown(long_transforms_of_one_step_jump, nothing_leaks),
        cmocka_unit_test_teardown(the_model_knows_ways, nothing_leaks),
        cmocka_unit_test_teardown(a_stage_waits_for_the_one_before, nothing_leaks),
        cmocka_unit_test_teardown(an_execution_in_place_waits_for_the_one_before, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
