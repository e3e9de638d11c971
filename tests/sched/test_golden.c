// SPDX-License-Identifier: BSD-3-Clause
/* The bits of results, and which formulas the planner chooses, are what they were recorded to be.
 *
 * tests/golden/bits.txt has a line for each complete formula:
 *     CACHES ISA MARK HASH PROBLEM := FORMULA
 * CACHES  of the machine that is described to the planner: `server` (48 KiB L1, 2 MiB L2) or
 *         `small` (16 and 32 KiB, where plans of few points have the structures of large ones)
 * MARK    `*` what the planner chooses for the problem, `-` another of its candidates
 * HASH    FNV-1a of both sides' memory after an execution, canaries around it included
 * A formula is planned as it stands, so its bits must stay whatever the planner prefers one day.
 *
 *     test_golden --record tests/golden/problems.txt > new && mv new tests/golden/bits.txt
 * writes the file anew, which is right only where a change of choices or of bits is meant; what was
 * recorded of an ISA that this processor lacks is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/plan/plan.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_structure.h"

enum { SEED = 20261122, LINE = 1 << 16, STEP = PLAN_SANITIZED ? 5 : 1 };
static const char recorded[] = "tests/golden/bits.txt";
static const char units[] = "cpu:2";
#define SERVER "pack:1 l3:1(size=33554432) l2:2(size=2097152) l1d:1(size=49152) core:1 pu:1"
#define SMALL "pack:1 l3:1(size=33554432) l2:2(size=32768) l1d:1(size=16384) core:1 pu:1"

/* Descriptions of machines, and how much is recorded on each: every `step`-th problem, so many of
 * the planner's candidates. */
static const struct description {
    const char *caches, *topology, *isa;
    int step, candidates;
} machines[] = {
    {"server", SERVER, "avx512", 1, 2}, {"server", SERVER, "avx2", 1, 1},
    {"server", SERVER, "vec128", 4, 1}, {"server", SERVER, "scalar", 4, 1},
    {"small", SMALL, "avx512", 1, 2},   {"small", SMALL, "avx2", 3, 2},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

/* ---------------------------------------------------------------- bits ------------------- */

/* FNV-1a by words of 8 bytes; the last one filled up with zeros. */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t count)
{
    for (size_t at = 0; at < count; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, count - at < 8 ? count - at : 8);
        hash = (hash ^ word) * 0x100000001b3ull;
    }
    return hash ^ hash >> 32;
}

/* Executes the plan on data of its own. */
static uint64_t hash_of(const sluice_plan *plan)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    plan_data d;
    plan_data_open(&d, plan, plan->line, 0);
    plan_data_fill(&d, SEED);
    const sluice_status status = sluice_execute_with(plan, &d.arrays, NULL);
    if (status != SLUICE_OK)
        fail_msg("%s: %s", plan->line, sluice_strerror(status));
    for (int side = d.p.in_place ? 1 : 0; side < 2; side++)
        for (int part = 0; part < 2 && d.block[side][part] != NULL; part++)
            hash = hash_bytes(hash, d.block[side][part], d.bytes[side]);
    plan_data_close(&d);
    return hash;
}

/* ---------------------------------------------------------------- recording -------------- */

static void print_record(const struct description *d, char mark, const sluice_plan *plan)
{
    printf("%s %s %c %016llx %s\n", d->caches, d->isa, mark, (unsigned long long)hash_of(plan),
           plan->line);
}

static void record_problem(sluice_machine *m, const struct description *d, const char *problem)
{
    sluice_plan *chosen = plan_made(m, problem);
    print_record(d, '*', chosen);
    for (int k = 1; k < structure_candidates(chosen) && k < d->candidates; k++) {
        sluice_plan *other = structure_plan(m, problem, k);
        print_record(d, '-', other);
        sluice_plan_destroy(other);
    }
    sluice_plan_destroy(chosen);
}

/* Prints what is recorded of a machine that this processor cannot be. */
static bool keep_records(const struct description *d)
{
    static char line[LINE];
    char caches[16], isa[16];
    int kept = 0;
    FILE *file = fopen(recorded, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%15s %15s", caches, isa) == 2 && strcmp(caches, d->caches) == 0
            && strcmp(isa, d->isa) == 0)
            kept += fputs(line, stdout) >= 0;
    if (file != NULL)
        fclose(file);
    return kept > 0;
}

/* Reads one problem a line, # for comments. */
static bool record_machine(const struct description *d, const char *path)
{
    char line[PLAN_TEXT_SIZE];
    int number = 0;
    sluice_machine *m = structure_machine_of(d->topology, units, d->isa, 0);
    if (m == NULL)
        return keep_records(d);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0' && number++ % d->step == 0)
            record_problem(m, d, line);
    }
    if (file == NULL)
        fprintf(stderr, "test_golden: %s\n", path);
    else
        fclose(file);
    sluice_machine_close(m);
    return number > 0;
}

static int record_all(const char *path)
{
    for (int i = 0; i < MACHINES; i++)
        if (!record_machine(&machines[i], path))
            return 2;
    return 0;
}

/* ---------------------------------------------------------------- checking --------------- */

typedef struct record {
    char caches[16], isa[16], mark;
    uint64_t hash;
    char *line; /* PROBLEM := FORMULA */
} record;

static bool read_record(char *text, record *out)
{
    int at = 0;
    unsigned long long hash = 0;
    text[strcspn(text, "\n")] = '\0';
    if (sscanf(text, "%15s %15s %c %16llx %n", out->caches, out->isa, &out->mark, &hash, &at) != 4)
        return false;
    out->hash = hash;
    out->line = text + at;
    return strstr(out->line, " := ") != NULL;
}

static bool has_recorded_bits(const sluice_plan *plan, const record *r)
{
    const uint64_t hash = hash_of(plan);
    if (hash != r->hash)
        print_error("%s %s: bits %016llx, recorded %016llx: %s\n", r->caches, r->isa,
                    (unsigned long long)hash, (unsigned long long)r->hash, r->line);
    return hash == r->hash;
}

/* What the planner chooses now for the problem of a record. */
static sluice_plan *choice_of(sluice_machine *m, const record *r)
{
    char problem[PLAN_TEXT_SIZE];
    snprintf(problem, sizeof problem, "%.*s", (int)(strstr(r->line, " := ") - r->line), r->line);
    return plan_made(m, problem);
}

/* Where the choice is the recorded one, it has the formula's bits. */
static bool is_as_recorded(sluice_machine *m, const record *r)
{
    sluice_plan *chosen = r->mark == '*' ? choice_of(m, r) : NULL;
    const bool same_choice = chosen == NULL || strcmp(chosen->line, r->line) == 0;
    if (!same_choice)
        print_error("%s %s chooses %s\n  recorded %s\n", r->caches, r->isa, chosen->line, r->line);
    sluice_plan *plan =
        chosen != NULL && same_choice ? chosen : plan_of_formula(m, r->line, SLUICE_F32);
    const bool reproducible = has_recorded_bits(plan, r);
    if (plan != chosen)
        sluice_plan_destroy(chosen);
    sluice_plan_destroy(plan);
    return same_choice && reproducible;
}

/* The records of a machine; fails where one differs. */
static void check_machine(const struct description *d)
{
    char *text = test_malloc(LINE);
    int checked = 0, wrong = 0;
    FILE *file = fopen(recorded, "r");
    sluice_machine *m = structure_machine_of(d->topology, units, d->isa, 0);
    assert_non_null(file);
    for (int number = 0; m != NULL && fgets(text, LINE, file) != NULL; number++) {
        record r;
        if (!read_record(text, &r))
            fail_msg("%s:%d: no record", recorded, number + 1);
        if (number % STEP != 0 || strcmp(r.caches, d->caches) != 0 || strcmp(r.isa, d->isa) != 0)
            continue;
        checked++;
        wrong += !is_as_recorded(m, &r);
    }
    fclose(file);
    test_free(text);
    if (m != NULL && (wrong > 0 || checked == 0))
        fail_msg("%s %s: %d of %d records differ", d->caches, d->isa, wrong, checked);
    sluice_machine_close(m);
}

static void bits_and_choices_are_as_recorded(void **state)
{
    (void)state;
    for (int i = 0; i < MACHINES; i++)
        check_machine(&machines[i]);
}

static void a_changed_bit_is_seen(void **state)
{
    (void)state;
    char block[100] = {0};
    const uint64_t hash = hash_bytes(1, block, sizeof block);
    block[99] ^= 1;
    assert_true(hash_bytes(1, block, sizeof block) != hash);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_bit_is_seen),
        cmocka_unit_test_teardown(bits_and_choices_are_as_recorded, nothing_leaks),
    };
    if (argc == 3 && strcmp(argv[1], "--record") == 0)
        return record_all(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
