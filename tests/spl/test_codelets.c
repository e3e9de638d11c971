// SPDX-License-Identifier: BSD-3-Clause
/* Every codelet that this processor can run, in both directions, dense and spread, in and out of
 * place, from the first column and from a later one; and what the tables say of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/cpu.h"
#include "spl/bind/bind_target.h"
#include "spl/formula/transforms.h"
#include "tests/helpers/helper_codelet_inside.h"
#include "tests/helpers/helper_plan.h"

enum { STEP = PLAN_SANITIZED ? 3 : 1 }; /* of 8 variants; sanitizers leave codelets as they are */

static void run_trial(trial *t)
{
    trial_open(t);
    trial_run(t);
    const bool good = trial_check(t);
    trial_close(t);
    if (!good)
        fail_msg("%s", t->message);
}

/* M takes columns that do not fill a vector, but with non-temporal stores. */
static void try_rest(const spl_codelet *codelet, uint64_t seed)
{
    for (int rest = 1; rest < codelet->key.lanes; rest++) {
        trial t = {.codelet = codelet,
                   .seed = seed,
                   .spread = rest % 2,
                   .columns = codelet->key.lanes * (1 + rest % 3) + rest,
                   .outers = 1,
                   .first = rest % 2 * codelet->key.lanes,
                   .inverse = rest % 2 && codelet->key.kind == SPL_DFT,
                   .in_place = rest % 3 == 0 && codelet->key.in == codelet->key.out};
        run_trial(&t);
    }
}

static void try_codelet(const spl_codelet *codelet, uint64_t seed, int variant)
{
    const spl_key *k = &codelet->key;
    trial t = {.codelet = codelet, .seed = seed};
    t.inverse = variant & 1 && k->kind == SPL_DFT;
    t.spread = variant & 2;
    t.in_place = variant & 4;
    if (t.in_place
        && (k->in != k->out || k->position == SPL_POS_A || k->position == SPL_POS_R
            || trial_rows(k, true) != trial_rows(k, false)))
        return;
    t.columns = k->lanes * (variant & 2 ? 1 : 2);
    t.outers = variant & 2 ? 1 : TRIAL_OUTER;
    t.first = trial_has_outer(k) ? 2 * (variant & 1) : k->lanes * (variant & 1);
    run_trial(&t);
}

static void test_table(const spl_codelet *table)
{
    uint64_t seed = 1000;

    for (const spl_codelet *c = table; c->name; c++) {
        for (int variant = 0; variant < 8; variant += STEP)
            try_codelet(c, seed++, variant);
        if (c->key.position == SPL_POS_M && !c->key.nt)
            try_rest(c, seed++);
    }
}

static void test_isa(core_isa isa)
{
    if (isa > trial_best_isa() || trial_tables[isa][0] == NULL)
        skip();
    for (int precision = 0; precision < 2; precision++)
        test_table(trial_tables[isa][precision]);
}

static void test_scalar(void **state)
{
    (void)state;
    test_isa(CORE_ISA_SCALAR);
}

static void test_vec128(void **state)
{
    (void)state;
    test_isa(CORE_ISA_VEC128);
}

static void test_avx2(void **state)
{
    (void)state;
    test_isa(CORE_ISA_AVX2);
}

static void test_avx512(void **state)
{
    (void)state;
    test_isa(CORE_ISA_AVX512);
}

#if SLUICE_HAVE_AVX2
static const spl_codelet *const short_tables[2] = {spl_codelets_fma128_f32,
                                                   spl_codelets_fma128_f64};

static void test_short_vectors(void **state)
{
    (void)state;
    if (trial_best_isa() < CORE_ISA_AVX2)
        skip();
    for (int precision = 0; precision < 2; precision++)
        test_table(short_tables[precision]);
}

#endif

static const spl_codelet *find(const spl_codelet *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0)
        table++;
    return table->name ? table : NULL;
}

static void test_names_and_keys_are_unique(void **state)
{
    (void)state;
    for (int isa = 0; isa < CORE_ISA_COUNT; isa++) {
        for (int p = 0; p < 2; p++) {
            for (const spl_codelet *c = trial_tables[isa][p]; c && c->name; c++) {
                assert_int_equal(c->key.isa, isa);
                assert_int_equal(c->key.precision, p);
                assert_true(c->cycles > 0 && c->loads > 0 && c->stores > 0);
                assert_ptr_equal(find(trial_tables[isa][p], c->name), c);
            }
        }
    }
}

#if SLUICE_HAVE_AVX512
/* DFT_8 has 52 real additions and 4 multiplications, 26 vector operations with fused ones;
 * DFT_16 144 additions, 72; three rotations in 8, nine in 16. Odd primes: gen_toeplitz.c. */
static void test_operation_counts(void **state)
{
    static const struct {
        const char *name;
        int arithmetic, shuffles, loads, stores;
    } expected[] = {
        {"dft8_avx512_f32_C_inter_inter_none_8", 26, 3, 8, 8},
        {"dft16_avx512_f32_C_inter_inter_none_8", 72, 9, 16, 16},
        {"dft16_avx512_f32_C_split_split_none_16", 144, 0, 32, 32},
        {"dft5_avx512_f32_C_split_split_none_16", 32, 0, 10, 10},
        /* sums and differences 28, X[0] 7, halves of the cosines 14 + 49 + 42 + 14, blocks of the
         * sines 7 + 3 * 42 + 14, outputs 28 */
        {"dft29_avx512_f32_C_inter_inter_none_8", 329, 14, 29, 29},
        /* 30 and 5, thirds of the cosines 25 + 25 + 3 * 20 + 30, of the sines, which have no x[0],
         * 5 less, and 30 */
        {"dft31_avx512_f32_C_inter_inter_none_8", 340, 15, 31, 31},
        /* W 8 x 8: two DFT_8, seven twiddles, 24 shuffles of a transpose; a load and a shuffle more
         * for each vector of a split side */
        {"dft64_avx512_f32_W_inter_inter_none_1", 66, 37, 22, 8},
        {"dft64_avx512_f32_W_split_inter_none_1", 66, 45, 30, 8},
        {"dft64_avx512_f32_W_inter_split_none_1", 66, 45, 22, 16},
        {"dft64_avx512_f32_W_split_split_none_1", 66, 53, 30, 16},
        /* S is the expression on vectors of one point */
        {"dft12_avx512_f64_S_inter_inter_none_1", 48, 7, 12, 12},
        {"dft12_avx512_f32_S_inter_inter_none_1", 48, 7, 12, 12},
        /* of reals 8 x 8 as well: to that, for each of four pairs, seven operations and, of which
         * two reverse, three shuffles; 8 x 4 in halves, which count as half a vector */
        {"rdft64_avx512_f32_W_real_inter_none_1", 42, 24, 15, 5},
        {"irdft64_avx512_f32_W_inter_real_none_1", 40, 24, 15, 4},
        {"rdft128_avx512_f32_W_real_inter_none_1", 91, 49, 30, 9},
        {"irdft128_avx512_f32_W_inter_real_none_1", 91, 51, 31, 8},
        /* two reversals and the swap of a complex product */
        {"rdftpair2_avx512_f32_M_inter_inter_vector_8", 6, 3, 4, 2},
        {"irdftpair2_avx512_f64_M_inter_inter_vector_4", 6, 3, 4, 2},
        /* the swap of a difference serves both products */
        {"dct2pair2_avx512_f32_B_inter_inter_broadcast_8", 6, 1, 2, 2},
        {"dct3pair2_avx512_f32_B_inter_inter_broadcast_8", 6, 1, 2, 2},
        {"dhtpair2_avx512_f32_B_inter_inter_none_8", 5, 1, 2, 2},
        /* four sums, two products, four sums, a multiplication by w_8 in three; vectors taken
         * apart, or joined, are four permutations, reversed ones two */
        {"rdct2pair2_avx512_f32_M_inter_mirror_vector_16", 19, 6, 8, 4},
        {"rdct3pair2_avx512_f32_M_mirror_inter_vector_16", 19, 6, 8, 4},
        {"rdhtpair2_avx512_f32_M_inter_mirror_vector_16", 16, 6, 6, 4},
        {"rdftpair2_avx512_f64_M_inter_mirror_vector_8", 12, 6, 6, 4},
        {"dct4inpair2_avx512_f32_M_inter_inter_vector_16", 8, 8, 8, 4},
        /* a sign that the inverse changes, and one permutation a stored vector */
        {"dft1_avx512_f32_M_inter_mirror_none_16", 1, 2, 2, 2},
        {"dft1_avx512_f64_M_mirror_inter_none_8", 1, 2, 2, 2},
        /* twice a DCT-II of 34 and a transpose of 24 */
        {"dct2_8_avx512_f32_P_real_real_none_1", 68, 48, 8, 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const spl_codelet *c = find(strstr(expected[i].name, "f64") ? spl_codelets_avx512_f64
                                                                    : spl_codelets_avx512_f32,
                                    expected[i].name);
        assert_non_null(c);
        assert_int_equal(c->adds + c->muls + c->fmas, expected[i].arithmetic);
        assert_int_equal(c->shuffles, expected[i].shuffles);
        assert_int_equal(c->loads, expected[i].loads);
        assert_int_equal(c->stores, expected[i].stores);
    }
}

/* From a load (7 cycles) to the next one of what was stored (3): of four points a difference (3), a
 * swap (1) and an fma (4). W of six points in vectors of four loads what two stores wrote, S does
 * not. */
static void test_chains(void **state)
{
    static const char w6[] = "dft6_avx512_f32_W_inter_inter_none_1";
    static const char s6[] = "dft6_avx512_f32_S_inter_inter_none_1";
    static const spl_codelet *const f32 = spl_codelets_avx512_f32;
    const spl_codelet *s4 = find(f32, "dft4_avx512_f32_S_inter_inter_none_1");
    (void)state;
    assert_true(s4 && s4->chain == 7 + 3 + 1 + 4 + 3);
    assert_true(find(f32, w6) && find(f32, s6) && find(f32, w6)->chain > 2 * find(f32, s6)->chain);
    assert_true(find(f32, "dft64_avx512_f32_W_inter_inter_none_1")->chain == 0);
}

/* Position W serves every pair of formats at powers of two. */
static void test_wide_formats(void **state)
{
    static const char *const format[] = {"inter", "split"};
    (void)state;
    for (int isa = CORE_ISA_VEC128; isa < CORE_ISA_COUNT; isa++)
        for (int variant = 0; variant < 8; variant++)
            for (int n = 4; n <= (isa == CORE_ISA_VEC128 ? 64 : 128); n *= 2) {
                char name[64];
                snprintf(name, sizeof name, "dft%d_%s_%s_W_%s_%s_none_1", n,
                         core_isa_name((core_isa)isa), variant & 1 ? "f64" : "f32",
                         format[variant >> 1 & 1], format[variant >> 2]);
                if (!find(trial_tables[isa][variant & 1], name))
                    fail_msg("there is no %s", name);
            }
}

#endif

static void test_checker_objects(void **state)
{
    static const char *const names[] = {"dft8_scalar_f32_C_inter_inter_none_1",
                                        "rdct2pair2_scalar_f32_M_inter_mirror_vector_1"};
    (void)state;
    for (int fault = 0; fault < 4; fault++) {
        trial t = {.codelet = find(spl_codelets_scalar_f32, names[fault / 2]),
                   .seed = 7,
                   .columns = 4,
                   .outers = 1,
                   .spread = true};
        assert_non_null(t.codelet);
        const int row = fault < 2 ? 3 : 1;
        trial_open(&t);
        trial_run(&t);
        if (fault % 2 == 0)
            t.out_re[trial_address(&t.out, 0, row, 1)] += 1e-4;
        else
            t.out_re[trial_address(&t.out, 0, row, fault < 2 ? 3 : 0) + 2] = 0; /* beyond a row */
        assert_false(trial_check(&t));
        assert_non_null(strstr(t.message, fault % 2 == 0 ? "wrong result" : "wrote where"));
        assert_non_null(strstr(t.message, "seed 7"));
        trial_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalar),
        cmocka_unit_test(test_vec128),
        cmocka_unit_test(test_avx2),
#if SLUICE_HAVE_AVX2
        cmocka_unit_test(test_short_vectors),
#endif
        cmocka_unit_test(test_avx512),
        cmocka_unit_test(test_names_and_keys_are_unique),
#if SLUICE_HAVE_AVX512
        cmocka_unit_test(test_operation_counts),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_wide_formats),
#endif
        cmocka_unit_test(test_checker_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
