// SPDX-License-Identifier: BSD-3-Clause
/* Numbers the codelets whose costs are measured: both precisions of the machine's ISA; those of
 * shorter vectors that compute several adjacent transforms (T, D), which are chosen if they cost
 * less (spl/bind/bind_columns.c); the scalar ones. A codelet with non-temporal stores has the cost
 * of the one without, since the difference is memory's. Codelets that weigh are not priced: they
 * only replace others. */
#include <string.h>

#include "backends/cpu/cost/cpu_cost.h"
#include "backends/isa_target.h"
#include "core/hash.h"
#include "core/mem.h"
#include "core/status.h"

static bool is_measured(const cpu_state *b, const spl_key *key)
{
    const bool rows = key->position == SPL_POS_T || key->position == SPL_POS_D;

    return !key->nt && !key->weighed
           && (key->isa == b->isa || key->isa == CORE_ISA_SCALAR
               || (rows && bind_has_narrow_twins(key)));
}

/* Counts the kernels, and writes them to `to` unless it is NULL. */
static int list_kernels(const cpu_state *b, const spl_codelet **to)
{
    int count = 0;

    for (int isa = (int)b->isa; isa >= CORE_ISA_SCALAR; isa--)
        for (int precision = SLUICE_F32; precision <= SLUICE_F64; precision++)
            for (const spl_codelet *c = b->target.vectors[isa].codelets[precision]; c && c->name;
                 c++) {
                if (!is_measured(b, &c->key))
                    continue;
                if (to)
                    to[count] = c;
                count++;
            }
    return count;
}

sluice_status cpu_kernels_open(cpu_state *b, sluice_diag *why)
{
    b->kernels = list_kernels(b, NULL);
    b->kernel = core_calloc((size_t)b->kernels, sizeof(const spl_codelet *));
    if (!b->kernel)
        return core_fail_memory(why);
    list_kernels(b, b->kernel);
    return SLUICE_OK;
}

void cpu_kernels_close(cpu_state *b)
{
    core_free((void *)b->kernel);
}

uint32_t cpu_kernels_hash(const cpu_state *b)
{
    uint32_t hash = CORE_HASH_START;

    for (int i = 0; i < b->kernels; i++) {
        const spl_codelet *c = b->kernel[i];
        const int counts[] = {c->adds, c->muls, c->fmas, c->shuffles, c->loads, c->stores};
        hash = core_hash(hash, c->name, strlen(c->name));
        hash = core_hash(hash, counts, sizeof counts);
    }
    return hash;
}

/* Measured cycles of a step; 0: not measured. */
static double measured_cycles(const cpu_state *b, const double *costs, const spl_codelet *codelet)
{
    const spl_codelet *own = codelet;

    if (costs && own->key.nt) {
        spl_key key = own->key;
        key.nt = false;
        own = bind_codelet_find(&b->target, &key);
    }
    for (int i = 0; costs && i < b->kernels; i++)
        if (b->kernel[i] == own)
            return costs[i];
    return 0;
}

double cpu_cycles(const void *state, const double *costs, const spl_codelet *codelet)
{
    const cpu_state *b = state;
    const double measured = measured_cycles(b, costs, codelet);

    return measured > 0 ? measured : isa_target_counted(&b->target, codelet);
}

double cpu_table_cycles(const void *state, const double *costs, const spl_codelet *codelet)
{
    const double measured = measured_cycles(state, costs, codelet);

    return measured > 0 ? measured : isa_target_cycles(codelet);
}

double cpu_step_cycles(const void *state, const double *costs, const spl_codelet *codelet)
{
    const cpu_state *b = state;
    const double measured = measured_cycles(b, costs, codelet);

    return measured > 0 ? measured : isa_target_step_cycles(&b->target, codelet);
}
