// SPDX-License-Identifier: BSD-3-Clause
/* Programs whose inner buffers have gaps, and loops around several statements that are split: both
 * are still the formula, pass the checker, and gaps are where they belong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "spl/program/program.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/rule.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_program.h"

typedef enum form {
    SIGMA = 0,
    TAGGED,
    TAGGED_DROP
} form; /* what a text is; copies kept, dropped */

static const char *const form_names[] = {"sigma", "tagged", "tagged, copies dropped"};

#define F64 "((DFT(8)_{leaf} (x) I(8)) * T(8,8) * (I(8) (x) DFT(8)_{leaf}) * L(64,8))"
#define F24 "((DFT(4)_{leaf} (x) I(6)) * T(4,6) * (I(4) (x) DFT(6)_{leaf}) * L(24,4))"
#define F16 "((DFT(4)_{leaf} (x) I(4)) * T(4,4) * (I(4) (x) DFT(4)_{leaf}) * L(16,4))"
/* A pair: DFT_4 in two stages. */
#define PAIR "((DFT(2)_{leaf} (x) I(2)) * L(4,2) * T(2,2) * (DFT(2)_{leaf} (x) I(2)))"

static prog *lowered(spl_ctx *ctx, const spl *x, form kind, const prog_sides *sides,
                     const char *text)
{
    const spl *sigma = kind == SIGMA ? x : spl_to_sigma(ctx, x);
    if (kind != SIGMA)
        sigma = spl_merge(ctx, sigma, kind == TAGGED_DROP);
    prog *p = NULL;
    sluice_diag why = {0, ""};
    if (sigma == NULL || prog_lower(&p, ctx, sigma, sides, &why) != SLUICE_OK) {
        (void)spl_ctx_status(ctx, &why);
        fail_msg("%s: %s", text, why.message);
    }
    return p;
}

static void show(const prog *p, const char *text)
{
    core_text out = {NULL, 0, 0, false};
    prog_print(p, &out);
    print_message("%s\n%s", text, core_text_string(&out));
    core_text_free(&out);
}

/* Each branch by itself: rows of pairs go up and down. */
static bool is_linear(const ix *f, const spl_range *r)
{
    int64_t coef;
    if (f->kind == IX_TWO && f->t->src == IX_INDEX)
        return is_linear(f->branch[0], r) && is_linear(f->branch[1], r);
    return ix_linear(f, r->var, r->n, &coef);
}

static bool linear_in(const prog_stmt *s, const spl_range *r)
{
    bool good = is_linear(s->fin, r) && is_linear(s->fout, r);
    for (int w = 0; w < s->ntwiddles; w++)
        good = good && is_linear(s->twiddle[w].f, r);
    return good;
}

/* Every address is linear in every loop variable. */
static void all_linear(const prog *p, const char *text)
{
    for (size_t l = 0; l < p->nstmts; l++)
        for (size_t i = l + 1; p->stmt[l].op == PROG_LOOP && i < p->stmt[l].end; i++) {
            const prog_stmt *s = &p->stmt[i];
            if (s->op != PROG_KERN && s->op != PROG_COPY)
                continue;
            if (!linear_in(s, &p->stmt[l].range)) {
                show(p, text);
                fail_msg("statement %zu is not linear in k%d", i, p->stmt[l].range.var);
            }
        }
}

static bool copied(const prog *p, int buffer)
{
    for (size_t i = 0; i < p->nstmts; i++)
        if (p->stmt[i].op == PROG_COPY && (p->stmt[i].in == buffer || p->stmt[i].out == buffer))
            return true;
    return false;
}

/* Are these elements with gaps after equal runs, multiples of set_stride longer than `min`, and
 * with those after longer ones that are multiples again? */
static bool has_gaps(int64_t elems, int64_t padded, const prog_sides *s, int64_t min)
{
    for (int64_t run = min / s->set_stride * s->set_stride + s->set_stride; run < elems;
         run += s->set_stride) {
        const int64_t more = elems + (elems - 1) / run * s->padding;
        if (more == padded || (more < padded && has_gaps(more, padded, s, run)))
            return true;
    }
    return false;
}

/* .. after runs that divide set_stride? */
static bool has_short_gaps(int64_t elems, int64_t more, const prog_sides *s)
{
    for (int64_t run = 8 * s->padding; run < s->set_stride; run++)
        if (s->set_stride % run == 0 && (elems - 1) / run * s->padding == more)
            return true;
    return false;
}

/* The program has the buffers of one without gaps; those with gaps have them after equal runs.
 * Returns how many have some. */
static int check_gaps(const prog *p, const prog *plain, const char *text)
{
    const prog_sides *s = &p->sides;
    int gaps = 0;
    assert_int_equal(p->nbufs, plain->nbufs);
    for (int b = 0; b < p->nbufs; b++) {
        const int64_t elems = plain->buf[b].elems, more = p->buf[b].elems - elems;
        if (more == 0)
            continue;
        gaps++;
        if (!(has_gaps(elems, p->buf[b].elems, s, 0) || has_short_gaps(elems, more, s)) || b < 2
            || elems <= s->pad_above || copied(p, b)) {
            show(p, text);
            fail_msg("b%d has %lld elements, %lld without gaps", b, (long long)p->buf[b].elems,
                     (long long)elems);
        }
    }
    return gaps;
}

/* Lowers with the gaps of `sides`, checks, runs. Returns how many buffers have gaps. */
static int verify_node(spl_ctx *ctx, const spl *x, form kind, const prog_sides *sides,
                       const char *text)
{
    prog_sides none = *sides;
    none.set_stride = 0;
    const prog *p = lowered(ctx, x, kind, sides, text);
    const int gaps = check_gaps(p, lowered(ctx, x, kind, &none, text), text);
    program_check(p, text);
    all_linear(p, text);
    program_compare(p, x);
    return gaps;
}

static int verify(const char *text, form kind, const prog_sides *sides)
{
    char name[2048];
    spl_ctx *ctx = spl_ctx_open();
    assert_non_null(ctx);
    snprintf(name, sizeof name, "%s (%s, stride %lld, padding %lld, above %lld%s%s)", text,
             form_names[kind], (long long)sides->set_stride, (long long)sides->padding,
             (long long)sides->pad_above, sides->in_place ? ", in place" : "",
             sides->out_is_scratch ? ", output is scratch" : "");
    const int gaps = verify_node(ctx, program_parsed(ctx, text), kind, sides, name);
    spl_ctx_close(ctx);
    return gaps;
}

/* ---------------------------------------------------------------- gaps ------------------- */

static const prog_sides padded[] = {
    {.set_stride = 8, .padding = 2},
    {.set_stride = 8, .padding = 2, .in_place = true},
    {.set_stride = 8, .padding = 2, .out_is_scratch = true},
    {.set_stride = 4, .padding = 1, .out_is_scratch = true},
    {.set_stride = 2, .padding = 3},
    {.set_stride = 16, .padding = 5, .pad_above = 20, .in_place = true},
    {.set_stride = 1, .padding = 1},
    {.set_stride = 8, .padding = 0},
    {.set_stride = 8, .padding = 1, .cache_elems = 16, .out_is_scratch = true},
};
enum { PADDED = sizeof padded / sizeof padded[0] };

static const char *const sigma_texts[] = {
    "DFT(5)_{leaf}",
    "SUM.vec[4,inter](k0<8, S(h(4,32,k0%8,8)) * IDFT(4)_{leaf} * G(h(4,32,k0%8,8)))",
    PAR_A " * " PAR_B,
    PAR_B " * " PAR_A " * " PAR_B,
    PAR_A " * " PAR_B " * " PAR_A " * " PAR_B,
    "SUM.par(k1<3, SUM(k0<5@k1/3, S(h(2,10,k0%5,5)) * DFT(2)_{leaf} * G(h(2,10,k0%5,5))))",
    PAR_A " * SUM(k0<4, S(h(16,64,16*k0%4,1)) * DFT(16)_{leaf} * G(h(16,64,16*k0%4,1))) * " PAR_B,
};

static const char *const tagged_texts[] = {
    F64 "_{spe(2,4)}",
    F64 "_{stream(1)}",
    F64 "_{spe(2,4),stream(1)}",
    "(DFT(8)_{leaf} (x) DFT(16)_{leaf})_{stream(4)}",
    "(I(4) (x) " F64 ")_{stream(4)}",
    "(I(2) (x) (I(4) (x) " F24 ")_{stream(4)})_{spe(2,4)}",
    "(I(4) (x) " F64 "_{spe(2,4)})_{stream(4)}",
    "(I(5) (x) " F24 "_{spe(2,1)})_{stream(2)}",
    "(I(7) (x) " F24 ")_{spe(3,1)}",
    F64 "_{vec(4,inter),spe(2,4)}",
    F64 "_{vec(4,split)}",
    "(" F16 " (x) I(8))_{vec(4,inter),tile(4),spe(2,4)}",
    "(PAIRS.dct2(8) (x) I(16))_{vec(4,inter)} * (DFT(8)_{leaf} (x) I(16))_{vec(4,inter)}",
    "PAIRS.dht(32)_{vec(4,inter)} * (DFT(4)_{leaf} (x) I(8)) * (I(4) (x) DFT(8)_{leaf})",
};

static void programs_with_gaps_are_the_formula(void **state)
{
    (void)state;
    int gaps = 0;
    for (size_t s = 0; s < PADDED; s++) {
        for (size_t i = 0; i < sizeof sigma_texts / sizeof sigma_texts[0]; i++)
            gaps += verify(sigma_texts[i], SIGMA, &padded[s]);
        for (size_t i = 0; i < sizeof tagged_texts / sizeof tagged_texts[0]; i++) {
            gaps += verify(tagged_texts[i], TAGGED, &padded[s]);
            gaps += verify(tagged_texts[i], TAGGED_DROP, &padded[s]);
        }
    }
    assert_true(gaps > 100);
}

/* Elements of the buffers after IN and OUT; 0 ends the list. */
typedef struct expected {
    const char *text;
    form kind;
    int64_t set_stride, padding, pad_above, elems[4];
} expected;

static const expected expectations[] = {
    /* rows of 8 written, columns 8 apart read */
    {F64, TAGGED, 8, 2, 0, {64 + 7 * 2}},
    {F64, TAGGED, 4, 2, 0, {64 + 7 * 2}},
    {F64, TAGGED, 8, 2, 63, {64 + 7 * 2}},
    {F64, TAGGED, 8, 2, 64, {64}},
    {F64, TAGGED, 16, 2, 0, {64}}, /* nothing steps by 16 */
    {F64, TAGGED, 0, 2, 0, {64}},
    {F24, TAGGED, 2, 1, 0, {24 + 3}},
    {F24, TAGGED, 3, 2, 0, {24 + 3 * 2}},
    {F24, TAGGED, 4, 1, 0, {24}}, /* 6 is the only step */
    /* two parts; the middle one of three stages works in place */
    {PAR_A " * " PAR_B, SIGMA, 8, 2, 0, {78}},
    {PAR_B " * " PAR_A " * " PAR_B, SIGMA, 8, 2, 0, {78}},
    {PAR_B " * " PAR_B " * " PAR_B, SIGMA, 8, 2, 0, {78, 78}},
    /* columns 4 apart written, columns 6 apart read: neither run leaves both sums of digits */
    {"(DFT(4)_{leaf} (x) I(6)) * (DFT(6)_{leaf} (x) I(4))", TAGGED, 2, 1, 0, {24}},
    {"(DFT(4)_{leaf} (x) I(6)) * (DFT(6)_{leaf} (x) I(4))", TAGGED, 6, 1, 0, {24}},
    /* runs of 4 are cut by rows of 6, and runs of 12 would part six rows 4 apart */
    {"(I(2) (x) DFT(2)_{leaf} (x) I(6)) * (DFT(6)_{leaf} (x) I(4))", TAGGED, 4, 3, 0, {24}},
    /* two rows 12 apart, and pairs of rows of 6 inside them, stay even */
    {"(I(2) (x) DFT(2)_{leaf} (x) I(6)) * (DFT(2)_{leaf} (x) I(12))", TAGGED, 4, 3, 0, {24 + 3}},
    /* columns counted by threes on the other side: runs of 4 would not go with them, runs of 12
     * do */
    {"(I(4) (x) L(12,3)) * (DFT(4)_{leaf} (x) I(12)) * (I(12) (x) DFT(4)_{leaf})",
     TAGGED_DROP,
     4,
     1,
     0,
     {48 + 3}},
    /* one buffer for all, one for a tile, whose rows are shorter */
    {"(DFT(2)_{leaf} (x) I(32)) * (" F16 " (x) I(4))_{tile(2)}", TAGGED, 8, 2, 0, {64 + 3 * 2, 16}},
    {"(DFT(2)_{leaf} (x) I(32)) * (" F16 " (x) I(4))_{tile(2)}", TAGGED, 4, 2, 0, {100, 22}},
    /* mirrored rows of 16 */
    {"(PAIRS.dct2(8) (x) I(16)) * (DFT(8)_{leaf} (x) I(16))", TAGGED, 8, 2, 0, {128 + 7 * 2}},
    {"(DFT(8)_{leaf} (x) I(16)) * (PAIRS.dct3(8) (x) I(16))", TAGGED, 4, 1, 0, {128 + 7}},
    /* runs of 8 rows that are written in the order of a fold */
    {"(DFT(4)_{leaf} (x) I(128)) * (P(fold(32)) (x) I(16)) * (I(32) (x) DFT(16)_{leaf})",
     TAGGED,
     128,
     2,
     0,
     {512 + 3 * 2}},
    /* rows k and n-k that are written one at a time: no run of several leaves these digits */
    {"(I(32) (x) DFT(16)_{leaf}) * (DFT(4)_{leaf} (x) I(128)) * (PAIRS.dct3(32) (x) I(16))",
     TAGGED,
     128,
     2,
     0,
     {512 + 31 * 2}},
    /* mirrored elements */
    {"PAIRS.dht(64) * (DFT(8)_{leaf} (x) I(8))", TAGGED, 8, 2, 0, {64}},
    /* transfers count on how their buffers lie */
    {F64 "_{stream(1)}", TAGGED, 8, 2, 0, {78, 64, 64}},
    {F64 "_{stream(1)}", TAGGED_DROP, 8, 2, 0, {78}},
};

static void gaps_are_where_they_belong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        const expected *e = &expectations[i];
        const prog_sides sides = {
            .set_stride = e->set_stride, .padding = e->padding, .pad_above = e->pad_above};
        spl_ctx *ctx = spl_ctx_open();
        const prog *p = lowered(ctx, program_parsed(ctx, e->text), e->kind, &sides, e->text);
        int count = 0;
        while (count < 4 && e->elems[count] > 0)
            count++;
        bool good = p->nbufs == count + 2;
        for (int b = 0; b < count && good; b++)
            good = p->buf[b + 2].elems == e->elems[b];
        if (!good) {
            show(p, e->text);
            fail_msg("stride %lld, padding %lld, above %lld: other buffers than expected",
                     (long long)e->set_stride, (long long)e->padding, (long long)e->pad_above);
        }
        spl_ctx_close(ctx);
        (void)verify(e->text, e->kind, &sides);
    }
}

/* Rows of 16 have gaps of 1; the 8 rows of a kernel in place are 4 * 17 apart then, and share sets
 * by turns, four each: of caches that have fewer ways they get gaps, too, though pairs count rows k
 * and n-k across these. */
static void rows_in_place_share_no_sets(void **state)
{
    static const char *const texts[] = {
        "(I(32) (x) DFT(16)_{leaf}) * (DFT(8)_{leaf} (x) I(64)) * (I(8) (x) DFT(4)_{leaf} (x) "
        "I(16))",
        "(I(32) (x) DFT(16)_{leaf}) * (DFT(8)_{leaf} (x) I(64)) * (PAIRS.dct3(32) (x) I(16))"};
    static const struct {
        int64_t cache, elems;
    } cases[] = {{0, 512 + 31}, {32, 512 + 31}, {16, 512 + 31 + 7}};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        const char *text = texts[i % 2];
        const prog_sides sides = {.set_stride = 8, .padding = 1, .cache_elems = cases[i / 2].cache};
        spl_ctx *ctx = spl_ctx_open();
        const prog *p = lowered(ctx, program_parsed(ctx, text), TAGGED, &sides, text);

        if (p->buf[2].elems != cases[i / 2].elems) {
            show(p, text);
            fail_msg("cache %lld: not %lld elements", (long long)sides.cache_elems,
                     (long long)cases[i / 2].elems);
        }
        program_check(p, text);
        all_linear(p, text);
        program_compare(p, program_parsed(ctx, text));
        spl_ctx_close(ctx);
    }
}

/* ---------------------------------------------------------------- loops that are split --- */

/* Tiles of columns that the factor before or after takes apart; parts that share them unevenly. */
static const char *const split_texts[] = {
    "(DFT(3)_{leaf} (x) I(16)) * (L(12,3) (x) I(4)) * (T(4,3) (x) I(4)) * (" PAIR
    " (x) I(12))_{tile(2)}",
    "(DFT(3)_{leaf} (x) I(16)) * (L(12,3) (x) I(4)) * (T(4,3) (x) I(4)) * (" PAIR
    " (x) I(12))_{vec(2,inter),tile(2),spe(2,2)}",
    "(DFT(5)_{leaf} (x) I(32))_{spe(3,4)} * (L(20,5) (x) I(8)) * (T(4,5) (x) I(8)) * (" PAIR
    " (x) I(40))_{vec(4,inter),tile(4),spe(3,4)}",
    "(DFT(5)_{leaf} (x) I(32))_{spe(4,2)} * (L(20,5) (x) I(8)) * (T(4,5)^-1 (x) I(8)) * (" PAIR
    " (x) I(40))_{vec(2,split),tile(2),spe(4,4)}",
    "(" PAIR " (x) I(24))_{tile(4),spe(2,4)} * (L(24,6) (x) I(4)) * (T(4,6) (x) I(4)) * (" PAIR
    " (x) I(24))_{tile(4),spe(3,4)}",
    "(I(3) (x) ((DFT(3)_{leaf} (x) I(16)) * (L(12,3) (x) I(4)) * (T(4,3) (x) I(4)) * (" PAIR
    " (x) I(12))_{tile(2)}))_{spe(2,1)}",
    /* slabs: blocks, then columns across them */
    "(DFT(4)_{leaf} (x) I(16))_{spe(2,4)} * (T(4,2) (x) I(8)) * (I(4) (x) ((DFT(2)_{leaf} (x) "
    "I(8)) "
    "* (I(4) (x) " PAIR ")))_{spe(3,1)} * (L(8,4) (x) I(8))",
    "(I(3) (x) DFT(4)_{leaf} (x) I(8))_{spe(2,4)} * (I(3) (x) T(4,2) (x) I(4)) * (I(12) (x) "
    "((DFT(2)_{leaf} (x) I(4)) * (I(2) (x) " PAIR ")))_{spe(5,1)} * (I(3) (x) L(8,4) (x) I(4))",
};

/* Both sides take the loop apart, at different digits. No iteration reads where it writes, so that
 * these are not for one array. */
static const char *const permuted_texts[] = {
    "(L(32,8) (x) I(4)) * (I(32) (x) " PAIR ") * (L(32,8) (x) I(4))",
    "(L(32,8) (x) I(4)) * (I(32) (x) " PAIR ")_{spe(3,1)} * (L(32,8) (x) I(4))",
    "(L(32,16) (x) I(4)) * (T(8,4) (x) I(4)) * (I(32) (x) " PAIR
    ")_{spe(5,1)} * (L(32,8) (x) I(4))",
    "(L(24,6) (x) I(4)) * (T(4,6)^-1 (x) I(4)) * (I(24) (x) " PAIR ")_{spe(16,1)} * (L(24,12) (x) "
    "I(4))",
    "(I(2) (x) L(16,8) (x) I(4)) * (I(32) (x) " PAIR ")_{spe(3,1)} * (L(32,16) (x) I(4))",
};

enum {
    SPLITS = sizeof split_texts / sizeof split_texts[0],
    PERMUTED = sizeof permuted_texts / sizeof permuted_texts[0]
};

static void loops_around_statements_are_split(void **state)
{
    static const prog_sides sides[] = {{0},
                                       {.in_place = true},
                                       {.out_is_scratch = true},
                                       {.set_stride = 8, .padding = 2},
                                       {.set_stride = 4, .padding = 1, .out_is_scratch = true}};
    (void)state;
    for (int i = 0; i < SPLITS; i++)
        for (int s = 0; s < 5; s++)
            (void)verify(split_texts[i], TAGGED_DROP, &sides[s]);
    for (int i = 0; i < PERMUTED; i++)
        for (int s = 0; s < 5; s++)
            if (!sides[s].in_place)
                (void)verify(permuted_texts[i], TAGGED_DROP, &sides[s]);
}

/* ---------------------------------------------------------------- every size ------------- */

/* Transforms beyond 4 broken down by the rule's first choice. */
static const spl *grow(spl_ctx *ctx, const spl *x, const void *arg)
{
    const spl_rule *rule = arg;
    spl_params choice[16];
    if (x == NULL || x->op != SPL_TRANSFORM)
        return x == NULL ? NULL : spl_map(ctx, x, grow, arg);
    if (x->a[0] <= 4 || rule->choices(x, choice, 16) == 0)
        return spl_mark_leaves(ctx, x);
    return grow(ctx, spl_rule_apply(ctx, rule, x, &choice[0]), arg);
}

static void every_size_with_gaps(void **state)
{
    static const spl_rule *const rules[] = {&spl_dft_ct, &spl_dft_stockham, &spl_dft_dif};
    int gaps = 0;
    (void)state;
    for (int64_t n = 2; n <= 64; n++)
        for (int r = 0; r < 3; r++) {
            const prog_sides sides = {.set_stride = 2 + (n + r) % 7,
                                      .padding = 1 + n % 3,
                                      .in_place = (n + r) % 3 == 0,
                                      .out_is_scratch = (n + r) % 3 == 1};
            char text[32];
            spl_ctx *ctx = spl_ctx_open();
            snprintf(text, sizeof text, "DFT(%lld), %s", (long long)n, rules[r]->name);
            const spl *x = grow(ctx, spl_dft(ctx, n, n % 2), rules[r]);
            gaps += verify_node(ctx, x, TAGGED, &sides, text);
            spl_ctx_close(ctx);
        }
    assert_true(gaps > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_with_gaps_are_the_formula),
        cmocka_unit_test(gaps_are_where_they_belong),
        cmocka_unit_test(rows_in_place_share_no_sets),
        cmocka_unit_test(loops_around_statements_are_split),
        cmocka_unit_test(every_size_with_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
