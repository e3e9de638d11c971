// SPDX-License-Identifier: BSD-3-Clause
/* What every command of `sluice` shares: exit codes, the table of commands, the session that opens
 * the machine once, and the sentences on stderr. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "api/sluice.h"
#include "tools/options.h"

enum {
    TOOL_DONE = 0,
    TOOL_CHECK_FAILED = 1, /* a verification said FAIL                     */
    TOOL_USAGE = 2,        /* wrong usage, or a problem that was refused   */
    TOOL_IO = 3            /* a device, a file or a pipe failed            */
};

/* One run of the command. The machine is opened by the first call that needs it. */
typedef struct session {
    const char *units;  /* NULL: $SLUICE_UNITS, else all CPU cores */
    const char *wisdom; /* a file that the machine is to know; NULL: none */
    bool json;          /* records as JSON; false where stdout carries something else */
    sluice_machine *machine;
} session;

typedef struct command {
    const char *name, *arguments, *summary, *details;
    const tool_option *options; /* ends with a record without a name */
    int least, most;            /* arguments that are no options; most < 0: any number */
    int (*run)(session *s, const arguments *args);
} command;

extern const command command_info, command_explain, command_verify, command_run,
    command_spectrogram, command_tune, command_emit;

/* Writes "sluice: " and the sentence to stderr, with a newline; control bytes as `?`. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Complains of a status, with the reason the library gave; returns the exit code for it. */
int refuse(sluice_status status, const char *what, const sluice_diag *why);

/* Complains of a problem or a formula (which, `key` says) that is refused, with a caret below the
 * place where there is one; in JSON that is a record too. Returns the exit code for the status. */
int session_refuse(const session *s, const char *key, const char *text, sluice_status status,
                   const sluice_diag *why);

/* The calls below return an exit code and have complained where it is not TOOL_DONE. */
int session_open(session *s);
void session_close(session *s);
int session_parse(const session *s, const char *text, sluice_problem *out);
int session_plan(session *s, const char *text, const sluice_problem *problem,
                 const sluice_plan_options *options, sluice_plan **out);
int session_plan_formula(session *s, const char *formula, sluice_precision precision,
                         const sluice_plan_options *options, sluice_plan **out);
/* The formula, or where that is NULL the problem of a text. */
int session_plan_either(session *s, const char *text, const char *formula,
                        sluice_precision precision, const sluice_plan_options *options,
                        sluice_plan **out);
/* Complains of a stream that ended early, naming the unit that failed where one did. */
int session_stream_failed(const session *s, sluice_status status);

/* Items of `bytes` each that fit the smallest local store of the machine: 1 ... 4096. */
size_t session_block(const session *s, size_t bytes);

#endif
