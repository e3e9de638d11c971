// SPDX-License-Identifier: BSD-3-Clause
/* sluice explain: a plan at one of its levels. */
#include <stdlib.h>

#include "tools/record.h"
#include "tools/tool.h"
#include "tools/tool_text.h"

enum { OPT_FORMULA, OPT_PRECISION, OPT_LEVEL, OPT_EFFORT, OPT_MEASURE };

static const tool_option options[] = {
    {"formula", 'f', "F", "plan the formula F, with or without a leading \"PROBLEM := \""},
    {"precision", 'p', "P", "f32 or f64, of a formula without a problem (default: f32)"},
    {"level", 'l', "L",
     "formula, sigma, program, placement or json (default: formula; with --json: json)"},
    {"effort", 'e', "E", "estimate, measure or patient (default: estimate)"},
    {"measure", 'm', NULL, "execute it: what it takes beside what is predicted (formula, json)"},
    {0},
};

/* In the order of the enums of sluice.h. */
static const char *const precisions[] = {"f32", "f64", NULL};
static const char *const levels[] = {"formula", "sigma", "program", "placement", "json", NULL};
static const char *const efforts[] = {"estimate", "measure", "patient", NULL};

/* The level that prints measured times next to the predictions of `level`; -1: none. */
static int measured(int level)
{
    return level == SLUICE_LEVEL_FORMULA ? (int)SLUICE_LEVEL_MEASURED
           : level == SLUICE_LEVEL_JSON  ? (int)SLUICE_LEVEL_MEASURED_JSON
                                         : -1;
}

static int print_level(const session *s, const char *subject, int level, const text *t)
{
    if (!s->json || level == SLUICE_LEVEL_JSON || level == SLUICE_LEVEL_MEASURED_JSON) {
        bool ended = t->length > 0 && t->bytes[t->length - 1] == '\n';
        record_print(t->bytes, t->length);
        return !ended && !record_print("\n", 1) ? TOOL_IO : TOOL_DONE; /* main prints the reason */
    }
    record r = record_open(true, "problem", subject);
    record_text(&r, "level", levels[level == SLUICE_LEVEL_MEASURED ? SLUICE_LEVEL_FORMULA : level]);
    record_text(&r, "text", t->bytes);
    record_close(&r);
    return TOOL_DONE;
}

static int explain_plan(const session *s, const sluice_plan *plan, int level)
{
    char subject[1024] = "";
    sluice_problem problem;
    text t = {0};
    sluice_status status = sluice_plan_print(plan, (sluice_level)level, text_append, &t);
    if (status == SLUICE_OK)
        status = sluice_plan_problem(plan, &problem);
    if (status == SLUICE_OK)
        status = sluice_problem_print(&problem, subject, sizeof subject);
    int code = status == SLUICE_OK ? print_level(s, subject, level, &t)
                                   : refuse(status, "cannot print the plan", NULL);
    free(t.bytes);
    return code;
}

static int explain_arguments(session *s, const arguments *args)
{
    int precision = options_word(options, args, OPT_PRECISION, precisions);
    int level = s->json && !args->value[OPT_LEVEL] ? SLUICE_LEVEL_JSON
                                                   : options_word(options, args, OPT_LEVEL, levels);
    int effort = options_word(options, args, OPT_EFFORT, efforts);
    if (precision < 0 || level < 0 || effort < 0)
        return TOOL_USAGE;
    if (args->value[OPT_MEASURE] && (level = measured(level)) < 0) {
        complain("--measure belongs to the levels formula and json");
        return TOOL_USAGE;
    }
    if ((args->value[OPT_FORMULA] != NULL) == (args->count == 1)) {
        complain("explain needs either a problem or --formula");
        return TOOL_USAGE;
    }
    if (args->value[OPT_PRECISION] && !args->value[OPT_FORMULA]) {
        complain("--precision belongs to --formula; a problem names its own");
        return TOOL_USAGE;
    }
    sluice_plan_options plan_options = {.effort = (sluice_effort)effort};
    sluice_plan *plan = NULL;
    int code = session_plan_either(s, args->text[0], args->value[OPT_FORMULA],
                                   (sluice_precision)precision, &plan_options, &plan);
    if (code)
        return code;
    code = explain_plan(s, plan, level);
    sluice_plan_destroy(plan);
    return code;
}

const command command_explain = {
    .name = "explain",
    .arguments = "PROBLEM | --formula F",
    .summary = "print a plan at one of its levels",
    .details =
        "Prints how a problem would be computed: as a formula, as gather - compute - scatter\n"
        "loops (sigma), as a program of stages, as its placement on units, or as JSON. The line\n"
        "that --level formula prints can be given back to --formula and plans to itself.",
    .options = options,
    .min = 0,
    .max = 1,
    .run = explain_arguments,
};
