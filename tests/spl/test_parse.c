// SPDX-License-Identifier: BSD-3-Clause
/* Text that is no formula, hostile text, and reading and writing without memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "spl/oracle/oracle.h"
#include "tests/helpers/helper_spl.h"

typedef struct refusal {
    const char *text;
    sluice_status status;
    size_t offset;
    const char *message; /* NULL: any */
} refusal;

static const refusal refusals[] = {
    {"", SLUICE_E_PARSE, 0, "expected a formula, found the end"},
    {"  ", SLUICE_E_PARSE, 2, "expected a formula, found the end"},
    {"DFT()", SLUICE_E_PARSE, 4, "expected a size after 'DFT(', found ')'"},
    {"DFT(8", SLUICE_E_PARSE, 5, "expected ')' after '8', found the end"},
    {"DFT 8", SLUICE_E_PARSE, 4, "expected '(' after 'DFT', found '8'"},
    {"DFT(0)", SLUICE_E_PARSE, 4, "a size is from 1 to 1099511627776"},
    {"DFT(1099511627777)", SLUICE_E_PARSE, 4, NULL},
    {"DFT(99999999999999999999999999)", SLUICE_E_PARSE, 4, NULL},
    {"DFT(-8)", SLUICE_E_PARSE, 4, "expected a size after 'DFT(', found '-'"},
    {"DFTS(8)", SLUICE_E_PARSE, 0, "expected a formula, found 'DFTS'"},
    {"DFT(8) DFT(8)", SLUICE_E_PARSE, 7, "expected an operator or the end after ')', found 'DFT'"},
    {"DFT(8) *", SLUICE_E_PARSE, 8, "expected a formula after '*', found the end"},
    {"DFT(8) (x) * I(2)", SLUICE_E_PARSE, 11, "expected a formula after '(x)', found '*'"},
    {"(DFT(8)", SLUICE_E_PARSE, 7, "expected ')' after ')', found the end"},
    {"{DFT(8))", SLUICE_E_PARSE, 7, "expected '}' after ')', found ')'"},
    {"DFT(8))", SLUICE_E_PARSE, 6, "expected an operator or the end after ')', found ')'"},
    {"DFT(8)^-1", SLUICE_E_PARSE, 6, NULL},
    {"T(8,8)^2", SLUICE_E_PARSE, 7, "expected '-' after '^', found '2'"},
    {"DFT(8) \x01", SLUICE_E_PARSE, 7, "expected an operator or the end after ')', found '\\x01'"},
    {"DFT(8)_leaf", SLUICE_E_PARSE, 7, "expected '{' after '_', found 'leaf'"},
    {"DFT(8)_{}", SLUICE_E_PARSE, 8,
     "expected a tag (leaf, vec, tile, spe, stream, local) after '{', "
     "found '}'"},
    {"DFT(8)_{spe(2)}", SLUICE_E_PARSE, 13, "expected ',' after '2', found ')'"},
    {"DFT(8)_{vec(8,planar)}", SLUICE_E_PARSE, 14,
     "expected 'inter', 'split' or 'real' after ',', found "
     "'planar'"},
    {"DFT(8)_{leaf,leaf,leaf,leaf,leaf,leaf,leaf,leaf,leaf}", SLUICE_E_UNSUPPORTED, 48,
     "more than 8 tags on one formula"},
    {"DFT(4) * DFT(8)", SLUICE_E_INVALID, 9,
     "a product: 4 columns on the left of *, 8 rows on the right"},
    {"I(4) * DFT(8)", SLUICE_E_INVALID, 7, NULL},
    {"DFT(8) * (DFT(8) * L(9,3))", SLUICE_E_INVALID, 19, NULL},
    {"DFT(1099511627776) (x) DFT(2)", SLUICE_E_INVALID, 0, "a tensor product exceeds 2^40"},
    {"DFT(1099511627776) (+) DFT(2)", SLUICE_E_INVALID, 0, "a direct sum exceeds 2^40"},
    {"T(1099511627776,2)", SLUICE_E_INVALID, 0, NULL},
    {"I(2) (x) L(8,3)", SLUICE_E_INVALID, 9, "L(8,3): the stride must divide the size"},
    {"G(h(8,64,0,10))", SLUICE_E_INVALID, 0,
     "G: the index function takes values from 0 to 70, beyond 0..63"},
    {"S.dma(h(8,64,0,8))", SLUICE_E_PARSE, 2, "expected 'copy' or 'net' after '.', found 'dma'"},
    {"G(8)", SLUICE_E_PARSE, 2, "expected an index function after '(', found '8'"},
    {"G(h(8,64,i,8))", SLUICE_E_PARSE, 9,
     "expected a number or a loop variable after ',', found 'i'"},
    {"G(h(8,64,k3,8))", SLUICE_E_PARSE, 11,
     "expected '%' and the extent of the variable after 'k3', found ','"},
    {"G(h(8,64,k32%4,8))", SLUICE_E_PARSE, 10, "the number of a loop variable is from 0 to 31"},
    {"G(h(8,64,4*k,8))", SLUICE_E_PARSE, 11, "expected a loop variable after '*', found 'k'"},
    {"G([8->8: i/0])", SLUICE_E_PARSE, 11, NULL},
    {"G([8->8: i%0])", SLUICE_E_PARSE, 11, NULL},
    {"G([8->8: i +])", SLUICE_E_PARSE, 12, NULL},
    {"G([8-8: i])", SLUICE_E_PARSE, 4, "expected '->' after '8', found '-'"},
    {"G([8->8: 9999999999999999999*i])", SLUICE_E_PARSE, 9, NULL},
    {"G([8->8: 4611686018427387904 + 4611686018427387904])", SLUICE_E_PARSE, 31, NULL},
    {"G([8->8: 4611686018427387904*i])", SLUICE_E_INVALID, 0, NULL},
    {"G([2->8: k0/2305843009213693952%4611686018427387904])", SLUICE_E_UNSUPPORTED, 2, NULL},
    {"G(q(10,40,0,4,4))", SLUICE_E_INVALID, 2, "q: the packet must divide the number of elements"},
    {"G(l(8,3))", SLUICE_E_INVALID, 2, NULL},
    {"G(table(4:))", SLUICE_E_PARSE, 10, "expected a number after ':', found ')'"},
    {"G(table(4: 0,4))", SLUICE_E_INVALID, 0, NULL},
    {"G(id(4) (o) id(5))", SLUICE_E_INVALID, 2, NULL},
    {"G(id(1099511627776) (x) id(2))", SLUICE_E_INVALID, 2, NULL},
    {"P(h(4,8,0,2))", SLUICE_E_INVALID, 0, NULL},
    {"P(table(3: 0,0,1))", SLUICE_E_INVALID, 0,
     "P: the index function is not known to be a permutation"},
    {"D(2,2,h(4,8,0,2))", SLUICE_E_INVALID, 0, NULL},
    {"SUM(j<4, I(2))", SLUICE_E_PARSE, 4, "expected a loop variable after '(', found 'j'"},
    {"SUM.omp(k0<4, I(2))", SLUICE_E_PARSE, 4,
     "expected 'par', 'stream' or 'vec' after '.', found 'omp'"},
    {"SUM(k0, I(2))", SLUICE_E_PARSE, 6, "expected '<' after 'k0', found ','"},
    {"SUM(k0<4@k0/2, I(2))", SLUICE_E_INVALID, 0, NULL},
    {"SUM(k0<4, SUM(k0<4, I(2)))", SLUICE_E_INVALID, 0,
     "SUM: k0 is not above the loop over k0 inside"},
    {"SUM.vec[8](k0<4, I(2))", SLUICE_E_PARSE, 9, "expected ',' after '8', found ']'"},
};

static void refusals_say_where_and_why(void **state)
{
    (void)state;
    spl_ctx *ctx = spl_ctx_open();
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
        const refusal *r = &refusals[k];
        const spl *x = spl_identity(ctx, 1);
        sluice_diag why = {0};
        const sluice_status status = spl_parse(ctx, r->text, &x, &why);
        if (status != r->status || why.offset != r->offset)
            fail_msg("%s: status %d at %zu: %s", r->text, status, why.offset, why.message);
        assert_null(x);
        assert_true(why.message[0] != '\0');
        if (r->message != NULL)
            assert_string_equal(why.message, r->message);
        assert_int_equal(spl_parse(ctx, r->text, &x, NULL), status); /* a diagnosis is optional */
        assert_int_equal(spl_ctx_status(ctx, NULL), SLUICE_OK);
    }
    spl_ctx_close(ctx);
}

/* A matrix made of every construct. */
static const char specimen[] =
    "SUM.par(k3<2@k4/3/8,{SUM.vec[8,split](k0<4,S.copy(q(16,64,k0%4,4,4))*IDFT(16)_{vec(2,inter"
    "),leaf}*G.net([16->64:3-k3%2+4*i/4+i%2]))})*(I(2)(x)DFT(3)(+)T(29,2)^-1)*P((l(32,4)(o)l(32"
    ",4))(x)table(2:1,0))*D(8,8,h(64,64,63,-1)(o)id(64))^-1*L(64,4)";

/* Every proper beginning of a formula is refused at its end, or is a formula. */
static void beginnings_are_refused_at_their_end(void **state)
{
    (void)state;
    spl_ctx *ctx = spl_ctx_open();
    for (size_t length = 0; length + 1 < sizeof specimen; length++) {
        char part[sizeof specimen];
        const spl *x;
        sluice_diag why = {0};
        memcpy(part, specimen, length);
        part[length] = '\0';
        const sluice_status status = spl_parse(ctx, part, &x, &why);
        assert_true(status == SLUICE_OK || status == SLUICE_E_PARSE);
        if (status == SLUICE_E_PARSE)
            assert_in_range(why.offset, length < 8 ? 0 : length - 8, length);
    }
    assert_int_equal(spl_parse(ctx, specimen, &(const spl *){NULL}, NULL), SLUICE_OK);
    spl_ctx_close(ctx);
}

/* A few bytes changed or dropped: refused with a sentence, or a formula that comes back. */
static void damaged_text_is_survived(void **state)
{
    static const char bytes[] = "()[]{}*+-_^,.:<@/%0123456789 xoikhqlGSPDITLF";
    spl_random r = {1};
    int read = 0;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char part[sizeof specimen];
        const spl *x, *y;
        sluice_diag why = {0};
        core_text out = {0};
        spl_ctx *ctx = spl_ctx_open();
        memcpy(part, specimen, sizeof part);
        for (int k = 1 + (int)spl_random_below(&r, 3); k > 0; k--) {
            char *at = part + spl_random_below(&r, sizeof part - 1);
            *at = bytes[spl_random_below(&r, sizeof bytes - 1)];
            if (spl_random_below(&r, 2) == 0)
                memmove(at, at + 1, strlen(at));
        }
        if (spl_parse(ctx, part, &x, &why) == SLUICE_OK) {
            spl_print(x, &out);
            assert_int_equal(spl_parse(ctx, out.data, &y, NULL), SLUICE_OK);
            assert_ptr_equal(x, y);
            read++;
        } else {
            assert_true(why.message[0] != '\0' && why.offset <= strlen(part));
        }
        core_text_free(&out);
        spl_ctx_close(ctx);
    }
    assert_in_range(read, 100, 10000);
}

enum { HOSTILE = 100000 };

/* `piece` HOSTILE times, after `front`: refused or read, but without using up the stack. */
static sluice_status parse_repeated(const char *front, const char *piece, const char *back)
{
    core_text text = {0};
    core_text_add(&text, front, strlen(front));
    for (int k = 0; k < HOSTILE; k++)
        core_text_add(&text, piece, strlen(piece));
    core_text_add(&text, back, strlen(back));
    assert_false(text.failed);
    spl_ctx *ctx = spl_ctx_open();
    const spl *x;
    sluice_diag why = {0};
    const sluice_status status = spl_parse(ctx, text.data, &x, &why);
    assert_true(status == SLUICE_OK || why.message[0] != '\0');
    spl_ctx_close(ctx);
    core_text_free(&text);
    return status;
}

static void hostile_text_is_survived(void **state)
{
    (void)state;
    assert_int_equal(parse_repeated("", "(", ""), SLUICE_E_PARSE);
    assert_int_equal(parse_repeated("", "{(", ""), SLUICE_E_PARSE);
    assert_int_equal(parse_repeated("", "SUM(k0<2,", ""), SLUICE_E_PARSE);
    assert_int_equal(parse_repeated("G(", "(", ""), SLUICE_E_PARSE);
    assert_int_equal(parse_repeated("G(", "id(4)(o)", "id(4))"), SLUICE_E_PARSE);
    assert_int_equal(parse_repeated("G(", "id(1)(x)", "id(4))"), SLUICE_OK);
    assert_int_equal(parse_repeated("G([8->8: ", "i + ", "i])"), SLUICE_E_PARSE);
    assert_int_equal(parse_repeated("", "DFT(4) * ", "DFT(4)"), SLUICE_OK);
    assert_int_equal(parse_repeated("", "DFT(4) (x) ", "DFT(4)"), SLUICE_E_INVALID);
    assert_int_equal(parse_repeated("", "DFT(1) (+) ", "DFT(4)"), SLUICE_OK);
    assert_int_equal(parse_repeated("DFT(4)", "_{leaf}", ""), SLUICE_E_UNSUPPORTED);
    assert_int_equal(parse_repeated("DFT(", "9", ")"), SLUICE_E_PARSE);
    assert_int_equal(parse_repeated("", "D", "(4)"), SLUICE_E_PARSE);
    assert_int_equal(parse_repeated("", " ", "DFT(4)"), SLUICE_OK);
    assert_int_equal(parse_repeated("G(table(4: 1", ",1,3,2,0", "))"), SLUICE_OK);
}

/* Reads, writes, expands. */
static sluice_status everything(core_text *out, long double *matrix)
{
    static const char text[] =
        "(DFT(4) (x) I(4)) * T(4,4) * SUM(k1<4, S(h(4,16,4*k1%4,1)) * DFT(4)_{leaf} * "
        "G(table(16: 0,4,8,12,1,5,9,13,2,6,10,15,3,7,11,14) (o) h(4,16,4*k1%4,1))) * P(table(16: "
        "1,0,2,4,3,5,6,7,8,9,11,10,12,13,14,15)) * (DFT(7) (+) DFT(9)) * D(4,4,l(16,4))";
    spl_ctx *ctx = spl_ctx_open();
    const spl *x;
    sluice_diag why;
    if (ctx == NULL)
        return SLUICE_E_MEMORY;
    sluice_status status = spl_parse(ctx, text, &x, &why);
    if (status == SLUICE_OK) {
        spl_print(x, out);
        status = out->failed ? SLUICE_E_MEMORY : spl_dense(x, matrix);
    }
    spl_ctx_close(ctx);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static long double matrix[16 * 16 * 2];
    const long before = core_mem_live();
    (void)state;
    for (long nth = 1;; nth++) {
        core_text out = {0};
        core_mem_fail_from(nth);
        const sluice_status status = everything(&out, matrix);
        core_mem_fail_from(0);
        core_text_free(&out);
        assert_int_equal(core_mem_live(), before);
        if (status == SLUICE_OK)
            break;
        assert_int_equal(status, SLUICE_E_MEMORY);
        assert_true(nth < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_say_where_and_why),
        cmocka_unit_test(beginnings_are_refused_at_their_end),
        cmocka_unit_test(damaged_text_is_survived),
        cmocka_unit_test(hostile_text_is_survived),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
