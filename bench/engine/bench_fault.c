// SPDX-License-Identifier: BSD-3-Clause
/* A handler for the signals of crashes, which writes one line. */
#include "bench/engine/bench_fault.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
static const char *volatile current_problem, *volatile current_engine;

static void put(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

/* The action was reset to the default one: raised again, the signal ends the process. */
static void tell(int number)
{
    const char *problem = current_problem, *engine = current_engine;
    put("\nsluice-bench: a crash in ");
    put(engine ? engine : "the bench");
    if (problem) {
        put(" at ");
        put(problem);
    }
    put("; --peers can leave a peer out, --resume goes on with a suite\n");
    raise(number);
}

void bench_fault_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = tell;
    action.sa_flags = (int)SA_RESETHAND | SA_NODEFER;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

void bench_fault_at(const char *problem, const char *engine)
{
    current_problem = problem;
    current_engine = engine;
}
