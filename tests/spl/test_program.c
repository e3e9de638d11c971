// SPDX-License-Identifier: BSD-3-Clause
/* Programs: what the reference computes is what the formula says, for every breakdown, tag list,
 * side and number of threads; and every program passes its checker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends/ref/ref_run.h"
#include "core/mem.h"
#include "spl/program/program.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"
#include "tests/helpers/helper_program.h"

typedef enum form {
    SIGMA = 0,
    TAGGED,
    TAGGED_DROP
} form; /* what a text is; copies kept, dropped */

static const prog_sides packed;

/* DFT_64 and DFT_24 of leaves, the first stage rightmost. */
#define F64 "((DFT(8)_{leaf} (x) I(8)) * T(8,8) * (I(8) (x) DFT(8)_{leaf}) * L(64,8))"
#define F24 "((DFT(4)_{leaf} (x) I(6)) * T(4,6) * (I(4) (x) DFT(6)_{leaf}) * L(24,4))"
#define F4 "((DFT(2)_{leaf} (x) I(2)) * T(2,2) * (I(2) (x) DFT(2)_{leaf}) * L(4,2))"

/* Every address is linear in every loop variable. */
static void all_linear(const prog *p)
{
    for (size_t l = 0; l < p->nstmts; l++)
        for (size_t i = l + 1; p->stmt[l].op == PROG_LOOP && i < p->stmt[l].end; i++) {
            const prog_stmt *s = &p->stmt[i];
            const spl_range *r = &p->stmt[l].range;
            int64_t coef;
            if (s->op != PROG_KERN && s->op != PROG_COPY)
                continue;
            assert_true(ix_linear(s->fin, r->var, r->n, &coef));
            assert_true(ix_linear(s->fout, r->var, r->n, &coef));
            for (int w = 0; w < s->ntwiddles; w++)
                assert_true(ix_linear(s->twiddle[w].f, r->var, r->n, &coef));
        }
}

/* Lowers, checks, runs. */
static void verify_node(spl_ctx *ctx, const spl *x, form kind, const prog_sides *sides,
                        const char *text)
{
    const spl *sigma = kind == SIGMA ? x : spl_to_sigma(ctx, x);
    if (kind != SIGMA)
        sigma = spl_merge(ctx, sigma, kind == TAGGED_DROP);
    prog *p;
    sluice_diag why = {0, ""};
    if (sigma == NULL || prog_lower(&p, ctx, sigma, sides, &why) != SLUICE_OK) {
        (void)spl_ctx_status(ctx, &why);
        fail_msg("%s: %s", text, why.message);
        return;
    }
    program_check(p, text);
    all_linear(p);
    program_compare(p, x);
}

static void verify(const char *text, form kind, const prog_sides *sides)
{
    spl_ctx *ctx = spl_ctx_open();
    verify_node(ctx, program_parsed(ctx, text), kind, sides, text);
    spl_ctx_close(ctx);
}

/* ---- tests ---- */

static const char *const sigma_texts[] = {
    "I(6)",
    "DFT(5)_{leaf}",
    "IDFT(5)_{leaf}",
    "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,k0%4,4)))",
    "SUM.vec[4,inter](k0<8, S(h(4,32,k0%8,8)) * IDFT(4)_{leaf} * G(h(4,32,k0%8,8)))",
    PAR_A " * " PAR_B,
    PAR_B " * " PAR_A " * " PAR_B,
    PAR_A " * " PAR_B " * " PAR_A " * " PAR_B,
    /* a diagonal at the input side of a kernel */
    "SUM(k0<2, S(h(3,6,3*k0%2,1)) * DFT(3)_{leaf} * D(2,3,h(3,6,3*k0%2,1)) * G(h(3,6,3*k0%2,1)))",
    "SUM(k0<2, S(h(3,6,3*k0%2,1)) * D(2,3,h(3,6,3*k0%2,1))^-1 * D(3,2,h(3,6,k0%2,2)) * "
    "DFT(3)_{leaf} * G(h(3,6,k0%2,2)))",
    /* nothing but movement and twiddles */
    "SUM(k0<2, S(h(3,6,3*k0%2,1)) * D(2,3,h(3,6,3*k0%2,1)) * G(h(3,6,k0%2,2)))",
    "SUM.stream(k0<3, S.copy(h(2,6,2*k0%3,1)) * G.copy(h(2,6,k0%3,3)))",
    "SUM.stream(k0<3, S.net(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * G.net(h(2,6,k0%3,3)))",
    /* parts that share 5 columns unevenly, in packets of 2 */
    "SUM.par(k1<3, SUM(k0<5@k1/3, S(h(2,10,k0%5,5)) * DFT(2)_{leaf} * G(h(2,10,k0%5,5))))",
    "SUM.par(k1<2, SUM(k0<5@k1/2/2, S(h(2,10,2*k0%5,1)) * DFT(2)_{leaf} * G(h(2,10,k0%5,5))))",
    /* more parts than columns */
    "SUM.par(k1<4, SUM(k0<2@k1/4, S(h(3,6,k0%2,2)) * DFT(3)_{leaf} * G(h(3,6,3*k0%2,1))))",
    /* fewer rows than columns and the other way round */
    "G(h(2,6,0,3))",
    "SUM(k0<3, S(h(2,6,2*k0%3,1)) * DFT(2)_{leaf} * G(h(2,15,5*k0%3,3)))",
    "SUM(k0<2, S(h(2,4,2*k0%2,1)) * DFT(2)_{leaf} * G(h(2,8,k0%2,4))) * S(h(5,8,0,1)) * "
    "DFT(5)_{leaf} * G(h(5,7,1,1))",
    /* serial work between parallel stages */
    PAR_A " * SUM(k0<4, S(h(16,64,16*k0%4,1)) * DFT(16)_{leaf} * G(h(16,64,16*k0%4,1))) * " PAR_B,
};
enum { SIGMAS = sizeof sigma_texts / sizeof sigma_texts[0] };

static void loops_run_as_written(void **state)
{
    (void)state;
    for (int i = 0; i < SIGMAS; i++)
        verify(sigma_texts[i], SIGMA, &packed);
}

static void loops_run_in_place(void **state)
{
    (void)state;
    const prog_sides sides = {.in_place = true};
    for (int i = 0; i < SIGMAS; i++)
        verify(sigma_texts[i], SIGMA, &sides);
}

static void output_serves_as_scratch(void **state)
{
    (void)state;
    const prog_sides sides = {.out_is_scratch = true};
    for (int i = 0; i < SIGMAS; i++)
        verify(sigma_texts[i], SIGMA, &sides);
}

/* Stages that read what they write. */
static int count_in_place(const char *text)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *sigma = spl_merge(ctx, spl_to_sigma(ctx, program_parsed(ctx, text)), false);
    prog *p;
    int count = 0;
    assert_int_equal(prog_lower(&p, ctx, sigma, &packed, NULL), SLUICE_OK);
    for (size_t i = 0; i < p->nstmts; i++)
        count += p->stmt[i].op == PROG_KERN && p->stmt[i].in == p->stmt[i].out ? 1 : 0;
    spl_ctx_close(ctx);
    return count;
}

/* 462 columns leave one rest, 66 rows of 7 of them with a factor each as many. */
static void rests_of_short_loops_are_not_in_place(void **state)
{
    static const char last[] = "(DFT(11)_{leaf} (x) I(42))_{vec(4,inter)} * ",
                      before[] = "(DFT(1)_{leaf} (x) I(462))_{vec(4,inter)} * ",
                      first[] = "(I(66) (x) DFT(7)_{leaf})_{vec(4,inter)}";
    static const struct {
        const char *factors;
        int count;
    } cases[] = {{"(D.const(2) (x) I(462)) * ", 1},
                 {"(D.roots(132,h(66,132,0,1)) (x) I(7)) * ", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s%s%s", last, cases[i].factors, before, first);
        if (count_in_place(text) != cases[i].count)
            fail_msg("%s: %d", text, count_in_place(text));
        verify(text, TAGGED, &packed);
    }
}

/* spl.md 3.1 */
static const char *const scenarios[] = {
    F64 "_{spe(2,4)}",                                      /* a1 */
    F64 "_{stream(1)}",                                     /* a2 */
    F64 "_{spe(2,4),stream(1)}",                            /* a3 */
    "(DFT(8)_{leaf} (x) DFT(16)_{leaf})_{stream(4)}",       /* a4 */
    "(I(4) (x) " F64 ")_{stream(4)}",                       /* b1 */
    "(I(2) (x) (I(4) (x) " F24 ")_{stream(4)})_{spe(2,4)}", /* b2 */
    "(I(4) (x) " F64 "_{spe(2,4)})_{stream(4)}",            /* b3 */
    "(I(5) (x) " F24 "_{spe(2,1)})_{stream(2)}",
    "(I(7) (x) " F24 ")_{spe(3,1)}",
    F64 "_{vec(4,inter),spe(2,4)}",
    F64 "_{vec(4,split)}",
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

/* Iterations that read other places than they write, around products, are no work in place; those
 * that read the same places in another order are. */
static void products_in_loops_in_place(void **state)
{
    (void)state;
    static const char *const text[] = {
        "(I(3) (x) " F4 ") * L(12,3)",
        "L(12,4) * (I(3) (x) " F4 ")",
        "(" F4 " (x) I(3)) * (I(3) (x) " F4 ")",
        "(I(2) (x) " F24 ") * (L(6,2) (x) I(8))",
    };
    const prog_sides sides[] = {{0},
                                {.in_place = true},
                                {.out_is_scratch = true},
                                {.in_place = true, .out_is_scratch = true}};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        for (int s = 0; s < 4; s++)
            verify(text[i], TAGGED, &sides[s]);
}

static void scenarios_run(void **state)
{
    (void)state;
    const prog_sides sides[] = {{0}, {.in_place = true}, {.out_is_scratch = true}};
    for (int i = 0; i < SCENARIOS; i++)
        for (int s = 0; s < 3; s++) {
            verify(scenarios[i], TAGGED, &sides[s]);
            verify(scenarios[i], TAGGED_DROP, &sides[s]);
        }
}

/* Layouts of 64 elements: pitched, reversed, transposed and reversed, padded blocks. */
static const ix *layout(spl_ctx *ctx, int which)
{
    const ix_term reversed = {IX_INDEX, 1, 64, -3};
    const ix_term transposed[] = {{IX_INDEX, 1, 8, -9}, {IX_INDEX, 8, 8, 1}};
    const ix_term padded[] = {{IX_INDEX, 1, 16, 1}, {IX_INDEX, 16, 4, 20}};
    switch (which) {
    case 0: return NULL;
    case 1: return ix_digit(ctx, 64, 64, 0, 1, &reversed);
    case 2: return ix_digit(ctx, 64, 64, 5, 2, transposed);
    default: return ix_digit(ctx, 64, 64, -7, 2, padded);
    }
}

static void strided_sides(void **state)
{
    (void)state;
    static const char *const text[] = {
        PAR_A " * " PAR_B, "SUM(k0<8, S(h(8,64,8*k0%8,1)) * DFT(8)_{leaf} * G(h(8,64,k0%8,8)))"};
    for (int t = 0; t < 2 * 64; t++) {
        spl_ctx *ctx = spl_ctx_open();
        const prog_sides sides = {.in = layout(ctx, t / 8 % 4),
                                  .out = layout(ctx, t / 32 % 4),
                                  .in_layout = t % 2 ? SLUICE_SPLIT : SLUICE_INTERLEAVED,
                                  .out_layout = t / 2 % 2 ? SLUICE_SPLIT : SLUICE_INTERLEAVED,
                                  .in_place = t / 4 % 2 && t % 2 == t / 2 % 2};
        verify_node(ctx, program_parsed(ctx, text[t / 128 % 2]), SIGMA, &sides, text[0]);
        verify_node(ctx, program_parsed(ctx, text[1]), SIGMA, &sides, text[1]);
        spl_ctx_close(ctx);
    }
}

/* ---- every size, several trees, several tags ---- */

typedef struct tree {
    const spl_rule *rule;
    int choice;   /* which of the rule's choices, as far as there are so many */
    int64_t leaf; /* transforms up to this size are leaves */
} tree;

static const spl *grow(spl_ctx *ctx, const spl *x, const void *arg)
{
    const tree *t = arg;
    spl_params choice[16];
    if (x == NULL || x->op != SPL_TRANSFORM)
        return x == NULL ? NULL : spl_map(ctx, x, grow, arg);
    const int count = x->a[0] <= t->leaf ? 0 : t->rule->choices(x, choice, 16);
    if (count == 0)
        return spl_mark_leaves(ctx, x);
    const spl_params *p = &choice[t->choice < count ? t->choice : count - 1];
    return grow(ctx, spl_rule_apply(ctx, t->rule, x, p), arg);
}

static const spl_tag tag_lists[][3] = {
    {{SPL_TAG_LEAF, {0}}},
    {{SPL_TAG_SPE, {2, 1}}, {SPL_TAG_LEAF, {0}}},
    {{SPL_TAG_SPE, {3, 1}}, {SPL_TAG_STREAM, {1}}, {SPL_TAG_LEAF, {0}}},
    {{SPL_TAG_STREAM, {2}}, {SPL_TAG_LEAF, {0}}},
    {{SPL_TAG_VEC, {2, 0}}, {SPL_TAG_SPE, {2, 2}}, {SPL_TAG_LEAF, {0}}},
    {{SPL_TAG_VEC, {4, 1}}, {SPL_TAG_TILE, {4}}, {SPL_TAG_LEAF, {0}}},
};
enum { TAG_LISTS = sizeof tag_lists / sizeof tag_lists[0] };

/* True where the tags can be had for this size. */
static bool verify_size(int64_t n, const tree *t, const spl_tag *tags, const prog_sides *sides)
{
    spl_ctx *ctx = spl_ctx_open();
    int count = 0;
    while (tags[count].kind != SPL_TAG_LEAF)
        count++;
    const spl *x = grow(ctx, spl_dft(ctx, n, n % 5 == 0), t);
    const spl *tagged = spl_tagged(ctx, x, count, tags);
    const bool can = spl_merge(ctx, spl_to_sigma(ctx, tagged), false) != NULL;
    if (can) {
        char text[32];
        (void)snprintf(text, sizeof text, "DFT(%lld)", (long long)n);
        verify_node(ctx, tagged, n % 2 ? TAGGED : TAGGED_DROP, sides, text);
    } else {
        sluice_diag why = {0, ""};
        assert_int_not_equal(spl_ctx_status(ctx, &why), SLUICE_OK);
        assert_string_not_equal(why.message, "");
    }
    spl_ctx_close(ctx);
    return can;
}

static void every_size_by_several_trees(void **state)
{
    (void)state;
    const tree trees[] = {{&spl_dft_ct, 0, 1},
                          {&spl_dft_ct, 1, 8},
                          {&spl_dft_dif, 0, 4},
                          {&spl_dft_stockham, 0, 1},
                          {&spl_dft_sixstep, 0, 4}};
    const prog_sides sides[] = {{0}, {.in_place = true}, {.out_is_scratch = true}};
    int done[TAG_LISTS] = {0};
    for (int64_t n = 1; n <= 64; n++)
        for (int t = 0; t < 5; t++)
            for (int k = 0; k < TAG_LISTS; k++)
                done[k] += verify_size(n, &trees[t], tag_lists[k], &sides[(n + t + k) % 3]);
    for (int k = 0; k < TAG_LISTS; k++)
        assert_true(done[k] > 20);
}

/* ---- failures ---- */

static sluice_status all_steps(const char *text)
{
    spl_ctx *ctx = spl_ctx_open();
    if (ctx == NULL)
        return SLUICE_E_MEMORY;
    const spl *x;
    prog *p = NULL;
    float in[128] = {0}, out[128];
    const sluice_arrays arrays = {.in = in, .out = out};
    sluice_status status = spl_parse(ctx, text, &x, NULL);
    if (status == SLUICE_OK)
        status = prog_lower(&p, ctx, x, &packed, NULL);
    if (status == SLUICE_OK)
        status = prog_check(p, 0, 8, NULL);
    if (status == SLUICE_OK)
        status = ref_run(p, SLUICE_F32, &arrays, 2);
    spl_ctx_close(ctx);
    return status;
}

static void want_of_memory_is_a_status(void **state)
{
    (void)state;
    const long before = core_mem_live();
    sluice_status status = SLUICE_E_MEMORY;
    for (long nth = 1; status != SLUICE_OK; nth++) {
        core_mem_fail_from(nth);
        status = all_steps(PAR_A " * " PAR_B);
        core_mem_fail_from(0);
        assert_int_equal(core_mem_live(), before);
        assert_true(status == SLUICE_OK || status == SLUICE_E_MEMORY);
        assert_true(nth < 1000);
    }
}

static void what_is_not_merged_is_refused(void **state)
{
    (void)state;
    static const char *const text[] = {
        "P(l(6,2))",
        "DFT(2)_{leaf} (x) I(2)",
        "D(2,3,h(6,6,0,1)) * SUM(k0<2, S(h(3,6,k0%2,2)) * DFT(3)_{leaf} * G(h(3,6,k0%2,2)))",
        "D(2,3,h(6,6,0,1))",
        "SUM.par(k1<2, SUM.par(k0<2, S(h(3,12,3*k0%2+6*k1%2,1)) * G(h(3,12,3*k0%2+6*k1%2,1))))",
        ("D(2,3,l(6,2)) * D(2,3,l(6,3)) * D(2,3,h(6,6,0,1)) * D(3,2,h(6,6,0,1)) * "
         "D.const(2,h(6,1,0,0)) * DFT(6)_{leaf}"),
    };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        sluice_diag why = {0, ""};
        prog *p;
        const spl *x = program_parsed(ctx, text[i]);
        assert_int_equal(prog_lower(&p, ctx, x, NULL, &why), SLUICE_E_UNSUPPORTED);
        assert_string_not_equal(why.message, "");
        assert_null(p);
        spl_ctx_close(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_run_as_written),
        cmocka_unit_test(loops_run_in_place),
        cmocka_unit_test(output_serves_as_scratch),
        cmocka_unit_test(rests_of_short_loops_are_not_in_place),
        cmocka_unit_test(products_in_loops_in_place),
        cmocka_unit_test(scenarios_run),
        cmocka_unit_test(strided_sides),
        cmocka_unit_test(every_size_by_several_trees),
        cmocka_unit_test(want_of_memory_is_a_status),
        cmocka_unit_test(what_is_not_merged_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
