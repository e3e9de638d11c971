// SPDX-License-Identifier: BSD-3-Clause
#include "spl/bind/bind_target.h"

#include "spl/codelet/gen.h"

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

/* Products by twiddles are rounded in another order where vectors have re and im apart, but for
 * steps of passes. Which twiddles are products of two follows from caches. */
static bool computes_alike(const spl_key *key)
{
    if (key->tw >= SPL_TW_FACTORED)
        return false;
    if (key->kind < SPL_CODELET_PASS && key->compute == SPL_SPLIT && key->tw != SPL_TW_NONE)
        return key->isa == CORE_ISA_SCALAR;
    return !bind_is_in_registers(key);
}

const spl_codelet *bind_codelet_find(const bind_target *target, const spl_key *key)
{
    const spl_codelet *c = target->vectors[key->isa].codelets[key->precision];

    if (target->same_bits && !computes_alike(key))
        return NULL;
    for (; c && c->name; c++)
        if (c->key.n == key->n && c->key.position == key->position && c->key.tw == key->tw
            && c->key.compute == key->compute && c->key.in == key->in && c->key.out == key->out
            && c->key.nt == key->nt && c->key.kind == key->kind && c->key.weighed == key->weighed)
            return c;
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
