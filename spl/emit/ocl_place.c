// SPDX-License-Identifier: BSD-3-Clause
/* Index functions in the text of one work-item: indices of rows, elements and factors. */
#include <inttypes.h>
#include <stdio.h>

#include "core/number.h"
#include "spl/emit/ocl.h"
#include "spl/index/ix_form.h"

static bool has_loops(const ix *f)
{
    for (int t = 0; t < f->nt; t++)
        if (f->t[t].src != IX_INDEX)
            return true;
    return false;
}

/* Is a row's index a constant, or a variable plus a constant? */
static bool has_form(const ix *f)
{
    return f->kind == IX_TABLE || f->kind == IX_DIGIT;
}

/* Does a row's number alone select its branch, by at most `depth` digits? */
static bool is_chosen_by_row(const ix *f, int depth)
{
    if (f->kind != IX_TWO)
        return has_form(f);
    return depth > 0 && f->t->src == IX_INDEX && is_chosen_by_row(f->branch[0], depth - 1)
           && is_chosen_by_row(f->branch[1], depth - 1);
}

enum { DIGITS = 2 }; /* that select one of OCL_BRANCHES */

/* The number of a row's branch, in which the outermost digit is the lowest bit. */
static int branch_of(const ix *f, int64_t row)
{
    int number = 0, bit = 1;

    for (; f->kind == IX_TWO; f = f->branch[row / f->t->div % 2], bit *= 2)
        number += row / f->t->div % 2 ? bit : 0;
    return number;
}

static void print_sum(ocl *o, const ix *f, const char *index, int64_t shift)
{
    ix_print_c(f, index, &o->c, &o->c.text);
    if (shift)
        core_text_printf(&o->c.text, " + %" PRId64, shift);
    core_text_printf(&o->c.text, ";\n");
}

/* Declares a variable for the part of a sum of digits that depends on loops. */
static void print_base(ocl *o, char (*to)[16], const char *name, const ix *f, int depth)
{
    ix_term term[IX_MAX_TERMS];
    ix loops = {.kind = IX_DIGIT, .n = f->n, .N = f->N, .t = term};

    if (f->kind != IX_DIGIT || !has_loops(f))
        return;
    for (int t = 0; t < f->nt; t++)
        if (f->t[t].src != IX_INDEX)
            term[loops.nt++] = f->t[t];
    snprintf(*to, sizeof *to, "%s", name);
    spl_c_line(&o->c, depth, "const %s %s = ", o->c.index, name);
    print_sum(o, &loops, "0", 0);
}

static void print_list(ocl *o, const ocl_place *at, int depth)
{
    spl_c_line(&o->c, depth, "%s %s[%" PRId64 "];\n", o->c.index, at->name[0], at->f->n);
    spl_c_for(&o->c, depth, "i", "0", gen_print("%" PRId64, at->f->n).text, "");
    spl_c_line(&o->c, depth + 1, "%s[i] = ", at->name[0]);
    print_sum(o, at->f, "i", at->shift);
}

/* Declares variables for the branches of f; `number` has the lower bits of their numbers. */
static void print_branches(ocl *o, ocl_place *at, const char *name, const ix *f, int number,
                           int bit, int depth)
{
    if (f->kind == IX_TWO)
        for (int b = 0; b < 2; b++)
            print_branches(o, at, name, f->branch[b], number + b * bit, 2 * bit, depth);
    else
        print_base(o, &at->name[number], gen_print("%s_%d", name, number).text, f, depth);
}

void ocl_print_rows(ocl *o, ocl_place *at, const char *name, const ix *f, int64_t shift, int depth)
{
    *at = (ocl_place){.f = f, .shift = shift, .is_list = !is_chosen_by_row(f, DIGITS)};
    if (at->is_list) {
        snprintf(at->name[0], sizeof at->name[0], "%s", name);
        print_list(o, at, depth);
    } else if (f->kind == IX_TWO) {
        print_branches(o, at, name, f, 0, 1, depth);
    } else {
        print_base(o, &at->name[0], name, f, depth);
    }
}

void ocl_print_element(ocl *o, ocl_place *at, const char *name, const ix *f, int64_t shift,
                       int parts, int wanted, int depth)
{
    static const char *const index[2][2] = {{"i", ""}, {"2 * i", "(2 * i + 1)"}};

    *at = (ocl_place){.f = f, .shift = shift, .is_element = true};
    for (int part = 0; part < wanted; part++) {
        const bool one = f->n == parts;
        snprintf(at->name[part], sizeof at->name[part], "%s%s", name, part ? "_im" : "");
        spl_c_line(&o->c, depth, "const %s %s = ", o->c.index, at->name[part]);
        print_sum(o, f, one ? (part ? "1" : "0") : index[parts - 1][part], shift);
    }
}

/* The constant part of a row's index. */
static int64_t constant_index(const ocl_place *at, int64_t row)
{
    static const int64_t zeros[IX_MAX_VARS];

    return at->shift + ix_eval(at->f, row, zeros);
}

gen_name ocl_index(const ocl_place *at, int64_t row)
{
    if (at->is_element)
        return gen_print("%s", at->name[row]);
    if (at->is_list)
        return gen_print("%s[%" PRId64 "]", at->name[0], row);
    const char *const name = at->name[branch_of(at->f, row)];
    const int64_t fixed = constant_index(at, row);
    if (!name[0])
        return gen_print("%" PRId64, fixed);
    return fixed == 0 ? gen_print("%s", name) : gen_print("%s + %" PRId64, name, fixed);
}

/* ---- factors ---- */

/* The entries that f reaches, first + i step, i < count. For twiddles, and for roots that are not
 * reached by digits, these are all entries up to the last one reached. Indices of roots may exceed
 * n. */
static ocl_table table_of(const prog_twiddle *w)
{
    ocl_table t = {.values = w->values,
                   .n = w->n,
                   .m = w->m,
                   .step = 1,
                   .count = spl_values_size(w->values, w->n, w->m),
                   .scale = 1};
    const bool digits = w->f->kind == IX_DIGIT, roots = w->values == SPL_ROOTS;
    int64_t lo, hi, step = 0;
    const bool known = ix_bounds(w->f, &lo, &hi) && lo >= 0;

    if (roots && !digits) {
        t.count = known ? hi + 1 : w->f->N;
        return t;
    }
    if (!known || !digits || (!roots && (w->values != SPL_TWIDDLES || hi >= t.count)))
        return t;
    if (!roots) {
        t.count = hi + 1;
        return t;
    }
    for (int i = 0; i < w->f->nt; i++)
        step = core_gcd(step, w->f->t[i].coef);
    t.first = lo;
    t.step = step > 0 ? step : 1;
    t.count = (hi - lo) / t.step + 1;
    return t;
}

static bool is_same(const ocl_table *a, const ocl_table *b)
{
    return a->product.stmt == b->product.stmt && a->values == b->values && a->n == b->n
           && a->m == b->m && a->first == b->first && a->step == b->step && a->count == b->count
           && a->scale == b->scale;
}

static int number_of(ocl *o, const ocl_table *table)
{
    int k = 0;

    while (k < o->ntables && !is_same(&o->table[k], table))
        k++;
    if (k == o->ntables)
        o->table[o->ntables++] = *table;
    o->current_kernel->table[k] = true;
    return k;
}

/* The index function f in terms of the table's entries. */
static const ix *in_table(const ix *f, const ocl_table *t, ocl_factor *at)
{
    if (t->first == 0 && t->step == 1)
        return f;
    at->own = *f;
    at->own.t = at->term;
    at->own.c = (f->c - t->first) / t->step;
    for (int i = 0; i < f->nt; i++) {
        at->term[i] = f->t[i];
        at->term[i].coef /= t->step;
    }
    return &at->own;
}

bool ocl_is_real_factor(const prog_twiddle *w)
{
    return w->values == SPL_CONST || w->values == SPL_HALF || w->values == SPL_SIGNS;
}

bool ocl_is_one_factor(const prog_twiddle *w)
{
    return w->f->n > 1 && w->f->kind == IX_DIGIT && !ix_uses(w->f, IX_INDEX);
}

/* The factor whose table includes the constants: a complex one, as real ones are mostly powers of
 * two. -1: none, and for pairs, whose results are scaled. */
static int scaled_factor(const prog_stmt *s)
{
    int real = -1;

    for (int k = 0; k < s->ntwiddles && s->kernel != SPL_PAIR; k++)
        if (!ocl_is_real_factor(&s->twiddle[k]))
            return k;
        else if (real < 0 && s->twiddle[k].values != SPL_CONST)
            real = k;
    return real;
}

/* Are results multiplied by more than one complex factor? */
static bool has_product(const prog_stmt *s)
{
    int count = 0;

    for (int k = 0; k < s->ntwiddles && s->kernel != SPL_PAIR; k++)
        count += !ocl_is_real_factor(&s->twiddle[k]);
    return count > 1;
}

/* Cores have constants in their tables (bind_scale.c), and products of several factors that are
 * rounded once. Signs and powers of two change no bits when they are multiplied separately. */
bool ocl_is_folded(const ocl *o, const prog_stmt *s, int k)
{
    const int scaled = scaled_factor(s);

    return o->p->sides.reproducible && scaled >= 0 && k != scaled
           && (s->twiddle[k].values == SPL_CONST || has_product(s));
}

/* The table of products; returns the index function within it. */
static const ix *place_product(const ocl *o, ocl_factor *at, const prog_stmt *s)
{
    const int64_t rows = s->twiddle[0].f->n;
    bind_factor_table t;

    bind_factor_table_of(s, rows, o->range, &t);
    at->own = (ix){.kind = IX_DIGIT, .n = rows, .N = t.entries, .t = at->term};
    at->term[at->own.nt++] = (ix_term){.src = IX_INDEX, .div = 1, .ext = rows, .coef = 1};
    for (int v = 0; v < IX_MAX_VARS; v++)
        if (t.step[v] > 0)
            at->term[at->own.nt++] =
                (ix_term){.src = v, .div = 1, .ext = t.range[v], .coef = t.step[v]};
    at->w = (prog_twiddle){.values = SPL_ROOTS, .n = t.entries, .m = 1, .f = &at->own};
    at->table = (ocl_table){.product = t, .step = 1, .count = t.entries, .scale = 1};
    return &at->own;
}

const ix *ocl_place_factor(const ocl *o, ocl_factor *at, const prog_stmt *s, int k)
{
    if (o->p->sides.reproducible && has_product(s))
        return place_product(o, at, s);
    at->w = s->twiddle[k];
    at->table = table_of(&at->w);
    for (int other = 0; other < s->ntwiddles && k == scaled_factor(s); other++)
        if (ocl_is_folded(o, s, other))
            at->table.scale *= spl_constant_value(s->twiddle[other].m);
    return in_table(at->w.f, &at->table, at);
}

bool ocl_computes_factor(const ocl *o, const prog_twiddle *w)
{
    return o->options->twiddles != SLUICE_TWIDDLES_TABLE && w->values == SPL_TWIDDLES
           && !o->p->sides.reproducible;
}

/* The text of a row's factor: read from the table, or w_{nm}^{(t div m)(t mod m)}, t = f(row). */
static gen_name factor_entry(ocl *o, const ocl_factor *at, int64_t row)
{
    static const char *const word[] = {"", "sincos", "native"};
    const prog_twiddle *w = &at->w;

    if (ocl_computes_factor(o, w))
        return gen_print("%sx2_%s(%s, %" PRId64 ", %" PRId64 ")", o->value,
                         word[o->options->twiddles], ocl_index(&at->at, row).text, w->m,
                         w->n * w->m);
    return gen_print("table%d[%s]", number_of(o, &at->table), ocl_index(&at->at, row).text);
}

static bool is_one(const ocl *o, const ocl_factor *at, int64_t row)
{
    return at->table.scale == 1 && ocl_factor_is_one(o, &at->w, row);
}

void ocl_print_factor(ocl *o, ocl_factor *at, const char *name, const prog_stmt *s, int k,
                      int depth)
{
    const ix *const f = ocl_place_factor(o, at, s, k);
    const bool element = ocl_moves(s);

    if (element)
        ocl_print_element(o, &at->at, name, f, 0, 1, 1, depth);
    else
        ocl_print_rows(o, &at->at, name, f, 0, depth);
    at->once = gen_print("%s", "");
    if (element || !ocl_is_one_factor(&at->w) || is_one(o, at, 0))
        return;
    at->once = gen_print("%s_all", name);
    spl_c_line(&o->c, depth, "const %sx2 %s = %s;\n", o->value, at->once.text,
               factor_entry(o, at, 0).text);
}

gen_name ocl_factor_at(ocl *o, const ocl_factor *at, int64_t row)
{
    if (!at->at.is_element && is_one(o, at, row))
        return gen_print("%s", "");
    if (at->once.text[0])
        return at->once;
    return factor_entry(o, at, row);
}
