// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables in reading order: diag(T_{n,m}[t]) with entries w_{nm}^{(t div m)(t mod m)}. */
#include "backends/cpu/cpu_table.h"

#include <pthread.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "core/trig.h"

/* `lock` protects the list and the users' counts; the data of a table never change. */
struct cpu_tables {
    pthread_mutex_t lock;
    cpu_table *first;
};

cpu_tables *cpu_tables_open(void)
{
    cpu_tables *tables = core_calloc(1, sizeof *tables);

    if (tables)
        pthread_mutex_init(&tables->lock, NULL);
    return tables;
}

void cpu_tables_close(cpu_tables *tables)
{
    if (!tables)
        return;
    pthread_mutex_destroy(&tables->lock);
    core_free(tables);
}

bool cpu_table_first_row_is_one(const cpu_table_key *key)
{
    const int64_t period = key->n * key->m;
    int64_t index[CPU_TABLE_DIMS] = {0};
    int d = 0;

    do {
        int64_t t = key->c;
        for (int e = 0; e < key->dims; e++)
            t += key->coef[e] * index[e];
        if ((t / key->m) * (t % key->m) % period != 0)
            return false;
        for (d = 0; d < key->dims; d++) {
            if (++index[d] < key->size[d])
                break;
            index[d] = 0;
        }
    } while (d < key->dims);
    return true;
}

static bool is_vector(const cpu_table *t)
{
    return t->key.form != CPU_TW_BROADCAST;
}

static int64_t first_row(const cpu_table *t)
{
    return t->key.form == CPU_TW_FULL_VECTOR ? 0 : 1;
}

/* Fills block and strides; false where the size overflows. */
static bool lay_out(cpu_table *t, size_t scalar)
{
    const cpu_table_key *k = &t->key;
    const size_t rows = (size_t)(k->rows - first_row(t)), lanes = (size_t)k->lanes;
    size_t size = t->block = rows * 2 * (is_vector(t) ? lanes : 1);

    for (int d = k->dims - 1; d >= 0; d--) {
        size_t steps = (size_t)k->size[d];
        t->stride[d] = size;
        if (is_vector(t) && d == k->dims - 1)
            steps = (steps + lanes - 1) / lanes + (k->tail && steps % lanes != 0 && steps > lanes);
        if (!core_mul(size, steps, &size))
            return false;
    }
    return core_mul(size, scalar, &t->bytes);
}

enum { MAX_LANES = 16, MAX_ROWS = 64 };

/* Powers of a root for the lanes of a vector: w^{step l}, l = 0 .. lanes-1. */
typedef struct lane_roots {
    int64_t step; /* -1: none yet */
    double re[MAX_LANES], im[MAX_LANES];
} lane_roots;

typedef struct filler {
    const cpu_table *t;
    const core_roots *roots;
    int64_t base; /* t without row and column */
    lane_roots lanes[MAX_ROWS];
} filler;

static void store(const cpu_table *t, size_t at, double value)
{
    if (t->key.precision == SLUICE_F32)
        ((float *)t->data)[at] = (float)value;
    else
        ((double *)t->data)[at] = value;
}

static void root(const filler *f, int64_t t, double *re, double *im)
{
    const cpu_table_key *k = &f->t->key;
    const int64_t e = (t / k->m) * (t % k->m) % (k->n * k->m);

    core_roots_get(f->roots, (size_t)e, re, im);
    if (k->conjugate)
        *im = -*im;
}

/* w^{e + step l} for all lanes, exact to double rounding. */
static void exact_lanes(const filler *f, int64_t e, int64_t step, double *re, double *im)
{
    const cpu_table_key *k = &f->t->key;
    const int64_t period = k->n * k->m;

    for (int l = 0; l < k->lanes; l++) {
        core_roots_get(f->roots, (size_t)e, &re[l], &im[l]);
        if (k->conjugate)
            im[l] = -im[l];
        e += step;
        if (e >= period)
            e -= period;
    }
}

/* The same for float, by one exact root times the lanes' powers: the product is off by some ulp of
 * double, which a float rounded from it rarely shows (tests/test_tables.c). */
static void product_lanes(filler *f, int64_t row, int64_t e, int64_t step, double *re, double *im)
{
    const cpu_table_key *k = &f->t->key;
    lane_roots *lanes = &f->lanes[row];
    double br, bi;

    if (lanes->step != step) {
        exact_lanes(f, 0, step, lanes->re, lanes->im);
        lanes->step = step;
    }
    core_roots_get(f->roots, (size_t)e, &br, &bi);
    if (k->conjugate)
        bi = -bi;
    for (int l = 0; l < k->lanes; l++) {
        re[l] = br * lanes->re[l] - bi * lanes->im[l];
        im[l] = br * lanes->im[l] + bi * lanes->re[l];
    }
}

/* Row i of the block of columns from c0 on. Within one row of T the exponent grows evenly. */
static void lane_values(filler *f, int64_t i, int64_t c0, int64_t cols, double *re, double *im)
{
    const cpu_table_key *k = &f->t->key;
    const int64_t coef = k->dims ? k->coef[k->dims - 1] : 0, period = k->n * k->m;
    const int64_t t = f->base + k->row * i + coef * c0, q = t / k->m, r = t % k->m;

    if (c0 + k->lanes <= cols && coef >= 0 && r + coef * (k->lanes - 1) < k->m) {
        const int64_t e = q * r % period, step = q * coef % period;
        if (k->precision == SLUICE_F32)
            product_lanes(f, i, e, step, re, im);
        else
            exact_lanes(f, e, step, re, im);
        return;
    }
    for (int l = 0; l < k->lanes; l++) {
        const int64_t c = c0 + l < cols ? c0 + l : cols - 1;
        root(f, f->base + k->row * i + coef * c, &re[l], &im[l]);
    }
}

/* One block: `lanes` columns from column c0, columns past the last repeat it. */
static void fill_block(filler *f, size_t at, int64_t c0, int64_t cols)
{
    const cpu_table_key *k = &f->t->key;
    const size_t lanes = (size_t)k->lanes;
    const bool pairs = k->form == CPU_TW_INTER_VECTOR;
    double re[MAX_LANES], im[MAX_LANES];

    for (int64_t i = first_row(f->t); i < k->rows; i++, at += 2 * lanes) {
        lane_values(f, i, c0, cols, re, im);
        for (size_t l = 0; l < lanes; l++) {
            store(f->t, pairs ? at + 2 * l : at + l, re[l]);
            store(f->t, pairs ? at + 2 * l + 1 : at + lanes + l, im[l]);
        }
    }
}

static void fill_rows(const filler *f, size_t at)
{
    const cpu_table_key *k = &f->t->key;

    for (int64_t i = 1; i < k->rows; i++, at += 2) {
        double re, im;
        root(f, f->base + k->row * i, &re, &im);
        store(f->t, at, re);
        store(f->t, at + 1, im);
    }
}

/* Row i of column c in a run of blocks that begins at `at`: where its wr is, *im further on its wi. */
static size_t entry(const cpu_table *t, size_t at, int64_t i, int64_t c, size_t *im)
{
    const size_t lanes = (size_t)t->key.lanes, l = (size_t)c % lanes;
    const bool pairs = t->key.form == CPU_TW_INTER_VECTOR;

    *im = pairs ? 1 : lanes;
    return at + (size_t)c / lanes * t->block + (size_t)(i - first_row(t)) * 2 * lanes
           + (pairs ? 2 * l : l);
}

/* The block of the last columns takes over their very bits: which block a column is computed from
 * depends on how the columns are dealt. */
static void copy_tail(const cpu_table *t, size_t at, int64_t cols)
{
    const cpu_table_key *k = &t->key;
    const size_t scalar = k->precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    const size_t tail = at + (size_t)((cols + k->lanes - 1) / k->lanes) * t->block;
    char *data = t->data;

    for (int64_t i = first_row(t); i < k->rows; i++)
        for (int64_t l = 0; l < k->lanes; l++) {
            size_t im;
            const size_t from = entry(t, at, i, cols - k->lanes + l, &im);
            const size_t to = entry(t, tail, i, l, &im);
            memcpy(data + to * scalar, data + from * scalar, scalar);
            memcpy(data + (to + im) * scalar, data + (from + im) * scalar, scalar);
        }
}

static void fill_columns(filler *f, size_t at)
{
    const cpu_table_key *k = &f->t->key;
    const int64_t cols = k->dims ? k->size[k->dims - 1] : 1;

    for (int64_t c = 0; c < cols; c += k->lanes)
        fill_block(f, at + (size_t)(c / k->lanes) * f->t->block, c, cols);
    if (k->tail && cols % k->lanes != 0 && cols > k->lanes)
        copy_tail(f->t, at, cols);
}

static void fill(filler *f)
{
    const cpu_table *t = f->t;
    const cpu_table_key *k = &t->key;
    const int dims = is_vector(t) ? k->dims - 1 : k->dims;
    int64_t index[CPU_TABLE_DIMS] = {0};
    int d = 0;

    while (d >= 0) {
        size_t at = 0;
        f->base = k->c;
        for (int e = 0; e < dims; e++) {
            f->base += k->coef[e] * index[e];
            at += t->stride[e] * (size_t)index[e];
        }
        if (is_vector(t))
            fill_columns(f, at);
        else
            fill_rows(f, at);
        for (d = dims - 1; d >= 0; d--) {
            if (++index[d] < k->size[d])
                break;
            index[d] = 0;
        }
    }
}

static sluice_status make(const cpu_table_key *key, cpu_table **out, sluice_diag *why)
{
    cpu_table *t = core_calloc(1, sizeof *t);
    core_roots *roots = core_roots_open((size_t)(key->n * key->m));
    bool fits = false;

    if (t) {
        memcpy(&t->key, key, sizeof *key); /* with its padding: cpu_table_get compares bytes */
        fits = lay_out(t, key->precision == SLUICE_F32 ? sizeof(float) : sizeof(double));
        if (fits)
            t->data = core_aligned_alloc(t->bytes ? t->bytes : 64);
    }
    if (t && roots && t->data) {
        filler f = {.t = t, .roots = roots};
        for (int i = 0; i < MAX_ROWS; i++)
            f.lanes[i].step = -1;
        fill(&f);
        core_roots_close(roots);
        *out = t;
        return SLUICE_OK;
    }
    core_roots_close(roots);
    if (t)
        core_aligned_free(t->data);
    core_free(t);
    return core_fail_memory(why);
}

sluice_status cpu_table_get(cpu_tables *tables, const cpu_table_key *key, cpu_table **out,
                            sluice_diag *why)
{
    sluice_status status = SLUICE_OK;
    cpu_table *t;

    pthread_mutex_lock(&tables->lock);
    for (t = tables->first; t; t = t->next)
        if (memcmp(&t->key, key, sizeof *key) == 0)
            break;
    if (!t) {
        status = make(key, &t, why);
        if (status == SLUICE_OK) {
            t->next = tables->first;
            tables->first = t;
        }
    }
    if (status == SLUICE_OK) {
        t->users++;
        *out = t;
    }
    pthread_mutex_unlock(&tables->lock);
    return status;
}

void cpu_table_put(cpu_tables *tables, cpu_table *table)
{
    if (!table)
        return;
    pthread_mutex_lock(&tables->lock);
    if (--table->users == 0) {
        cpu_table **at = &tables->first;
        while (*at != table)
            at = &(*at)->next;
        *at = table->next;
        core_aligned_free(table->data);
        core_free(table);
    }
    pthread_mutex_unlock(&tables->lock);
}
