// SPDX-License-Identifier: BSD-3-Clause
/* Computes the factors of twiddle tables, in the order in which codelets read them. Entries of
 * T_{n,m} are w_{nm}^{(t div m)(t mod m)}: along a row of T the exponent grows evenly
 * (bind_powers.h). */
#include <string.h>

#include "core/mem.h"
#include "core/trig.h"
#include "spl/bind/bind_powers.h"
#include "spl/bind/bind_table.h"
#include "spl/bind/bind_table_store.h"
#include "spl/formula/diagonal.h"

/* Columns that are computed at a time, at most. */
enum { SPAN = 64 };

typedef struct filler {
    const bind_table *t;
    core_roots *roots;      /* for T */
    spl_diagonal *diagonal; /* for all other diagonals; NULL: T */
    spl_diagonal *also[BIND_TABLE_FACTORS - 1];
    int64_t index[BIND_TABLE_DIMS]; /* of all dimensions except the columns */
    int64_t base;                   /* t at row 0, column 0 */
    int64_t cols;
    bind_powers *powers;
} filler;

/* A team that fills a table: its members at most, and the bytes that each one fills at least. */
enum { MOST_FILLERS = 16, FILLER_BYTES = 1 << 20 };

static void entry_of(const filler *f, int64_t t, double scale, double *re, double *im)
{
    const bind_table_key *k = &f->t->key;

    if (f->diagonal) {
        long double wide_re, wide_im;
        spl_diagonal_get(f->diagonal, t, &wide_re, &wide_im);
        *re = scale * (double)wide_re;
        *im = scale * (double)wide_im;
    } else {
        const int64_t e = (t / k->m) * (t % k->m) % (k->n * k->m);
        core_roots_get(f->roots, (size_t)e, re, im);
        *re *= scale;
        *im *= scale;
    }
    if (k->conjugate)
        *im = -*im;
}

/* The same, rounded once. */
static void exact_entry_of(const filler *f, int64_t t, double *re, double *im)
{
    const bind_table_key *k = &f->t->key;
    long double x, y;

    if (f->diagonal)
        spl_diagonal_get(f->diagonal, t, &x, &y);
    else
        core_roots_get_wide(f->roots, (size_t)((t / k->m) * (t % k->m) % (k->n * k->m)), &x, &y);
    *re = (double)(k->scale * x);
    *im = (double)(k->conjugate ? -k->scale * y : k->scale * y);
}

/* re, im times entry t of a diagonal. */
static void multiply_entry(const spl_diagonal *d, int64_t t, bool conjugate, long double *re,
                           long double *im)
{
    long double wr, wi;
    spl_diagonal_get(d, t, &wr, &wi);
    wi = conjugate ? -wi : wi;
    const long double x = *re * wr - *im * wi;
    *im = *re * wi + *im * wr;
    *re = x;
}

/* The product of several diagonals at row i, and column c in forms that have columns. */
static void entry_of_product(const filler *f, int64_t i, int64_t c, double *re, double *im)
{
    const bind_table_key *k = &f->t->key;
    const bool vector = bind_table_is_vector(k);
    const int columns = vector ? k->dims - 1 : k->dims;
    const int64_t own = vector ? k->coef[columns] * c : 0;
    long double x = 1, y = 0;

    multiply_entry(f->diagonal, f->base + k->row * i + own, k->conjugate, &x, &y);
    for (int a = 0; a < k->nalso; a++) {
        const bind_factor *b = &k->also[a];
        int64_t t = b->c + b->row * i + (vector ? b->coef[columns] * c : 0);
        for (int d = 0; d < columns; d++)
            t += b->coef[d] * f->index[d];
        multiply_entry(f->also[a], t, b->conjugate, &x, &y);
    }
    *re = (double)(k->scale * x);
    *im = (double)(k->scale * y);
}

static void scale_values(double scale, bool conjugate, int count, double *re, double *im)
{
    const double of_im = conjugate ? -scale : scale;

    for (int l = 0; l < count && (scale != 1 || conjugate); l++) {
        re[l] *= scale;
        im[l] *= of_im;
    }
}

/* The factors of columns c0 .. c0+count-1 from diagonal also[a] alone. */
static void span_apart(const filler *f, int a, int64_t c0, int count, double *re, double *im)
{
    const bind_table_key *k = &f->t->key;
    const bind_factor *b = &k->also[a];
    const bool vector = bind_table_is_vector(k);
    const int columns = vector ? k->dims - 1 : k->dims;
    const int64_t step = vector ? b->coef[columns] : 0;
    int64_t t = b->c + step * c0;

    for (int d = 0; d < columns; d++)
        t += b->coef[d] * f->index[d];
    spl_diagonal_run(f->also[a], t, step, count, re, im);
    scale_values(k->scale, b->conjugate, count, re, im);
}

/* x mod period. x is mostly smaller, and a division takes as long as computing a root. */
static int64_t reduced(int64_t x, int64_t period)
{
    return x < period ? x : x % period;
}

/* Row i of columns c0 .. c0+count-1. */
static void span_values(filler *f, int64_t i, int64_t c0, int count, double *re, double *im)
{
    const bind_table_key *k = &f->t->key;
    const int64_t coef = k->dims ? k->coef[k->dims - 1] : 0, period = k->n * k->m;
    const int64_t t = f->base + k->row * i + coef * c0, q = t / k->m, r = t % k->m;

    if (k->exact && k->nalso == 0) {
        for (int l = 0; l < count; l++)
            exact_entry_of(f, t + coef * l, &re[l], &im[l]);
        return;
    }
    if (!f->diagonal && coef >= 0 && r + coef * (count - 1) < k->m) {
        bind_powers_span(f->powers, reduced(q * r, period), reduced(q * coef, period), count, re,
                         im);
        return;
    }
    if (k->apart && i > bind_table_first_row(k)) {
        span_apart(f, (int)(i - bind_table_first_row(k)) - 1, c0, count, re, im);
        return;
    }
    if (f->diagonal && (k->nalso == 0 || k->apart)) {
        spl_diagonal_run(f->diagonal, t, coef, count, re, im);
        scale_values(k->scale, k->conjugate, count, re, im);
        return;
    }
    for (int l = 0; l < count; l++)
        if (k->nalso > 0)
            entry_of_product(f, i, c0 + l, &re[l], &im[l]);
        else
            entry_of(f, t + coef * l, k->scale, &re[l], &im[l]);
}

/* Fills the blocks of `count` columns from c0 on; lanes past the last column repeat it. */
static void fill_span(filler *f, size_t at, int64_t c0, int count)
{
    const bind_table *t = f->t;
    const int lanes = t->key.lanes;
    double re[SPAN], im[SPAN];

    const bool span_of_roots = t->key.form == BIND_TW_FACTORED;
    const int64_t first = span_of_roots ? 0 : bind_table_first_row(&t->key);
    const int64_t rows = span_of_roots ? 1 : t->key.rows;

    for (int64_t i = first; i < rows; i++, at += 2 * (size_t)lanes) {
        span_values(f, i, c0, count, re, im);
        for (int l = count; l % lanes != 0; l++) {
            re[l] = re[count - 1];
            im[l] = im[count - 1];
        }
        for (int l = 0; l < count; l += lanes)
            store_lanes(t, at + (size_t)(l / lanes) * t->block, re + l, im + l);
    }
}

/* Fills rows whose first entry is at place `base` of the diagonal. Rows of a product leave the
 * scale to its columns. */
static void fill_rows(const filler *f, size_t at, int64_t base)
{
    const bind_table_key *k = &f->t->key;
    const double scale = k->form == BIND_TW_FACTORED ? 1 : k->scale;

    for (int64_t i = 1; i < k->rows; i++, at += 2) {
        double re, im;
        if (k->apart && i > 1)
            span_apart(f, (int)i - 2, 0, 1, &re, &im);
        else if (k->nalso > 0 && !k->apart)
            entry_of_product(f, i, 0, &re, &im);
        else if (k->exact)
            exact_entry_of(f, base + k->row * i, &re, &im);
        else
            entry_of(f, base + k->row * i, scale, &re, &im);
        store_factor(f->t, at, re);
        store_factor(f->t, at + 1, im);
    }
}

/* The place of wr of row i, column c, in a run of blocks from `at` on; wi is *im further on. */
static size_t entry(const bind_table *t, size_t at, int64_t i, int64_t c, size_t *im)
{
    const size_t lanes = (size_t)t->key.lanes, l = (size_t)c % lanes;
    const bool pairs = bind_table_in_pairs(&t->key);

    *im = pairs ? 1 : lanes;
    return at + (size_t)c / lanes * t->block
           + (size_t)(i - bind_table_first_row(&t->key)) * 2 * lanes + (pairs ? 2 * l : l);
}

/* The block of the last columns copies their bits instead of computing them again: from which block
 * a column's factor is read depends on how columns are distributed. */
static void copy_tail(const bind_table *t, size_t at, int64_t cols)
{
    const bind_table_key *k = &t->key;
    const size_t scalar = k->precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    const size_t tail = at + (size_t)((cols + k->lanes - 1) / k->lanes) * t->block;
    char *data = (char *)t->data;

    for (int64_t i = bind_table_first_row(k); i < k->rows; i++)
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
    const bind_table_key *k = &f->t->key;
    const int span = f->diagonal ? (int)SPAN : (int)BIND_SPAN;

    for (int64_t c = 0; c < f->cols; c += span)
        fill_span(f, at + (size_t)(c / k->lanes) * f->t->block, c,
                  f->cols - c < span ? (int)(f->cols - c) : span);
    if (k->tail && f->cols % k->lanes != 0 && f->cols > k->lanes)
        copy_tail(f->t, at, f->cols);
}

/* Fills one run of blocks, at the current index of the outer dimensions. */
static void fill_run(filler *f, int dims)
{
    const bind_table *t = f->t;
    const bind_table_key *k = &t->key;
    size_t at = 0;

    f->base = k->c;
    for (int d = 0; d < dims; d++) {
        f->base += k->coef[d] * f->index[d];
        at += t->stride[d] * (size_t)f->index[d];
    }
    if (k->form == BIND_TW_FACTORED)
        fill_rows(f, at, f->base / k->m * k->m); /* where the row of T begins */
    if (bind_table_is_vector(k))
        fill_columns(f, at + t->head);
    else
        fill_rows(f, at, f->base);
}

/* Number of dimensions over which runs are filled one by one; and the number of runs. */
static int outer_dims(const bind_table_key *k)
{
    return bind_table_is_vector(k) ? k->dims - 1 : k->dims;
}

static int64_t count_runs(const bind_table_key *k)
{
    int64_t runs = 1;

    for (int d = 0; d < outer_dims(k); d++)
        runs *= k->size[d];
    return runs;
}

/* Fills a member's share of the runs, the slowest dimension first; arg: all members' fillers. */
static void fill_share(void *arg, int member, int members)
{
    filler *const f = (filler *)arg + member;
    const bind_table_key *k = &f->t->key;
    const int dims = outer_dims(k);
    const int64_t runs = count_runs(k);

    int64_t run = runs / members * member + runs % members * member / members;
    const int64_t end = runs / members * (member + 1) + runs % members * (member + 1) / members;
    f->cols = k->dims ? k->size[k->dims - 1] : 1;
    for (; run < end; run++) {
        int64_t rest = run;
        for (int d = dims - 1; d >= 0; rest /= k->size[d--])
            f->index[d] = rest % k->size[d];
        fill_run(f, dims);
    }
}

/* Exact entries have the bits of the factors of work-items and of evaluated factors
 * (bind_factors.c). */
static spl_diagonal *diagonal_of(const bind_table_key *k, spl_values values, int64_t n, int64_t m)
{
    if (!k->exact && (k->precision == SLUICE_F32 || values == SPL_CHIRP))
        return spl_diagonal_open_near(values, n, m);
    return spl_diagonal_open(values, n, m);
}

/* Opens one filler, with all that fillers share and only read. */
static bool open_filler(filler *f, const bind_table *table, bool named)
{
    const bind_table_key *k = &table->key;

    f->t = table;
    f->roots = named ? NULL : core_roots_open((size_t)(k->n * k->m));
    f->diagonal = named ? diagonal_of(k, k->values, k->n, k->m) : NULL;
    bool opened = f->roots || f->diagonal;
    for (int a = 0; a < k->nalso && opened; a++) {
        f->also[a] = diagonal_of(k, k->also[a].values, k->also[a].n, k->also[a].m);
        opened = f->also[a] != NULL;
    }
    return opened;
}

static void close_fillers(filler *f, int count)
{
    for (int i = 0; i < count; i++)
        bind_powers_close(f[i].powers);
    core_roots_close(f->roots);
    spl_diagonal_close(f->diagonal);
    for (int a = 0; a < f->t->key.nalso; a++)
        spl_diagonal_close(f->also[a]);
    core_free(f);
}

static int fillers_of(const bind_table *table, const bind_helpers *helpers)
{
    const size_t shares = table->bytes / FILLER_BYTES;
    int count = helpers && helpers->most < MOST_FILLERS ? helpers->most : MOST_FILLERS;

    if (!helpers || shares < 2)
        return 1;
    if (shares < (size_t)count)
        count = (int)shares;
    if (count_runs(&table->key) < count)
        count = (int)count_runs(&table->key);
    return count > 1 ? count : 1;
}

/* Fills in factors before spreading. */
static bool fill_factors(bind_table *table, const bind_helpers *helpers)
{
    const bind_table_key *k = &table->key;
    const bool named = k->values != SPL_TWIDDLES || k->nalso > 0;
    const int count = fillers_of(table, helpers);
    filler *f = (filler *)core_calloc((size_t)count, sizeof *f);
    bool opened = f && open_filler(f, table, named);

    for (int i = 0; i < count && opened; i++) {
        f[i] = f[0];
        f[i].powers = named ? NULL : bind_powers_open(k, f->roots);
        opened = named || f[i].powers;
    }
    if (opened && count > 1)
        helpers->run(helpers->owner, count, fill_share, f);
    else if (opened)
        fill_share(f, 0, 1);
    if (f)
        close_fillers(f, count);
    return opened;
}

/* Copies factors: wr,wi of each lane, or broadcast, become wr,wr of all lanes, then -wi,wi. */
static void spread_factors(const bind_table *t, const bind_table *from)
{
    const size_t lanes = (size_t)t->key.lanes, own = bind_table_is_vector(&t->key) ? lanes : 1;
    const size_t scalar = t->key.precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    const size_t count = from->bytes / scalar / (2 * own);

    for (size_t i = 0; i < count; i++)
        for (size_t l = 0; l < lanes; l++) {
            const size_t at = 4 * lanes * i + 2 * l, lane = 2 * (own * i + (own > 1 ? l : 0));
            const double re = fetch_factor(from, lane), im = fetch_factor(from, lane + 1);
            store_factor(t, at, re);
            store_factor(t, at + 1, re);
            store_factor(t, at + 2 * lanes, -im);
            store_factor(t, at + 2 * lanes + 1, im);
        }
}

bool bind_table_fill(bind_table *table, const bind_helpers *helpers)
{
    const size_t times = bind_table_spread(&table->key);
    bind_table from = *table;

    if (!table->key.spread)
        return fill_factors(table, helpers);
    from.key.spread = false;
    from.bytes /= times;
    from.block /= times;
    for (int d = 0; d < from.key.dims; d++)
        from.stride[d] /= times;
    from.data = core_calloc(1, from.bytes + 1);
    const bool filled = from.data && fill_factors(&from, helpers);
    if (filled)
        spread_factors(table, &from);
    core_free(from.data);
    return filled;
}
