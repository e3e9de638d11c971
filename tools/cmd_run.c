// SPDX-License-Identifier: BSD-3-Clause
/* sluice run: transforms the samples of a file as an endless batch, through a stream. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/record.h"
#include "tools/sink.h"
#include "tools/source.h"
#include "tools/tool.h"
#include "tools/window.h"

enum { OPT_INPUT, OPT_OUTPUT, OPT_FORMAT, OPT_REAL, OPT_WINDOW, OPT_HOP, OPT_EXTENT };

static const tool_option options[] = {
    {"input", 'i', "FILE", "samples to transform (default: -, standard input)"},
    {"output", 'o', "FILE", "where the results go (default: -, standard output)"},
    {"format", 'f', "F",
     "numbers of the input: f32, f64, i16, u8, i8 or npy (default: the problem's precision; npy "
     "where the name ends so)"},
    {"real", 'r', NULL, "the input has real samples, not complex ones"},
    {"window", 'w', "W",
     "weigh samples along the last axis: " WINDOW_NAMES ", or FILE.npy of so many numbers"},
    {"hop", 'H', "N", "samples from a transform to the next (default: all of its own)"},
    {"extent", 'e', "N[xM]", "samples that the file has of each axis; the others are 0"},
    {0},
};

/* Words of --format: the names of sample_formats in their order, then npy. */
static const char *const formats[] = {"f32", "f64", "i16", "i8", "u8", "npy", NULL};
enum { FORMAT_NPY = 5, HOP_LIMIT = 1 << 30 };

typedef struct run_files {
    sluice_hooks hooks; /* window and extent */
    sample_layout layout;
    sample_source from;
    sample_sink to;
} run_files;

static sluice_status get_samples(void *user, sluice_slot *slot)
{
    return source_get(&((run_files *)user)->from, slot);
}

static sluice_status put_results(void *user, sluice_slot *slot)
{
    return sink_put(&((run_files *)user)->to, slot);
}

/* ---------------------------------------------------------------- the problem ----------- */

/* Multiplies *bytes by the points of `n` dimensions; false: size_t overflows. */
static bool multiply_bytes(size_t *bytes, const sluice_dim *dim, int n)
{
    for (int i = 0; i < n; i++) {
        if (dim[i].n && *bytes > SIZE_MAX / dim[i].n)
            return false;
        *bytes *= dim[i].n;
    }
    return true;
}

static bool dims_have_strides(const sluice_dim *dim, int n)
{
    for (int i = 0; i < n; i++) {
        if (dim[i].in_stride || dim[i].out_stride)
            return true;
    }
    return false;
}

static int refuse_problem(const session *s, const char *text, const char *cause)
{
    sluice_diag why = {0};
    snprintf(why.message, sizeof why.message, "%s", cause);
    return session_refuse(s, "problem", text, SLUICE_E_INVALID, &why);
}

/* The reason why a file cannot hold the problem's transforms; NULL: it can. */
static const char *unsupported_reason(const sluice_problem *p, bool extent, bool hop)
{
    size_t bytes = p->precision == SLUICE_F64 ? 16 : 8;
    const sluice_kind last = p->kind[p->rank - 1];
    const bool reals = p->in_layout > SLUICE_SPLIT || p->out_layout > SLUICE_SPLIT;
    if (p->in_place && !reals && (last == SLUICE_R2C || last == SLUICE_C2R))
        return "in place rows of reals have gaps, so run takes r2c and c2r out of place";
    if (dims_have_strides(p->dim, p->rank) || dims_have_strides(p->batch, p->batch_rank))
        return "a file is packed, so run takes no strides";
    if (p->batch_rank == SLUICE_MAX_BATCH_RANK)
        return "run needs a batch dimension more, and there are no more";
    if (!multiply_bytes(&bytes, p->dim, p->rank) || !multiply_bytes(&bytes, p->batch, p->batch_rank)
        || bytes > SIZE_MAX / 2)
        return "one transform is larger than the address space";
    if (bytes == 0)
        return "a transform without points has no place in a file";
    if (hop && (p->rank > 1 || p->batch_rank > 0))
        return "--hop is for transforms of one axis, without a batch";
    if (extent && p->in_place)
        return "--extent is for transforms out of place, as their sides differ";
    return NULL;
}

/* Are all axes of kinds that are real matrices, so that both sides are real? */
static bool is_real(const sluice_problem *p)
{
    for (int i = 0; i < p->rank; i++) {
        if (p->kind[i] <= SLUICE_C2R)
            return false;
    }
    return true;
}

/* One side of r2c and c2r is real. The other one has half a spectrum along the last axis, which may
 * be stored as that many reals. */
static sample_side side_of(const sluice_problem *p, sluice_layout layout, sluice_kind real,
                           sluice_kind half)
{
    const sluice_kind kind = p->kind[p->rank - 1];
    const int dims = p->batch_rank + p->rank;
    const bool reals = layout > SLUICE_SPLIT;
    sample_side side = {.split = layout == SLUICE_SPLIT,
                        .scalars = reals || kind == real || is_real(p) ? 1 : 2,
                        .points = 1};
    for (int i = 0; i < dims; i++) {
        size_t n = i < p->batch_rank ? p->batch[i].n : p->dim[i - p->batch_rank].n;
        side.shape[i] = i == dims - 1 && kind == half && !reals ? n / 2 + 1 : n;
        side.points *= side.shape[i];
    }
    return side;
}

/* Shortens a side to the given extents; 0: the whole axis. False: an axis is shorter than its
 * extent. */
static bool shorten(sample_side *side, const size_t *extent, int axes, int dims)
{
    side->points = 1;
    for (int i = 0; i < dims; i++) {
        const size_t n = i < dims - axes ? 0 : extent[i - (dims - axes)];
        if (n > side->shape[i])
            return false;
        side->shape[i] = n ? n : side->shape[i];
        side->points *= side->shape[i];
    }
    return true;
}

/* A file has no gaps for samples that are left out, so the input gets packed strides. The first
 * dimension counts transforms. */
static void pack_input(sluice_problem *p, const sample_side *in)
{
    ptrdiff_t stride = 1;
    for (int i = p->batch_rank + p->rank - 1; i >= 0; i--) {
        sluice_dim *dim = i < p->batch_rank ? &p->batch[i] : &p->dim[i - p->batch_rank];
        dim->in_stride = stride;
        stride *= i > 0 ? (ptrdiff_t)in->shape[i - 1] : 1;
    }
}

static void set_layout(sample_layout *l, const char *text, const sluice_problem *p)
{
    *l = (sample_layout){.text = text,
                         .precision = p->precision,
                         .rank = p->batch_rank + p->rank,
                         .in = side_of(p, p->in_layout, SLUICE_R2C, SLUICE_C2R),
                         .out = side_of(p, p->out_layout, SLUICE_C2R, SLUICE_R2C)};
}

/* The transforms of a block are an additional batch dimension, the slowest. Parsing sets the goal
 * latency for a single transform, but for the many of a file it is throughput. */
static void add_batch(sluice_problem *p, size_t count)
{
    memmove(&p->batch[1], &p->batch[0], (size_t)p->batch_rank * sizeof p->batch[0]);
    p->batch[0] = (sluice_dim){.n = count};
    p->batch_rank++;
    if (p->mode == SLUICE_LATENCY)
        p->mode = SLUICE_MODE_AUTO;
}

static int plan_blocks(session *s, sluice_problem *problem, run_files *files, sluice_plan **plan)
{
    const sample_layout *l = &files->layout;
    int code = session_open(s);
    if (code)
        return code;
    size_t number = l->precision == SLUICE_F64 ? sizeof(double) : sizeof(float);
    size_t in = l->in.points * l->in.scalars * number;
    size_t out = l->out.points * l->out.scalars * number;
    size_t block = session_block(s, problem->in_place ? in : in + out);
    const sluice_plan_options with_hooks = {.hooks = &files->hooks};
    add_batch(problem, block);
    if (files->hooks.in.extent[0])
        pack_input(problem, &l->in);
    code = session_plan(s, l->text, problem, &with_hooks, plan);
    return code ? code : source_start(&files->from, block);
}

/* ---------------------------------------------------------------- options --------------- */

static int read_source_options(source_options *input, const arguments *args)
{
    const char *const *value = args->value;
    *input = (source_options){.path = value[OPT_INPUT] ? value[OPT_INPUT] : "-",
                              .real = value[OPT_REAL] != NULL};
    int format = value[OPT_FORMAT] ? options_choose("format", value[OPT_FORMAT], formats) : -1;
    if (value[OPT_FORMAT] && format < 0)
        return TOOL_USAGE;
    if (value[OPT_HOP] && !options_count("hop", value[OPT_HOP], 1, HOP_LIMIT, &input->hop))
        return TOOL_USAGE;
    input->npy = format == FORMAT_NPY || (format < 0 && npy_is_name(input->path));
    input->format = format >= 0 && !input->npy ? &sample_formats[format] : NULL;
    if (!input->npy || !input->real)
        return TOOL_DONE;
    complain("--real is for raw samples; a .npy file says whether its numbers are real");
    return TOOL_USAGE;
}

/* Reads "N" or "NxM": as many numbers as there are axes. */
static bool read_extent(const char *text, int axes, size_t *extent)
{
    const char *at = text;
    int count = 0;
    while (count < axes && *at >= '0' && *at <= '9') {
        char *end;
        extent[count++] = (size_t)strtoull(at, &end, 10);
        at = *end == 'x' ? end + 1 : end;
    }
    bool good = *at == '\0' && count == axes;
    for (int i = 0; i < count; i++)
        good = good && extent[i] > 0 && extent[i] < HOP_LIMIT;
    if (!good)
        complain("--extent %s is not %d number%s from 1, of the problem's axes", text, axes,
                 axes == 1 ? "" : "s with x between");
    return good;
}

/* Reads the extent of the input, whose samples are all that the file has, and a window of these
 * along the last axis. */
static int read_hooks(const arguments *args, const sluice_problem *p, run_files *files)
{
    const char *extent = args->value[OPT_EXTENT], *window = args->value[OPT_WINDOW];
    sluice_side_hooks *in = &files->hooks.in;
    sample_side *side = &files->layout.in;
    const int dims = files->layout.rank;
    const size_t whole = side->shape[dims - 1];
    double sum;
    if (extent && !read_extent(extent, p->rank, in->extent))
        return TOOL_USAGE;
    if (extent && !shorten(side, in->extent, p->rank, dims)) {
        complain("--extent %s is more than the input's axes have", extent);
        return TOOL_USAGE;
    }
    if (!window)
        return TOOL_DONE;
    const size_t n = side->shape[dims - 1];
    const bool file = npy_is_name(window);
    const int name = file ? 0 : options_choose("window", window, window_names);
    if (name < 0)
        return TOOL_USAGE;
    double *some = file ? window_read(window, n) : window_make(name, n, &sum);
    double *weights = some ? realloc(some, whole * sizeof *weights) : NULL;
    if (!weights) {
        free(some);
        return file && !some ? TOOL_USAGE : refuse(SLUICE_E_MEMORY, "--window", NULL);
    }
    memset(weights + n, 0, (whole - n) * sizeof *weights); /* zero where there are no samples */
    in->weight = weights;
    in->weight_rank = 1;
    return TOOL_DONE;
}

static int read_problem(const session *s, const arguments *args, source_options *input,
                        sluice_problem *problem, sample_layout *layout)
{
    const char *text = args->text[0];
    int code = session_parse(s, text, problem);
    if (code)
        return code;
    const char *cause =
        unsupported_reason(problem, args->value[OPT_EXTENT] != NULL, input->hop > 0);
    const bool split_file = problem->in_layout == SLUICE_SPLIT && !input->npy && !input->real;
    if (!cause && input->hop && split_file)
        cause = "--hop is for files whose samples follow each other, not for in=split";
    if (cause)
        return refuse_problem(s, text, cause);
    set_layout(layout, text, problem);
    input->real = input->real || (layout->in.scalars == 1 && !input->npy);
    return TOOL_DONE;
}

/* ---------------------------------------------------------------- run ------------------- */

static void print_stream_summary(const session *s, const run_files *files, const char *to)
{
    if (!s->json)
        return;
    record r = record_open(true, "problem", files->layout.text);
    record_text(&r, "output", to);
    record_integer(&r, "transforms", (long long)files->to.transforms);
    record_integer(&r, "not_finite", (long long)files->from.not_finite);
    record_integer(&r, "bytes", (long long)(files->to.bytes + files->to.header));
    record_close(&r);
}

static int run_file_stream(const session *s, const sluice_plan *plan, run_files *files,
                           const char *to)
{
    sluice_status status = sluice_stream_run(plan, get_samples, put_results, files, NULL, NULL);
    int code = TOOL_DONE;
    if (files->from.failed || files->to.failed)
        code = TOOL_IO;
    else if (status != SLUICE_OK)
        code = session_stream_failed(s, status);
    int closed = sink_close(&files->to, code == TOOL_DONE);
    if (!code && !closed)
        print_stream_summary(s, files, to);
    return code ? code : closed;
}

/* The files are checked before the plan is made, because planning may take long. */
static int transform_files(session *s, sluice_problem *problem, run_files *files,
                           const source_options *input, const char *to)
{
    sluice_plan *plan = NULL;
    int code = source_open(&files->from, &files->layout, input);
    if (code)
        return code;
    code = sink_open(&files->to, &files->from, to);
    if (!code) {
        code = plan_blocks(s, problem, files, &plan);
        if (code)
            sink_close(&files->to, false);
        else
            code = run_file_stream(s, plan, files, to);
    }
    sluice_plan_destroy(plan);
    source_close(&files->from);
    return code;
}

static int run_command_line(session *s, const arguments *args)
{
    const char *to = args->value[OPT_OUTPUT] ? args->value[OPT_OUTPUT] : "-";
    sluice_problem problem;
    source_options input;
    run_files files = {.hooks = {0}};
    s->json = s->json && strcmp(to, "-") != 0; /* standard output holds the results */
    int code = read_source_options(&input, args);
    if (!code)
        code = read_problem(s, args, &input, &problem, &files.layout);
    if (!code)
        code = read_hooks(args, &problem, &files);
    if (!code)
        code = transform_files(s, &problem, &files, &input, to);
    free((void *)(uintptr_t)files.hooks.in.weight);
    return code;
}

const command command_run = {
    .name = "run",
    .arguments = "PROBLEM",
    .summary = "transform a file of samples",
    .details =
        "Reads transforms of samples one after the other until the file ends, and writes their\n"
        "results in the same order, in bounded memory: numbers of the problem's precision, "
        "complex\n"
        "ones but of c2r, which reads half-spectra. The samples of r2c are real.\n"
        "A file that ends inside a transform is an error. The output takes its name when it is\n"
        "complete; after a failure nothing is left of it.\n"
        "\n"
        "Raw samples are packed, in the machine's byte order; complex ones (I and Q of a "
        "receiver)\n"
        "follow each other re im re im, but a split side holds for each transform all real parts,\n"
        "then all imaginary parts. Integers become -1 to 1: i16 x/32768, i8 x/128, u8\n"
        "(x - 127.5)/127.5. A .npy file says what it holds, whose numbers are taken as they are: "
        "an\n"
        "array whose last dimensions are the problem's, or one dimension of samples. An output "
        "whose\n"
        "name ends in .npy becomes one.\n"
        "\n"
        "With --hop N a transform begins every N samples, so they overlap where N is less than "
        "their\n"
        "points; samples after the last whole one are left out. With --extent N a transform has N\n"
        "samples in the file, and zeros after them; a window is as long as these.",
    .options = options,
    .min = 1,
    .max = 1,
    .run = run_command_line,
};
