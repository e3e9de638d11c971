// SPDX-License-Identifier: BSD-3-Clause
/* core/: memory, text, arena, topology, cpu, log. (Trigonometry: test_trig.c.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/clock.h"
#include "core/copy.h"
#include "core/cpu.h"
#include "core/log.h"
#include "core/mem.h"
#include "core/status.h"
#include "core/text.h"
#include "core/topology.h"
#include "tests/helpers/helper_leaks.h"

static void every_status_has_a_sentence(void **state)
{
    (void)state;
    for (int status = SLUICE_E_CANCELLED; status <= SLUICE_END; status++)
        assert_string_not_equal(core_strerror((sluice_status)status), "unknown status");
    assert_string_equal(core_strerror((sluice_status)99), "unknown status");
}

static void failing_fills_the_diagnosis(void **state)
{
    (void)state;
    sluice_diag why;
    char longest[1000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(core_fail(&why, SLUICE_E_PARSE, 7, "found '%c'", 'q'), SLUICE_E_PARSE);
    assert_int_equal(why.offset, 7);
    assert_string_equal(why.message, "found 'q'");
    assert_int_equal(core_fail(NULL, SLUICE_E_IO, 0, "nobody listens"), SLUICE_E_IO);
    core_fail(&why, SLUICE_E_IO, 0, "%s", longest);
    assert_int_equal(strlen(why.message), sizeof why.message - 1);
    assert_int_equal(core_fail_memory(&why), SLUICE_E_MEMORY);
}

static void live_blocks_are_counted(void **state)
{
    (void)state;
    const long live = core_mem_live();
    const long count = core_mem_count();
    char *a = core_malloc(0);
    char *b = core_calloc(3, 5);
    char *c = core_strdup("text");
    char *d = core_aligned_alloc(100);
    assert_true(a != NULL && b != NULL && c != NULL && d != NULL);
    assert_int_equal(core_mem_live() - live, 4);
    assert_int_equal(core_mem_count() - count, 4);
    for (int i = 0; i < 15; i++)
        assert_int_equal(b[i], 0);
    assert_string_equal(c, "text");
    b = core_realloc(b, 1000);
    assert_int_equal(core_mem_live() - live, 4);
    char *e = core_realloc(NULL, 10);
    assert_int_equal(core_mem_live() - live, 5);
    core_free(a);
    core_free(b);
    core_free(c);
    core_aligned_free(d);
    core_free(e);
    core_free(NULL);
    core_aligned_free(NULL);
    assert_int_equal(core_mem_live(), live);
}

static void memory_can_be_made_to_fail(void **state)
{
    (void)state;
    const long live = core_mem_live();
    core_mem_fail_from(2);
    void *kept = core_malloc(1);
    assert_non_null(kept);
    assert_null(core_malloc(1));
    assert_null(core_calloc(1, 1));
    assert_null(core_realloc(kept, 100));
    assert_null(core_realloc(NULL, 100));
    assert_null(core_strdup(""));
    assert_null(core_aligned_alloc(1));
    core_mem_fail_from(0);
    kept = core_realloc(kept, 100);
    assert_non_null(kept);
    core_free(kept);
    assert_int_equal(core_mem_live(), live);
}

static void memory_is_aligned(void **state)
{
    (void)state;
    static const size_t bytes[] = {
        0, 1, 63, 4096, ((size_t)4 << 20) - 1, (size_t)4 << 20, (size_t)9 << 20};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        const size_t alignment = bytes[i] < (size_t)4 << 20 ? 64 : (size_t)2 << 20;
        char *block = core_aligned_alloc(bytes[i]);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % alignment, 0);
        if (bytes[i] > 0)
            block[0] = block[bytes[i] - 1] = 1;
        core_aligned_free(block);
    }
}

static void overflow_is_refused(void **state)
{
    (void)state;
    size_t out = 7;
    assert_false(core_mul(SIZE_MAX / 2, 3, &out));
    assert_false(core_add(SIZE_MAX, 1, &out));
    assert_int_equal(out, 7);
    assert_true(core_mul(SIZE_MAX / 2, 2, &out));
    assert_true(out == SIZE_MAX - 1);
    assert_true(core_add(SIZE_MAX - 1, 1, &out));
    assert_true(out == SIZE_MAX);
    assert_null(core_calloc(SIZE_MAX / 2, 3));
    assert_null(core_malloc(SIZE_MAX));
    assert_null(core_aligned_alloc(SIZE_MAX));
}

static void text_grows(void **state)
{
    (void)state;
    core_text text = {0};
    assert_string_equal(core_text_string(&text), "");
    core_text_add(&text, "ab", 2);
    for (int i = 0; i < 100; i++)
        core_text_printf(&text, ",%d", i);
    assert_false(text.failed);
    assert_int_equal(text.length, strlen(text.data));
    assert_memory_equal(text.data, "ab,0,1,2", 8);
    assert_string_equal(text.data + text.length - 6, ",98,99");
    core_text_free(&text);
    assert_null(text.data);
}

static void text_remembers_a_failure(void **state)
{
    (void)state;
    core_text text = {0};
    core_mem_fail_from(1);
    core_text_add(&text, "lost", 4);
    core_mem_fail_from(0);
    assert_true(text.failed);
    core_text_printf(&text, "late");
    assert_string_equal(core_text_string(&text), "");
    core_text_free(&text);
}

static void arena_blocks_are_aligned_and_apart(void **state)
{
    (void)state;
    enum { BLOCKS = 3000 };
    static unsigned char *blocks[BLOCKS];
    core_arena *arena = core_arena_open();
    for (size_t i = 0; i < BLOCKS; i++) {
        const size_t bytes = i * 37 % 500 + (i % 500 == 0 ? 100000 : 0);
        blocks[i] = core_arena_get(arena, bytes);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)(i % 255) + 1, bytes);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        if (i * 37 % 500 > 0)
            assert_int_equal(blocks[i][0], i % 255 + 1);
    assert_null(core_arena_get(arena, SIZE_MAX));
    assert_null(core_arena_get(arena, SIZE_MAX - 64));
    core_arena_close(arena);
    core_arena_close(NULL);
}

static void arena_survives_want_of_memory(void **state)
{
    (void)state;
    core_mem_fail_from(1);
    assert_null(core_arena_open());
    core_mem_fail_from(2);
    core_arena *arena = core_arena_open();
    assert_non_null(arena);
    assert_null(core_arena_get(arena, 10));
    assert_null(core_arena_get(arena, 100000));
    core_mem_fail_from(0);
    assert_non_null(core_arena_get(arena, 10));
    core_arena_close(arena);
}

static void this_machine_has_cores(void **state)
{
    (void)state;
    core_topology *topology;
    sluice_diag why;
    unsetenv("SLUICE_TOPOLOGY");
    assert_int_equal(core_topology_open(&topology, &why), SLUICE_OK);
    assert_true(core_topology_count(topology) >= 1);
    for (int i = 0; i < core_topology_count(topology); i++) {
        const core_core *core = core_topology_core(topology, i);
        assert_true(core->os_index >= 0);
        assert_true(core->line >= 16);
        assert_true(core->l2_sharers >= 1 && core->l3_sharers >= 1);
        assert_true(core->l1 == 0 || core->l1_ways >= 1);
    }
    assert_false(core_topology_bind(topology, -1));
    assert_false(core_topology_bind(topology, core_topology_count(topology)));
    core_topology_close(topology);
    core_topology_close(NULL);
}

static void a_machine_can_be_described(void **state)
{
    (void)state;
    core_topology *topology;
    sluice_diag why;
    setenv("SLUICE_TOPOLOGY", "numa:2 l3:1(size=16MB) l2:2(size=2MB) l1d:2(size=48kB) core:1 pu:2",
           1);
    assert_int_equal(core_topology_open(&topology, &why), SLUICE_OK);
    assert_int_equal(core_topology_count(topology), 8);
    const core_core *first = core_topology_core(topology, 0);
    const core_core *last = core_topology_core(topology, 7);
    assert_int_equal(first->os_index, 0);
    assert_int_equal(first->numa_node, 0);
    assert_int_equal(last->os_index, 14);
    assert_int_equal(last->numa_node, 1);
    assert_int_equal(last->l2_sharers, 2);
    assert_int_equal(last->l3_sharers, 4);
    assert_true(last->l1 >= 48000 && last->l2 >= 2000000 && last->l3 >= 16000000);
    assert_int_equal(last->l1_ways, last->l1 / 4096); /* not described: pages */
    assert_true(last->l1 <= 48 << 10 && last->l2 <= 2 << 20 && last->l3 <= 16 << 20);
    assert_false(core_topology_bind(topology, 0));
    core_topology_close(topology);
    setenv("SLUICE_TOPOLOGY", "castle:2", 1);
    assert_int_equal(core_topology_open(&topology, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "castle:2"));
    unsetenv("SLUICE_TOPOLOGY");
}

static void topology_survives_want_of_memory(void **state)
{
    (void)state;
    core_topology *topology;
    sluice_status status = SLUICE_E_MEMORY;
    for (long nth = 1; status != SLUICE_OK; nth++) {
        core_mem_fail_from(nth);
        status = core_topology_open(&topology, NULL);
        core_mem_fail_from(0);
        assert_true(status == SLUICE_OK || (status == SLUICE_E_MEMORY && core_mem_live() == 0));
    }
    core_topology_close(topology);
}

static void the_cpu_can_be_masked(void **state)
{
    (void)state;
    core_isa best, isa;
    sluice_diag why;
    unsetenv("SLUICE_CPU");
    assert_int_equal(core_cpu_isa(&best, &why), SLUICE_OK);
    for (int wish = 0; wish < CORE_ISA_COUNT; wish++) {
        setenv("SLUICE_CPU", core_isa_name((core_isa)wish), 1);
        const sluice_status status = core_cpu_isa(&isa, &why);
        static const bool is_built[CORE_ISA_COUNT] = {true, SLUICE_HAVE_VEC128, SLUICE_HAVE_AVX2,
                                                      SLUICE_HAVE_AVX512};
        const bool built = is_built[wish];
        assert_int_equal(status, wish <= (int)best && built ? SLUICE_OK : SLUICE_E_UNSUPPORTED);
        if (status == SLUICE_OK)
            assert_int_equal(isa, wish);
        else
            assert_non_null(strstr(why.message, core_isa_name((core_isa)wish)));
    }
    setenv("SLUICE_CPU", "abacus", 1);
    assert_int_equal(core_cpu_isa(&isa, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "abacus"));
    setenv("SLUICE_CPU", "", 1);
    assert_int_equal(core_cpu_isa(&isa, &why), SLUICE_OK);
    assert_int_equal(isa, best);
    unsetenv("SLUICE_CPU");
}

static sluice_status collect(void *user, const char *bytes, size_t length)
{
    core_text *text = user;
    core_text_add(text, bytes, length);
    core_text_add(text, "|", 1);
    return SLUICE_OK;
}

static void log_lines_arrive_whole(void **state)
{
    (void)state;
    core_text text = {0};
    core_log log;
    core_log_open(&log, collect, &text);
    core_log_line(&log, CORE_LOG_PLAN, "%s,%d", "c2c:f32:8", 3);
    core_log_line(&log, CORE_LOG_STREAM, "block,%d", 1);
    assert_string_equal(text.data, "sluice,1,plan,c2c:f32:8,3\n|sluice,1,stream,block,1\n|");
    for (int width = 480; width < 520; width++) { /* about the size of the line kept on the stack */
        const size_t before = text.length;
        core_log_line(&log, CORE_LOG_EXEC, "%0*d", width, 7);
        assert_int_equal(text.length - before, 14 + (size_t)width + 2);
        assert_string_equal(text.data + text.length - 4, "07\n|");
    }
    core_text_free(&text);
}

static void log_channels_come_from_the_environment(void **state)
{
    (void)state;
    core_log log;
    unsetenv("SLUICE_VERBOSE");
    core_log_open(&log, NULL, NULL);
    assert_int_equal(log.channels, 0);
    setenv("SLUICE_VERBOSE", "plan,,stream", 1);
    core_log_open(&log, NULL, NULL);
    assert_int_equal(log.channels, CORE_LOG_PLAN | CORE_LOG_STREAM);
    setenv("SLUICE_VERBOSE", "all", 1);
    core_log_open(&log, NULL, NULL);
    assert_int_equal(log.channels,
                     CORE_LOG_PLAN | CORE_LOG_DISPATCH | CORE_LOG_EXEC | CORE_LOG_STREAM);
    unsetenv("SLUICE_VERBOSE");
}

static void time_goes_on(void **state)
{
    (void)state;
    const double before = core_seconds();
    assert_true(core_seconds() >= before);
}

/* Any alignment of either side, lengths to some lines, nothing around them. */
static void copies_away_are_copies(void **state)
{
    enum { MOST = 300, EDGE = 64 };
    static unsigned char from[MOST + 2 * EDGE], to[MOST + 2 * EDGE], want[MOST + 2 * EDGE];
    (void)state;
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(7 * i + 1);
    for (size_t at = 0; at < EDGE; at += 3)
        for (size_t bytes = 0; bytes <= MOST; bytes++) {
            memset(to, 0xa5, sizeof to);
            memset(want, 0xa5, sizeof want);
            memcpy(want + at, from + at % 5, bytes);
            core_copy_away(to + at, from + at % 5, bytes);
            assert_memory_equal(to, want, sizeof to);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_sentence),
        cmocka_unit_test(failing_fills_the_diagnosis),
        cmocka_unit_test(copies_away_are_copies),
        cmocka_unit_test_teardown(live_blocks_are_counted, nothing_leaks),
        cmocka_unit_test_teardown(memory_can_be_made_to_fail, nothing_leaks),
        cmocka_unit_test_teardown(memory_is_aligned, nothing_leaks),
        cmocka_unit_test_teardown(overflow_is_refused, nothing_leaks),
        cmocka_unit_test_teardown(text_grows, nothing_leaks),
        cmocka_unit_test_teardown(text_remembers_a_failure, nothing_leaks),
        cmocka_unit_test_teardown(arena_blocks_are_aligned_and_apart, nothing_leaks),
        cmocka_unit_test_teardown(arena_survives_want_of_memory, nothing_leaks),
        cmocka_unit_test_teardown(this_machine_has_cores, nothing_leaks),
        cmocka_unit_test_teardown(a_machine_can_be_described, nothing_leaks),
        cmocka_unit_test_teardown(topology_survives_want_of_memory, nothing_leaks),
        cmocka_unit_test(the_cpu_can_be_masked),
        cmocka_unit_test_teardown(log_lines_arrive_whole, nothing_leaks),
        cmocka_unit_test(log_channels_come_from_the_environment),
        cmocka_unit_test(time_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
