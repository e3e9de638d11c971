// SPDX-License-Identifier: BSD-3-Clause
/* The session: one machine for a whole command, and messages of failures. */
#include "tools/tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/progress.h"
#include "tools/record.h"
#include "tools/tool_text.h"

enum { BLOCK_LIMIT = 4096 };

void complain(const char *format, ...)
{
    char *sentence = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&sentence, format, values);
    va_end(values);
    progress_close();
    fputs("sluice: ", stderr);
    text_show(stderr, length < 0 ? format : sentence, length < 0 ? strlen(format) : (size_t)length);
    fputc('\n', stderr);
    if (length >= 0)
        free(sentence);
}

static int exit_code_of(sluice_status status)
{
    switch (status) {
    case SLUICE_E_INVALID:
    case SLUICE_E_PARSE:
    case SLUICE_E_UNSUPPORTED: return TOOL_USAGE;
    default: return TOOL_IO;
    }
}

int refuse(sluice_status status, const char *what, const sluice_diag *why)
{
    const char *reason = why && why->message[0] ? why->message : sluice_strerror(status);
    complain("%s: %s", what, reason);
    return exit_code_of(status);
}

/* Prints the JSON record of a refusal; `place`: offset in the text, NULL if unknown. */
static void print_refusal(const session *s, const char *key, const char *text, const char *reason,
                          const size_t *place)
{
    if (!s->json)
        return;
    record r = record_open(true, key, text);
    record_word(&r, "result", "REFUSED");
    record_text(&r, "why", reason);
    if (place)
        record_integer(&r, "offset", (long long)*place);
    record_close(&r);
}

int session_refuse(const session *s, const char *key, const char *text, sluice_status status,
                   const sluice_diag *why)
{
    const char *reason = why->message[0] ? why->message : sluice_strerror(status);
    const bool has_place = status == SLUICE_E_PARSE || why->offset > 0;
    const char *failed = strcmp(key, "formula") == 0
                             ? "cannot plan the formula" /* a formula may be long */
                         : has_place ? "cannot read the problem"
                                     : text;
    print_refusal(s, key, text, reason, has_place ? &why->offset : NULL);
    int code = refuse(status, failed, why);
    if (has_place)
        text_point(stderr, text, why->offset);
    return code;
}

/* Lines that do not match this machine and unproven formulas are reported, and the command
 * continues; a file that does not match ends it. */
static int read_wisdom(session *s)
{
    sluice_diag why = {0};
    sluice_status status = sluice_wisdom_load(s->machine, s->wisdom, &why);
    if (status == SLUICE_OK && !why.message[0])
        return TOOL_DONE;
    complain("%s: %s", s->wisdom, why.message[0] ? why.message : sluice_strerror(status));
    if (status == SLUICE_OK || status == SLUICE_E_PARSE)
        return TOOL_DONE;
    session_close(s);
    return exit_code_of(status);
}

int session_open(session *s)
{
    if (s->machine)
        return TOOL_DONE;
    sluice_machine_options options = {.units = s->units};
    sluice_diag why = {0};
    sluice_status status = sluice_machine_open(&s->machine, &options, &why);
    if (status == SLUICE_OK)
        return s->wisdom ? read_wisdom(s) : TOOL_DONE;
    s->machine = NULL;
    return refuse(status, "cannot open the machine", &why);
}

void session_close(session *s)
{
    sluice_machine_close(s->machine);
    s->machine = NULL;
}

static int open_for(session *s, const char *key, const char *text)
{
    int code = session_open(s);
    if (code)
        print_refusal(s, key, text, "the machine could not be opened", NULL);
    return code;
}

int session_parse(const session *s, const char *text, sluice_problem *out)
{
    sluice_diag why = {0};
    sluice_status status = sluice_problem_parse(out, text, &why);
    return status == SLUICE_OK ? TOOL_DONE : session_refuse(s, "problem", text, status, &why);
}

static sluice_plan_options options_of(const session *s, const sluice_plan_options *options)
{
    sluice_plan_options all = options ? *options : (sluice_plan_options){.effort = SLUICE_ESTIMATE};
    all.reproducible = all.reproducible || s->reproducible;
    return all;
}

int session_plan(session *s, const char *text, const sluice_problem *problem,
                 const sluice_plan_options *options, sluice_plan **out)
{
    int code = open_for(s, "problem", text);
    if (code)
        return code;
    sluice_diag why = {0};
    const sluice_plan_options all = options_of(s, options);
    sluice_status status = sluice_plan_create(out, s->machine, problem, &all, &why);
    return status == SLUICE_OK ? TOOL_DONE : session_refuse(s, "problem", text, status, &why);
}

int session_plan_formula(session *s, const char *formula, sluice_precision precision,
                         const sluice_plan_options *options, sluice_plan **out)
{
    int code = open_for(s, "formula", formula);
    if (code)
        return code;
    sluice_diag why = {0};
    const sluice_plan_options all = options_of(s, options);
    sluice_status status =
        sluice_plan_from_formula(out, s->machine, formula, precision, &all, &why);
    return status == SLUICE_OK ? TOOL_DONE : session_refuse(s, "formula", formula, status, &why);
}

int session_plan_either(session *s, const char *text, const char *formula,
                        sluice_precision precision, const sluice_plan_options *options,
                        sluice_plan **out)
{
    if (formula)
        return session_plan_formula(s, formula, precision, options, out);
    sluice_problem problem;
    int code = session_parse(s, text, &problem);
    return code ? code : session_plan(s, text, &problem, options, out);
}

int session_stream_failed(const session *s, sluice_status status)
{
    int units = sluice_machine_unit_count(s->machine);
    for (int i = 0; i < units; i++) {
        sluice_diag why = {0};
        sluice_unit_info unit = {0};
        if (sluice_machine_fault(s->machine, i, &why) != SLUICE_OK && why.message[0]
            && sluice_machine_unit_info(s->machine, i, &unit) == SLUICE_OK)
            complain("unit %s: %s", unit.name, why.message);
    }
    complain("the stream ended early: %s", sluice_strerror(status));
    return exit_code_of(status);
}

size_t session_block(const session *s, size_t bytes)
{
    size_t store = 0;
    int units = sluice_machine_unit_count(s->machine);
    for (int i = 0; i < units; i++) {
        sluice_unit_info unit = {0};
        if (sluice_machine_unit_info(s->machine, i, &unit) == SLUICE_OK
            && (store == 0 || unit.local_store < store))
            store = unit.local_store;
    }
    size_t count = store / bytes;
    if (count < 1)
        return 1;
    return count > BLOCK_LIMIT ? BLOCK_LIMIT : count;
}
