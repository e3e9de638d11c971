// SPDX-License-Identifier: BSD-3-Clause
#include "spl/emit/device_program.h"

#include "core/mem.h"
#include "core/number.h"
#include "core/status.h"
#include "spl/formula/diagonal.h"
#include "spl/index/ix_form.h"

/* ---- sides ---- */

static device_side device_side_of(const prog *p, int side, size_t scalar)
{
    const ix *f = side ? p->sides.out : p->sides.in;
    const prog_buf *buf = &p->buf[side];
    const bool split = (side ? p->sides.out_layout : p->sides.in_layout) == SLUICE_SPLIT;
    device_side s = {
        .high = buf->elems - 1,
        .element_bytes = split ? scalar : scalar * (size_t)prog_scalars(buf),
        .alignment = split ? scalar : scalar * (size_t)prog_scalars(buf),
        .split = split,
    };

    if (f && !ix_bounds(f, &s.low, &s.high))
        s.high = buf->elems - 1; /* no array has indices beyond int64 */
    return s;
}

void device_join_sides(device_side side[2])
{
    const int64_t bytes[] = {(int64_t)side[0].element_bytes, (int64_t)side[1].element_bytes};
    const int64_t unit = bytes[0] > bytes[1] ? bytes[0] : bytes[1];
    const int64_t low = core_min(side[0].low * bytes[0], side[1].low * bytes[1]);
    const int64_t end = -core_min(-(side[0].high + 1) * bytes[0], -(side[1].high + 1) * bytes[1]);
    const int64_t from = low < 0 ? -((unit - 1 - low) / unit) : low / unit;
    const int64_t to = end < 0 ? -(-end / unit) : (end + unit - 1) / unit;

    for (int i = 0; i < 2; i++) {
        side[i].low = from * (unit / bytes[i]);
        side[i].high = to * (unit / bytes[i]) - 1;
    }
}

void device_sides_of(device_program *d, const prog *p, sluice_precision precision)
{
    const size_t scalar = precision == SLUICE_F32 ? sizeof(float) : sizeof(double);

    d->precision = precision;
    d->in_place = p->sides.in_place;
    for (int side = 0; side < 2; side++)
        d->side[side] = device_side_of(p, side, scalar);
    if (d->in_place)
        device_join_sides(d->side);
}

/* ---- tables ---- */

static void store_entry(sluice_precision precision, void *data, int64_t at, const double z[2])
{
    for (int part = 0; part < 2; part++)
        if (precision == SLUICE_F32)
            ((float *)data)[2 * at + part] = (float)z[part];
        else
            ((double *)data)[2 * at + part] = z[part];
}

void *device_table_add(device_program *d, size_t bytes)
{
    device_table *more = core_realloc(d->table, ((size_t)d->ntables + 1) * sizeof *more);
    void *data = core_malloc(bytes);

    if (more)
        d->table = more;
    if (!more || !data) {
        core_free(data);
        return NULL;
    }
    d->table[d->ntables++] = (device_table){.bytes = bytes, .data = data};
    return data;
}

static bool fill_table(device_table *t, sluice_precision precision)
{
    const size_t scalar = precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    const int64_t entries = (int64_t)(t->bytes / (2 * scalar));
    spl_diagonal *d = spl_diagonal_open(t->values, t->n, t->m);

    if (d)
        t->data = core_malloc(t->bytes);
    for (int64_t i = 0; i < entries && t->data; i++) {
        long double re, im;
        spl_diagonal_get(d, t->first + i * t->step, &re, &im);
        const double z[2] = {(double)(t->scale * re), (double)(t->scale * im)};
        store_entry(precision, t->data, i, z);
    }
    spl_diagonal_close(d);
    return t->data != NULL;
}

sluice_status device_fill_tables(device_program *d, sluice_diag *why)
{
    for (int i = 0; i < d->ntables; i++)
        if (!d->table[i].data && !fill_table(&d->table[i], d->precision))
            return core_fail(why, SLUICE_E_MEMORY, 0, "no memory for a table of %s",
                             core_bytes((double)d->table[i].bytes).text);
    return SLUICE_OK;
}

/* ---- the whole ---- */

void device_program_free(device_program *d)
{
    for (int i = 0; i < d->nkernels; i++) {
        core_text_free(&d->kernel[i].name);
        core_free(d->kernel[i].arg);
    }
    for (int i = 0; i < d->ntables; i++)
        core_free(d->table[i].data);
    core_free(d->kernel);
    core_free(d->step);
    core_free(d->table);
    core_text_free(&d->source);
    *d = (device_program){.nkernels = 0};
}

const char *device_role_name(device_role role)
{
    static const char *const name[DEVICE_ROLES] = {
        "in",         "in_im", "out",  "out_im", "scratch",  "spill", "in_packed",
        "out_packed", "table", "loop", "offset", "elements", "first",
    };
    return name[role];
}
