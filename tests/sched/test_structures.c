// SPDX-License-Identifier: BSD-3-Clause
/* Structures of plans: products of stages, stages that share tiles of columns (pairs), the
 * four-step method as two of them, blocks of trailing axes that fit a local store, slabs. Each can
 * be had from the planner, is what it says, and is right, on data of every layout. On machines with
 * caches so small that this takes few points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/planner/formula.h"
#include "sched/problem/problem.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { OFFER_STORE = 1 << 14 }; /* of which every structure has its sizes */
enum { SEED = 1729, STORE = 1024, STEP = PLAN_SANITIZED ? 7 : 1 /* sanitizers see a part */ };

/* ---------------------------------------------------------------- what is offered -------- */

enum { PLAIN, FIRST, LATER, FOUR_STEP, THREE_TRIPS, THREE_JOINED, STRUCTURES };
static const char *const structure_names[STRUCTURES] = {
    "stages alone",
    "a first group",
    "a later group",
    "two groups and nothing else",
    "three trips or more, one of them a group's",
    "a group of three"};

/* One unit walks the program alone: statements outside loops are trips. Only a first group whose
 * tiles are not divided, as there are so few columns, makes two. */
static bool trips_as_said(const sluice_plan *plan, const sched_radices *list)
{
    const int trips = structure_memory_passes(list), top = structure_top(plan);
    int64_t columns = structure_points(list);
    for (int q = 0; q == 0 || list->fused_with_next[q - 1]; q++)
        columns /= list->radix[q];
    if (top == trips)
        return true;
    if (top != trips + 1 || !structure_first_pair(list) || columns > 128)
        fail_msg("%d trips in the radices, %d in the program\n%s%s", trips, top, plan->comments,
                 plan->line);
    return false;
}

static void count_structures(const sluice_plan *plan, int seen[STRUCTURES])
{
    sched_radices list[STRUCTURE_AXES];
    assert_int_equal(structure_lists(plan, list), 1);
    assert_true(list->count > 1);
    const int trips = structure_memory_passes(list), pairs = list->count - trips;
    const bool first = structure_first_pair(list);
    if (!trips_as_said(plan, list))
        return;
    seen[PLAIN] += pairs == 0;
    seen[FIRST] += first;
    bool later = false, three = false;
    for (int q = 1; q < list->count; q++) {
        later = later || (list->fused_with_next[q] && !list->fused_with_next[q - 1]);
        three = three || (list->fused_with_next[q] && list->fused_with_next[q - 1]);
    }
    seen[LATER] += later;
    seen[THREE_JOINED] += three;
    seen[FOUR_STEP] += first && later && trips == 2;
    seen[THREE_TRIPS] += pairs > 0 && trips >= 3;
}

/* The line of a plan makes the same plan, which knows that it is the planner's own. */
static void line_plans_back(sluice_machine *m, const sluice_plan *plan)
{
    sluice_plan *again = plan_of_formula(m, plan->line, plan->problem.precision);
    if (strcmp(plan->line, again->line) != 0)
        fail_msg("%s\nplans back as\n%s", plan->line, again->line);
    if (again->tree == NULL)
        fail_msg("not known as the planner's: %s", plan->line);
    sluice_plan_destroy(again);
}

static void offers(sluice_machine *m, const char *isa)
{
    static const char *const problems[] = {"c2c:f32:16384", "c2c:f64:10000:inverse",
                                           "c2c:f32:46656", "c2c:f32:262144", "c2c:f32:2048"};
    int seen[STRUCTURES] = {0};
    for (int i = 0; i < 5; i++) {
        sluice_plan *first = structure_plan(m, problems[i], 0);
        for (int v = 0; v < structure_candidates(first); v++) {
            sluice_plan *plan = structure_plan(m, problems[i], v);
            assert_true(sched_tree_equal(plan->tree, first->candidates->all.tree[v]));
            count_structures(plan, seen);
            if (v % (4 * STEP) == i)
                structure_check(plan, problems[i], SEED + (uint64_t)v);
            if (v % 8 == i)
                line_plans_back(m, plan);
            sluice_plan_destroy(plan);
        }
        sluice_plan_destroy(first);
    }
    for (int k = 0; k < STRUCTURES; k++)
        if (seen[k] == 0)
            fail_msg("%s: no plan is of %s", isa, structure_names[k]);
}

/* Position D reads and writes columns from end to end: not these. */
static void columns_may_have_gaps(void **state)
{
    static const char *const problems[] = {"c2c:f32:4@1/1*40@5/5", "c2c:f32:4@1/1*40@-5/-5",
                                           "c2c:f64:2@1/1*33@3/2", "c2c:f32:4@2/1*15@8/17:inverse",
                                           "c2c:f32:4@1/1*5@100/100*9@6/6"};
    sluice_machine *m = plan_machine("cpu:1", NULL);
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = plan_made(m, problems[i]);
        structure_check(plan, problems[i], SEED + i);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(m);
}

static void every_structure_is_offered(void **state)
{
    (void)state;
    structure_of_isas("cpu:1", OFFER_STORE, offers);
}

typedef const char *placement[2]; /* a problem, and what its placement says */

/* The cheapest plan that says so is right, and there is one among the first `most`. */
static void expect_placements(sluice_machine *m, const char *isa, int most, int count,
                              const placement *problems)
{
    for (int i = 0; i < count; i++) {
        bool found = false;
        for (int v = 0; v < most && !found; v++) {
            sluice_plan *plan = structure_plan(m, problems[i][0], v);
            plan_text printed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
            found = strstr(printed.data, problems[i][1]) != NULL;
            if (found)
                structure_check(plan, problems[i][0], SEED + (uint64_t)i);
            test_free(printed.data);
            sluice_plan_destroy(plan);
        }
        if (!found)
            fail_msg("%s: %s: nothing %s", isa, problems[i][0], problems[i][1]);
    }
}

/* Beyond the caches small transforms of a batch prefetch columns ahead, longer ones the next
 * input. */
static void fetches(sluice_machine *m, const char *isa)
{
    static const placement columns[] = {
        {"c2c:f64:36*257:inplace", "prefetches columns ahead"},
        {"c2c:f64:40*223:inplace:inverse", "prefetches columns ahead"}};
    /* With non-temporal stores, too. */
    static const placement stored[2] = {{"c2c:f64:36*223", "prefetches columns ahead"},
                                        {"c2c:f32:15*701", "prefetches columns ahead"}};
    static const placement registers[] = {{"c2c:f32:128*211:inplace", "prefetches columns ahead"}};
    static const placement blocks[] = {
        {"c2c:f32:961*13", "prefetches the next iteration's input"},
        {"c2c:f64:361*7:inplace", "prefetches the next iteration's input"},
        {"dct3:f32:1440*5", "prefetches the next iteration's input"},
        {"dst2:f64:960*5", "prefetches the next iteration's input"},
        {"dct3:f32:30x1440", "prefetches the next row's input"}};
    if (strncmp(isa, "avx", 3) == 0) { /* steps of shorter vectors are too short for that */
        expect_placements(m, isa, 1, sizeof columns / sizeof columns[0], columns);
        expect_placements(m, isa, 1, 1, &stored[strcmp(isa, "avx512") == 0]);
        if (strcmp(isa, "avx512") == 0)
            expect_placements(m, isa, 1, 1, registers);
    }
    expect_placements(m, isa, 1, sizeof blocks / sizeof blocks[0], blocks);
}

/* Of small images, which are read from end to end, hardware is ahead. */
static void leaves_small_images(sluice_machine *m, const char *isa)
{
    static const char *const problems[] = {"c2c:f64:5x16*503:inplace", "c2c:f32:16x16*211",
                                           "c2c:f64:7x13*601"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = structure_plan(m, problems[i], 0);
        plan_text printed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        if (strstr(printed.data, "prefetches the next iteration's input"))
            fail_msg("%s: %s: %s", isa, problems[i], printed.data);
        test_free(printed.data);
        sluice_plan_destroy(plan);
    }
}

/* Rows that are no whole vectors are transposed by shorter ones, or in pieces of two elements. */
static void transposes_by_shorter(sluice_machine *m, const char *isa)
{
    static const placement problems[] = {{"c2c:f64:7*23", "dft7_avx2_f64_T"},
                                         {"c2c:f64:9*31:inplace", "dft9_avx2_f64_T"},
                                         {"c2c:f64:5*200:inverse", "dft5_avx2_f64_T"}};
    static const placement pairs[] = {{"c2c:f32:10*160", "dft10_avx2_f32_T"},
                                      {"c2c:f64:10*160", "dft10_avx2_f64_D"}};
    if (strcmp(isa, "avx512") == 0)
        expect_placements(m, isa, 1, sizeof problems / sizeof problems[0], problems);
    if (strcmp(isa, "avx2") == 0)
        expect_placements(m, isa, 1, sizeof pairs / sizeof pairs[0], pairs);
}

/* Tiles fetch the rows of the next set, folds and pairs of rows that lie apart and transforms of
 * such rows in registers those of the next iteration. */
static void fetches_rows(sluice_machine *m, const char *isa)
{
    static const placement problems[] = {
        {"c2c:f32:32768", "prefetches the next set's rows"},
        {"c2c:f64:46656:inverse", "prefetches the next set's rows"}};
    static const placement registers[] = {
        {"r2c:f32:1024x128",
         "prefetches the next iteration's input, 512 bytes for every 1 columns"},
        {"c2c:f64:512x48", "prefetches the next iteration's input, 768 bytes for every 1 columns"},
        {"dct2:f32:1000x128",
         "prefetches the next iteration's input, 512 bytes for every 1 columns"},
        {"dct2:f64:15x128x96",
         "prefetches the next iteration's input, 768 bytes for every 1 columns"},
        {"dst2:f64:1000x96",
         "prefetches the next iteration's input, 768 bytes for every 1 columns"}};
    static const placement folds[] = {
        {"dct2:f32:1000x100", "columns 50  prefetches the next iteration's input"},
        {"dct2:f64:1000x60", "columns 30  prefetches the next iteration's input"}};
    static const placement pairs[] = {
        {"dct4:f32:1000x100", "columns 25  prefetches the next iteration's input, 400 bytes"},
        {"dct4:f64:1000x100", "columns 25  prefetches the next iteration's input, 800 bytes"}};
    static const placement mirrored[] = {
        {"dct4*dct3:f32:1000x100", "columns 24  prefetches the next iteration's input, 384 bytes"}};
    expect_placements(m, isa, 8, sizeof problems / sizeof problems[0], problems);
    expect_placements(m, isa, 8, sizeof folds / sizeof folds[0], folds);
    expect_placements(m, isa, 8, sizeof pairs / sizeof pairs[0], pairs);
    if (strcmp(isa, "avx512") == 0) {
        expect_placements(m, isa, 1, sizeof registers / sizeof registers[0], registers);
        expect_placements(m, isa, 8, 1, mirrored);
    }
}

/* Large tables of twiddles are products of two, where there are vectors: plain C has no such
 * codelets. */
static void splits_tables(sluice_machine *m, const char *isa)
{
    static const placement problems[] = {{"c2c:f64:46656:inverse", "_C_inter_inter_product_"},
                                         {"c2c:f64:37500", "_C_inter_inter_product_"},
                                         {"c2c:f32:32768", "_C_inter_inter_product_"},
                                         {"c2c:f64:7477", "_C_inter_inter_grid_"},
                                         {"c2c:f32:8009:inverse", "_C_inter_inter_grid_"}};
    if (strcmp(isa, "scalar") != 0)
        expect_placements(m, isa, 8, sizeof problems / sizeof problems[0], problems);
}

/* Rows of pairs begin in no digit of a permutation: stages read them permuted. */
static void keeps_rows_of_pairs(sluice_machine *m, const char *isa)
{
    static const char *const problems[] = {"dct3:f32:65536", "idxst:f64:65536", "dst3:f32:93312"};
    for (int i = 0; i < 3 && strcmp(isa, "scalar") != 0; i++)
        for (int candidate = 0; candidate < 12; candidate++) {
            sluice_plan *plan = structure_plan(m, problems[i], candidate);
            if (plan == NULL)
                break;
            plan_text placement = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
            if (strstr(placement.data, "addresses evaluated") != NULL)
                fail_msg("%s, %s: candidate %d\n%s", problems[i], isa, candidate, placement.data);
            test_free(placement.data);
            sluice_plan_destroy(plan);
        }
}

static void pairs_are_vectors(void **state)
{
    (void)state;
    structure_of_isas("cpu:1", OFFER_STORE, keeps_rows_of_pairs);
}

static void large_tables_are_products(void **state)
{
    (void)state;
    structure_of_isas("cpu:1", OFFER_STORE, splits_tables);
    structure_of_isas("cpu:3", OFFER_STORE, splits_tables);
}

static void what_is_far_is_fetched_ahead(void **state)
{
    (void)state;
    structure_of_isas("cpu:2", STORE, fetches);
    structure_of_isas("cpu:2", STORE, leaves_small_images);
    structure_of_isas("cpu:1", OFFER_STORE, transposes_by_shorter);
    structure_of_isas("cpu:2", OFFER_STORE, fetches_rows);
}

/* Results beyond the caches are stored past them where vectors are whole lines; in place only by
 * tiles, and where all of the input was read before, not transform by transform. */
static void stores(sluice_machine *m, const char *isa)
{
    static const struct {
        const char *problem;
        bool past;
    } cases[] = {{"c2c:f32:64*96", true},
                 {"c2c:f32:64*96:inplace", false},
                 {"c2c:f64:1024*9", true},
                 {"c2c:f64:1024*9:inplace", false},
                 {"c2c:f64:8192", true},
                 {"c2c:f64:8192:inplace:inverse", true},
                 {"c2c:f32:64", false},
                 {"c2c:f32:96x128:inplace", true},
                 {"c2c:f64:4096:inplace", true},
                 {"c2c:f32:2048*3", true},
                 {"c2c:f32:2048*3:inplace", false},
                 {"dct3:f32:1280*5", true},
                 {"idxst:f64:1280*5", true},
                 {"dct3:f32:1300*5", false}, /* 650 columns are no whole vectors */
                 {"dct4:f32:1280*5", true},
                 {"dst4:f64:1280*5", true},
                 {"dct4:f32:1300*5", false}};
    if (strcmp(isa, "avx512") != 0)
        return;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_plan *plan = structure_plan(m, cases[i].problem, 0);
        plan_text placement = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
        if ((strstr(placement.data, "non-temporal stores") != NULL) != cases[i].past)
            fail_msg("%s: non-temporal stores? %d\n%s", cases[i].problem, !cases[i].past,
                     placement.data);
        test_free(placement.data);
        structure_check(plan, cases[i].problem, SEED + (uint64_t)i);
        sluice_plan_destroy(plan);
    }
}

static void what_is_far_is_stored_past_the_caches(void **state)
{
    (void)state;
    structure_of_isas("cpu:2", STORE, stores);
}

/* Beyond the caches pairs are what is chosen. */
static void chooses_pairs(sluice_machine *m, const char *isa)
{
    static const char *const problems[] = {"c2c:f32:262144", "c2c:f64:131072:inverse"};
    for (int i = 0; i < 2; i++) {
        sched_radices list[STRUCTURE_AXES];
        sluice_plan *plan = structure_plan(m, problems[i], 0);
        assert_int_equal(structure_lists(plan, list), 1);
        if (structure_memory_passes(list) == list->count)
            fail_msg("%s: no stages are joined\n%s", isa, plan->comments);
        if (trips_as_said(plan, list) && i * STEP < 7)
            structure_check(plan, problems[i], SEED);
        sluice_plan_destroy(plan);
    }
}

static void pairs_are_chosen_beyond_the_caches(void **state)
{
    (void)state;
    structure_of_isas("cpu:1", 1 << 16, chooses_pairs);
}

/* ---------------------------------------------------------------- sizes, memory ---------- */

/* Sizes that are no powers of two, in the caches as described and in small ones. */
static void sizes_of_many_factors(void **state)
{
    static const char *const problems[] = {
        "c2c:f32:44100",         "c2c:f64:46875:inverse", "c2c:f32:100000:in=split",
        "c2c:f64:44100:inplace", "c2c:f32:61440:inverse", "c2c:f64:36288:in=split:out=split"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        sluice_machine *m = structure_machine("cpu:3", NULL, k ? STORE : 1 << 20);
        for (int i = k; i < 6; i += STEP) {
            sluice_plan *plan = structure_plan(m, problems[i], 3 * k);
            structure_check(plan, problems[i], SEED + (uint64_t)i);
            sluice_plan_destroy(plan);
        }
        sluice_machine_close(m);
    }
}

/* Planning what has pairs, a slab and gaps in its buffers, every allocation failing in turn. */
static void starve(sluice_machine *m, const char *problem, int candidate)
{
    sluice_plan *of = structure_plan(m, problem, candidate);
    const sched_plan_request request = {.batch_scale = 1, .tree = of->tree, .costs_from = of};
    const long alive = core_mem_live();
    sluice_problem p;
    sluice_status status = SLUICE_E_MEMORY;
    assert_int_equal(sluice_problem_parse(&p, problem, NULL), SLUICE_OK);
    assert_int_equal(sched_problem_normalise(&p, NULL), SLUICE_OK);
    for (long k = 1; status != SLUICE_OK; k++) {
        sluice_plan *plan = NULL;
        sluice_diag why = {0};
        core_mem_fail_from(k);
        status = sched_plan_build(&plan, m, &p, &request, &why);
        core_mem_fail_from(0);
        if (status != SLUICE_OK && status != SLUICE_E_MEMORY)
            fail_msg("%s, allocation %ld failing: %s", problem, k, why.message);
        assert_int_equal(status == SLUICE_OK, plan != NULL);
        sluice_plan_destroy(plan);
        if (core_mem_live() != alive)
            fail_msg("%s, allocation %ld failing: %ld blocks leak", problem, k,
                     core_mem_live() - alive);
        assert_true(k < 10000);
    }
    sluice_plan_destroy(of);
}

static void want_of_memory_is_a_status(void **state)
{
    (void)state;
    sluice_machine *m = structure_machine("cpu:2", NULL, STORE);
    for (int v = 0; v < 24; v += 6) {
        sluice_plan_destroy(structure_plan(m, "c2c:f32:4096", v)); /* scratch grows once */
        sluice_plan_destroy(structure_plan(m, "c2c:f64:24x40", v));
        starve(m, "c2c:f32:4096", v);
        starve(m, "c2c:f64:24x40", v);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(columns_may_have_gaps, nothing_leaks),
        cmocka_unit_test_teardown(every_structure_is_offered, nothing_leaks),
        cmocka_unit_test_teardown(pairs_are_chosen_beyond_the_caches, nothing_leaks),
        cmocka_unit_test_teardown(large_tables_are_products, nothing_leaks),
        cmocka_unit_test_teardown(pairs_are_vectors, nothing_leaks),
        cmocka_unit_test_teardown(what_is_far_is_fetched_ahead, nothing_leaks),
        cmocka_unit_test_teardown(what_is_far_is_stored_past_the_caches, nothing_leaks),
        cmocka_unit_test_teardown(sizes_of_many_factors, nothing_leaks),
        cmocka_unit_test_teardown(want_of_memory_is_a_status, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
