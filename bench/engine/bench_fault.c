// SPDX-License-Identifier: BSD-3-Clause
/* A handler for crash signals that writes one line. */
#include "bench/engine/bench_fault.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
static const char *volatile current_problem, *volatile current_engine;

static void write_stderr(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

/* The default action has been restored: raised again, the signal ends the process. */
static void report_crash(int number)
{
    const char *problem = current_problem, *engine = current_engine;
    write_stderr("\nsluice-bench: a crash in ");
    write_stderr(engine ? engine : "the bench");
    if (problem) {
        write_stderr(" at ");
        write_stderr(problem);
    }
    write_stderr("; --peers can leave a peer out, --resume goes on with a suite\n");
    raise(number);
}

void bench_fault_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = report_crash;
    action.sa_flags = (int)SA_RESETHAND | SA_NODEFER;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

void bench_fault_at(const char *problem, const char *engine)
{
    current_problem = problem;
    current_engine = engine;
}
