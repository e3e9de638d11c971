// SPDX-License-Identifier: BSD-3-Clause
/* Shared by all commands of `sluice`: exit codes, the table of commands, the session that opens the
 * machine once, and messages on stderr. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "api/sluice.h"
#include "tools/options.h"

enum {
    TOOL_DONE = 0,
    TOOL_CHECK_FAILED = 1, /* a verification failed */
    TOOL_USAGE = 2,        /* wrong usage, or a problem that was refused   */
    TOOL_IO = 3            /* a device, a file or a pipe failed            */
};

/* One run of the command. The machine is opened by the first call that needs it. */
typedef struct session {
    const char *units;  /* NULL: $SLUICE_UNITS, else all CPU cores */
    const char *wisdom; /* wisdom file for the machine; NULL: none */
    bool reproducible;  /* all plans are reproducible */
    bool json;          /* records as JSON; false if stdout carries something else */
    sluice_machine *machine;
} session;

typedef struct command {
    const char *name, *arguments, *summary, *details;
    const tool_option *options; /* ends with a record without a name */
    int min, max;               /* limits of the number of arguments; max < 0: any number */
    int (*run)(session *s, const arguments *args);
} command;

extern const command command_info, command_explain, command_verify, command_run,
    command_spectrogram, command_tune, command_pad, command_emit;

/* Prints "sluice: ", the message and a newline on stderr; control bytes as `?`. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a status with the library's reason; returns its exit code. */
int refuse(sluice_status status, const char *what, const sluice_diag *why);

/* Prints the refusal of a problem or a formula (`key`), with a caret below the offending place if
 * it is known; with JSON also a record. Returns the exit code of the status. */
int session_refuse(const session *s, const char *key, const char *text, sluice_status status,
                   const sluice_diag *why);

/* The calls below return an exit code and have printed the reason if it is not TOOL_DONE. */
int session_open(session *s);
void session_close(session *s);
int session_parse(const session *s, const char *text, sluice_problem *out);
int session_plan(session *s, const char *text, const sluice_problem *problem,
                 const sluice_plan_options *options, sluice_plan **out);
int session_plan_formula(session *s, const char *formula, sluice_precision precision,
                         const sluice_plan_options *options, sluice_plan **out);
/* Plans the formula, or if it is NULL the problem of the text. */
int session_plan_either(session *s, const char *text, const char *formula,
                        sluice_precision precision, const sluice_plan_options *options,
                        sluice_plan **out);
/* Prints the failure of a stream, with the name of the unit that failed, if any. */
int session_stream_failed(const session *s, sluice_status status);

/* Number of items of `bytes` each that fit the machine's smallest local store: 1 ... 4096. */
size_t session_block(const session *s, size_t bytes);

#endif
