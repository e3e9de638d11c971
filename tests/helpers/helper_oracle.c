// SPDX-License-Identifier: BSD-3-Clause
#include "tests/helpers/helper_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "sched/plan/verify_oracle.h"

enum { ORACLE_CHAINS = 4096 };
static const size_t most_bytes = (size_t)64 << 20; /* then all are forgotten */

/* What is asked: two hashes of all that the oracle reads. */
typedef struct question {
    uint64_t a, b;
} question;

typedef struct answer {
    struct answer *next;
    question of;
    long double y[];
} answer;

static answer *chains[ORACLE_CHAINS];
static size_t kept_bytes;

/* FNV-1a by words, and the sum of a permutation of what it makes. */
static void add_word(question *q, uint64_t word)
{
    q->a = (q->a ^ word) * 0x100000001b3ull;
    q->a ^= q->a >> 32;
    q->b = (q->b + word) * 0x9e3779b97f4a7c15ull;
    q->b ^= q->b >> 29;
}

static void add_number(question *q, long double x)
{
    const double high = (double)x, low = (double)(x - high);
    uint64_t word[2];
    memcpy(&word[0], &high, sizeof high);
    memcpy(&word[1], &low, sizeof low);
    add_word(q, word[0]);
    add_word(q, word[1]);
}

static question question_of(const sluice_problem *p, const long double *x)
{
    question q = {0xcbf29ce484222325ull, 88172645463325252ull};
    for (int axis = 0; axis < p->rank; axis++) {
        add_word(&q, (uint64_t)sched_axis_kind(p, axis));
        add_word(&q, p->dim[axis].n);
    }
    for (size_t i = 0; i < 2 * sched_side_elements(p, 0); i++)
        add_number(&q, x[i]);
    return q;
}

static void forget_all(void)
{
    for (size_t i = 0; i < ORACLE_CHAINS; i++)
        while (chains[i] != NULL) {
            answer *const first = chains[i];
            chains[i] = first->next;
            free(first);
        }
    kept_bytes = 0;
}

static const long double *keep(question q, const long double *y, size_t bytes)
{
    answer *const a = malloc(sizeof *a + bytes); /* not the library's, whose blocks are counted */
    if (kept_bytes + bytes > most_bytes)
        forget_all();
    assert_non_null(a);
    a->of = q;
    a->next = chains[q.a % ORACLE_CHAINS];
    memcpy(a->y, y, bytes);
    chains[q.a % ORACLE_CHAINS] = a;
    kept_bytes += bytes;
    return a->y;
}

const long double *oracle_of(const sluice_problem *p, long double *x)
{
    const question q = question_of(p, x);
    long double *y;
    for (const answer *a = chains[q.a % ORACLE_CHAINS]; a != NULL; a = a->next)
        if (a->of.a == q.a && a->of.b == q.b) {
            core_free(x);
            return a->y;
        }
    assert_int_equal(sched_oracle_apply(p, x, &y), SLUICE_OK);
    const long double *const kept = keep(q, y, 2 * sched_side_elements(p, 1) * sizeof *y);
    core_free(y);
    return kept;
}
