// SPDX-License-Identifier: BSD-3-Clause
/* `sluice emit --target counts`: bank conflicts, lines, bytes in flight and occupancy of kernels
 * whose figures are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spl/price/occupancy.h"
#include "tests/helpers/helper_bench.h"

#define EMIT "\"$SLUICE_BIN_DIR\"/sluice emit --target counts "

static void assert_counts(const char *arguments)
{
    if (bench_script(EMIT "%s 2>&1", arguments) != 0)
        fail_msg("%s", bench_output);
}

/* Two stages of 16 x 16 points in local memory without gaps: 16 items a group, half a warp, write
 * rows 16 elements apart: all in one bank of 16 that hold 8 bytes. They read neighbours. */
static void conflicts_are_counted(void **state)
{
    (void)state;
    assert_counts("-f '(I(64) (x) ((DFT(16)_{leaf} (x) I(16)) * (L(256,16) * T(16,16)) * "
                  "(DFT(16)_{leaf} (x) I(16))))_{spe(64,1)}'");
    bench_assert_said("\"groups\":64,\"items\":16,\"launches\":1,\"local_bytes\":2048,");
    bench_assert_said("\"store\":{\"elements\":16384,\"accesses\":1024,\"wavefronts\":16384,"
                      "\"least\":1024,\"exact\":true}");
    bench_assert_said("\"load\":{\"elements\":16384,\"accesses\":1024,\"wavefronts\":1024,"
                      "\"least\":1024,\"exact\":true}");
    bench_assert_said("\"load\":{\"elements\":16384,\"accesses\":1024,\"sectors\":4096,"
                      "\"lines\":1024,\"exact\":true}");
}

/* An item with a row of its own: every access of a warp touches as many sectors as it has items. */
static void scattered_rows_are_counted(void **state)
{
    (void)state;
    assert_counts("-f '(I(4096) (x) DFT(16)_{leaf})_{spe(64,1)}'");
    bench_assert_said("\"groups\":64,\"items\":64,");
    bench_assert_said("\"flight_bytes\":8192,");
    bench_assert_said("\"load\":{\"elements\":65536,\"accesses\":2048,\"sectors\":65536,"
                      "\"lines\":65536,\"exact\":true}");
}

/* What is planned for a GPU moves whole sectors; in local memory an access of 1024 points as 8*8*16
 * meets banks twice, which costs less on a GPU than 32*32, which does not (docs/log/gpu.md). */
static void planned_kernels_have_few_conflicts(void **state)
{
    static const char *const problems[] = {"c2c:f32:256*1024", "c2c:f32:1024*256",
                                           "c2c:f64:512*128", "c2c:f32:4096*64"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "--units ref:gpu %s", problems[i]);
        assert_counts(arguments);
        assert_non_null(strstr(bench_output, "wavefronts"));
        const double bytes = strstr(problems[i], "f64") ? 16 : 8;
        for (const char *at = bench_output; (at = strstr(at, "{\"elements\":")) != NULL; at++) {
            const bool local = strcspn(at, "w") < strcspn(at, "}");
            const bool table = strncmp(at - 8, "\"table\":", 8) == 0;
            if (local)
                assert_true(bench_number(at, "wavefronts") <= 2 * bench_number(at, "least"));
            else if (!table)
                assert_true(bench_number(at, "sectors") * 32
                            == bench_number(at, "elements") * bytes);
        }
    }
}

/* Registers of all items of a group are there: as many as a unit has, or compilers would spill. */
static void groups_have_their_registers(void **state)
{
    static const char *const problems[] = {"c2c:f64:5120*4", "c2c:f64:4680*4", "c2c:f64:2320*4",
                                           "c2c:f64:1856*6", "r2c:f64:4640*4"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "--units ref:gpu %s", problems[i]);
        assert_counts(arguments);
        assert_non_null(strstr(bench_output, "\"groups_of_unit\":"));
        if (strstr(bench_output, "\"groups_of_unit\":0"))
            fail_msg("%s: no group fits a unit\n%s", problems[i], bench_output);
    }
}

/* Pairs of rows begin at row 1, so that half of a warp crosses a gap. */
static void planned_reals_have_few_conflicts(void **state)
{
    static const char *const problems[] = {"r2c:f32:1024*64",  "c2r:f32:1024*64",
                                           "dct2:f32:1024*64", "dct3:f32:256*256",
                                           "dct4:f32:1024*64", "dht:f64:512*64"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "--units ref:gpu %s", problems[i]);
        assert_counts(arguments);
        assert_non_null(strstr(bench_output, "PAIR"));
        for (const char *at = bench_output; (at = strstr(at, "\"computes\":")) != NULL; at++) {
            const size_t line = strcspn(at, "\n");
            if (strncmp(at + 12, "EDGE", 4) == 0 || strncmp(at + 12, "SELF", 4) == 0)
                continue;
            for (const char *w = at; (w = strstr(w, "\"wavefronts\"")) && w < at + line; w++)
                assert_true(bench_number(w, "wavefronts") <= 2 * bench_number(w, "least"));
        }
    }
}

/* Groups of a unit by registers and by local memory, and together. */
static void occupancy_follows_the_equations(void **state)
{
    static const struct {
        int64_t items, registers, local_bytes, by_registers, by_local, groups;
    } known[] = {{16, 60, 2048, 32, 76, 32},
                 {128, 52, 17400, 9, 12, 9},
                 {128, 85, 33784, 5, 6, 5},
                 {256, 52, 34808, 4, 6, 4},
                 {64, 181, 33304, 5, 6, 5}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const price_occupancy o =
            price_occupy(&price_gpus[0], known[i].items, known[i].registers, known[i].local_bytes);
        assert_int_equal(o.by_registers, known[i].by_registers);
        assert_int_equal(o.by_local, known[i].by_local);
        assert_int_equal(o.groups, known[i].groups);
    }
    assert_int_equal(price_registers(32, false, true), 93);
    assert_int_equal(price_registers(32, false, false), 84);
    assert_int_equal(price_registers(32, true, true), 181);
    assert_int_equal(price_registers(32, true, false), 157);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conflicts_are_counted),
        cmocka_unit_test(scattered_rows_are_counted),
        cmocka_unit_test(planned_kernels_have_few_conflicts),
        cmocka_unit_test(groups_have_their_registers),
        cmocka_unit_test(planned_reals_have_few_conflicts),
        cmocka_unit_test(occupancy_follows_the_equations),
    };
    if (!getenv("SLUICE_BIN_DIR"))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
