// SPDX-License-Identifier: BSD-3-Clause
/* Exchanges between parts: which sides of which statements are of class NET, and the packets of
 * mu that spe(p,mu) promises (docs/RULES.md, Packets). */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/status.h"
#include "sched/plan/plan.h"
#include "spl/program/program.h"
#include "tests/helpers/helper_net.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_scenario.h"

enum { SEED = 20261123, TRIALS = 200, POINTS = 6000 };

/* Has every packet that crosses at least mu elements? */
static sluice_status too_small(const prog *p, size_t at, const prog_traffic *x, int64_t mu,
                               sluice_diag *why)
{
    char place[48] = "input";
    if (at == PROG_AT_OUTPUT(p))
        snprintf(place, sizeof place, "output");
    else if (at != PROG_AT_INPUT(p))
        snprintf(place, sizeof place, "statement %zu, sync", at);
    return core_fail(why, SLUICE_E_INVALID, 0,
                     "%s: a packet of %" PRId64 " elements crosses parts, mu is %" PRId64, place,
                     x->min, mu);
}

static sluice_status check_packets(const prog *p, const prog_exchanges *e, int64_t mu,
                                   sluice_diag *why)
{
    for (size_t i = 0; i < PROG_TRAFFICS(p); i++)
        if (e->at[i].packets > 0 && e->at[i].min < mu)
            return too_small(p, i, &e->at[i], mu, why);
    return SLUICE_OK;
}

static sluice_status check_all_packets(const prog *p, int64_t mu, sluice_diag *why)
{
    prog_exchanges e;
    sluice_status status = prog_exchange(p, &e, why);
    if (status == SLUICE_OK) {
        status = check_packets(p, &e, mu, why);
        prog_exchanges_free(&e);
    }
    return status;
}

/* DFT(nm) = (DFT(n) (x) I(m)) T L' (DFT(m) (x) I(n)) and the like, in tags. */
typedef enum breakdown { CT, DIF, STOCKHAM, SIXSTEP, PLANES, BREAKDOWNS } breakdown;

static const char *const breakdowns[BREAKDOWNS] = {
    [CT] = "((DFT(N) (x) I(M)) * T(N,M) * (I(N) (x) DFT(M)) * L(Q,N))",
    [DIF] = "(L(Q,M) * (I(N) (x) DFT(M)) * T(N,M) * (DFT(N) (x) I(M)))",
    [STOCKHAM] = "((DFT(M) (x) I(N)) * L(Q,M) * T(N,M) * (DFT(N) (x) I(M)))",
    [SIXSTEP] = "(L(Q,N) * (I(M) (x) DFT(N)) * L(Q,M) * T(N,M) * (I(N) (x) DFT(M)) * L(Q,N))",
    [PLANES] = "(DFT(N) (x) DFT(M))",
};

static void formula_of(breakdown b, size_t n, size_t m, const char *tags, char text[PLAN_TEXT_SIZE])
{
    size_t at = 0;
    for (const char *c = breakdowns[b]; *c != '\0'; c++) {
        const size_t size = *c == 'N' ? n : *c == 'M' ? m : *c == 'Q' ? n * m : 0;
        at += (size_t)(size > 0 ? snprintf(text + at, PLAN_TEXT_SIZE - at, "%zu", size)
                                : snprintf(text + at, PLAN_TEXT_SIZE - at, "%c", *c));
    }
    snprintf(text + at, PLAN_TEXT_SIZE - at, "_{%s}", tags);
}

static sluice_plan *planned(sluice_machine *m, breakdown b, size_t n, size_t k, size_t p, size_t mu,
                            char text[PLAN_TEXT_SIZE])
{
    char tags[64];
    snprintf(tags, sizeof tags, "spe(%zu,%zu)", p, mu);
    formula_of(b, n, k, tags, text);
    return plan_of_formula(m, text, SLUICE_F32);
}

/* n p runs of m/p meet in Cooley-Tukey on p parts, of which a share of 1 - 1/p crosses; 1024 runs
 * of 16 for 128 x 128 on 8. */
static void cooley_tukey_exchanges_runs_of_columns(void **state)
{
    static const struct {
        int64_t n, m, p;
    } cases[] = {{8, 8, 2}, {128, 128, 8}, {16, 64, 4}, {12, 30, 3}, {32, 8, 8}};
    char text[PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *machine = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int64_t n = cases[i].n, m = cases[i].m, p = cases[i].p;
        sluice_plan *plan =
            planned(machine, CT, (size_t)n, (size_t)m, (size_t)p, (size_t)(m / p), text);
        const prog *body = plan->body;
        prog_exchanges e;
        size_t sync = 0;
        assert_int_equal(prog_exchange(body, &e, NULL), SLUICE_OK);
        for (size_t s = 0; s < body->nstmts; s++)
            sync = body->stmt[s].op == PROG_SYNC ? s : sync;
        const prog_traffic *x = &e.at[sync];
        assert_int_equal(x->elements, n * m);
        assert_int_equal(x->communicated, n * m - n * m / p);
        assert_int_equal(x->packets, n * (p - 1));
        assert_int_equal(x->min, m / p);
        assert_int_equal(x->max, m / p);
        assert_int_equal(net_check(body, text), 3);
        prog_exchanges_free(&e);
        sluice_plan_destroy(plan);
    }
    sluice_machine_close(machine);
}

static void checked(const prog *p, int64_t mu, sluice_status status, const char *text)
{
    sluice_diag why = {0};
    const sluice_status is = check_all_packets(p, mu, &why);
    if (is != status)
        fail_msg("%s: mu %lld: %d, not %d: %s", text, (long long)mu, is, status, why.message);
    if (is != SLUICE_OK && strstr(why.message, "elements crosses parts, mu is") == NULL)
        fail_msg("%s: %s", text, why.message);
}

/* Where p mu divides both sizes every packet of every exchange has a multiple of mu elements; no
 * larger mu passes. */
static void packets_hold_mu_where_it_divides(void **state)
{
    uint64_t random = SEED;
    char text[PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m[] = {plan_machine("ref:2", NULL), plan_machine("cpu:2", NULL)};
    for (int i = 0; i < TRIALS; i++) {
        const breakdown b = (breakdown)plan_below(&random, BREAKDOWNS);
        size_t p, mu, n, k;
        do {
            p = 2 + plan_below(&random, 4);
            mu = 1 + plan_below(&random, 6);
            n = p * mu * (1 + plan_below(&random, 4));
            k = p * mu * (1 + plan_below(&random, 4));
        } while (n * k > POINTS || !plan_smooth(n) || !plan_smooth(k));
        sluice_plan *plan = planned(m[i % 2], b, n, k, p, mu, text);
        prog_exchanges e;
        checked(plan->body, (int64_t)mu, SLUICE_OK, text);
        assert_true(net_check(plan->body, text) >= 2);
        assert_int_equal(prog_exchange(plan->body, &e, NULL), SLUICE_OK);
        assert_int_equal(e.min_packet % (int64_t)mu, 0);
        checked(plan->body, e.min_packet + 1, SLUICE_E_INVALID, text);
        prog_exchanges_free(&e);
        sluice_plan_destroy(plan);
    }
    for (size_t i = 0; i < 2; i++)
        sluice_machine_close(m[i]);
}

/* Between stages mu need only divide the columns, whatever p is; at the user's arrays, where
 * columns are read and written, p mu the whole. */
static void columns_alone_hold_it_between_stages(void **state)
{
    uint64_t random = SEED + 1;
    char text[PLAN_TEXT_SIZE];
    (void)state;
    int whole = 0;
    sluice_machine *m = plan_machine("cpu:3", NULL);
    for (int i = 0; i < TRIALS; i++) {
        const size_t p = 2 + plan_below(&random, 6), mu = 1 + plan_below(&random, 6);
        size_t n, k;
        do {
            n = mu * (2 + plan_below(&random, 8));
            k = mu * (2 + plan_below(&random, 8));
        } while (n * k > POINTS || !plan_smooth(n) || !plan_smooth(k));
        sluice_plan *plan = planned(m, i % 2 ? STOCKHAM : CT, n, k, p, mu, text);
        prog_exchanges e;
        assert_int_equal(prog_exchange(plan->body, &e, NULL), SLUICE_OK);
        for (size_t s = 0; s < plan->body->nstmts; s++)
            if (e.at[s].packets > 0 && e.at[s].min < (int64_t)mu)
                fail_msg("%s: a packet of %lld", text, (long long)e.at[s].min);
        if (i % 2 && n * k % (p * mu) == 0 && mu > 1) {
            checked(plan->body, (int64_t)mu, SLUICE_OK, text);
            whole++;
        }
        prog_exchanges_free(&e);
        sluice_plan_destroy(plan);
    }
    assert_true(whole > TRIALS / 10);
    sluice_machine_close(m);
}

/* What is promised no more: a rest of columns, rows that p does not divide, sizes that mu does not.
 * A mu of more than all columns no rule takes. */
static void packets_below_mu_are_found(void **state)
{
    static const struct {
        breakdown b;
        size_t n, m, p, mu;
        const char *where;
    } cases[] = {
        {CT, 8, 9, 3, 4, ", sync: a packet of 1 elements"},        /* 9 columns: 4, 4, 1 */
        {CT, 7, 8, 2, 4, "input: a packet of 3 elements"},         /* 7 rows: 3, 4 */
        {STOCKHAM, 8, 12, 5, 4, "input: a packet of "},            /* shares of 19.2 points */
        {SIXSTEP, 12, 12, 6, 4, ", sync: a packet of 2 elements"}, /* 2 rows each */
    };
    char text[PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m = plan_machine("ref:2", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sluice_diag why = {0};
        sluice_plan *plan =
            planned(m, cases[i].b, cases[i].n, cases[i].m, cases[i].p, cases[i].mu, text);
        net_check(plan->body, text);
        assert_int_equal(check_all_packets(plan->body, (int64_t)cases[i].mu, &why),
                         SLUICE_E_INVALID);
        if (strstr(why.message, cases[i].where) == NULL)
            fail_msg("%s: \"%s\", not \"%s\"", text, why.message, cases[i].where);
        sluice_plan_destroy(plan);
    }
    sluice_plan *none = NULL;
    sluice_diag why = {0};
    formula_of(CT, 8, 8, "spe(2,9)", text);
    assert_int_equal(sluice_plan_from_formula(&none, m, text, SLUICE_F32, NULL, &why),
                     SLUICE_E_UNSUPPORTED);
    assert_non_null(strstr(why.message, "mu is too large: a packet of mu columns needs as many"));
    assert_non_null(strstr(why.message, "rule ("));
    sluice_machine_close(m);
}

/* What is got and put passes through memory: of the scenarios with local stores those that work
 * together on what stays on chip exchange once a transform, the others never. */
static void transfers_are_no_exchange(void **state)
{
    static const struct {
        const char *name;
        int exchanges;
        bool input, output; /* may be of class NET */
    } cases[] = {{"a1", 3, true, true},   {"a2", 0, false, false}, {"a3", 1, false, false},
                 {"a4", 0, false, false}, {"b1", 0, false, false}, {"b2", 0, false, false},
                 {"b3", 1, false, false}, {"LP", 0, false, false}};
    static const scenario_size size = {16, 16, 16, 4, 4, 8};
    char line[SCENARIO_TEXT_SIZE];
    int seen = 0;
    (void)state;
    sluice_machine *m = plan_machine("ref:4", NULL);
    for (int x = 0; x < SCENARIOS; x++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            prog_exchanges e;
            if (strcmp(scenarios[x].name, cases[i].name) != 0)
                continue;
            scenario_line(&scenarios[x], &size, "f32", line);
            sluice_plan *plan = plan_of_formula(m, line, SLUICE_F32);
            assert_int_equal(net_check(plan->body, line), cases[i].exchanges);
            assert_int_equal(prog_exchange(plan->body, &e, NULL), SLUICE_OK);
            assert_true((e.in > 0) == cases[i].input && (e.out > 0) == cases[i].output);
            checked(plan->body, size.mu, SLUICE_OK, line);
            prog_exchanges_free(&e);
            sluice_plan_destroy(plan);
            seen++;
        }
    assert_int_equal(seen, SCENARIOS);
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cooley_tukey_exchanges_runs_of_columns),
        cmocka_unit_test(packets_hold_mu_where_it_divides),
        cmocka_unit_test(columns_alone_hold_it_between_stages),
        cmocka_unit_test(packets_below_mu_are_found),
        cmocka_unit_test(transfers_are_no_exchange),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
