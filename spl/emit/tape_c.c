// SPDX-License-Identifier: BSD-3-Clause
/* A bound program as C: its codelets, printed again by the generator; its tables, which the
 * library's own functions fill at start; its tape as statements. So a printed program is what the
 * library runs, with the same bits. */
#include "spl/emit/tape_c.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/bind/bind_slices.h"
#include "spl/codelet/gen.h"
#include "spl/emit/snippets.h"

/* ---- codelets ---- */

size_t tape_c_list_codelets(const bind_tape *p, const spl_codelet **out)
{
    size_t count = 0;

    for (size_t i = 0; i < p->nops; i++) {
        const bind_op *op = &p->op[i];
        const spl_codelet *used[2 + BIND_WIDTHS] = {
            op->codelet, bind_stores_lines(p, op) ? op->codelet_nt : NULL};
        if (op->op == BIND_EVAL && !tape_c_computes(op)) /* moving elements needs no codelet */
            continue;
        memcpy(used + 2, op->shorter, sizeof op->shorter);
        for (int k = 0; k < 2 + BIND_WIDTHS; k++) {
            size_t c = 0;
            while (c < count && out[c] != used[k])
                c++;
            if (used[k] && c == count)
                out[count++] = used[k];
        }
    }
    return count;
}

/* Adds `from` with the names of scalar vectors, f32x2, f64x1 .., changed to f32s2, f64s1 .. */
static void add_renamed(const char *from, core_text *out)
{
    for (const char *at = from; *at; at++) {
        const bool vector = strncmp(at, "f32x", 4) == 0 || strncmp(at, "f64x", 4) == 0;
        core_text_add(out, at, vector ? 3 : 1);
        if (vector) {
            core_text_add(out, "s", 1);
            at += 3;
        }
    }
}

static const spl_snippet *snippets_of(core_isa isa)
{
    static const spl_snippet *const snippets[CORE_ISA_COUNT] = {
        [CORE_ISA_SCALAR] = spl_snippets_scalar,
        [CORE_ISA_VEC128] = spl_snippets_vec128,
        [CORE_ISA_AVX2] = spl_snippets_avx2,
        [CORE_ISA_AVX512] = spl_snippets_avx512};
    return snippets[isa];
}

bool tape_c_codelets(const spl_codelet *const *list, size_t count, core_isa isa, bool rename,
                     const spl_snippet *snippets, bool *given, core_text *out)
{
    static pthread_mutex_t generator = PTHREAD_MUTEX_INITIALIZER; /* it serves one at a time */
    core_text codelets = {0}, all = {0};
    bool printed = true;

    pthread_mutex_lock(&generator);
    for (size_t i = 0; i < count && printed; i++) {
        gen_codelet one = {.key = list[i]->key, .set = gen_set_of(list[i]->name)};
        if (one.key.isa != isa)
            continue;
        strncpy(one.name, list[i]->name, sizeof one.name - 1);
        printed = gen_codelet_print(&one, true, &codelets);
    }
    pthread_mutex_unlock(&generator);
    if (codelets.length > 0) {
        spl_snippets_print(snippets, given, core_text_string(&codelets), &all);
        core_text_add(&all, core_text_string(&codelets), codelets.length);
    }
    if (rename)
        add_renamed(core_text_string(&all), out);
    else
        core_text_add(out, core_text_string(&all), all.length);
    printed = printed && !codelets.failed && !all.failed;
    core_text_free(&codelets);
    core_text_free(&all);
    return printed;
}

/* The ISA in whose words a codelet is written; vectors of 128 bits beside longer ones use
 * AVX2's. */
static core_isa isa_of_words(const spl_codelet *c)
{
    const bool beside = c->key.isa == CORE_ISA_VEC128 && gen_set_of(c->name);

    return beside ? CORE_ISA_AVX2 : c->key.isa;
}

/* The widest vectors of a program, for which it needs snippets and compiler flags: those of its
 * codelets, and those of the unit if results are scaled (cpu_scale.c). */
static core_isa widest_isa(const bind_tape *p, core_isa codelets)
{
    for (size_t i = 0; i < p->nops; i++)
        if (p->op[i].scaling.rows && p->target->isa > codelets)
            return p->target->isa;
    return codelets;
}

static bool print_all_codelets(const bind_tape *p, spl_c_source *out)
{
    static const char *const flags[CORE_ISA_COUNT] = {
        "", "", "-mavx2 -mfma", "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma"};
    static const char *const includes[CORE_ISA_COUNT] = {
        "", "#ifdef __aarch64__\n#include <arm_neon.h>\n#endif\n", "#include <immintrin.h>\n",
        "#include <immintrin.h>\n"};
    const spl_codelet **list = core_calloc((2 + BIND_WIDTHS) * p->nops + 1, sizeof *list);
    core_isa best = CORE_ISA_SCALAR;
    bool printed = list != NULL, given[2][SPL_SNIPPETS_MAX] = {{false}};

    if (!list)
        return false;
    const size_t count = tape_c_list_codelets(p, list);
    for (size_t i = 0; i < count; i++)
        best = isa_of_words(list[i]) > best ? isa_of_words(list[i]) : best;
    core_text_printf(&out->flags, "%s", flags[widest_isa(p, best)]);
    core_text_printf(&out->includes, "%s", includes[widest_isa(p, best)]);
    core_text_printf(&out->code, "/* ---- codelets ---- */\n\n"
                                 "#define CODELET __attribute__((noinline))\n\n");
    for (int isa = CORE_ISA_SCALAR; isa <= (int)best && printed; isa++) {
        const bool vectors = isa != CORE_ISA_SCALAR; /* the best ISA's words include others' */
        printed = tape_c_codelets(list, count, (core_isa)isa, !vectors && best != CORE_ISA_SCALAR,
                                  snippets_of(vectors ? best : CORE_ISA_SCALAR), given[vectors],
                                  &out->code);
    }
    core_free((void *)list);
    return printed;
}

/* ---- functions ---- */

static bool leads_to(const bind_op *op, bind_arena arena)
{
    for (int k = 0; k < 4; k++)
        if (op->op != BIND_LOOP && op->op != BIND_SYNC && op->base[k].arena == arena)
            return true;
    return false;
}

static bool uses_arena(const bind_tape *p, bind_arena arena)
{
    for (size_t i = 0; i < p->nops; i++) {
        const bind_op *op = &p->op[i];
        if (leads_to(op, arena)
            || (op->slices && op->slices->put_bytes && leads_to(&op->slices->put, arena)))
            return true;
    }
    return false;
}

/* The state of one execution that all members see. */
static void print_state(const bind_tape *p, core_text *out)
{
    core_text_printf(out, "static struct {\n"
                          "    const char *in, *in_im;\n"
                          "    char *out, *out_im;\n"
                          "} sides;\n");
    if (p->work_bytes)
        core_text_printf(out, "static char *work;\n");
}

static void print_member(const tape_c *e, core_text *out)
{
    const bind_tape *p = e->p;
    static const char *const base[BIND_ARENA_SHARED] = {
        "    const char *const in = sides.in;\n", "    const char *const in_im = sides.in_im;\n",
        "    char *const out = sides.out;\n", "    char *const out_im = sides.out_im;\n"};

    core_text_printf(out, "\nstatic void run_member(int member)\n{\n");
    for (int a = 0; a < BIND_ARENA_SHARED; a++)
        if (uses_arena(p, (bind_arena)a))
            core_text_printf(out, "%s", base[a]);
    if (uses_arena(p, BIND_ARENA_SHARED))
        core_text_printf(out, "    char *const shared = work;\n");
    if (uses_arena(p, BIND_ARENA_LOCAL))
        core_text_printf(out, "    char *const local = work + %zu + member * %zu;\n",
                         p->shared_bytes, p->local_bytes);
    if (e->team)
        core_text_printf(out, "    uint64_t loops = 0; /* parallel ones, begun so far */\n");
    core_text_printf(out, "\n    (void)member;\n%s", core_text_string(&e->c.text));
    if (p->has_nt_stores)
        core_text_printf(out, "    __builtin_ia32_sfence();\n");
    core_text_printf(out, "}\n");
}

static void print_open(const tape_c *e, int tables, core_text *out)
{
    const bind_tape *p = e->p;

    core_text_printf(out, "\nstatic void program_close(void)\n{\n%s",
                     e->team ? "    team_close();\n" : "");
    if (tables)
        core_text_printf(out,
                         "    for (int i = 0; i < %d; i++) {\n"
                         "        core_aligned_free(tables[i].data);\n"
                         "        tables[i].data = NULL;\n    }\n",
                         tables);
    if (p->work_bytes)
        core_text_printf(out, "    core_aligned_free(work);\n    work = NULL;\n");
    core_text_printf(out, "}\n\nstatic bool program_open(void)\n{\n    bool opened = true;\n\n");
    if (tables)
        core_text_printf(
            out,
            "    for (int i = 0; i < %d && opened; i++) {\n"
            "        tables[i].data = core_aligned_alloc(tables[i].bytes);\n"
            "        opened = tables[i].data && bind_table_fill(&tables[i], NULL);\n    }\n",
            tables);
    if (p->work_bytes)
        core_text_printf(out,
                         "    work = (char *)core_aligned_alloc(%zu + %s%zu);\n"
                         "    opened = opened && work;\n",
                         p->shared_bytes, e->team ? "(size_t)TEAM_MEMBERS * " : "", p->local_bytes);
    if (e->team)
        core_text_printf(out, "    team_open(run_member, %s);\n", spl_truth(p->syncs));
    core_text_printf(out, "    if (!opened)\n        program_close();\n    return opened;\n}\n");
}

static void print_run(const tape_c *e, core_text *out)
{
    core_text_printf(
        out,
        "\nstatic void program_run(const void *in, const void *in_im, void *out, "
        "void *out_im)\n{\n"
        "    sides.in = (const char *)in;\n    sides.in_im = (const char *)in_im;\n"
        "    sides.out = (char *)out;\n    sides.out_im = (char *)out_im;\n    %s;\n}\n",
        e->team ? "team_run()" : "run_member(0)");
}

/* Can the op be printed? Of kernels with evaluated addresses, transforms can with as many elements
 * on both sides, and pairs if they have a codelet. */
static bool is_printed(const bind_op *op)
{
    const prog_stmt *s = op->stmt;

    if (op->op != BIND_EVAL)
        return true;
    if (s->kernel == SPL_PAIR)
        return op->codelet != NULL;
    return s->kernel != SPL_TRANSFORM || s->n == 1 || op->columns > 0 || s->fin->n == s->fout->n;
}

sluice_status tape_c_check_evaluated(const bind_tape *p, const char *language, sluice_diag *why)
{
    for (size_t i = 0; i < p->nops; i++)
        if (!is_printed(&p->op[i]))
            return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                             "%s of a step %s whose addresses have no strides", language,
                             prog_kernel_word(p->op[i].stmt));
    return SLUICE_OK;
}

sluice_status tape_c_print(const bind_tape *p, spl_c_source *out, sluice_diag *why)
{
    const sluice_status status = tape_c_check_evaluated(p, "C", why);
    if (status != SLUICE_OK)
        return status;
    tape_c e = {.p = p, .team = p->body->parts > 1, .c = SPL_C("index")};

    if (!print_all_codelets(p, out))
        return core_fail_memory(why);
    if (e.team)
        core_text_printf(&out->includes,
                         "#include <pthread.h>\n#include <sched.h>\n"
                         "#ifdef __cplusplus\n#include <atomic>\n"
                         "using std::atomic_bool;\nusing std::atomic_int;\n"
                         "using std::atomic_uint;\nusing std::atomic_uint_least64_t;\n"
                         "using std::memory_order_acquire;\nusing std::memory_order_relaxed;\n"
                         "using std::memory_order_release;\n"
                         "#else\n#include <stdatomic.h>\n#endif\n\n"
                         "/* Threads at most; any number gives the same bits. Work is divided "
                         "into %" PRId64 " parts. */\n"
                         "#ifndef TEAM_MEMBERS\n#define TEAM_MEMBERS %d\n#endif\n",
                         p->body->parts, p->members);
    tape_c_ops(&e, 0, p->nops, 1, false);
    core_text_printf(&out->code, "/* ---- the program ---- */\n\n");
    const int tables = tape_c_tables(p, &out->code);
    core_text_add(&out->code, core_text_string(&e.c.data), e.c.data.length);
    print_state(p, &out->code);
    print_member(&e, &out->code);
    print_open(&e, tables, &out->code);
    print_run(&e, &out->code);
    const bool failed = e.c.data.failed || e.c.text.failed;
    core_text_free(&e.c.data);
    core_text_free(&e.c.text);
    return failed ? core_fail_memory(why) : SLUICE_OK;
}
