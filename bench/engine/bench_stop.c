// SPDX-License-Identifier: BSD-3-Clause
/* A flag that a signal sets. */
#include "bench/engine/bench_stop.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop_requested;

static void request_stop(int number)
{
    static const char text[] = "\nsluice-bench: stopping; once more ends it at once\n";
    (void)number;
    stop_requested = 1;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
}

void bench_stop_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = request_stop;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool bench_stop_requested(void)
{
    return stop_requested != 0;
}
