// SPDX-License-Identifier: BSD-3-Clause
/* sluice run: raw samples through a stream, the file being an endless batch. */
#include <stdint.h>
#include <string.h>

#include "tools/samples.h"
#include "tools/tool.h"

enum { OPT_INPUT, OPT_OUTPUT };

static const tool_option options[] = {
    {"input", 'i', "FILE", "samples to transform (default: -, standard input)"},
    {"output", 'o', "FILE", "where the results go (default: -, standard output)"},
    {0},
};

/* Multiplies *bytes by the points of `n` dimensions; false: more than a size_t holds. */
static bool multiply(size_t *bytes, const sluice_dim *dim, int n)
{
    for (int i = 0; i < n; i++) {
        if (dim[i].n && *bytes > SIZE_MAX / dim[i].n)
            return false;
        *bytes *= dim[i].n;
    }
    return true;
}

static bool has_strides(const sluice_dim *dim, int n)
{
    for (int i = 0; i < n; i++) {
        if (dim[i].in_stride || dim[i].out_stride)
            return true;
    }
    return false;
}

/* Refuses what a file cannot hold; sets the bytes of one transform, the same on both sides. */
static int measure(const char *text, const sluice_problem *p, size_t *bytes)
{
    const char *cause = NULL;
    for (int i = 0; i < p->rank; i++) {
        if (p->kind[i] != SLUICE_KIND_SAME && p->kind[i] != SLUICE_C2C)
            cause = "run handles c2c in this version";
    }
    if (has_strides(p->dim, p->rank) || has_strides(p->batch, p->batch_rank))
        cause = "a file is packed, so run takes no strides";
    if (p->batch_rank == SLUICE_MAX_BATCH_RANK)
        cause = "run needs a batch dimension more, and there are no more";
    *bytes = p->precision == SLUICE_F64 ? 16 : 8;
    if (!multiply(bytes, p->dim, p->rank) || !multiply(bytes, p->batch, p->batch_rank)
        || *bytes > SIZE_MAX / 2)
        cause = "one transform is larger than the address space";
    if (!cause && *bytes == 0)
        cause = "a transform without points has no place in a file";
    if (!cause)
        return TOOL_DONE;
    complain("%s: %s", text, cause);
    return TOOL_USAGE;
}

/* The transforms of a block are one batch dimension more, the slowest. Parsing fills in latency for
 * a single transform, but the file's many are wanted fast together. */
static void add_batch(sluice_problem *p, size_t count)
{
    memmove(&p->batch[1], &p->batch[0], (size_t)p->batch_rank * sizeof p->batch[0]);
    p->batch[0] = (sluice_dim){.n = count};
    p->batch_rank++;
    if (p->mode == SLUICE_LATENCY)
        p->mode = SLUICE_MODE_AUTO;
}

static int plan_blocks(session *s, const char *text, sluice_problem *problem, samples *files,
                       sluice_plan **plan)
{
    int code = session_parse(text, problem);
    if (!code)
        code = measure(text, problem, &files->transform);
    if (!code)
        code = session_open(s);
    if (code)
        return code;
    files->block = session_block(s, files->transform * (problem->in_place ? 1 : 2));
    add_batch(problem, files->block);
    return session_plan(s, text, problem, NULL, plan);
}

static int stream(const session *s, const sluice_plan *plan, samples *files)
{
    sluice_status status = sluice_stream_run(plan, samples_get, samples_put, files, NULL, NULL);
    int code = TOOL_DONE;
    if (files->in.failed || files->out.failed)
        code = TOOL_IO;
    else if (status != SLUICE_OK)
        code = session_stream_failed(s, status);
    int closed = samples_close(files, code == TOOL_DONE);
    return code ? code : closed;
}

static int run(session *s, const arguments *args)
{
    const char *from = args->value[OPT_INPUT], *to = args->value[OPT_OUTPUT];
    sluice_problem problem;
    sluice_plan *plan = NULL;
    samples files = {0};
    int code = plan_blocks(s, args->text[0], &problem, &files, &plan);
    if (code)
        return code;
    code = samples_open(&files, &problem, from ? from : "-", to ? to : "-");
    if (!code)
        code = stream(s, plan, &files);
    sluice_plan_destroy(plan);
    return code;
}

const command command_run = {
    .name = "run",
    .arguments = "PROBLEM",
    .summary = "transform a file of raw samples",
    .details =
        "Reads transforms of raw samples (complex numbers of the problem's precision, in the\n"
        "machine's byte order, packed) one after the other until the file ends, and writes the\n"
        "results in the same order, in bounded memory. A split side holds for each transform all\n"
        "real parts, then all imaginary parts. A file that ends inside a transform is an error.\n"
        "The output takes its name when it is complete; after a failure nothing is left of it.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
