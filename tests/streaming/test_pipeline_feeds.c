// SPDX-License-Identifier: BSD-3-Clause
/* Feeds of arrays, functions, files and pipes; schedules. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/mem.h"
#include "streaming/feed.h"
#include "tests/helpers/helper_fixture.h"

enum { BLOCKS = 40, BLOCK_BYTES = FIXTURE_COUNT * sizeof(fixture_item) };

static const stream_schedule two_teams = {.kind = STREAM_DYNAMIC, .teams = 2};
static fixture_item source_data[BLOCKS][FIXTURE_COUNT], result[BLOCKS][FIXTURE_COUNT];

static stream_array arrays_of(uint64_t blocks, size_t last_count)
{
    memset(result, 0, sizeof result);
    for (uint64_t k = 0; k < BLOCKS; k++)
        fixture_fill(source_data[k], k, FIXTURE_COUNT);
    return (stream_array){.in = (const char *)source_data,
                          .out = (char *)result,
                          .in_stride = BLOCK_BYTES,
                          .out_stride = BLOCK_BYTES,
                          .blocks = blocks,
                          .last_count = last_count};
}

static sluice_status run_on_fixture(stream_fixture *r, int slots, const stream_feed *feed,
                                    stream_totals *totals, sluice_diag *why)
{
    stream_pipeline *p;
    stream_times seconds;
    sluice_slot *slot;
    sluice_status status = fixture_pipeline(r, &two_teams, slots, &p);
    if (status != SLUICE_OK)
        return status;
    status = stream_run_feed(p, feed, &seconds, why);
    assert_true(seconds.get >= 0 && seconds.put >= 0 && seconds.all >= 0);
    assert_int_equal(stream_pipeline_reap(p, &slot, -1, NULL),
                     SLUICE_END); /* finished and drained */
    if (totals != NULL)
        stream_pipeline_totals(p, totals);
    stream_pipeline_close(p);
    return status;
}

static void pump_arrays(void **state)
{
    static stream_fixture r;
    stream_totals totals;
    (void)state;
    assert_int_equal(fixture_open(&r, "2,delay=50"), SLUICE_OK);
    for (int slots = 1; slots <= 4; slots++)
        for (uint64_t s = 0; s <= 4; s++) {
            stream_array array = arrays_of(s, s == 4 ? 5 : 0);
            const stream_feed feed = stream_feed_array(&array);
            assert_int_equal(run_on_fixture(&r, slots, &feed, &totals, NULL), SLUICE_OK);
            for (uint64_t k = 0; k < s; k++)
                assert_true(fixture_holds(result[k], k, FIXTURE_COUNT));
            assert_int_equal(totals.count, s == 4 ? 3 * FIXTURE_COUNT + 5 : s * FIXTURE_COUNT);
        }
    fixture_close(&r);
}

static void pump_fails_with_a_block(void **state)
{
    static stream_fixture r;
    sluice_diag why = {0};
    stream_array array = arrays_of(BLOCKS, 0);
    const stream_feed feed = stream_feed_array(&array);
    (void)state;
    assert_int_equal(fixture_open(&r, "2,fail=7,delay=50"), SLUICE_OK);
    assert_int_equal(run_on_fixture(&r, 3, &feed, NULL, &why), SLUICE_E_DEVICE);
    assert_non_null(strstr(why.message, "failed"));
    assert_true(fixture_holds(result[0], 0, FIXTURE_COUNT));
    fixture_close(&r);
}

/* ---------------------------------------------------------------- functions ------------- */

typedef struct calls {
    uint64_t got, put, blocks;
    sluice_status source_says, sink_says; /* from block 3 on */
    size_t count;                         /* of every block */
} calls;

static sluice_status count_source(void *user, sluice_slot *slot)
{
    calls *c = user;
    if (c->got == c->blocks)
        return SLUICE_END;
    fixture_fill(slot->in, c->got, FIXTURE_COUNT);
    slot->count = c->count;
    return c->got++ >= 3 ? c->source_says : SLUICE_OK;
}

static sluice_status count_sink(void *user, sluice_slot *slot)
{
    calls *c = user;
    assert_true(fixture_holds(slot->out, c->put, slot->count));
    return c->put++ >= 3 ? c->sink_says : SLUICE_OK;
}

static void pump_functions(void **state)
{
    static const struct {
        sluice_status source, sink, expect;
        size_t count;
    } cases[] = {
        {SLUICE_OK, SLUICE_OK, SLUICE_OK, FIXTURE_COUNT},
        {SLUICE_OK, SLUICE_OK, SLUICE_OK, 1},
        {SLUICE_OK, SLUICE_OK, SLUICE_E_INVALID, 0},
        {SLUICE_OK, SLUICE_OK, SLUICE_E_INVALID, FIXTURE_COUNT + 1},
        {SLUICE_E_IO, SLUICE_OK, SLUICE_E_IO, FIXTURE_COUNT},
        {SLUICE_OK, SLUICE_AGAIN, SLUICE_E_INVALID, FIXTURE_COUNT},
        {SLUICE_OK, SLUICE_E_IO, SLUICE_E_IO, FIXTURE_COUNT},
        {SLUICE_OK, SLUICE_END, SLUICE_E_INVALID, FIXTURE_COUNT},
    };
    static stream_fixture r;
    (void)state;
    assert_int_equal(fixture_open(&r, "2,delay=30"), SLUICE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        calls c = {.blocks = 10,
                   .source_says = cases[i].source,
                   .sink_says = cases[i].sink,
                   .count = cases[i].count};
        stream_callbacks callbacks = {count_source, count_sink, &c};
        const stream_feed feed = stream_feed_callbacks(&callbacks);
        sluice_diag why = {0};
        assert_int_equal(run_on_fixture(&r, 4, &feed, NULL, &why), cases[i].expect);
        assert_true((why.message[0] != '\0') == (cases[i].expect != SLUICE_OK));
        if (cases[i].expect == SLUICE_OK)
            assert_int_equal(c.put, 10);
    }
    fixture_close(&r);
}

/* A live source: delivers half of a block at the first call, the rest some calls later, and block k
 * only after the sink has received all blocks before it. */
typedef struct radio {
    uint64_t got, put, blocks;
    int pauses, heard; /* number of AGAIN returned for each block; for this block so far */
    long asked;
    const sluice_slot *slot; /* slot that holds half a block */
    bool wrong;
} radio;

static sluice_status radio_source(void *user, sluice_slot *slot)
{
    radio *r = user;
    fixture_item *items = slot->in;
    r->asked++;
    if (r->got == r->blocks)
        return SLUICE_END;
    if (r->heard == 0) {
        fixture_fill(items, r->got, FIXTURE_COUNT / 2);
        r->slot = slot;
    }
    r->wrong |= slot != r->slot || !fixture_holds(items, r->got, FIXTURE_COUNT / 2);
    if (r->heard++ < r->pauses || r->put < r->got)
        return SLUICE_AGAIN;
    fixture_fill(items, r->got++, FIXTURE_COUNT);
    r->heard = 0;
    return SLUICE_OK;
}

static sluice_status radio_sink(void *user, sluice_slot *slot)
{
    radio *r = user;
    r->wrong |= !fixture_holds(slot->out, r->put++, slot->count);
    return SLUICE_OK;
}

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void a_source_may_have_nothing_yet(void **state)
{
    static stream_fixture r;
    (void)state;
    assert_int_equal(fixture_open(&r, "2,delay=30"), SLUICE_OK);
    for (int slots = 1; slots <= 3; slots += 2) {
        radio live = {.blocks = 5, .pauses = 12};
        stream_callbacks callbacks = {radio_source, radio_sink, &live};
        const stream_feed feed = stream_feed_callbacks(&callbacks);
        const double wall = clock_seconds(CLOCK_MONOTONIC),
                     cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
        assert_int_equal(run_on_fixture(&r, slots, &feed, NULL, NULL), SLUICE_OK);
        const double took = clock_seconds(CLOCK_MONOTONIC) - wall;
        assert_false(live.wrong);
        assert_int_equal(live.put, 5);
        /* 12 pauses of 1, 2, 4, 8, 10, .. ms for each block, without computation */
        assert_true(took > 0.3);
        assert_true(clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu < 0.3 * took);
        assert_true(live.asked <= 5 * (12 + 3) + 1);
    }
    fixture_close(&r);
}

/* ---------------------------------------------------------------- files ----------------- */

/* One end of a pipe: writes source_data in odd pieces, or collects the output. */
typedef struct pipe_end {
    int fd;
    size_t bytes, done;
} pipe_end;

static void *write_pieces(void *arg)
{
    pipe_end *e = arg;
    const char *data = (const char *)source_data;
    for (size_t piece = 1; e->done < e->bytes; piece = piece * 7 % 61 + 1) {
        const size_t left = e->bytes - e->done;
        const ssize_t n = write(e->fd, data + e->done, piece < left ? piece : left);
        if (n < 0)
            break;
        e->done += (size_t)n;
    }
    close(e->fd);
    return NULL;
}

static void *read_pieces(void *arg)
{
    pipe_end *e = arg;
    ssize_t n;
    while (e->done < sizeof result && (n = read(e->fd, (char *)result + e->done, 37)) > 0)
        e->done += (size_t)n;
    close(e->fd);
    return NULL;
}

/* `bytes` of source_data through two pipes. */
static sluice_status through_pipes(stream_fixture *r, size_t bytes, bool nonblocking,
                                   pipe_end *sink, sluice_diag *why)
{
    int in[2], out[2];
    pthread_t writer, reader;
    (void)arrays_of(0, 0);
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    if (nonblocking) {
        assert_int_equal(fcntl(in[0], F_SETFL, O_NONBLOCK), 0);
        assert_int_equal(fcntl(out[1], F_SETFL, O_NONBLOCK), 0);
    }
    pipe_end source = {.fd = in[1], .bytes = bytes};
    *sink = (pipe_end){.fd = out[0]};
    stream_files files = {.in = in[0],
                          .out = out[1],
                          .in_item = sizeof(fixture_item),
                          .out_item = sizeof(fixture_item),
                          .in_name = "here",
                          .out_name = "there"};
    const stream_feed feed = stream_feed_files(&files);
    assert_int_equal(pthread_create(&writer, NULL, write_pieces, &source), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_pieces, sink), 0);
    const sluice_status status = run_on_fixture(r, 3, &feed, NULL, why);
    close(in[0]);
    close(out[1]);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return status;
}

static void pipes_with_short_reads(void **state)
{
    static const size_t items[] = {0, 1, FIXTURE_COUNT, FIXTURE_COUNT + 1, BLOCKS * FIXTURE_COUNT};
    static stream_fixture r;
    pipe_end sink;
    sluice_diag why = {0};
    (void)state;
    assert_int_equal(fixture_open(&r, "2,delay=30"), SLUICE_OK);
    for (size_t i = 0; i < 2 * sizeof items / sizeof items[0]; i++) {
        const size_t bytes = items[i / 2] * sizeof(fixture_item);
        assert_int_equal(through_pipes(&r, bytes, i % 2 == 1, &sink, &why), SLUICE_OK);
        assert_int_equal(sink.done, bytes);
        assert_memory_equal(result, source_data, bytes);
    }
    assert_int_equal(through_pipes(&r, BLOCK_BYTES + 11, false, &sink, &why), SLUICE_E_IO);
    assert_string_equal(why.message, "here ends inside an item: 3 of its 8 bytes are there");
    fixture_close(&r);
}

static void files_and_their_errors(void **state)
{
    static stream_fixture r;
    sluice_diag why = {0};
    FILE *in = tmpfile(), *out = tmpfile();
    int broken[2];
    (void)state;
    assert_non_null(in);
    assert_non_null(out);
    (void)arrays_of(0, 0);
    assert_int_equal(fwrite(source_data, BLOCK_BYTES, BLOCKS, in), BLOCKS);
    rewind(in);
    stream_files files = {.in = fileno(in),
                          .out = fileno(out),
                          .in_item = sizeof(fixture_item),
                          .out_item = sizeof(fixture_item),
                          .in_name = "here",
                          .out_name = "there"};
    const stream_feed feed = stream_feed_files(&files);
    assert_int_equal(fixture_open(&r, "2"), SLUICE_OK);
    assert_int_equal(run_on_fixture(&r, 3, &feed, NULL, &why), SLUICE_OK);
    assert_int_equal(files.out_bytes, sizeof result);
    rewind(out);
    assert_int_equal(fread(result, BLOCK_BYTES, BLOCKS, out), BLOCKS);
    assert_memory_equal(result, source_data, sizeof result);

    files.in = -1;
    files.ended = false;
    assert_int_equal(run_on_fixture(&r, 3, &feed, NULL, &why), SLUICE_E_IO);
    assert_non_null(strstr(why.message, "reading here failed after"));
    assert_int_equal(pipe(broken), 0);
    close(broken[0]);
    rewind(in);
    files.in = fileno(in);
    files.out = broken[1];
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    assert_int_equal(run_on_fixture(&r, 3, &feed, NULL, &why), SLUICE_E_IO);
    signal(SIGPIPE, before);
    assert_non_null(strstr(why.message, "writing there failed after"));
    close(broken[1]);
    fclose(in);
    fclose(out);
    fixture_close(&r);
}

/* ---------------------------------------------------------------- schedules------------- */

static void deal_tables(void **state)
{
    static const int cut[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 3}, turns[] = {0, 0, 1, 1, 2, 2, 0, 0};
    static const int rate[] = {3, 1, 2}, by_rate[] = {0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2};
    const stream_schedule fixed = {STREAM_STATIC, 4, 0, 10, NULL},
                          cyclic = {STREAM_CYCLIC, 3, 2, 8, NULL};
    const stream_schedule few = {STREAM_STATIC, 4, 0, 2, NULL};
    const stream_schedule shares = {STREAM_STATIC, 3, 0, 12, rate},
                          turns_by_rate = {STREAM_CYCLIC, 3, 2, 0, rate};
    const int no_rate[] = {1, 0, 1};
    const stream_schedule wrong = {STREAM_CYCLIC, 3, 0, 0, no_rate};
    (void)state;
    for (uint64_t i = 0; i < 24; i++) {
        if (i < 12)
            assert_int_equal(stream_schedule_team(&shares, i), by_rate[i]);
        assert_int_equal(stream_schedule_team(&turns_by_rate, i), by_rate[i % 12]);
    }
    assert_int_equal(stream_schedule_team(&shares, 12), 2);
    assert_int_equal(stream_schedule_check(&shares, NULL), SLUICE_OK);
    assert_int_equal(stream_schedule_check(&wrong, NULL), SLUICE_E_INVALID);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(stream_schedule_team(&fixed, i), cut[i]);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(stream_schedule_team(&cyclic, i), turns[i]);
    assert_int_equal(stream_schedule_team(&two_teams, 5), -1);
    assert_int_equal(stream_schedule_team(&few, 1), 2);
    assert_int_equal(stream_schedule_team(&few, 2), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pump_arrays),
        cmocka_unit_test(pump_fails_with_a_block),
        cmocka_unit_test(pump_functions),
        cmocka_unit_test(a_source_may_have_nothing_yet),
        cmocka_unit_test(pipes_with_short_reads),
        cmocka_unit_test(files_and_their_errors),
        cmocka_unit_test(deal_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
