// SPDX-License-Identifier: BSD-3-Clause
/* sluice verify: plans compared with a long double oracle. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "tools/record.h"
#include "tools/tool.h"

enum { OPT_FORMULA, OPT_PRECISION, OPT_BITS };

static const tool_option options[] = {
    {"formula", 'f', "F", "verify the formula F"},
    {"precision", 'p', "P", "f32 or f64, of a formula without a problem (default: f32)"},
    {"bits", 'b', NULL, "a hash of the results instead, of data that are the same on all machines"},
    {0},
};

static const char *const precisions[] = {"f32", "f64",
                                         NULL}; /* in the order of the enum in sluice.h */

typedef struct tally {
    session *s;
    bool bits;
    int passed, failed, refused;
    int worst; /* exit code of the refusals */
} tally;

static void count_refusal(tally *t, int code)
{
    t->refused++;
    if (code > t->worst)
        t->worst = code;
}

static void print_bits(tally *t, const char *name, sluice_plan *plan)
{
    sluice_diag why = {0};
    uint64_t bits = 0;
    sluice_status status = sluice_plan_bits(plan, &bits, &why);
    sluice_plan_destroy(plan);
    if (status != SLUICE_OK) {
        count_refusal(t, session_refuse(t->s, "problem", name, status, &why));
        return;
    }
    char digits[24];
    snprintf(digits, sizeof digits, "%016" PRIx64, bits);
    record r = record_open(t->s->json, "problem", name);
    record_word(&r, "bits", digits);
    record_close(&r);
}

/* The comparison is written so that a NaN error fails. */
static void verify_plan(tally *t, const char *name, sluice_plan *plan)
{
    if (t->bits) {
        print_bits(t, name, plan);
        return;
    }
    sluice_diag why = {0};
    double error = 0, bound = 0;
    sluice_status status = sluice_plan_verify(plan, &error, &bound, &why);
    sluice_plan_destroy(plan);
    if (status != SLUICE_OK) {
        count_refusal(t, session_refuse(t->s, "problem", name, status, &why));
        return;
    }
    bool passed = error <= bound;
    passed ? t->passed++ : t->failed++;
    record r = record_open(t->s->json, "problem", name);
    record_real(&r, "error", error);
    record_real(&r, "bound", bound);
    record_word(&r, "result", passed ? "PASS" : "FAIL");
    record_close(&r);
}

static void verify_problem(tally *t, const char *text)
{
    sluice_problem problem;
    sluice_plan *plan = NULL;
    int code = session_parse(t->s, text, &problem);
    if (!code)
        code = session_plan(t->s, text, &problem, NULL, &plan);
    if (code)
        count_refusal(t, code);
    else
        verify_plan(t, text, plan);
}

static void verify_formula(tally *t, const char *formula, sluice_precision precision)
{
    sluice_plan *plan = NULL;
    int code = session_plan_formula(t->s, formula, precision, NULL, &plan);
    if (code) {
        count_refusal(t, code);
        return;
    }
    char name[1024];
    sluice_problem problem;
    if (sluice_plan_problem(plan, &problem) != SLUICE_OK
        || sluice_problem_print(&problem, name, sizeof name) != SLUICE_OK)
        snprintf(name, sizeof name, "formula");
    verify_plan(t, name, plan);
}

/* Problems on stdin, one per line; empty lines and lines that begin with # are skipped. */
static void verify_lines(tally *t)
{
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        char *text = line + strspn(line, " \t\r\n");
        text[strcspn(text, " \t\r\n")] = 0;
        if (text[0] && text[0] != '#')
            verify_problem(t, text);
    }
    if (ferror(stdin)) {
        complain("cannot read standard input: %s", strerror(errno));
        count_refusal(t, TOOL_IO);
    }
    free(line);
}

static int verify_arguments(session *s, const arguments *args)
{
    const char *formula = args->value[OPT_FORMULA], *wanted = args->value[OPT_PRECISION];
    int precision = wanted ? options_choose("precision", wanted, precisions) : 0;
    if (precision < 0)
        return TOOL_USAGE;
    if ((formula != NULL) == (args->count > 0)) {
        complain("verify needs either problems or --formula");
        return TOOL_USAGE;
    }
    if (wanted && !formula) {
        complain("--precision belongs to --formula; a problem names its own");
        return TOOL_USAGE;
    }
    tally t = {.s = s, .bits = args->value[OPT_BITS] != NULL};
    if (formula)
        verify_formula(&t, formula, (sluice_precision)precision);
    for (int i = 0; i < args->count; i++) {
        if (strcmp(args->text[i], "-") == 0)
            verify_lines(&t);
        else
            verify_problem(&t, args->text[i]);
    }
    if (!t.bits)
        complain("%d passed, %d failed, %d refused", t.passed, t.failed, t.refused);
    return t.failed ? TOOL_CHECK_FAILED : t.worst;
}

const command command_verify = {
    .name = "verify",
    .arguments = "PROBLEM... | --formula F",
    .summary = "compare plans with a long double oracle",
    .details =
        "Executes each plan on random data and compares with an oracle; one line a problem:\n"
        "PROBLEM error=... bound=... PASS|FAIL. A PROBLEM that is - reads problems from standard\n"
        "input, one a line. Exit code 1 where any says FAIL. With --bits a line is PROBLEM "
        "HASH,\n"
        "which is the same on all machines with --reproducible, and nothing is compared.",
    .options = options,
    .min = 0,
    .max = -1,
    .run = verify_arguments,
};
