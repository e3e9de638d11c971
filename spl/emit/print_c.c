// SPDX-License-Identifier: BSD-3-Clause
/* Formulas as C, by definition: y = A x as functions matrix_K. */
#include "spl/emit/print_c.h"

#include <inttypes.h>

static void open_matrix(spl_c *c)
{
    core_text_printf(&c->text, "\nstatic bool matrix_%d(const long double *x, long double *y)\n{\n",
                     ++c->functions);
}

/* One element at a time: T, C, B, R, K, W, H, P, D, G, S, EMBED, RE, CONJ. */
static void print_elements(const spl *x, spl_c *c)
{
    const bool scatter = x->op == SPL_SCAT;
    core_text index = {0};

    if (x->f)
        ix_print_c(x->f, "i", c, &index);
    open_matrix(c);
    if (scatter)
        core_text_printf(&c->text, "    check_clear(y, %" PRId64 ");\n", x->rows);
    core_text_printf(&c->text,
                     "    for (int64_t i = 0; i < %" PRId64 "; i++) {\n"
                     "        const int64_t t = %s;\n",
                     scatter ? x->cols : x->rows, x->f ? core_text_string(&index) : "i");
    if (x->op == SPL_DIAGONAL || x->op == SPL_DIAG_OF)
        core_text_printf(
            &c->text,
            "        check_diagonal(%s, %" PRId64 ", %" PRId64 ", %s, t, x + 2 * i, y + 2 * i);\n",
            spl_values_name(spl_diagonal_values(x)), x->a[0], x->a[1], spl_truth(x->a[2]));
    else if (x->op == SPL_RETYPE)
        core_text_printf(&c->text, "        y[2 * t] = x[2 * t];\n        y[2 * t + 1] = %s;\n",
                         spl_retype_kind(x) == SPL_RETYPE_CONJ ? "-x[2 * t + 1]" : "0");
    else
        core_text_printf(&c->text,
                         "        y[2 * %s] %s= x[2 * %s];\n"
                         "        y[2 * %s + 1] %s= x[2 * %s + 1];\n",
                         scatter ? "t" : "i", scatter ? "+" : "", scatter ? "i" : "t",
                         scatter ? "t" : "i", scatter ? "+" : "", scatter ? "i" : "t");
    core_text_printf(&c->text, "    }\n    return true;\n}\n");
    c->text.failed = c->text.failed || index.failed;
    core_text_free(&index);
}

enum { KIDS = 64 }; /* of a node */

static int print_matrix(const spl *x, spl_c *c);

/* A product, or A (x) B (x) C = (A (x) I)(I (x) B (x) I)(I (x) C): steps from right to left,
 * between two vectors alternately. */
static void print_steps(const spl *x, spl_c *c)
{
    const bool kron = x->op == SPL_KRON;
    int number[KIDS];
    int64_t left = x->cols, right = 1, widest = x->rows > x->cols ? x->rows : x->cols;

    for (int k = x->nkids - 1; k >= 0; k--) {
        const spl *kid = x->kid[k];
        number[k] = kron && kid->op == SPL_I ? 0 : print_matrix(kid, c);
        left /= kron ? kid->cols : 1;
        right *= kron ? kid->rows : 1;
        if (kron && left * right > widest)
            widest = left * right;
        if (!kron && kid->rows > widest)
            widest = kid->rows;
    }
    open_matrix(c);
    core_text_printf(&c->text,
                     "    check_steps s;\n\n"
                     "    if (!check_begin(&s, %" PRId64 ", x, %" PRId64 "))\n"
                     "        return false;\n",
                     widest, x->cols);
    left = x->cols;
    right = 1;
    for (int k = x->nkids - 1; k >= 0; k--) {
        const spl *kid = x->kid[k];
        left /= kron ? kid->cols : 1;
        if (number[k])
            core_text_printf(&c->text,
                             "    check_step(&s, matrix_%d, %" PRId64 ", %" PRId64 ", %" PRId64
                             ", %" PRId64 ");\n",
                             number[k], kron ? left : 1, kid->rows, kid->cols, kron ? right : 1);
        right *= kron ? kid->rows : 1;
    }
    core_text_printf(&c->text, "    return check_end(&s, y, %" PRId64 ");\n}\n", x->rows);
}

static void print_sum(const spl *x, spl_c *c)
{
    int64_t row = 0, col = 0;
    int number[KIDS];

    for (int k = 0; k < x->nkids; k++)
        number[k] = print_matrix(x->kid[k], c);
    open_matrix(c);
    core_text_printf(&c->text, "    return true");
    for (int k = 0; k < x->nkids; k++) {
        core_text_printf(&c->text,
                         "\n        && matrix_%d(x + 2 * %" PRId64 ", y + 2 * %" PRId64 ")",
                         number[k], col, row);
        row += x->kid[k]->rows;
        col += x->kid[k]->cols;
    }
    core_text_printf(&c->text, ";\n}\n");
}

static void print_loop(const spl *x, spl_c *c)
{
    const spl_range range = spl_range_of(x);
    const int v = range.var;

    core_text_printf(&c->text, "\nstatic int64_t k%d;\n", v);
    const int body = print_matrix(x->kid[0], c);
    open_matrix(c);
    core_text_printf(&c->text,
                     "    int64_t lo = 0, hi = %" PRId64 ";\n    bool done = true;\n\n"
                     "    check_clear(y, %" PRId64 ");\n",
                     range.n, x->rows);
    if (range.share_var >= 0)
        spl_c_share(c, 1, &range, "lo", "hi");
    core_text_printf(&c->text,
                     "    for (k%d = lo; k%d < hi && done; k%d++)\n"
                     "        done = check_add(matrix_%d, x, y, %" PRId64 ");\n"
                     "    return done;\n}\n",
                     v, v, v, body, x->rows);
}

static void print_plus(const spl *x, spl_c *c)
{
    int number[KIDS];

    for (int k = 0; k < x->nkids; k++)
        number[k] = print_matrix(x->kid[k], c);
    open_matrix(c);
    core_text_printf(&c->text, "    check_clear(y, %" PRId64 ");\n    return true", x->rows);
    for (int k = 0; k < x->nkids; k++)
        core_text_printf(&c->text, "\n        && check_add(matrix_%d, x, y, %" PRId64 ")",
                         number[k], x->rows);
    core_text_printf(&c->text, ";\n}\n");
}

/* Calls that compute transforms: the text before the size and after it. */
static const struct {
    const char *before, *after;
} definitions[SPL_KIND_COUNT] = {
    [SPL_DFT] = {"spl_oracle_dft(", ", false, x, y) == SLUICE_OK"},
    [SPL_IDFT] = {"spl_oracle_dft(", ", true, x, y) == SLUICE_OK"},
    [SPL_RDFT] = {"check_rdft(", ", x, y)"},
    [SPL_IRDFT] = {"check_irdft(", ", x, y)"},
    [SPL_HC] = {"check_to_order(SPL_ORDER_HALFCOMPLEX, ", ", x, y)"},
    [SPL_IHC] = {"check_from_order(SPL_ORDER_HALFCOMPLEX, ", ", x, y)"},
    [SPL_PACKED] = {"check_to_order(SPL_ORDER_PACKED, ", ", x, y)"},
    [SPL_IPACKED] = {"check_from_order(SPL_ORDER_PACKED, ", ", x, y)"},
};

/* Cosine, sine and Hartley transforms, by the parameters of their definition. */
static void print_sums(const spl *x, spl_c *c)
{
    static const int trig[] = {[SPL_TRIG_COS] = 1, [SPL_TRIG_SIN] = -1, [SPL_TRIG_CAS] = 0};
    const spl_transform *t = spl_transform_of(spl_transform_kind(x));

    core_text_printf(
        &c->text,
        "    const check_sums sums = {.trig = %d, .j0 = %d, .k0 = %d, .unit = %d, .more = %d,\n"
        "                             .first = %s, .last = %s, .weight = %d};\n\n"
        "    return check_real(sums, %" PRId64 ", x, y);\n}\n",
        trig[t->trig], t->j0, t->k0, t->unit, t->more,
        spl_truth(t->edge == SPL_EDGE_FIRST || t->edge == SPL_EDGE_BOTH),
        spl_truth(t->edge == SPL_EDGE_LAST || t->edge == SPL_EDGE_BOTH), t->weight, x->a[0]);
}

/* A node that is printed as one call. */
static void print_leaf(const spl *x, spl_c *c)
{
    open_matrix(c);
    if (x->op == SPL_TRANSFORM && !definitions[x->a[1]].before)
        print_sums(x, c);
    else if (x->op == SPL_TRANSFORM)
        core_text_printf(&c->text, "    return %s%" PRId64 "%s;\n}\n", definitions[x->a[1]].before,
                         x->a[0], definitions[x->a[1]].after);
    else
        core_text_printf(&c->text,
                         "    check_stride(%" PRId64 ", %" PRId64 ", x, y);\n"
                         "    return true;\n}\n",
                         x->rows, x->op == SPL_L ? x->a[1] : 1);
}

/* Prints the functions of a node and its operands; returns the number of its own. */
static int print_matrix(const spl *x, spl_c *c)
{
    if (x->nkids > KIDS) {
        c->text.failed = true;
        return 0;
    }
    switch (x->op) {
    case SPL_TAG: return print_matrix(x->kid[0], c);
    case SPL_I:
    case SPL_L:
    case SPL_TRANSFORM: print_leaf(x, c); break;
    case SPL_KRON:
    case SPL_MUL: print_steps(x, c); break;
    case SPL_DSUM: print_sum(x, c); break;
    case SPL_PLUS: print_plus(x, c); break;
    case SPL_LOOP: print_loop(x, c); break;
    default: print_elements(x, c); break;
    }
    return c->functions;
}

/* PAIRS, and pairs of reals viewed as complex numbers, cannot be printed. */
bool spl_has_c(const spl *x)
{
    const bool views = x->op == SPL_RETYPE && x->a[1] <= SPL_RETYPE_UNVIEW;
    bool has = x->op != SPL_PAIRS && x->op != SPL_PAIR && !views;

    for (int k = 0; k < x->nkids; k++)
        has = has && spl_has_c(x->kid[k]);
    return has;
}

int spl_print_c(const spl *x, spl_c *c)
{
    return print_matrix(x, c);
}
