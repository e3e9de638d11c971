// SPDX-License-Identifier: BSD-3-Clause
/* Formulas, with or without a problem: refused with a sentence and a place, or written so that they
 * read back as the same; short ones are planned on `ref`, printed and, where they are complete,
 * planned again from what was printed. */
#include <string.h>

#include "api/sluice.h"
#include "core/text.h"
#include "spl/formula/spl.h"
#include "tests/fuzz/fuzz.h"

enum { LONGEST = 512, MOST_POINTS = 4096 };

static sluice_status drop(void *user, const char *text, size_t length)
{
    (void)user, (void)text, (void)length;
    return SLUICE_OK;
}

static sluice_status keep(void *user, const char *text, size_t length)
{
    core_text_add(user, text, length);
    return SLUICE_OK;
}

static void print_all(const sluice_plan *plan)
{
    for (int level = SLUICE_LEVEL_FORMULA; level <= SLUICE_LEVEL_JSON; level++)
        FUZZ_CHECK(sluice_plan_print(plan, (sluice_level)level, drop, NULL) == SLUICE_OK);
}

/* What explain prints last plans to itself. */
static void plan_again(sluice_machine *m, const sluice_plan *plan)
{
    core_text first = {0}, second = {0};
    sluice_plan *other = NULL;

    FUZZ_CHECK(sluice_plan_print(plan, SLUICE_LEVEL_FORMULA, keep, &first) == SLUICE_OK);
    first.data[first.length - 1] = '\0';
    const char *line = strrchr(first.data, '\n') ? strrchr(first.data, '\n') + 1 : first.data;
    FUZZ_CHECK(sluice_plan_from_formula(&other, m, line, SLUICE_F32, NULL, NULL) == SLUICE_OK);
    FUZZ_CHECK(sluice_plan_print(other, SLUICE_LEVEL_FORMULA, keep, &second) == SLUICE_OK);
    second.data[second.length - 1] = '\0';
    FUZZ_CHECK(
        strcmp(line, strrchr(second.data, '\n') ? strrchr(second.data, '\n') + 1 : second.data)
        == 0);
    sluice_plan_destroy(other);
    core_text_free(&first);
    core_text_free(&second);
}

/* Points of the formula behind ":=", 0 where it does not parse. */
static int64_t points_of(const char *text)
{
    const char *colon = strstr(text, ":=");
    spl_ctx *ctx = spl_ctx_open();
    const spl *x = NULL, *y = NULL;
    sluice_diag why = {0};
    int64_t points = 0;

    FUZZ_CHECK(ctx != NULL);
    text = colon ? colon + 2 : text;
    if (spl_parse(ctx, text, &x, &why) == SLUICE_OK) {
        core_text out = {0};
        spl_print(x, &out);
        FUZZ_CHECK(!out.failed && spl_parse(ctx, out.data, &y, NULL) == SLUICE_OK && x == y);
        core_text_free(&out);
        points = x->rows > x->cols ? x->rows : x->cols;
    } else {
        fuzz_check_message(why.message);
        FUZZ_CHECK(why.offset <= strlen(text));
    }
    spl_ctx_close(ctx);
    return points;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sluice_machine_options ref = {.units = "ref:2"};
    static sluice_machine *m;
    char *text = fuzz_text(data, size);
    sluice_plan *plan = NULL;
    sluice_diag why = {0};

    FUZZ_CHECK(m || sluice_machine_open(&m, &ref, NULL) == SLUICE_OK);
    const int64_t points = points_of(text);
    if (size <= LONGEST && points <= MOST_POINTS) {
        if (sluice_plan_from_formula(&plan, m, text, SLUICE_F32, NULL, &why) == SLUICE_OK) {
            print_all(plan);
            plan_again(m, plan);
            sluice_plan_destroy(plan);
        } else {
            fuzz_check_message(why.message);
            FUZZ_CHECK(why.offset <= strlen(text));
        }
    }
    free(text);
    return 0;
}
