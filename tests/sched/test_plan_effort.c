// SPDX-License-Identifier: BSD-3-Clause
/* Efforts measure and patient at random problems: of any shape, on any kind of unit and instruction
 * set. The plan is verified; so are the plans that other numbers of units make of its wisdom, the
 * last after it has proven it: the same bits, and nothing dropped.
 *
 * SLUICE_EFFORT_SECONDS=600 runs for ten minutes, SLUICE_EFFORT_SEED=N begins elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/clock.h"
#include "core/mem.h"
#include "tests/helpers/helper_plan.h"

enum { SAMPLE = 60, MOST_POINTS = 1 << 18, FILE_ROOM = 1 << 20 };

typedef struct trial {
    uint64_t seed; /* of the problem and the machine */
    char file[PLAN_TEXT_SIZE];
    char name[PLAN_TEXT_SIZE];
    const char *isa;
    sluice_problem problem;
    sluice_plan_options options;
    char log[FILE_ROOM];
} trial;

static size_t random_size(uint64_t *seed, size_t most)
{
    static const size_t primes[] = {17,  31,  37,   61,   97,   127,  251,
                                    257, 509, 1009, 2053, 4099, 10007};
    size_t n = 1;
    switch (plan_below(seed, 4)) {
    case 0: n = (size_t)1 << plan_below(seed, 17); break;
    case 1: n = 1 + plan_below(seed, 3000); break;
    case 2: n = primes[plan_below(seed, sizeof primes / sizeof primes[0])]; break;
    default:
        while (n < most && plan_below(seed, 8) > 0)
            n *= 2 + plan_below(seed, 12);
    }
    return n > most ? most : n;
}

/* Output strides that never overlap: dimensions in any order, each beyond the ones before. */
static void random_strides(uint64_t *seed, sluice_problem *p, int side)
{
    const int dims = p->rank + p->batch_rank, first = (int)plan_below(seed, (size_t)dims);
    ptrdiff_t beyond = 1;
    for (int i = 0; i < dims; i++) {
        const int d = (first + i) % dims;
        sluice_dim *dim = d < p->rank ? &p->dim[d] : &p->batch[d - p->rank];
        const ptrdiff_t stride = beyond + (ptrdiff_t)plan_below(seed, 4) / 2;
        beyond += (ptrdiff_t)(dim->n - 1) * stride;
        *(side ? &dim->out_stride : &dim->in_stride) = plan_below(seed, 5) ? stride : -stride;
    }
}

static void random_problem(uint64_t *seed, sluice_problem *p)
{
    size_t room = (size_t)256 << plan_below(seed, 11);
    room = room < MOST_POINTS ? room : MOST_POINTS;
    memset(p, 0, sizeof *p);
    p->rank = 1 + (int)(plan_below(seed, 5) / 2);
    p->batch_rank = (int)plan_below(seed, 3);
    for (int d = 0; d < p->rank; d++) {
        p->dim[d].n = random_size(seed, p->rank > 1 && room > 512 ? 512 : room);
        room /= p->dim[d].n;
        room += room == 0;
    }
    for (int d = 0; d < p->batch_rank; d++) {
        p->batch[d].n = 1 + plan_below(seed, room < 300 ? room : 300);
        room /= p->batch[d].n;
    }
    p->precision = (sluice_precision)plan_below(seed, 2);
    p->direction = (sluice_direction)plan_below(seed, 2);
    p->in_place = plan_below(seed, 4) == 0;
    p->in_layout = (sluice_layout)(plan_below(seed, 4) == 0);
    p->out_layout = p->in_place ? p->in_layout : (sluice_layout)(plan_below(seed, 4) == 0);
    p->mode = (sluice_mode)plan_below(seed, 3);
    for (int side = 0; side < 2; side++)
        if (plan_below(seed, 4) == 0 && !(side == 1 && p->in_place))
            random_strides(seed, p, side);
}

static sluice_status tell(void *user, const char *text, size_t length)
{
    trial *t = user;
    const size_t used = strlen(t->log), room = sizeof t->log - 1 - used;
    strncat(t->log, text, length < room ? length : room);
    return SLUICE_OK;
}

/* A machine of so many units that knows what the file holds, if that is wanted. */
static sluice_machine *open_machine(trial *t, const char *units, bool knows)
{
    const sluice_machine_options options = {.units = units, .log = tell, .log_user = t};
    sluice_machine *m = NULL;
    sluice_diag why = {0};
    t->log[0] = '\0';
    if (t->isa)
        setenv("SLUICE_CPU", t->isa, 1);
    const sluice_status status = sluice_machine_open(&m, &options, &why);
    unsetenv("SLUICE_CPU");
    if (status == SLUICE_OK && knows && sluice_wisdom_load(m, t->file, &why) != SLUICE_OK)
        fail_msg("%s, seed %llu: %s", t->name, (unsigned long long)t->seed, why.message);
    return m;
}

static sluice_plan *verified(trial *t, sluice_machine *m, const sluice_plan_options *options)
{
    double error = 1, bound = 0;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    if (sluice_plan_create(&plan, m, &t->problem, options, &why) != SLUICE_OK
        || sluice_plan_verify(plan, &error, &bound, &why) != SLUICE_OK || !(error <= bound))
        fail_msg("%s, seed %llu: error %g, bound %g; %s", t->name, (unsigned long long)t->seed,
                 error, bound, why.message);
    return plan;
}

/* What one machine measured, another makes its plan of: the same bits where nothing is streamed
 * (through copies other codelets run, and two units may stream less than one). */
static void compare(trial *t, const plan_data *first, const char *units)
{
    plan_data d;
    sluice_machine *m = open_machine(t, units, true);
    sluice_plan *plan = verified(t, m, NULL);
    plan_data_open(&d, plan, t->name, 0);
    plan_data_fill(&d, t->seed);
    assert_int_equal(sluice_execute_with(plan, &d.arrays, NULL), SLUICE_OK);
    if ((!strchr(units, '/') && !plan_data_same(first, &d)) || strstr(t->log, "wisdom dropped")
        || strstr(t->log, "wisdom not used"))
        fail_msg("%s on %s, seed %llu: another plan of the same wisdom\n%s", t->name, units,
                 (unsigned long long)t->seed, t->log);
    plan_data_close(&d);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
}

/* Takes the checks off the file's lines, so that formulas have to be proven. */
static void strip_checks(trial *t)
{
    FILE *f = fopen(t->file, "r");
    assert_non_null(f);
    char *text = t->log;
    text[fread(text, 1, FILE_ROOM - 1, f)] = '\0';
    fclose(f);
    f = fopen(t->file, "w");
    assert_non_null(f);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *mark = strstr(line, " # ");
        fprintf(f, "%.*s\n", mark ? (int)(mark - line) : (int)strlen(line), line);
    }
    assert_int_equal(fclose(f), 0);
}

static void try_one(trial *t)
{
    static const char *const ways[] = {"", "", "/worker", "/helper", "/measure"};
    uint64_t seed = t->seed;
    char units[3][32];
    plan_data first;
    sluice_diag why = {0};
    for (int i = 0; i < 8; i++)
        plan_random(&seed);
    const char *way = ways[plan_below(&seed, 5)];
    for (int i = 0; i < 3; i++)
        snprintf(units[i], sizeof units[i], "cpu:%d%s", 1 + (int)plan_below(&seed, 4), way);
    t->isa = plan_below(&seed, 3) ? NULL : plan_isas[plan_below(&seed, PLAN_ISAS)];
    t->options = (sluice_plan_options){
        .effort = plan_below(&seed, 2) ? SLUICE_MEASURE : SLUICE_PATIENT, .time_limit = 0.02};
    random_problem(&seed, &t->problem);
    if (sluice_problem_print(&t->problem, t->name, sizeof t->name) != SLUICE_OK)
        return; /* in place with other strides on one side, say */
    sluice_machine *m = open_machine(t, units[0], false);
    if (!m)
        return; /* this processor has no such instructions */
    sluice_plan *plan = verified(t, m, &t->options);
    plan_data_open(&first, plan, t->name, 0);
    plan_data_fill(&first, t->seed);
    assert_int_equal(sluice_execute_with(plan, &first.arrays, NULL), SLUICE_OK);
    if (sluice_wisdom_save(m, t->file) != SLUICE_OK)
        fail_msg("%s, seed %llu: %s", t->name, (unsigned long long)t->seed, why.message);
    sluice_plan_destroy(plan);
    sluice_machine_close(m);
    if (strcmp(way, "/measure")
        != 0) { /* where the way is chosen by the clock, with other formulas */
        compare(t, &first, units[1]);
        strip_checks(t);
        compare(t, &first, units[2]);
    }
    plan_data_close(&first);
}

static void random_problems_are_measured(void **state)
{
    const char *seconds = getenv("SLUICE_EFFORT_SECONDS"), *begin = getenv("SLUICE_EFFORT_SEED");
    const double until = core_seconds() + (seconds ? atof(seconds) : 0);
    trial *t = calloc(1, sizeof *t);
    (void)state;
    assert_non_null(t);
    assert_true(plan_file(t->file));
    const uint64_t start = begin ? strtoull(begin, NULL, 10) : 1;
    uint64_t tried = 0;
    for (; seconds ? core_seconds() < until : tried < SAMPLE; tried++) {
        t->seed = (start + tried) * 0x9E3779B97F4A7C15ull;
        try_one(t);
        assert_int_equal(core_mem_live(), 0);
    }
    if (seconds)
        print_message("%llu problems tried\n", (unsigned long long)tried);
    remove(t->file);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
