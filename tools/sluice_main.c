// SPDX-License-Identifier: BSD-3-Clause
/* The command `sluice`: finds the command in the table, reads its options, runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/descriptor.h"
#include "tools/output.h"
#include "tools/record.h"
#include "tools/tool.h"

static const command *const commands[] = {
    &command_info,        &command_explain, &command_verify, &command_run,
    &command_spectrogram, &command_tune,    &command_pad,    &command_emit,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static const tool_option no_options[] = {{0}};

static void print_help_text(void)
{
    puts("usage: sluice [OPTION]... COMMAND ...\n\n"
         "Fourier transforms on every worker unit of a machine.\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    puts("\nOptions of every command:\n");
    options_describe(no_options, stdout);
    puts("\n"
         "sluice help COMMAND, or sluice COMMAND --help, describes a command.\n"
         "\n"
         "A PROBLEM is KIND:PRECISION:SIZES[*BATCH][:OPTION]..., such as c2c:f32:1024*4096,\n"
         "c2c:f64:512x512:inverse or c2c:f32:1048576:latency:workers=4.\n"
         "Exit codes: 0 done, 1 a check failed, 2 wrong usage or refused problem,\n"
         "3 device or I/O failure.");
}

static int help_command(const command *c)
{
    printf("usage: sluice %s [OPTION]...%s%s\n\n%s\n\n", c->name, c->arguments[0] ? " " : "",
           c->arguments, c->details);
    options_describe(c->options, stdout);
    return TOOL_DONE;
}

static int print_version(bool json)
{
    record r = record_open(json, "program", "sluice");
    record_word(&r, "version", sluice_version());
    record_close(&r);
    return TOOL_DONE;
}

/* An option after the command's name overrides one before it. */
static const char *common_option(const arguments *args, const arguments *leading, int option)
{
    return args->common[option] ? args->common[option] : leading->common[option];
}

static int run_command(const command *c, int argc, char **argv, const arguments *leading)
{
    arguments args;
    if (!options_read(c->options, argc, argv, &args)) {
        complain("see sluice %s --help", c->name);
        return TOOL_USAGE;
    }
    session s = {.units = common_option(&args, leading, COMMON_UNITS),
                 .wisdom = common_option(&args, leading, COMMON_WISDOM),
                 .reproducible = common_option(&args, leading, COMMON_REPRODUCIBLE) != NULL,
                 .json = common_option(&args, leading, COMMON_JSON) != NULL};
    if (args.common[COMMON_HELP])
        return help_command(c);
    if (args.common[COMMON_VERSION])
        return print_version(s.json);
    if (args.count < c->min || (c->max >= 0 && args.count > c->max)) {
        complain("usage: sluice %s [OPTION]... %s", c->name, c->arguments);
        return TOOL_USAGE;
    }
    if (s.wisdom)
        output_protect(s.wisdom);
    int code = c->run(&s, &args);
    session_close(&s);
    return code;
}

static int run_named(int argc, char **argv, const arguments *leading)
{
    bool wants_help = argc > 0 && strcmp(argv[0], "help") == 0;
    if (leading->common[COMMON_HELP] || (wants_help && argc == 1)) {
        print_help_text();
        return TOOL_DONE;
    }
    if (argc == 0 || argc > (wants_help ? 2 : argc)) {
        complain(argc ? "usage: sluice help [COMMAND]" : "a command is missing; see sluice --help");
        return TOOL_USAGE;
    }
    const char *name = argv[wants_help];
    const command *c = find_command(name);
    if (!c) {
        complain("there is no command %s; see sluice --help", name);
        return TOOL_USAGE;
    }
    return wants_help ? help_command(c) : run_command(c, argc - 1, argv + 1, leading);
}

static int run_arguments(int argc, char **argv)
{
    arguments leading;
    int own = options_read_leading(argc, argv, &leading);
    if (own < 0)
        return TOOL_USAGE;
    if (leading.common[COMMON_VERSION])
        return print_version(leading.common[COMMON_JSON] != NULL);
    return run_named(argc - own, argv + own, &leading);
}

/* If the reader of a pipe exits, the command ends silently by SIGPIPE, like other commands. A file
 * above the size limit is reported as an error instead of ending the process by SIGXFSZ. The buffer
 * is larger than any record, so that record.c sees every failure. */
int main(int argc, char **argv)
{
    static char buffer[1 << 16];
    core_descriptor_keep_standard();
    signal(SIGXFSZ, SIG_IGN);
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    return record_check(run_arguments(argc - 1, argv + 1));
}
