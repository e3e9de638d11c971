// SPDX-License-Identifier: BSD-3-Clause
/* Parses problem strings:
 *   PROBLEM = KIND ":" PRECISION ":" SIZES *( ":" OPTION )
 * The whole grammar is in docs/PROBLEMS.md. */
#include <string.h>

#include "core/quote.h"
#include "core/status.h"
#include "sched/problem/problem.h"
#include "sched/problem/problem_keywords.h"

typedef struct reader {
    const char *text, *at, *end;
    sluice_problem *p;
    sluice_diag *why;
} reader;

static sluice_status fail_expected(const reader *r, const char *what)
{
    const size_t offset = (size_t)(r->at - r->text);

    if (r->at == r->end)
        return core_fail(r->why, SLUICE_E_PARSE, offset, "expected %s, found the end", what);
    return core_fail(r->why, SLUICE_E_PARSE, offset, "expected %s, found '%s'", what,
                     core_quote(r->at, 1).text);
}

static bool accept_char(reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* Accepts one of `keywords` if it is the whole next word; returns its value, or -1. */
static int accept_keyword(reader *r, const sched_keyword *keywords, int count)
{
    for (int i = 0; i < count; i++) {
        const size_t n = strlen(keywords[i].text);
        if ((size_t)(r->end - r->at) < n || memcmp(r->at, keywords[i].text, n) != 0)
            continue;
        const char *after = r->at + n;
        /* "in=" is complete whatever follows; "n" is not the beginning of "none". */
        if (after[-1] != '=' && after < r->end
            && ((*after >= 'a' && *after <= 'z') || (*after >= '0' && *after <= '9')))
            continue;
        r->at = after;
        return keywords[i].value;
    }
    return -1;
}

static sluice_status read_size(reader *r, const char *what, size_t *out)
{
    const char *start = r->at;
    size_t n = 0;

    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        const size_t digit = (size_t)(*r->at - '0');
        if (n > ((size_t)PTRDIFF_MAX - digit) / 10) {
            r->at = start;
            return core_fail(r->why, SLUICE_E_PARSE, (size_t)(start - r->text), "%s is too large",
                             what);
        }
        n = n * 10 + digit;
    }
    if (r->at == start)
        return fail_expected(r, what);
    *out = n;
    return SLUICE_OK;
}

static sluice_status read_stride(reader *r, ptrdiff_t *out)
{
    const size_t start = (size_t)(r->at - r->text);
    const bool negative = accept_char(r, '-');
    size_t n = 0;
    const sluice_status status = read_size(r, "a stride", &n);

    if (status != SLUICE_OK)
        return status;
    if (n == 0)
        return core_fail(r->why, SLUICE_E_PARSE, start, "a stride cannot be 0");
    *out = negative ? -(ptrdiff_t)n : (ptrdiff_t)n;
    return SLUICE_OK;
}

/* n [ "@" ( in [ "/" out ] | "/" out ) ] */
static sluice_status read_dim(reader *r, sluice_dim *dim)
{
    sluice_status status = read_size(r, "a size", &dim->n);

    if (status != SLUICE_OK || !accept_char(r, '@'))
        return status;
    const bool has_in = r->at == r->end || *r->at != '/';
    if (has_in)
        status = read_stride(r, &dim->in_stride);
    if (status == SLUICE_OK && accept_char(r, '/'))
        status = read_stride(r, &dim->out_stride);
    return status;
}

static sluice_status read_sizes(reader *r)
{
    sluice_problem *p = r->p;
    sluice_status status = SLUICE_OK;

    do {
        if (p->rank == SLUICE_MAX_RANK)
            return core_fail(r->why, SLUICE_E_PARSE, (size_t)(r->at - r->text),
                             "more than %d transform axes", SLUICE_MAX_RANK);
        status = read_dim(r, &p->dim[p->rank++]);
    } while (status == SLUICE_OK && accept_char(r, 'x'));
    while (status == SLUICE_OK && accept_char(r, '*')) {
        if (p->batch_rank == SLUICE_MAX_BATCH_RANK)
            return core_fail(r->why, SLUICE_E_PARSE, (size_t)(r->at - r->text),
                             "more than %d batch dimensions", SLUICE_MAX_BATCH_RANK);
        status = read_dim(r, &p->batch[p->batch_rank++]);
    }
    return status;
}

static sluice_status read_kinds(reader *r, int *count)
{
    *count = 0;
    do {
        const int kind = accept_keyword(r, sched_kind_keywords, sched_kind_count);
        if (kind < 0)
            return fail_expected(r, "a kind (c2c, r2c, c2r, dct2, ..)");
        if (*count == SLUICE_MAX_RANK)
            return fail_expected(r, "at most 8 kinds");
        r->p->kind[(*count)++] = (sluice_kind)kind;
    } while (accept_char(r, '*'));
    return accept_char(r, ':') ? SLUICE_OK : fail_expected(r, "':' after the kind");
}

/* B/P */
static sluice_status read_cyclic(reader *r, sluice_cyclic *out)
{
    const sluice_status status = read_size(r, "a block size", &out->block);

    if (status != SLUICE_OK)
        return status;
    if (!accept_char(r, '/'))
        return fail_expected(r, "'/' and the number of parts");
    return read_size(r, "a number of parts", &out->parts);
}

static sluice_status read_layout(reader *r, sluice_layout *out)
{
    const int layout = accept_keyword(r, sched_layout_keywords, sched_layout_count);

    if (layout < 0)
        return fail_expected(r, "interleaved, split, packed or halfcomplex");
    *out = (sluice_layout)layout;
    return SLUICE_OK;
}

static sluice_status read_workers(reader *r)
{
    size_t n = 0;
    const char *start = r->at;
    const sluice_status status = read_size(r, "a number of workers", &n);

    if (status != SLUICE_OK)
        return status;
    if (n == 0 || n > 65536)
        return core_fail(r->why, SLUICE_E_PARSE, (size_t)(start - r->text),
                         "the number of workers is 1 to 65536");
    r->p->workers = (int)n;
    return SLUICE_OK;
}

static sluice_status read_option(reader *r)
{
    sluice_problem *p = r->p;
    int scale;

    switch (accept_keyword(r, sched_option_keywords, sched_option_count)) {
    case SCHED_FORWARD: p->direction = SLUICE_FORWARD; return SLUICE_OK;
    case SCHED_INVERSE: p->direction = SLUICE_INVERSE; return SLUICE_OK;
    case SCHED_INPLACE: p->in_place = true; return SLUICE_OK;
    case SCHED_LATENCY: p->mode = SLUICE_LATENCY; return SLUICE_OK;
    case SCHED_THROUGHPUT: p->mode = SLUICE_THROUGHPUT; return SLUICE_OK;
    case SCHED_IN: return read_layout(r, &p->in_layout);
    case SCHED_OUT: return read_layout(r, &p->out_layout);
    case SCHED_IN_CYCLIC: return read_cyclic(r, &p->in_cyclic);
    case SCHED_OUT_CYCLIC: return read_cyclic(r, &p->out_cyclic);
    case SCHED_WORKERS: return read_workers(r);
    case SCHED_SCALE:
        scale = accept_keyword(r, sched_scale_keywords, sched_scale_count);
        if (scale < 0)
            return fail_expected(r, "none, n or ortho");
        p->scale = (sluice_scale)scale;
        return SLUICE_OK;
    default:
        return fail_expected(r, "an option (forward, inverse, inplace, in=, out=, workers=, ..)");
    }
}

sluice_status sched_problem_parse_n(sluice_problem *out, const char *text, size_t length,
                                    sluice_diag *why)
{
    sluice_problem p;
    reader r = {text, text, text + length, &p, why};
    int kinds = 0;

    memset(&p, 0, sizeof p);
    sluice_status status = read_kinds(&r, &kinds);
    if (status != SLUICE_OK)
        return status;
    const int precision = accept_keyword(&r, sched_precision_keywords, sched_precision_count);
    if (precision < 0)
        return fail_expected(&r, "a precision (f32 or f64)");
    p.precision = (sluice_precision)precision;
    if (!accept_char(&r, ':'))
        return fail_expected(&r, "':' after the precision");
    status = read_sizes(&r);
    while (status == SLUICE_OK && accept_char(&r, ':'))
        status = read_option(&r);
    if (status != SLUICE_OK)
        return status;
    if (r.at != r.end)
        return fail_expected(&r, "':', 'x', '*' or the end");
    if (kinds > 1 && kinds != p.rank)
        return core_fail(why, SLUICE_E_PARSE, 0,
                         "%d kinds for %d transform axes: one, or one per axis", kinds, p.rank);
    status = sched_problem_normalise(&p, why);
    if (status == SLUICE_OK)
        *out = p;
    return status;
}

sluice_status sched_problem_parse(sluice_problem *out, const char *text, sluice_diag *why)
{
    return sched_problem_parse_n(out, text, strlen(text), why);
}
