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
        {{32 * KIB, 0, 512 * KIB, false}, 2 * MIB},
        {{32 * KIB, 8 * MIB, 512 * KIB, false}, 2 * MIB},
        {{32 * KIB, 32 * MIB, 512 * KIB, false}, 4 * MIB},
        {{32 * KIB, 32 * MIB, 128 * KIB, false}, 4 * MIB},
        {{48 * KIB, 480 * MIB, 1 * MIB, false}, 4 * MIB},
        {{48 * KIB, 480 * MIB, 2 * MIB, false}, 8 * MIB},
        {{32 * KIB, 32 * MIB, 64 * KIB, false}, 4 * MIB},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_hold_what_they_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
