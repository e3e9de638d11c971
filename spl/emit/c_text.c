// SPDX-License-Identifier: BSD-3-Clause
#include "spl/emit/c_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const char *spl_truth(bool b)
{
    return b ? "true" : "false";
}

const char *spl_values_name(spl_values values)
{
    static const char *const name[] = {"SPL_TWIDDLES", "SPL_CHIRP",  "SPL_SPECTRUM",
                                       "SPL_RADER",    "SPL_CORNER", "SPL_ROOTS",
                                       "SPL_HALF",     "SPL_SIGNS",  "SPL_CONST"};
    return name[values];
}

void spl_c_line(spl_c *c, int depth, const char *format, ...)
{
    char line[400];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    core_text_printf(&c->text, "%*s%s", 4 * depth, "", line);
}

void spl_c_for(spl_c *c, int depth, const char *var, const char *low, const char *high,
               const char *end)
{
    spl_c_line(c, depth, "for (%s %s = %s; %s < %s; %s++)%s\n", c->index, var, low, var, high, var,
               end);
}

void spl_c_share(spl_c *c, int depth, const spl_range *r, const char *low, const char *high)
{
    spl_c_line(c, depth, "spl_share(%" PRId64 ", %" PRId64 ", %" PRId64 ", k%d, &%s, &%s);\n", r->n,
               r->shares, r->grain, r->share_var, low, high);
}

void spl_c_digit(core_text *out, const char *source, int64_t div, int64_t ext, int64_t coef,
                 bool brief)
{
    core_text_printf(out, "%s", source);
    if (div != 1)
        core_text_printf(out, " / %" PRId64, div);
    if (ext)
        core_text_printf(out, " %% %" PRId64, ext);
    if (!brief || coef != 1)
        core_text_printf(out, " * %" PRId64, coef);
}

const char *spl_c_separator(int64_t i)
{
    return i == 0 ? "" : i % 8 == 0 ? ",\n    " : ", ";
}

/* ---- index functions ---- */

static void print_index_table(const ix *f, spl_c *c)
{
    core_text_printf(&c->data, "%s %s_%d[] = {", c->storage, c->prefix, ++c->tables);
    for (int64_t i = 0; i < f->n; i++)
        core_text_printf(&c->data, "%s%" PRId64, spl_c_separator(i), f->table[i]);
    core_text_printf(&c->data, "};\n");
}

/* Is the digit the highest of its source, so that no remainder is needed? */
static bool is_last_digit(const ix_term *t, int64_t n, const int64_t *range)
{
    if (!range)
        return false;
    const int64_t reach = t->src == IX_INDEX ? n : range[t->src];
    return t->ext >= (reach + t->div - 1) / t->div;
}

static void print_digit(const ix_term *t, int64_t ext, const char *index, bool brief,
                        core_text *out)
{
    char var[16];
    snprintf(var, sizeof var, "k%d", t->src);
    spl_c_digit(out, t->src == IX_INDEX ? index : var, t->div, ext, t->coef, brief);
}

static void print_digit_sum(const ix *f, const char *index, const spl_c *c, core_text *out)
{
    const bool starts = f->nt == 0 || f->c != 0 || !c->range;

    core_text_printf(out, "(");
    if (starts)
        core_text_printf(out, "%" PRId64, f->c);
    for (int k = 0; k < f->nt; k++) {
        const ix_term *t = &f->t[k];
        core_text_printf(out, "%s", k > 0 || starts ? " + " : "");
        print_digit(t, is_last_digit(t, f->n, c->range) ? 0 : t->ext, index, c->range != NULL, out);
    }
    core_text_printf(out, ")");
}

void ix_print_c(const ix *f, const char *index, spl_c *c, core_text *out)
{
    core_text inner = {0};

    switch (f->kind) {
    case IX_DIGIT: print_digit_sum(f, index, c, out); break;
    case IX_TABLE:
        print_index_table(f, c);
        core_text_printf(out, "%s_%d[%s]", c->prefix, c->tables, index);
        break;
    case IX_TWO:
        core_text_printf(out, "(");
        print_digit(f->t, 2, index, true, out);
        core_text_printf(out, " ? ");
        ix_print_c(f->branch[1], index, c, out);
        core_text_printf(out, " : ");
        ix_print_c(f->branch[0], index, c, out);
        core_text_printf(out, ")");
        break;
    case IX_OPAQUE:
        ix_print_c(f->inner, index, c, &inner);
        ix_print_c(f->outer, core_text_string(&inner), c, out);
        break;
    }
    out->failed = out->failed || inner.failed;
    core_text_free(&inner);
}
