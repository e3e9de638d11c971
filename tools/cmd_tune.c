// SPDX-License-Identifier: BSD-3-Clause
/* sluice tune: measures codelets and plans and keeps the results as wisdom. */
#define _POSIX_C_SOURCE 200809L /* access */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/output.h"
#include "tools/progress.h"
#include "tools/record.h"
#include "tools/tool.h"
#include "tools/tool_text.h"

enum { OPT_CODELETS, OPT_EFFORT };

static const tool_option options[] = {
    {"codelets", 'c', NULL, "measure the codelets anew and print what each costs"},
    {"effort", 'e', "E", "measure or patient: how many plans are tried (default: patient)"},
    {0},
};

static const char *const efforts[] = {"measure", "patient", NULL};

/* ---------------------------------------------------------------- codelets -------------- */

static sluice_status show_progress(void *user, size_t done, size_t total)
{
    (void)user;
    if (progress_due())
        progress_line("measuring codelets and memory, %d%%",
                      (int)(100.0 * (double)done / (double)total));
    return SLUICE_OK;
}

static int measure_codelets(session *s)
{
    sluice_tune_options tune_options = {.progress = show_progress};
    sluice_diag why = {0};
    sluice_status status = sluice_machine_tune(s->machine, &tune_options, &why);
    progress_close();
    return status == SLUICE_OK ? TOOL_DONE : refuse(status, "cannot measure codelets", &why);
}

static void print_codelet(bool json, const sluice_codelet_info *c)
{
    record r = record_open(json, "codelet", c->name);
    record_integer(&r, "columns", c->columns);
    record_integer(&r, "adds", c->adds);
    record_integer(&r, "muls", c->muls);
    record_integer(&r, "fmas", c->fmas);
    record_integer(&r, "shuffles", c->shuffles);
    record_integer(&r, "loads", c->loads);
    record_integer(&r, "stores", c->stores);
    record_real(&r, "predicted", c->predicted);
    record_real(&r, "measured", c->measured);
    record_real(&r, "ratio", c->measured / c->predicted);
    record_close(&r);
}

/* Is there a codelet without a measured cost? */
static bool is_untuned(const session *s)
{
    int count = sluice_machine_codelet_count(s->machine);
    sluice_codelet_info info;
    for (int i = 0; i < count; i++) {
        if (sluice_machine_codelet_info(s->machine, i, &info) == SLUICE_OK && info.measured == 0)
            return true;
    }
    return false;
}

static int tune_codelets(session *s, bool print)
{
    int code = print || is_untuned(s) ? measure_codelets(s) : TOOL_DONE;
    int count = sluice_machine_codelet_count(s->machine);
    for (int i = 0; i < count && print && !code; i++) {
        sluice_codelet_info info;
        if (sluice_machine_codelet_info(s->machine, i, &info) == SLUICE_OK)
            print_codelet(s->json, &info);
    }
    return code;
}

/* ---------------------------------------------------------------- plans ----------------- */

/* The text after := in the first line that is not a comment. */
static const char *formula_in(text *t)
{
    char *line = t->bytes;
    while (line && *line == '#')
        line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
    char *at = line ? strstr(line, " := ") : NULL;
    if (!at)
        return "";
    at += strlen(" := ");
    at[strcspn(at, "\n")] = 0;
    return at;
}

static void print_plan(bool json, const char *problem, const sluice_plan *plan, double seconds)
{
    text t = {0};
    sluice_plan_print(plan, SLUICE_LEVEL_FORMULA, text_append, &t);
    record r = record_open(json, "problem", problem);
    record_real(&r, "plan_s", seconds);
    record_word(&r, "formula", formula_in(&t));
    record_close(&r);
    free(t.bytes);
}

static int save_wisdom(const session *s, const char *path)
{
    if (!path)
        return TOOL_DONE;
    errno = 0;
    sluice_status status = sluice_wisdom_save(s->machine, path);
    if (status == SLUICE_OK)
        return TOOL_DONE;
    return errno ? output_failed(path, errno) : refuse(status, path, NULL);
}

static int tune_problem(session *s, const char *name, sluice_effort effort)
{
    sluice_problem problem;
    sluice_plan *plan = NULL;
    sluice_plan_options tune_options = {.effort = effort};
    int code = session_parse(s, name, &problem);
    double start = progress_clock();
    if (!code)
        code = session_plan(s, name, &problem, &tune_options, &plan);
    if (code)
        return code;
    print_plan(s->json, name, plan, progress_clock() - start);
    sluice_plan_destroy(plan);
    return TOOL_DONE;
}

/* A refused problem does not stop the others. Wisdom is saved after each problem, so that an
 * interrupted command loses little. */
static int tune_problems(session *s, const arguments *args, const char *file, sluice_effort effort)
{
    int worst = TOOL_DONE;
    for (int i = 0; i < args->count; i++) {
        progress_line("planning %s, %d of %d", args->text[i], i + 1, args->count);
        int code = tune_problem(s, args->text[i], effort);
        int saved = code ? TOOL_DONE : save_wisdom(s, file);
        if (saved)
            return saved;
        worst = code > worst ? code : worst;
    }
    return worst;
}

static int tune_machine(session *s, const arguments *args)
{
    const char *wanted = args->value[OPT_EFFORT], *file = s->wisdom;
    bool codelets = args->value[OPT_CODELETS] != NULL;
    int effort = wanted ? options_choose("effort", wanted, efforts) : 1;
    if (effort < 0)
        return TOOL_USAGE;
    if (!file && (args->count > 0 || !codelets)) {
        complain("tune needs --wisdom FILE, where it keeps what it finds");
        return TOOL_USAGE;
    }
    if (file && access(file, F_OK) != 0 && errno == ENOENT)
        s->wisdom = NULL; /* the file is being created */
    int code = file ? output_check(file) : TOOL_DONE;
    if (!code)
        code = session_open(s);
    if (!code)
        code = tune_codelets(s, codelets);
    if (!code)
        code = save_wisdom(s, file);
    return code ? code
                : tune_problems(s, args, file, effort == 0 ? SLUICE_MEASURE : SLUICE_PATIENT);
}

const command command_tune = {
    .name = "tune",
    .arguments = "[PROBLEM]... --wisdom FILE",
    .summary = "measure codelets and plans, and keep what was found",
    .details =
        "Measures what codelets and memory cost (five seconds), unless FILE knows, then plans "
        "each\n"
        "problem by trying formulas, and keeps both in FILE: other commands plan with it where "
        "they\n"
        "are given --wisdom FILE, programs where they call sluice_wisdom_load. FILE is read first\n"
        "and may be missing; a problem that it holds is not tried again. One line a problem:\n"
        "PROBLEM plan_s=... FORMULA. Wants an idle machine. With --codelets alone FILE may be "
        "left\n"
        "out. FILE serves any number of such units; on another machine with the same instructions\n"
        "its formulas are checked when they are first used.",
    .options = options,
    .min = 0,
    .max = -1,
    .run = tune_machine,
};
