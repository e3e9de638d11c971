// SPDX-License-Identifier: BSD-3-Clause
/* Refusals: input that they quote is escaped and shortened, formulas say at which byte, limits are
 * the documented ones, and what need not be refused is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/quote.h"
#include "core/text.h"
#include "tests/helpers/helper_plan.h"

/* ---------------------------------------------------------------- quotes ---------------- */

static void quotes_are_escaped_and_shortened(void **state)
{
    static const struct {
        const char *bytes, *quoted;
        size_t length;
    } cases[] = {
        {"", "", SIZE_MAX},
        {"c2c:f32:16", "c2c:f32:16", SIZE_MAX},
        {"c2c:f32:16", "c2c", 3},
        {"a\x1b[31mb\n\t\x7f", "a\\x1b[31mb\\x0a\\x09\\x7f", SIZE_MAX},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
         "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", SIZE_MAX},
        {"\xc3", "\\xc3", SIZE_MAX}, /* cut short */
        {"\xc3\xbc", "\\xc3", 1},    /* by its length */
        {"\xc2\x9b"
         "x",
         "\\xc2\\x9bx", SIZE_MAX},            /* U+009B, a control character */
        {"\xc0\x8a", "\\xc0\\x8a", SIZE_MAX}, /* overlong newline */
        {"\xe0\x80\x8a", "\\xe0\\x80\\x8a", SIZE_MAX},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80", SIZE_MAX}, /* a surrogate */
        {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80", SIZE_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(core_quote(cases[i].bytes, cases[i].length).text, cases[i].quoted);
    for (size_t length = 0; length < 200; length++) {
        char long_text[256], wide[256];
        memset(long_text, 'x', length);
        long_text[length] = '\0';
        const core_quoted q = core_quote(long_text, SIZE_MAX);
        assert_true(strlen(q.text) < sizeof q.text);
        assert_true(length <= 63 ? strcmp(q.text, long_text) == 0 : strcmp(q.text + 61, "..") == 0);
        for (size_t i = 0; i + 1 < length; i += 2)
            memcpy(wide + i, "\xc3\xbc", 2);
        wide[length / 2 * 2] = '\0';
        const core_quoted w = core_quote(wide, SIZE_MAX); /* never cut inside a character */
        for (const char *c = w.text; *c != '\0' && strcmp(c, "..") != 0; c += 2)
            assert_memory_equal(c, "\xc3\xbc", 2);
    }
}

static void bytes_are_told_in_units(void **state)
{
    (void)state;
    assert_string_equal(core_bytes(0).text, "0 bytes");
    assert_string_equal(core_bytes(1023).text, "1023 bytes");
    assert_string_equal(core_bytes(1024).text, "1 KiB");
    assert_string_equal(core_bytes(16512).text, "16.1 KiB");
    assert_string_equal(core_bytes(1023 * 1024).text, "1023 KiB");
    assert_string_equal(core_bytes(3.5 * 1024 * 1024 * 1024).text, "3.5 GiB");
    assert_string_equal(core_bytes(1e30).text, "888178419700125 PiB");
}

/* What no machine of today can hold is explained, or refused with the memory it wants. */
static void explaining_wants_no_arrays(void **state)
{
    static const char *const units[] = {"ref", "cpu:2"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        sluice_machine *m = plan_machine(units[i], NULL);
        sluice_problem p;
        sluice_plan *plan = NULL;
        sluice_diag why = {0};
        assert_int_equal(sluice_problem_parse(&p, "c2c:f32:1048576x1048576", NULL), SLUICE_OK);
        const sluice_status status = sluice_plan_create(&plan, m, &p, NULL, &why);
        if (status != SLUICE_OK && (status != SLUICE_E_MEMORY || strstr(why.message, "iB") == NULL))
            fail_msg("%s: %d: %s", units[i], (int)status, why.message);
        sluice_plan_destroy(plan);
        sluice_machine_close(m);
    }
}

/* ---------------------------------------------------------------- control bytes --------- */

static void assert_clean(const char *what, sluice_status status, const sluice_diag *why)
{
    if (status == SLUICE_OK || why->message[0] == '\0')
        fail_msg("%s is not refused with a sentence", what);
    for (const char *c = why->message; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            fail_msg("%s: byte %d in '%s'", what, (unsigned char)*c, why->message);
}

static void control_bytes_stay_out_of_messages(void **state)
{
    static const char *const problems[] = {"\x1b[2Jc2c", "c2c:f32:8\x07", "c2c:f32:\n", "c2c:\x1b",
                                           "c2c:f32:8:in=\x1b"};
    static const char *const formulas[] = {
        "\x1b[2J",       "DFT(8)\x07",   "DFT(8) (x\n) \x1b", "DFT(\x7f", "c2c:\x1b := DFT(8)",
        "DFT(8)_{\x08}", "I(4) ( x\t) ]"};
    static const char *const units[] = {"\x1b[2J",  "cpu:\x1b", "cpu:4\x07",   "cpu:99999\x1b",
                                        "cpu/\x1b", "ref:\x1b", "fake:\x1b=1", "fake:2,\x1b"};
    sluice_problem p;
    sluice_machine *m = plan_machine("ref", NULL), *none;
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_diag why = {0};
        assert_clean("a problem", sluice_problem_parse(&p, problems[i], &why), &why);
    }
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        sluice_plan *plan;
        sluice_diag why = {0};
        assert_clean("a formula",
                     sluice_plan_from_formula(&plan, m, formulas[i], SLUICE_F32, NULL, &why), &why);
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const sluice_machine_options options = {.units = units[i]};
        sluice_diag why = {0};
        assert_clean("units", sluice_machine_open(&none, &options, &why), &why);
    }
    static const char *const variables[] = {"SLUICE_UNITS", "SLUICE_CPU", "SLUICE_TOPOLOGY"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const sluice_machine_options options = {.units = i == 0 ? NULL : "cpu"};
        const char *was = getenv(variables[i]);
        char *kept = was ? strdup(was) : NULL;
        sluice_diag why = {0};
        setenv(variables[i], "\x1b[2J\n", 1);
        assert_clean(variables[i], sluice_machine_open(&none, &options, &why), &why);
        if (kept)
            setenv(variables[i], kept, 1);
        else
            unsetenv(variables[i]);
        free(kept);
    }
    sluice_machine_close(m);
}

/* Long input leaves room for what is wrong with it. */
static void the_cause_follows_long_input(void **state)
{
    char units[4096];
    const sluice_machine_options options = {.units = units};
    sluice_machine *m;
    sluice_diag why = {0};
    (void)state;
    memset(units, 'x', sizeof units - 1);
    units[sizeof units - 1] = '\0';
    assert_int_equal(sluice_machine_open(&m, &options, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "ref or all"));
}

/* ---------------------------------------------------------------- places ---------------- */

/* '@' stands before the byte that is to be blamed. */
static void formulas_say_where(void **state)
{
    static const char *const cases[] = {
        "DFT(97)_{@spe(1,1)}",
        "(DFT(8)_{leaf} (x) I(8))_{@spe(2,9)} * L(64,8)",
        "DFT(8) + @DFT(9)",
        "DFT(8) * L(8,2) + DFT(8) + @I(4) * I(4)",
        "(DFT(4)_{leaf} (x) I(4))_{spe(2,2),@vec(4,inter)}",
        "(DFT(4) (x) I(4))_{vec(4,inter),spe(2,2),@spe(2,2)}",
        "(I(3) (x) DFT(4)_{leaf})_{stream(2),@local(4)}",
        "(I(3) (x) DFT(4))_{vec(2,inter)}_{@local(8)}",
        "SUM(k0<8, S(h(8,64,8*k0%8,1)) * @DFT(8) * G(h(8,64,8*k0%8,1)))",
        "DFT(4) (+) @DFT(1099511627689)",
        "I(2) (x) @L(9,2)",
        "DFT(8)_{leaf,leaf,leaf,leaf,leaf,leaf,leaf,leaf,@leaf}",
        "DFT(8) @DFT(8)",
        "DFT(4) * @DFT(8)",
        "(I(8) (x) DFT(4)_{leaf})_{vec(2,inter),tile(2),@spe(70000,1)}",
        ("((DFT(8)_{leaf} (x) I(8)) * T(8,8) * (I(8) (x) DFT(8)_{leaf})_{spe(2,1)} * "
         "L(64,8))_{@spe(2,4)}"),
    };
    static const char *const prefixes[] = {"", "  ",
                                           "c2c:f32:64 := ", " c2c:f32:8*3:inverse  :=\t "};
    sluice_machine *m = plan_machine("ref:2", NULL);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int k = 0; k < 4; k++) {
            char line[512];
            sluice_plan *plan;
            sluice_diag why = {0};
            snprintf(line, sizeof line, "%s%s", prefixes[k], cases[i]);
            char *at = strchr(line, '@');
            const size_t offset = (size_t)(at - line);
            memmove(at, at + 1, strlen(at));
            const sluice_status status =
                sluice_plan_from_formula(&plan, m, line, SLUICE_F32, NULL, &why);
            if (status == SLUICE_OK)
                fail_msg("%s is not refused", line);
            const bool sizes = strncmp(why.message, "the formula is ", 15) == 0;
            if (why.offset != (sizes ? strlen(prefixes[k]) : offset))
                fail_msg("%s: byte %zu, not %zu: %s", line, why.offset, offset, why.message);
        }
    sluice_machine_close(m);
}

/* ---------------------------------------------------------------- limits ---------------- */

static void the_limit_of_points_is_that_of_the_sentence(void **state)
{
    sluice_machine *m = plan_machine("ref", NULL);
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    (void)state;
    assert_int_equal(sluice_problem_parse(&p, "c2c:f32:1099511627776", &why), SLUICE_OK);
    const sluice_status status = sluice_plan_create(&plan, m, &p, NULL, &why);
    if (status != SLUICE_OK && (status != SLUICE_E_MEMORY || !strstr(why.message, "would take")))
        fail_msg("2^40 points: %s", why.message);
    sluice_plan_destroy(plan);
    assert_int_equal(sluice_problem_parse(&p, "c2c:f32:1099511627777", &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "limit 2^40 points"));
    assert_int_equal(sluice_problem_parse(&p, "c2c:f32:2@1099511627777", &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "limit 2^40 elements"));
    sluice_machine_close(m);
}

/* Stores that hold nothing, or more than a formula can say, stream what they can and nothing
 * else. */
static void any_local_store_plans(void **state)
{
    static const size_t stores[] = {
        1,       2, 3, 17, 1000003, (size_t)1 << 40, ((size_t)1 << 40) + 1, ((size_t)1 << 62) + 5,
        SIZE_MAX};
    static const char *const units[] = {"cpu:1/helper", "cpu:2/helper", "cpu:2/worker"};
    static const char *const problems[] = {"c2c:f32:4096*64", "c2c:f32:65536", "c2c:f64:64x64",
                                           "c2c:f32:1009*3"};
    (void)state;
    for (size_t s = 0; s < sizeof stores / sizeof stores[0]; s++)
        for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
            const sluice_machine_options options = {.units = units[u], .local_store = stores[s]};
            sluice_machine *m;
            assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
            for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
                sluice_plan_destroy(plan_made(m, problems[i]));
            sluice_machine_close(m);
        }
}

/* One part of a transform is as many as two: what is dealt is its product. */
static void one_part_is_broken_down_as_two(void **state)
{
    static const char *const sizes[] = {"8", "96", "64", "60", "121"};
    sluice_machine *m = plan_machine("cpu:2", NULL);
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int p = 1; p <= 2; p++) {
            snprintf(text, sizeof text, "DFT(%s)_{spe(%d,1)}", sizes[i], p);
            sluice_plan_destroy(plan_of_formula(m, text, SLUICE_F32));
        }
    sluice_machine_close(m);
}

/* The lanes that a sentence offers are those that plan. */
static void lanes_that_do_not_fit_name_those_that_do(void **state)
{
    sluice_machine *m = plan_machine("cpu:1", NULL);
    char text[80];
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    (void)state;
    assert_int_equal(sluice_plan_from_formula(&plan, m, "(I(8) (x) DFT(8)_{leaf})_{vec(3,inter)}",
                                              SLUICE_F32, NULL, &why),
                     SLUICE_E_UNSUPPORTED);
    const char *at = strstr(why.message, "vectors of ");
    assert_non_null(at);
    bool one = false;
    for (at += strlen("vectors of "); *at >= '0' && *at <= '9';) {
        char *end;
        const long lanes = strtol(at, &end, 10);
        snprintf(text, sizeof text, "(I(8) (x) DFT(8)_{leaf})_{vec(%ld,inter)}", lanes);
        sluice_plan_destroy(plan_of_formula(m, text, SLUICE_F32));
        one = one || lanes == 1;
        at = end + strspn(end, ", ");
        at += strncmp(at, "or ", 3) == 0 ? 3 : 0;
    }
    assert_true(one);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_are_escaped_and_shortened),
        cmocka_unit_test(bytes_are_told_in_units),
        cmocka_unit_test(explaining_wants_no_arrays),
        cmocka_unit_test(control_bytes_stay_out_of_messages),
        cmocka_unit_test(the_cause_follows_long_input),
        cmocka_unit_test(formulas_say_where),
        cmocka_unit_test(the_limit_of_points_is_that_of_the_sentence),
        cmocka_unit_test(any_local_store_plans),
        cmocka_unit_test(one_part_is_broken_down_as_two),
        cmocka_unit_test(lanes_that_do_not_fit_name_those_that_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
