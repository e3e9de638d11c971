// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_plan.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/mem.h"
#include "tests/helpers/helper_oracle.h"

#if PLAN_RACES && SLUICE_HAVE_AVX2
const char *const plan_isas[] = {"avx2"};
#elif PLAN_RACES
const char *const plan_isas[] = {"scalar"};
#elif PLAN_SANITIZED
const char *const plan_isas[] = {"scalar", "avx2"};
#else
const char *const plan_isas[] = {"scalar", "vec128", "avx2", "avx512"};
#endif

enum { GUARD = 128 }; /* bytes of canaries on both ends of an array */

/* xorshift64*: Vigna 2016. */
uint64_t plan_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Dull;
}

size_t plan_below(uint64_t *state, size_t n)
{
    return (size_t)((plan_random(state) >> 32) * n >> 32);
}

static double plan_random_unit(uint64_t *state)
{
    return (double)(int64_t)plan_random(state) / 9223372036854775808.0;
}

void plan_verify(const sluice_plan *plan, const char *name)
{
    double error = 1, bound = 0;
    sluice_diag why = {.message = ""};
    if (sluice_plan_verify(plan, &error, &bound, &why) != SLUICE_OK || !(error <= bound))
        fail_msg("%s: error %g, bound %g %s", name, error, bound, why.message);
}

bool plan_file(char path[PLAN_TEXT_SIZE])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, PLAN_TEXT_SIZE, "%s/sluice-test-XXXXXX", folder ? folder : "/tmp");
    const int fd = mkstemp(path);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool plan_smooth(size_t n)
{
    for (size_t f = 2; f <= 13; f++)
        while (n % f == 0)
            n /= f;
    return n == 1;
}

/* ---------------------------------------------------------------- machines, plans -------- */

sluice_problem plan_parsed(const char *text)
{
    sluice_problem p;
    sluice_diag why = {0};
    if (sluice_problem_parse(&p, text, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return p;
}

sluice_machine *plan_machine(const char *units, const char *isa)
{
    const sluice_machine_options options = {.units = units};
    sluice_machine *m = NULL;
    sluice_diag why = {0};
    const char *outer = getenv("SLUICE_CPU");
    char *kept = outer == NULL ? NULL : strdup(outer);
    if (isa != NULL)
        setenv("SLUICE_CPU", isa, 1);
    const sluice_status status = sluice_machine_open(&m, &options, &why);
    if (kept != NULL)
        setenv("SLUICE_CPU", kept, 1);
    else
        unsetenv("SLUICE_CPU");
    free(kept);
    if (isa != NULL && status == SLUICE_E_UNSUPPORTED)
        return NULL;
    if (status != SLUICE_OK)
        fail_msg("units %s: %s", units, why.message);
    return m;
}

sluice_plan *plan_made(sluice_machine *m, const char *problem)
{
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    if (sluice_problem_parse(&p, problem, &why) != SLUICE_OK
        || sluice_plan_create(&plan, m, &p, NULL, &why) != SLUICE_OK)
        fail_msg("%s: %s", problem, why.message);
    return plan;
}

sluice_plan *plan_of_formula(sluice_machine *m, const char *formula, sluice_precision precision)
{
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    if (sluice_plan_from_formula(&plan, m, formula, precision, NULL, &why) != SLUICE_OK)
        fail_msg("%s: at %zu: %s", formula, why.offset, why.message);
    return plan;
}

static sluice_status append_plan_text(void *user, const char *text, size_t length)
{
    plan_text *t = user;
    char *larger = test_realloc(t->data, t->length + length + 1);
    memcpy(larger + t->length, text, length);
    t->data = larger;
    t->length += length;
    larger[t->length] = '\0';
    return SLUICE_OK;
}

plan_text plan_printed(const sluice_plan *plan, sluice_level level)
{
    plan_text t = {NULL, 0};
    assert_int_equal(sluice_plan_print(plan, level, append_plan_text, &t), SLUICE_OK);
    assert_non_null(t.data);
    return t;
}

char *plan_line(const sluice_plan *plan)
{
    plan_text t = plan_printed(plan, SLUICE_LEVEL_FORMULA);
    char *found = NULL;
    int count = 0;
    for (char *line = t.data, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end); /* every line ends with a newline */
        *end = '\0';
        if (*line == '#')
            continue;
        found = line;
        count++;
    }
    assert_int_equal(count, 1);
    memmove(t.data, found, strlen(found) + 1);
    return t.data;
}

/* ---------------------------------------------------------------- data ------------------- */

/* Blocks of B distributed round-robin over P parts, which are stored one after the other. */
static ptrdiff_t offset_in_blocks(const plan_data *d, sluice_cyclic c, size_t index)
{
    const size_t card = index / c.block, each = d->total / c.block / c.parts;
    return (ptrdiff_t)((card % c.parts * each + card / c.parts) * c.block + index % c.block);
}

static void list_offsets(plan_data *d, int side)
{
    const plan_side *s = &d->side[side];
    const sluice_cyclic cyclic = side ? d->p.out_cyclic : d->p.in_cyclic;
    size_t index[SLUICE_MAX_BATCH_RANK + SLUICE_MAX_RANK] = {0};
    ptrdiff_t at = 0;
    d->offset[side] = sluice_alloc(d->elements[side] * sizeof *d->offset[side]);
    assert_non_null(d->offset[side]);
    for (size_t i = 0; i < d->elements[side]; i++) {
        d->offset[side][i] = cyclic.parts != 0 ? offset_in_blocks(d, cyclic, i) : at;
        for (int k = s->dims - 1; k >= 0; k--) {
            at += s->dim[k].stride;
            if (++index[k] < s->dim[k].n)
                break;
            at -= (ptrdiff_t)index[k] * s->dim[k].stride;
            index[k] = 0;
        }
    }
}

static void describe_side(plan_data *d, int side)
{
    plan_side *s = &d->side[side];
    s->dims = d->p.batch_rank + d->p.rank;
    for (int k = 0; k < s->dims; k++) {
        const sluice_dim dim = sched_problem_dim(&d->p, k);
        s->dim[k].n = sched_problem_extent(&d->p, k, side);
        s->dim[k].stride = side ? dim.out_stride : dim.in_stride;
    }
    s->split = (side ? d->p.out_layout : d->p.in_layout) == SLUICE_SPLIT;
    s->scalars = sched_side_scalars(&d->p, side);
    s->bytes = s->split ? d->scalar : sched_side_bytes(&d->p, side);
    d->elements[side] = sched_side_elements(&d->p, side) * sched_problem_batch(&d->p);
    list_offsets(d, side);
}

char *plan_data_at(const plan_data *d, int side, size_t index, int part)
{
    const ptrdiff_t at = d->offset[side][index] * (ptrdiff_t)d->side[side].bytes;
    const bool split = d->side[side].split;
    char *block = d->block[side][split ? part : 0];
    return block + (ptrdiff_t)d->base[side] + at + (split || part == 0 ? 0 : d->scalar);
}

static long double data_value(const plan_data *d, int side, size_t index, int part)
{
    const char *at = plan_data_at(d, side, index, part);
    float f;
    double x;
    if (d->scalar == sizeof f) {
        memcpy(&f, at, sizeof f);
        return f;
    }
    memcpy(&x, at, sizeof x);
    return x;
}

static void open_side(plan_data *d, int side, size_t shift)
{
    size_t before[2], after[2];
    for (int k = 0; k < 2; k++)
        sched_problem_bytes(&d->p, k, &before[k], &after[k]);
    const bool larger = d->p.in_place && after[!side] > after[side]; /* both sides are one array */
    d->base[side] = GUARD + (before[side] + 63) / 64 * 64 + shift;
    d->bytes[side] = d->base[side] + after[larger ? !side : side] + GUARD;
    for (int part = 0; part <= d->side[side].split; part++) {
        const bool again = side == 1 && d->p.in_place;
        d->block[side][part] = again ? d->block[0][part] : sluice_alloc(d->bytes[side]);
        d->kept[side][part] = again ? d->kept[0][part] : sluice_alloc(d->bytes[side]);
        assert_true(d->block[side][part] && d->kept[side][part]);
    }
}

void plan_data_open(plan_data *d, const sluice_plan *plan, const char *name, size_t shift)
{
    memset(d, 0, sizeof *d);
    d->name = name;
    assert_int_equal(sluice_plan_problem(plan, &d->p), SLUICE_OK);
    d->scalar = d->p.precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    d->total = sched_problem_points(&d->p) * sched_problem_batch(&d->p);
    for (int side = 0; side < 2; side++)
        describe_side(d, side);
    open_side(d, 0, shift);
    open_side(d, 1, shift);
    d->arrays.in = d->block[0][0] + d->base[0];
    d->arrays.out = d->block[1][0] + d->base[1];
    d->arrays.in_im = d->side[0].split ? d->block[0][1] + d->base[0] : NULL;
    d->arrays.out_im = d->side[1].split ? d->block[1][1] + d->base[1] : NULL;
}

void plan_data_read_as(plan_data *d, const char *problem)
{
    assert_int_equal(sluice_problem_parse(&d->p, problem, NULL), SLUICE_OK);
    for (int side = 0; side < 2; side++) {
        sluice_free(d->offset[side]);
        describe_side(d, side);
    }
}

void plan_data_close(plan_data *d)
{
    for (int side = 0; side < 2; side++)
        sluice_free(d->offset[side]);
    for (int side = 0; side < (d->p.in_place ? 1 : 2); side++)
        for (int part = 0; part < 2; part++) {
            sluice_free(d->block[side][part]);
            sluice_free(d->kept[side][part]);
        }
}

/* Canaries, which repeat after 2^16 bytes. */
static void fill_canaries(char *block, size_t bytes)
{
    const size_t period = (size_t)1 << 16;
    for (size_t i = 0; i < bytes && i < period; i++)
        block[i] = (char)(0x9e + 7 * i + 3 * (i >> 8));
    for (size_t at = period; at < bytes; at += period)
        memcpy(block + at, block, bytes - at < period ? bytes - at : period);
}

void plan_data_fill(plan_data *d, uint64_t seed)
{
    uint64_t state = d->seed = seed;
    for (int side = 0; side < 2; side++)
        for (int part = 0; part <= d->side[side].split; part++)
            fill_canaries(d->block[side][part], d->bytes[side]);
    for (size_t i = 0; i < d->elements[0]; i++)
        for (int part = 0; part < (int)d->side[0].scalars; part++) {
            const double x = plan_random_unit(&state);
            const float f = (float)x;
            memcpy(plan_data_at(d, 0, i, part), d->scalar == sizeof f ? (const void *)&f : &x,
                   d->scalar);
        }
    for (int side = 0; side < 2; side++)
        for (int part = 0; part <= d->side[side].split; part++)
            memcpy(d->kept[side][part], d->block[side][part], d->bytes[side]);
}

/* ---------------------------------------------------------------- judging ---------------- */

static void restore_elements(const plan_data *d, int side, int part, char *seen)
{
    const size_t size = d->side[side].bytes;
    for (size_t i = 0; i < d->elements[side]; i++) {
        const size_t at = d->base[side] + (size_t)(d->offset[side][i] * (ptrdiff_t)size);
        memcpy(seen + at, d->kept[side][part] + at, size);
    }
}

/* Are the bytes outside a side's elements unchanged? Restores the elements to compare the rest. */
static bool gaps_kept(plan_data *d)
{
    bool kept = true;
    for (int side = d->p.in_place ? 1 : 0; side < 2; side++)
        for (int part = 0; part <= d->side[side].split; part++) {
            char *seen = malloc(d->bytes[side]); /* cmocka's blocks are one thread's */
            assert_non_null(seen);
            memcpy(seen, d->block[side][part], d->bytes[side]);
            if (side == 1)
                restore_elements(d, 1, part, seen);
            if (d->p.in_place)
                restore_elements(d, 0, part, seen);
            if (kept && memcmp(seen, d->kept[side][part], d->bytes[side]) != 0) {
                snprintf(d->message, sizeof d->message, "%s changed",
                         side ? "a byte between or around the outputs" : "the input");
                kept = false;
            }
            free(seen);
        }
    return kept;
}

/* Factor of the error bound: larger if an axis may be a convolution. */
static double error_factor(const plan_data *d)
{
    for (int k = 0; k < d->p.rank; k++)
        if (!plan_smooth(sched_axis_length(&d->p, k)))
            return 2.5;
    return 1;
}

/* What the oracle answered is the next caller's to forget. */
static pthread_mutex_t oracle_lock = PTHREAD_MUTEX_INITIALIZER;

/* The k-th transform of the batch, by the oracle. */
static void compare_transform(const plan_data *d, size_t k, long double *difference,
                              long double *reference)
{
    const int scalars[2] = {(int)d->side[0].scalars, (int)d->side[1].scalars};
    const size_t n[2] = {sched_side_elements(&d->p, 0), sched_side_elements(&d->p, 1)};
    long double *x = core_calloc(n[0], 2 * sizeof *x);
    plan_data input = *d;
    memcpy(input.block, d->kept, sizeof input.block);
    for (size_t i = 0; i < n[0]; i++)
        for (int part = 0; part < scalars[0]; part++)
            x[2 * i + part] =
                sched_side_edge(&d->p, 0, i) * data_value(&input, 0, k * n[0] + i, part);
    pthread_mutex_lock(&oracle_lock);
    const long double *const want = oracle_of(&d->p, x);
    const long double factor = sched_problem_factor(&d->p);
    for (size_t i = 0; i < n[1]; i++)
        for (int part = 0; part < scalars[1]; part++) {
            const long double is = data_value(d, 1, k * n[1] + i, part);
            const long double y = factor * sched_side_edge(&d->p, 1, i) * want[2 * i + part];
            *difference += (is - y) * (is - y);
            *reference += y * y;
        }
    pthread_mutex_unlock(&oracle_lock);
}

bool plan_data_check(plan_data *d)
{
    const double levels = log2((double)sched_problem_points(&d->p));
    const size_t batch = sched_problem_batch(&d->p);
    long double difference = 0, reference = 0;
    if (!gaps_kept(d))
        return false;
    for (size_t i = 0; i < batch; i++)
        compare_transform(d, i, &difference, &reference);
    d->error = (double)sqrtl(difference / reference);
    /* The bound holds for many points: with few points all may have large rounding errors. */
    d->bound = 0.6 * (d->scalar == sizeof(float) ? FLT_EPSILON : DBL_EPSILON)
               * sqrt(levels > 1 ? levels : 1) * error_factor(d) * (1 + 2 / sqrt((double)d->total));
    snprintf(d->message, sizeof d->message, "error %g, bound %g", d->error, d->bound);
    return d->error <= d->bound; /* false for a NaN */
}

bool plan_data_same(const plan_data *a, const plan_data *b)
{
    for (size_t i = 0; i < a->elements[1]; i++)
        for (int part = 0; part < (int)a->side[1].scalars; part++)
            if (memcmp(plan_data_at(a, 1, i, part), plan_data_at(b, 1, i, part), a->scalar) != 0)
                return false;
    return true;
}

void plan_data_execute(plan_data *d, const sluice_plan *plan, uint64_t seed, void *work)
{
    plan_data_fill(d, seed);
    const sluice_status status = sluice_execute_with(plan, &d->arrays, work);
    if (status != SLUICE_OK)
        fail_msg("%s: %s", d->name, sluice_strerror(status));
    if (!plan_data_check(d))
        fail_msg("%s, seed %llu: %s", d->name, (unsigned long long)seed, d->message);
}

void plan_data_repeat(plan_data *d, const sluice_plan *plan, const plan_data *checked)
{
    const sluice_arrays *a = &d->arrays;
    plan_data_fill(d, checked->seed);
    const sluice_status status = a->in_im || a->out_im ? sluice_execute_with(plan, a, NULL)
                                                       : sluice_execute(plan, a->in, a->out);
    if (status != SLUICE_OK)
        fail_msg("%s: %s", d->name, sluice_strerror(status));
    if (!gaps_kept(d))
        fail_msg("%s, seed %llu: %s", d->name, (unsigned long long)d->seed, d->message);
    if (!plan_data_same(checked, d))
        fail_msg("%s, seed %llu: other bits, arrays beyond 64 bytes: %zu and %zu", d->name,
                 (unsigned long long)d->seed, checked->base[1] % 64, d->base[1] % 64);
}

void plan_check_problem(sluice_machine *m, const char *problem, uint64_t seed)
{
    sluice_plan *plan = plan_made(m, problem);
    plan_data aligned, shifted;
    plan_data_open(&aligned, plan, problem, 0);
    plan_data_open(&shifted, plan, problem, aligned.scalar);
    plan_data_execute(&aligned, plan, seed, NULL);
    plan_data_repeat(&shifted, plan, &aligned);
    plan_data_close(&aligned);
    plan_data_close(&shifted);
    sluice_plan_destroy(plan);
}
