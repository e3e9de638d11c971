// SPDX-License-Identifier: BSD-3-Clause
/* The OpenMP pool under a race checker: clang's thread sanitizer, which archer (an OpenMP tool that
 * comes with clang's runtime) tells what that runtime synchronises. The pool and its tests are
 * compiled for it here; a program with a race shows that it sees one. Run in the source root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"

#define ARCHER "$(clang -print-resource-dir)/../../libarcher.so"

enum { RACE = 66 /* exit status of the sanitizer's programs */ };

static char folder[] = "/tmp/sluice-races-XXXXXX";

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *format, ...)
{
    char command[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int compile(const char *sources, const char *program)
{
    return run("clang -g -O1 -std=c11 -D_GNU_SOURCE= -fsanitize=thread -fopenmp "
               "-DSLUICE_HAVE_OPENMP=1 -DSLUICE_HAVE_VEC128=0 -DSLUICE_HAVE_AVX2=0 "
               "-DSLUICE_HAVE_AVX512=0 "
               "-DSLUICE_WITH_ARCHER=1 -I. -Iapi %s backends/cpu/threads/cpu_pool.c "
               "backends/cpu/threads/cpu_pool_openmp.c backends/cpu/threads/cpu_barrier.c "
               "backends/plain_thread.c "
               "core/*.c -o %s/%s -lcmocka -lhwloc -lm",
               sources, folder, program);
}

static int execute(const char *program)
{
    return run("OMP_TOOL_LIBRARIES=" ARCHER " TSAN_OPTIONS=ignore_noninstrumented_modules=1 "
               "%s/%s >%s/log 2>&1",
               folder, program, folder);
}

static int open_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int close_folder(void **state)
{
    (void)state;
    return run("rm -r %s", folder);
}

static void a_race_is_seen(void **state)
{
    static const char text[] =
        "#include \"backends/cpu/threads/cpu_pool.h\"\n"
        "static int count;\n"
        "static void job(void *arg, int member, int members)\n"
        "{\n"
        "    (void)arg, (void)member, (void)members;\n"
        "    count++;\n"
        "}\n"
        "int main(void)\n"
        "{\n"
        "    core_topology *t;\n"
        "    cpu_pool *pool;\n"
        "    if (core_topology_open(&t, 0) || cpu_pool_openmp.open(&pool, 2, t, 0))\n"
        "        return 1;\n"
        "    for (int i = 0; i < 100; i++)\n"
        "        cpu_pool_openmp.run(pool, 2, true, job, 0);\n"
        "    cpu_pool_openmp.close(pool);\n"
        "    core_topology_close(t);\n"
        "    return 0;\n"
        "}\n";
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "%s/race.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(compile(path, "race"), 0);
    assert_int_equal(execute("race"), RACE);
}

static void the_pool_has_none(void **state)
{
    (void)state;
    assert_int_equal(compile("tests/backends/test_pool.c", "test_pool"), 0);
    if (execute("test_pool") != 0) {
        (void)run("grep -v '  OK \\]' %s/log", folder);
        fail_msg("the OpenMP pool under the thread sanitizer");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_is_seen),
        cmocka_unit_test(the_pool_has_none),
    };
    if (PLAN_SANITIZED || run("command -v clang >/dev/null && test -e " ARCHER) != 0)
        return 77;
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
