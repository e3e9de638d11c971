// SPDX-License-Identifier: BSD-3-Clause
/* Counts of kernels as lines of JSON. */
#include <inttypes.h>

#include "spl/emit/ocl_count.h"
#include "spl/price/occupancy.h"

static const char *const access_words[] = {"load", "store", "table"};

static void print_access(const ocl_stage_counts *s, int a, core_text *out)
{
    const warp_counts *w = &s->at[a];

    core_text_printf(out, ",\"%s\":{\"elements\":%" PRId64 ",\"accesses\":%" PRId64,
                     access_words[a], w->elements, w->accesses);
    if (s->local[a])
        core_text_printf(out, ",\"wavefronts\":%" PRId64 ",\"least\":%" PRId64, w->wavefronts,
                         w->least);
    else
        core_text_printf(out, ",\"sectors\":%" PRId64 ",\"lines\":%" PRId64, w->sectors, w->lines);
    core_text_printf(out, ",\"exact\":%s}", w->exact ? "true" : "false");
}

static void print_stage(const ocl_stage_counts *s, int kernel, const prog *p, core_text *out)
{
    const prog_stmt *stmt = &p->stmt[s->stmt];
    const char *const word = stmt->op == PROG_ZERO   ? "zero"
                             : stmt->op == PROG_COPY ? "copy"
                                                     : prog_kernel_word(stmt);

    core_text_printf(out, "{\"kernel\":%d,\"statement\":%zu,\"computes\":\"%s(%" PRId64 ")\"",
                     kernel, s->stmt, word, stmt->n);
    for (int a = 0; a < OCL_ACCESSES; a++)
        if (s->at[a].accesses > 0)
            print_access(s, a, out);
    core_text_printf(out, "}\n");
}

void ocl_counts_print(const ocl_counts *c, const prog *p, int gpu, core_text *out)
{
    for (int i = 0; i < c->nkernels; i++) {
        const ocl_kernel_counts *k = &c->kernel[i];
        const price_occupancy o =
            price_occupy(&price_gpus[gpu], k->items, k->registers, k->local_bytes);
        core_text_printf(out,
                         "{\"kernel\":%d,\"groups\":%" PRId64 ",\"items\":%" PRId64
                         ",\"launches\":%" PRId64 ",\"local_bytes\":%" PRId64
                         ",\"registers\":%" PRId64 ",\"flight_bytes\":%" PRId64
                         ",\"gpu\":\"%s\",\"groups_of_unit\":%" PRId64 ",\"occupancy\":%.3g"
                         ",\"unit_flight_bytes\":%" PRId64 "}\n",
                         i, k->groups, k->items, k->launches, k->local_bytes, k->registers,
                         k->flight, price_gpus[gpu].name, o.groups, o.share, o.groups * k->flight);
        for (int s = 0; s < k->nstages; s++)
            print_stage(&k->stage[s], i, p, out);
    }
}
