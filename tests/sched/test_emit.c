// SPDX-License-Identifier: BSD-3-Clause
/* sluice emit: the programs it writes compile without a warning and pass their own test; what it
 * cannot write is refused in a sentence. Programs that are called by others: test_emit_called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/helpers/helper_emit.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_scenario.h"

enum { LINE = 1024 };

/* ---------------------------------------------------------------- programs -------------- */

#define CXX_HEADER "$CXX -x c++-header -std=c++17 -Wall -Wextra -Werror"

/* Writes, compiles and runs a program. The flags of its instruction set are in its head. `before`
 * makes of them what the compiler is to be told besides, in $H. */
static void check_with(const char *arguments, const char *compiler, const char *before)
{
    char line[2 * LINE];
    snprintf(line, sizeof line,
             "$S emit -o p.c %s && F=$(sed -n 's/.* -O3 \\(.*\\)FILE .*/\\1/p' p.c) && "
             "%s && %s $H -DCHECK_ROWS=1 $F p.c -o p -lm -lpthread && ./p",
             arguments, before, compiler);
    emit_check(line, 0);
    assert_true(tool_file_contains("out", " PASS seconds="));
}

/* The headers of instructions, and those that all programs include before them, are compiled once
 * for all programs with these flags by this compiler, $I is their file. */
#define HEADERS(COMPILER)                                                                          \
    " && H=$O && if [ -n \"$F\" ]; then I=headers$(echo " COMPILER "$O$F | tr -dc a-z0-9).h && "   \
    "H=\"$O -include $I\" && if [ ! -f $I ]; then "                                                \
    "{ sed -n '/^#ifdef __[ca]/,/^#endif/d; /^#define _DEFAULT_SOURCE/p; "                         \
    "/^#include/p; /^#include <immintrin/q' p.c && "                                               \
    "echo '#undef _DEFAULT_SOURCE'; } >$I && " COMPILER " $O -DCHECK_ROWS=1 $F $I -o $I.gch; fi; " \
    "fi"

static void check_optimized(const char *arguments)
{
    check_with(arguments, EMIT_C, "O=-O1" HEADERS(EMIT_C));
}

/* Every sixth program optimized, which takes twice as long: what a program computes is the same
 * either way. `vectors` optimizes programs of every instruction set. */
static void check_quickly(const char *arguments)
{
    static int turn;
    check_with(arguments, EMIT_C,
               turn++ % 6 == 0 ? "O=-O1" HEADERS(EMIT_C) : "O=-O0" HEADERS(EMIT_C));
}

/* As C++, the first of them optimized. */
static void check_plus_plus(const char *arguments, bool optimized)
{
    check_with(arguments, EMIT_CXX,
               optimized ? "O=-O1" HEADERS(CXX_HEADER) : "O=-O0" HEADERS(CXX_HEADER));
}

static void problems(void **state)
{
    static const char *const arguments[] = {
        "c2c:f32:1",
        "c2c:f64:60*7",
        "c2c:f32:64*100:in=split:out=split",
        "c2c:f32:32:inverse:in=split:out=split",
        "c2c:f64:100*9:inverse:in=split",
        "c2c:f32:128*10:inplace",
        "c2c:f32:64@80/64*16@5120/4096",
        "c2c:f64:257*3", /* powers, a direct sum */
        ("--units cpu:2 --formula '(((DFT(4)_{leaf} (x) I(3)) * T(4,3) * (I(4) (x) DFT(3)_{leaf}) "
         "* "
         "L(12,4)) (x) I(23))_{tile(8),spe(2,8)}'"), /* tiles and a rest */
        "c2c:f32:4096:in_cyclic=64/2:out_cyclic=32/2",
        "c2c:f64:64x12:inplace:in=split:out=split:in_cyclic=4/6",
        "--units cpu:2 c2c:f32:65536",
        "--units cpu:2/helper c2c:f32:1024*64:in=split",
        "c2c:f32:64*3000:scale=n", /* lines of whole transforms */
        "r2c:f32:96x5:scale=n",
        "dct3:f64:50*3:scale=ortho",
        "r2c:f32:12x10*3:inplace",
        "c2r:f64:16x24",
        "r2c:f64:1",
        "c2r:f64:1*3",
        "r2c:f64:99", /* evaluated: EMBED, RE and the factor H */
        "c2r:f32:99*3:in=split",
        "r2c:f64:257", /* Rader inside */
        "c2r:f32:6x7:inplace",
        "--units cpu:2 c2r:f32:65536",
    };
    (void)state;
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        check_quickly(arguments[i]);
}

/* Each kind of the family, alone and beside others: sizes that are codelets, pairs at strides and
 * evaluated, extensions; both instruction sets in one file. */
static void kinds(void **state)
{
    static const char *const words[] = {"dct1", "dct2", "dct3", "dct4",  "dst1",
                                        "dst2", "dst3", "dst4", "idxst", "dht"};
    static const char *const mixed[] = {
        "dct2*r2c:f32:24x30",
        "dct3*c2r:f64:15x20:inplace",
        "c2c*dht:f32:12x10*3",
        "dct2:f32:8x8*100",
        "dct2:f64:60:scale=ortho",
        "dst3:f32:20@40/50x16@2/3",
        /* Evaluated: a scaled matrix of reals, a DFT of reals. */
        "dst2*dct1:f32:4@2/1x2@8/4:scale=n",
        "dht*idxst*dht:f64:2@60/1x4@1/5x3@4/20",
    };
    static const char *const sizes[] = {"16", "15", "64*10", "1000", "30x24", "15x9x4"};
    char line[64];
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(line, sizeof line, "%s:%s:%s", words[i], i / 2 % 2 ? "f32" : "f64",
                 sizes[i % (sizeof sizes / sizeof *sizes)]);
        check_quickly(line);
    }
    check_quickly("idxst:f32:16");
    check_quickly("dst2:f64:15");
    check_quickly("--simd scalar dst3:f32:20x8"); /* a table that no loop moves */
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++)
        check_quickly(mixed[i]);
}

static void formulas(void **state)
{
    static const char *const arguments[] = {
        "--formula 'I(4) (x) DFT(8)'",
        "--formula 'DFT(4096)_{spe(3,4)}' --precision f64",
        "--formula 'DFT(4096)_{spe(2,4),stream(2)}'",
        "--formula '(I(64) (x) DFT(64))_{stream(8)}' --precision f64",
        "--formula 'L(30,5) * (I(6) (x) DFT(5)) * T(5,6) * L(30,6)'",
        "--formula 'c2c:f32:64 := (DFT(8)_{leaf} (x) I(8)) * T(8,8) * (I(8) (x) DFT(8)) * L(64,8)'",
        "--formula 'DFT(6) (x) IDFT(5)' --simd scalar",
        "--formula 'I(5) (x) (C(64)^-1 * T(8,8) * T(4,16) * (DFT(8)_{leaf} (x) I(8)))'",
        "--formula '(DFT(8)_{leaf} * P(fold(8)) * P(l(8,2))) (x) I(16)'",
        "--formula 'T(3,3) * EMBED(9) * RE(9) * T(3,3)' --precision f64",
        "--formula 'DCT2(16)_{leaf} (x) I(3)'",
        "--formula 'DST3(8)_{leaf}' --precision f64",
        /* Pairs at evaluated addresses, which are complex numbers or reals. */
        "--formula 'r2c:f64:20 := G(power(11,2)) * S(power(11,2)) * PAIRS.rdft(10) * DFT(10) * "
        "V(10)'",
        "--formula 'c2r:f32:20 := V(10)^-1 * IDFT(10) * PAIRS.irdft(10) * G(power(11,2)) * "
        "S(power(11,2))'",
    };
    (void)state;
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        check_quickly(arguments[i]);
}

/* Where p, s and mu divide, and where they do not, in turn. */
static void all_scenarios(void **state)
{
    static const scenario_size sizes[] = {{16, 32, 6, 2, 4, 2}, {15, 12, 5, 2, 3, 4}};
    (void)state;
    for (int i = 0; i < SCENARIOS; i++) {
        char line[SCENARIO_TEXT_SIZE], arguments[SCENARIO_TEXT_SIZE + 64];
        scenario_line(&scenarios[i], &sizes[i % 2], i % 2 ? "f64" : "f32", line);
        snprintf(arguments, sizeof arguments, "--units cpu:2 --formula '%s'", line);
        check_quickly(arguments);
    }
}

/* Vectors of every instruction set that this machine has. */
static void vectors(void **state)
{
    static const char *const isas[] = {"scalar", "vec128", "avx2", "avx512"};
    (void)state;
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        char line[LINE];
        snprintf(line, sizeof line, "SLUICE_CPU=%s $S info --units cpu:1", isas[i]);
        if (tool_shell(line) != 0)
            continue;
        snprintf(line, sizeof line, "c2c:f32:512*11 --simd %s", isas[i]);
        check_optimized(line);
        snprintf(line, sizeof line, "c2c:f32:24:out=split --simd %s", isas[i]);
        check_optimized(line);
        /* The vectors' and the scalar vocabulary in one file. */
        snprintf(line, sizeof line, "--formula 'DFT(8) (x) L(6,2) * (DFT(8) (x) DFT(6))' --simd %s",
                 isas[i]);
        check_optimized(line);
    }
}

/* What C++ sees: casts, initializers in order, atomics and alignment of its own. */
static void plus_plus(void **state)
{
    static const char *const arguments[] = {
        "c2c:f64:60*7:in=split --simd scalar",
        "--units cpu:2 c2c:f32:65536",
        "c2c:f64:257*3:inverse",
        "c2r:f64:99",
        "idxst:f32:16",
        "--formula 'L(30,5) * (I(6) (x) DFT(5)) * T(5,6) * L(30,6)'",
        "--formula '(DFT(8)_{leaf} * P(fold(8)) * P(l(8,2))) (x) I(16)'",
        "dht*idxst*dht:f64:2@60/1x4@1/5x3@4/20",
    };
    (void)state;
    if (tool_shell("command -v $CXX") != 0)
        skip();
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        check_plus_plus(arguments[i], i < 3);
}

/* A wrong program says so: 1 instead of the first root of a table. */
static void errors_are_found(void **state)
{
    (void)state;
    emit_check("$S emit c2c:f32:1024*4 --simd scalar -o p.c && "
               "sed -i 's/factor(f, f->base/factor(f, 1 + f->base/; "
               "s/f->base + k->row \\* i + coef/f->base + 1 + k->row * i + coef/' p.c && "
               "$CC $FLAGS -O1 -DCHECK_ROWS=1 p.c -o p -lm -lpthread && ./p",
               1);
    assert_true(tool_file_contains("out", " FAIL seconds="));
}

/* ---------------------------------------------------------------- refusals -------------- */

static void refusals(void **state)
{
    static const struct {
        const char *arguments, *sentence;
        int code;
    } cases[] = {
        {"c2c:f32:64 --target ada", "--target", 2},
        {"c2c:f32:64 --simd mmx", "--simd", 2},
        {"c2c:f32", "cannot read the problem", 2},
        {"--formula 'DFT(8) * (DFT(4)'", "cannot plan the formula", 2},
        {"--formula 'DFT(8) * DFT(4)'", "cannot plan the formula", 2},
        {"c2c:f32:64 --formula 'DFT(8)'", "emit needs either a problem or --formula", 2},
        {"", "emit needs either a problem or --formula", 2},
        {"c2c:f32:64 --precision f64", "--precision belongs to --formula", 2},
        {"c2c:f32:64 --units ref", "units of this kind print no programs", 2},
        {"--formula 'PAIRS.irdft(10) * PAIRS.rdft(10)'", "no definition of PAIRS", 2},
        {"--formula 'DFT(67)_{leaf}' --units ref --target opencl", "too long for one work-item", 2},
        {"c2c:f32:64 -o nowhere/p.c", "cannot write nowhere/p.c: No such file", 3},
        {"c2c:f32:64 >/dev/full", "cannot write", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[LINE];
        snprintf(line, sizeof line, "$S emit %s", cases[i].arguments);
        emit_check(line, cases[i].code);
        assert_true(tool_file_contains("err", "sluice: "));
        assert_true(tool_file_contains("err", cases[i].sentence));
    }
    emit_check("$S emit --formula 'DFT(67)_{leaf}' --units ref --target opencl | grep -c .", 1);
    emit_check("ls nowhere* 2>/dev/null | wc -l", 0);
    assert_true(tool_file_contains("out", "0"));
}

/* What it holds is for test_emit_opencl to judge. */
static void other_languages(void **state)
{
    (void)state;
    emit_check("$S emit c2c:f64:1024*3 --target opencl -o p.cl && grep -c ^__kernel p.cl", 0);
    assert_true(tool_file_contains("p.cl", "/* sluice-opencl"));
}

/* OpenCL C declares what it uses and nothing more, and asks for no loop to be unrolled that cannot
 * be. The control: an unused variable is found. */
static void opencl_without_warnings(void **state)
{
    static const char compile[] =
        "-x cl -cl-std=CL1.2 -Xclang -finclude-default-header --target=spir64 -O2 -emit-llvm -S "
        "-o /dev/null -Wall -Werror";
    static const char *const problems[] = {
        "ref:gpu c2c:f32:16*9973",
        "ref:gpu c2c:f32:8192*8",
        "ref:gpu c2c:f64:1024*5:in=split:out=split:inplace",
        "ref:gpu c2c:f32:37*3",
        "ref:gpu r2c:f32:512x512",
        "ref:gpu r2c:f32:16384*2",
        "ref:gpu r2c:f32:128x514*2",
        "ref:gpu dct3:f32:1000*7",
        "ref:gpu dst1:f32:165:scale=ortho",
        "ref:gpu idxst:f64:4x12:scale=n:inplace",
        "ref:gpu dst2*dht*dct4:f64:6x10x8",
        "cpu:2 c2c:f32:65536",
        "cpu:2 c2r:f64:4096:in=split",
        "cpu:2 dst3:f64:13x8x5",
        "cpu:2 dct4:f64:28x5",
    };
    char line[LINE];
    (void)state;

    if (tool_shell("command -v clang") != 0)
        skip();
    emit_check("echo 'kernel void k() { int x; }' > p.cl", 0);
    snprintf(line, sizeof line, "clang %s p.cl", compile);
    emit_check(line, 1);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        snprintf(line, sizeof line, "$S emit --target opencl -o p.cl --units %s && clang %s p.cl",
                 problems[i], compile);
        emit_check(line, 0);
    }
}

int main(void)
{
    const struct CMUnitTest programs[] = {
        cmocka_unit_test(problems),         cmocka_unit_test(kinds),   cmocka_unit_test(formulas),
        cmocka_unit_test(all_scenarios),    cmocka_unit_test(vectors), cmocka_unit_test(plus_plus),
        cmocka_unit_test(errors_are_found),
    };
    const struct CMUnitTest tests[] = {cmocka_unit_test(refusals),
                                       cmocka_unit_test(other_languages),
                                       cmocka_unit_test(opencl_without_warnings)};
    int failed = emit_begin();
    if (failed != 0)
        return failed;
    failed = cmocka_run_group_tests_name("emit", tests, NULL, NULL);
    if (emit_compiles())
        failed += cmocka_run_group_tests_name("emitted programs", programs, NULL, NULL);
    else
        fputs("skipped: programs; there is no compiler\n", stderr);
    return tool_end(failed);
}
