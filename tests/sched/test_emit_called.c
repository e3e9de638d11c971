// SPDX-License-Identifier: BSD-3-Clause
/* Programs that sluice emit writes, in programs of others: as a source file, under names that the
 * compiler is told, with the bits of the library's plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_emit.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { LINE = 1024 };

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
    tool_write("main.c", caller, sizeof caller - 1);
    emit_check("$S emit c2c:f64:32:out=split --simd scalar >p.c && "
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
    if (tool_shell("command -v $CXX") != 0)
        skip();
    tool_write("main.cpp", callers, sizeof callers - 1);
    emit_check(
        "$S emit c2c:f64:8 --simd scalar -o p.c && $S emit c2c:f32:4 --simd scalar -o q.c && "
        "$CC $FLAGS -DNO_MAIN -Dtransform=first -c p.c -o p.o && " EMIT_CXX
        " -DNO_MAIN -Dtransform=second -c q.c -o q.o && "
        "$CXX main.cpp p.o q.o -o p -lm -lpthread && ./p",
        0);
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
    tool_write("in.raw", in, bytes);
    tool_write("want.raw", out, bytes);
    tool_write("p.c", text.data, text.length);
    tool_write("main.c", filter, sizeof filter - 1);
    snprintf(line, sizeof line,
             "F=$(sed -n 's/.* -O3 \\(.*\\)FILE .*/\\1/p' p.c) && $CC $FLAGS -O1 -DNO_MAIN $F "
             "-DREAL=%s -DSCALARS=%zu p.c main.c -o p -lm -lpthread && ./p <in.raw >got.raw && "
             "cmp want.raw got.raw >&2",
             twice ? "double" : "float", 2 * points);
    emit_check(line, 0);
    sluice_plan_destroy(plan);
    test_free(text.data);
    free(in);
    free(out);
}

static void reproducible(void **state)
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
    sluice_unit_info unit;
    sluice_machine *m = structure_machine_of(caches, "cpu:2", NULL, 1 << 17);
    assert_int_equal(sluice_machine_unit_info(m, 0, &unit), SLUICE_OK);
    if (unit.lanes_f32 < 4) { /* vectors so short put nothing in slices */
        sluice_machine_close(m);
        skip();
    }
    sluice_plan *plan = plan_made(m, problem);
    const plan_text text = plan_printed(plan, SLUICE_LEVEL_C);
    assert_non_null(strstr(text.data, "cpu_slices_put(&slices"));
    assert_non_null(strstr(text.data, "cpu_slices_get(&slices"));
    check_bits(m, problem, 280 * 1024, false);
    test_free(text.data);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest programs[] = {
        cmocka_unit_test(named_by_the_compiler),
        cmocka_unit_test(as_a_source_file),
        cmocka_unit_test(reproducible),
        cmocka_unit_test(same_bits_in_slices),
    };
    int failed = emit_begin();
    if (failed != 0)
        return failed;
    if (emit_compiles())
        failed = cmocka_run_group_tests_name("emitted programs called", programs, NULL, NULL);
    else
        fputs("skipped: programs; there is no compiler\n", stderr);
    return tool_end(failed);
}
