// SPDX-License-Identifier: BSD-3-Clause
/* Rows that become columns by vectors: every number of rows and columns around theirs, steps in
 * either direction, numbers that are adjacent or every second one of a side, with their signs
 * changed or not, nothing beside the result touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/cpu/run/cpu_transpose.h"

enum { MOST = 21, ROOM = 4096, GUARD = 0x5a, TIMES = 3 };

static char in[ROOM * sizeof(double)], out[ROOM * sizeof(double)];

/* The number of `bytes` at that place of an array. */
static void number(char *to, int64_t place, size_t bytes, bool negate)
{
    const double sign = negate ? -1 : 1, x = sign * (double)place;
    const float y = (float)x;

    memcpy(to, bytes == sizeof x ? (const void *)&x : (const void *)&y, bytes);
}

/* Rows and columns, their steps on both sides, and of how many numbers one is theirs. */
typedef struct shape {
    int64_t rows, count, step[2], apart[2];
} shape;

/* Places are counted from the middle of both arrays. */
static void check(cpu_transpose_fn *run, size_t bytes, const shape *s, bool negate)
{
    const size_t middle = ROOM / 2 * bytes;
    char *const expected = malloc(ROOM * bytes);

    assert_non_null(expected);
    for (int64_t i = 0; i < ROOM; i++)
        number(in + (size_t)i * bytes, i, bytes, false);
    memset(out, GUARD, ROOM * bytes);
    memset(expected, GUARD, ROOM * bytes);
    run(in + middle, out + middle, (ptrdiff_t)(s->step[0] * (int64_t)bytes),
        (ptrdiff_t)(s->step[1] * (int64_t)bytes), s->rows, s->count, negate);
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t k = 0; k < s->count; k++)
            number(expected + (size_t)(ROOM / 2 + k * s->step[1] + r * s->apart[1]) * bytes,
                   ROOM / 2 + r * s->step[0] + k * s->apart[0], bytes, negate);
    assert_memory_equal(out, expected, ROOM * bytes);
    free(expected);
}

static void check_shapes(cpu_transpose_fn *run, size_t bytes, int64_t in_apart, int64_t out_apart)
{
    for (int64_t rows = 1; rows <= MOST; rows++)
        for (int64_t count = 1; count <= MOST; count++)
            for (int64_t k = 0; k < TIMES; k++) {
                const int64_t from = in_apart * count + 11 * k, to = out_apart * rows + k;
                const shape up = {rows, count, {from, to}, {in_apart, out_apart}};
                const shape down = {rows, count, {-from, -to}, {in_apart, out_apart}};
                check(run, bytes, &up, k == 1);
                check(run, bytes, &down, k == 2);
            }
}

static void any_shape_is_transposed(void **state)
{
    static const size_t sizes[] = {4, 8, 16};
    core_isa best = CORE_ISA_SCALAR;
    sluice_diag why;
    int checked = 0;

    (void)state;
    assert_int_equal(core_cpu_isa(&best, &why), SLUICE_OK);
    for (int isa = 0; isa <= (int)best; isa++)
        for (int i = 0; i < 3; i++)
            for (int how = 0; how < CPU_TRANSPOSED; how++) {
                cpu_transpose_fn *run =
                    cpu_transposer((core_isa)isa, sizes[i], (cpu_transposed)how);
                if (!run)
                    continue;
                check_shapes(run, sizes[i], how == CPU_EVERY_OTHER_IN ? 2 : 1,
                             how == CPU_EVERY_OTHER_OUT ? 2 : 1);
                checked++;
            }
    if (checked == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_shape_is_transposed)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
