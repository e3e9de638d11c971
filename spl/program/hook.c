// SPDX-License-Identifier: BSD-3-Clause
/* Packed elements are processed in rows of the last dimension, as far as they are in the array. */
#include "spl/program/hook.h"

#include <math.h>
#include <string.h>

#include "core/half.h"

static const double i16_one = 32768;

size_t prog_storage_bytes(sluice_storage storage)
{
    static const size_t bytes[] = {[SLUICE_STORE_F32] = sizeof(float),
                                   [SLUICE_STORE_F64] = sizeof(double),
                                   [SLUICE_STORE_I16] = sizeof(int16_t),
                                   [SLUICE_STORE_F16] = sizeof(uint16_t)};

    return bytes[storage];
}

sluice_storage prog_storage_of(sluice_precision precision)
{
    return precision == SLUICE_F32 ? SLUICE_STORE_F32 : SLUICE_STORE_F64;
}

void prog_hook_merge(prog_hook *h)
{
    int last = 0;

    for (int d = 1; d < h->dims; d++) {
        prog_hook_dim *a = &h->dim[last];
        const prog_hook_dim *b = &h->dim[d];
        if (a->n == 1)
            *a = *b;
        else if (b->extent == b->n && a->stride == (ptrdiff_t)b->n * b->stride)
            *a = (prog_hook_dim){a->n * b->n, a->extent * b->n, b->stride};
        else if (b->n > 1)
            h->dim[++last] = *b;
    }
    h->dims = last + 1;
}

bool prog_hook_only_weighs(const prog_hook *h)
{
    return h->dims == 1 && h->dim[0].stride == 1 && h->dim[0].extent == h->dim[0].n && !h->split
           && h->storage == prog_storage_of(h->precision) && !h->call;
}

void prog_hook_reach(const prog_hook *h, int64_t *low, int64_t *high)
{
    *low = *high = 0;
    for (int d = 0; d < h->dims; d++) {
        const int64_t reach = (h->dim[d].extent - 1) * (int64_t)h->dim[d].stride;
        *(reach < 0 ? low : high) += reach;
    }
}

int64_t prog_hook_present(const prog_hook *h)
{
    int64_t count = 1;

    for (int d = 0; d < h->dims; d++)
        count *= h->dim[d].extent;
    return count;
}

/* ---- scalars of any storage ---- */

static inline double get_scalar(const void *array, sluice_storage storage, ptrdiff_t at)
{
    switch (storage) {
    case SLUICE_STORE_F32: return (double)((const float *)array)[at];
    case SLUICE_STORE_I16: return ((const int16_t *)array)[at] / i16_one;
    case SLUICE_STORE_F16: return core_half_read(((const uint16_t *)array)[at]);
    default: return ((const double *)array)[at];
    }
}

/* Rounds to nearest, ties to even; NaN becomes 0. */
static inline int16_t round_to_int16(double value)
{
    const double x = rint(value * i16_one);

    return (int16_t)(x >= INT16_MAX   ? INT16_MAX
                     : x > INT16_MIN  ? x
                     : x <= INT16_MIN ? INT16_MIN
                                      : 0);
}

static inline void put_scalar(void *array, sluice_storage storage, ptrdiff_t at, double value)
{
    switch (storage) {
    case SLUICE_STORE_F32: ((float *)array)[at] = (float)value; break;
    case SLUICE_STORE_I16: ((int16_t *)array)[at] = round_to_int16(value); break;
    case SLUICE_STORE_F16: ((uint16_t *)array)[at] = core_half_write(value); break;
    default: ((double *)array)[at] = value; break;
    }
}

double prog_storage_get(const void *array, sluice_storage storage, ptrdiff_t at)
{
    return get_scalar(array, storage, at);
}

void prog_storage_put(void *array, sluice_storage storage, ptrdiff_t at, double value)
{
    put_scalar(array, storage, at, value);
}

/* `count` scalars, at distances of `in` and `out` scalars. */
typedef struct scalars {
    void *to;
    const void *from;
    ptrdiff_t out, in;
    int64_t count;
} scalars;

static inline void convert_as(scalars s, sluice_storage to, sluice_storage from)
{
    for (int64_t i = 0; i < s.count; i++)
        put_scalar(s.to, to, (ptrdiff_t)i * s.out, get_scalar(s.from, from, (ptrdiff_t)i * s.in));
}

/* The storages are constants in the calls, into which convert_as is inlined. */
static inline void convert_from(scalars s, sluice_storage to, sluice_storage from)
{
    switch (from) {
    case SLUICE_STORE_F32: convert_as(s, to, SLUICE_STORE_F32); break;
    case SLUICE_STORE_I16: convert_as(s, to, SLUICE_STORE_I16); break;
    case SLUICE_STORE_F16: convert_as(s, to, SLUICE_STORE_F16); break;
    default: convert_as(s, to, SLUICE_STORE_F64); break;
    }
}

static void convert_scalars(scalars s, sluice_storage to, sluice_storage from)
{
    if (to == from && s.in == 1 && s.out == 1) {
        memcpy(s.to, s.from, (size_t)s.count * prog_storage_bytes(to));
        return;
    }
    switch (to) {
    case SLUICE_STORE_F32: convert_from(s, SLUICE_STORE_F32, from); break;
    case SLUICE_STORE_I16: convert_from(s, SLUICE_STORE_I16, from); break;
    case SLUICE_STORE_F16: convert_from(s, SLUICE_STORE_F16, from); break;
    default: convert_from(s, SLUICE_STORE_F64, from); break;
    }
}

/* ---- runs of elements ---- */

/* Elements of one row that are in the array: the number of the first in packed order, and its place
 * in the array. */
typedef struct run {
    int64_t first, count;
    ptrdiff_t at;
    char *data; /* in the program's precision */
} run;

/* Moves elements between the array and the run's data. */
static void move_run(const prog_hook *h, const run *r, void *const part[2], bool load)
{
    const sluice_storage inside = prog_storage_of(h->precision);
    const ptrdiff_t stride = h->dim[h->dims - 1].stride, width = h->scalars;
    const bool whole = !h->split && (width == 1 || stride == 1);
    const size_t element = prog_storage_bytes(h->storage) * (h->split ? 1 : (size_t)width);

    for (int k = 0; k < (whole ? 1 : width); k++) {
        char *const array = (char *)part[h->split ? k : 0] + r->at * (ptrdiff_t)element
                            + (h->split ? 0 : (size_t)k * prog_storage_bytes(h->storage));
        char *const data = r->data + (size_t)k * prog_storage_bytes(inside);
        const ptrdiff_t there = h->split ? stride : whole && width == 2 ? 1 : stride * width;
        const ptrdiff_t here = whole ? 1 : width;
        const int64_t count = whole ? r->count * width : r->count;
        if (load)
            convert_scalars((scalars){data, array, here, there, count}, inside, h->storage);
        else
            convert_scalars((scalars){array, data, there, here, count}, h->storage, inside);
    }
}

static void weigh_f32(float *x, const float *weight, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        x[i] *= weight[i];
}

static void weigh_f64(double *x, const double *weight, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        x[i] *= weight[i];
}

/* Weights are contiguous up to the end of their period. */
static void weigh_run(const prog_hook *h, const run *r)
{
    const int64_t count = r->count * h->scalars;
    int64_t w = r->first * h->scalars % h->weights;

    for (int64_t at = 0, piece; at < count; at += piece, w = 0) {
        piece = h->weights - w < count - at ? h->weights - w : count - at;
        if (h->precision == SLUICE_F32)
            weigh_f32((float *)(void *)r->data + at, (const float *)h->weight + w, piece);
        else
            weigh_f64((double *)(void *)r->data + at, (const double *)h->weight + w, piece);
    }
}

/* Calls the function with the elements of the run before element `end`. */
static sluice_status call_function(const prog_hook *h, const run *r, size_t transform, int64_t end)
{
    const int64_t left = end - r->first, count = r->count < left ? r->count : left;

    if (count <= 0)
        return SLUICE_OK;
    return h->call(h->user, (size_t)(r->first + (int64_t)transform * h->each), (size_t)count,
                   r->data);
}

static sluice_status run_hook(const prog_hook *h, const run *r, size_t transform, int64_t end,
                              void *const part[2], bool load)
{
    sluice_status status = SLUICE_OK;

    if (load)
        move_run(h, r, part, true);
    if (h->weight)
        weigh_run(h, r);
    if (h->call)
        status = call_function(h, r, transform, end);
    if (!load && status == SLUICE_OK)
        move_run(h, r, part, false);
    return status;
}

/* The number of elements of a row, from `first` on, that are in the array, if the row ends after
 * `count`; and the place of the first of them. */
static int64_t find_row(const prog_hook *h, int64_t first, int64_t count, ptrdiff_t *at)
{
    const prog_hook_dim *last = &h->dim[h->dims - 1];
    int64_t row = first / last->n, inside = last->extent - first % last->n;

    *at = (ptrdiff_t)(first % last->n) * last->stride;
    for (int d = h->dims - 2; d >= 0; d--) {
        const int64_t i = row % h->dim[d].n;
        row /= h->dim[d].n;
        *at += (ptrdiff_t)i * h->dim[d].stride;
        inside = i < h->dim[d].extent ? inside : 0;
    }
    return inside < 0 ? 0 : inside < count ? inside : count;
}

int64_t prog_hook_run(const prog_hook *h, int64_t first, int64_t count, int64_t *present,
                      ptrdiff_t *at)
{
    const int64_t n = h->dim[h->dims - 1].n, left = n - first % n;
    const int64_t run = left < count ? left : count;

    *present = find_row(h, first, run, at);
    return run;
}

int64_t prog_hook_place(const prog_hook *h, int64_t i)
{
    ptrdiff_t at;

    (void)find_row(h, i, 1, &at);
    return at;
}

static sluice_status move_elements(const prog_hook *h, const sluice_arrays *a, size_t transform,
                                   int64_t first, int64_t count, char *data, bool load)
{
    void *const in[2] = {(void *)(uintptr_t)a->in, (void *)(uintptr_t)a->in_im};
    void *const out[2] = {a->out, a->out_im};
    const size_t element = (size_t)h->scalars * prog_storage_bytes(prog_storage_of(h->precision));
    const int64_t seen = (int64_t)a->reserved[PROG_ARRAYS_SEEN];
    const int64_t end = seen ? seen * h->each : h->elements;
    sluice_status status = SLUICE_OK;

    while (count > 0 && status == SLUICE_OK) {
        run r = {.first = first, .data = data};
        const int64_t piece = prog_hook_run(h, first, count, &r.count, &r.at);
        if (r.count)
            status = run_hook(h, &r, transform, end, load ? in : out, load);
        if (load)
            memset(data + (size_t)r.count * element, 0, (size_t)(piece - r.count) * element);
        first += piece;
        count -= piece;
        data += (size_t)piece * element;
    }
    return status;
}

sluice_status prog_hook_load(const prog_hook *h, const sluice_arrays *a, size_t transform,
                             int64_t first, int64_t count, void *to)
{
    return move_elements(h, a, transform, first, count, (char *)to, true);
}

sluice_status prog_hook_store(const prog_hook *h, const sluice_arrays *a, size_t transform,
                              int64_t first, int64_t count, void *from)
{
    return move_elements(h, a, transform, first, count, (char *)from, false);
}
