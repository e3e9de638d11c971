// SPDX-License-Identifier: BSD-3-Clause
/* What scripts make of figures: the tables of scripts/dct-tables, the verdicts of
 * scripts/acceptance-family, the parts of scripts/gpu-check, a sample of scripts/acceptance-verify,
 * and the usage of all.
 * A made-up bench prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/helpers/helper_bench.h"
#include "tests/helpers/helper_python.h"

/* Prints a row for every problem and engine: a second for r2c, $OTHERS for other kinds; $PEER times
 * that for peers, twice for the baseline. */
static const char made_up_bench[] =
    "#!/bin/sh\n"
    "for word; do case $word in\n"
    "*:*:*) problems=\"$problems $word\";;\n"
    "fftw*) peers=$(echo $word | tr , ' ');;\n"
    "esac; done\n"
    "for p in $problems; do for e in sluice $peers; do\n"
    "case $p in r2c*) t=1;; *) t=$OTHERS;; esac\n"
    "case $e in sluice) ;; row-column) t=$((t * 2));; *) t=$((t * PEER));; esac\n"
    "case $p$e in *idxst*fftw*) continue;; esac\n"
    "echo '{\"problem\":\"'$p'\",\"engine\":\"'$e'\",\"median_s\":'$t'}'\n"
    "done; done\n";

static void make_bench(void)
{
    char path[128];
    bench_write_file("sluice-bench", made_up_bench);
    snprintf(path, sizeof path, "%s/sluice-bench", bench_folder);
    assert_int_equal(chmod(path, 0755), 0);
}

static void figures_are_judged(void **state)
{
    (void)state;
    need_python();
    make_bench();
    assert_int_equal(
        bench_script("OTHERS=1 PEER=7 scripts/acceptance-family %s f32 dct-planes 2>&1",
                     bench_folder),
        0);
    bench_assert_said("PASS  dct-planes: fftw: geometric mean 7.00 (at least 6.00)");
    bench_assert_said("PASS  dct-planes: naive: geometric mean 2.00 (at least 1.80)");
    bench_assert_said("PASS  dct-planes: at most 1.00 of r2c");
    bench_assert_said("PASS  dct-planes: kinds within 1.00");
    assert_int_equal(
        bench_script("OTHERS=2 PEER=5 scripts/acceptance-family %s f32 dct-planes 2>&1",
                     bench_folder),
        1);
    bench_assert_said("FAIL  dct-planes: fftw: geometric mean 5.00 (at least 6.00)");
    bench_assert_said("FAIL  dct-planes: at most 2.00 of r2c");
    assert_int_equal(
        bench_script("OTHERS=1 PEER=4 scripts/acceptance-family %s f64 dct-8x8 2>&1", bench_folder),
        0);
    bench_assert_said(
        "PASS  dct-8x8: fftw: geometric mean 4.00 (at least 4.00), minimum 4.00 dct2 8x8");
    assert_int_equal(bench_script("scripts/acceptance-family %s f32 nothing 2>&1", bench_folder),
                     1);
    bench_assert_said("there is no group nothing");
}

static void tables_are_printed(void **state)
{
    (void)state;
    need_python();
    bench_write_file(
        "dct.json",
        "{\"machine\":\"m\"}\n"
        "{\"problem\":\"dct2:f64:512x512\",\"engine\":\"sluice\",\"median_s\":1e-3}\n"
        "{\"problem\":\"dct2:f64:512x512\",\"engine\":\"row-column\",\"median_s\":2.5e-3}\n"
        "{\"problem\":\"dct2:f64:512x512\",\"engine\":\"fftw\",\"median_s\":7e-3}\n"
        "{\"problem\":\"dct2:f64:512x512\",\"engine\":\"reorder-gather\",\"median_s\":2e-4}\n"
        "{\"problem\":\"dct2:f64:512x512\",\"engine\":\"reorder-scatter\",\"median_s\":3e-4}\n"
        "{\"problem\":\"dct3*idxst:f64:512x512\",\"engine\":\"sluice\",\"median_s\":2e-3}\n"
        "{\"problem\":\"dct3*idxst:f64:512x512\",\"engine\":\"row-column\",\"median_s\":4e-3}\n"
        "{\"problem\":\"idxst*dct3:f64:512x512\",\"engine\":\"sluice\",\"median_s\":1e-3}\n"
        "{\"problem\":\"idxst*dct3:f64:512x512\",\"engine\":\"row-column\",\"median_s\":2e-3}\n"
        "{\"problem\":\"r2c:f64:512x512\",\"engine\":\"sluice\",\"median_s\":8e-4}\n"
        "{\"problem\":\"dct2:f64:16384\",\"engine\":\"sluice\",\"median_s\":5e-5}\n"
        "{\"problem\":\"dct2:f64:16384\",\"engine\":\"route-n\",\"median_s\":6e-5}\n"
        "{\"problem\":\"dct2:f64:16384\",\"engine\":\"route-4n\",\"median_s\":2e-4}\n");
    assert_int_equal(bench_script("scripts/dct-tables --from %s/dct.json '%s'", bench_folder,
                                  getenv("SLUICE_BIN_DIR")),
                     0);
    bench_assert_said("| 512x512 | 0.2 | 0.3 |\n");
    bench_assert_said("| 16384 | 200 |  |  | 60 | 50 |\n");
    bench_assert_said("| 512x512 | 1 | 2.50 | 0.80 | 7.00 |\n");
    bench_assert_said("| 512x512 | 8.5 | 4 | 2.12 |\n");
    bench_assert_said("VI and figure 6: loops of `dct2:f64:1024x1024`");
}

/* Parts of scripts/gpu-check: one fails, is done in the next run, and is not done again. */
static void parts_are_resumed(void **state)
{
    static const char *const programs[] = {"sluice", "sluice-bench"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char path[128];
        bench_write_file(programs[i], "#!/bin/sh\n"
                                      "case $1 in verify) [ -f $0.right ] || exit 1;; esac\n"
                                      "echo said $*\n");
        snprintf(path, sizeof path, "%s/%s", bench_folder, programs[i]);
        assert_int_equal(chmod(path, 0755), 0);
    }
#define GPU_CHECK "BUILD=%s scripts/gpu-check --quick --parts what,verify-f64 %s/report 2>&1"
    assert_int_equal(bench_script(GPU_CHECK, bench_folder, bench_folder), 1);
    bench_assert_said("gpu-check: what: fine");
    bench_assert_said("gpu-check: verify-f64: failed with 123");
    bench_write_file("sluice.right", "");
    assert_int_equal(bench_script(GPU_CHECK, bench_folder, bench_folder), 0);
    bench_assert_said("gpu-check: what: done before");
    bench_assert_said("gpu-check: verify-f64: fine");
    assert_int_equal(bench_script("cat %s/report/report.txt", bench_folder), 0);
    bench_assert_said("== verify-f64 (done)\nsaid verify --units opencl:0 c2c:f64:2*37");
    assert_int_equal(bench_script("BUILD=%s scripts/gpu-check --parts all %s/report 2>&1",
                                  bench_folder, bench_folder),
                     2);
    bench_assert_said("there is no part all");
}

/* Two problems of each set pass; of a command that refuses all of one kind the sets say so. */
static void sets_are_verified(void **state)
{
    (void)state;
    need_python();
#define VERIFY "UNITS=cpu:1 DRAW=2 SEED=1 scripts/acceptance-verify '%s' family 2>&1"
    assert_int_equal(bench_script(VERIFY, getenv("SLUICE_BIN_DIR")), 0);
    bench_assert_said("PASS  units    kinds, sizes 2..256             2 problems    0 failed");
    bench_assert_said("PASS  units    the whole grammar, drawn        2 problems    0 failed");
    char path[128];
    bench_write_file("sluice", "#!/bin/sh\nsed 's/^dct[^ ]*/& error=1/; t; s/$/ PASS/'\n");
    snprintf(path, sizeof path, "%s/sluice", bench_folder);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(bench_script("UNITS=cpu:1 DRAW=60 SEED=1 scripts/acceptance-verify '%s' "
                                  "family 2>&1",
                                  bench_folder),
                     1);
    bench_assert_said("FAIL  units    kinds, sizes 2..256            60 problems");
    bench_assert_said(" error=1\n");
}

/* Each says how it is called, whatever it needs otherwise, and does nothing else. */
static void all_scripts_answer_help(void **state)
{
    (void)state;
    need_python();
    const int rc = bench_script("for s in scripts/*; do "
                                "said=$($s --help </dev/null 2>/dev/null) || echo \"$s: fails\"; "
                                "case $said in *\"${s#scripts/}\"*) ;; *) echo \"$s: no usage\" ;; "
                                "esac; done >'%s/help'; ! grep . '%s/help'",
                                bench_folder, bench_folder);
    assert_int_equal(rc, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_judged),      cmocka_unit_test(tables_are_printed),
        cmocka_unit_test(parts_are_resumed),       cmocka_unit_test(sets_are_verified),
        cmocka_unit_test(all_scripts_answer_help),
    };
    if (!getenv("SLUICE_BIN_DIR"))
        return 77;
    return cmocka_run_group_tests(tests, bench_make_folder, bench_remove_folder);
}
