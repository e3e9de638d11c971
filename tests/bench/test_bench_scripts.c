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
                                      "echo said $*\n"
                                      "case $1 in verify) [ -f $0.right ] || exit 1\n"
                                      "sed 's/$/ PASS/';; esac\n");
        snprintf(path, sizeof path, "%s/%s", bench_folder, programs[i]);
        assert_int_equal(chmod(path, 0755), 0);
    }
#define GPU_CHECK "BUILD=%s scripts/gpu-check --quick --parts what,verify-f64 %s/report 2>&1"
    assert_int_equal(bench_script(GPU_CHECK, bench_folder, bench_folder), 1);
    bench_assert_said("gpu-check: what: fine");
    bench_assert_said("gpu-check: verify-f64: failed with 1 after");
    bench_write_file("sluice.right", "");
    assert_int_equal(bench_script(GPU_CHECK, bench_folder, bench_folder), 0);
    bench_assert_said("gpu-check: what: done before");
    bench_assert_said("gpu-check: verify-f64: fine");
    assert_int_equal(bench_script("cat %s/report/report.txt", bench_folder), 0);
    bench_assert_said("== verify-f64 (done)\nsaid verify --units opencl:0 -\nc2c:f64:2*37 PASS");
    bench_assert_said(" of 58 are right by opencl:0\n");
    assert_int_equal(bench_script("BUILD=%s scripts/gpu-check --parts all %s/report 2>&1",
                                  bench_folder, bench_folder),
                     2);
    bench_assert_said("there is no part all");
}

/* Fields of ncu's table in quotes, numbers with commas, a row of units; the launches that a plan
 * has are those that are counted. */
static void counters_are_summed_up(void **state)
{
    static const char *const programs[] = {"sluice", "sluice-bench", "ncu"};
    static const char *const texts[] = {
        "#!/bin/sh\necho 'backend opencl: a device, form gpu, 2 kernels, 3 launches, 1 KiB'\n",
        "#!/bin/sh\n",
        "#!/bin/sh\n"
        "echo \"$*\" >>$0.said; echo '==PROF== Connected'\n"
        "echo '\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"gpu__time_duration.sum\"'\n"
        "echo '\"\",\"\",\"byte\",\"ns\"'\n"
        "echo '\"0\",\"dft16(float2 *, int)\",\"1,048,576\",\"2,500.5\"'\nexit 1\n"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char path[128];
        bench_write_file(programs[i], texts[i]);
        snprintf(path, sizeof path, "%s/%s", bench_folder, programs[i]);
        assert_int_equal(chmod(path, 0755), 0);
    }
    assert_int_equal(bench_script("PATH=%s:$PATH BUILD=%s scripts/gpu-check --quick --parts "
                                  "counters %s/counted 2>&1",
                                  bench_folder, bench_folder, bench_folder),
                     0);
    bench_assert_said("gpu-check: counters: fine");
    assert_int_equal(
        bench_script("cat %s/counted/counters.csv %s/ncu.said", bench_folder, bench_folder), 0);
    bench_assert_said("problem,kernel,gpu__time_duration.sum,dram__bytes_read.sum,");
    bench_assert_said("c2c:f32:16*1048576,dft16,2500.5,1048576,,,,,,,\n");
    bench_assert_said(" --launch-skip 3 --launch-count 3 --kill yes ");
    assert_int_equal(bench_script("cat %s/counted/summary.txt", bench_folder), 0);
    bench_assert_said("  dft16                         2.50      1.05      0.00     419 ");
}

/* Ratios to the peers, their means by group, dct2 over r2c. */
static void figures_are_summed_up(void **state)
{
#define FIGURE(problem, engine, seconds)                                                           \
    "{\"problem\":\"" problem "\",\"engine\":\"" engine                                            \
    "\",\"data\":\"device\",\"median_s\":" seconds ",\"bound_share\":0.5}\n"
    (void)state;
    assert_int_equal(bench_script("mkdir -p %s/summed/figures", bench_folder), 0);
    bench_write_file("summed/figures/1.json", FIGURE("c2c:f32:16*4", "sluice", "1e-06")
                                                  FIGURE("c2c:f32:16*4", "cufft", "2e-06"));
    bench_write_file("summed/figures/2.json", FIGURE("c2c:f32:64*4", "sluice", "1e-06")
                                                  FIGURE("c2c:f32:64*4", "cufft", "8e-06")
                                                      FIGURE("c2c:f32:64*4", "vkfft", "3e-06"));
    bench_write_file("summed/figures/3.json", FIGURE("r2c:f32:8x8", "sluice", "2e-06")
                                                  FIGURE("dct2:f32:8x8", "sluice", "3e-06"));
    assert_int_equal(bench_script("scripts/gpu-summary %s/summed", bench_folder), 0);
    bench_assert_said(
        "c2c:f32:64*4               device        1.00   0.50        8.00        3.00");
    bench_assert_said("c2c f32 batches        cufft        4.00   2.00  2\n");
    bench_assert_said("c2c f32 batches        vkfft        3.00   3.00  1\n");
    bench_assert_said("dct2:f32:8x8                1.50\n");
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
        cmocka_unit_test(parts_are_resumed),       cmocka_unit_test(counters_are_summed_up),
        cmocka_unit_test(figures_are_summed_up),   cmocka_unit_test(sets_are_verified),
        cmocka_unit_test(all_scripts_answer_help),
    };
    if (!getenv("SLUICE_BIN_DIR"))
        return 77;
    return cmocka_run_group_tests(tests, bench_make_folder, bench_remove_folder);
}
