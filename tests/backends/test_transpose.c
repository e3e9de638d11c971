// SPDX-License-Identifier: BSD-3-Clause
/* Rows that become columns by vectors: every number of rows and columns around theirs, steps in
 * either direction, numbers that are adjacent or every second one of a side, with their signs
 * changed or not, nothing beside the result touched; rows of re and of im that are zipped to
 * columns, and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/cpu/run/cpu_zip_columns.h"

enum { MOST = 21, LARGEST = 16, ROOM = 4096, GUARD = 0x5a, TIMES = 3 };

static char in[ROOM * LARGEST], out[ROOM * LARGEST];

/* The number of `bytes` at that place of an array: a float, a double, or two of these. */
static void number(char *to, int64_t place, size_t bytes, bool negate)
{
    const double sign = negate ? -1 : 1, x[] = {sign * (double)place, sign * ((double)place + 0.5)};
    const float y = (float)x[0];

    memcpy(to, bytes == sizeof y ? (const void *)&y : (const void *)x, bytes);
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

/* Rows of re and of im with a gap behind each, zipped to columns with a gap, and back. */
static void check_zipped(cpu_transpose_fn *run, size_t scalar, int64_t rows, int64_t n, int64_t gap)
{
    static char back[sizeof in];
    const int64_t im = rows * (n + gap), column = rows + gap;
    const cpu_zipped_rows there = {.in = in,
                                   .out = out,
                                   .im = (ptrdiff_t)(im * (int64_t)scalar),
                                   .row = (ptrdiff_t)((n + gap) * (int64_t)scalar),
                                   .column = (ptrdiff_t)(2 * column * (int64_t)scalar),
                                   .rows = rows,
                                   .n = n};
    cpu_zipped_rows home = there;

    for (int64_t i = 0; i < 2 * im; i++)
        number(in + (size_t)i * scalar, i + 1, scalar, false);
    memset(back, 0, sizeof back);
    home.in = out;
    home.out = back;
    cpu_zip_columns(run, &there, false, scalar);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t part = 0; part < 2; part++)
                assert_memory_equal(out + (size_t)(2 * (k * column + r) + part) * scalar,
                                    in + (size_t)(part * im + r * (n + gap) + k) * scalar, scalar);
    cpu_zip_columns(run, &home, true, scalar);
    for (int64_t r = 0; r < 2 * rows; r++)
        assert_memory_equal(back + (size_t)(r * (n + gap)) * scalar,
                            in + (size_t)(r * (n + gap)) * scalar, (size_t)n * scalar);
}

static void rows_are_zipped_to_columns(void **state)
{
    core_isa best = CORE_ISA_SCALAR;
    sluice_diag why;

    (void)state;
    assert_int_equal(core_cpu_isa(&best, &why), SLUICE_OK);
    for (size_t scalar = sizeof(float); scalar <= sizeof(double); scalar *= 2) {
        cpu_transpose_fn *run = cpu_transposer(best, 2 * scalar, CPU_ADJACENT);
        if (!run)
            skip();
        for (int64_t rows = 1; rows <= MOST; rows++)
            for (int64_t n = 1; n <= MOST; n++)
                for (int64_t gap = 0; gap < TIMES; gap++)
                    check_zipped(run, scalar, rows, n, gap);
        check_zipped(run, scalar, 9, 100, 0); /* wider than the buffer */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_shape_is_transposed),
                                       cmocka_unit_test(rows_are_zipped_to_columns)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
