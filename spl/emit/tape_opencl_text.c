// SPDX-License-Identifier: BSD-3-Clause
/* The text of kernels, with the codelets and definitions that they mention. It is C, as the
 * printers of tapes and the sources of the library write it, translated word by word to OpenCL
 * C. */
#include <string.h>

#include "core/mem.h"
#include "spl/emit/snippets.h"
#include "spl/emit/tape_opencl_parts.h"

/* ---- C as OpenCL C ---- */

/* Address-space qualifiers, and numbers in place of pointers to functions. Matched at the beginning
 * of a word; the first match counts. The sources are written so that these translations suffice. */
static const struct translation {
    const char *c, *opencl;
} translations[] = {
    {"alignas(64) static const ", "__constant __attribute__((aligned(64))) "},
    {"alignas(64) ", "__attribute__((aligned(64))) "},
    {"static const bind_", "__constant bind_"},
    {"static const int64_t ", "__constant int64_t "},
    {"static const ptrdiff_t ", "__constant ptrdiff_t "},
    {"(const char *)table_", "(__global const char *)(uintptr_t)table_"},
    {"= lines[", "= (__global char *)(uintptr_t)lines["},
    {"const bind_tail *", "__constant bind_tail *"},
    {"const bind_scaling *", "__constant bind_scaling *"},
    {"const ptrdiff_t *", "__global const ptrdiff_t *"},
    {"const void *", "__global const void *"},
    {"const char *", "__global const char *"},
    {"const float *", "__global const float *"},
    {"const double *", "__global const double *"},
    {"void *", "__global void *"},
    {"char *", "__global char *"},
    {"float *", "__global float *"},
    {"double *", "__global double *"},
    {"spl_codelet_fn *", "int "},
    {"cpu_scale_fn *", "int "},
    {"cpu_lines_fn *", "int "},
    {"prefetch(", "fetch_line("}, /* a function of OpenCL C */
    {"__asm__(", "// "},          /* empty, orders instructions */
};

/* The first translation that matches; NULL: none. */
static const struct translation *find_translation(const char *at)
{
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
        if (strncmp(at, translations[i].c, strlen(translations[i].c)) == 0)
            return &translations[i];
    return NULL;
}

typedef struct letters {
    bool in_word[UCHAR_MAX + 1], begins[UCHAR_MAX + 1]; /* begins: may begin a translation */
} letters;

static letters sort_letters(void)
{
    letters l = {{false}, {false}};

    spl_name_letters(l.in_word);
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
        l.begins[(unsigned char)translations[i].c[0]] = true;
    return l;
}

/* Texts are long and few words are translated, so the text between two is copied at once. */
static void translate(const char *c, core_text *out)
{
    const letters l = sort_letters();
    const char *from = c;

    for (const char *at = c; *at;) {
        const struct translation *t = l.begins[(unsigned char)*at] ? find_translation(at) : NULL;
        if (t) {
            core_text_add(out, from, (size_t)(at - from));
            core_text_add(out, t->opencl, strlen(t->opencl));
            from = at += strlen(t->c);
            if (!l.in_word[(unsigned char)at[-1]])
                continue;
        }
        while (l.in_word[(unsigned char)*at])
            at++;
        if (*at) /* the character after a word begins no translation */
            at++;
    }
    core_text_add(out, from, strlen(from));
}

/* ---- the whole ---- */

static void print_run(const tape_opencl *o, core_text *out)
{
    if (o->codelets == 0)
        return;
    core_text_printf(out, "static void bind_run(int run, const spl_call *call, size_t first, "
                          "size_t count)\n{\n    switch (run) {\n");
    for (int i = 0; i < o->codelets; i++)
        core_text_printf(out, "    case %d: %s(call, first, count); break;\n", i,
                         o->codelet[i]->name);
    core_text_printf(out, "    }\n}\n\n");
}

/* Leaves out snippets that have another definition in OpenCL C. */
static void leave_out(bool *given)
{
    static const char *const names[] = {"bind_run", "BIND_ARRAY", "cpu_scale_run", "cpu_lines_run"};

    for (int i = 0; spl_snippets_common[i].text; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            given[i] = given[i] || strcmp(spl_snippets_common[i].name[0], names[k]) == 0;
}

static const char head[] =
    "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#pragma clang diagnostic ignored \"-Wpsabi\"\n" /* vectors may be wider than the processor's */
#ifndef __FP_FAST_FMAF /* then scalar codelets do not fuse in the library either */
    "#undef __FP_FAST_FMAF\n#undef __FP_FAST_FMA\n"
#endif
    "#define CODELET __attribute__((noinline))\n"
    "#define STEP __kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n\n";

/* Prints codelets, and the snippets that these and the kernels mention. */
static bool print_codelets(const tape_c *e, const core_text *kernels, core_text *out)
{
    static const spl_snippet none[] = {{{NULL}, NULL}};
    const spl_codelet **list = core_calloc((2 + BIND_WIDTHS) * e->p->nops + 1, sizeof *list);
    bool scalars[SPL_SNIPPETS_MAX] = {false}, common[SPL_SNIPPETS_MAX] = {false},
         printed = list != NULL;
    core_text codelets = {0}, rest = {0};

    const size_t count = list ? tape_c_list_codelets(e->p, list) : 0;
    for (int isa = CORE_ISA_SCALAR; isa < CORE_ISA_COUNT && printed; isa++)
        printed = tape_c_codelets(list, count, (core_isa)isa, isa == CORE_ISA_SCALAR,
                                  isa == CORE_ISA_SCALAR ? spl_snippets_scalar : none, scalars,
                                  &codelets);
    leave_out(common);
    spl_snippets_print(spl_snippets_common, common, core_text_string(&codelets), out);
    core_text_add(out, core_text_string(&codelets), codelets.length);
    print_run(e->opencl, out);
    core_text_add(&rest, core_text_string(&e->c.data), e->c.data.length);
    core_text_add(&rest, core_text_string(kernels), kernels->length);
    spl_snippets_print(spl_snippets_common, common, core_text_string(&rest), out);
    printed = printed && !codelets.failed && !rest.failed;
    core_text_free(&rest);
    core_text_free(&codelets);
    core_free((void *)list);
    return printed;
}

bool tape_opencl_source(const tape_c *e, const core_text *kernels, core_text *out)
{
    bool given[SPL_SNIPPETS_MAX] = {false};
    core_text c = {0}, opencl = {0};
    const bool printed = print_codelets(e, kernels, &c);

    core_text_add(&c, core_text_string(&e->c.data), e->c.data.length);
    core_text_add(&c, core_text_string(kernels), kernels->length);
    translate(core_text_string(&c), &opencl);
    core_text_printf(out, "/* %s */\n%s", e->opencl->how->title, head);
    spl_snippets_print(spl_snippets_device, given, core_text_string(&opencl), out);
    core_text_add(out, core_text_string(&opencl), opencl.length);
    const bool failed =
        !printed || c.failed || opencl.failed || out->failed || kernels->failed || e->c.data.failed;
    core_text_free(&c);
    core_text_free(&opencl);
    return !failed;
}
