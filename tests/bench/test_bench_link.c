// SPDX-License-Identifier: BSD-3-Clause
/* The suite `link` of sluice-bench: its records on a device with memory of its own, what it
 * refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_bench.h"

enum { SKIPPED = 77 };

static void check_records(const char *units)
{
    static const char *const ratios[] = {
        "stream, slots, over the slower way beside the other",
        "stream, ordinary memory, over the slower way beside the other",
        "a batch, over get and put alone, one after the other",
        "out of core, over two ways there and back, both at once",
        "out of core, over two ways there and back, one after another",
    };
    const int code =
        bench_run(BENCH_MERGED, "--suite link --largest 2^19 --units %s --json %s/l.json", units,
                  bench_folder);
    if (strstr(bench_output, "cannot open the machine"))
        skip();
    if (code != 0)
        print_error("%s", bench_output);
    assert_int_equal(code, 0);
    assert_int_equal(bench_occurrences(bench_output, "link, "), 4 * 4);
    assert_int_equal(bench_occurrences(bench_output, "  execution "), 2 * 4);
    bench_read_file("l.json");
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        const char *line = strstr(bench_output, ratios[i]);
        assert_non_null(line);
        assert_true(bench_number(line, "value") > 0);
    }
}

static void a_device_has_figures(void **state)
{
    (void)state;
    check_records("opencl:0:copy");
}

static void refusals_say_why(void **state)
{
    (void)state;
    assert_int_equal(bench_run(BENCH_MERGED, "--suite link --units cpu:1"), 2);
    bench_assert_said("needs --units with one OpenCL device");
    assert_int_equal(bench_run(BENCH_MERGED, "--suite cpu,link"), 2);
    bench_assert_said("measured alone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_has_figures),
        cmocka_unit_test(refusals_say_why),
    };
    if (!getenv("SLUICE_BIN_DIR")) {
        fprintf(stderr, "skipped: SLUICE_BIN_DIR does not name the build\n");
        return SKIPPED;
    }
    setenv("SLUICE_OPENCL_FORM", "gpu", 1);
    return cmocka_run_group_tests_name("bench link", tests, bench_make_folder, bench_remove_folder);
}
