// SPDX-License-Identifier: BSD-3-Clause
/* sluice emit: the programs it writes compile without a warning, pass their own test and can be
 * called by others; what it cannot write is refused in a sentence. Compilers are called through a
 * shell, in a folder of its own: those of the build, $SLUICE_CC and $SLUICE_CXX, or cc and c++. */
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_scenario.h"
#include "tests/helpers/helper_structure.h"

enum { SKIPPED = 77, LINE = 1024 };

/* Runs a shell line in which $S is the command, $CC and $CXX are the compilers and $FLAGS the first
 * one's options; stdout goes to `out`, stderr to `err`. Returns the exit code. */
static int shell(const char *line)
{
    char all[3 * LINE];
    snprintf(all, sizeof all, "{ %s\n} >out 2>err", line);
    const int status = system(all);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool says(const char *path, const char *words)
{
    char text[8192];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    if (strstr(text, words))
        return true;
    print_error("%s lacks \"%s\":\n%s\n", path, words, text);
    return false;
}

static void check_exit(const char *line, int code)
{
    const int got = shell(line);
    if (got != code) {
        print_error("%s\nexit code %d, not %d\n", line, got, code);
        if (system("head -c 2000 out err >&2") != 0)
            print_error("without output\n");
    }
    assert_int_equal(got, code);
}

/* ---------------------------------------------------------------- programs -------------- */

/* What programs are compiled by. */
#define C "$CC $FLAGS"
#define CXX "$CXX -x c++ -std=c++17 -Wall -Wextra -Werror"
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
    check_exit(line, 0);
    assert_true(says("out", " PASS seconds="));
}

/* The headers of instructions, and those that all programs include before them, are compiled once
 * for all programs with these flags by this compiler, $I is their file. */
#define HEADERS(COMPILER)                                                                          \
    " && H=$O && if [ -n \"$F\" ]; then I=headers$(echo " COMPILER "$O$F | tr -dc a-z0-9).h && "   \
    "H=\"$O -include $I\" && if [ ! -f $I ]; then "                                                \
    "{ sed -n '/^#define _DEFAULT_SOURCE/p; /^#include/p; /^#include <immintrin/q' p.c && "        \
    "echo '#undef _DEFAULT_SOURCE'; } >$I && " COMPILER " $O -DCHECK_ROWS=1 $F $I -o $I.gch; fi; " \
    "fi"

static void check_optimized(const char *arguments)
{
    check_with(arguments, C, "O=-O1" HEADERS(C));
}

/* Every sixth program optimized, which takes twice as long: what a program computes is the same
 * either way. `vectors` optimizes programs of every instruction set. */
static void check_quickly(const char *arguments)
{
    static int turn;
    check_with(arguments, C, turn++ % 6 == 0 ? "O=-O1" HEADERS(C) : "O=-O0" HEADERS(C));
}

/* As C++, the first of them optimized. */
static void check_plus_plus(const char *arguments, bool optimized)
{
    check_with(arguments, CXX,
               optimized ? "O=-O1" HEADERS(CXX_HEADER) : "O=-O0" HEADERS(CXX_HEADER));
}

static void problems(void **state)
{
    static const char *const arguments[] = {
        "c2c:f32:1",
        "c2c:f64:60*7",
        "c2c:f32:1024*61",
        "c2c:f64:4096:inverse",
        "c2c:f32:64*100:in=split:out=split",
        "c2c:f32:32:inverse:in=split:out=split",
        "c2c:f64:12:in=split",
        "c2c:f64:100*9:inverse:in=split",
        "c2c:f32:128*10:inplace",
        "c2c:f32:64@80/64*16@5120/4096",
        "c2c:f64:12x10x8",
        "c2c:f64:257*3", /* powers, a direct sum */
        "c2c:f32:4096:in_cyclic=64/2:out_cyclic=32/2",
        "c2c:f64:64x12:inplace:in=split:out=split:in_cyclic=4/6",
        "--units cpu:2 c2c:f32:65536",
        "--units cpu:2/helper c2c:f32:1024*64:in=split",
        "c2c:f32:64*3000:scale=n", /* lines of whole transforms */
        "c2c:f64:1024*3:scale=ortho",
        "r2c:f32:96x5:scale=n",
        "dct3:f64:50*3:scale=ortho",
        "r2c:f32:1024",
        "c2r:f64:1000",
        "r2c:f32:12x10*3:inplace",
        "c2r:f64:16x24",
        "r2c:f64:1",
        "c2r:f64:1*3",
        "r2c:f64:99", /* evaluated: EMBED, RE and the factor H */
        "c2r:f64:99",
        "r2c:f32:99*3:out=split",
        "c2r:f32:99*3:in=split",
        "r2c:f64:257", /* Rader inside */
        "c2r:f64:514*2",
        "r2c:f64:101x5",
        "c2r:f32:6x7:inplace",
        "--units cpu:2 r2c:f32:59049",
        "--units cpu:2 c2r:f32:65536",
    };
    (void)state;
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        check_quickly(arguments[i]);
}

/* Each kind of the family, alone and beside others: sizes that are codelets, passes at strides and
 * evaluated, extensions; both instruction sets in one file. */
static void kinds(void **state)
{
    static const char *const words[] = {"dct1", "dct2", "dct3", "dct4",  "dst1",
                                        "dst2", "dst3", "dst4", "idxst", "dht"};
    static const char *const mixed[] = {
        "dct2*r2c:f32:24x30",
        "dct3*c2r:f64:15x20:inplace",
        "c2c*dht:f32:12x10*3",
        "dct3*idxst:f64:30x40",
        "--units cpu:2 dct2:f32:240x256",
        "dct2:f32:8x8*100",
        "dct2:f64:60:scale=ortho",
        "dst3:f32:20@40/50x16@2/3",
        /* Evaluated: a scaled matrix of reals, a DFT of reals. */
        "dst2*dct1:f32:4@2/1x2@8/4:scale=n",
        "dht*idxst*dht:f64:2@60/1x4@1/5x3@4/20",
    };
    static const char *const sizes[] = {"16", "15", "64*10", "1000", "30x24", "15x9x4"};
    uint64_t state_of = 27182818;
    char line[64];
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int turn = 0; turn < 2; turn++) {
            snprintf(line, sizeof line, "%s:%s:%s", words[i], turn ? "f32" : "f64",
                     sizes[plan_below(&state_of, sizeof sizes / sizeof *sizes)]);
            check_quickly(line);
        }
    check_quickly("idxst:f32:16");
    check_quickly("dst2:f64:15");
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
        /* Passes at evaluated addresses, which are complex numbers or reals. */
        "--formula 'r2c:f64:20 := G(power(11,2)) * S(power(11,2)) * PAIRS.rdft(10) * DFT(10) * "
        "V(10)'",
        "--formula 'c2r:f32:20 := V(10)^-1 * IDFT(10) * PAIRS.irdft(10) * G(power(11,2)) * "
        "S(power(11,2))'",
    };
    (void)state;
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        check_quickly(arguments[i]);
}

/* Where p, s and mu divide, and where they do not. */
static void all_scenarios(void **state)
{
    static const scenario_size sizes[] = {{16, 32, 6, 2, 4, 2}, {15, 12, 5, 2, 3, 4}};
    (void)state;
    for (int i = 0; i < SCENARIOS; i++)
        for (int k = 0; k < 2; k++) {
            char line[SCENARIO_TEXT_SIZE], arguments[SCENARIO_TEXT_SIZE + 64];
            scenario_line(&scenarios[i], &sizes[k], k == 0 ? "f32" : "f64", line);
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
        if (shell(line) != 0)
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
    if (shell("command -v $CXX") != 0)
        skip();
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        check_plus_plus(arguments[i], i < 3);
}

/* A wrong program says so: 1 instead of the first root of a table. */
static void errors_are_found(void **state)
{
    (void)state;
    check_exit("$S emit c2c:f32:1024*4 --simd scalar -o p.c && "
               "sed -i 's/factor(f, f->base/factor(f, 1 + f->base/; "
               "s/f->base + k->row \\* i + coef/f->base + 1 + k->row * i + coef/' p.c && "
               "$CC $FLAGS -O1 -DCHECK_ROWS=1 p.c -o p -lm -lpthread && ./p",
               1);
    assert_true(says("out", " FAIL seconds="));
}

/* ---------------------------------------------------------------- for others ------------ */

static const char caller[] =
    "#include <math.h>\n"
    "#include <stdbool.h>\n"
    "bool transform_open(void);\n"
    "void transform(const double *in, double *out, double *out_im);\n"
    "void transform_close(void);\n"
    "int main(void)\n"
    "{\n"
    "    double in[64] = {0}, re[32], im[32];\n"
    "    bool right = true;\n"
    "    in[2] = 1;\n"
    "    for (int again = 0; again < 2; again++) {\n"
    "        if (!transform_open())\n"
    "            return 2;\n"
    "        transform(in, re, im);\n"
    "        transform_close();\n"
    "    }\n"
    "    for (int k = 0; k < 32; k++)\n"
    "        right = right && fabs(re[k] - cos(acos(-1) * k / 16)) < 1e-15\n"
    "                && fabs(im[k] + sin(acos(-1) * k / 16)) < 1e-15;\n"
    "    return right ? 0 : 1;\n"
    "}\n";

static void as_a_source_file(void **state)
{
    (void)state;
    FILE *f = fopen("main.c", "w");
    assert_non_null(f);
    fputs(caller, f);
    fclose(f);
    check_exit("$S emit c2c:f64:32:out=split --simd scalar >p.c && "
               "$CC $FLAGS -O1 -DNO_MAIN p.c main.c -o p -lm -lpthread && ./p",
               0);
}

static const char callers[] = "extern \"C\" {\n"
                              "bool first_open(void);\n"
                              "void first(const double *in, double *out);\n"
                              "void first_close(void);\n"
                              "bool second_open(void);\n"
                              "void second(const float *in, float *out);\n"
                              "void second_close(void);\n"
                              "}\n"
                              "int main()\n"
                              "{\n"
                              "    double in[16] = {1}, out[16];\n"
                              "    float few[8] = {2}, fewer[8];\n"
                              "    if (!first_open() || !second_open())\n"
                              "        return 2;\n"
                              "    first(in, out);\n"
                              "    second(few, fewer);\n"
                              "    first_close();\n"
                              "    second_close();\n"
                              "    return out[14] == 1 && fewer[6] == 2 ? 0 : 1;\n"
                              "}\n";

/* One name for three functions: two programs, one of them as C++, in a third. */
static void named_by_the_compiler(void **state)
{
    (void)state;
    if (shell("command -v $CXX") != 0)
        skip();
    FILE *f = fopen("main.cpp", "w");
    assert_non_null(f);
    fputs(callers, f);
    fclose(f);
    check_exit(
        "$S emit c2c:f64:8 --simd scalar -o p.c && $S emit c2c:f32:4 --simd scalar -o q.c && "
        "$CC $FLAGS -DNO_MAIN -Dtransform=first -c p.c -o p.o && " CXX
        " -DNO_MAIN -Dtransform=second -c q.c -o q.o && "
        "$CXX main.cpp p.o q.o -o p -lm -lpthread && ./p",
        0);
}

static void spill(const char *path, const void *bytes, size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    fclose(f);
}

static const char filter[] = "#include <stdbool.h>\n"
                             "#include <stdio.h>\n"
                             "bool transform_open(void);\n"
                             "void transform(const REAL *in, REAL *out);\n"
                             "int main(void)\n"
                             "{\n"
                             "    static REAL in[SCALARS], out[SCALARS];\n"
                             "    if (fread(in, sizeof *in, SCALARS, stdin) != SCALARS)\n"
                             "        return 1;\n"
                             "    if (!transform_open())\n"
                             "        return 2;\n"
                             "    transform(in, out);\n"
                             "    return fwrite(out, sizeof *out, SCALARS, stdout) != SCALARS;\n"
                             "}\n";

/* A packed problem: the library writes `want`, the program has to write the same. */
static void check_bits(sluice_machine *m, const char *problem, size_t points, bool twice)
{
    const size_t bytes = 2 * points * (twice ? 8 : 4);
    char *in = malloc(bytes), *out = malloc(bytes), line[LINE];
    uint64_t state = 1;
    assert_non_null(in);
    assert_non_null(out);
    for (size_t i = 0; i < 2 * points; i++) {
        const double d = (double)(int64_t)(plan_random(&state) >> 11) / 9e15;
        const float f = (float)d;
        memcpy(in + i * (twice ? 8 : 4), twice ? (const void *)&d : &f, twice ? 8 : 4);
    }
    sluice_plan *plan = plan_made(m, problem);
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_C);
    assert_int_equal(sluice_execute(plan, in, out), SLUICE_OK);
    spill("in.raw", in, bytes);
    spill("want.raw", out, bytes);
    spill("p.c", text.data, text.length);
    spill("main.c", filter, sizeof filter - 1);
    snprintf(line, sizeof line,
             "F=$(sed -n 's/.* -O3 \\(.*\\)FILE .*/\\1/p' p.c) && $CC $FLAGS -O1 -DNO_MAIN $F "
             "-DREAL=%s -DSCALARS=%zu p.c main.c -o p -lm -lpthread && ./p <in.raw >got.raw && "
             "cmp want.raw got.raw >&2",
             twice ? "double" : "float", 2 * points);
    check_exit(line, 0);
    sluice_plan_destroy(plan);
    test_free(text.data);
    free(in);
    free(out);
}

static void same_bits(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    check_bits(m, "c2c:f32:1000*13", 13000, false);
    check_bits(m, "c2c:f64:60*7", 420, true);
    check_bits(m, "c2c:f32:16384", 16384, false);
    check_bits(m, "c2c:f64:12x10*3:inverse", 360, true);
    sluice_machine_close(m);
}

/* Where arrays of megabytes are in memory. */
static void same_bits_in_slices(void **state)
{
    static const char caches[] = "pack:1 l3:1(size=524288) l2:1(size=262144) l1d:1(size=32768) "
                                 "core:1 pu:1";
    static const char problem[] = "c2c:f32:1024*280";
    (void)state;
    sluice_machine *m = structure_machine_of(caches, "cpu:2", NULL, 1 << 17);
    sluice_plan *plan = plan_made(m, problem);
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_C);
    assert_non_null(strstr(text.data, "cpu_slices_put(&slices"));
    assert_non_null(strstr(text.data, "cpu_slices_get(&slices"));
    check_bits(m, problem, 280 * 1024, false);
    test_free(text.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
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
        {"--formula 'PAIRS.irdft(10) * PAIRS.rdft(10)'", "no definition of passes", 2},
        {"--formula 'DFT(67)_{leaf}' --units ref --target opencl", "too long for one work-item", 2},
        {"c2c:f32:64 -o nowhere/p.c", "cannot write nowhere/p.c: No such file", 3},
        {"c2c:f32:64 >/dev/full", "cannot write", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[LINE];
        snprintf(line, sizeof line, "$S emit %s", cases[i].arguments);
        check_exit(line, cases[i].code);
        assert_true(says("err", "sluice: "));
        assert_true(says("err", cases[i].sentence));
    }
    check_exit("$S emit --formula 'DFT(67)_{leaf}' --units ref --target opencl | grep -c .", 1);
    check_exit("ls nowhere* 2>/dev/null | wc -l", 0);
    assert_true(says("out", "0"));
}

/* What it holds is for test_emit_opencl to judge. */
static void other_languages(void **state)
{
    (void)state;
    check_exit("$S emit c2c:f64:1024*3 --target opencl -o p.cl && grep -c ^__kernel p.cl", 0);
    assert_true(says("p.cl", "/* sluice-opencl"));
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

    if (shell("command -v clang") != 0)
        skip();
    check_exit("echo 'kernel void k() { int x; }' > p.cl", 0);
    snprintf(line, sizeof line, "clang %s p.cl", compile);
    check_exit(line, 1);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        snprintf(line, sizeof line, "$S emit --target opencl -o p.cl --units %s && clang %s p.cl",
                 problems[i], compile);
        check_exit(line, 0);
    }
}

static bool find_programs(void)
{
    const char *folder = getenv("SLUICE_BIN_DIR"), *compiler = getenv("SLUICE_CC"),
               *cxx = getenv("SLUICE_CXX");
    char path[LINE], binary[PATH_MAX];
    if (!folder || snprintf(path, sizeof path, "%s/sluice", folder) >= (int)sizeof path)
        return false;
    return realpath(path, binary) && access(binary, X_OK) == 0 && setenv("S", binary, 1) == 0
           && setenv("CC", compiler ? compiler : "cc", 1) == 0
           && setenv("CXX", cxx ? cxx : "c++", 1) == 0
           && setenv("FLAGS", "-std=c11 -Wall -Wextra -Wpedantic -Werror", 1) == 0;
}

int main(void)
{
    const struct CMUnitTest programs[] = {
        cmocka_unit_test(problems),
        cmocka_unit_test(kinds),
        cmocka_unit_test(formulas),
        cmocka_unit_test(all_scenarios),
        cmocka_unit_test(vectors),
        cmocka_unit_test(plus_plus),
        cmocka_unit_test(errors_are_found),
        cmocka_unit_test(named_by_the_compiler),
        cmocka_unit_test(as_a_source_file),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(same_bits_in_slices),
    };
    const struct CMUnitTest tests[] = {cmocka_unit_test(refusals),
                                       cmocka_unit_test(other_languages),
                                       cmocka_unit_test(opencl_without_warnings)};
    if (!find_programs()) {
        fputs("skipped: there is no $SLUICE_BIN_DIR/sluice\n", stderr);
        return SKIPPED;
    }
    /* Plans of one size of caches: 65536 points have a table that is a product of two. */
    static const char caches[] =
        "pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:1";
    char folder[] = "/tmp/sluice-emit-XXXXXX", *work = mkdtemp(folder);
    if (!work || chdir(work) != 0 || setenv("SLUICE_TOPOLOGY", caches, 1) != 0) {
        perror("mkdtemp");
        return 1;
    }
    int failed = cmocka_run_group_tests_name("emit", tests, NULL, NULL);
    if (shell("echo 'int main(void) { return 0; }' >c.c && $CC c.c -o c && ./c") == 0)
        failed += cmocka_run_group_tests_name("emitted programs", programs, NULL, NULL);
    else
        fputs("skipped: programs; there is no compiler\n", stderr);
    char line[64];
    snprintf(line, sizeof line, "cd / && rm -rf '%s'", work);
    return system(line) != 0 || failed;
}
