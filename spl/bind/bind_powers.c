// SPDX-License-Identifier: BSD-3-Clause
#include "spl/bind/bind_powers.h"

#include "core/mem.h"

/* Limits: 2^MAX_POWERS_LOG rows of powers, and PLACES where a step is looked for. */
enum { MAX_POWERS_LOG = 11, PLACES = 4 };

/* w^{step l}, l = 0 .. BIND_SPAN-1, in the precision in which bind_powers_span() multiplies
 * them. */
typedef struct power_row {
    int64_t used; /* step + 1; 0: nothing yet */
    union {
        double narrow[2][BIND_SPAN];
        long double wide[2][BIND_SPAN];
    } w;
} power_row;

struct bind_powers {
    const bind_table_key *key;
    const core_roots *roots;
    int64_t columns;
    /* A hash table by step, with PLACES places per step: rows and outer loops repeat steps. */
    power_row *rows;
    int log;
};

/* Allocates at most as many rows as the table has steps: each row of each outer iteration may have
 * its own, but T_{n,m} has only n. Rows are cleared, and clearing the maximum would take longer
 * than filling a short table. */
bind_powers *bind_powers_open(const bind_table_key *key, const core_roots *roots)
{
    bind_powers *powers = (bind_powers *)core_calloc(1, sizeof *powers);
    int64_t steps = key->rows;

    if (!powers)
        return NULL;
    for (int d = 0; d < key->dims - 1 && steps < 1 << MAX_POWERS_LOG; d++)
        steps *= key->size[d];
    steps = steps < key->n ? steps : key->n;
    powers->key = key;
    powers->roots = roots;
    powers->columns = key->dims ? key->size[key->dims - 1] : 1;
    powers->log = 1;
    while (powers->log < MAX_POWERS_LOG && (int64_t)1 << powers->log < steps)
        powers->log++;
    powers->rows = (power_row *)core_calloc((size_t)1 << powers->log, sizeof *powers->rows);
    if (!powers->rows) {
        core_free(powers);
        return NULL;
    }
    return powers;
}

void bind_powers_close(bind_powers *powers)
{
    if (powers)
        core_free(powers->rows);
    core_free(powers);
}

/* The place of a step, else the first free place that it may have, else its first place. */
static power_row *place_of_step(const bind_powers *powers, int64_t step)
{
    const uint64_t hash = (uint64_t)step * UINT64_C(0x9e3779b97f4a7c15);
    const size_t first = (size_t)(hash >> (64 - powers->log)),
                 mask = ((size_t)1 << powers->log) - 1;

    for (size_t i = 0; i < PLACES; i++) {
        power_row *p = &powers->rows[(first + i) & mask];
        if (p->used == step + 1 || p->used == 0)
            return p;
    }
    return &powers->rows[first];
}

static const power_row *powers_of_step(bind_powers *powers, int64_t step)
{
    const bind_table_key *k = powers->key;
    const int64_t period = k->n * k->m;
    power_row *p = place_of_step(powers, step);
    int64_t e = 0;

    if (p->used == step + 1)
        return p;
    p->used = step + 1;
    for (int l = 0; l < BIND_SPAN && l < powers->columns; l++, e = (e + step) % period) {
        long double re, im;
        core_roots_get_wide(powers->roots, (size_t)e, &re, &im);
        if (k->precision == SLUICE_F32) {
            p->w.narrow[0][l] = (double)re;
            p->w.narrow[1][l] = (double)im;
        } else {
            p->w.wide[0][l] = re;
            p->w.wide[1][l] = im;
        }
    }
    return p;
}

/* For float the factors are doubles: the product is off by a few ulp of double, which rarely shows
 * after rounding to float (tests/backends/test_tables.c). For double they are long doubles, with as
 * many bits to spare. */
void bind_powers_span(bind_powers *powers, int64_t e, int64_t step, int count, double *re,
                      double *im)
{
    const bind_table_key *k = powers->key;
    const power_row *p = powers_of_step(powers, step);

    if (k->precision == SLUICE_F32) {
        double br, bi;
        core_roots_get(powers->roots, (size_t)e, &br, &bi);
        br *= k->scale;
        bi *= k->scale;
        for (int l = 0; l < count; l++) {
            re[l] = br * p->w.narrow[0][l] - bi * p->w.narrow[1][l];
            im[l] = br * p->w.narrow[1][l] + bi * p->w.narrow[0][l];
        }
    } else {
        long double br, bi;
        core_roots_get_wide(powers->roots, (size_t)e, &br, &bi);
        br *= k->scale;
        bi *= k->scale;
        for (int l = 0; l < count; l++) {
            re[l] = (double)(br * p->w.wide[0][l] - bi * p->w.wide[1][l]);
            im[l] = (double)(br * p->w.wide[1][l] + bi * p->w.wide[0][l]);
        }
    }
    for (int l = 0; l < count && k->conjugate; l++)
        im[l] = -im[l];
}
