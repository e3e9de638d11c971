// SPDX-License-Identifier: BSD-3-Clause
/* Programs as text, one statement a line:
 *
 *   program 1024 -> 1024, parts 1
 *   buf b0 IN 1024; b1 OUT 1024; b2 SHARED 1024 @0
 *   vec[8,inter] k0 < 32:
 *     b2[k0*32 + i] = T(32,32)[..] DFT(32) b0[k0 + i*32], i < 32
 *   sync
 *
 * Index functions are infix with C's operators; i is the element of the statement. With p parts,
 * .net marks sides of class NET, and comments give the elements that cross:
 *
 *   b1.net[k0*8 + i] = DFT(8) b0.net[k0 + i*8], i < 8
 *   sync  # net: 32 of 64 elements in 8 packets of 4 */
#include <inttypes.h>

#include "spl/program/program.h"

#include "spl/codelet/codelet.h"

typedef struct printer {
    const prog *p;
    core_text *out;
    int64_t range[IX_MAX_VARS]; /* of the loops around */
    prog_exchanges net;         /* counted if there are parts */
} printer;

static void print_ix(printer *pr, const ix *f, const char *index);

/* coef*(src/div%ext) without operations that change nothing: x/1, x*1, and % at the end of src. */
static void print_term(printer *pr, const ix_term *t, int64_t coef, int64_t range,
                       const char *index)
{
    bool div = t->div > 1, mod = range <= 0 || t->ext < (range + t->div - 1) / t->div;
    core_text_printf(pr->out, "%s", (div || mod) && coef != 1 ? "(" : "");
    if (t->src == IX_INDEX)
        core_text_printf(pr->out, "%s", index);
    else
        core_text_printf(pr->out, "k%d", t->src);
    if (div)
        core_text_printf(pr->out, "/%" PRId64, t->div);
    if (mod)
        core_text_printf(pr->out, "%%%" PRId64, t->ext);
    core_text_printf(pr->out, "%s", (div || mod) && coef != 1 ? ")" : "");
    if (coef != 1)
        core_text_printf(pr->out, "*%" PRId64, coef);
}

static void print_digits(printer *pr, const ix *f, const char *index)
{
    if (f->nt == 0 || f->c != 0)
        core_text_printf(pr->out, "%" PRId64, f->c);
    bool first = f->nt > 0 && f->c == 0;
    for (int i = f->nt - 1; i >= 0; i--) { /* variables first, the index last */
        const ix_term *t = &f->t[i];
        int64_t range = t->src == IX_INDEX ? f->n : pr->range[t->src];
        bool minus = t->coef < 0;
        core_text_printf(pr->out, "%s", first ? (minus ? "-" : "") : minus ? " - " : " + ");
        print_term(pr, t, minus ? -t->coef : t->coef, range, index);
        first = false;
    }
}

static void print_ix(printer *pr, const ix *f, const char *index)
{
    if (f->kind == IX_DIGIT) {
        print_digits(pr, f, index);
    } else if (f->kind == IX_TABLE && f->c != 0) {
        core_text_printf(pr->out, "power(%" PRId64 ",%" PRId64 ")[%s]", f->N, f->c, index);
    } else if (f->kind == IX_TABLE) {
        core_text_printf(pr->out, "table{");
        for (int64_t i = 0; i < f->n && i < 8; i++)
            core_text_printf(pr->out, "%s%" PRId64, i > 0 ? " " : "", f->table[i]);
        core_text_printf(pr->out, "%s}[%s]", f->n > 8 ? " .." : "", index);
    } else if (f->kind == IX_TWO) {
        core_text_printf(pr->out, "(");
        print_term(pr, f->t, 1, 0, index);
        core_text_printf(pr->out, " ? ");
        print_ix(pr, f->branch[1], index);
        core_text_printf(pr->out, " : ");
        print_ix(pr, f->branch[0], index);
        core_text_printf(pr->out, ")");
    } else {
        core_text inner = {0};
        printer sub = *pr;
        sub.out = &inner;
        core_text_printf(&inner, "(");
        print_ix(&sub, f->inner, index);
        core_text_printf(&inner, ")");
        pr->out->failed = pr->out->failed || inner.failed;
        print_ix(pr, f->outer, core_text_string(&inner));
        core_text_free(&inner);
    }
}

static bool is_net(const printer *pr, const prog_stmt *s, int side)
{
    return pr->net.net != NULL && (pr->net.net[s - pr->p->stmt] & side) != 0;
}

static void print_place(printer *pr, int buf, const ix *f, bool net)
{
    core_text_printf(pr->out, "b%d%s[", buf, net ? ".net" : "");
    print_ix(pr, f, "i");
    core_text_printf(pr->out, "]");
}

static void print_loop(printer *pr, const spl_range *r)
{
    static const char *const kind[] = {"seq", "par", "stream", "vec"};
    static const char *const format[] = {"inter", "split", "real"};
    core_text_printf(pr->out, "%s", kind[r->kind]);
    if (r->kind == SPL_VEC)
        core_text_printf(pr->out, "[%" PRId64 ",%s]", r->nu, format[r->format]);
    core_text_printf(pr->out, " k%d < %" PRId64, r->var, r->n);
    if (r->share_var >= 0)
        core_text_printf(pr->out, " @ k%d/%" PRId64, r->share_var, r->shares);
    if (r->share_var >= 0 && r->grain > 1)
        core_text_printf(pr->out, " grain %" PRId64, r->grain);
    core_text_printf(pr->out, ":\n");
    pr->range[r->var] = r->n;
}

/* The range of i: on both sides, or on the left and on the right. */
static void print_extent(printer *pr, const prog_stmt *s)
{
    core_text_printf(pr->out, ", i < %" PRId64, s->fout->n);
    if (s->fin->n != s->fout->n)
        core_text_printf(pr->out, " from i < %" PRId64, s->fin->n);
    core_text_printf(pr->out, s->at_once ? ", at once\n" : "\n");
}

static void print_factors(printer *pr, const prog_stmt *s, prog_factor place)
{
    for (int i = 0; i < s->ntwiddles; i++) {
        const prog_twiddle *w = &s->twiddle[i];
        if (w->place != place)
            continue;
        spl_values_print(w->values, w->n, w->m, w->conjugate, pr->out);
        core_text_printf(pr->out, "[");
        print_ix(pr, w->f, "i");
        core_text_printf(pr->out, "] ");
    }
}

static void print_kernel(printer *pr, const prog_stmt *s)
{
    print_place(pr, s->out, s->fout, is_net(pr, s, PROG_NET_OUT));
    core_text_printf(pr->out, " = ");
    print_factors(pr, s, PROG_FACTOR_OUT);
    core_text_printf(pr->out, "%s", prog_kernel_word(s));
    if (s->kernel == SPL_PAIR)
        core_text_printf(pr->out, ".%s ", spl_pairs_def_of((spl_pairs_kind)s->kind)->word);
    else
        core_text_printf(pr->out, "(%" PRId64 ") ", s->n);
    print_factors(pr, s, PROG_FACTOR_MIDDLE);
    print_place(pr, s->in, s->fin, is_net(pr, s, PROG_NET_IN));
    print_extent(pr, s);
}

static void print_copy(printer *pr, const prog_stmt *s)
{
    core_text_printf(pr->out, "%s%s ", s->put ? "put" : "get", s->cls == SPL_NET ? ".net" : "");
    print_place(pr, s->out, s->fout, is_net(pr, s, PROG_NET_OUT));
    core_text_printf(pr->out, " = ");
    print_place(pr, s->in, s->fin, is_net(pr, s, PROG_NET_IN));
    print_extent(pr, s);
}

static void print_zero(printer *pr, const prog_stmt *s)
{
    print_place(pr, s->out, s->fout, is_net(pr, s, PROG_NET_OUT));
    core_text_printf(pr->out, " = 0");
    print_extent(pr, s);
}

static void print_bufs(printer *pr)
{
    static const char *const space[] = {"IN", "OUT", "SHARED", "LOCAL"};
    core_text_printf(pr->out, "buf ");
    for (int i = 0; i < pr->p->nbufs; i++) {
        const prog_buf *b = &pr->p->buf[i];
        core_text_printf(pr->out, "%sb%d %s %" PRId64, i > 0 ? "; " : "", i, space[b->space],
                         b->elems);
        if (b->type == SPL_TYPE_REAL)
            core_text_printf(pr->out, " real");
        if (b->halves)
            core_text_printf(pr->out, " in halves");
        if (b->copies > 1)
            core_text_printf(pr->out, " x%d", b->copies);
        if (b->space == PROG_SHARED || b->space == PROG_LOCAL)
            core_text_printf(pr->out, " @%" PRId64, b->offset);
    }
    core_text_printf(pr->out, "\n");
}

static void print_sides(printer *pr)
{
    const prog_sides *s = &pr->p->sides;
    if (s->in_place)
        core_text_printf(pr->out, ", in place");
    if (s->out_is_scratch)
        core_text_printf(pr->out, ", output is scratch");
    if (s->in_layout == SLUICE_SPLIT)
        core_text_printf(pr->out, ", input split");
    if (s->out_layout == SLUICE_SPLIT)
        core_text_printf(pr->out, ", output split");
}

static bool has_traffic(const printer *pr, size_t at)
{
    return pr->net.at != NULL && pr->net.at[at].packets > 0;
}

/* Prints the exchange of one of the user's arrays. */
static void print_side(printer *pr, const char *side, size_t at)
{
    if (!has_traffic(pr, at))
        return;
    core_text_printf(pr->out, "# net, %s: ", side);
    prog_traffic_print(&pr->net.at[at], pr->out);
    core_text_printf(pr->out, "\n");
}

static void print_sync(printer *pr, size_t at)
{
    core_text_printf(pr->out, "sync");
    if (has_traffic(pr, at)) {
        core_text_printf(pr->out, "  # net: ");
        prog_traffic_print(&pr->net.at[at], pr->out);
    }
    core_text_printf(pr->out, "\n");
}

static void find_net(printer *pr)
{
    sluice_diag why;
    const sluice_status status = prog_exchange(pr->p, &pr->net, &why);
    if (status == SLUICE_E_MEMORY)
        pr->out->failed = true;
    else if (status != SLUICE_OK)
        core_text_printf(pr->out, "# exchanges are not counted: %s\n", why.message);
}

static void print_stmt(printer *pr, const prog_stmt *s)
{
    core_text_printf(pr->out, "%*s", 2 * s->depth, "");
    if (s->op == PROG_LOOP)
        print_loop(pr, &s->range);
    else if (s->op == PROG_KERN)
        print_kernel(pr, s);
    else if (s->op == PROG_COPY)
        print_copy(pr, s);
    else if (s->op == PROG_ZERO)
        print_zero(pr, s);
    else
        print_sync(pr, (size_t)(s - pr->p->stmt));
}

void prog_traffic_print(const prog_traffic *x, core_text *out)
{
    core_text_printf(out, "%" PRId64 " of %" PRId64 " elements in %" PRId64 " packet%s of ",
                     x->communicated, x->elements, x->packets, x->packets == 1 ? "" : "s");
    if (x->min == x->max)
        core_text_printf(out, "%" PRId64, x->min);
    else
        core_text_printf(out, "%" PRId64 " to %" PRId64, x->min, x->max);
}

void prog_print(const prog *p, core_text *out)
{
    printer pr = {.p = p, .out = out};
    core_text_printf(out, "program %" PRId64 " -> %" PRId64 ", parts %" PRId64, p->cols, p->rows,
                     p->parts);
    print_sides(&pr);
    core_text_printf(out, "\n");
    print_bufs(&pr);
    if (p->parts > 1)
        find_net(&pr);
    print_side(&pr, "input", PROG_AT_INPUT(p));
    for (size_t i = 0; i < p->nstmts; i++)
        print_stmt(&pr, &p->stmt[i]);
    print_side(&pr, "output", PROG_AT_OUTPUT(p));
    prog_exchanges_free(&pr.net);
}
