// SPDX-License-Identifier: BSD-3-Clause
/* `sluice run`: inputs, outputs and formats. */
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

/* ---------------------------------------------------------------- run ------------------- */

enum { POINTS = 64, COUNT = 2603 }; /* a prime: whatever the blocks are, the last one is short */

static float *random_samples(size_t floats)
{
    float *x = malloc(floats * sizeof *x);
    assert_non_null(x);
    uint32_t seed = 12345;
    for (size_t i = 0; i < floats; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / (float)(1 << 23) - 1;
    }
    return x;
}

static void make_input(void)
{
    float *x = random_samples(2 * POINTS * COUNT);
    tool_write("in.raw", x, 2 * POINTS * COUNT * sizeof *x);
    free(x);
}

/* Relative error of one transform by the definition. */
static double error_of(const float *x, const float *y)
{
    double difference = 0, size = 0;
    for (int k = 0; k < POINTS; k++) {
        double re = 0, im = 0;
        for (int j = 0; j < POINTS; j++) {
            double angle = -2 * acos(-1) * (j * k % POINTS) / POINTS;
            double c = cos(angle), s = sin(angle), a = (double)x[2 * j], b = (double)x[2 * j + 1];
            re += a * c - b * s;
            im += a * s + b * c;
        }
        difference += pow(re - (double)y[2 * k], 2) + pow(im - (double)y[2 * k + 1], 2);
        size += re * re + im * im;
    }
    return sqrt(difference / size);
}

static void run_is_right(void **state)
{
    (void)state;
    make_input();
    tool_check("$S run c2c:f32:64 -i in.raw -o out.raw", 0);
    size_t n, m;
    char *in = tool_read("in.raw", &n), *out = tool_read("out.raw", &m);
    assert_int_equal(n, m);
    for (size_t i = 0; i < COUNT; i++) {
        size_t at = i * 2 * POINTS * sizeof(float);
        assert_true(error_of((const float *)(in + at), (const float *)(out + at)) < 1e-6);
    }
    free(in);
    free(out);
}

/* Files, pipes that bring a few bytes at a time, one worker or all: the same bits. */
static void run_same_bits(void **state)
{
    (void)state;
    make_input();
    tool_check("$S run c2c:f32:64 -i in.raw -o out.raw", 0);
    tool_check("cat in.raw | $S run c2c:f32:64 | cat >piped.raw && cmp out.raw piped.raw >&2", 0);
    tool_check("dd if=in.raw bs=1000 2>/dev/null | $S run c2c:f32:64 -i - -o - >piped.raw && "
               "cmp out.raw piped.raw >&2",
               0);
    tool_check("$S --units cpu:1 run c2c:f32:64 <in.raw >piped.raw && cmp out.raw piped.raw >&2",
               0);
    tool_check("$S run c2c:f32:64:inplace -i in.raw -o in_place.raw", 0);
    tool_check(": >none.raw; $S run c2c:f32:64 -i none.raw -o zero.raw && test -e zero.raw && "
               "test ! -s zero.raw",
               0);
}

/* Split there and back is the identity but for the rounding; the halves lie as documented. */
static void run_split(void **state)
{
    (void)state;
    make_input();
    tool_check("$S run c2c:f32:64 -i in.raw -o out.raw", 0);
    tool_check("$S run c2c:f32:64:out=split -i in.raw -o split.raw", 0);
    tool_check("$S run c2c:f32:64:inverse:in=split -i split.raw -o back.raw", 0);
    size_t n, m, k;
    float *in = (float *)tool_read("in.raw", &n), *out = (float *)tool_read("out.raw", &m);
    float *split = (float *)tool_read("split.raw", &k);
    assert_int_equal(m, k);
    for (size_t i = 0; i < COUNT * POINTS; i++) {
        size_t at = i / POINTS * 2 * POINTS + i % POINTS;
        assert_true(fabsf(out[2 * i] - split[at]) < 1e-4f);
        assert_true(fabsf(out[2 * i + 1] - split[at + POINTS]) < 1e-4f);
    }
    float *back = (float *)tool_read("back.raw", &k);
    assert_int_equal(n, k);
    for (size_t i = 0; i < n / sizeof *in; i++)
        assert_true(fabsf(back[i] - POINTS * in[i]) < 1e-3f);
    free(in);
    free(out);
    free(split);
    free(back);
}

static void run_failures(void **state)
{
    (void)state;
    make_input();
    tool_check("rm -f bad*; { cat in.raw; printf tail; } >trail.raw; "
               "$S run c2c:f32:64 -i trail.raw -o bad.raw",
               3);
    assert_true(tool_file_contains("err", "the last 4 bytes of "));
    tool_check_absent("bad");
    tool_check("cat trail.raw | $S run c2c:f32:64 -o bad.raw", 3);
    assert_true(tool_file_contains("err", "the last 4 bytes of "));
    tool_check_absent("bad");
    tool_check("$S run c2c:f32:64 -i missing.raw -o bad.raw", 3);
    assert_true(tool_file_contains("err", "missing.raw: No such file"));
    tool_check_absent("bad");
    tool_check("$S run c2c:f32:64 -i . -o bad.raw", 3);
    tool_check_absent("bad");
    tool_check("$S run c2c:f32:64 -i in.raw -o nowhere/bad.raw", 3);
    tool_check("$S run c2c:f32:64 -i in.raw -o /dev/full", 3);
    assert_true(tool_file_contains("err", "No space left"));
    tool_check("$S run c2c:f32:64 -i in.raw >/dev/full", 3);
}

/* A failure leaves what was there before. */
static void run_keeps_old_output(void **state)
{
    (void)state;
    make_input();
    tool_check("echo old >kept.raw; { cat in.raw; printf tail; } | $S run c2c:f32:64 -o kept.raw",
               3);
    assert_true(tool_file_contains("kept.raw", "old"));
}

/* ---------------------------------------------------------------- formats --------------- */

enum { SAMPLES = 200, N = 16 };

/* By the definition, in doubles: X[k] of `x`, weighted where `weights` is not NULL. */
static void transform(const double (*x)[2], const double *weights, double (*to)[2])
{
    for (int k = 0; k < N; k++) {
        to[k][0] = to[k][1] = 0;
        for (int j = 0; j < N; j++) {
            double angle = -2 * acos(-1) * (j * k % N) / N, w = weights ? weights[j] : 1;
            to[k][0] += w * (x[j][0] * cos(angle) - x[j][1] * sin(angle));
            to[k][1] += w * (x[j][0] * sin(angle) + x[j][1] * cos(angle));
        }
    }
}

/* Compares transforms every `hop` samples of `x` with a file of floats or, `wide`, doubles. */
static void check_results(const char *path, bool wide, const double (*x)[2], size_t samples,
                          size_t hop, const double *weights)
{
    size_t length, size = wide ? sizeof(double) : sizeof(float);
    size_t count = samples < N ? 0 : (samples - N) / hop + 1;
    char *got = tool_read(path, &length);
    assert_non_null(got);
    assert_int_equal(length, count * 2 * N * size);
    for (size_t i = 0; i < count; i++) {
        double want[N][2];
        transform(x + i * hop, weights, want);
        for (size_t k = 0; k < 2 * N; k++) {
            float narrow;
            double value;
            memcpy(wide ? (void *)&value : (void *)&narrow, got + (i * 2 * N + k) * size, size);
            value = wide ? value : (double)narrow;
            assert_true(fabs(value - want[k / 2][k % 2]) < (wide ? 1e-13 : 2e-5));
        }
    }
    free(got);
}

/* Writes scalars of a format, first the limits of the range, and their values. */
static size_t make_scalars(int format, unsigned char *bytes, double *meaning)
{
    uint32_t seed = 7;
    size_t size = 0;
    for (size_t i = 0; i < 2 * SAMPLES; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t bits = i == 0 ? 0 : i == 1 ? 0xffffffffu : i == 2 ? 0x80000000u : seed;
        float f = (float)(int32_t)bits / 2147483648.0f;
        double d = (double)(int32_t)bits / 2147483648.0;
        int16_t i16 = (int16_t)(bits >> 16);
        int8_t i8 = (int8_t)(bits >> 24);
        uint8_t u8 = (uint8_t)(bits >> 24);
        const void *from[] = {&f, &d, &i16, &u8, &i8};
        const size_t sizes[] = {4, 8, 2, 1, 1};
        const double means[] = {(double)f, d, i16 / 32768.0, (u8 - 127.5) / 127.5, i8 / 128.0};
        size = sizes[format];
        memcpy(bytes + i * size, from[format], size);
        meaning[i] = means[format];
    }
    return size;
}

/* Every format, complex and real, in both precisions, from a file and a pipe, with hops of every
 * kind and a window. */
static void run_formats(void **state)
{
    (void)state;
    static const char *const names[] = {"f32", "f64", "i16", "u8", "i8"};
    static const size_t hops[] = {N, 1, 5, N + 1, 5 * N};
    double meaning[2 * SAMPLES], x[SAMPLES][2], hann[N];
    unsigned char bytes[2 * SAMPLES * 8];
    for (int i = 0; i < N; i++)
        hann[i] = 0.5 - 0.5 * cos(2 * acos(-1) * i / N);
    for (int c = 0; c < 5 * 2 * 2 * 5; c++) {
        const int format = c % 5;
        const bool real = c / 5 % 2, wide = c / 10 % 2;
        const size_t hop = hops[c / 20], samples = hop == N ? SAMPLES / N * N : SAMPLES;
        const bool window = c % 3 == 1;
        size_t size = make_scalars(format, bytes, meaning);
        for (size_t i = 0; i < SAMPLES; i++) {
            x[i][0] = meaning[real ? i : 2 * i];
            x[i][1] = real ? 0 : meaning[2 * i + 1];
        }
        tool_write("raw", bytes, samples * size * (real ? 1 : 2));
        tool_checkf(0, "%s $S run c2c:%s:%d --format %s %s%s -o results --hop %zu %s",
                    c % 2 ? "cat raw |" : "", wide ? "f64" : "f32", N, names[format],
                    real ? "--real " : "", c % 2 ? "" : "-i raw", hop,
                    window ? "--window hann" : "");
        check_results("results", wide, (const double(*)[2])x, samples, hop, window ? hann : NULL);
        if (hop == N && !window) { /* the same without --hop, and what is split */
            tool_checkf(0, "$S run c2c:%s:%d -f %s %s -i raw | cmp - results >&2",
                        wide ? "f64" : "f32", N, names[format], real ? "-r" : "");
        }
    }
}

static void run_format_failures(void **state)
{
    (void)state;
    static const struct {
        const char *line, *sentence;
        int code;
    } cases[] = {
        {"$S run c2c:f32:64 --format i12 </dev/null", "--format i12 is none of f32, f64, i16", 2},
        {"$S run c2c:f32:64 --window no </dev/null", "--window no is none of hann", 2},
        {"$S run c2c:f32:64 --hop 0 </dev/null", "--hop 0 is not a number from 1", 2},
        {"$S run c2c:f32:64*2 --hop 8 </dev/null", "one axis, without a batch", 2},
        {"$S run c2c:f32:64 --window no.npy </dev/null", "cannot open no.npy", 2},
        {"$S run c2c:f32:64 --extent 65 </dev/null", "more than the input's axes have", 2},
        {"$S run c2c:f32:64 --extent 8x8 </dev/null", "is not 1 number from 1", 2},
        {"$S run c2c:f32:64:inplace --extent 8 </dev/null", "out of place", 2},
        {"$S run c2c:f32:64:in=split --hop 8 </dev/null", "not for in=split", 2},
        {"printf abcde | $S run c2c:f32:64 --format i16 --hop 8", "ends inside a sample", 3},
        {"printf abcde | $S run c2c:f32:64 --format i8 -r", "ends inside a transform", 3},
        {"printf abcde | $S run c2c:f32:64 --format i8 -r --hop 1", "fewer than one transform", 3},
        {"printf abcde >five; $S run c2c:f32:64 -f i8 -r -H 1 -i five -o bad", "fewer than", 3},
        {"$S run c2c:f32:64 --format npy </dev/null", "is no .npy file", 3},
        {"$S run c2c:f32:64 --format npy --real </dev/null", "says whether its numbers are", 2},
        {"$S run c2c:f32:64 -i missing.npy", "cannot open missing.npy: No such file", 3},
        {"mkfifo pipe.npy; cat pipe.npy & $S run c2c:f32:64 -i in.raw -o pipe.npy",
         "must be a regular file", 2},
    };
    make_input();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tool_check(cases[i].line, cases[i].code);
        assert_true(tool_file_contains("err", cases[i].sentence));
        tool_check_absent("bad");
    }
    tool_check("$S run c2c:f32:64 --format i16 --hop 32 -o none </dev/null && test ! -s none", 0);
}

/* Zeros after the samples of a file are what --extent adds, by rows too; a window is of these. */
static void run_extents(void **state)
{
    (void)state;
    static const char *const ways[][2] = {{"c2c:f32:16 --extent 10", "c2c:f32:16"},
                                          {"r2c:f64:4x6 -e 3x5", "r2c:f64:4x6"},
                                          {"c2c:f32:8*2:in=split --extent 5", NULL}};
    float x[3 * 20], wide[3 * 32] = {0};
    double rows[2 * 3 * 5], padded[2 * 4 * 6] = {0};
    for (int i = 0; i < 60; i++)
        wide[i / 20 * 32 + i % 20] = x[i] = (float)(i * 37 % 11 - 5);
    for (int i = 0; i < 30; i++)
        padded[i / 15 * 24 + i % 15 / 5 * 6 + i % 5] = rows[i] = i * 37 % 11 - 5;
    tool_write("short.raw", x, sizeof x);
    tool_write("wide.raw", wide, sizeof wide);
    tool_write("rows.raw", rows, sizeof rows);
    tool_write("padded.raw", padded, sizeof padded);
    tool_checkf(0, "$S run %s -i short.raw -o a.raw && $S run %s -i wide.raw | cmp - a.raw >&2",
                ways[0][0], ways[0][1]);
    tool_checkf(0, "$S run %s -i rows.raw -o a.raw && $S run %s -i padded.raw | cmp - a.raw >&2",
                ways[1][0], ways[1][1]);
    tool_checkf(0, "$S run %s -i short.raw | wc -c >&2 && test \"$(cat err)\" = 384", ways[2][0]);
    tool_check("$S run c2c:f32:16 -e 10 -i short.raw -o a.raw", 0);
    tool_check("$S run c2c:f32:16 -e 10 -w rect -i short.raw | cmp - a.raw >&2", 0);
    tool_check("! $S run c2c:f32:16 -e 10 -w hann -i short.raw | cmp -s - a.raw", 0);
}

/* Weights of a file: those of a window are the same, others of another number are refused. */
static void run_own_window(void **state)
{
    (void)state;
    unsigned char npy[128 + 16 * sizeof(double)];
    double weights[16];
    for (int i = 0; i < 16; i++)
        weights[i] = 0.5 - 0.5 * cos(2 * acos(-1) / 16 * i);
    memset(npy, ' ', 128);
    memcpy(npy, "\x93NUMPY\x01\x00\x76\x00", 10);
    const char header[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (16,), }";
    memcpy(npy + 10, header, sizeof header - 1);
    npy[127] = '\n';
    memcpy(npy + 128, weights, sizeof weights);
    tool_write("own.npy", npy, sizeof npy);
    make_input();
    tool_check("$S run c2c:f64:16*2 -f i8 -w own.npy -i in.raw -o own.raw", 0);
    tool_check("$S run c2c:f64:16*2 -f i8 -w hann -i in.raw | cmp - own.raw >&2", 0);
    tool_check("$S run c2c:f32:32 -w own.npy </dev/null", 2);
    assert_true(tool_file_contains("err", "holds no 32 real numbers"));
}

/* NaN is transformed like other samples, but a message tells its position. */
static void run_not_finite(void **state)
{
    (void)state;
    static const char *const ways[] = {"c2c:f32:16", "c2c:f32:16 --window hann",
                                       "c2c:f64:16 --format f32", "c2c:f32:16:in=split"};
    float x[5 * 32] = {0};
    x[3 * 32 + 7] = NAN;
    x[4 * 32 + 1] = INFINITY;
    tool_write("nan.raw", x, sizeof x);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        tool_checkf(0, "$S run %s -i nan.raw -o out.raw", ways[i]);
        assert_true(
            tool_file_contains("err", "nan.raw: 2 of 5 transforms have samples that are not finite "
                                      "(NaN or infinite), first number 3, counted from 0"));
    }
    tool_check("head -c 384 nan.raw | $S run c2c:f32:16 | wc -c >&2 && test \"$(cat err)\" = 384",
               0);
}

/* ---------------------------------------------------------------- main ------------------ */

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_is_right),
        cmocka_unit_test(run_same_bits),
        cmocka_unit_test(run_split),
        cmocka_unit_test(run_failures),
        cmocka_unit_test(run_keeps_old_output),
        cmocka_unit_test(run_formats),
        cmocka_unit_test(run_format_failures),
        cmocka_unit_test(run_not_finite),
        cmocka_unit_test(run_extents),
        cmocka_unit_test(run_own_window),
    };
    int code = tool_begin();
    return code ? code : tool_end(cmocka_run_group_tests_name("tool_run", tests, NULL, NULL));
}
