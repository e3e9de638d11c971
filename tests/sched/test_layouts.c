// SPDX-License-Identifier: BSD-3-Clause
/* Problems whose dimensions are adjacent in memory in any order, on each side its own: 200 random
 * layouts against the oracle, with equal bits for any number of workers, and what the planner makes
 * of some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { LAYOUTS = PLAN_SANITIZED ? 40 : 200, MOST_POINTS = 20000, SEED = 15 };

static uint64_t state = 20261123;

static size_t draw(size_t below)
{
    return plan_below(&state, below);
}

/* Strides of one side: the dimensions in a random order, some with gaps behind them. */
static void set_strides(sluice_problem *p, int side)
{
    const int dims = p->batch_rank + p->rank;
    int order[SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK];
    ptrdiff_t next = draw(5) ? 1 : 2;

    for (int i = 0; i < dims; i++) {
        const int at = (int)draw((size_t)i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (int i = 0; i < dims; i++) {
        const int d = order[i];
        sluice_dim *dim = d < p->batch_rank ? &p->batch[d] : &p->dim[d - p->batch_rank];
        *(side ? &dim->out_stride : &dim->in_stride) = draw(8) ? next : -next;
        next = next * (ptrdiff_t)dim->n + (draw(3) ? 0 : 1 + (ptrdiff_t)draw(16));
    }
}

/* Each side packed or with strides of its own, or both with the same. */
static void set_sides(sluice_problem *p)
{
    const bool same = p->in_place || draw(3) == 0;

    for (int side = 0; side < (same ? 1 : 2); side++)
        if (draw(6))
            set_strides(p, side);
    for (int d = 0; d < p->batch_rank && same; d++)
        p->batch[d].out_stride = p->batch[d].in_stride;
    for (int d = 0; d < p->rank && same; d++)
        p->dim[d].out_stride = p->dim[d].in_stride;
}

static sluice_problem draw_problem(void)
{
    static const size_t sizes[] = {2,  3,  3,  4,  5,  7,  8,  12, 15, 16,  17,  20,
                                   24, 30, 32, 37, 48, 60, 64, 90, 97, 100, 128, 240};
    sluice_problem p;
    size_t points;

    do {
        memset(&p, 0, sizeof p);
        p.rank = 1 + (int)draw(3);
        p.batch_rank = (int)draw(3);
        points = 1;
        for (int d = 0; d < p.rank; d++)
            points *= p.dim[d].n = sizes[draw(24)];
        for (int d = 0; d < p.batch_rank; d++)
            points *= p.batch[d].n = sizes[draw(24)];
    } while (points > MOST_POINTS);
    p.precision = draw(2) ? SLUICE_F32 : SLUICE_F64;
    p.direction = draw(2) ? SLUICE_FORWARD : SLUICE_INVERSE;
    p.in_place = draw(4) == 0;
    p.in_layout = draw(3) ? SLUICE_INTERLEAVED : SLUICE_SPLIT;
    p.out_layout = p.in_place ? p.in_layout : draw(3) ? SLUICE_INTERLEAVED : SLUICE_SPLIT;
    set_sides(&p);
    return p;
}

static void check_layout(sluice_machine *m, const char *text)
{
    plan_data one, all;
    sluice_plan *plan = plan_made(m, text);

    plan_verify(plan, text);
    sluice_plan_destroy(plan);
    char alone[300];
    snprintf(alone, sizeof alone, "%s:workers=1", text);
    sluice_plan *serial = plan_made(m, alone);
    plan = plan_made(m, text);
    plan_data_open(&one, serial, alone, 0);
    plan_data_open(&all, plan, text, 0);
    plan_data_execute(&one, serial, SEED, NULL);
    plan_data_execute(&all, plan, SEED, NULL);
    if (!plan_data_same(&one, &all))
        fail_msg("%s: one worker gives other bits", text);
    plan_data_close(&one);
    plan_data_close(&all);
    sluice_plan_destroy(serial);
    sluice_plan_destroy(plan);
}

/* Does a stage run at position G, which is for any strides? Not chirps, which that is for. */
static bool has_general_stage(const char *text)
{
    for (const char *at = strstr(text, "_G_"); at; at = strstr(at + 1, "_G_")) {
        const char *name = at;
        while (name > text && name[-1] != ' ')
            name--;
        if (strncmp(name, "dft1_", 5) != 0)
            return true;
    }
    return false;
}

/* Without convolutions: stages on whole vectors, and moves. No addresses are evaluated, and
 * position G runs only for what has no other codelets in split formats. */
static void check_stages(sluice_machine *m, const sluice_problem *p, const char *text)
{
    sluice_plan *plan = plan_made(m, text);
    const plan_text printed = plan_printed(plan, SLUICE_LEVEL_PLACEMENT);
    const bool plain = p->in_layout == SLUICE_INTERLEAVED && p->in_layout == p->out_layout;
    bool smooth = true;

    for (int d = 0; d < p->rank; d++)
        smooth = smooth && plan_smooth(p->dim[d].n);
    if (smooth && !strstr(printed.data, "isa scalar")
        && (strstr(printed.data, "evaluated") || (plain && has_general_stage(printed.data))))
        fail_msg("%s\n%s", text, printed.data);
    test_free(printed.data);
    sluice_plan_destroy(plan);
}

static void random_layouts(void **unused)
{
    sluice_machine *m = plan_machine("cpu:2", NULL);
    char text[256];

    (void)unused;
    for (int i = 0; i < LAYOUTS; i++) {
        const sluice_problem p = draw_problem();
        assert_int_equal(sluice_problem_print(&p, text, sizeof text), SLUICE_OK);
        check_layout(m, text);
        check_stages(m, &p, text);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(random_layouts, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
