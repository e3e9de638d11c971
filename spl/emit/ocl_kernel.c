// SPDX-License-Identifier: BSD-3-Clause
/* Prints a nest of loops as one kernel. */
#include <ctype.h>
#include <inttypes.h>

#include "core/hash.h"
#include "core/status.h"
#include "spl/emit/ocl.h"

static void declare_store(ocl *o, const ocl_kernel *k)
{
    const int64_t size = k->hi - k->lo;

    if (size > 0 && !k->spilled)
        core_text_printf(&o->kernels, "    __local %sx2 own[%" PRId64 "];\n", o->value, size);
    else if (size > 0)
        core_text_printf(&o->kernels,
                         "    /* More than local memory holds. */\n"
                         "    __global %sx2 *const own = spill + get_group_id(0) * %" PRId64 ";\n",
                         o->value, size);
}

/* Declares a buffer; one of reals casts its address, since arenas count complex numbers. */
static void declare_buffer(ocl *o, const ocl_kernel *k, int b)
{
    const prog_buf *buf = &o->p->buf[b];
    const bool own = buf->space == k->store, reals = prog_held_scalars(buf) == 1;
    const char *const space = own && !k->spilled ? "__local" : "__global";

    core_text_printf(&o->kernels, "    %s %sx%d *const b%d = ", space, o->value, reals ? 1 : 2, b);
    if (reals)
        core_text_printf(&o->kernels, "(%s %sx1 *)(", space, o->value);
    core_text_printf(&o->kernels, "%s + %" PRId64 "%s;\n", own ? "own" : "scratch",
                     buf->offset - (own ? k->lo : 0), reals ? ")" : "");
}

static void declare_buffers(ocl *o, ocl_kernel *k)
{
    if (ocl_views_output(o) && ocl_touches(o, k, 0))
        core_text_printf(
            &o->kernels, "    __global const %sx%d *const in = (__global const %sx%d *)out;\n",
            o->value, (int)prog_scalars(&o->p->buf[0]), o->value, (int)prog_scalars(&o->p->buf[0]));
    for (int b = 0; b < o->p->nbufs; b++)
        if (o->p->buf[b].space >= PROG_SHARED && ocl_touches(o, k, b))
            declare_buffer(o, k, b);
}

/* ---- barriers ---- */

static void print_barrier(ocl *o, int depth)
{
    const ocl_kernel *k = o->current_kernel;
    const bool local = k->hi > k->lo && !k->spilled, global = ocl_reads_what_it_writes(o, k);

    if (k->stages > 1 && (local || global))
        spl_c_line(&o->c, depth, "barrier(%s%s%s);\n", local ? "CLK_LOCAL_MEM_FENCE" : "",
                   local && global ? " | " : "", global ? "CLK_GLOBAL_MEM_FENCE" : "");
}

void ocl_print_wait(ocl *o, int depth)
{
    spl_c_line(&o->c, depth, "barrier(%s);\n",
               o->current_kernel->spilled ? "CLK_GLOBAL_MEM_FENCE" : "CLK_LOCAL_MEM_FENCE");
}

/* ---- loops ---- */

static void print_body(ocl *o, size_t from, size_t to, int depth, bool again);

/* A loop that all items execute together, or of which each group has one iteration. */
static void print_loop(ocl *o, size_t at, int depth, bool again)
{
    const prog_stmt *s = &o->p->stmt[at];
    const spl_range *r = &s->range;
    const bool group = at == o->current_kernel->group_loop, shared = r->share_var >= 0;

    o->range[r->var] = r->n;
    spl_c_line(&o->c, depth, shared || group ? "{\n" : "");
    const int64_t first = o->current_kernel->first_group;
    if (group && ocl_is_followed(o->p, at))
        spl_c_line(&o->c, depth + 1, "const %s k%d = (%s)get_group_id(0)%s; /* groups: %s */\n",
                   o->c.index, r->var, o->c.index,
                   first > 0 ? gen_print(" - %" PRId64, first).text : "", ocl_kind_name(r));
    else if (shared)
        ocl_print_share(o, r, depth + 1);
    const gen_name var = gen_print("k%d", r->var), end = gen_print(" { /* %s */", ocl_kind_name(r));
    if (shared)
        spl_c_for(&o->c, depth + 1, var.text, gen_print("(%s)low%d", o->c.index, r->var).text,
                  gen_print("high%d", r->var).text, end.text);
    else if (!group)
        spl_c_for(&o->c, depth, var.text, "0", gen_print("%" PRId64, r->n).text, end.text);
    print_body(o, at + 1, s->end, depth + 1 + shared, again || !group);
    if (shared)
        spl_c_line(&o->c, depth + 1, "}\n");
    spl_c_line(&o->c, depth, "}\n");
}

/* Do both statements read one buffer in halves, or both write one? */
static bool are_one_phase(const prog *p, const prog_stmt *a, const prog_stmt *b)
{
    return a->at_once && b->at_once && a->in == b->in && a->out == b->out
           && p->buf[a->in].halves != p->buf[a->out].halves;
}

/* The phase that begins at statement i: consecutive statements of a body, which ends at `to`, that
 * belong together. */
static ocl_phase phase_at(const prog *p, size_t i, size_t to)
{
    ocl_phase phase = {i, p->stmt[i].end};
    prog_stage first, next;

    (void)prog_stage_at(p, i, &first);
    while (phase.end < to && prog_stage_at(p, phase.end, &next)
           && are_one_phase(p, first.stmt, next.stmt))
        phase.end = p->stmt[phase.end].end;
    return phase;
}

/* again: an enclosing loop executes these statements more than once. */
static void print_body(ocl *o, size_t from, size_t to, int depth, bool again)
{
    const prog *p = o->p;
    const size_t end = p->stmt[o->current_kernel->statement].end;
    ocl_phase before, phase = {0, 0};

    for (size_t i = from; i < to && o->status == SLUICE_OK; i = p->stmt[i].end) {
        prog_stage stage;
        if (prog_stage_at(p, i, &stage) && ocl_first_item_loop(o, &stage) == 0) {
            stage = ocl_in_order(o, &stage);
            const bool begins = i >= phase.end;
            before = phase;
            phase = begins ? phase_at(p, i, to) : phase;
            if (begins && p->buf[stage.stmt->in].halves)
                ocl_print_exchange(o, before, phase, depth);
            if (stage.stmt->at_once)
                ocl_print_at_once(o, &stage, depth);
            else
                ocl_print_items(o, &stage, again, depth);
            if (p->stmt[i].end >= phase.end && (again || p->stmt[i].end < end))
                print_barrier(o, depth);
        } else if (p->stmt[i].op == PROG_LOOP) {
            print_loop(o, i, depth, again);
        }
    }
}

/* ---- the kernel ---- */

/* A word for what a statement does, as part of a kernel's name. */
static gen_name stage_name(const prog_stmt *s)
{
    const char *const word = s->op == PROG_ZERO   ? "zero"
                             : s->op == PROG_COPY ? "copy"
                             : s->kernel == SPL_I ? "move"
                             : s->kernel == SPL_PAIR
                                 ? spl_pairs_def_of((spl_pairs_kind)s->kind)->word
                                 : prog_kernel_word(s);
    const bool pair = s->op == PROG_KERN && s->kernel == SPL_PAIR;
    const bool turned = s->op == PROG_KERN && !pair && s->ntwiddles > 0;
    gen_name name = gen_print("%s%s%s%s", turned ? "turned_" : "", word, pair ? "_" : "",
                              pair ? spl_role_word(s->role) : "");

    size_t length = 0;
    for (; name.text[length]; length++)
        name.text[length] = (char)tolower((unsigned char)name.text[length]);
    return isdigit((unsigned char)name.text[length - 1]) ? gen_print("%s_", name.text) : name;
}

/* Characters of a kernel's name that describe its statements. Implementations name files after
 * kernels, and names of files have at most 255 characters. */
enum { MOST_WORDS = 160 };

/* The length of the whole words within MOST_WORDS characters. */
static int whole_words(const char *all)
{
    int count = MOST_WORDS;

    while (count > 0 && all[count - 1] != '_')
        count--;
    return count;
}

/* Words for all statements; if that is too long, words for the first ones and a hash of all. */
static void name_statements(const ocl *o, ocl_kernel *k)
{
    core_text words = {0};

    for (size_t i = k->at; i < k->end; i++)
        if (prog_is_stage(&o->p->stmt[i]))
            core_text_printf(&words, "%s%" PRId64 "_", stage_name(&o->p->stmt[i]).text,
                             o->p->stmt[i].n);
    const char *const all = core_text_string(&words);
    if (words.length <= MOST_WORDS)
        core_text_add(&k->name, all, words.length);
    else
        core_text_printf(&k->name, "%.*s%08" PRIx32 "_", whole_words(all), all,
                         core_hash(CORE_HASH_START, all, words.length));
    k->name.failed = k->name.failed || words.failed;
    core_text_free(&words);
}

/* The number makes the name unique in the program. */
static void name_kernel(ocl *o, ocl_kernel *k)
{
    name_statements(o, k);
    core_text_printf(&k->name, "%s_%" PRId64 "x%" PRId64 "_%d", o->value, k->groups, k->items,
                     o->nkernels);
}

/* Is an element of the array one scalar? */
static bool has_scalars(const ocl *o, int role)
{
    const int side = role < DEVICE_OUT ? 0 : 1;

    return role < DEVICE_SCRATCH
           && (o->out->side[side].split || prog_scalars(&o->p->buf[side]) == 1);
}

/* The type of a buffer in the kernel, such as "const f32x2 *". */
static gen_name buffer_type(const ocl *o, int role)
{
    return gen_print("%s%sx%d *", role < DEVICE_OUT ? "const " : "", o->value,
                     has_scalars(o, role) ? 1 : 2);
}

static void print_arguments(ocl *o, const ocl_kernel *k)
{
    const char *before = "";

    for (int a = 0; a < OCL_ARGS; a++) {
        const char *const name = device_role_name((device_role)a);
        if (!k->arg[a])
            continue;
        core_text_printf(&o->kernels, "%s__global %s%s%s", before, buffer_type(o, a).text,
                         o->options->offsets ? "all_" : "", name);
        if (o->options->offsets)
            core_text_printf(&o->kernels, ", const long from_%s", name);
        before = ", ";
    }
    for (int t = 0; t < o->ntables; t++)
        if (k->table[t]) {
            core_text_printf(&o->kernels, "%s__global const %sx2 *restrict table%d", before,
                             o->value, t);
            before = ", ";
        }
    for (int v = 0; v < IX_MAX_VARS; v++)
        if (k->var[v])
            core_text_printf(&o->kernels, ", const %s k%d", o->c.index, v);
}

/* Declares buffers at their offsets from the beginning of the memory objects. */
static void print_offsets(ocl *o, const ocl_kernel *k)
{
    for (int a = 0; a < OCL_ARGS && o->options->offsets; a++) {
        const char *const name = device_role_name((device_role)a);
        const gen_name type = buffer_type(o, a);
        if (k->arg[a])
            core_text_printf(&o->kernels,
                             "    __global %sconst %s = (__global %s)((__global %schar *)all_%s + "
                             "from_%s);\n",
                             type.text, name, type.text, a < DEVICE_OUT ? "const " : "", name,
                             name);
    }
}

/* Prints the statements; if there are several, each is executed by groups of its own. */
static void print_statements(ocl *o, ocl_kernel *k)
{
    const prog *p = o->p;
    const bool several = p->stmt[k->at].end < k->end;

    for (size_t i = k->at; i < k->end; i = p->stmt[i].end) {
        ocl_begin_statement(o, k, i);
        if (several && p->stmt[i].end < k->end)
            spl_c_line(&o->c, 1, "%sif (get_group_id(0) < %" PRId64 ") {\n",
                       i > k->at ? "} else " : "", k->first_group + p->stmt[k->group_loop].range.n);
        else if (several)
            spl_c_line(&o->c, 1, "} else {\n");
        print_body(o, i, p->stmt[i].end, 1 + several, false);
    }
    if (several)
        spl_c_line(&o->c, 1, "}\n");
}

void ocl_print_kernel(ocl *o, size_t at)
{
    ocl_kernel *k = &o->kernel[o->nkernels];

    k->at = at;
    o->current_kernel = k;
    for (int h = 0; h < o->nhosts; h++)
        k->var[o->hosts[h]] = true;
    ocl_choose(o, k);
    name_kernel(o, k);
    o->nkernels++;
    core_text_free(&o->c.text);
    o->c.text = (core_text){0};
    print_statements(o, k);
    core_text_printf(&o->kernels,
                     "\n__kernel __attribute__((reqd_work_group_size(%" PRId64 ", 1, 1)))\n"
                     "void %s(",
                     k->items, core_text_string(&k->name));
    print_arguments(o, k);
    core_text_printf(&o->kernels, ")\n{\n");
    print_offsets(o, k);
    declare_store(o, k);
    declare_buffers(o, k);
    core_text_add(&o->kernels, core_text_string(&o->c.text), o->c.text.length);
    core_text_printf(&o->kernels, "}\n");
    o->kernels.failed = o->kernels.failed || o->c.text.failed || k->name.failed;
}
