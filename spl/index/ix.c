// SPDX-License-Identifier: BSD-3-Clause
/* Index functions: constructors, canonical form, hash-consing.
 *
 * (x div d) mod e = floor(x/d) - e floor(x/(d e)), so every digit sum is c + SUM_D a_D floor(x/D),
 * a sum of steps. The a_D are unique, as floor(x/D) changes at x = D and the steps above D do not.
 * Steps at D >= n are zero on the domain. The canonical digit form is computed from the steps:
 *   D_1 | D_2 | .. | D_k (a chain):  digits between neighbouring steps,
 *       ext_j = D_{j+1}/D_j,  coef_1 = a_1,  coef_{j+1} = a_{j+1} + coef_j ext_j;
 *       the last digit takes the rest of the domain (loop variables: bounded, so its coef is 0)
 *   no chain:  a table if the function depends on the index alone and n is small, else one digit
 *       a_D (x div D) mod ceil(M/D) for each step, M = n, or, if x is a loop variable, the least
 *       common multiple of the D. */
#include "spl/index/ix_form.h"

#include <string.h>

#include "core/mem.h"
#include "core/number.h"

typedef struct step {
    int src;
    int64_t at, by;
} step;
typedef struct steps {
    int count;
    bool failed;
    step s[2 * IX_FORM_TERMS];
} steps;

void ix_form_add(ix_form *form, int src, int64_t div, int64_t ext, int64_t coef)
{
    if (coef == 0 || ext == 1 || (src == IX_INDEX && div >= form->n))
        return;
    if (form->nt == IX_FORM_TERMS)
        form->failed = true;
    else
        form->t[form->nt++] = (ix_term){src, div, ext, coef};
}

void ix_form_shift(ix_form *form, int64_t c)
{
    if (__builtin_add_overflow(form->c, c, &form->c))
        form->failed = true;
}

/* Inserts a step in the order of (src, at), or adds to an existing one. */
static void add_step(steps *all, int src, int64_t at, int64_t by)
{
    int i = all->count;
    while (i > 0
           && (all->s[i - 1].src > src || (all->s[i - 1].src == src && all->s[i - 1].at > at)))
        i--;
    if (i > 0 && all->s[i - 1].src == src && all->s[i - 1].at == at) {
        all->failed |= __builtin_add_overflow(all->s[i - 1].by, by, &all->s[i - 1].by);
        return;
    }
    memmove(all->s + i + 1, all->s + i, (size_t)(all->count - i) * sizeof(step));
    all->s[i] = (step){src, at, by};
    all->count++;
}

static void form_steps(const ix_form *form, steps *all)
{
    all->count = 0;
    all->failed = form->failed;
    for (int i = 0; i < form->nt; i++) {
        const ix_term *t = &form->t[i];
        int64_t end, by;
        add_step(all, t->src, t->div, t->coef);
        const bool beyond = __builtin_mul_overflow(t->div, t->ext, &end);
        if (t->src == IX_INDEX && (beyond || end >= form->n))
            continue;
        if (beyond || __builtin_mul_overflow(t->coef, t->ext, &by) || by == INT64_MIN)
            all->failed = true;
        else
            add_step(all, t->src, end, -by);
    }
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* The digits of one source whose steps at s[0..count-1] form a chain. */
static void emit_chain(const step *s, int count, ix_form *out)
{
    int64_t coef = 0, ext = 1;
    for (int j = 0; j < count; j++) {
        if (__builtin_mul_overflow(coef, ext, &coef)
            || __builtin_add_overflow(coef, s[j].by, &coef))
            out->failed = true;
        if (j + 1 < count)
            ext = s[j + 1].at / s[j].at;
        else
            ext = s[j].src == IX_INDEX ? ceil_div(out->n, s[j].at) : 1;
        ix_form_add(out, s[j].src, s[j].at, ext, coef);
    }
}

static void emit_unchained(const step *s, int count, ix_form *out)
{
    int64_t range = s[0].src == IX_INDEX ? out->n : 1;
    for (int j = 0; j < count && s[0].src != IX_INDEX; j++)
        if (__builtin_mul_overflow(range, s[j].at / core_gcd(range, s[j].at), &range)) {
            out->failed = true;
            return;
        }
    for (int j = 0; j < count; j++)
        ix_form_add(out, s[j].src, s[j].at, ceil_div(range, s[j].at), s[j].by);
}

/* Returns whether digits of the index overlap and the function depends on the index alone. */
static bool to_canonical(const ix_form *form, ix_form *out)
{
    steps all;
    form_steps(form, &all);
    ix_form_open(out, form->n, form->N, form->c);
    out->failed = all.failed;
    int kept = 0;
    bool chain = true;
    for (int i = 0; i < all.count; i++)
        if (all.s[i].by != 0)
            all.s[kept++] = all.s[i];
    for (int first = 0, last; first < kept; first = last) {
        chain = true;
        for (last = first + 1; last < kept && all.s[last].src == all.s[first].src; last++)
            chain = chain && all.s[last].at % all.s[last - 1].at == 0;
        (chain ? emit_chain : emit_unchained)(all.s + first, last - first, out);
    }
    return !chain && all.s[kept - 1].src == IX_INDEX; /* the index is the first source */
}

static bool same_function(const void *a, const void *b)
{
    const ix *f = a, *g = b;
    if (f->kind != g->kind || f->n != g->n || f->N != g->N || f->c != g->c || f->nt != g->nt
        || f->outer != g->outer || f->inner != g->inner || f->branch[0] != g->branch[0]
        || f->branch[1] != g->branch[1])
        return false;
    for (int i = 0; i < f->nt; i++) {
        const ix_term *s = &f->t[i], *t = &g->t[i];
        if (s->src != t->src || s->div != t->div || s->ext != t->ext || s->coef != t->coef)
            return false;
    }
    return f->kind != IX_TABLE || f->c != 0
           || memcmp(f->table, g->table, (size_t)f->n * sizeof *f->table) == 0;
}

/* Tables with a name are identified by it. */
static uint64_t hash_function(const ix *f)
{
    uint64_t h = spl_hash((uint64_t)f->kind, (uint64_t)f->n);
    h = spl_hash(spl_hash(h, (uint64_t)f->N), (uint64_t)f->c);
    for (int i = 0; i < f->nt; i++) {
        h = spl_hash(spl_hash(h, (uint64_t)f->t[i].src), (uint64_t)f->t[i].div);
        h = spl_hash(spl_hash(h, (uint64_t)f->t[i].ext), (uint64_t)f->t[i].coef);
    }
    for (int64_t i = 0; f->kind == IX_TABLE && f->c == 0 && i < f->n; i++)
        h = spl_hash(h, (uint64_t)f->table[i]);
    h = spl_hash(spl_hash(h, (uintptr_t)f->branch[0]), (uintptr_t)f->branch[1]);
    return spl_hash(spl_hash(h, (uintptr_t)f->outer), (uintptr_t)f->inner);
}

static const ix *find_known(const spl_ctx *ctx, const ix *f, uint64_t hash)
{
    return spl_table_find(&ctx->functions, hash, same_function, f);
}

/* owned: the context has the table already. */
static const ix *intern(spl_ctx *ctx, const ix *f, bool owned)
{
    const uint64_t hash = hash_function(f);
    const ix *known = find_known(ctx, f, hash);
    if (known != NULL)
        return known;
    ix *fresh = spl_ctx_copy(ctx, f, sizeof *f);
    if (fresh == NULL)
        return NULL;
    if (f->nt > 0 && (fresh->t = spl_ctx_copy(ctx, f->t, (size_t)f->nt * sizeof *f->t)) == NULL)
        return NULL;
    if (f->table != NULL && !owned) {
        fresh->table = spl_ctx_copy(ctx, f->table, (size_t)f->n * sizeof *f->table);
        if (fresh->table == NULL)
            return NULL;
    }
    return spl_table_add(ctx, &ctx->functions, hash, fresh) ? fresh : NULL;
}

const ix *ix_intern(spl_ctx *ctx, const ix *f)
{
    return intern(ctx, f, false);
}

/* Numbers up to 2^62, so that one addition of two of them is safe. */
static bool is_moderate(int64_t a)
{
    return a >= -((int64_t)1 << 62) && a <= (int64_t)1 << 62;
}

static int64_t digits_value(int64_t i, const void *f)
{
    return ix_eval(f, i, NULL);
}

const ix *ix_form_close(spl_ctx *ctx, const ix_form *form)
{
    ix_form done;
    const bool overlap = to_canonical(form, &done);
    bool fits = !done.failed && done.nt <= IX_MAX_TERMS && is_moderate(done.c);
    for (int i = 0; i < done.nt && fits; i++)
        fits = is_moderate(done.t[i].coef) && is_moderate(done.t[i].div);
    if (!fits)
        return NULL;
    const ix f = {.kind = IX_DIGIT,
                  .n = done.n,
                  .N = done.N,
                  .c = done.c,
                  .nt = done.nt,
                  .t = done.nt > 0 ? done.t : NULL};
    if (overlap && f.n <= IX_TABULATE)
        return ix_tabulate(ctx, f.n, f.N, digits_value, &f);
    return ix_intern(ctx, &f);
}

const ix *ix_opaque(spl_ctx *ctx, const ix *outer, const ix *inner)
{
    const ix f = {.kind = IX_OPAQUE, .n = inner->n, .N = outer->N, .outer = outer, .inner = inner};
    return ix_intern(ctx, &f);
}

static bool sizes_fit(spl_ctx *ctx, int64_t n, int64_t N)
{
    if (n >= 1 && N >= 1 && n <= spl_max_size && N <= spl_max_size)
        return true;
    (void)spl_refuse(ctx, SLUICE_E_INVALID, "an index function %lld->%lld: sizes are 1 to 2^40",
                     (long long)n, (long long)N);
    return false;
}

const ix *ix_digit(spl_ctx *ctx, int64_t n, int64_t N, int64_t c, int nt, const ix_term *terms)
{
    if (!sizes_fit(ctx, n, N))
        return NULL;
    ix_form form;
    ix_form_open(&form, n, N, c);
    for (int i = 0; i < nt; i++) {
        const ix_term *t = &terms[i];
        if (t->src < IX_INDEX || t->src >= IX_MAX_VARS || t->div < 1 || t->ext < 1)
            return ix_refuse(ctx, SLUICE_E_INVALID,
                             "a digit needs div and ext of at least 1 and a variable below %d",
                             IX_MAX_VARS);
        ix_form_add(&form, t->src, t->div, t->ext, t->coef);
    }
    const ix *f = ix_form_close(ctx, &form);
    if (f == NULL)
        return ix_refuse(ctx, SLUICE_E_UNSUPPORTED,
                         "an index function has more than %d digits or numbers beyond 2^62",
                         IX_MAX_TERMS);
    return f;
}

/* The digits of the first `count` entries of a table of form->n (see the top on chains), by a sieve
 *     a_v = f(v) - f(v-1) - SUM_{D | v, D < v} a_D
 * over `rest`, which is overwritten. False: they are not digits of a function of n elements. */
static bool sieve_digits(ix_form *form, const int64_t *table, int64_t count, int64_t *rest)
{
    int64_t before = 1;
    form->nt = 0;
    for (int64_t i = 1; i < count; i++)
        if (__builtin_sub_overflow(table[i], table[i - 1], &rest[i]))
            return false;
    for (int64_t v = 1; v < count; v++) {
        const int64_t by = rest[v];
        if (by == 0)
            continue;
        if (form->nt == IX_MAX_TERMS || (v % before != 0 && form->n <= IX_TABULATE))
            return false;
        before = v;
        ix_form_add(form, IX_INDEX, v, ceil_div(form->n, v), by);
        for (int64_t i = v; i < count; i += v)
            if (__builtin_sub_overflow(rest[i], by, &rest[i]))
                return false;
    }
    return true;
}

/* This many entries suffice to recognise most tables without digits. */
enum { FIRST_ENTRIES = 64 };

/* The digit form of a table; NULL: it has none, or memory ran out. */
static const ix *recognise_digits(spl_ctx *ctx, int64_t n, int64_t N, const int64_t *table)
{
    ix_form form;
    int64_t first[FIRST_ENTRIES];
    ix_form_open(&form, n, N, table[0]);
    if (!sieve_digits(&form, table, n < FIRST_ENTRIES ? n : FIRST_ENTRIES, first))
        return NULL;
    int64_t *rest = n > FIRST_ENTRIES ? core_malloc((size_t)n * sizeof *rest) : first;
    if (rest == NULL)
        return ix_refuse(ctx, SLUICE_E_MEMORY, "out of memory");
    const bool digits = sieve_digits(&form, table, n, rest);
    if (rest != first)
        core_free(rest);
    return digits ? ix_form_close(ctx, &form) : NULL;
}

/* A table, or its digit form if it has one; `c` is the table's name (see ix.h), owned as above. */
static const ix *close_table(spl_ctx *ctx, int64_t n, int64_t N, const int64_t *table, int64_t c,
                             bool owned)
{
    if (!sizes_fit(ctx, n, N))
        return NULL;
    const ix *f = recognise_digits(ctx, n, N, table);
    if (f != NULL || ctx->status == SLUICE_E_MEMORY)
        return f;
    ix whole = {
        .kind = IX_TABLE, .n = n, .N = N, .c = c, .table = table, .lo = table[0], .hi = table[0]};
    if (c != 0) /* powers: a permutation */
        whole.hi = N - 1;
    for (int64_t i = 1; i < n && c == 0; i++) {
        whole.lo = table[i] < whole.lo ? table[i] : whole.lo;
        whole.hi = table[i] > whole.hi ? table[i] : whole.hi;
    }
    return intern(ctx, &whole, owned);
}

const ix *ix_table(spl_ctx *ctx, int64_t n, int64_t N, const int64_t *table)
{
    return close_table(ctx, n, N, table, 0, false);
}

/* The limit for powers, as the whole table is made. */
static const int64_t largest_prime = 1 << 26;

bool ix_check_root(spl_ctx *ctx, int64_t p, int64_t g)
{
    if (p <= largest_prime && core_is_primitive_root(p, g))
        return true;
    (void)spl_refuse(ctx, SLUICE_E_INVALID,
                     "%lld is no primitive root of a prime %lld: a prime from 3 to 2^26 is needed",
                     (long long)g, (long long)p);
    return false;
}

int64_t ix_primitive_root(int64_t p)
{
    return p <= largest_prime ? core_primitive_root(p) : 0;
}

/* The table is made in the context and not copied. Each step doubles the number of powers from the
 * known ones, which may be computed in any order; one power after the other would be a dependence
 * chain. */
const ix *ix_power(spl_ctx *ctx, int64_t p, int64_t g)
{
    const ix named = {.kind = IX_TABLE, .n = p, .N = p, .c = g};
    const ix *known = find_known(ctx, &named, hash_function(&named));
    if (known != NULL)
        return known;
    if (!ix_check_root(ctx, p, g))
        return NULL;
    int64_t *table = spl_ctx_get(ctx, (size_t)p * sizeof *table);
    if (table == NULL)
        return NULL;
    table[1] = 1;
    for (int64_t made = 1; made < p - 1; made *= 2) {
        const core_multiplier by = core_multiplier_of(core_power_mod(g, made, p), p);
        for (int64_t i = 1; i <= made && i + made < p; i++)
            table[i + made] = core_multiply_mod(&by, table[i]);
    }
    return close_table(ctx, p, p, table, g, true);
}

const ix *ix_tabulate(spl_ctx *ctx, int64_t n, int64_t N, ix_value *value, const void *user)
{
    int64_t *table = core_calloc((size_t)n, sizeof *table);
    if (table == NULL)
        return ix_refuse(ctx, SLUICE_E_MEMORY, "out of memory");
    for (int64_t i = 0; i < n; i++)
        table[i] = value(i, user);
    const ix *f = ix_table(ctx, n, N, table);
    core_free(table);
    return f;
}

const ix *ix_id(spl_ctx *ctx, int64_t n)
{
    return ix_h(ctx, n, n, 0, 1);
}

const ix *ix_h(spl_ctx *ctx, int64_t n, int64_t N, int64_t b, int64_t s)
{
    const ix_term t = {IX_INDEX, 1, n, s};
    return ix_digit(ctx, n, N, b, 1, &t);
}

const ix *ix_h_var(spl_ctx *ctx, int64_t n, int64_t N, int v, int64_t vn, int64_t vcoef, int64_t s)
{
    const ix_term t[] = {{IX_INDEX, 1, n, s}, {v, 1, vn, vcoef}};
    return ix_digit(ctx, n, N, 0, 2, t);
}

const ix *ix_q_var(spl_ctx *ctx, int64_t n, int64_t N, int v, int64_t vn, int64_t s, int64_t mu)
{
    int64_t stride;
    if (mu < 1 || n % mu != 0 || __builtin_mul_overflow(s, mu, &stride))
        return ix_refuse(ctx, SLUICE_E_INVALID, "q: packets of %lld do not divide %lld elements",
                         (long long)mu, (long long)n);
    const ix_term t[] = {{IX_INDEX, 1, mu, 1}, {IX_INDEX, mu, n / mu, stride}, {v, 1, vn, mu}};
    return ix_digit(ctx, n, N, 0, 3, t);
}

const ix *ix_stride(spl_ctx *ctx, int64_t N, int64_t k)
{
    if (k < 1 || N < 1 || N % k != 0)
        return ix_refuse(ctx, SLUICE_E_INVALID, "L(%lld,%lld): the stride must divide the size",
                         (long long)N, (long long)k);
    const ix_term t[] = {{IX_INDEX, N / k, k, 1}, {IX_INDEX, 1, N / k, k}};
    return ix_digit(ctx, N, N, 0, 2, t);
}
