// SPDX-License-Identifier: BSD-3-Clause
/* Every codelet of every table is found by its key, on each target that has the table: indexes of
 * tables have room for so many codelets, and there are enough of them (spl/bind/bind_target.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backends/isa_target.h"

static void check_table(const bind_target *target, int isa, int precision, const char *plans)
{
    const spl_codelet *const table = target->vectors[isa].codelets[precision];

    for (const spl_codelet *c = table; c && c->name; c++) {
        const spl_codelet *const found = bind_codelet_find(target, &c->key);
        if (found != c)
            fail_msg("%s of %s: by its key one finds %s", c->name, plans,
                     found ? found->name : "nothing");
    }
}

static void check_target(const bind_target *target, const char *plans)
{
    for (int isa = 0; isa < CORE_ISA_COUNT; isa++)
        for (int precision = 0; precision < 2; precision++)
            check_table(target, isa, precision, plans);
}

static void codelets_are_found_by_their_keys(void **state)
{
    const isa_caches caches = {.local_store = 1 << 18, .l1 = 1 << 15};
    int targets = 0;
    (void)state;

    for (int isa = 0; isa < CORE_ISA_COUNT; isa++) {
        bind_target own = {0}, alike;
        if (!isa_target_has((core_isa)isa))
            continue;
        isa_target_describe(&own, (core_isa)isa, &caches);
        isa_target_describe_alike(&alike, &own);
        alike.reproducible = false; /* which leaves some alone: here all are looked for */
        check_target(&own, "plans");
        check_target(&alike, "reproducible plans");
        targets++;
    }
    assert_true(targets > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codelets_are_found_by_their_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
