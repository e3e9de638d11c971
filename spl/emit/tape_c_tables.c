// SPDX-License-Identifier: BSD-3-Clause
/* The twiddle tables of a tape as C: keys and layouts, from which programs fill them at start. */
#include <inttypes.h>

#include "core/real.h"
#include "spl/emit/tape_c.h"

static const char *form_name(bind_table_form form)
{
    static const char *const name[] = {[BIND_TW_INTER_VECTOR] = "BIND_TW_INTER_VECTOR",
                                       [BIND_TW_INTER_FULL] = "BIND_TW_INTER_FULL",
                                       [BIND_TW_SPLIT_VECTOR] = "BIND_TW_SPLIT_VECTOR",
                                       [BIND_TW_BROADCAST] = "BIND_TW_BROADCAST",
                                       [BIND_TW_FULL_VECTOR] = "BIND_TW_FULL_VECTOR",
                                       [BIND_TW_FACTORED] = "BIND_TW_FACTORED"};
    return name[form];
}

/* C before C23 has no empty list of initial values. */
static void print_list(const char *name, const int64_t *value, int count, core_text *out)
{
    core_text_printf(out, "%s = {%s", name, count > 0 ? "" : "0");
    for (int i = 0; i < count; i++)
        core_text_printf(out, "%s%" PRId64, i ? ", " : "", value[i]);
    core_text_printf(out, "}");
}

static void print_factor(const bind_factor *b, int dims, core_text *out)
{
    core_text_printf(out,
                     "\n             {.values = %s, .conjugate = %s, .n = %" PRId64
                     ", .m = %" PRId64 ", .c = %" PRId64 ", .row = %" PRId64,
                     spl_values_name(b->values), spl_truth(b->conjugate), b->n, b->m, b->c, b->row);
    print_list(", .coef", b->coef, dims, out);
    core_text_printf(out, "},");
}

static void print_table(const bind_table *t, core_text *out)
{
    const bind_table_key *k = &t->key;
    int64_t stride[BIND_TABLE_DIMS];

    for (int d = 0; d < k->dims; d++)
        stride[d] = (int64_t)t->stride[d];
    /* In the order of the members, as C++ wants it. */
    core_text_printf(out,
                     "    {.key = {.form = %s, .precision = %s, .lanes = %d, .values = %s,\n"
                     "             .conjugate = %s, .tail = %s, .apart = %s, .spread = %s,%s\n     "
                     "        .scale "
                     "= %s, .n = %" PRId64 ", .m = %" PRId64 ", .rows = %" PRId64 ", .c = %" PRId64
                     ", .row = %" PRId64 ", .dims = %d",
                     form_name(k->form), k->precision == SLUICE_F32 ? "SLUICE_F32" : "SLUICE_F64",
                     k->lanes, spl_values_name(k->values), spl_truth(k->conjugate),
                     spl_truth(k->tail), spl_truth(k->apart), spl_truth(k->spread),
                     k->exact ? " .exact = true," : "", core_real(k->scale).text, k->n, k->m,
                     k->rows, k->c, k->row, k->dims);
    print_list(",\n             .size", k->size, k->dims, out);
    print_list(", .coef", k->coef, k->dims, out);
    if (k->nalso > 0) {
        core_text_printf(out, ", .nalso = %d, .also = {", k->nalso);
        for (int a = 0; a < k->nalso; a++)
            print_factor(&k->also[a], k->dims, out);
        core_text_printf(out, "}");
    }
    core_text_printf(out, "},\n     .bytes = %zu, .block = %zu, .head = %zu", t->bytes, t->block,
                     t->head);
    print_list(", .stride", stride, k->dims, out);
    core_text_printf(out, "},\n");
}

/* Tables are numbered by slots, two for each op. */
static const bind_table *table_in(const bind_tape *p, size_t slot)
{
    const bind_op *op = &p->op[slot / 2];

    return op->op != BIND_KERN ? NULL : slot % 2 ? op->shared_table : op->table;
}

/* Is the slot empty, or its table in a slot before? */
static bool is_known(const bind_tape *p, size_t slot)
{
    size_t first = 0;

    while (table_in(p, first) != table_in(p, slot))
        first++;
    return first < slot || !table_in(p, slot);
}

int tape_c_table(const bind_tape *p, const bind_table *table)
{
    int count = 0;

    for (size_t i = 0; table_in(p, i) != table; i++)
        count += !is_known(p, i);
    return count;
}

int tape_c_tables(const bind_tape *p, core_text *out)
{
    int count = 0;

    for (size_t i = 0; i < 2 * p->nops; i++) {
        if (is_known(p, i))
            continue;
        if (count++ == 0)
            core_text_printf(out, "static bind_table tables[] = {\n");
        print_table(table_in(p, i), out);
    }
    if (count)
        core_text_printf(out, "};\n");
    return count;
}
