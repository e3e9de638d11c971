// SPDX-License-Identifier: BSD-3-Clause
#include "spl/bind/bind_target.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "spl/codelet/gen.h"
#include "spl/context/ctx.h"

bool bind_is_in_registers(const spl_key *key)
{
    spl_key rows = *key;
    gen_shape shape;

    rows.position = SPL_POS_T;
    return key->position == SPL_POS_W
           || ((key->position == SPL_POS_T || key->position == SPL_POS_D)
               && key->compute == SPL_INTER && gen_whole_shape(&rows, &shape));
}

bool bind_has_narrow_twins(const spl_key *key)
{
    return bind_is_real_kind(key->kind)
           || (key->kind == SPL_CODELET_DFT && key->position != SPL_POS_G
               && !bind_is_in_registers(key));
}

/* Does the codelet have the same bits on all ISAs? Split vectors round products by twiddles in
 * another order, except in steps of pairs. Which twiddles are factored depends on the caches. */
static bool computes_alike(const spl_key *key)
{
    if (key->tw >= SPL_TW_FACTORED)
        return false;
    if (key->kind < SPL_CODELET_PAIRS && key->compute == SPL_SPLIT && key->tw != SPL_TW_NONE)
        return key->isa == CORE_ISA_SCALAR;
    return !bind_is_in_registers(key) && key->position != SPL_POS_S; /* S exists only next to W */
}

/* A hash index of a codelet table by key: number[] holds places in the table, counted from 1, in
 * the table's order. */
enum { PLACES = 4096, TABLES = 2 * (CORE_ISA_COUNT + 3) };
typedef struct codelet_index {
    _Atomic(const spl_codelet *) table;
    uint16_t number[PLACES];
} codelet_index;

/* The indexes of all tables that were looked up so far; `lock` is held while one is added. */
static codelet_index indexes[TABLES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t place_of_key(const spl_key *key)
{
    uint64_t h = spl_hash((uint64_t)key->n, (uint64_t)key->position);

    h = spl_hash(spl_hash(h, (uint64_t)key->tw), (uint64_t)key->compute);
    h = spl_hash(spl_hash(h, (uint64_t)key->in), (uint64_t)key->out);
    return spl_hash(spl_hash(h, (uint64_t)key->kind), 2 * (uint64_t)key->weighed + key->nt);
}

static void index_codelets(codelet_index *index, const spl_codelet *table)
{
    for (int i = 0; table[i].name && i + 1 < PLACES; i++) {
        uint64_t at = place_of_key(&table[i].key);
        while (index->number[at % PLACES] != 0)
            at++;
        index->number[at % PLACES] = (uint16_t)(i + 1);
    }
    atomic_store_explicit(&index->table, table, memory_order_release);
}

/* The table's index, or the first free one; NULL: none is free. */
static codelet_index *place_of_table(const spl_codelet *table, bool *known)
{
    for (codelet_index *i = indexes; i < indexes + TABLES; i++) {
        const spl_codelet *there = atomic_load_explicit(&i->table, memory_order_acquire);
        *known = there == table;
        if (*known || !there)
            return i;
    }
    return NULL;
}

static const codelet_index *find_index(const spl_codelet *table)
{
    bool known;
    codelet_index *index = place_of_table(table, &known);

    if (known)
        return index;
    pthread_mutex_lock(&lock);
    index = place_of_table(table, &known);
    if (index && !known)
        index_codelets(index, table);
    pthread_mutex_unlock(&lock);
    return index;
}

const spl_codelet *bind_codelet_find(const bind_target *target, const spl_key *key)
{
    const spl_codelet *const table = target->vectors[key->isa].codelets[key->precision];

    if (!table || (target->reproducible && !computes_alike(key)))
        return NULL;
    const codelet_index *index = find_index(table);
    for (uint64_t at = place_of_key(key); index && index->number[at % PLACES] != 0; at++) {
        const spl_codelet *c = &table[index->number[at % PLACES] - 1];
        if (c->key.n == key->n && c->key.position == key->position && c->key.tw == key->tw
            && c->key.compute == key->compute && c->key.in == key->in && c->key.out == key->out
            && c->key.nt == key->nt && c->key.kind == key->kind && c->key.weighed == key->weighed)
            return c;
    }
    return NULL;
}

bool bind_has_format(const bind_target *target, core_isa isa, sluice_precision precision,
                     spl_format format)
{
    const spl_codelet *c = target->vectors[isa].codelets[precision];

    while (c && c->name && c->key.compute != format)
        c++;
    return c && c->name;
}

int bind_lanes(const bind_target *target, core_isa isa, sluice_precision precision,
               spl_format format)
{
    const int scalar = precision == SLUICE_F32 ? 4 : 8, bytes = target->vectors[isa].bytes;

    return bytes == 0 ? 1 : bytes / scalar / (format == SPL_INTER ? 2 : 1);
}

core_isa bind_isa_of_one(const bind_target *target, sluice_precision precision, spl_format format)
{
    const bool vectors = target->vectors[CORE_ISA_VEC128].codelets[precision]
                         && bind_lanes(target, CORE_ISA_VEC128, precision, format) == 1;

    return vectors ? CORE_ISA_VEC128 : CORE_ISA_SCALAR;
}
