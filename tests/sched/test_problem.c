// SPDX-License-Identifier: BSD-3-Clause
/* Problem strings: what is read, what is written, what is refused where. (Checks of the struct and
 * random problems: test_problem_shape.c.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/problem/problem.h"
#include "sched/problem/problem_keywords.h"
#include "tests/helpers/helper_leaks.h"

static sluice_problem parsed(const char *text)
{
    sluice_problem p;
    sluice_diag why = {0};
    memset(&p, 0, sizeof p);
    if (sched_problem_parse(&p, text, &why) != SLUICE_OK)
        fail_msg("%s: %s (at %zu)", text, why.message, why.offset);
    return p;
}

/* print(p) parses back to p, byte for byte; `text` gets what was printed. */
static void round_trip(const sluice_problem *p, char *text, size_t size)
{
    core_text out = {0};
    assert_int_equal(sched_problem_print(p, &out), SLUICE_OK);
    const sluice_problem again = parsed(core_text_string(&out));
    if (memcmp(&again, p, sizeof again) != 0)
        fail_msg("%s parses back to something else", core_text_string(&out));
    assert_true(out.length < size);
    memcpy(text, core_text_string(&out), out.length + 1);
    core_text_free(&out);
}

/* NULL: comes back as it was written. The first lines are the examples of the design notes. */
static const char *const written[][2] = {
    {"c2c:f32:1024*4096", NULL},
    {"c2c:f64:512x512x512:inverse", NULL},
    {"c2c:f32:4096*7:in=split:out=interleaved", "c2c:f32:4096*7:in=split"},
    {"r2c:f32:4096*1000:inplace", NULL},
    {"dct2:f32:1080x1920", NULL},
    {"dct3*idxst:f64:512x512", NULL},
    {"c2c:f32:1048576:latency:workers=4", "c2c:f32:1048576:workers=4"},
    {"c2c:f32:64@80/64*16@5120/4096", NULL},
    {"c2c:f32:1", NULL},
    {"c2c:f32:1*1", NULL},
    {"c2c:f32:0016*4", "c2c:f32:16*4"},
    {"c2c:f32:16:throughput", NULL},
    {"c2c:f32:16*4:throughput", "c2c:f32:16*4"},
    {"c2c:f32:16*4:latency", NULL},
    {"c2c:f32:16*1:latency", "c2c:f32:16*1"},
    {"c2c:f32:16:forward:scale=none", "c2c:f32:16"},
    {"c2c:f32:16:inverse:forward", "c2c:f32:16"},
    {"c2c:f32:16:scale=n:scale=ortho", "c2c:f32:16:scale=ortho"},
    {"c2c*c2c:f64:4x4", "c2c:f64:4x4"},
    {"r2c:f64:4x4", NULL},
    {"c2c*c2c*c2r:f64:4x6x8", "c2r:f64:4x6x8"},
    {"r2c*r2c:f64:4x4", "r2c:f64:4x4"},
    {"dct2*r2c:f64:4x4", NULL},
    {"r2c:f32:4096@1*10@5000:inplace", "r2c:f32:4096@1/1*10@5000/2500:inplace"},
    {"c2r:f32:3@8/16x15@1/1:inplace", NULL},
    {"dct2*dct2*dst4:f64:4x4x4", NULL},
    {"c2c:f32:16@1", NULL},
    {"c2c:f32:16@-1", NULL},
    {"c2c:f32:16@/-3", NULL},
    {"c2c:f32:16@/-3*4@/48", NULL},
    {"c2c:f32:16@-2/-3*1*4@7/48", NULL},
    {"c2c:f32:8@4x4@1x1@9:out=split", "c2c:f32:8@4x4@1x1:out=split"},
    {"c2c:f32:16@5:inplace", "c2c:f32:16@5/5:inplace"},
    {"c2c:f32:16@/5:inplace", "c2c:f32:16@5/5:inplace"},
    {"c2c:f32:64:in_cyclic=4/8:out_cyclic=16/2", NULL},
    {"c2c:f32:1099511627776", NULL},
    {"c2c:f32:2x2x2x2x2x2x2x2*3*3*3*3*3*3*3*3", NULL},
    {"c2c:f32:16:in=split:out=split:inplace", "c2c:f32:16:inplace:in=split:out=split"},
    {"r2c:f32:16:out=halfcomplex:scale=n", NULL},
    {"c2r:f64:16:in=packed:workers=65536", NULL},
};

static void strings_come_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        char text[200];
        const sluice_problem p = parsed(written[i][0]);
        round_trip(&p, text, sizeof text);
        const char *expected = written[i][1] == NULL ? written[i][0] : written[i][1];
        assert_string_equal(text, expected);
    }
}

static void every_field_is_read(void **state)
{
    (void)state;
    const sluice_problem p =
        parsed("dct3*idxst:f64:6@-40/1x5@8/6*4@1/-30:workers=3:scale=ortho:latency");
    assert_int_equal(p.kind[0], SLUICE_DCT3);
    assert_int_equal(p.kind[1], SLUICE_IDXST);
    assert_int_equal(p.precision, SLUICE_F64);
    assert_int_equal(p.rank, 2);
    assert_int_equal(p.dim[0].n, 6);
    assert_int_equal(p.dim[0].in_stride, -40);
    assert_int_equal(p.dim[0].out_stride, 1);
    assert_int_equal(p.dim[1].n, 5);
    assert_int_equal(p.dim[1].in_stride, 8);
    assert_int_equal(p.dim[1].out_stride, 6);
    assert_int_equal(p.batch_rank, 1);
    assert_int_equal(p.batch[0].n, 4);
    assert_int_equal(p.batch[0].out_stride, -30);
    assert_int_equal(p.workers, 3);
    assert_int_equal(p.scale, SLUICE_SCALE_ORTHO);
    assert_int_equal(p.mode, SLUICE_LATENCY);
    const sluice_problem q = parsed("c2c:f32:64:in_cyclic=4/8:out_cyclic=2/16");
    assert_int_equal(q.in_cyclic.block, 4);
    assert_int_equal(q.in_cyclic.parts, 8);
    assert_int_equal(q.out_cyclic.block, 2);
    assert_int_equal(q.out_cyclic.parts, 16);
    assert_int_equal(parsed("c2c:f32:64").mode, SLUICE_LATENCY);
    assert_int_equal(parsed("c2c:f32:64*2").mode, SLUICE_THROUGHPUT);
}

static void every_word_is_read(void **state)
{
    (void)state;
    char text[100], printed[100];
    for (int i = 0; i < sched_kind_count; i++) {
        snprintf(text, sizeof text, "%s:f64:8", sched_kind_keywords[i].text);
        const sluice_problem p = parsed(text);
        assert_int_equal(p.kind[0], sched_kind_keywords[i].value);
        round_trip(&p, printed, sizeof printed);
        assert_string_equal(printed, text);
    }
    assert_int_equal(sched_kind_count, SLUICE_DHT - SLUICE_KIND_SAME);
    assert_int_equal(sched_layout_count, SLUICE_HALFCOMPLEX + 1);
    assert_int_equal(sched_scale_count, SLUICE_SCALE_ORTHO + 1);
    assert_int_equal(sched_precision_count, SLUICE_F64 + 1);
    assert_string_equal(sched_keyword_text(sched_kind_keywords, sched_kind_count, 99), "?");
}

/* The options of combination `c`, each absent or one of its words. */
enum { OPTIONS = 8 };
static const char *const option_words[OPTIONS][5] = {
    {"", "inverse"},
    {"", "inplace"},
    {"", "in=split", "in=packed", "in=halfcomplex"},
    {"", "out=split", "out=packed", "out=halfcomplex"},
    {"", "in_cyclic=2/4"},
    {"", "out_cyclic=1/16", "latency", "throughput"},
    {"", "scale=n", "scale=ortho"},
    {"", "workers=2"},
};

static int option_count(int option)
{
    int n = 0;
    while (n < 5 && option_words[option][n] != NULL)
        n++;
    return n;
}

static void compose(char *text, size_t size, const char *kind, const int *choice, bool backwards)
{
    size_t used = (size_t)snprintf(text, size, "%s:f32:16", kind);
    for (int i = 0; i < OPTIONS; i++) {
        const int option = backwards ? OPTIONS - 1 - i : i;
        const char *word = option_words[option][choice[option]];
        if (*word != '\0')
            used += (size_t)snprintf(text + used, size - used, ":%s", word);
    }
}

static void check_combination(const char *kind, const int *choice)
{
    char text[200], printed[200];
    sluice_problem p, q;
    sluice_diag why;
    const bool real = strcmp(kind, "r2c") == 0;
    const bool good = !(real && choice[0])
                      && !(choice[1] && (choice[2] == 1) != (choice[3] == 1)) /* split */
                      && (real ? choice[2] == 0 && choice[4] == 0 && choice[5] != 1
                               : choice[2] < 2 && choice[3] < 2);
    memset(&p, 0, sizeof p);
    memset(&q, 0, sizeof q);
    compose(text, sizeof text, kind, choice, false);
    const sluice_status status = sched_problem_parse(&p, text, &why);
    assert_int_equal(status, good ? SLUICE_OK : SLUICE_E_INVALID);
    compose(text, sizeof text, kind, choice, true);
    assert_int_equal(sched_problem_parse(&q, text, &why), status);
    assert_memory_equal(&p, &q, sizeof p);
    if (!good)
        return;
    assert_int_equal(p.direction, choice[0]);
    assert_int_equal(p.in_place, choice[1]);
    assert_int_equal(p.in_layout, choice[2]);
    assert_int_equal(p.out_layout, choice[3]);
    assert_int_equal(p.in_cyclic.parts, choice[4] ? 4 : 0);
    assert_int_equal(p.out_cyclic.parts, choice[5] == 1 ? 16 : 0);
    assert_int_equal(p.mode, choice[5] == 3 ? SLUICE_THROUGHPUT : SLUICE_LATENCY);
    assert_int_equal(p.scale, choice[6]);
    assert_int_equal(p.workers, choice[7] ? 2 : 0);
    round_trip(&p, printed, sizeof printed);
}

static void options_combine_in_any_order(void **state)
{
    (void)state;
    int choice[OPTIONS] = {0};
    int i = 0, seen = 0;
    while (i < OPTIONS) {
        check_combination("c2c", choice);
        check_combination("r2c", choice);
        seen++;
        for (i = 0; i < OPTIONS && ++choice[i] == option_count(i); i++)
            choice[i] = 0;
    }
    assert_int_equal(seen, 2 * 2 * 4 * 4 * 2 * 4 * 3 * 2);
}

static const struct {
    const char *text;
    size_t offset;
    const char *word;
} malformed[] = {
    {"", 0, "kind"},
    {"c2", 0, "kind"},
    {"c2cc:f32:8", 0, "kind"},
    {" c2c:f32:8", 0, "kind"},
    {"C2C:f32:8", 0, "kind"},
    {"c2c", 3, "found the end"},
    {"c2c*:f32:8", 4, "kind"},
    {"c2c*c2c*c2c*c2c*c2c*c2c*c2c*c2c*c2c:f32:8", 35, "8 kinds"},
    {"c2c;f32:8", 3, "';'"},
    {"c2c:f16:8", 4, "f32 or f64"},
    {"c2c:f3:8", 4, "precision"},
    {"c2c:f323:8", 4, "precision"},
    {"c2c:f32", 7, "':'"},
    {"c2c:f32:", 8, "size"},
    {"c2c:f32:x8", 8, "size"},
    {"c2c:f32:-8", 8, "size"},
    {"c2c:f32:8x", 10, "size"},
    {"c2c:f32:8*", 10, "size"},
    {"c2c:f32:8*4x2", 11, "found 'x'"},
    {"c2c:f32:8 ", 9, "found ' '"},
    {"c2c:f32:8.5", 9, "found '.'"},
    {"c2c:f32:99999999999999999999", 8, "too large"},
    {"c2c:f32:9223372036854775808", 8, "too large"},
    {"c2c:f32:8x99999999999999999999", 10, "too large"},
    {"c2c:f32:8@", 10, "stride"},
    {"c2c:f32:8@:inverse", 10, "stride"},
    {"c2c:f32:8@/", 11, "stride"},
    {"c2c:f32:8@-", 11, "stride"},
    {"c2c:f32:8@--1", 11, "stride"},
    {"c2c:f32:8@+1", 10, "stride"},
    {"c2c:f32:8@1/2/3", 13, "found '/'"},
    {"c2c:f32:8@0", 10, "0"},
    {"c2c:f32:8@1/-0", 12, "0"},
    {"c2c:f32:8@9223372036854775808", 10, "too large"},
    {"c2c:f32:1x1x1x1x1x1x1x1x1", 24, "8 transform axes"},
    {"c2c:f32:1*1*1*1*1*1*1*1*1*1", 26, "8 batch dimensions"},
    {"c2c:f32:8:", 10, "option"},
    {"c2c:f32:8:backward", 10, "option"},
    {"c2c:f32:8:inversed", 10, "option"},
    {"c2c:f32:8:inverse1", 10, "option"},
    {"c2c:f32:8:in", 10, "option"},
    {"c2c:f32:8:in=", 13, "interleaved"},
    {"c2c:f32:8:in=splits", 13, "interleaved"},
    {"c2c:f32:8:out=split,", 19, "found ','"},
    {"c2c:f32:8:in_cyclic=", 20, "block"},
    {"c2c:f32:8:in_cyclic=4", 21, "'/'"},
    {"c2c:f32:8:in_cyclic=4/", 22, "parts"},
    {"c2c:f32:8:scale=two", 16, "ortho"},
    {"c2c:f32:8:scale=nn", 16, "ortho"},
    {"c2c:f32:8:workers", 10, "option"},
    {"c2c:f32:8:workers=", 18, "workers"},
    {"c2c:f32:8:workers=0", 18, "1 to 65536"},
    {"c2c:f32:8:workers=65537", 18, "1 to 65536"},
    {"c2c:f32:8::inverse", 10, "option"},
    {"c2c*dct2:f32:8", 0, "2 kinds for 1"},
    {"c2c*c2c:f32:8x8x8", 0, "one per axis"},
};

static void malformed_strings_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        sluice_problem p;
        sluice_diag why = {.offset = 999};
        memset(&p, 77, sizeof p);
        const sluice_problem before = p;
        if (sched_problem_parse(&p, malformed[i].text, &why) != SLUICE_E_PARSE)
            fail_msg("'%s' is not refused", malformed[i].text);
        if (why.offset != malformed[i].offset || strstr(why.message, malformed[i].word) == NULL)
            fail_msg("'%s': %zu: %s", malformed[i].text, why.offset, why.message);
        assert_memory_equal(&p, &before, sizeof p);
        assert_int_equal(sched_problem_parse(&p, malformed[i].text, NULL), SLUICE_E_PARSE);
    }
}

/* A prefix of a line is parsed without its end being looked at. */
static void a_prefix_is_parsed(void **state)
{
    (void)state;
    static const char line[] = "c2c:f64:16*4:inverse := DFT(16)";
    sluice_problem p, whole = parsed("c2c:f64:16*4:inverse");
    sluice_diag why;
    memset(&p, 0, sizeof p);
    assert_int_equal(sched_problem_parse_n(&p, line, 20, &why), SLUICE_OK);
    assert_memory_equal(&p, &whole, sizeof p);
    assert_int_equal(sched_problem_parse_n(&p, line, 12, &why), SLUICE_OK);
    assert_int_equal(p.direction, SLUICE_FORWARD);
    assert_int_equal(sched_problem_parse_n(&p, line, 15, &why), SLUICE_E_PARSE);
    assert_int_equal(why.offset, 13);
    assert_int_equal(sched_problem_parse_n(&p, line, 0, &why), SLUICE_E_PARSE);
    for (size_t n = 0; n < 20; n++) { /* exact copies: asan sees any look past the end */
        char *copy = core_malloc(n);
        memcpy(copy, line, n);
        (void)sched_problem_parse_n(&p, copy, n, &why);
        core_free(copy);
    }
}

static void printing_without_memory_fails(void **state)
{
    (void)state;
    const sluice_problem p = parsed("c2c:f32:16*4:inverse");
    core_text out = {0};
    core_mem_fail_from(1);
    assert_int_equal(sched_problem_print(&p, &out), SLUICE_E_MEMORY);
    core_mem_fail_from(0);
    core_text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(strings_come_back, nothing_leaks),
        cmocka_unit_test_teardown(every_field_is_read, nothing_leaks),
        cmocka_unit_test_teardown(every_word_is_read, nothing_leaks),
        cmocka_unit_test_teardown(options_combine_in_any_order, nothing_leaks),
        cmocka_unit_test_teardown(malformed_strings_are_refused, nothing_leaks),
        cmocka_unit_test_teardown(a_prefix_is_parsed, nothing_leaks),
        cmocka_unit_test_teardown(printing_without_memory_fails, nothing_leaks),
    };
    return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
