// SPDX-License-Identifier: BSD-3-Clause
/* The loops around the statements of a step of pairs: pointers to its streams (gen_pairs.c), their
 * strides and, at M, the vector that repeats columns. */
#include "spl/codelet/gen.h"

static const char *const parts[2] = {"re", "im"};

static char side_letter(const gen_row *r)
{
    return r->output ? 'o' : 'i';
}

static int column_bytes(const gen_emit *e, const gen_row *r)
{
    return e->vector.bytes * (gen_row_format(e, r) == SPL_INTER ? 2 : 1);
}

/* Bytes from column to column, as an expression. */
static gen_name column_of(const gen_emit *e, const gen_row *r, int part)
{
    const int unit = column_bytes(e, r);
    const bool back = gen_row_backward(e, r, part);
    if (e->key->position == SPL_POS_G)
        return gen_print("call->%ccs%s * %d", side_letter(r), back ? "1" : "", e->vector.bytes);
    return gen_print("%d", back && e->key->position == SPL_POS_M ? -unit : unit);
}

/* Bytes from set to set. */
static gen_name set_of(const gen_emit *e, const gen_row *r, int part)
{
    const int bytes = e->vector.bytes;
    return gen_print("call->%couter * %d", side_letter(r),
                     gen_row_backward(e, r, part) ? -bytes : bytes);
}

/* Bytes from column 0 of row 0 to the first vector of the stream that is loaded. In a mirrored row
 * 1, im is before that of row 0. */
static gen_name start_of(const gen_emit *e, const gen_row *r, int part)
{
    const bool before = gen_row_format(e, r) == SPL_MIRROR && part == 1;
    const gen_name row = r->second ? gen_print("call->%cs * %d + ", side_letter(r),
                                               before ? -e->vector.bytes : e->vector.bytes)
                                   : gen_print("%s", "");
    const bool sets = e->key->position == SPL_POS_B;
    const gen_name by = sets ? set_of(e, r, part) : column_of(e, r, part);
    const int back = e->key->lanes - 1;
    if (e->key->position == SPL_POS_M && gen_row_backward(e, r, part) && back > 0)
        return gen_print("%s((ptrdiff_t)first + %d) * %s", row.text, back, by.text);
    return gen_print("%s(ptrdiff_t)first * %s", row.text, by.text);
}

static void print_stream(const gen_emit *e, const gen_row *r, int part, core_text *text)
{
    const char *const type = r->output ? "char" : "const char";
    const gen_name name = gen_print("%s_%s", r->name, parts[part]);
    const gen_name column = column_of(e, r, part), set = set_of(e, r, part);
    core_text_printf(text, "    %s *%s = (%s *)call->%s_%s + (%s);\n", type, name.text, type,
                     r->output ? "out" : "in", parts[part], start_of(e, r, part).text);
    core_text_printf(text, "    const ptrdiff_t %s_step = %d * %s;\n", name.text, e->key->lanes,
                     column.text);
    if (e->key->position == SPL_POS_B)
        core_text_printf(text,
                         "    const ptrdiff_t %s_set = %s - (ptrdiff_t)call->set_columns * %s;\n",
                         name.text, set.text, column.text);
    if (e->key->position == SPL_POS_G)
        core_text_printf(text, "    const %s_index %s_lanes = %s_lanes(call->%ccs%s);\n",
                         e->vector.type, name.text, e->vector.type, side_letter(r),
                         gen_row_backward(e, r, part) ? "1" : "");
}

/* Bytes of the factors of a column, or set. */
static int factor_bytes(const gen_emit *e)
{
    return 2 * gen_pairs_factors(e) * e->vector.bytes;
}

static void print_advance(const gen_emit *e, const char *by, core_text *text)
{
    for (int i = 0; i < GEN_ROWS; i++)
        for (int part = 0; gen_has_row(e, i) && part < gen_row_streams(e, &gen_rows[i]); part++)
            core_text_printf(text, "        %s_%s += %s_%s_%s;\n", gen_rows[i].name, parts[part],
                             gen_rows[i].name, parts[part], by);
}

static void print_held_rows(const gen_emit *e, core_text *text)
{
    for (int i = 0; i < GEN_ROW_OUT; i++)
        for (int part = 0; gen_has_row(e, i) && part < gen_row_streams(e, &gen_rows[i]); part++)
            core_text_printf(
                text, "    const char *const %s_%s = %s_%s + (ptrdiff_t)(count - %d) * %s;\n",
                gen_last_rows[i].name, parts[part], gen_rows[i].name, parts[part], e->key->lanes,
                column_of(e, &gen_rows[i], part).text);
    core_text_add(text, core_text_string(&e->held), e->held.length);
    core_text_printf(text, "    const size_t rest = count %% %d;\n    count -= rest;\n",
                     e->key->lanes);
}

/* Split factors of adjacent blocks are joined when they are loaded (gen_step.c). */
static void print_last_vector(const gen_emit *e, core_text *text)
{
    const int factor = e->key->compute == SPL_SPLIT ? e->vector.bytes : 2 * e->vector.bytes;
    core_text_printf(text,
                     "    if (rest == 0)\n        return;\n"
                     "    const ptrdiff_t back = (ptrdiff_t)(%d - rest);\n",
                     e->key->lanes);
    for (int i = GEN_ROW_OUT; i < GEN_ROWS; i++)
        for (int part = 0; gen_has_row(e, i) && part < gen_row_streams(e, &gen_rows[i]); part++)
            core_text_printf(text, "    %s_%s -= back * %s;\n", gen_rows[i].name, parts[part],
                             column_of(e, &gen_rows[i], part).text);
    if (gen_pairs_factors(e) > 0)
        core_text_printf(text, "    tw -= back * %d;\n", factor);
    core_text_add(text, core_text_string(&e->last), e->last.length);
}

static void print_columns(const gen_emit *e, const char *count, core_text *text)
{
    core_text_printf(text, "    for (size_t c = 0; c < %s; c += %d) {\n", count, e->key->lanes);
    core_text_add(text, core_text_string(&e->body), e->body.length);
    print_advance(e, "step", text);
    if (e->key->tw == SPL_TW_VECTOR)
        core_text_printf(text, "        tw += %d;\n", e->key->lanes * factor_bytes(e));
    core_text_printf(text, "    }\n");
}

static void print_sets(const gen_emit *e, core_text *text)
{
    core_text_printf(text, "    for (size_t t = 0; t < count; t++) {\n");
    core_text_add(text, core_text_string(&e->held), e->held.length);
    print_columns(e, "call->set_columns", text);
    print_advance(e, "set", text);
    if (gen_pairs_factors(e) > 0)
        core_text_printf(text, "        tw += %d;\n", factor_bytes(e));
    core_text_printf(text, "    }\n");
}

void gen_pairs_loops(const gen_emit *e, core_text *text)
{
    const bool repeats = gen_pairs_repeats(e);
    for (int i = 0; i < GEN_ROWS; i++)
        for (int part = 0; gen_has_row(e, i) && part < gen_row_streams(e, &gen_rows[i]); part++)
            print_stream(e, &gen_rows[i], part, text);
    if (gen_pairs_factors(e) > 0)
        core_text_printf(text, "    const char *tw = (const char *)call->tw + first * %d;\n",
                         factor_bytes(e));
    if (e->key->position == SPL_POS_B) {
        print_sets(e, text);
        return;
    }
    if (repeats)
        print_held_rows(e, text);
    print_columns(e, "count", text);
    if (repeats)
        print_last_vector(e, text);
}
