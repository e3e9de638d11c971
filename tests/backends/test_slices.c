// SPDX-License-Identifier: BSD-3-Clause
/* Transfers in slices: which loops move their data so, that each buffer in rotation is put before
 * it is written again, and that results have the same bits as without, at any alignment, by any
 * number of workers, and nothing beside them is touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backends/cpu/run/cpu_cursor.h"
#include "backends/cpu/run/cpu_slice.h"
#include "spl/bind/bind_slices.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_schedule.h"
#include "tests/helpers/helper_structure.h"

static const size_t local_store = 1 << 17, no_limit = (size_t)1 << 40;
static const char *const units[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:2"};
enum { CANDIDATES = PLAN_SANITIZED ? 1 : 2 };

static const struct {
    const char *problem;
    bool puts; /* else its results stay where the input was */
} problems[] = {
    {"c2c:f32:1024*280", true},
    {"c2c:f64:512*300:inverse", true},
    {"c2c:f32:1000@1/1*290@1003/1007", true},
    {"c2c:f64:720@1/1*200@721/723", true},
    {"c2c:f32:1024*290:inplace", false},
    {"c2c:f32:32x32*290", true},
    {"c2c:f64:24x32*280:inplace", false},
    {"c2c:f32:1536*200", true},
    {"c2c:f32:1024@1*300@1025:inplace", false},
    {"c2c:f64:336*400", true}, /* columns that do not fill vectors */
    {"c2c:f64:350*400", true},
    {"r2c:f32:2048*400", true}, /* edges, pairs and what has no partner leave one block */
    {"r2c:f64:1024@1/1*300@1025/515", true},
    {"c2r:f64:512*400", false},
    {"dct2:f64:1000*300", true},
    {"dht:f64:480*600", true},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static const bind_tape *tape_of(const sluice_plan *plan)
{
    return &((const cpu_program *)plan->program)->tape;
}

/* The loops of a plan that get, and that put. */
typedef struct counts {
    int gets, puts;
} counts;

static counts count_slices(const sluice_plan *plan)
{
    const bind_tape *tape = tape_of(plan);
    counts c = {0, 0};
    for (size_t i = 0; i < tape->nops; i++) {
        const bind_slices *s = tape->op[i].slices;
        c.gets += s && s->get_bytes;
        c.puts += s && s->put_bytes;
    }
    return c;
}

/* ---------------------------------------------------------------- the schedule ----------- */

/* Computing a block fills another buffer than the one that is put meanwhile, and the block before
 * has left when its buffer is filled again. */
static void check_rotation(const bind_tape *tape, size_t loop)
{
    const bind_slices *s = tape->op[loop].slices;
    const bind_op *writer = &tape->op[tape->op[loop].end - 1];
    int64_t var[IX_MAX_VARS] = {0};
    sluice_diag why = {0};
    const int in_slots = (int)s->distance + 1;
    if (s->put_bytes == 0)
        return;
    for (int64_t v = 0; v + 1 < tape->op[loop].range.n; v++) {
        var[tape->op[loop].var] = v;
        const ptrdiff_t put = cpu_cursor_steps(&s->put, var).in,
                        filled = cpu_cursor_steps(writer, var).out;
        var[tape->op[loop].var] = v + 1;
        const ptrdiff_t next = cpu_cursor_steps(writer, var).out;
        assert_int_equal(put, filled);
        assert_true(next - put >= (ptrdiff_t)(s->put_bytes / tape->scalar)
                    || put - next >= (ptrdiff_t)(s->put_bytes / tape->scalar));
    }
    assert_int_equal(check_schedule(tape->op[loop].range.n, in_slots > 1 ? in_slots : 2,
                                    BIND_SLICE_COPIES, &why),
                     SLUICE_OK);
    assert_true(s->put_slice * s->calls >= s->put_bytes && s->put_slice % 64 == 0);
    assert_true(s->put.base[0].bytes % 64 == 0);
}

static void compute_nothing(const spl_call *call, size_t first, size_t count)
{
    (void)call;
    (void)first;
    (void)count;
}

/* Calls with a slice that one execution of a kernel makes: each fetches a line. */
static size_t calls_made(const bind_op *op)
{
    enum { LINE = 64, LINES = 4096 };
    static const char lines[LINE * LINES];
    const bind_tail tail = {
        .run = compute_nothing, .lanes = op->codelet->key.lanes, .repeats = true};
    cpu_slices s = {.get_slice = LINE};
    spl_call call = {0};
    cpu_slices_get(&s, lines, sizeof lines);
    cpu_slice_columns(&tail, compute_nothing, &call, op->slice_columns, 0, (size_t)op->cols.n, 0,
                      (size_t)op->outer.n, &s);
    return LINES - s.get_left / LINE;
}

/* Slices are dealt out to as many calls as are made: else the end of each block is not fetched. */
static void check_calls(const bind_tape *tape, size_t loop)
{
    const bind_slices *s = tape->op[loop].slices;
    size_t made = 0;
    for (size_t i = loop + 1; i < tape->op[loop].end; i++) {
        size_t times = 1;
        for (size_t k = loop + 1; k < i; k++)
            times *= tape->op[k].op == BIND_LOOP && tape->op[k].end > i
                         ? (size_t)tape->op[k].range.n
                         : 1;
        if (tape->op[i].op == BIND_KERN && tape->op[i].slice_columns)
            made += times * calls_made(&tape->op[i]);
    }
    assert_int_equal(made, s->calls);
    assert_true(s->get_slice * made >= s->get_bytes);
}

/* ---------------------------------------------------------------- bits -------------------- */

static void check_plan(const sluice_plan *plan, sluice_machine *unlimited, int i, counts *all)
{
    sluice_plan *whole = plan_of_formula(unlimited, plan->line, plan->problem.precision);
    const counts c = count_slices(plan), none = count_slices(whole);
    const bind_tape *tape = tape_of(plan);
    assert_true(none.gets == 0 && none.puts == 0);
    if (!problems[i].puts)
        assert_int_equal(c.puts, 0);
    for (size_t k = 0; k < tape->nops; k++)
        if (tape->op[k].slices) {
            assert_true(tape->op[k].has_constant_steps);
            check_rotation(tape, k);
            check_calls(tape, k);
        }
    structure_compare(plan, whole, problems[i].problem);
    all->gets += c.gets > 0;
    all->puts += c.puts > 0;
    sluice_plan_destroy(whole);
}

static void slices_change_no_bit(void **state)
{
    (void)state;
    int gets = 0, puts = 0;
    for (int i = 0; i < PROBLEMS; i += PLAN_SANITIZED ? 4 : 1) {
        counts all = {0, 0};
        bool every_isa = !PLAN_SANITIZED; /* a processor or a sanitizer may have a part of them */
        for (int u = 0; u < PLAN_ISAS; u++) {
            const char *isa = plan_isas[(i + u) % PLAN_ISAS];
            sluice_machine *m =
                structure_machine_of(STRUCTURE_BEYOND_CACHES, units[u], isa, local_store);
            sluice_machine *unlimited =
                structure_machine_of(STRUCTURE_BEYOND_CACHES, units[u], isa, no_limit);
            every_isa = every_isa && m;
            for (int v = 0; v < CANDIDATES && m; v++) {
                sluice_plan *plan = structure_plan(m, problems[i].problem, v);
                check_plan(plan, unlimited, i, &all);
                sluice_plan_destroy(plan);
            }
            sluice_machine_close(m);
            sluice_machine_close(unlimited);
        }
        if (every_isa && (all.gets == 0 || (all.puts > 0) != problems[i].puts))
            fail_msg("%s: %d plans read in slices and %d put in slices", problems[i].problem,
                     all.gets, all.puts);
        gets += all.gets;
        puts += all.puts;
    }
    assert_true(gets > 0 && puts > 0);
}

/* Columns of one transform each become blocks; numbers of them without a divisor would be blocks of
 * one. */
static void blocks_of_columns_hold_a_slice(void **state)
{
    static const char *const batches[] = {"c2c:f32:22*60013", "c2c:f32:22*60000",
                                          "c2c:f64:22*60013"};
    enum { SLICE = 1024 };
    sluice_machine *m = structure_machine_of(STRUCTURE_BEYOND_CACHES, "cpu:1", "avx512", 0);
    (void)state;
    if (!m)
        skip();
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        sluice_plan *plan = structure_plan(m, batches[i], 0);
        const bind_tape *tape = tape_of(plan);
        for (size_t k = 0; k < tape->nops; k++)
            if (tape->op[k].slices && tape->op[k].slices->get_bytes < SLICE)
                fail_msg("%s: blocks of %zu bytes", batches[i], tape->op[k].slices->get_bytes);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* A kernel whose columns become blocks is a loop then, in loops of constant steps that ran it as a
 * kernel. */
static void kernels_in_loops_are_split(void **state)
{
    static const char *const volumes[] = {"c2c:f64:64x512*4", "c2c:f64:16x512*12",
                                          "c2c:f64:48x512*10"};
    sluice_machine *m = structure_machine_of(STRUCTURE_BEYOND_CACHES, "cpu:1", "avx512", 0);
    int gets = 0;
    (void)state;
    if (!m)
        skip();
    for (size_t i = 0; i < sizeof volumes / sizeof volumes[0]; i++) {
        sluice_plan *plan = structure_plan(m, volumes[i], 0);
        gets += count_slices(plan).gets;
        structure_check(plan, volumes[i], 1 + i);
        sluice_plan_destroy(plan);
    }
    assert_true(gets > 0);
    sluice_machine_close(m);
}

/* What the plan of a problem moves in slices. */
static counts slices_of(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = structure_plan(m, problem, 0);
    const counts c = count_slices(plan);
    sluice_plan_destroy(plan);
    return c;
}

/* Of small blocks the calls with slices would take longer than what they compute. */
static void small_blocks_are_left(void **state)
{
    static const char *const batches[] = {"c2c:f32:6x6*20011", "c2c:f64:5x9*9973",
                                          "c2c:f32:13x4*20011"};
    sluice_machine *m = structure_machine_of(STRUCTURE_BEYOND_CACHES, "cpu:1", "avx512", 0);
    (void)state;
    if (!m)
        skip();
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        const counts c = slices_of(m, batches[i]);
        if (c.gets > 0 || c.puts > 0)
            fail_msg("%s: moves data in slices", batches[i]);
    }
    sluice_machine_close(m);
}

/* What is read from end to end, a few KiB at a time, hardware fetches: it is put in slices
 * alone. */
static void short_blocks_are_not_fetched(void **state)
{
    static const char *const batches[] = {"c2c:f64:10x10*4001", "c2c:f64:9x9*5003",
                                          "c2c:f32:19x15*5003"};
    sluice_machine *m = structure_machine_of(STRUCTURE_BEYOND_CACHES, "cpu:1", "avx512", 0);
    int puts = 0;
    (void)state;
    if (!m)
        skip();
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        const counts c = slices_of(m, batches[i]);
        if (c.gets > 0)
            fail_msg("%s is read in slices", batches[i]);
        puts += c.puts;
    }
    assert_true(puts > 0);
    sluice_machine_close(m);
}

/* Results between which others' elements lie are no blocks; without gaps they are put. */
static void results_with_gaps_are_not_put(void **state)
{
    static const char *const batches[][2] = {
        {"r2c:f32:2048*400", "r2c:f32:2048@1/2*400@2048/2050"},
        {"dht:f64:480*600", "dht:f64:480@1/2*600@480/960"},
    };
    sluice_machine *m = structure_machine_of(STRUCTURE_BEYOND_CACHES, "cpu:1", "avx512", 0);
    (void)state;
    if (!m)
        skip();
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        assert_true(slices_of(m, batches[i][0]).puts > 0);
        assert_int_equal(slices_of(m, batches[i][1]).puts, 0);
    }
    sluice_machine_close(m);
}

/* A block of whole lines that half vectors store: stages that read rows fetch its lines themselves,
 * up to 4 KiB; those that read columns leave it to slices beyond 2 KiB. */
static void blocks_after_columns_are_put(void **state)
{
    static const struct {
        const char *batch;
        bool puts;
    } batches[] = {{"c2c:f32:512*1000", true},
                   {"c2c:f64:256*1000", true},
                   {"c2c:f64:16x16*1000", false},
                   {"c2c:f32:256*2000", false}};
    sluice_machine *m = structure_machine_of(STRUCTURE_BEYOND_CACHES, "cpu:1", "avx2", 0);
    (void)state;
    if (!m)
        skip();
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++)
        if ((slices_of(m, batches[i].batch).puts > 0) != batches[i].puts)
            fail_msg("%s: results %s slices", batches[i].batch, batches[i].puts ? "not in" : "in");
    sluice_machine_close(m);
}

/* Planes of reals, whose two stages are one codelet, in a loop that moves them; by one worker, with
 * whom nobody races. */
static void planes_are_moved(void **state)
{
    static const char *const planes[] = {"dct2:f32:8@8/8x8@1/1*1000@700/700*10@64/64",
                                         "dct3:f64:8x8*20000"};
    (void)state;
    if (PLAN_RACES)
        skip();
    sluice_machine *m = structure_machine_of(STRUCTURE_BEYOND_CACHES, "cpu:1", NULL, 0);
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++) {
        sluice_plan *plan = structure_plan(m, planes[i], 0);
        structure_check(plan, planes[i], 1 + i);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

/* What members share out within an iteration is no block: each would put what others compute. */
static void shares_are_no_blocks(void **state)
{
    static const char line[] =
        "c2c:f32:512*1000 := SUM.par(k3<2, SUM(k2<250, SUM(k1<4@k3/2, "
        "S(h(512,512000,2048*k2%250 + 512*k1%4,1)) * (DFT(16)_{leaf} (x) I(32))_{vec(4,inter)} * "
        "L(512,16) * T(32,16) * (DFT(32)_{leaf} (x) I(16))_{vec(4,inter)} * "
        "G(h(512,512000,2048*k2%250 + 512*k1%4,1)))))";
    sluice_machine *m = structure_machine_of(STRUCTURE_BEYOND_CACHES, "cpu:2", "avx512", 0);
    int loops = 0;
    (void)state;
    if (!m)
        skip();
    sluice_plan *plan = plan_of_formula(m, line, SLUICE_F32);
    const bind_tape *tape = tape_of(plan);
    for (size_t i = 0; i < tape->nops; i++) {
        bind_slices s;
        if (tape->op[i].op != BIND_LOOP || tape->op[i].range.n != 250)
            continue;
        loops++;
        assert_false(bind_slices_find(tape, i, BIND_SLICE_PUT, &s));
    }
    assert_int_equal(loops, 1);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Results that L3 holds are not put past it in slices; others are. */
static void what_l3_holds_is_not_put(void **state)
{
    static const char server[] = "pack:1 l3:1(size=33554432) l2:1(size=1048576) "
                                 "l1d:1(size=32768) core:1 pu:1";
    sluice_machine *m = structure_machine_of(server, "cpu:1", "avx512", 0);
    (void)state;
    if (!m)
        skip();
    const counts held = slices_of(m, "c2c:f64:160*3394"), beyond = slices_of(m, "c2c:f64:160*8000");
    assert_int_equal(held.puts, 0);
    assert_true(beyond.puts > 0);
    sluice_machine_close(m);
}

/* Does a loop of the plan store its blocks itself where they begin with lines? */
static bool is_straight(const sluice_plan *plan)
{
    const bind_tape *tape = tape_of(plan);
    bool straight = false;
    for (size_t i = 0; i < tape->nops; i++)
        straight = straight || (tape->op[i].slices && tape->op[i].slices->straight);
    return straight;
}

/* By processors that store lines in any order alike, and only by these; the last kernels of real
 * kinds are several, and columns that fill no vector are no whole lines. */
static void whole_lines_are_stored_straight(void **state)
{
    static const struct {
        const char *problem;
        bool straight;
    } cases[] = {{"c2c:f32:1024*280", true},  {"c2c:f64:512*300:inverse", true},
                 {"c2c:f32:32x32*290", true}, {"c2c:f64:350*400", false},
                 {"dht:f64:480*600", false},  {"c2c:f32:1024*290:inplace", false}};
    (void)state;
    for (int cached = 0; cached < 2; cached++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const char *units_of = units[i % 3];
            sluice_machine *m =
                structure_machine_of(STRUCTURE_BEYOND_CACHES, units_of, "avx512", local_store);
            sluice_machine *unlimited =
                structure_machine_of(STRUCTURE_BEYOND_CACHES, units_of, "avx512", no_limit);
            if (!m)
                skip();
            sluice_plan *first = structure_plan(m, "c2c:f32:16", 0);
            ((cpu_program *)first->program)->owner->target.memory.nt_cached = cached;
            sluice_plan *plan = structure_plan(m, cases[i].problem, 0);
            sluice_plan *whole = plan_of_formula(unlimited, plan->line, plan->problem.precision);
            if (is_straight(plan) != (cases[i].straight && !cached))
                fail_msg("%s, %d: stored otherwise", cases[i].problem, cached);
            structure_compare(plan, whole, cases[i].problem);
            sluice_plan_destroy(first);
            sluice_plan_destroy(plan);
            sluice_plan_destroy(whole);
            sluice_machine_close(m);
            sluice_machine_close(unlimited);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(slices_change_no_bit, nothing_leaks),
        cmocka_unit_test_teardown(kernels_in_loops_are_split, nothing_leaks),
        cmocka_unit_test_teardown(small_blocks_are_left, nothing_leaks),
        cmocka_unit_test_teardown(short_blocks_are_not_fetched, nothing_leaks),
        cmocka_unit_test_teardown(blocks_of_columns_hold_a_slice, nothing_leaks),
        cmocka_unit_test_teardown(results_with_gaps_are_not_put, nothing_leaks),
        cmocka_unit_test_teardown(blocks_after_columns_are_put, nothing_leaks),
        cmocka_unit_test_teardown(planes_are_moved, nothing_leaks),
        cmocka_unit_test_teardown(shares_are_no_blocks, nothing_leaks),
        cmocka_unit_test_teardown(what_l3_holds_is_not_put, nothing_leaks),
        cmocka_unit_test_teardown(whole_lines_are_stored_straight, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
