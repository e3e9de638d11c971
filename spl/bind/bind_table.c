// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables: layout, sizes and reference counts. */
#include "spl/bind/bind_table.h"

#include <pthread.h>
#include <string.h>

#include "core/mem.h"
#include "core/number.h"
#include "core/status.h"
#include "spl/codelet/codelet.h"

/* `lock` protects the list and the reference counts. The data of a table never change. */
struct bind_tables {
    pthread_mutex_t lock;
    bind_table *first;
    bind_helpers helpers; /* most 0: none */
};

bind_tables *bind_tables_open(void)
{
    bind_tables *tables = core_calloc(1, sizeof *tables);

    if (tables)
        pthread_mutex_init(&tables->lock, NULL);
    return tables;
}

void bind_tables_close(bind_tables *tables)
{
    if (!tables)
        return;
    pthread_mutex_destroy(&tables->lock);
    core_free(tables);
}

void bind_tables_use(bind_tables *tables, const bind_helpers *helpers)
{
    tables->helpers = *helpers;
}

/* Is entry t of a diagonal exactly 1, as far as its definition tells? */
static bool is_one(spl_values values, int64_t n, int64_t m, int64_t t)
{
    switch (values) {
    case SPL_TWIDDLES: return (t / m) * (t % m) % (n * m) == 0;
    case SPL_SIGNS: return t < n - n / 2;
    case SPL_ROOTS: return t % n == 0;
    default: return false;
    }
}

/* The same for all factors of row 0 at an index of the table. */
static bool are_ones(const bind_table_key *key, const int64_t *index)
{
    int64_t t = key->c;

    for (int d = 0; d < key->dims; d++)
        t += key->coef[d] * index[d];
    bool ones = is_one(key->values, key->n, key->m, t);
    for (int a = 0; a < key->nalso && ones; a++) {
        const bind_factor *b = &key->also[a];
        t = b->c;
        for (int d = 0; d < key->dims; d++)
            t += b->coef[d] * index[d];
        ones = is_one(b->values, b->n, b->m, t);
    }
    return ones;
}

/* Are all entries c + SUM_d coef[d]*index_d of a diagonal 1, as their range or their common divisor
 * shows? */
static bool is_one_throughout(const bind_table_key *key, spl_values values, int64_t n, int64_t m,
                              int64_t c, const int64_t *coef)
{
    int64_t lo = c, hi = c, divisor = c;

    for (int d = 0; d < key->dims; d++) {
        const int64_t reach = coef[d] * (key->size[d] - 1);
        *(reach < 0 ? &lo : &hi) += reach;
        divisor = key->size[d] > 1 ? core_gcd(divisor, coef[d]) : divisor;
    }
    switch (values) {
    case SPL_TWIDDLES: return (lo >= 0 && hi < m) || divisor % m == 0;
    case SPL_SIGNS: return lo >= 0 && hi < n - n / 2;
    case SPL_ROOTS: return divisor % n == 0;
    default: return false;
    }
}

static bool all_are_ones(const bind_table_key *key)
{
    bool ones = is_one_throughout(key, key->values, key->n, key->m, key->c, key->coef);

    for (int a = 0; a < key->nalso && ones; a++) {
        const bind_factor *b = &key->also[a];
        ones = is_one_throughout(key, b->values, b->n, b->m, b->c, b->coef);
    }
    return ones;
}

bool bind_table_first_row_is_one(const bind_table_key *key)
{
    int64_t index[BIND_TABLE_DIMS] = {0};
    int d = 0;

    if (all_are_ones(key))
        return true;
    do {
        if (!are_ones(key, index))
            return false;
        for (d = 0; d < key->dims; d++) {
            if (++index[d] < key->size[d])
                break;
            index[d] = 0;
        }
    } while (d < key->dims);
    return true;
}

/* The place on the diagonal moves along a row of T by c mod m, by the dimensions whose coefficients
 * are not multiples of m, and by the table's rows: together they must stay below m. */
bool bind_table_is_separable(const bind_table_key *key)
{
    int64_t along = key->c % key->m;

    if (key->values != SPL_TWIDDLES || key->nalso > 0 || key->row < 0 || key->row >= key->m)
        return false;
    along += key->row * (key->rows - 1);
    for (int d = 0; d < key->dims; d++) {
        const bool down = key->coef[d] % key->m == 0 && d < key->dims - 1;
        if (key->coef[d] < 0 || (!down && key->coef[d] >= key->m))
            return false;
        along += down ? 0 : key->coef[d] * (key->size[d] - 1);
    }
    return along < key->m;
}

bool bind_table_split_shared(const bind_table_key *key, bind_table_key *rows,
                             bind_table_key *shared)
{
    const int columns = key->dims - 1;
    int64_t along = key->c;

    if (key->values != SPL_TWIDDLES || key->nalso > 0 || columns < 0 || key->row % key->m != 0
        || key->row <= 0)
        return false;
    for (int d = 0; d < key->dims; d++) {
        if (key->coef[d] < 0 || key->coef[d] >= key->m)
            return false;
        along += key->coef[d] * (key->size[d] - 1);
    }
    if (along >= key->m)
        return false;
    memcpy(rows, key, sizeof *key); /* with the padding, as keys are compared by bytes */
    memcpy(shared, key, sizeof *key);
    rows->form = BIND_TW_BROADCAST;
    rows->tail = false;
    rows->dims = columns;
    rows->size[columns] = rows->coef[columns] = 0;
    shared->form = BIND_TW_INTER_VECTOR;
    rows->spread = shared->spread = false;
    shared->scale = 1;
    shared->c = 0;
    shared->dims = 1;
    shared->size[0] = key->size[columns];
    shared->coef[0] = key->coef[columns];
    for (int d = 1; d < BIND_TABLE_DIMS; d++)
        shared->size[d] = shared->coef[d] = 0;
    return true;
}

/* Sets block, head and strides; false if the size overflows. */
static bool lay_out_table(bind_table *t, size_t scalar)
{
    const bind_table_key *k = &t->key;
    const bool product = k->form == BIND_TW_FACTORED;
    const size_t rows = product ? 1 : (size_t)(k->rows - bind_table_first_row(k));
    const size_t lanes = (size_t)k->lanes;
    size_t size = t->block =
        rows * 2 * (bind_table_is_vector(k) ? lanes : 1) * bind_table_spread(k);

    t->head = product ? spl_product_head((int)k->rows, k->lanes) : 0;
    if (k->dims == 0 && !core_add(size, t->head, &size))
        return false;
    for (int d = k->dims - 1; d >= 0; d--) {
        size_t steps = (size_t)k->size[d];
        t->stride[d] = size;
        if (bind_table_is_vector(k) && d == k->dims - 1)
            steps = (steps + lanes - 1) / lanes + (k->tail && steps % lanes != 0 && steps > lanes);
        if (!core_mul(size, steps, &size) || (d == k->dims - 1 && !core_add(size, t->head, &size)))
            return false;
    }
    return core_mul(size, scalar, &t->bytes);
}

static sluice_status create_table(const bind_table_key *key, bool sketch,
                                  const bind_helpers *helpers, bind_table **out, sluice_diag *why)
{
    bind_table *t = core_calloc(1, sizeof *t);
    bool good = false;

    if (t) {
        memcpy(&t->key, key, sizeof *key); /* with its padding: bind_table_get compares bytes */
        good = lay_out_table(t, key->precision == SLUICE_F32 ? sizeof(float) : sizeof(double));
        if (good && !sketch) {
            t->data = core_aligned_alloc(t->bytes ? t->bytes : 64);
            good = t->data && bind_table_fill(t, helpers);
        }
    }
    if (good) {
        *out = t;
        return SLUICE_OK;
    }
    const size_t bytes = t ? t->bytes : 0;
    if (t)
        core_aligned_free(t->data);
    core_free(t);
    return core_fail(why, SLUICE_E_MEMORY, 0, "no memory for a table of twiddles of %s",
                     core_bytes((double)bytes).text);
}

sluice_status bind_table_get(bind_tables *tables, const bind_table_key *key, bool sketch,
                             bind_table **out, sluice_diag *why)
{
    sluice_status status = SLUICE_OK;
    bind_table *t;

    pthread_mutex_lock(&tables->lock);
    for (t = tables->first; t; t = t->next)
        if (memcmp(&t->key, key, sizeof *key) == 0)
            break;
    if (!t) {
        status = create_table(key, sketch, &tables->helpers, &t, why);
        if (status == SLUICE_OK && !sketch) {
            t->next = tables->first;
            tables->first = t;
        }
    }
    if (status == SLUICE_OK) {
        t->refcount++;
        *out = t;
    }
    pthread_mutex_unlock(&tables->lock);
    return status;
}

void bind_table_put(bind_tables *tables, bind_table *table)
{
    if (!table)
        return;
    if (!table->data) {
        core_free(table);
        return;
    }
    pthread_mutex_lock(&tables->lock);
    if (--table->refcount == 0) {
        bind_table **at = &tables->first;
        while (*at != table)
            at = &(*at)->next;
        *at = table->next;
        core_aligned_free(table->data);
        core_free(table);
    }
    pthread_mutex_unlock(&tables->lock);
}
