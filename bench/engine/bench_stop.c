// SPDX-License-Identifier: BSD-3-Clause
/* A flag that a signal sets. */
#include "bench/engine/bench_stop.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void ask(int number)
{
    static const char text[] = "\nsluice-bench: stopping; once more ends it at once\n";
    (void)number;
    asked = 1;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
}

void bench_stop_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ask;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool bench_stop_asked(void)
{
    return asked != 0;
}
