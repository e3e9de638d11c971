// SPDX-License-Identifier: BSD-3-Clause
/* sluice pad: the lengths to pad problems to so that they are fastest. */
#include "tools/record.h"
#include "tools/tool.h"

static int pad_problem(session *s, const char *text)
{
    sluice_problem problem, padded;
    sluice_diag why = {0};
    double seconds[2];
    char name[1024] = "";
    int code = session_parse(s, text, &problem);
    if (!code)
        code = session_open(s);
    if (code)
        return code;
    sluice_status status = sluice_problem_pad(&padded, s->machine, &problem, seconds, &why);
    if (status == SLUICE_OK)
        status = sluice_problem_print(&padded, name, sizeof name);
    if (status != SLUICE_OK)
        return session_refuse(s, "problem", text, status, &why);
    record r = record_open(s->json, "problem", text);
    record_text(&r, "padded", name);
    record_real(&r, "predicted_s", seconds[0]);
    record_real(&r, "padded_s", seconds[1]);
    record_close(&r);
    return TOOL_DONE;
}

static int pad_arguments(session *s, const arguments *args)
{
    int worst = TOOL_DONE;
    for (int i = 0; i < args->count; i++) {
        const int code = pad_problem(s, args->text[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

static const tool_option options[] = {{0}};

const command command_pad = {
    .name = "pad",
    .arguments = "PROBLEM...",
    .summary = "the lengths to pad problems to so that they are fastest",
    .details =
        "For each problem the one with axes at least as long, to the next power of two, that\n"
        "is predicted to take the least time, one line a problem:\n"
        "PROBLEM padded=PROBLEM predicted_s=... padded_s=... Both are the same problem\n"
        "where padding does not pay. With --wisdom predictions are of measured costs.",
    .options = options,
    .min = 1,
    .max = -1,
    .run = pad_arguments,
};
