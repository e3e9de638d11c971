// SPDX-License-Identifier: BSD-3-Clause
#include "streaming/deal.h"

#include "core/status.h"

sluice_status stream_deal_check(const stream_deal *deal, sluice_diag *why)
{
    if (deal->teams < 1)
        return core_fail(why, SLUICE_E_INVALID, 0, "blocks cannot be dealt to %d teams",
                         deal->teams);
    if (deal->kind != STREAM_DYNAMIC && deal->kind != STREAM_CYCLIC && deal->kind != STREAM_STATIC)
        return core_fail(why, SLUICE_E_INVALID, 0, "there is no deal of kind %d", (int)deal->kind);
    return SLUICE_OK;
}

/* total = q T + r: the first r teams have q + 1 blocks, the others q. */
static int static_team(const stream_deal *deal, uint64_t k)
{
    const uint64_t teams = (uint64_t)deal->teams;
    const uint64_t q = deal->total / teams, r = deal->total % teams;
    if (k >= deal->total)
        return deal->teams - 1;
    if (k < r * (q + 1))
        return (int)(k / (q + 1));
    return (int)(r + (k - r * (q + 1)) / q); /* q > 0: with q = 0 every k < total = r is above */
}

int stream_deal_team(const stream_deal *deal, uint64_t k)
{
    const uint64_t run = deal->block == 0 ? 1 : deal->block;
    switch (deal->kind) {
    case STREAM_CYCLIC: return (int)(k / run % (uint64_t)deal->teams);
    case STREAM_STATIC: return static_team(deal, k);
    case STREAM_DYNAMIC: break;
    }
    return -1;
}

bool stream_deal_next(const stream_deal *deal, int team, uint64_t from, uint64_t *k)
{
    for (uint64_t b = from; b < deal->total; b++) {
        if (stream_deal_team(deal, b) == team) {
            *k = b;
            return true;
        }
    }
    return false;
}
