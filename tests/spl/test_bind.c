// SPDX-License-Identifier: BSD-3-Clause
/* Binding reads nothing of a machine but its target: codelets, vectors and caches that are made up
 * here, none of which runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"
#include "spl/bind/bind_tape.h"
#include "tests/helpers/helper_program.h"

/* A DFT of 64 in two stages, 4 columns to a vector; the first one writes rows where columns
 * were. */
#define STAGE_B "SUM.vec[4,inter](k0<8, S(h(8,64,k0%8,8)) * DFT(8)_{leaf} * G(h(8,64,k0%8,8)))"
#define STAGE_A                                                                                    \
    "SUM.vec[4,inter](k0<8, S(h(8,64,8*k0%8,1)) * D(8,8,h(8,64,k0%8,8)) * DFT(8)_{leaf} * "        \
    "G(h(8,64,k0%8,8)))"

#define KEY(pos, twiddles, stores)                                                                 \
    {                                                                                              \
        .n = 8, .isa = CORE_ISA_AVX2, .precision = SLUICE_F32, .position = pos, .tw = twiddles,    \
        .lanes = 4, .nt = stores                                                                   \
    }
#define G_KEY(twiddles)                                                                            \
    {                                                                                              \
        .n = 8, .isa = CORE_ISA_SCALAR, .precision = SLUICE_F32, .compute = SPL_SPLIT,             \
        .in = SPL_SPLIT, .out = SPL_SPLIT, .position = SPL_POS_G, .tw = twiddles, .lanes = 1       \
    }

static const spl_codelet wide[] = {
    {.key = KEY(SPL_POS_C, SPL_TW_NONE, false), .name = "columns", .adds = 52, .cycles = 20},
    {.key = KEY(SPL_POS_C, SPL_TW_NONE, true), .name = "lines", .adds = 52, .cycles = 20},
    {.key = KEY(SPL_POS_A, SPL_TW_VECTOR, false), .name = "transposes", .adds = 66, .cycles = 30},
    {.name = NULL}};
static const spl_codelet columns_only[] = {
    {.key = KEY(SPL_POS_C, SPL_TW_NONE, false), .name = "columns", .adds = 52, .cycles = 20},
    {.name = NULL}};
static const spl_codelet scalar[] = {
    {.key = G_KEY(SPL_TW_NONE), .name = "any", .adds = 52, .cycles = 60},
    {.key = G_KEY(SPL_TW_VECTOR), .name = "any_vector", .adds = 66, .cycles = 80},
    {.name = NULL}};
static const spl_codelet halves[] = {{.key = {.n = 8,
                                              .isa = CORE_ISA_VEC128,
                                              .precision = SLUICE_F32,
                                              .position = SPL_POS_C,
                                              .lanes = 2},
                                      .name = "halves",
                                      .adds = 52,
                                      .cycles = 20},
                                     {.name = NULL}};
static const spl_codelet none[] = {{.name = NULL}};

static double predicted(const void *owner, const double *costs, const spl_codelet *codelet)
{
    (void)owner;
    (void)costs;
    return codelet->cycles;
}

static bind_target target_of(const spl_codelet *vectors, const spl_codelet *scalars, size_t nt)
{
    return (bind_target){
        .name = "paper",
        .isa = CORE_ISA_AVX2,
        .vectors =
            {[CORE_ISA_SCALAR] = {0, {scalars, none}}, [CORE_ISA_AVX2] = {32, {vectors, none}}},
        .units = 3,
        .memory = {.l1 = 1 << 15,
                   .local_store = 1 << 20,
                   .nt_written = nt,
                   .nt_in_place = SIZE_MAX,
                   .nt_reused = SIZE_MAX,
                   .prefetch = SIZE_MAX,
                   .prefetch_row = SIZE_MAX,
                   .prefetch_l2 = SIZE_MAX},
        .cycles = predicted};
}

/* Binds the formula; the tape as text, or the sentence that says why not. */
static void expect_bound(const char *formula, bind_target target, const char *text)
{
    spl_ctx *ctx = spl_ctx_open();
    prog *p = NULL;
    bind_tape tape;
    core_text out = {0};
    sluice_diag why = {0};

    assert_int_equal(prog_lower(&p, ctx, program_parsed(ctx, formula), NULL, &why), SLUICE_OK);
    target.tables = bind_tables_open();
    sluice_status status = bind_open(&tape, &target, NULL, p, SLUICE_F32, false, &why);
    if (status == SLUICE_OK)
        status = bind_program(&tape, &why);
    if (status == SLUICE_OK)
        bind_print(&tape, &out);
    assert_string_equal(status == SLUICE_OK ? core_text_string(&out) : why.message, text);
    core_text_free(&out);
    bind_release(&tape);
    bind_tables_close(target.tables);
    spl_ctx_close(ctx);
}

#define PAPER(work)                                                                                \
    "paper: 1 of 3 units, isa avx2, work " work " (shared " work ", each member 0 bytes)\n"
#define COLUMNS "strides 16,2 -> 16,2  52+0+0 ops, 20 cycles a step\n"

static void stages_become_codelets(void **state)
{
    (void)state;
    expect_bound(STAGE_B " * " STAGE_A, target_of(wide, scalar, SIZE_MAX),
                 PAPER("512 bytes") "b2 <- b0  transposes  columns 8  strides 16,2 -> 2,16  "
                                    "twiddles 448 bytes  "
                                    "66+0+0 ops, 30 cycles a step\n"
                                    "b1 <- b2  columns  columns 8  " COLUMNS);
}

static void limits_choose_stores(void **state)
{
    (void)state;
    expect_bound(STAGE_B, target_of(wide, scalar, 511),
                 PAPER("0 bytes") "b1 <- b0  columns  columns 8  non-temporal stores  " COLUMNS);
    expect_bound(STAGE_B, target_of(wide, scalar, 512),
                 PAPER("0 bytes") "b1 <- b0  columns  columns 8  " COLUMNS);
}

/* Up to a size only one unit by itself stores non-temporally. */
static void several_units_keep_what_fits(void **state)
{
    (void)state;
    for (size_t limit = 511; limit <= 512; limit++) {
        bind_target target = target_of(wide, scalar, 511);
        target.memory.nt_several = limit;
        expect_bound(STAGE_B, target,
                     limit < 512
                         ? PAPER("0 bytes") "b1 <- b0  columns  columns 8  "
                                            "non-temporal stores  " COLUMNS
                         : PAPER("0 bytes") "b1 <- b0  columns  columns 8  non-temporal "
                                            "stores, ordinary ones by several units  " COLUMNS);
    }
    static const spl_codelet lines;
    bind_op op = {.codelet_nt = &lines, .nt_needs_one_member = true};
    bind_tape tape = {.op = &op, .nops = 1, .members = 1};
    assert_true(bind_stores_lines(&tape, &op));
    tape.members = 2;
    assert_false(bind_stores_lines(&tape, &op));
    op.nt_needs_one_member = false;
    assert_true(bind_stores_lines(&tape, &op));
    bind_assume_several_members(&tape);
    assert_ptr_equal(op.codelet_nt, &lines);
    op.nt_needs_one_member = true;
    bind_assume_several_members(&tape);
    assert_null(op.codelet_nt);
}

/* Two tiles of 8 columns of an array of 8 x 16, read and rewritten row by row. */
#define TILE_OUT                                                                                   \
    "SUM.vec[4,inter](k0<8, S(h(8,128,k0%8 + 8*k1%2,16)) * DFT(8)_{leaf} * G(h(8,64,k0%8,8)))"
#define TILE_IN                                                                                    \
    "SUM.vec[4,inter](k0<8, S(h(8,64,k0%8,8)) * DFT(8)_{leaf} * G(h(8,128,k0%8 + 8*k1%2,16)))"

/* What a tile has read before is stored non-temporally on units that lose nothing by it, and never
 * where its rows are long. */
static void limits_choose_stores_of_tiles(void **state)
{
    static const struct {
        size_t row;
        bool cached, in_place, stores;
    } cases[] = {{64, true, true, true},
                 {64, false, true, false},
                 {63, true, true, false},
                 {64, false, false, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const prog_sides sides = {.in_place = cases[i].in_place};
        spl_ctx *ctx = spl_ctx_open();
        bind_target target = target_of(wide, scalar, 0);
        bind_tape tape;
        prog *p = NULL;
        const spl *f = program_parsed(ctx, "SUM(k1<2, " TILE_OUT " * " TILE_IN ")");
        target.memory.nt_reused = target.memory.nt_in_place = 0;
        target.memory.tile_row = cases[i].row;
        target.memory.nt_cached = cases[i].cached;
        target.tables = bind_tables_open();
        assert_int_equal(prog_lower(&p, ctx, f, &sides, NULL), SLUICE_OK);
        assert_int_equal(bind_open(&tape, &target, NULL, p, SLUICE_F32, false, NULL), SLUICE_OK);
        assert_int_equal(bind_program(&tape, NULL), SLUICE_OK);
        assert_int_equal(tape.nops, 3);
        assert_null(tape.op[1].codelet_nt);
        assert_int_equal(tape.op[2].codelet_nt != NULL, cases[i].stores);
        bind_release(&tape);
        bind_tables_close(target.tables);
        spl_ctx_close(ctx);
    }
}

static void what_is_missing_is_replaced(void **state)
{
    (void)state;
    expect_bound(STAGE_A, target_of(columns_only, scalar, SIZE_MAX),
                 PAPER("0 bytes") "b1 <- b0  any_vector  columns 8  strides 16,2 -> 2,16  "
                                  "twiddles 512 bytes  66+0+0 ops, 80 cycles a step\n");
    expect_bound(STAGE_A, target_of(columns_only, none, SIZE_MAX),
                 "there is no codelet for DFT_8 (see sluice-gen --list)");
}

/* Rows of a plane of 8 x 8 reals, then its columns, of three planes. */
#define PLANE_ROWS                                                                                 \
    "SUM.vec[8,inter](k0<8, S(h(8,64,8*k0%8,1)) * DCT2(8)_{leaf} * G(h(8,192,8*k0%8 + "            \
    "64*k1%3,1)))"
#define PLANE_COLUMNS                                                                              \
    "SUM.vec[8,inter](k0<8, S(h(8,192,k0%8 + 64*k1%3,8)) * DCT2(8)_{leaf} * G(h(8,64,k0%8,8)))"

/* A loop over blocks that run one at a time stays a loop, whose planes the codelet takes one by
 * one. */
static void planes_are_of_one_block(void **state)
{
    static const spl_codelet planes[] = {{.key = {.n = 8,
                                                  .isa = CORE_ISA_AVX2,
                                                  .compute = SPL_REAL,
                                                  .in = SPL_REAL,
                                                  .out = SPL_REAL,
                                                  .position = SPL_POS_P,
                                                  .lanes = 1,
                                                  .kind = SPL_DCT2},
                                          .name = "plane"},
                                         {.name = NULL}};
    const prog_sides reals = {.type = SPL_TYPE_REAL};
    (void)state;
    for (int blocks = 0; blocks <= 3; blocks += 3) {
        spl_ctx *ctx = spl_ctx_open();
        bind_target target = target_of(planes, scalar, SIZE_MAX);
        bind_tape tape;
        prog *p = NULL;
        const spl *f = program_parsed(ctx, "SUM(k1<3, " PLANE_COLUMNS " * " PLANE_ROWS ")");
        assert_int_equal(prog_lower(&p, ctx, f, &reals, NULL), SLUICE_OK);
        p->blocks = blocks;
        if (blocks > 0)
            p->stmt[0].range.kind = SPL_STREAM;
        target.tables = bind_tables_open();
        assert_int_equal(bind_open(&tape, &target, NULL, p, SLUICE_F32, false, NULL), SLUICE_OK);
        assert_int_equal(bind_program(&tape, NULL), SLUICE_OK);
        assert_int_equal(tape.op[0].op, blocks > 0 ? BIND_LOOP : BIND_KERN);
        assert_int_equal(tape.op[blocks > 0].cols.n, blocks > 0 ? 1 : 3);
        bind_release(&tape);
        bind_tables_close(target.tables);
        spl_ctx_close(ctx);
    }
}

/* Of columns left over by 4 lanes: 2 fill a vector of 2, 1 shares it with the one before. */
static void columns_left_over_have_shorter_vectors(void **state)
{
    static const struct {
        const char *formula;
        size_t whole, last;
        ptrdiff_t at;
    } cases[] = {
        {"SUM.vec[4,inter](k0<6, S(h(8,48,k0%6,6)) * DFT(8)_{leaf} * G(h(8,48,k0%6,6)))", 4, 2, 4},
        {"SUM.vec[4,inter](k0<5, S(h(8,40,k0%5,5)) * DFT(8)_{leaf} * G(h(8,40,k0%5,5)))", 4, 2, 3},
        {"SUM.vec[4,inter](k0<7, S(h(8,56,k0%7,7)) * DFT(8)_{leaf} * G(h(8,56,k0%7,7)))", 4, 4, 3},
        {"SUM.vec[4,inter](k0<3, S(h(8,24,k0%3,3)) * DFT(8)_{leaf} * G(h(8,24,k0%3,3)))", 2, 2, 1}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        spl_ctx *ctx = spl_ctx_open();
        prog *p = NULL;
        bind_tape tape;
        sluice_diag why = {0};
        bind_target target = target_of(columns_only, none, SIZE_MAX);

        target.vectors[CORE_ISA_VEC128] = (bind_vectors){16, {halves, none}};
        target.tables = bind_tables_open();
        assert_int_equal(prog_lower(&p, ctx, program_parsed(ctx, cases[i].formula), NULL, &why),
                         SLUICE_OK);
        assert_int_equal(bind_open(&tape, &target, NULL, p, SLUICE_F32, false, &why), SLUICE_OK);
        assert_int_equal(bind_program(&tape, &why), SLUICE_OK);
        assert_int_equal(tape.nops, 1);
        assert_int_equal(tape.op[0].fixed_count, cases[i].whole);
        assert_int_equal(tape.op[0].last_count, cases[i].last);
        assert_int_equal(tape.op[0].last_codelet->key.lanes, cases[i].last);
        assert_int_equal(tape.op[0].last.in, 2 * cases[i].at);
        bind_release(&tape);
        bind_tables_close(target.tables);
        spl_ctx_close(ctx);
    }
}

/* Vectors of 128 bits beside longer ones are interleaved only: none of theirs has 4 split lanes. */
static void vectors_without_the_format_are_refused(void **state)
{
    spl_ctx *ctx = spl_ctx_open();
    const spl *f = program_parsed(
        ctx, "SUM.vec[4,split](k0<8, S(h(8,64,k0%8,8)) * DFT(8)_{leaf} * G(h(8,64,k0%8,8)))");
    bind_target target = target_of(columns_only, scalar, SIZE_MAX);
    bind_tape tape;
    prog *p = NULL;
    sluice_diag why = {0};
    (void)state;
    target.vectors[CORE_ISA_VEC128] = (bind_vectors){16, {halves, none}};
    target.tables = bind_tables_open();
    assert_int_equal(prog_lower(&p, ctx, f, NULL, NULL), SLUICE_OK);
    assert_int_equal(bind_open(&tape, &target, NULL, p, SLUICE_F32, false, NULL), SLUICE_OK);
    assert_int_equal(bind_program(&tape, &why), SLUICE_E_UNSUPPORTED);
    assert_string_equal(why.message,
                        "vec(4,split): units of ISA avx2 have vectors of 1 lanes here");
    bind_release(&tape);
    bind_tables_close(target.tables);
    spl_ctx_close(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stages_become_codelets),
                                       cmocka_unit_test(limits_choose_stores),
                                       cmocka_unit_test(several_units_keep_what_fits),
                                       cmocka_unit_test(limits_choose_stores_of_tiles),
                                       cmocka_unit_test(columns_left_over_have_shorter_vectors),
                                       cmocka_unit_test(what_is_missing_is_replaced),
                                       cmocka_unit_test(planes_are_of_one_block),
                                       cmocka_unit_test(vectors_without_the_format_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
