// SPDX-License-Identifier: BSD-3-Clause
/* `sluice run` with .npy files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_tool.h"

enum { POINTS = 64, COUNT = 2603 };

static void make_input(void)
{
    float *x = malloc(2 * POINTS * COUNT * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < 2 * POINTS * COUNT; i++)
        x[i] = (float)(i * 7919 % 1013) / 512 - 1;
    tool_write("in.raw", x, 2 * POINTS * COUNT * sizeof *x);
    free(x);
}

/* A file of version 1, 2 or 3 with the header's dictionary as given. */
static void make_npy(const char *path, int version, const char *dictionary, const void *numbers,
                     size_t bytes)
{
    unsigned char file[4096] = "\x93NUMPY";
    const size_t start = version == 1 ? 10 : 12, length = strlen(dictionary);
    assert_true(start + length + bytes <= sizeof file);
    file[6] = (unsigned char)version;
    file[8] = (unsigned char)length;
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + start, dictionary, length);
    memcpy(file + start + length, numbers, bytes);
    tool_write(path, file, start + length + bytes);
}

/* The header as numpy's documents have it, byte by byte. */
static void npy_header(void **state)
{
    (void)state;
    make_input();
    tool_check(
        "$S run c2c:f32:64 -i in.raw -o out.npy && $S run c2c:f32:64 -i in.raw -o out.raw && "
        "tail -c $(stat -c %s out.raw) out.npy | cmp - out.raw >&2",
        0);
    size_t length, results;
    char *file = tool_read("out.npy", &length);
    free(tool_read("out.raw", &results));
    size_t header = length - results, text = (unsigned char)file[8] + 256u * (unsigned char)file[9];
    assert_memory_equal(file, "\x93NUMPY\1\0", 8);
    assert_int_equal(header % 64, 0);
    assert_int_equal(text, header - 10);
    assert_int_equal(file[header - 1], '\n');
    static const char dictionary[] =
        "{'descr': '<c8', 'fortran_order': False, 'shape': (2603, 64), }";
    assert_memory_equal(file + 10, dictionary, sizeof dictionary - 1);
    for (size_t i = 10 + sizeof dictionary - 1; i < header - 1; i++)
        assert_int_equal(file[i], ' ');
    free(file);
    /* a pipe, whose count is known at the end only, gives the same file */
    tool_check("cat in.raw | $S run c2c:f32:64 -o piped.npy && cmp out.npy piped.npy >&2", 0);
    tool_check("$S run c2c:f32:64:inverse -i out.npy -o back.npy && "
               "$S run c2c:f32:64:inverse --format npy <out.npy >back.raw && "
               "tail -c $(stat -c %s out.raw) back.npy | cmp - back.raw >&2",
               0);
}

static void npy_input(void **state)
{
    (void)state;
    static const int16_t big[] = {0x0100, 0x0200, 0x0300, 0x0400}; /* 1 2 3 4, big endian */
    static const float want[] = {10, 0, -2, 2, -2, 0, -2, -2};
    static const struct {
        int version;
        const char *dictionary;
    } forms[] = {
        {1, "{'descr': '>i2', 'fortran_order': False, 'shape': (4,), }\n"},
        {2, "{'shape':(1,4),'fortran_order':False,'descr':'>i2'}"},
        {3, "{ \"fortran_order\" : False , \"descr\" : \">i2\" , \"shape\" : ( 1 , 1 , 4 ) }   \n"},
        {1, "{'descr': '>i2', 'fortran_order': True, 'shape': (4L,)}"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        make_npy("in.npy", forms[i].version, forms[i].dictionary, big, sizeof big);
        tool_check("$S run c2c:f32:4 -i in.npy -o out.raw", 0);
        size_t length;
        char *got = tool_read("out.raw", &length);
        assert_int_equal(length, sizeof want);
        for (size_t k = 0; k < sizeof want / sizeof want[0]; k++)
            assert_true(fabsf(((const float *)got)[k] - want[k]) < 1e-5f);
        free(got);
    }
}

static void npy_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *dictionary, *sentence;
        int code;
    } cases[] = {
        {"{'descr': '<c8', 'fortran_order': True, 'shape': (2, 4)}", "is in Fortran order", 3},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (4,)}", "numbers of type <f2", 3},
        {"{'descr': '<c32', 'fortran_order': False, 'shape': (4,)}", "numbers of type <c32", 3},
        {"{'descr': '|f4', 'fortran_order': False, 'shape': (4,)}", "numbers of type |f4", 3},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}", "several fields", 3},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (3, 5)}", "of shape (3, 5); c2c", 2},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (5,)}",
         "holds 5 samples: 1 transforms of 4 and 1", 2},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': ()}", "of shape (); c2c", 2},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (9, 4)}", "is truncated: ", 3},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
         "more elements than there can be", 3},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (-4,)}", "shape is not understood", 3},
        {"{'descr': '<c8', 'fortran_order': False}", "without descr, shape or", 3},
        {"{'descr': '<c8', 'descr': '<c8', 'shape': (4,)}", "twice the key 'descr'", 3},
        {"{'descr': '<c8', 'extra': 1, 'shape': (4,)}", "the unknown key 'extra'", 3},
        {"{'descr': '<c8', 'fortran_order': 0, 'shape': (4,)}", "is not understood at", 3},
        {"{'descr': ''", "is not understood at", 3},
        {"nonsense", "is no dictionary", 3},
        {"", "is no dictionary", 3},
    };
    static const float numbers[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_npy("bad_in.npy", 1, cases[i].dictionary, numbers, 64);
        tool_check("$S run c2c:f32:4 -i bad_in.npy -o bad_out.npy", cases[i].code);
        assert_true(tool_file_contains("err", "bad_in.npy"));
        assert_true(tool_file_contains("err", cases[i].sentence));
        tool_check_absent("bad_out");
    }
    make_npy("bad_in.npy", 4, "", numbers, 64);
    tool_check("$S run c2c:f32:4 -i bad_in.npy -o bad_out.npy", 3);
    assert_true(tool_file_contains("err", "of version 4.0 of the .npy format"));
}

/* Files of numpy are read, and numpy reads the results, with the values of numpy.fft. */
static const char with_numpy[] =
    "import numpy as np, os, sys\n"
    "rng = np.random.default_rng(1)\n"
    "def check(problem, x, want, *more):\n"
    "    np.save('x.npy', x)\n"
    "    args = ' '.join((problem, '-i x.npy -o y.npy', *more))\n"
    "    assert os.system(sys.argv[1] + ' run ' + args) == 0, args\n"
    "    y = np.load('y.npy')\n"
    "    assert y.shape == want.shape, (args, x.dtype, x.shape, y.shape)\n"
    "    assert y.dtype == ('c8' if 'f32' in problem else 'c16')\n"
    "    error = np.linalg.norm(y - want) / max(np.linalg.norm(want), 1e-9)\n"
    "    assert error < (1e-6 if 'f32' in problem else 1e-14), (args, x.dtype, error)\n"
    "for t in '<c8 >c8 <c16 >c16 <f4 >f4 <f8 >f8 <i2 >i2 u1 i1'.split():\n"
    "    for shape in (16,), (5, 16), (2, 3, 16), (0, 16):\n"
    "        x = (abs(rng.normal(size=shape)) * 30).astype(t)\n"
    "        wide = x.astype('c16')\n"
    "        p = 'f64' if t in ('<c16', '>f8', '>i2') else 'f32'\n"
    "        check('c2c:%s:16' % p, x, np.fft.fft(wide) if wide.size else wide)\n"
    "x = rng.normal(size=(3, 4, 8)).astype('c8')\n"
    "check('c2c:f32:4x8', x, np.fft.fft2(x))\n"
    "check('c2c:f32:8*4', x, np.fft.fft(x))\n"
    "check('c2c:f32:4x8:in=split:out=split', x, np.fft.fft2(x))\n"
    "x = rng.normal(size=640)\n"
    "check('c2c:f64:64', x, np.fft.fft(x.reshape(10, 64)))\n"
    "frames = np.stack([x[i:i + 64] for i in range(0, 640 - 63, 24)])\n"
    "check('c2c:f64:64', x, np.fft.fft(frames * np.hamming(65)[:64]), '--hop 24 -w hamming')\n";

static void npy_with_numpy(void **state)
{
    (void)state;
    tool_write("with_numpy.py", with_numpy, sizeof with_numpy - 1);
    if (tool_shell("for p in python3 /usr/bin/python3; do $p -c 'import numpy' && ln -sf "
                   "$(command -v $p) with_numpy && exit 0; done; exit 1"))
        skip();
    tool_check("./with_numpy with_numpy.py \"$S\" || { echo sluice: >&2; exit 1; }", 0);
}

/* Transforms of reals, with the values of scipy.fft, which divides by the points on the way
 * back. */
static const char with_scipy[] =
    "import numpy as np, os, sys\n"
    "import scipy.fft as sf\n"
    "rng = np.random.default_rng(1)\n"
    "def check(problem, x, want, *more):\n"
    "    np.save('x.npy', x)\n"
    "    args = ' '.join((problem, '-i x.npy -o y.npy', *more))\n"
    "    assert os.system(sys.argv[1] + ' run ' + args) == 0, args\n"
    "    y = np.load('y.npy')\n"
    "    assert y.shape == want.shape and y.dtype.kind == want.dtype.kind, (args, y.shape)\n"
    "    error = np.linalg.norm(y - want) / np.linalg.norm(want)\n"
    "    assert error < (1e-6 if 'f32' in problem else 1e-14), (args, error)\n"
    "for shape in (1,), (2,), (7,), (8,), (60,), (97,), (1000,), (4, 6), (5, 7), (6, 5), (1, 8), "
    "(8, 1), (3, 4, 10), (2, 3, 4, 5):\n"
    "    sizes, n = 'x'.join(map(str, shape)), np.prod(shape)\n"
    "    axes = tuple(range(1, 1 + len(shape)))\n"
    "    x = rng.normal(size=(3, *shape))\n"
    "    half = (3, *shape[:-1], shape[-1] // 2 + 1)\n"
    "    z = rng.normal(size=half) + 1j * rng.normal(size=half)\n"
    "    check('r2c:f64:' + sizes, x, sf.rfftn(x, axes=axes))\n"
    "    check('r2c:f32:' + sizes + ':out=split', x, sf.rfftn(x, axes=axes))\n"
    "    check('c2r:f64:' + sizes, z, sf.irfftn(z, s=shape, axes=axes) * n)\n"
    "    check('c2r:f32:' + sizes + ':in=split', z, sf.irfftn(z, s=shape, axes=axes) * n)\n"
    "x = rng.normal(size=640)\n"
    "frames = np.stack([x[i:i + 64] for i in range(0, 640 - 63, 24)])\n"
    "check('r2c:f64:64', x, sf.rfft(frames * np.hamming(65)[:64]), '--hop 24 -w hamming')\n";

static void npy_with_scipy(void **state)
{
    (void)state;
    tool_write("with_scipy.py", with_scipy, sizeof with_scipy - 1);
    if (tool_shell("for p in python3 /usr/bin/python3; do $p -c 'import scipy' && ln -sf "
                   "$(command -v $p) with_scipy && exit 0; done; exit 1"))
        skip();
    tool_check(
        "SLUICE_UNITS=ref ./with_scipy with_scipy.py \"$S\" || { echo sluice: >&2; exit 1; }", 0);
}

/* ---------------------------------------------------------------- main ------------------ */

/* The header of a .npy file is never read as samples, whatever the file's name. */
static void npy_under_another_name(void **state)
{
    (void)state;
    make_input();
    tool_check("$S run c2c:f32:64 -i in.raw -o out.npy && cp out.npy out.dat && cp out.npy out.NPY",
               0);
    tool_check("rm -f bad*; $S run c2c:f32:64 -i out.dat -o bad.raw", 2);
    assert_true(tool_file_contains("err", "out.dat is a .npy file; --format npy reads it"));
    tool_check("$S run c2c:f32:64 --hop 7 --format i16 --real <out.npy >bad.raw", 2);
    assert_true(tool_file_contains("err", "standard input is a .npy file"));
    tool_check("$S run c2c:f32:64 -i out.NPY -o again.npy && $S run c2c:f32:64 -f npy -o piped.npy "
               "<out.dat && cmp again.npy piped.npy >&2",
               0);
    tool_check("printf '\\223NUMPX' >odd.raw; $S run c2c:f32:1 --format i8 --real -i odd.raw -o y",
               0);
    tool_check("test $(stat -c %s y) = 48", 0); /* six samples: what was looked at is not lost */
}

static void npy_with_a_rest(void **state)
{
    (void)state;
    static const float numbers[100];
    make_npy("rest.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (100,), }", numbers,
             sizeof numbers);
    tool_check("$S run c2c:f32:64 -i rest.npy -o bad.npy", 2);
    assert_true(tool_file_contains(
        "err", "rest.npy holds 100 samples: 1 transforms of 64 and 36 samples more; "
               "--hop 64 leaves those out"));
    tool_check("$S run c2c:f32:64 -i rest.npy --hop 64 -o good.npy", 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_header),      cmocka_unit_test(npy_input),
        cmocka_unit_test(npy_refusals),    cmocka_unit_test(npy_with_numpy),
        cmocka_unit_test(npy_with_scipy),  cmocka_unit_test(npy_under_another_name),
        cmocka_unit_test(npy_with_a_rest),
    };
    int code = tool_begin();
    return code ? code : tool_end(cmocka_run_group_tests_name("tool_npy", tests, NULL, NULL));
}
