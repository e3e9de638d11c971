// SPDX-License-Identifier: BSD-3-Clause
/* Codelets: the expression of a transform in the loops of a position (see codelet.h).
 *
 * Strides become bytes. Rows are addressed as block + {0, 1, 2, 3} strides, with a pointer for
 * every four rows. The table pointer and the pointer to broadcast twiddles are made opaque inside
 * the loop, because otherwise the compiler hoists all constants out of it and spills them. */
#include <string.h>

#include "spl/codelet/gen.h"
#include "spl/formula/transforms.h"

/* ---- the function around the body ---- */

/* Does it compute one transform at a time? For short ones the time before the first load matters.
 * Branches are predicted, so that neither addresses nor constants wait for a field of the call. */
static bool computes_one_transform(const gen_emit *e)
{
    return e->key->position == SPL_POS_W || e->key->position == SPL_POS_S;
}

/* One side of the codelet: its name, and the names of its strides of rows and columns. */
typedef struct side {
    const char *name, *row, *column;
    spl_format format;
    bool adjacent; /* true: columns are adjacent and rows have the stride; false: the reverse */
} side;

static side codelet_side(const gen_emit *e, bool in)
{
    const spl_position p = e->key->position;
    const bool rows = p == SPL_POS_B || p == SPL_POS_C || p == SPL_POS_P;
    const bool adjacent = rows || p == (in ? SPL_POS_A : SPL_POS_R);
    return (side){in ? "in" : "out", in ? "is" : "os", in ? "ics" : "ocs",
                  in ? e->key->in : e->key->out, adjacent};
}

/* Bytes from one column to the next, as an expression. */
static gen_name column_step(const gen_emit *e, const side *s)
{
    if (e->key->position == SPL_POS_D)
        return gen_print("%d", gen_dense_bytes(e) / e->key->lanes);
    if (s->adjacent && e->key->position != SPL_POS_P)
        return gen_print("%d", e->vector.bytes * (s->format == SPL_INTER ? 2 : 1));
    return gen_print("%s", s->column);
}

static void print_byte_strides(gen_emit *e, const side *s, core_text *text)
{
    const char *const stride = s->adjacent ? s->row : s->column;
    const int bytes = e->vector.bytes;
    if (e->key->position == SPL_POS_D)
        return;
    if (!s->adjacent || e->key->n > 1)
        core_text_printf(text, "    const ptrdiff_t %s = call->%s * %d;\n", stride, stride, bytes);
    if (gen_declare_once(e, gen_print("%s3", stride).text))
        core_text_printf(text, "    const ptrdiff_t %s3 = 3 * %s;\n", stride, stride);
    if (e->key->position == SPL_POS_P)
        core_text_printf(text, "    const ptrdiff_t %s = call->%s * %d;\n", s->column, s->column,
                         bytes);
    if (e->key->position == SPL_POS_G)
        core_text_printf(text,
                         "    const ptrdiff_t *const %s_off = call->%s_off;\n"
                         "    const %s_index %s_lanes = %s_lanes(call->%s);\n",
                         s->name, s->name, e->vector.type, s->name, e->vector.type, s->column);
}

/* Pointers to column `first` (broadcast: to set `first`; one transform, `alone`: to column 0). */
static void print_side_pointers(const side *s, bool alone, const char *first, core_text *text)
{
    static const char *const io[] = {"re", "im"};
    const char *const type = s->name[0] == 'i' ? "const char" : "char";
    for (int i = 0; i < (s->format == SPL_SPLIT ? 2 : 1); i++) {
        core_text_printf(text, "    %s *%s_%s = (%s *)call->%s_%s", type, s->name, io[i], type,
                         s->name, io[i]);
        core_text_printf(text, alone ? ";\n" : " + (ptrdiff_t)first * %s;\n", first);
    }
}

static void print_advance(const side *s, const char *indent, const char *by, core_text *text)
{
    core_text_printf(text, "%s%s_re += %s;\n", indent, s->name, by);
    if (s->format == SPL_SPLIT)
        core_text_printf(text, "%s%s_im += %s;\n", indent, s->name, by);
}

/* Has the table different rows for the two directions? */
static bool has_directions(const gen_emit *e)
{
    for (int i = 0; i < e->rows; i++)
        if (e->row[i].negated_in_inverse && e->key->kind == SPL_DFT)
            return true;
    return false;
}

static long double constant_at(const gen_emit *e, int inverse, int row, int lane)
{
    const gen_constant_vector *v = &e->row[row];
    const bool minus = inverse && v->negated_in_inverse && !v->except_lane[lane];
    return minus ? -v->value[lane] : v->value[lane];
}

static void print_constant_table(const gen_emit *e, core_text *text)
{
    const int first = gen_is_inverse(e->key->kind);
    if (e->rows == 0)
        return;
    core_text_printf(text, "alignas(64) static const %s table_%s[%d][%d] = {\n",
                     gen_scalar(&e->vector), e->name, has_directions(e) ? 2 : 1,
                     e->rows * e->vector.width);
    for (int inverse = first; inverse <= (first || has_directions(e)); inverse++) {
        core_text_printf(text, "    { ");
        for (int i = 0; i < e->rows; i++)
            for (int j = 0; j < e->vector.width; j++)
                core_text_printf(text, "%s,%s", gen_number(e, constant_at(e, inverse, i, j)).text,
                                 j % 4 == 3 ? "\n      " : " ");
        core_text_printf(text, "},\n");
    }
    core_text_printf(text, "};\n");
}

/* A hash that tables with the same numbers share, and no others; 0: no table. */
static uint64_t table_hash(const gen_emit *e)
{
    const int first = gen_is_inverse(e->key->kind);
    uint64_t hash = 1 + (uint64_t)has_directions(e);
    if (e->rows == 0)
        return 0;
    for (int inverse = first; inverse <= (first || has_directions(e)); inverse++)
        for (int i = 0; i < e->rows; i++)
            for (int j = 0; j < e->vector.width; j++) {
                const double value = (double)constant_at(e, inverse, i, j);
                uint64_t bits;
                memcpy(&bits, &value, sizeof bits);
                hash = (hash ^ bits) * 0x9e3779b97f4a7c15;
                hash ^= hash >> 29;
            }
    return hash;
}

static void print_step(const gen_emit *e, const char *indent, core_text *text)
{
    const bool opaque = e->key->n > 8;
    if (e->rows > 0 && opaque)
        core_text_printf(text, "%s__asm__(\"\" : \"+r\"(table));\n", indent);
    if (e->key->tw >= SPL_TW_BROADCAST)
        core_text_printf(text, "%s__asm__(\"\" : \"+r\"(%s));\n", indent,
                         e->key->tw == SPL_TW_BROADCAST ? "tw" : "rows");
    core_text_add(text, core_text_string(&e->body), e->body.length);
}

/* Scalars of the twiddle table per column, or per twiddle set. */
static int twiddles_per_column(const gen_emit *e)
{
    const int rows = gen_twiddle_rows(e->key);
    if (spl_spreads_factors(e->key))
        return 4 * rows * (e->key->tw == SPL_TW_BROADCAST ? e->vector.lanes : 1);
    return e->key->tw == SPL_TW_FACTORED ? 2 : 2 * rows;
}

/* Pointer to the weights of the first column, and their strides in bytes. Sets have the same
 * strides for weights as for input. */
static void print_weight_pointer(gen_emit *e, core_text *text)
{
    const int bytes = e->vector.bytes;
    const gen_name set = gen_print("call->iouter * %d", bytes);
    if (codelet_side(e, true).adjacent)
        core_text_printf(text, "    const ptrdiff_t ws = call->ws * %d;\n", bytes);
    if (gen_declare_once(e, "ws3"))
        core_text_printf(text, "    const ptrdiff_t ws3 = 3 * ws;\n");
    core_text_printf(
        text,
        "    const ptrdiff_t wcs = call->wcs * %d;\n"
        "    const char *in_weight = (const char *)call->weight + (ptrdiff_t)first * %s;\n",
        bytes, e->key->tw == SPL_TW_BROADCAST ? set.text : "wcs");
}

/* Broadcast: an outer loop over sets of twiddles, an inner one over columns. */
static void print_outer_loop(const gen_emit *e, const side *in, const side *out, core_text *text)
{
    const int bytes = e->vector.bytes, lanes = e->vector.lanes;
    const side *const sides[] = {in, out};
    core_text_printf(
        text,
        "    const ptrdiff_t iturn = call->iouter * %d - (ptrdiff_t)call->set_columns * %s;\n"
        "    const ptrdiff_t oturn = call->oouter * %d - (ptrdiff_t)call->set_columns * %s;\n"
        "    for (size_t t = 0; t < count; t++) {\n"
        "    for (size_t c = 0; c < call->set_columns; c += %d) {\n",
        bytes, column_step(e, in).text, bytes, column_step(e, out).text, lanes);
    print_step(e, "        ", text);
    for (int i = 0; i < 2; i++)
        print_advance(sides[i], "        ",
                      gen_print("%d * %s", lanes, column_step(e, sides[i]).text).text, text);
    if (e->key->weighed)
        core_text_printf(text, "            in_weight += %d * wcs;\n", lanes);
    core_text_printf(text, "    }\n");
    print_advance(in, "        ", "iturn", text);
    print_advance(out, "        ", "oturn", text);
    if (e->key->weighed)
        core_text_printf(
            text, "        in_weight += call->iouter * %d - (ptrdiff_t)call->set_columns * wcs;\n",
            bytes);
    core_text_printf(text, "        tw += %d;\n    }\n", twiddles_per_column(e) * bytes);
}

static void print_column_loop(const gen_emit *e, const side *in, const side *out, core_text *text)
{
    const side *const sides[] = {in, out};
    core_text_printf(text, "    for (size_t c = 0; c < count; c += %d) {\n", e->step);
    print_step(e, "        ", text);
    for (int i = 0; i < 2; i++)
        print_advance(sides[i], "        ",
                      gen_print("%d * %s", e->step, column_step(e, sides[i]).text).text, text);
    if (e->key->weighed)
        core_text_printf(text, "        in_weight += %d * wcs;\n", e->step);
    if (e->key->tw != SPL_TW_NONE)
        core_text_printf(text, "        tw += %d;\n",
                         twiddles_per_column(e) * e->vector.lanes * e->vector.bytes);
    core_text_printf(text, "    }\n");
}

/* The loop of position D with small buffers: two alternate, and the output of a step is copied
 * during the next one. */
static void print_lines_loop(const gen_emit *e, const side *in, const side *out, core_text *text)
{
    const int step = e->step;
    const gen_name by = gen_print("%d", gen_dense_bytes(e));
    core_text_printf(text,
                     "    alignas(64) char lines[2][%d];\n"
                     "    for (size_t c = 0; c < count; c += %d) {\n"
                     "        char *const line = lines[c / %d %% 2];\n"
                     "        const char *const full = lines[(c / %d + 1) %% 2];\n",
                     gen_dense_bytes(e), step, step, step);
    print_step(e, "        ", text);
    print_advance(in, "        ", by.text, text);
    core_text_printf(text, "        if (c == 0)\n            continue;\n");
    gen_dense_copy(e, "full", "        ", text);
    print_advance(out, "        ", by.text, text);
    core_text_printf(text,
                     "    }\n    if (count == 0)\n        return;\n"
                     "    const char *const full = lines[(count / %d + 1) %% 2];\n",
                     step);
    gen_dense_copy(e, "full", "    ", text);
}

static void print_twiddle_pointer(const gen_emit *e, core_text *text)
{
    const int head = (int)spl_product_head(e->key->n, e->key->lanes) * e->vector.bytes;
    const gen_name from = e->key->tw == SPL_TW_FACTORED ? gen_print("rows + %d", head)
                          : e->key->tw == SPL_TW_FACTORED_SHARED
                              ? gen_print("(const char *)call->tw_shared")
                              : gen_print("(const char *)call->tw");
    if (e->key->tw == SPL_TW_NONE)
        return;
    if (e->key->tw >= SPL_TW_FACTORED)
        core_text_printf(text, "    const char *rows = (const char *)call->tw;\n");
    core_text_printf(text, "    const char *tw = %s + (ptrdiff_t)first * %d;\n", from.text,
                     twiddles_per_column(e) * e->vector.bytes);
}

static void print_dft_loops(gen_emit *e, core_text *text)
{
    const side in = codelet_side(e, true), out = codelet_side(e, false);
    const bool outer = e->key->tw == SPL_TW_BROADCAST, alone = computes_one_transform(e);
    print_byte_strides(e, &in, text);
    print_byte_strides(e, &out, text);
    const gen_name ifirst =
        outer ? gen_print("call->iouter * %d", e->vector.bytes) : column_step(e, &in);
    const gen_name ofirst =
        outer ? gen_print("call->oouter * %d", e->vector.bytes) : column_step(e, &out);
    print_side_pointers(&in, alone, ifirst.text, text);
    print_side_pointers(&out, alone, ofirst.text, text);
    if (alone) {
        core_text_printf(text, "    if (first > 0) {\n");
        print_advance(&in, "        ", gen_print("(ptrdiff_t)first * %s", ifirst.text).text, text);
        print_advance(&out, "        ", gen_print("(ptrdiff_t)first * %s", ofirst.text).text, text);
        core_text_printf(text, "    }\n");
    }
    print_twiddle_pointer(e, text);
    if (e->key->weighed)
        print_weight_pointer(e, text);
    if (e->key->position == SPL_POS_D && gen_dense_method_of(e->key) == GEN_DENSE_BUFFERED)
        print_lines_loop(e, &in, &out, text);
    else
        (outer ? print_outer_loop : print_column_loop)(e, &in, &out, text);
}

/* Points to the constants of the call's direction in the table of codelet `owner`. The __asm__
 * inside keeps the compiler from turning the branch into a conditional move. */
static void print_table_pointer(const gen_emit *e, const char *owner, core_text *text)
{
    const bool directions = has_directions(e), branch = directions && computes_one_transform(e);
    if (e->rows == 0)
        return;
    core_text_printf(text, "    const char *table = (const char *)table_%s[%s];\n", owner,
                     directions && !branch ? "call->inverse" : "0");
    if (branch)
        core_text_printf(text,
                         "    if (call->inverse) {\n        table = (const char *)table_%s[1];\n"
                         "        __asm__(\"\" : \"+r\"(table));\n    }\n",
                         owner);
}

/* `owner`: the codelet whose table it reads. */
static void print_codelet_function(gen_emit *e, const char *owner, bool local, core_text *text)
{
    if (owner == e->name)
        print_constant_table(e, text);
    core_text_printf(text, "%sspl_codelet_fn %s;\n", local ? "static CODELET " : "", e->name);
    core_text_printf(text, "%svoid %s(const spl_call *call, size_t first, size_t count)\n{\n",
                     local ? "static " : "", e->name);
    print_table_pointer(e, owner, text);
    if (gen_is_pairs(e->key))
        gen_pairs_loops(e, text);
    else
        print_dft_loops(e, text);
    core_text_printf(text, "}\n\n");
}

/* ---- one codelet ---- */

/* Finds the shape of W, S or T if the transform is computed in registers; D with halves has the
 * shape of T. */
static bool find_whole_shape(const gen_emit *e, gen_shape *shape)
{
    spl_key key = *e->key;
    if (key.position == SPL_POS_D && gen_dense_method_of(e->key) == GEN_DENSE_HALVES)
        key.position = SPL_POS_T;
    const bool candidate = computes_one_transform(e) || key.position == SPL_POS_T;
    return candidate && key.compute == SPL_INTER && gen_whole_shape(&key, shape);
}

/* Should statements be reordered? Only for transforms that fill at most half of 32 registers, at S
 * less, because there every value lives to the end. Longer ones spill, and spill less in the order
 * of the expression. Non-temporal stores wait for memory longer the later they begin (measured). */
static bool is_ordered(const gen_emit *e)
{
    enum { VALUES = 16 };
    const int scalars = (e->key->kind == SPL_DFT ? 2 : 1) * e->key->n;
    const int most = VALUES * e->vector.width - (e->key->position == SPL_POS_S);

    return computes_one_transform(e) && e->key->isa == CORE_ISA_AVX512 && !e->key->nt
           && scalars <= most;
}

static void print_whole(gen_emit *e, const gen_shape *shape)
{
    gen_whole_body(e, shape);
    if (is_ordered(e))
        gen_order(e);
}

/* Cycles from the results of a call to those of the next one, which reads them: the longest chain,
 * and the additional latency of a load after a store over a load from L1. Measured on Zen 4. */
static double chain_of(gen_emit *e)
{
    enum { FORWARDED = 3, WRITTEN = 17 };
    gen_shape shape;

    if (!computes_one_transform(e) || e->key->kind != SPL_DFT || e->key->n > GEN_ELEMENTS
        || e->key->nt || !find_whole_shape(e, &shape))
        return 0;
    return gen_longest_chain(e) + (gen_whole_forwards(&shape) ? FORWARDED : WRITTEN);
}

static void print_statements(gen_emit *e)
{
    const bool dense = e->key->position == SPL_POS_D;
    const gen_dense_method way = gen_dense_method_of(e->key);
    gen_shape shape = {.failed = false};
    if (gen_is_pairs(e->key))
        gen_pairs_statements(e);
    else if (e->key->position == SPL_POS_P)
        gen_plane_body(e);
    else if (dense && way == GEN_DENSE_IN_LANE)
        gen_dense_in_lane(e);
    else if (dense && way == GEN_DENSE_ROTATE)
        gen_dense_rotate(e);
    else if (find_whole_shape(e, &shape))
        print_whole(e, &shape);
    else if (!shape.failed && e->key->n <= GEN_MAX)
        gen_expression_body(e);
    else
        e->body.failed = true;
    for (int i = GEN_LOADS; i <= GEN_STORES && dense && way == GEN_DENSE_BUFFERED; i++)
        gen_count(e, (gen_kind)i, e->key->n);
}

const char *gen_set_of(const char *name)
{
    return strstr(name, "_fused_")    ? "fused"
           : strstr(name, "_fma_")    ? "fma"
           : strstr(name, "_fma128_") ? "fma128"
                                      : NULL;
}

bool gen_codelet_print(gen_codelet *codelet, bool local, core_text *text)
{
    static gen_emit e;
    memset(&e, 0, sizeof e);
    e.key = &codelet->key;
    e.fused = codelet->set != NULL && codelet->key.isa == CORE_ISA_SCALAR;
    e.name = codelet->name;
    e.vector = gen_vector_of(e.key, e.key->compute, e.key->position == SPL_POS_P ? e.key->n : 0);
    e.step = e.key->lanes;
    print_statements(&e);
    for (int i = 0; i < GEN_KINDS; i++)
        e.count[i] *= e.key->lanes / e.step;
    codelet->table = table_hash(&e);
    if (text)
        print_codelet_function(&e, codelet->table_of ? codelet->table_of : e.name, local, text);
    memcpy(codelet->count, e.count, sizeof codelet->count);
    codelet->chain = chain_of(&e);
    const bool fma = codelet->set != NULL || e.key->isa != CORE_ISA_VEC128;
    codelet->cycles = gen_cycles(e.key, &e.vector, fma, e.count);
    const bool printed =
        !e.body.failed && !e.held.failed && !e.last.failed && !(text && text->failed);
    core_text_free(&e.body);
    core_text_free(&e.held);
    core_text_free(&e.last);
    return printed;
}
