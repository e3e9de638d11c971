// SPDX-License-Identifier: BSD-3-Clause
/* The tree of statements: functions that several passes need. */
#include "spl/program/lower.h"

low_node *low_add(low *l, prog_op op)
{
    low_node *x = spl_ctx_get(l->ctx, sizeof *x);
    if (x == NULL)
        return NULL;
    x->s.op = op;
    if (l->tail != NULL)
        l->tail->next = x;
    else
        l->at->kid = x;
    l->tail = x;
    return x;
}

low_node *low_copy(low *l, const low_node *x)
{
    low_node *first = NULL, **at = &first;

    for (; x != NULL; x = x->next, at = &(*at)->next) {
        *at = spl_ctx_get(l->ctx, sizeof **at);
        if (*at == NULL)
            return NULL;
        **at = *x;
        (*at)->next = NULL;
        (*at)->kid = x->kid ? low_copy(l, x->kid) : NULL;
        if (x->kid && !(*at)->kid)
            return NULL;
    }
    return first;
}

int low_functions(prog_stmt *s, const ix **f[LOW_FUNCTIONS])
{
    int n = 0;
    f[n++] = &s->fin;
    f[n++] = &s->fout;
    for (int i = 0; i < s->ntwiddles; i++)
        f[n++] = &s->twiddle[i].f;
    return n;
}

bool low_is_shared(const low_node *x, int var)
{
    for (; x != NULL; x = x->next)
        if (x->s.op == PROG_LOOP && (x->s.range.share_var == var || low_is_shared(x->kid, var)))
            return true;
    return false;
}

int low_free_var(uint32_t *taken)
{
    for (int v = 0; v < IX_MAX_VARS; v++)
        if ((*taken >> v & 1) == 0) {
            *taken |= (uint32_t)1 << v;
            return v;
        }
    return -1;
}
