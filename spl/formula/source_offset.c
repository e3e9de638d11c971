// SPDX-License-Identifier: BSD-3-Clause
#include "spl/formula/source_offset.h"

#include "spl/context/ctx.h"

typedef struct place {
    const spl *x;
    size_t offset;
} place;

static bool same_place(const void *a, const void *b)
{
    return ((const place *)a)->x == ((const place *)b)->x;
}

static const place *find_place(const spl_ctx *ctx, const spl *x)
{
    const place key = {.x = x};

    return spl_table_find(&ctx->places, spl_hash(0, (uintptr_t)x), same_place, &key);
}

bool spl_set_source(spl_ctx *ctx, const spl *x, size_t offset)
{
    const place fresh = {.x = x, .offset = offset};

    if (x == NULL || find_place(ctx, x) != NULL)
        return x != NULL;
    const place *kept = spl_ctx_copy(ctx, &fresh, sizeof fresh);
    return kept != NULL && spl_table_add(ctx, &ctx->places, spl_hash(0, (uintptr_t)x), kept);
}

/* x with its innermost `count` tags. */
static const spl *with_inner(spl_ctx *ctx, const spl *x, int count)
{
    return count == x->ntags ? x : spl_tagged(ctx, spl_untagged(x), count, x->tag);
}

void spl_source_like(spl_ctx *ctx, const spl *made, const spl *x)
{
    if (made == NULL || made == x)
        return;
    for (int count = made->ntags == x->ntags ? 0 : x->ntags; count <= x->ntags; count++) {
        const place *known = find_place(ctx, with_inner(ctx, x, count));
        if (known != NULL)
            (void)spl_set_source(ctx, made->ntags == x->ntags ? with_inner(ctx, made, count) : made,
                                 known->offset);
    }
}

void spl_blame(spl_ctx *ctx, const spl *x)
{
    if (x == NULL || ctx->status == SLUICE_OK || ctx->blamed == SPL_BLAMED)
        return;
    if (ctx->blamed == SPL_UNBLAMED)
        ctx->blamed = x->ntags;
    const int tags = ctx->blamed;
    const place *known = find_place(ctx, x);
    if (known != NULL && tags > 0 && tags < x->ntags) {
        const place *inner = find_place(ctx, with_inner(ctx, x, tags));
        known = inner != NULL ? inner : known;
    }
    if (known == NULL)
        return;
    ctx->why.offset = known->offset;
    ctx->blamed = SPL_BLAMED;
}
