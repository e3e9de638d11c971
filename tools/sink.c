// SPDX-License-Identifier: BSD-3-Clause
/* Writes results to a file. The header of a .npy file is written twice: before the first result,
 * and when the transforms have been counted. */
#include "tools/sink.h"

#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"
#include "tools/tool_text.h"

/* Arranges a transform with split sides as in the file: raw files hold both halves, .npy files
 * pairs. */
static void gather_halves(sample_sink *s, const char *re, const char *im)
{
    size_t half = s->layout->out.points * s->number, n = s->number;
    if (!s->npy) {
        memcpy(s->bounce, re, half);
        memcpy(s->bounce + half, im, half);
        return;
    }
    for (size_t i = 0; i < s->layout->out.points; i++) {
        memcpy(s->bounce + 2 * i * n, re + i * n, n);
        memcpy(s->bounce + (2 * i + 1) * n, im + i * n, n);
    }
}

sluice_status sink_put(sample_sink *s, sluice_slot *slot)
{
    size_t half = s->layout->out.points * s->number, all = s->layout->out.scalars * half;
    int code = s->bounce ? TOOL_DONE : output_write(&s->to, slot->out, slot->count * all);
    for (size_t k = 0; s->bounce && k < slot->count && !code; k++) {
        gather_halves(s, (char *)slot->out + k * half, (char *)slot->out_im + k * half);
        code = output_write(&s->to, s->bounce, all);
    }
    s->failed = code != TOOL_DONE;
    if (s->failed)
        return SLUICE_E_IO;
    s->transforms += slot->count;
    s->bytes += slot->count * all;
    progress_at(&s->meter, s->bytes);
    return SLUICE_OK;
}

/* Sets the shape of the results. An array of one dimension with more than one transform, and raw
 * samples, get an additional dimension for the transforms. */
static void set_array(sample_sink *s, const sample_source *from)
{
    const sample_layout *l = s->layout;
    const npy_array *in = &from->array;
    s->array =
        (npy_array){.format = &sample_formats[l->precision], .is_complex = l->out.scalars == 2};
    s->grows = !from->options.npy || from->options.hop || in->rank < l->rank
               || in->shape[in->rank - l->rank] != l->in.shape[0];
    s->array.rank = s->grows ? l->rank + 1 : in->rank;
    memcpy(s->array.shape, in->shape, sizeof in->shape);
    memcpy(s->array.shape + s->array.rank - l->rank, l->out.shape,
           (size_t)l->rank * sizeof l->out.shape[0]);
}

static int start_npy(sample_sink *s, const sample_source *from)
{
    char header[NPY_HEADER_MAX];
    if (!s->to.part) {
        complain("cannot write %s: a .npy file says first how much it holds, so it must be a "
                 "regular file",
                 s->to.shown);
        return TOOL_USAGE;
    }
    set_array(s, from);
    s->header = npy_write(&s->array, 0, header);
    return output_write(&s->to, header, s->header);
}

static int finish_npy(sample_sink *s)
{
    char header[NPY_HEADER_MAX];
    if (s->grows)
        s->array.shape[0] = s->transforms;
    npy_write(&s->array, s->header, header);
    return output_rewrite_start(&s->to, header, s->header);
}

static int start_sink(sample_sink *s, const sample_source *from, const char *path)
{
    size_t bytes = s->layout->out.scalars * s->layout->out.points * s->number;
    s->npy = npy_is_name(path);
    if (s->layout->out.split) {
        s->bounce = malloc(bytes);
        char size[TEXT_BYTES];
        if (!s->bounce) {
            complain("there is no memory for a transform of %s", text_bytes(size, bytes));
            return TOOL_IO;
        }
    }
    progress_start(&s->meter, from->expected == UINT64_MAX ? 0 : from->expected * bytes);
    return s->npy ? start_npy(s, from) : TOOL_DONE;
}

int sink_open(sample_sink *s, const sample_source *from, const char *path)
{
    const sample_layout *l = from->layout;
    *s = (sample_sink){.layout = l,
                       .number = l->precision == SLUICE_F64 ? sizeof(double) : sizeof(float)};
    int code = output_open(&s->to, path);
    if (code)
        return code;
    code = start_sink(s, from, path);
    if (code)
        sink_close(s, false);
    return code;
}

int sink_close(sample_sink *s, bool good)
{
    progress_end(&s->meter, s->bytes);
    free(s->bounce);
    int code = good && s->npy ? finish_npy(s) : TOOL_DONE;
    if (good && !code)
        return output_commit(&s->to);
    output_discard(&s->to);
    return code;
}
