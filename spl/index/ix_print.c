// SPDX-License-Identifier: BSD-3-Clause
/* Index functions as text, exactly. In order of preference:
 *   l(N,k)          i -> (i div N/k) + k*(i mod N/k)
 *   h(n,N,b,s)      i -> b + s*i                       b: a number and digits of loop variables
 *   q(n,N,b,s,mu)   i -> (b + s*(i div mu))*mu + i mod mu
 *   [n->N: sum]     the digits; without %ext if the index is not reduced
 *   power(p,g)      0 -> 0, i -> g^(i-1) mod p
 *   fold(n)         two(digit, f0, f1), digit as i/4%2
 *   table(N: ..)    f (o) g */
#include "core/text.h"
#include "spl/index/ix_form.h"

#include <inttypes.h>

static void print_term(const ix_term *t, int64_t n, bool first, core_text *out)
{
    const int64_t size = t->coef < 0 ? -t->coef : t->coef;
    if (first)
        core_text_printf(out, t->coef < 0 ? "-" : "");
    else
        core_text_printf(out, t->coef < 0 ? " - " : " + ");
    if (size != 1)
        core_text_printf(out, "%" PRId64 "*", size);
    if (t->src == IX_INDEX)
        core_text_printf(out, "i");
    else
        core_text_printf(out, "k%d", t->src);
    if (t->div != 1)
        core_text_printf(out, "/%" PRId64, t->div);
    if (t->src != IX_INDEX || t->ext < n / t->div + (n % t->div != 0))
        core_text_printf(out, "%%%" PRId64, t->ext);
}

/* c + SUM of terms from..nt-1, all divided by `unit`. */
static void print_sum(const ix *f, int from, int64_t unit, core_text *out)
{
    bool first = true;
    if (f->c != 0 || from == f->nt) {
        core_text_printf(out, "%" PRId64, f->c / unit);
        first = false;
    }
    for (int k = from; k < f->nt; k++) {
        ix_term t = f->t[k];
        t.coef /= unit;
        print_term(&t, f->n, first, out);
        first = false;
    }
}

static bool is_stride(const ix *f)
{
    return f->n == f->N && f->c == 0 && f->nt == 2 && f->t[1].src == IX_INDEX && f->t[0].div == 1
           && f->t[1].div == f->t[0].ext && f->t[1].coef == 1 && f->t[0].coef == f->t[1].ext
           && f->t[0].ext * f->t[1].ext == f->n;
}

/* Number of digits of the index, which come first. */
static int index_digits(const ix *f)
{
    int count = 0;
    while (count < f->nt && f->t[count].src == IX_INDEX)
        count++;
    return count;
}

/* The packet size of a q function; 0: f is none. */
static int64_t packet_of(const ix *f)
{
    if (index_digits(f) != 2 || f->t[0].div != 1 || f->t[0].coef != 1)
        return 0;
    const int64_t mu = f->t[0].ext;
    bool fits = f->t[1].div == mu && f->n % mu == 0 && f->t[1].ext == f->n / mu && f->c % mu == 0;
    for (int k = 1; k < f->nt; k++)
        fits = fits && f->t[k].coef % mu == 0;
    return fits ? mu : 0;
}

static void print_digits(const ix *f, core_text *out)
{
    const int digits = index_digits(f);
    const bool whole = digits == 1 && f->t[0].div == 1 && f->t[0].ext == f->n;
    const int64_t mu = packet_of(f);
    if (is_stride(f)) {
        core_text_printf(out, "l(%" PRId64 ",%" PRId64 ")", f->n, f->t[1].ext);
    } else if (digits == 0 || whole) {
        core_text_printf(out, "h(%" PRId64 ",%" PRId64 ",", f->n, f->N);
        print_sum(f, digits, 1, out);
        core_text_printf(out, ",%" PRId64 ")", digits == 0 ? 0 : f->t[0].coef);
    } else if (mu > 0) {
        core_text_printf(out, "q(%" PRId64 ",%" PRId64 ",", f->n, f->N);
        print_sum(f, 2, mu, out);
        core_text_printf(out, ",%" PRId64 ",%" PRId64 ")", f->t[1].coef / mu, mu);
    } else {
        core_text_printf(out, "[%" PRId64 "->%" PRId64 ": ", f->n, f->N);
        print_sum(f, 0, 1, out);
        core_text_printf(out, "]");
    }
}

void ix_print(const ix *f, core_text *out)
{
    if (f->kind == IX_DIGIT) {
        print_digits(f, out);
    } else if (f->kind == IX_OPAQUE) {
        ix_print(f->outer, out);
        core_text_printf(out, " (o) ");
        ix_print(f->inner, out);
    } else if (ix_is_fold(f)) {
        core_text_printf(out, "fold(%" PRId64 ")", f->n);
    } else if (f->kind == IX_TWO) {
        core_text_printf(out, "two(");
        print_term(f->t, 3 * f->t->div, true, out);
        for (int b = 0; b < 2; b++) {
            core_text_printf(out, ", ");
            ix_print(f->branch[b], out);
        }
        core_text_printf(out, ")");
    } else if (f->c != 0) {
        core_text_printf(out, "power(%" PRId64 ",%" PRId64 ")", f->N, f->c);
    } else {
        core_text_printf(out, "table(%" PRId64 ":", f->N);
        for (int64_t i = 0; i < f->n; i++)
            core_text_printf(out, i == 0 ? " %" PRId64 : ",%" PRId64, f->table[i]);
        core_text_printf(out, ")");
    }
}
