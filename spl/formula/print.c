// SPDX-License-Identifier: BSD-3-Clause
/* Formulas as text that parses back to the same node. The grammar is in docs/FORMULAS.md. */
#include "core/real.h"
#include "core/text.h"
#include "spl/formula/spl.h"

#include <inttypes.h>

#include "spl/formula/formats.h"

static const char *const class_name[] = {"", ".copy", ".net"};
static const char *const loop_name[] = {"SUM", "SUM.par", "SUM.stream", "SUM.vec"};
static const char *const format_name[] = {"inter", "split", "real"};

const char *const spl_tag_words[SPL_TAG_COUNT] = {
    [SPL_TAG_SPE] = "spe",   [SPL_TAG_STREAM] = "stream", [SPL_TAG_VEC] = "vec",
    [SPL_TAG_TILE] = "tile", [SPL_TAG_LOCAL] = "local",   [SPL_TAG_LEAF] = "leaf"};

static void print_tag(const spl_tag *tag, core_text *out)
{
    core_text_printf(out, "%s", spl_tag_words[tag->kind]);
    if (tag->kind == SPL_TAG_LEAF)
        return;
    core_text_printf(out, "(%" PRId64, tag->a[0]);
    if (tag->kind == SPL_TAG_SPE)
        core_text_printf(out, ",%" PRId64, tag->a[1]);
    if (tag->kind == SPL_TAG_VEC)
        core_text_printf(out, ",%s", format_name[tag->a[1]]);
    core_text_printf(out, ")");
}

/* Operands that are operators themselves stand in parentheses, also where precedence would do. */
static void print_operand(const spl *x, core_text *out)
{
    const bool wrap =
        x->op == SPL_MUL || x->op == SPL_DSUM || x->op == SPL_KRON || x->op == SPL_PLUS;
    core_text_printf(out, wrap ? "(" : "");
    spl_print(x, out);
    core_text_printf(out, wrap ? ")" : "");
}

static void print_operands(const spl *x, const char *operator, core_text * out)
{
    for (int i = 0; i < x->nkids; i++) {
        core_text_printf(out, "%s", i == 0 ? "" : operator);
        print_operand(x->kid[i], out);
    }
}

static void print_tagged(const spl *x, core_text *out)
{
    print_operand(x->kid[0], out);
    core_text_printf(out, "_{");
    for (int i = 0; i < x->ntags; i++) {
        core_text_printf(out, i == 0 ? "" : ",");
        print_tag(&x->tag[i], out);
    }
    core_text_printf(out, "}");
}

static void print_function(const char *head, const spl *x, const char *tail, core_text *out)
{
    core_text_printf(out, "%s(", head);
    ix_print(x->f, out);
    core_text_printf(out, ")%s", tail);
}

static void print_moving(const char *letter, const spl *x, core_text *out)
{
    core_text_printf(out, "%s", letter);
    print_function(class_name[spl_move_class(x)], x, "", out);
}

void spl_values_print(spl_values values, int64_t n, int64_t m, bool conjugate, core_text *out)
{
    const spl_values_words *name = spl_values_named(values);
    if (values == SPL_CONST) {
        core_text_printf(out, "D.const(%s)", core_real(spl_constant_value(m)).text);
        return;
    }
    core_text_printf(out, "%c(%" PRId64, name->letter, n);
    if (name->two)
        core_text_printf(out, ",%" PRId64, m);
    core_text_printf(out, ")%s", conjugate ? "^-1" : "");
}

static void print_loop(const spl *x, core_text *out)
{
    const spl_range r = spl_range_of(x);
    core_text_printf(out, "%s", loop_name[r.kind]);
    if (r.kind == SPL_VEC)
        core_text_printf(out, "[%" PRId64 ",%s]", r.nu, format_name[r.format]);
    core_text_printf(out, "(k%d<%" PRId64, r.var, r.n);
    if (r.share_var >= 0)
        core_text_printf(out, "@k%d/%" PRId64, r.share_var, r.shares);
    if (r.share_var >= 0 && r.grain != 1)
        core_text_printf(out, "/%" PRId64, r.grain);
    core_text_printf(out, ", ");
    spl_print(x->kid[0], out);
    core_text_printf(out, ")");
}

static void print_diagonal(const spl *x, core_text *out)
{
    const spl_values_words *name = spl_values_named(spl_diagonal_values(x));
    core_text_printf(out, "D%s%s(", name->word[0] != '\0' ? "." : "", name->word);
    if (spl_diagonal_values(x) == SPL_CONST)
        core_text_printf(out, "%s,", core_real(spl_constant_value(x->a[1])).text);
    else
        core_text_printf(out, "%" PRId64 ",", x->a[0]);
    if (name->two)
        core_text_printf(out, "%" PRId64 ",", x->a[1]);
    ix_print(x->f, out);
    core_text_printf(out, ")%s", x->a[2] ? "^-1" : "");
}

static void print_pairs(const char *head, const spl *x, core_text *out)
{
    core_text_printf(out, "%s.%s(%" PRId64, head, spl_pairs_def_of(spl_pairs_kind_of(x))->word,
                     spl_pairs_points(x));
    core_text_printf(out, x->f == NULL ? "" : ",");
    if (x->f != NULL)
        ix_print(x->f, out);
    core_text_printf(out, ")");
}

void spl_print(const spl *x, core_text *out)
{
    switch (x->op) {
    case SPL_I: core_text_printf(out, "I(%" PRId64 ")", x->a[0]); break;
    case SPL_TRANSFORM:
        core_text_printf(out, "%s(%" PRId64 ")", spl_transform_of(spl_transform_kind(x))->word,
                         x->a[0]);
        break;
    case SPL_RETYPE:
        core_text_printf(out, "%s(%" PRId64 ")%s", spl_retype_word(spl_retype_kind(x)), x->a[0],
                         spl_retype_kind(x) == SPL_RETYPE_UNVIEW ? "^-1" : "");
        break;
    case SPL_PAIRS: print_pairs("PAIRS", x, out); break;
    case SPL_PAIR: print_pairs(spl_role_word(spl_pair_role(x)), x, out); break;
    case SPL_L: core_text_printf(out, "L(%" PRId64 ",%" PRId64 ")", x->a[0], x->a[1]); break;
    case SPL_DIAGONAL:
        spl_values_print(spl_diagonal_values(x), x->a[0], x->a[1], x->a[2] != 0, out);
        break;
    case SPL_KRON: print_operands(x, " (x) ", out); break;
    case SPL_MUL: print_operands(x, " * ", out); break;
    case SPL_DSUM: print_operands(x, " (+) ", out); break;
    case SPL_TAG: print_tagged(x, out); break;
    case SPL_PERM: print_function("P", x, "", out); break;
    case SPL_PLUS: print_operands(x, " + ", out); break;
    case SPL_DIAG_OF: print_diagonal(x, out); break;
    case SPL_GATH: print_moving("G", x, out); break;
    case SPL_SCAT: print_moving("S", x, out); break;
    case SPL_LOOP: print_loop(x, out); break;
    case SPL_OP_COUNT: break;
    }
}
