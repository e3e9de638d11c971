// SPDX-License-Identifier: BSD-3-Clause
/* Codelets of reproducible plans are the same sums and products in the same order whatever the
 * length of vectors: their text is compared, so that no processor with AVX-512 is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends/isa_target.h"
#include "core/mem.h"
#include "spl/codelet/gen.h"
#include "tests/helpers/helper_leaks.h"

/* One letter for each operation that rounds, in the order of the text. Some steps of pairs have
 * none. */
static void list_operations(const spl_codelet *c, core_text *out)
{
    static const struct {
        const char *word;
        char letter;
    } operations[] = {{"_add(", 'a'},  {"_sub(", 's'}, {"_mul(", 'm'},  {"_fma(", 'f'},
                      {"_fnma(", 'n'}, {"_fms(", 'g'}, {"_fnms(", 'h'}, {"_fmaddsub(", 'w'}};
    gen_codelet one = {.key = c->key};
    core_text text = {0};

    strncpy(one.name, c->name, sizeof one.name - 1);
    assert_true(gen_codelet_print(&one, true, &text));
    for (const char *at = core_text_string(&text); (at = strchr(at, '_')) != NULL; at++)
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
            if (strncmp(at, operations[i].word, strlen(operations[i].word)) == 0)
                core_text_add(out, &operations[i].letter, 1);
    core_text_free(&text);
}

static bool same_operations(const spl_codelet *a, const spl_codelet *b)
{
    core_text of_a = {0}, of_b = {0};

    list_operations(a, &of_a);
    list_operations(b, &of_b);
    const bool same = strcmp(core_text_string(&of_a), core_text_string(&of_b)) == 0;
    core_text_free(&of_a);
    core_text_free(&of_b);
    return same;
}

/* D moves what T computes; of one point nothing is computed without a twiddle, but for pairs. */
static bool is_compared(const spl_key *key)
{
    return key->position != SPL_POS_D
           && (key->n > 1 || key->tw != SPL_TW_NONE || key->kind >= SPL_CODELET_PAIRS);
}

static const isa_caches small_core = {.l1 = 32768, .local_store = 524288};

static void lengths_of_vectors_change_no_operation(void **state)
{
    bind_target unit = {0}, alike;
    int compared = 0;
    (void)state;

    if (!isa_target_has(CORE_ISA_AVX512) || !isa_target_has(CORE_ISA_AVX2))
        skip();
    isa_target_describe(&unit, CORE_ISA_AVX512, &small_core);
    isa_target_describe_alike(&alike, &unit);
    for (int precision = SLUICE_F32; precision <= SLUICE_F64; precision++)
        for (const spl_codelet *c = unit.vectors[CORE_ISA_AVX512].codelets[precision]; c->name;
             c++) {
            spl_key key = c->key;
            key.isa = CORE_ISA_AVX2;
            const spl_codelet *shorter = bind_codelet_find(&alike, &key);
            if (!is_compared(&key) || !bind_codelet_find(&alike, &c->key) || !shorter)
                continue;
            if (!same_operations(c, shorter))
                fail_msg("%s and %s compute otherwise", c->name, shorter->name);
            compared++;
        }
    assert_true(compared > 300);
}

/* The control: position W is no such codelet, and is left out. */
static void registers_are_left_out(void **state)
{
    bind_target unit = {0}, alike;
    spl_key key = {.n = 64, .position = SPL_POS_W, .lanes = 1};
    (void)state;

    if (!isa_target_has(CORE_ISA_AVX512) || !isa_target_has(CORE_ISA_AVX2))
        skip();
    isa_target_describe(&unit, CORE_ISA_AVX512, &small_core);
    isa_target_describe_alike(&alike, &unit);
    key.isa = CORE_ISA_AVX512;
    const spl_codelet *longer = bind_codelet_find(&unit, &key);
    assert_null(bind_codelet_find(&alike, &key));
    key.isa = CORE_ISA_AVX2;
    const spl_codelet *shorter = bind_codelet_find(&unit, &key);
    assert_non_null(longer);
    assert_non_null(shorter);
    assert_false(same_operations(longer, shorter));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lengths_of_vectors_change_no_operation, nothing_leaks),
        cmocka_unit_test_teardown(registers_are_left_out, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
