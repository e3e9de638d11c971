// SPDX-License-Identifier: BSD-3-Clause
/* Stands for cuFFT and the CUDA runtime where there is no NVIDIA device: the functions that the
 * bench's peer calls, with their documented arguments, transforms by definition. Memory of the
 * "device" is ours alone: any access outside of what was allocated is an error, as are plans and
 * memory that are not released (said on stderr at the end). CUFFT_STANDIN_FAIL names a function,
 * whose calls then fail; a copy from or to the host takes CUFFT_STANDIN_COPY milliseconds,
 * waiting for executions CUFFT_STANDIN_WAIT. */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FAILED = 11, TO_DEVICE = 1, TO_HOST = 2, WITHIN = 3, ROOM = 64, MAX_RANK = 3, GUARD = 64 };
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };

static struct block {
    char *at;
    size_t bytes;
} blocks[ROOM];

static struct plan {
    bool used;
    int rank, n[MAX_RANK], embed[2][MAX_RANK], step[2], type, batch;
} plans[ROOM];

static bool must_fail(const char *name)
{
    const char *wanted = getenv("CUFFT_STANDIN_FAIL");
    return wanted && strcmp(wanted, name) == 0;
}

static bool is_pending; /* an execution that was not waited for */

static void take_time(const char *name)
{
    const char *text = getenv(name);
    const long ms = text ? strtol(text, NULL, 10) : 0;
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void __attribute__((destructor)) say_what_is_left(void)
{
    for (int i = 0; i < ROOM; i++)
        if (plans[i].used || blocks[i].at)
            fprintf(stderr, "cufft stand-in: plan or memory %d is not released\n", i);
}

/* Does device memory hold these bytes? */
static bool is_held(const void *at, size_t bytes)
{
    const char *from = at;
    for (int i = 0; i < ROOM; i++)
        if (blocks[i].at && from >= blocks[i].at && from + bytes <= blocks[i].at + blocks[i].bytes)
            return true;
    return false;
}

/* ---- the runtime */

int cudaMalloc(void **out, size_t bytes);
int cudaFree(void *memory);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaDeviceSynchronize(void);
const char *cudaGetErrorString(int error);

int cudaMalloc(void **out, size_t bytes)
{
    int i = 0;
    while (i < ROOM && blocks[i].at)
        i++;
    if (must_fail("cudaMalloc") || i == ROOM)
        return FAILED;
    blocks[i] = (struct block){malloc(bytes + GUARD), bytes};
    memset(blocks[i].at, 0x5a, bytes + GUARD);
    *out = blocks[i].at;
    return 0;
}

int cudaFree(void *memory)
{
    for (int i = 0; i < ROOM; i++)
        if (blocks[i].at == memory) {
            for (int k = 0; k < GUARD; k++)
                if (blocks[i].at[blocks[i].bytes + (size_t)k] != 0x5a)
                    fprintf(stderr, "cufft stand-in: memory behind a block was written\n");
            free(memory);
            blocks[i].at = NULL;
            return 0;
        }
    return FAILED;
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    const bool to_is_held = is_held(to, kind == TO_HOST ? 1 : bytes);
    const bool from_is_held = is_held(from, kind == TO_DEVICE ? 1 : bytes);
    const bool held = kind >= TO_DEVICE && kind <= WITHIN && to_is_held == (kind != TO_HOST)
                      && from_is_held == (kind != TO_DEVICE);
    if (must_fail("cudaMemcpy") || !held)
        return FAILED;
    if (kind != WITHIN)
        take_time("CUFFT_STANDIN_COPY");
    memcpy(to, from, bytes);
    return 0;
}

int cudaDeviceSynchronize(void)
{
    if (is_pending)
        take_time("CUFFT_STANDIN_WAIT");
    is_pending = false;
    return must_fail("cudaDeviceSynchronize") ? FAILED : 0;
}

const char *cudaGetErrorString(int error)
{
    return error ? "a made-up error" : "no error";
}

/* ---- plans */

int cufftGetVersion(int *version);
int cufftPlanMany(int *out, int rank, int *n, int *in_embed, int in_stride, int in_step,
                  int *out_embed, int out_stride, int out_step, int type, int batch);
int cufftDestroy(int plan);

int cufftGetVersion(int *version)
{
    *version = 12034;
    return 0;
}

int cufftPlanMany(int *out, int rank, int *n, int *in_embed, int in_stride, int in_step,
                  int *out_embed, int out_stride, int out_step, int type, int batch)
{
    int i = 0;
    while (i < ROOM && plans[i].used)
        i++;
    if (must_fail("cufftPlanMany") || i == ROOM || rank < 1 || rank > MAX_RANK || batch < 1
        || !in_embed || !out_embed || in_stride != 1 || out_stride != 1)
        return FAILED;
    plans[i] = (struct plan){
        .used = true, .rank = rank, .step = {in_step, out_step}, .type = type, .batch = batch};
    memcpy(plans[i].n, n, (size_t)rank * sizeof *n);
    memcpy(plans[i].embed[0], in_embed, (size_t)rank * sizeof *n);
    memcpy(plans[i].embed[1], out_embed, (size_t)rank * sizeof *n);
    *out = i;
    return 0;
}

int cufftDestroy(int plan)
{
    const bool used = plan >= 0 && plan < ROOM && plans[plan].used;
    if (used)
        plans[plan].used = false;
    return used ? 0 : FAILED;
}

/* ---- transforms */

typedef double complex number;

static bool is_double(int type)
{
    return type == Z2Z || type == D2Z || type == Z2D;
}

/* Elements of a side of one transform, its last axis of `last`. */
static size_t span_of(const struct plan *p, int side, int last)
{
    size_t at = 0;
    for (int i = 0; i < p->rank; i++)
        at = at * (size_t)p->embed[side][i] + (size_t)(i == p->rank - 1 ? last : p->n[i]) - 1;
    return at + 1;
}

/* Where element k, in row-major order of the axes with `last` in the last one, lies. */
static size_t place_of(const struct plan *p, int side, size_t k, int last)
{
    size_t at = 0, scale = 1;
    for (int i = p->rank; i-- > 0;) {
        const size_t n = (size_t)(i == p->rank - 1 ? last : p->n[i]);
        at += k % n * scale;
        scale *= (size_t)p->embed[side][i];
        k /= n;
    }
    return at;
}

static number read_number(const void *from, size_t at, bool f64, bool real)
{
    const size_t i = real ? at : 2 * at;
    const double re = f64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
    const double im = real  ? 0
                      : f64 ? ((const double *)from)[i + 1]
                            : (double)((const float *)from)[i + 1];
    return re + im * I;
}

static void write_number(void *to, size_t at, bool f64, bool real, number x)
{
    const size_t i = real ? at : 2 * at;
    for (size_t part = 0; part < 2u - real; part++) {
        const double value = part ? cimag(x) : creal(x);
        if (f64)
            ((double *)to)[i + part] = value;
        else
            ((float *)to)[i + part] = (float)value;
    }
}

/* The definition: row-major, axis after axis. */
static void transform(const struct plan *p, number *x, int direction)
{
    size_t all = 1, stride = 1;
    for (int i = 0; i < p->rank; i++)
        all *= (size_t)p->n[i];
    number *y = malloc(all * sizeof *y);
    for (int i = p->rank; i-- > 0; stride *= (size_t)p->n[i]) {
        const size_t n = (size_t)p->n[i];
        for (size_t k = 0; k < all; k++) {
            const size_t row = k / stride % n, first = k - row * stride;
            y[k] = 0;
            for (size_t j = 0; j < n; j++)
                y[k] += x[first + j * stride]
                        * cexp(direction * 2 * 3.14159265358979323846 * I * (double)(row * j % n)
                               / (double)n);
        }
        memcpy(x, y, all * sizeof *x);
    }
    free(y);
}

/* All elements of a half-spectrum, of which the last axis has n/2 + 1. */
static void mirror(const struct plan *p, number *x)
{
    const int last = p->n[p->rank - 1];
    size_t all = 1;
    for (int i = 0; i < p->rank; i++)
        all *= (size_t)p->n[i];
    for (size_t k = 0; k < all; k++) {
        size_t other = 0, scale = 1, rest = k;
        for (int i = p->rank; i-- > 0; rest /= (size_t)p->n[i]) {
            const size_t n = (size_t)p->n[i];
            other += (n - rest % n) % n * scale;
            scale *= n;
        }
        if (k % (size_t)last > (size_t)last / 2)
            x[k] = conj(x[other]);
    }
}

static int run_plan(int plan, const void *in, void *out, int direction, const char *name, int type)
{
    if (must_fail(name) || plan < 0 || plan >= ROOM || !plans[plan].used
        || plans[plan].type != type)
        return FAILED;
    is_pending = true;
    const struct plan *p = &plans[plan];
    const bool f64 = is_double(type), from_reals = type == R2C || type == D2Z;
    const bool to_reals = type == C2R || type == Z2D;
    const int n = p->n[p->rank - 1], half = n / 2 + 1;
    const int last[2] = {to_reals ? half : n, from_reals ? half : n};
    const size_t scalar = f64 ? sizeof(double) : sizeof(float);
    const size_t bytes[2] = {scalar * (from_reals ? 1 : 2), scalar * (to_reals ? 1 : 2)};
    size_t rows = 1;
    for (int i = 0; i + 1 < p->rank; i++)
        rows *= (size_t)p->n[i];
    number *x = calloc(rows * (size_t)n, sizeof *x);
    for (int b = 0; b < p->batch; b++) {
        const char *from = (const char *)in + (ptrdiff_t)b * p->step[0] * (ptrdiff_t)bytes[0];
        char *to = (char *)out + (ptrdiff_t)b * p->step[1] * (ptrdiff_t)bytes[1];
        if (!is_held(from, span_of(p, 0, last[0]) * bytes[0])
            || !is_held(to, span_of(p, 1, last[1]) * bytes[1])) {
            free(x);
            return FAILED;
        }
        for (size_t k = 0; k < rows * (size_t)last[0]; k++)
            x[k / (size_t)last[0] * (size_t)n + k % (size_t)last[0]] =
                read_number(from, place_of(p, 0, k, last[0]), f64, from_reals);
        if (to_reals)
            mirror(p, x);
        transform(p, x, direction);
        for (size_t k = 0; k < rows * (size_t)last[1]; k++)
            write_number(to, place_of(p, 1, k, last[1]), f64, to_reals,
                         x[k / (size_t)last[1] * (size_t)n + k % (size_t)last[1]]);
    }
    free(x);
    return 0;
}

int cufftExecC2C(int plan, void *in, void *out, int direction);
int cufftExecZ2Z(int plan, void *in, void *out, int direction);

int cufftExecC2C(int plan, void *in, void *out, int direction)
{
    return run_plan(plan, in, out, direction, "cufftExecC2C", C2C);
}

int cufftExecZ2Z(int plan, void *in, void *out, int direction)
{
    return run_plan(plan, in, out, direction, "cufftExecZ2Z", Z2Z);
}

#define OF_REALS(NAME, TYPE, DIRECTION)                                                            \
    int cufftExec##NAME(int plan, void *in, void *out);                                            \
    int cufftExec##NAME(int plan, void *in, void *out)                                             \
    {                                                                                              \
        return run_plan(plan, in, out, DIRECTION, "cufftExec" #NAME, TYPE);                        \
    }
OF_REALS(R2C, R2C, -1)
OF_REALS(D2Z, D2Z, -1)
OF_REALS(C2R, C2R, 1)
OF_REALS(Z2D, Z2D, 1)
