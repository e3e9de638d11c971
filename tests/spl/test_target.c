// SPDX-License-Identifier: BSD-3-Clause
/* What binding takes to be outside the caches, by what a unit has of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/isa_target.h"

enum { KIB = 1024, MIB = 1024 * KIB };

/* Four local stores, or an eighth of L3, of which 32 MiB count; for several units a fifth. */
static void caches_hold_what_they_share(void **state)
{
    static const struct {
        isa_caches caches;
        size_t held;
    } cases[] = {
        {{32 * KIB, 0, 512 * KIB, 0, false}, 2 * MIB},
        {{32 * KIB, 8 * MIB, 512 * KIB, 0, false}, 2 * MIB},
        {{32 * KIB, 32 * MIB, 512 * KIB, 0, false}, 4 * MIB},
        {{32 * KIB, 32 * MIB, 128 * KIB, 0, false}, 4 * MIB},
        {{48 * KIB, 480 * MIB, 1 * MIB, 0, false}, 4 * MIB},
        {{48 * KIB, 480 * MIB, 2 * MIB, 0, false}, 8 * MIB},
        {{32 * KIB, 32 * MIB, 64 * KIB, 0, false}, 4 * MIB},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bind_target target = {0};
        isa_target_describe(&target, CORE_ISA_SCALAR, &cases[i].caches);
        assert_int_equal(target.memory.l1, cases[i].caches.l1);
        assert_int_equal(target.memory.local_store, cases[i].caches.local_store);
        assert_false(target.memory.nt_cached);
        assert_int_equal(target.memory.nt_written, cases[i].held);
        assert_int_equal(target.memory.prefetch, cases[i].held);
        assert_int_equal(target.memory.nt_several,
                         (cases[i].caches.l3 < 32 * MIB ? cases[i].caches.l3 : 32 * MIB) / 5);
        /* of what is read again the caches hold no less than of what is not */
        assert_true(target.memory.nt_in_place >= target.memory.nt_written);
        assert_true(target.memory.nt_reused >= target.memory.nt_in_place);
    }
}

/* Of 24 sums, 8 products, 4 shuffles, 2 loads and 4 stores, as in a codelet's table: 18 cycles
 * where vectors are computed whole. In halves 4 pipes take 36 operations and 4 stores twice; rows
 * side by side store halves, of which two are extracted. */
static void vectors_in_halves_are_counted_twice(void **state)
{
    static const isa_caches whole = {.l1 = 32 * KIB, .local_store = 512 * KIB};
    isa_caches halves = whole;
    bind_target target = {0};
    spl_codelet c = {.key = {.n = 4, .lanes = 4, .precision = SLUICE_F64, .isa = CORE_ISA_AVX512},
                     .adds = 24,
                     .muls = 8,
                     .shuffles = 4,
                     .loads = 2,
                     .stores = 4,
                     .cycles = 18};
    (void)state;
    c.key.in = c.key.out = SPL_INTER;
    c.key.position = SPL_POS_D;
    isa_target_describe(&target, CORE_ISA_AVX512, &whole);
    assert_true(isa_target_counted(&target, &c) == 18);
    halves.data_path = 32;
    isa_target_describe(&target, CORE_ISA_AVX512, &halves);
    target.vectors[CORE_ISA_AVX512].bytes = 64;         /* built or not */
    assert_true(isa_target_counted(&target, &c) == 24); /* sums alone: two pipes */
    c.adds = 16;
    assert_true(isa_target_counted(&target, &c) == (2 * (16 + 8 + 4) + 2 * 4) / 4.0);
    c.key.position = SPL_POS_T;
    assert_true(isa_target_counted(&target, &c) == 16); /* sums again, of 15.5 in all */
    c.adds = 8;
    assert_true(isa_target_counted(&target, &c) == (2 * (8 + 8 + 4) + 4 + 2) / 4.0);
    c.key.position = SPL_POS_W; /* other bits: not by the unit */
    assert_true(isa_target_counted(&target, &c) == 18);
}

/* In the price of programs C of them, too; what the search orders stages by stays that of the
 * table. A single transform that stores 16 bytes at a time has vectors that no path divides. */
static void steps_are_counted_by_the_data_path(void **state)
{
    static const isa_caches caches = {.l1 = 32 * KIB, .local_store = 512 * KIB, .data_path = 32};
    bind_target target = {0};
    spl_codelet c = {.key = {.n = 4, .lanes = 4, .precision = SLUICE_F64, .isa = CORE_ISA_AVX512},
                     .adds = 16,
                     .muls = 8,
                     .shuffles = 4,
                     .loads = 4,
                     .stores = 4,
                     .cycles = 14};
    (void)state;
    c.key.in = c.key.out = SPL_INTER;
    c.key.position = SPL_POS_C;
    isa_target_describe(&target, CORE_ISA_AVX512, &caches);
    target.vectors[CORE_ISA_AVX512].bytes = 64; /* built or not */
    const double search = isa_target_cycles(&c);
    assert_true(isa_target_step_cycles(&target, &c) == (2 * (16 + 8 + 4) + 2 * 4) / 4.0);
    c.key.position = SPL_POS_W;
    assert_true(isa_target_step_cycles(&target, &c) < (16 + 8 + 4 + 4) / 4.0 * 1.2);
    target.data_path = 0;
    assert_true(isa_target_step_cycles(&target, &c) == search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_hold_what_they_share),
        cmocka_unit_test(vectors_in_halves_are_counted_twice),
        cmocka_unit_test(steps_are_counted_by_the_data_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
