// SPDX-License-Identifier: BSD-3-Clause
/* A stage as work of items: which iterations an item has, one after another. */
#include <inttypes.h>

#include "core/status.h"
#include "spl/emit/ocl.h"

void ocl_print_share(ocl *o, const spl_range *r, int depth)
{
    spl_c_line(&o->c, depth, "int64_t low%d, high%d;\n", r->var, r->var);
    spl_c_share(&o->c, depth, r, gen_print("low%d", r->var).text, gen_print("high%d", r->var).text);
}

/* Declares a loop variable as a digit of `from`; the outermost variable is what remains of it. */
static void print_digit(ocl *o, const spl_range *r, const char *from, bool outermost, int depth)
{
    const int v = r->var;

    if (r->share_var < 0 && outermost)
        spl_c_line(&o->c, depth, "const %s k%d = %s;\n", o->c.index, v, from);
    else if (r->share_var < 0)
        spl_c_line(&o->c, depth, "const %s k%d = %s %% %" PRId64 ";\n", o->c.index, v, from, r->n);
    else if (outermost)
        spl_c_line(&o->c, depth, "const %s k%d = (%s)low%d + %s;\n", o->c.index, v, o->c.index, v,
                   from);
    else
        spl_c_line(&o->c, depth, "const %s k%d = (%s)(low%d + %s %% (high%d - low%d));\n",
                   o->c.index, v, o->c.index, v, from, v, v);
}

static void print_rest(ocl *o, const spl_range *r, int depth)
{
    const int v = r->var;

    if (r->share_var < 0)
        spl_c_line(&o->c, depth, "rest /= %" PRId64 ";\n", r->n);
    else
        spl_c_line(&o->c, depth, "rest /= (%s)(high%d - low%d);\n", o->c.index, v, v);
}

/* The memory accesses of a statement: indices that it reads and writes, factors. */
enum { READS = 1, WRITES = 2, FACTORS = 4, EVERYTHING = READS | WRITES | FACTORS };

/* Do these accesses depend on a loop variable? */
static bool follows_loop(const prog_stmt *s, int what, int var)
{
    bool used = (what & READS && s->op != PROG_ZERO && ix_uses(s->fin, var))
                || (what & WRITES && ix_uses(s->fout, var));

    for (int k = 0; k < s->ntwiddles && s->op == PROG_KERN && what & FACTORS; k++)
        used = used || ix_uses(s->twiddle[k].f, var);
    return used;
}

/* The same for all accesses in a loop, and for loops that take shares by it. */
bool ocl_is_followed(const prog *p, size_t loop)
{
    const int var = p->stmt[loop].range.var;

    for (size_t i = loop + 1; i < p->stmt[loop].end; i++)
        if (p->stmt[i].op == PROG_LOOP ? p->stmt[i].range.share_var == var
                                       : follows_loop(&p->stmt[i], EVERYTHING, var))
            return true;
    return false;
}

const char *ocl_kind_name(const spl_range *r)
{
    static const char *const name[] = {"seq", "par", "stream", "vec"};
    return name[r->kind];
}

/* Prints a comment that names the loops and elements which are distributed to the items. */
static void tag_items(ocl *o, const prog_stage *stage, int depth)
{
    const int64_t elements = ocl_elements(o, stage->stmt);
    const char *before = "";

    spl_c_line(&o->c, depth, "/* items: ");
    for (int l = 0; l < stage->count; l++) {
        const spl_range *r = &stage->loop[l]->range;
        core_text_printf(&o->c.text, "%s%s k%d", before, ocl_kind_name(r), r->var);
        before = ", ";
    }
    if (elements > 1)
        core_text_printf(&o->c.text, "%selements i", before);
    core_text_printf(&o->c.text, "%s */\n", elements > 1 || stage->count > 0 ? "" : "one");
}

/* Prints the number of iterations of the stage's loops, times the elements of its statement. */
static void print_total(ocl *o, const prog_stage *stage)
{
    int64_t fixed = ocl_elements(o, stage->stmt);
    const char *before = "";

    for (int l = 0; l < stage->count; l++) {
        const spl_range *r = &stage->loop[l]->range;
        fixed *= r->share_var < 0 ? r->n : 1;
        if (r->share_var < 0)
            continue;
        core_text_printf(&o->c.text, "%s(%s)(high%d - low%d)", before, o->c.index, r->var, r->var);
        before = " * ";
    }
    if (fixed > 1 || !*before)
        core_text_printf(&o->c.text, "%s%" PRId64, before, fixed);
}

/* The outermost of a stage's loops on which accesses depend; stage->count: none. */
static int outermost_followed(const prog_stage *stage, int what)
{
    int l = 0;

    while (l < stage->count && !follows_loop(stage->stmt, what, stage->loop[l]->range.var))
        l++;
    return l;
}

/* Does an item need its number to execute the stage? */
static bool is_numbered(const ocl *o, const prog_stage *stage, int what)
{
    return ocl_elements(o, stage->stmt) > 1 || outermost_followed(stage, what) < stage->count;
}

/* Declares the element and the loop variables, from the item's number j, the innermost first. */
static void print_counters(ocl *o, const prog_stage *stage, int what, int depth)
{
    const int64_t elements = ocl_elements(o, stage->stmt);
    const int last = outermost_followed(stage, what);
    const bool one = stage->count - last + (elements > 1) < 2;
    const char *const from = one ? "j" : "rest";

    if (!one)
        spl_c_line(&o->c, depth, "%s rest = j;\n", o->c.index);
    if (elements > 1 && stage->count == 0)
        spl_c_line(&o->c, depth, "const %s i = j;\n", o->c.index);
    else if (elements > 1)
        spl_c_line(&o->c, depth, "const %s i = %s %% %" PRId64 ";\n", o->c.index, from, elements);
    if (elements > 1 && !one)
        spl_c_line(&o->c, depth, "rest /= %" PRId64 ";\n", elements);
    for (int l = stage->count; l-- > last;) {
        const spl_range *r = &stage->loop[l]->range;
        if (follows_loop(stage->stmt, what, r->var))
            print_digit(o, r, from, l == 0, depth);
        if (l > last)
            print_rest(o, r, depth);
    }
}

/* Counts the iterations of a stage that runs at once, and how many of them an item has. */
static void count_iterations(ocl *o, const prog_stage *stage)
{
    const int64_t items = o->current_kernel->items;

    o->iterations = 1;
    for (int l = 0; l < stage->count; l++) {
        o->range[stage->loop[l]->range.var] = stage->loop[l]->range.n;
        o->iterations *= stage->loop[l]->range.n;
    }
    o->turns = (o->iterations + items - 1) / items;
    if (o->turns > 1 && stage->stmt->kernel != SPL_PAIR)
        ocl_fail(o, core_fail(o->why, SLUICE_E_INVALID, 0,
                              "%" PRId64 " iterations at once, by groups of %" PRId64 " items",
                              o->iterations, items));
}

/* Opens the block of the item's iteration of a stage that runs at once, or a loop over its
 * iterations. Unrolling that loop allows its arrays to be in registers. */
static void print_iteration(ocl *o, const prog_stage *stage, int what, int depth)
{
    count_iterations(o, stage);
    if (o->turns > 1) {
        spl_c_line(&o->c, depth, "#pragma unroll\n");
        spl_c_line(&o->c, depth, "for (%s turn = 0; turn < %" PRId64 "; turn++) {\n", o->c.index,
                   o->turns);
    } else {
        spl_c_line(&o->c, depth, "{\n");
    }
    tag_items(o, stage, depth + 1);
    if (o->turns > 1)
        spl_c_line(&o->c, depth + 1, "const %s j = turn * %" PRId64 " + (%s)get_local_id(0);\n",
                   o->c.index, o->current_kernel->items, o->c.index);
    else if (is_numbered(o, stage, what) || o->iterations < o->current_kernel->items)
        spl_c_line(&o->c, depth + 1, "const %s j = (%s)get_local_id(0);\n", o->c.index, o->c.index);
    print_counters(o, stage, what, depth + 1);
}

static prog_stage stage_at(const ocl *o, size_t at)
{
    prog_stage stage;

    (void)prog_stage_at(o->p, at, &stage);
    return ocl_in_order(o, &stage);
}

static void print_registers(ocl *o, const prog_stage *stage, bool out, int depth)
{
    count_iterations(o, stage);
    spl_c_line(&o->c, depth, "%sx2 %s[%" PRId64 "];\n", o->value,
               ocl_held_name(o, stage->stmt, out).text, ocl_held_numbers(o, stage->stmt, out));
}

/* Copies one part (x or y) of the numbers of a phase to memory or from it. */
static void print_part(ocl *o, ocl_phase phase, bool out, char part, int depth)
{
    for (size_t i = phase.at; i < phase.end; i = o->p->stmt[i].end) {
        const prog_stage stage = stage_at(o, i);
        print_iteration(o, &stage, out ? WRITES : READS, depth);
        ocl_print_half(o, stage.stmt, out, part, depth + 1);
        spl_c_line(&o->c, depth, "}\n");
    }
}

void ocl_print_exchange(ocl *o, ocl_phase from, ocl_phase to, int depth)
{
    for (size_t i = to.at; i < to.end; i = o->p->stmt[i].end) {
        const prog_stage stage = stage_at(o, i);
        print_registers(o, &stage, false, depth);
    }
    for (char part = 'x'; part <= 'y'; part++)
        for (int out = 1; out >= 0; out--) {
            print_part(o, out ? from : to, out, part, depth);
            if (out || part == 'x')
                ocl_print_wait(o, depth);
        }
}

void ocl_print_at_once(ocl *o, const prog_stage *stage, int depth)
{
    if (o->p->buf[stage->stmt->out].halves)
        print_registers(o, stage, true, depth);
    const prog_buf *in = &o->p->buf[stage->stmt->in], *out = &o->p->buf[stage->stmt->out];
    print_iteration(o, stage, FACTORS | (in->halves ? 0 : READS) | (out->halves ? 0 : WRITES),
                    depth);
    ocl_print_statement(o, stage->stmt, depth + 1);
    spl_c_line(&o->c, depth, "}\n");
}

/* Iterations of a stage, times its elements, that are distributed to items: `count` from
 * `first`. */
typedef struct turns {
    int64_t first, count;
    int64_t items;
    const char *id; /* "local" or "global": which number of an item */
    bool shares;    /* loops are shares, so there may be fewer iterations */
    bool again;     /* an enclosing loop executes the stage more than once */
} turns;

static turns turns_of(const ocl *o, const prog_stage *stage, bool again)
{
    const ocl_kernel *k = o->current_kernel;
    turns t = {.count = ocl_elements(o, stage->stmt),
               .items = k->spread ? k->groups * k->items : k->items,
               .id = k->spread ? "global" : "local",
               .again = again};

    for (int l = 0; l < stage->count; l++) {
        t.count *= stage->loop[l]->range.n;
        t.shares = t.shares || stage->loop[l]->range.share_var >= 0;
    }
    return t;
}

static void print_number(ocl *o, const turns *t, const char *turn, int depth)
{
    spl_c_line(&o->c, depth, "const %s j = %s%s(%s)get_%s_id(0);\n", o->c.index,
               t->first > 0 ? gen_print("%" PRId64 " + ", t->first).text : "", turn, o->c.index,
               t->id);
}

static void print_end(ocl *o, const prog_stage *stage, const turns *t)
{
    if (t->shares)
        print_total(o, stage);
    else
        core_text_printf(&o->c.text, "%" PRId64, t->first + t->count);
}

/* Prints a loop over an item's iterations. If there is an item for each, no loop is needed. But if
 * an enclosing loop executes the stage more than once, compilers would hoist what does not change
 * out of that loop, factors among it, and keep it in registers; so a loop is printed then. A trip
 * count that is the same for all items is printed as a constant; if elements only move, compilers
 * are asked to unroll, so that the loads of several iterations are in flight. */
static void print_turns(ocl *o, const prog_stage *stage, const turns *t, int depth)
{
    const int64_t together = ocl_unrolled(o, stage->stmt);

    if (!t->shares && t->count > t->items && t->count % t->items == 0) {
        if (together > 1)
            spl_c_line(&o->c, depth, "#pragma unroll %" PRId64 "\n", together);
        spl_c_line(&o->c, depth, "for (%s turn = 0; turn < %" PRId64 "; turn++) {\n", o->c.index,
                   t->count / t->items);
        print_number(o, t, gen_print("turn * %" PRId64 " + ", t->items).text, depth + 1);
    } else if (t->shares || t->count > t->items || (t->again && ocl_computes(stage->stmt))) {
        spl_c_line(&o->c, depth, "for (%s j = %s(%s)get_%s_id(0); j < ", o->c.index,
                   t->first > 0 ? gen_print("%" PRId64 " + ", t->first).text : "", o->c.index,
                   t->id);
        print_end(o, stage, t);
        core_text_printf(&o->c.text, "; j += %" PRId64 ") {\n", t->items);
    } else {
        if (t->count < t->items)
            spl_c_line(&o->c, depth, "if (get_%s_id(0) < %" PRId64 ") {\n", t->id, t->count);
        else
            spl_c_line(&o->c, depth, "{\n");
        if (is_numbered(o, stage, EVERYTHING))
            print_number(o, t, "", depth + 1);
    }
    print_counters(o, stage, EVERYTHING, depth + 1);
    ocl_print_statement(o, stage->stmt, depth + 1);
    spl_c_line(&o->c, depth, "}\n");
}

/* If compilers are to unroll: a loop of the iterations that all items have, then the last one,
 * since they do not unroll a loop whose trip count differs between items. */
static void print_all_turns(ocl *o, const prog_stage *stage, bool again, int depth)
{
    turns all = turns_of(o, stage, again);
    const int64_t left = all.count % all.items;

    if (!all.shares && all.count > all.items && left > 0 && ocl_unrolled(o, stage->stmt) > 1) {
        turns last = all;
        last.first = all.count -= left;
        last.count = left;
        print_turns(o, stage, &all, depth);
        print_turns(o, stage, &last, depth);
    } else {
        print_turns(o, stage, &all, depth);
    }
}

/* Declares shares, then prints the iterations. */
void ocl_print_items(ocl *o, const prog_stage *stage, bool again, int depth)
{
    bool shares = false;

    for (int l = 0; l < stage->count; l++) {
        o->range[stage->loop[l]->range.var] = stage->loop[l]->range.n;
        shares = shares || stage->loop[l]->range.share_var >= 0;
    }
    if (shares)
        spl_c_line(&o->c, depth++, "{\n");
    for (int l = 0; l < stage->count; l++)
        if (stage->loop[l]->range.share_var >= 0)
            ocl_print_share(o, &stage->loop[l]->range, depth);
    tag_items(o, stage, depth);
    print_all_turns(o, stage, again, depth);
    if (shares)
        spl_c_line(&o->c, depth - 1, "}\n");
}
