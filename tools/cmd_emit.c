// SPDX-License-Identifier: BSD-3-Clause
/* sluice emit: a plan as a stand-alone source file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"
#include "tools/record.h"
#include "tools/tool.h"
#include "tools/tool_text.h"

enum { OPT_FORMULA, OPT_PRECISION, OPT_TARGET, OPT_SIMD, OPT_OUTPUT, OPT_EFFORT };

static const tool_option options[] = {
    {"formula", 'f', "F", "the formula F, with or without a leading \"PROBLEM := \""},
    {"precision", 'p', "P", "f32 or f64, of a formula without a problem (default: f32)"},
    {"target", 't', "T", "c (default), opencl, or counts: what a GPU would do for opencl"},
    {"simd", 0, "S", "scalar, vec128, avx2 or avx512 (default: the best of this machine)"},
    {"output", 'o', "FILE", "write there (default: standard output)"},
    {"effort", 'e', "E", "estimate, measure or patient (default: estimate)"},
    {0},
};

/* In the order of the enums in sluice.h. */
static const char *const precisions[] = {"f32", "f64", NULL};
static const char *const efforts[] = {"estimate", "measure", "patient", NULL};
static const char *const simds[] = {"scalar", "vec128", "avx2", "avx512", NULL};

/* Words of --target. */
static const char *const targets[] = {"c", "opencl", "counts", NULL};
static const sluice_level levels[] = {SLUICE_LEVEL_C, SLUICE_LEVEL_OPENCL, SLUICE_LEVEL_COUNTS};

static int write_program(const session *s, const text *t, const char *path)
{
    int code = output_file(path, t->bytes, t->length);
    if (code || !s->json)
        return code;
    record r = record_open(true, "output", path);
    record_integer(&r, "bytes", (long long)t->length);
    record_close(&r);
    return TOOL_DONE;
}

/* A plan prints the program, or a sentence with the reason why there is none. */
static int write_plan(const session *s, const char *key, const char *subject,
                      const sluice_plan *plan, sluice_level level, const char *path)
{
    text t = {0};
    sluice_diag why = {0};
    const sluice_status status = sluice_plan_print(plan, level, text_append, &t);
    if (status == SLUICE_E_UNSUPPORTED)
        snprintf(why.message, sizeof why.message, "%s",
                 t.bytes ? t.bytes : "units of this kind print no programs; see --units");
    int code = status == SLUICE_OK ? write_program(s, &t, path)
                                   : session_refuse(s, key, subject, status, &why);
    free(t.bytes);
    return code;
}

static int emit_plan(session *s, const arguments *args)
{
    const int precision = options_word(options, args, OPT_PRECISION, precisions);
    const int target = options_word(options, args, OPT_TARGET, targets);
    const int effort = options_word(options, args, OPT_EFFORT, efforts);
    const char *simd = args->value[OPT_SIMD];
    if (precision < 0 || target < 0 || effort < 0
        || (simd && options_choose(options[OPT_SIMD].name, simd, simds) < 0))
        return TOOL_USAGE;
    if ((args->value[OPT_FORMULA] != NULL) == (args->count == 1)) {
        complain("emit needs either a problem or --formula");
        return TOOL_USAGE;
    }
    if (args->value[OPT_PRECISION] && !args->value[OPT_FORMULA]) {
        complain("--precision belongs to --formula; a problem names its own");
        return TOOL_USAGE;
    }
    if (simd && setenv("SLUICE_CPU", simd, 1) != 0) /* the machine is not open yet */
        return refuse(SLUICE_E_MEMORY, "--simd", NULL);
    const char *path = args->value[OPT_OUTPUT] ? args->value[OPT_OUTPUT] : "-";
    const char *formula = args->value[OPT_FORMULA];
    s->json = s->json && strcmp(path, "-") != 0;
    const sluice_plan_options plan_options = {.effort = (sluice_effort)effort};
    sluice_plan *plan = NULL;
    int code = session_plan_either(s, args->text[0], formula, (sluice_precision)precision,
                                   &plan_options, &plan);
    if (code)
        return code;
    code = write_plan(s, formula ? "formula" : "problem", formula ? formula : args->text[0], plan,
                      levels[target], path);
    sluice_plan_destroy(plan);
    return code;
}

const command command_emit = {
    .name = "emit",
    .arguments = "PROBLEM | --formula F",
    .summary = "write a plan as a source file that needs no library",
    .details =
        "Writes one C file with the transform as it was planned, or as the formula says: loops,\n"
        "codelets, twiddle tables, threads, and a main that tests it against long double and\n"
        "times it. Its first lines say how to compile it and how to call it (-DNO_MAIN).\n"
        "With --target opencl one file of OpenCL C 1.2: kernels, and in a comment what a host\n"
        "needs to run them, as JSON. Its groups are the parts of the formula, spe(p,mu). With\n"
        "--target counts what they do on a GPU, a JSON object a line.",
    .options = options,
    .min = 0,
    .max = 1,
    .run = emit_plan,
};
