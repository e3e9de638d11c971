// SPDX-License-Identifier: BSD-3-Clause
/* What soft DMA is made of: packets, helpers and their queues, where helpers run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/cpu/run/cpu_dma.h"
#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_spl.h"

enum { SEED = 4711 };

/* ---------------------------------------------------------------- packets ---------------- */

enum { POINTS = 360 }; /* of a test of packets */

/* Where a part of element i lies; elements of `scalars` side by side. */
static size_t place(size_t scalars, int64_t i, int part)
{
    return scalars * (size_t)i + (scalars == 2 ? (size_t)part : 0);
}

/* Moves by packets, which begin where the functions do, and compares one by one. */
static void compare_packets(const prog_move *p, const ix *fin, const ix *fout, int64_t n)
{
    static _Alignas(64) float in[2][2 * POINTS], out[2][2 * POINTS];
    const size_t is = prog_move_adjacent(p, false), os = prog_move_adjacent(p, true);
    const char *from[2];
    char *to[2];
    for (int part = 0; part < 2; part++) {
        from[part] = (char *)(in[p->split_in && part] + place(is, fin->c, part));
        to[part] = (char *)(out[p->split_out && part] + place(os, fout->c, part));
    }
    for (int i = 0; i < 2 * POINTS; i++) {
        in[0][i] = (float)i + 1;
        in[1][i] = -(float)i - 1;
        out[0][i] = out[1][i] = 0;
    }
    cpu_move_packets(p, from, to);
    for (int64_t i = 0; i < n; i++)
        for (int part = 0; part < 2; part++) {
            const float *a = in[p->split_in && part], *b = out[p->split_out && part];
            assert_true(b[place(os, ix_eval(fout, i, NULL), part)]
                        == a[place(is, ix_eval(fin, i, NULL), part)]);
        }
}

static void packets_move_what_functions_say(void **state)
{
    spl_random r = {.state = SEED};
    int64_t range[IX_MAX_VARS];
    int linear = 0;
    (void)state;
    for (int round = 0; round < 200; round++) {
        spl_ctx *ctx = spl_ctx_open();
        const spl_radices radices = spl_random_radices(&r, POINTS);
        const ix *fin = spl_random_digits(&r, ctx, &radices, 0, 0, range);
        const ix *fout = spl_random_below(&r, 2)
                             ? ix_id(ctx, POINTS)
                             : spl_random_digits(&r, ctx, &radices, 0, 0, range);
        const bool real = spl_random_below(&r, 3) == 0;
        prog_move p = {.scalar = sizeof(float),
                       .real = real,
                       .split_in = !real && spl_random_below(&r, 2) == 1,
                       .split_out = !real && spl_random_below(&r, 2) == 1,
                       .non_temporal = spl_random_below(&r, 2) == 1};
        if (prog_move_of(&p, fin, fout, POINTS)) {
            assert_int_equal(prog_move_packets(&p) * (int64_t)p.run, POINTS);
            compare_packets(&p, fin, fout, POINTS);
            linear++;
        }
        spl_ctx_close(ctx);
    }
    assert_true(linear > 50 && linear < 200);
}

static void runs_are_one_packet(void **state)
{
    spl_ctx *ctx = spl_ctx_open();
    prog_move p = {.scalar = 8};
    (void)state;
    assert_true(prog_move_of(&p, ix_h(ctx, 60, 360, 7, 1), ix_id(ctx, 60), 60));
    assert_int_equal(prog_move_packets(&p), 1);
    assert_int_equal(prog_move_packet_bytes(&p), 960);
    assert_true(prog_move_of(&p, ix_q_var(ctx, 60, 360, 0, 6, 6, 10), ix_id(ctx, 60), 60));
    assert_int_equal(prog_move_packets(&p), 6);
    assert_int_equal(prog_move_packet_bytes(&p), 160);
    p.real = true;
    assert_true(prog_move_of(&p, ix_h(ctx, 60, 360, 7, 1), ix_id(ctx, 60), 60));
    assert_int_equal(prog_move_packet_bytes(&p), 480);
    spl_ctx_close(ctx);
}

/* ---------------------------------------------------------------- helpers ---------------- */

static void queues_keep_their_order(void **state)
{
    enum { MOVES = 500 };
    static int64_t cell[MOVES + 1][2];
    const prog_move one = {.run = 1, .scalar = sizeof(int64_t)};
    const core_log quiet = {.channels = 0};
    core_topology *topology = NULL;
    (void)state;
    assert_int_equal(core_topology_open(&topology, NULL), SLUICE_OK);
    cpu_helpers *h = cpu_helpers_open(2, topology, &quiet);
    assert_non_null(h);
    assert_int_equal(cpu_helpers_count(h), 2);
    cpu_dma *a = cpu_dma_lease(h, 1), *b = cpu_dma_lease(h, 1);
    assert_true(a != NULL && b != NULL && a != b);
    assert_null(cpu_dma_lease(h, 0)); /* both are busy */
    cpu_dma_release(b);
    b = cpu_dma_lease(h, 0);
    assert_non_null(b);
    /* a chain: each transfer reads what the one before wrote */
    cell[0][0] = SEED;
    for (int i = 0; i < MOVES; i++) {
        const cpu_copy m = {
            .packets = &one, .in = {(char *)cell[i], NULL}, .out = {(char *)cell[i + 1], NULL}};
        assert_int_equal(cpu_dma_post(a, &m), i + 1);
        if (i % 50 == 7) {
            cpu_dma_wait(a, (uint64_t)i + 1);
            assert_int_equal(cell[i + 1][0], SEED);
            usleep(200); /* until it sleeps */
        }
    }
    cpu_dma_release(a);
    assert_int_equal(cell[MOVES][0], SEED);
    cpu_dma_release(b);
    cpu_dma_release(NULL);
    cpu_helpers_close(h);
    core_topology_close(topology);
}

static sluice_status keep_line(void *user, const char *text, size_t length)
{
    snprintf(user, PLAN_TEXT_SIZE, "%.*s", (int)length, text);
    return SLUICE_OK;
}

/* Where the system gives no more threads there are fewer helpers, and a line in the log. */
static void threads_may_run_out(void **state)
{
    enum { WANTED = 200 };
    char line[PLAN_TEXT_SIZE] = "";
    const core_log log = {.channels = CORE_LOG_DISPATCH, .write = keep_line, .user = line};
    core_topology *topology = NULL;
    struct rlimit was;
    (void)state;
    if (PLAN_SANITIZED) /* they take address space of their own */
        skip();
    assert_int_equal(core_topology_open(&topology, NULL), SLUICE_OK);
    assert_int_equal(getrlimit(RLIMIT_AS, &was), 0);
    const struct rlimit little = {.rlim_cur = (rlim_t)1 << 29, .rlim_max = was.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    cpu_helpers *h = cpu_helpers_open(WANTED, topology, &log);
    assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
    assert_non_null(h);
    assert_true(cpu_helpers_count(h) < WANTED);
    assert_non_null(strstr(line, "cpu,helpers="));
    assert_non_null(strstr(line, " of 200,"));
    cpu_helpers_close(h);
    core_topology_close(topology);
}

/* Beside a worker: the same core, what shares its cache, or nowhere. */
static void helpers_find_a_place(void **state)
{
    static const struct {
        const char *topology;
        int workers;
        const char *name;
    } cases[] = {
        {"pack:1 l3:1 core:2 pu:2", 2, "core"}, {"pack:2 l3:1 l2:2 core:2 pu:1", 1, "L2"},
        {"pack:2 l3:1 core:2 pu:1", 1, "L3"},   {"pack:2 l3:1 core:2 pu:1", 2, "machine"},
        {"pack:2 l3:1 core:2 pu:1", 4, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        core_topology *t = NULL;
        char name[16];
        setenv("SLUICE_TOPOLOGY", cases[i].topology, 1);
        assert_int_equal(core_topology_open(&t, NULL), SLUICE_OK);
        unsetenv("SLUICE_TOPOLOGY");
        core_topology_place_helper(t, 0, cases[i].workers, false, name, sizeof name);
        assert_string_equal(name, cases[i].name);
        core_topology_close(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_move_what_functions_say),
        cmocka_unit_test(runs_are_one_packet),
        cmocka_unit_test_teardown(queues_keep_their_order, nothing_leaks),
        cmocka_unit_test_teardown(threads_may_run_out, nothing_leaks),
        cmocka_unit_test(helpers_find_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
