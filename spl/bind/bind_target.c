// SPDX-License-Identifier: BSD-3-Clause
#include "spl/bind/bind_target.h"

const spl_codelet *bind_codelet_find(const bind_target *target, const spl_key *key)
{
    const spl_codelet *c = target->vectors[key->isa].codelets[key->precision];

    for (; c && c->name; c++)
        if (c->key.n == key->n && c->key.position == key->position && c->key.tw == key->tw
            && c->key.compute == key->compute && c->key.in == key->in && c->key.out == key->out
            && c->key.nt == key->nt && c->key.kind == key->kind)
            return c;
    return NULL;
}

int bind_lanes(const bind_target *target, core_isa isa, sluice_precision precision,
               spl_format format)
{
    const int scalar = precision == SLUICE_F32 ? 4 : 8, bytes = target->vectors[isa].bytes;

    return bytes == 0 ? 1 : bytes / scalar / (format == SPL_INTER ? 2 : 1);
}
