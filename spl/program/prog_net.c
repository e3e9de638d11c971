// SPDX-License-Identifier: BSD-3-Clause
/* Packets of exchanges, as text and against the mu of spe(p,mu). */
#include <inttypes.h>
#include <stdio.h>

#include "core/status.h"
#include "spl/program/program.h"

void prog_crossing_print(const prog_crossing *x, core_text *out)
{
    core_text_printf(out, "%" PRId64 " of %" PRId64 " elements in %" PRId64 " packet%s of ",
                     x->crossing, x->elements, x->packets, x->packets == 1 ? "" : "s");
    if (x->least == x->most)
        core_text_printf(out, "%" PRId64, x->least);
    else
        core_text_printf(out, "%" PRId64 " to %" PRId64, x->least, x->most);
}

static sluice_status too_small(const prog *p, size_t at, const prog_crossing *x, int64_t mu,
                               sluice_diag *why)
{
    char place[48] = "input";
    if (at == PROG_AT_OUTPUT(p))
        snprintf(place, sizeof place, "output");
    else if (at != PROG_AT_INPUT(p))
        snprintf(place, sizeof place, "statement %zu, sync", at);
    return core_fail(why, SLUICE_E_INVALID, 0,
                     "%s: a packet of %" PRId64 " elements crosses parts, mu is %" PRId64, place,
                     x->least, mu);
}

static sluice_status check_packets(const prog *p, const prog_exchanges *e, int64_t mu,
                                   sluice_diag *why)
{
    for (size_t i = 0; i < PROG_CROSSINGS(p); i++)
        if (e->at[i].packets > 0 && e->at[i].least < mu)
            return too_small(p, i, &e->at[i], mu, why);
    return SLUICE_OK;
}

sluice_status prog_check_packets(const prog *p, int64_t mu, sluice_diag *why)
{
    prog_exchanges e;
    sluice_status status = prog_exchange(p, &e, why);
    if (status == SLUICE_OK) {
        status = check_packets(p, &e, mu, why);
        prog_exchanges_free(&e);
    }
    return status;
}
