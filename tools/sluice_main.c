// SPDX-License-Identifier: BSD-3-Clause
/* The command `sluice`: finds the command in the table, reads its options, runs it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tools/tool.h"

static const command *const commands[] = {
    &command_info,        &command_explain, &command_verify, &command_run,
    &command_spectrogram, &command_tune,    &command_emit,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const tool_option no_options[] = {{0}};

static const command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static void help(void)
{
    puts("usage: sluice [--units U] [--wisdom FILE] COMMAND ...\n\n"
         "Fourier transforms on every worker unit of a machine.\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    puts("\n  sluice COMMAND --help describes a command, sluice --version names the version.\n"
         "\n"
         "A PROBLEM is KIND:PRECISION:SIZES[*BATCH][:OPTION]..., such as c2c:f32:1024*4096,\n"
         "c2c:f64:512x512:inverse or c2c:f32:1048576:latency:workers=4.\n"
         "Exit codes: 0 done, 1 a check failed, 2 wrong usage or refused problem,\n"
         "3 device or I/O failure.");
}

static void help_command(const command *c)
{
    printf("usage: sluice %s [OPTION]... %s\n\n%s\n\n", c->name, c->arguments, c->details);
    options_describe(c->options, stdout);
}

static int run_command(const command *c, int argc, char **argv, const arguments *leading)
{
    arguments args;
    if (!options_read(c->options, argc, argv, &args)) {
        complain("see sluice %s --help", c->name);
        return TOOL_USAGE;
    }
    if (args.help) {
        help_command(c);
        return TOOL_DONE;
    }
    if (args.count < c->least || (c->most >= 0 && args.count > c->most)) {
        complain("usage: sluice %s [OPTION]... %s", c->name, c->arguments);
        return TOOL_USAGE;
    }
    session s = {.units = args.units ? args.units : leading->units,
                 .wisdom = args.wisdom ? args.wisdom : leading->wisdom};
    int code = c->run(&s, &args);
    session_close(&s);
    return code;
}

/* How many of the leading strings are options of `sluice` itself. */
static int leading_options(int argc, char **argv)
{
    int n = 0;
    while (n < argc && argv[n][0] == '-' && argv[n][1]) {
        bool value_follows = strcmp(argv[n], "--units") == 0 || strcmp(argv[n], "-u") == 0
                             || strcmp(argv[n], "--wisdom") == 0;
        n += value_follows && n + 1 < argc ? 2 : 1;
    }
    return n;
}

static int run(int argc, char **argv)
{
    int own = leading_options(argc, argv);
    if (own > 0 && strcmp(argv[0], "--version") == 0) {
        printf("sluice %s\n", sluice_version());
        return TOOL_DONE;
    }
    arguments args;
    if (!options_read(no_options, own, argv, &args))
        return TOOL_USAGE;
    if (args.help || (own < argc && strcmp(argv[own], "help") == 0)) {
        help();
        return TOOL_DONE;
    }
    if (own == argc) {
        complain("a command is missing; see sluice --help");
        return TOOL_USAGE;
    }
    const command *c = find_command(argv[own]);
    if (!c) {
        complain("there is no command %s; see sluice --help", argv[own]);
        return TOOL_USAGE;
    }
    return run_command(c, argc - own - 1, argv + own + 1, &args);
}

/* Whether everything that was printed has arrived. A failure of an earlier flush has lost its
 * errno, hence the sentence without a cause. */
static int check_stdout(int code)
{
    errno = 0;
    bool failed = fflush(stdout) != 0;
    if (!failed && !ferror(stdout))
        return code;
    complain("cannot write to standard output: %s", errno ? strerror(errno) : "write error");
    return TOOL_IO;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error to report, not a death */
    return check_stdout(run(argc - 1, argv + 1));
}
