// SPDX-License-Identifier: BSD-3-Clause
/* No list of radices costs less than what cost_bound.c says that any must; the lengths that are
 * tried are all products of small primes (lengths.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/machine/machine.h"
#include "sched/planner/cost_bound.h"
#include "sched/planner/lengths.h"

enum { LONGEST = 1 << 19 };

static sluice_machine *machine;

static sched_radix_model model_for(sluice_precision precision, int64_t columns, int64_t tile)
{
    return (sched_radix_model){.table = machine->table,
                               .backend = machine->backend,
                               .precision = precision,
                               .lanes = 4,
                               .shortest = 4,
                               .line_vectors = 1,
                               .columns = columns,
                               .tile = tile,
                               .uniform_points = INT64_MAX,
                               .batch = 1,
                               .largest = SCHED_MAX_RADIX,
                               .contiguous = columns == 1,
                               .twiddled = true,
                               .l1 = 32 << 10,
                               .l2 = 512 << 10};
}

/* How far the bound is below the cheapest list, on average. */
static double compare(const sched_radix_model *model, sched_cost_bound *table)
{
    double sum = 0;
    int lengths = 0;

    for (int64_t five = 1; five <= LONGEST; five *= 5)
        for (int64_t three = five; three <= LONGEST; three *= 3)
            for (int64_t n = three; n <= LONGEST; n *= 2) {
                sched_radices list;
                int found = 0;
                if (n <= SCHED_MAX_SINGLE || n % 7 > 2)
                    continue;
                assert_int_equal(sched_radices_find(model, n, &list, 1, &found, NULL), SLUICE_OK);
                const double bound = sched_cost_bound_cycles(table, model, n);
                if (found == 0)
                    continue;
                if (bound > list.cycles)
                    fail_msg("%lld points: at least %g cycles, found %g", (long long)n, bound,
                             list.cycles);
                sum += bound / list.cycles;
                lengths++;
            }
    assert_true(lengths > 50);
    return sum / lengths;
}

static void lists_cost_no_less(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++)
        for (int64_t columns = 1; columns <= 24; columns += 23)
            for (int64_t tile = 0; tile <= 32; tile += 32) {
                const sched_radix_model model = model_for(precision, columns, tile);
                sched_cost_bound *table = sched_cost_bound_open(&model, LONGEST);
                assert_non_null(table);
                const double share = compare(&model, table);
                if (share < 0.5)
                    fail_msg("the bound is %g of what lists cost, on average", share);
                sched_cost_bound_close(table);
            }
}

static void memory_may_be_missing(void **state)
{
    (void)state;
    const sched_radix_model model = model_for(SLUICE_F32, 1, 0);

    for (long nth = 1; nth <= 2; nth++) {
        core_mem_fail_from(nth);
        assert_null(sched_cost_bound_open(&model, 1000));
        core_mem_fail_from(0);
    }
}

static int open_machine(void **state)
{
    (void)state;
    return sluice_machine_open(&machine, NULL, NULL) == SLUICE_OK ? 0 : -1;
}

static int close_machine(void **state)
{
    (void)state;
    sluice_machine_close(machine);
    return 0;
}

/* Of a machine that does not say what caches it has, rows of whole pages cost what others do. */
static void caches_may_be_unknown(void **state)
{
    (void)state;
    for (int64_t n = 4096; n <= 65536; n *= 2)
        for (int64_t batch = 1; batch <= 3; batch++) {
            sched_radix_model model = model_for(SLUICE_F32, 1, 0);
            model.l1 = model.l2 = 0;
            model.batch = batch;
            sched_radices list;
            int found = 0;
            assert_int_equal(sched_radices_find(&model, n, &list, 1, &found, NULL), SLUICE_OK);
            assert_int_equal(found, 1);
            assert_true(list.cycles > 0 && list.cycles < 1e4 * (double)n);
        }
}

static bool is_smooth(int64_t n, bool sevens)
{
    static const int64_t prime[] = {2, 3, 5, 7};
    for (int i = 0; i < (sevens ? 4 : 3); i++)
        while (n % prime[i] == 0)
            n /= prime[i];
    return n == 1;
}

static void lengths_are_all_products(void **state)
{
    (void)state;
    enum { MAX = 40 };
    for (int64_t from = 0; from <= 600; from++)
        for (int sevens = 0; sevens < 2; sevens++)
            for (int64_t to = 0; to <= 3 * from; to += 1 + from / 5) {
                int64_t out[MAX + 1] = {[MAX] = -1};
                const int count = sched_smooth_lengths(from, to, sevens, MAX, out);
                int at = 0;
                for (int64_t n = from > 0 ? from : 1; n <= to && at < MAX; n++)
                    if (is_smooth(n, sevens))
                        assert_int_equal(out[at++], n);
                assert_int_equal(count, at);
                assert_int_equal(out[MAX], -1);
            }
}

/* The planner has room for 160 lengths of a convolution (bluestein.c). */
static void lengths_of_convolutions_have_room(void **state)
{
    (void)state;
    int64_t out[160];
    for (int64_t from = 4; from < INT64_C(1) << 31; from += from / 3)
        assert_in_range(sched_smooth_lengths(from, 13 * from / 10, false, 160, out), 1, 159);
    assert_in_range(sched_smooth_lengths(INT64_C(1) << 40, INT64_MAX / 4, true, 160, out), 160,
                    160);
    assert_int_equal(out[0], INT64_C(1) << 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_cost_no_less),
        cmocka_unit_test(caches_may_be_unknown),
        cmocka_unit_test(memory_may_be_missing),
        cmocka_unit_test(lengths_are_all_products),
        cmocka_unit_test(lengths_of_convolutions_have_room),
    };
    return cmocka_run_group_tests(tests, open_machine, close_machine);
}
