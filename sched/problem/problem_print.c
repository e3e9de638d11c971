// SPDX-License-Identifier: BSD-3-Clause
/* Prints problem strings, the inverse of problem_parse.c; defaults are omitted. */
#include <string.h>

#include "api/sluice.h"
#include "sched/problem/problem.h"
#include "sched/problem/problem_keywords.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

const sched_keyword sched_kind_keywords[] = {
    {"c2c", SLUICE_C2C},   {"r2c", SLUICE_R2C},     {"c2r", SLUICE_C2R},   {"dct2", SLUICE_DCT2},
    {"dct3", SLUICE_DCT3}, {"dct4", SLUICE_DCT4},   {"dst2", SLUICE_DST2}, {"dst3", SLUICE_DST3},
    {"dst4", SLUICE_DST4}, {"idxst", SLUICE_IDXST}, {"dct1", SLUICE_DCT1}, {"dst1", SLUICE_DST1},
    {"dht", SLUICE_DHT}};
const sched_keyword sched_precision_keywords[] = {{"f32", SLUICE_F32}, {"f64", SLUICE_F64}};
const sched_keyword sched_layout_keywords[] = {{"interleaved", SLUICE_INTERLEAVED},
                                               {"split", SLUICE_SPLIT},
                                               {"packed", SLUICE_PACKED},
                                               {"halfcomplex", SLUICE_HALFCOMPLEX}};
const sched_keyword sched_scale_keywords[] = {
    {"none", SLUICE_SCALE_NONE}, {"n", SLUICE_SCALE_N}, {"ortho", SLUICE_SCALE_ORTHO}};
const sched_keyword sched_option_keywords[] = {
    {"forward", SCHED_FORWARD}, {"inverse", SCHED_INVERSE},       {"inplace", SCHED_INPLACE},
    {"latency", SCHED_LATENCY}, {"throughput", SCHED_THROUGHPUT}, {"in=", SCHED_IN},
    {"out=", SCHED_OUT},        {"in_cyclic=", SCHED_IN_CYCLIC},  {"out_cyclic=", SCHED_OUT_CYCLIC},
    {"scale=", SCHED_SCALE},    {"workers=", SCHED_WORKERS}};
const int sched_kind_count = COUNT(sched_kind_keywords);
const int sched_precision_count = COUNT(sched_precision_keywords);
const int sched_layout_count = COUNT(sched_layout_keywords);
const int sched_scale_count = COUNT(sched_scale_keywords);
const int sched_option_count = COUNT(sched_option_keywords);

const char *sched_keyword_text(const sched_keyword *keywords, int count, int value)
{
    for (int i = 0; i < count; i++)
        if (keywords[i].value == value)
            return keywords[i].text;
    return "?";
}

static void print_dim(const sluice_dim *dim, core_text *out)
{
    core_text_printf(out, "%zu", dim->n);
    if (dim->in_stride == 0 && dim->out_stride == 0)
        return;
    core_text_printf(out, "@");
    if (dim->in_stride != 0)
        core_text_printf(out, "%td", dim->in_stride);
    if (dim->out_stride != 0)
        core_text_printf(out, "/%td", dim->out_stride);
}

/* Prints one word if it determines the kinds of all axes. */
static void print_kinds(const sluice_problem *p, core_text *out)
{
    const int last = p->rank - 1;
    const sluice_kind before =
        sched_kind_of(p->kind[last])->stands_last ? SLUICE_C2C : p->kind[last];
    bool same = true;

    for (int d = 0; d < last; d++)
        same = same && p->kind[d] == before;
    for (int d = same ? last : 0; d <= last; d++)
        core_text_printf(
            out, "%s%s", d > 0 && !same ? "*" : "",
            sched_keyword_text(sched_kind_keywords, sched_kind_count, (int)p->kind[d]));
}

static void print_options(const sluice_problem *p, core_text *out)
{
    if (p->direction == SLUICE_INVERSE)
        core_text_printf(out, ":inverse");
    if (p->in_place)
        core_text_printf(out, ":inplace");
    if (p->in_layout)
        core_text_printf(
            out, ":in=%s",
            sched_keyword_text(sched_layout_keywords, sched_layout_count, (int)p->in_layout));
    if (p->out_layout)
        core_text_printf(
            out, ":out=%s",
            sched_keyword_text(sched_layout_keywords, sched_layout_count, (int)p->out_layout));
    if (p->in_cyclic.parts)
        core_text_printf(out, ":in_cyclic=%zu/%zu", p->in_cyclic.block, p->in_cyclic.parts);
    if (p->out_cyclic.parts)
        core_text_printf(out, ":out_cyclic=%zu/%zu", p->out_cyclic.block, p->out_cyclic.parts);
    const bool one = sched_problem_batch(p) == 1; /* latency is its default, else throughput */
    if (p->mode == SLUICE_LATENCY && !one)
        core_text_printf(out, ":latency");
    if (p->mode == SLUICE_THROUGHPUT && one)
        core_text_printf(out, ":throughput");
    if (p->scale)
        core_text_printf(
            out, ":scale=%s",
            sched_keyword_text(sched_scale_keywords, sched_scale_count, (int)p->scale));
    if (p->workers)
        core_text_printf(out, ":workers=%d", p->workers);
}

sluice_status sched_problem_print(const sluice_problem *p, core_text *out)
{
    print_kinds(p, out);
    core_text_printf(
        out, ":%s:",
        sched_keyword_text(sched_precision_keywords, sched_precision_count, (int)p->precision));
    for (int d = 0; d < p->rank; d++) {
        if (d)
            core_text_printf(out, "x");
        print_dim(&p->dim[d], out);
    }
    for (int d = 0; d < p->batch_rank; d++) {
        core_text_printf(out, "*");
        print_dim(&p->batch[d], out);
    }
    print_options(p, out);
    return out->failed ? SLUICE_E_MEMORY : SLUICE_OK;
}
