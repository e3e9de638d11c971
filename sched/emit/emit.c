// SPDX-License-Identifier: BSD-3-Clause
/* A plan as a stand-alone C file: a head that describes it, the definitions that it shares with
 * the library, the program as its backend prints it, three functions for others to call, and a
 * self-test against the formula in long double. */
#include "sched/emit/emit.h"

#include <inttypes.h>

#include "core/status.h"
#include "sched/planner/edges.h"
#include "sched/problem/problem.h"
#include "spl/emit/print_c.h"
#include "spl/emit/snippets.h"
#include "spl/rules/scale.h"

/* The parameters of the program's function. */
static void print_parameters(const sluice_problem *p, core_text *out)
{
    const char *const real = p->precision == SLUICE_F32 ? "float" : "double";
    const bool split_in = p->in_layout == SLUICE_SPLIT, split_out = p->out_layout == SLUICE_SPLIT;

    core_text_printf(out, "const %s *in, ", real);
    if (split_in)
        core_text_printf(out, "const %s *in_im, ", real);
    core_text_printf(out, "%s *out", real);
    if (split_out)
        core_text_printf(out, ", %s *out_im", real);
}

/* The layout of a side. */
static void print_layout(const char *name, sluice_layout layout, spl_type type, core_text *out)
{
    if (type == SPL_TYPE_REAL)
        core_text_printf(out, " * %s holds reals.\n", name);
    else if (layout == SLUICE_SPLIT)
        core_text_printf(out, " * %s holds re, %s_im im.\n", name, name);
    else
        core_text_printf(out, " * %s holds re and im side by side.\n", name);
}

static void print_head(const sluice_plan *plan, const spl_c_source *source, core_text *out)
{
    const sluice_problem *p = &plan->problem;

    core_text_printf(out,
                     "/* %s\n"
                     " *\n"
                     " * Written by sluice %d.%d.%d. Compile with\n"
                     " *     cc -std=c11 -O3 %s FILE -lm -lpthread\n"
                     " * (clang: with -mllvm -enable-misched=false, or it spills large codelets;\n"
                     " * C++: c++ -x c++ -std=c++17 takes the file as well)\n"
                     " * for a program that tests itself: it prints the error, its bound and the\n"
                     " * seconds of one transform, and ends with 1 where the error is too large.\n"
                     " * With -DNO_MAIN it is a source file for others, with these functions:\n"
                     " *     bool transform_open(void);  tables, scratch, threads; false: out of "
                     "memory\n"
                     " *     void transform(",
                     plan->line, SLUICE_VERSION_MAJOR, SLUICE_VERSION_MINOR, SLUICE_VERSION_PATCH,
                     core_text_string(&source->flags));
    print_parameters(p, out);
    core_text_printf(out, ");\n *     void transform_close(void);\n"
                          " * -Dtransform=NAME makes them NAME_open, NAME and NAME_close.\n");
    print_layout("in", p->in_layout, sched_side_type(p, 0), out);
    print_layout("out", p->out_layout, sched_side_type(p, 1), out);
    core_text_printf(out, " * %s One call of transform at a time. */\n",
                     p->in_place ? "in and out are the same." : "in is only read.");
}

static void print_functions(const sluice_problem *p, core_text *out)
{
    core_text_printf(out, "\n/* ---- for others ---- */\n\n"
                          "#ifdef transform /* -Dtransform=NAME: all three are called so */\n"
                          "#define TRANSFORM_JOINED(a, b) a##b\n"
                          "#define TRANSFORM_NAME(a, b) TRANSFORM_JOINED(a, b)\n"
                          "#ifndef transform_open\n"
                          "#define transform_open TRANSFORM_NAME(transform, _open)\n#endif\n"
                          "#ifndef transform_close\n"
                          "#define transform_close TRANSFORM_NAME(transform, _close)\n#endif\n"
                          "#endif\n\n"
                          "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                          "bool transform_open(void);\nvoid transform(");
    print_parameters(p, out);
    core_text_printf(out, ");\nvoid transform_close(void);\n"
                          "#ifdef __cplusplus\n}\n#endif\n\n"
                          "bool transform_open(void)\n{\n    return program_open();\n}\n\n"
                          "void transform(");
    print_parameters(p, out);
    core_text_printf(out,
                     ")\n{\n    program_run(in, %s, out, %s);\n}\n\n"
                     "void transform_close(void)\n{\n    program_close();\n}\n",
                     p->in_layout == SLUICE_SPLIT ? "in_im" : "NULL",
                     p->out_layout == SLUICE_SPLIT ? "out_im" : "NULL");
}

/* Bc(P,B) = L(n/B,P) (x) I(B) of a side, or its inverse; I(n) for natural order. */
static const spl *order_of(const sluice_problem *p, int side, bool inverse, spl_ctx *ctx)
{
    const sluice_cyclic c = sched_problem_cyclic(p, side);
    const int64_t n = (int64_t)(sched_side_elements(p, side) * sched_problem_batch(p));

    if (c.parts == 0)
        return spl_identity(ctx, n);
    const int64_t blocks = n / (int64_t)c.block, parts = (int64_t)c.parts;
    return spl_kron2(ctx, spl_stride(ctx, blocks, inverse ? blocks / parts : parts),
                     spl_identity(ctx, (int64_t)c.block));
}

/* I (x) A (x) I, where A is the transform of the i-th axis to run. */
static const spl *axis_of(const sluice_problem *p, int i, spl_ctx *ctx)
{
    const int axis = sched_axis_order(p, i);
    int64_t outer = (int64_t)sched_problem_batch(p), inner = 1;

    for (int e = 0; e < p->rank; e++)
        *(e < axis ? &outer : &inner) *= e == axis ? 1 : (int64_t)sched_axis_columns(p, e);
    const spl *const kid[] = {
        spl_identity(ctx, outer),
        spl_transform_node(ctx, sched_axis_kind(p, axis), (int64_t)p->dim[axis].n),
        spl_identity(ctx, inner)};
    return spl_kron(ctx, 3, kid);
}

/* The transform of a problem as a formula, axis by axis, between the orders of its sides. It needs
 * a context of its own, as other threads may be reading the plan's. */
static const spl *meaning_of(const sluice_problem *p, spl_ctx *ctx)
{
    const spl *kid[SLUICE_MAX_RANK + 2];
    int kids = 0;

    kid[kids++] = order_of(p, 1, false, ctx);
    for (int i = p->rank - 1; i >= 0; i--)
        kid[kids++] = axis_of(p, i, ctx);
    kid[kids++] = order_of(p, 0, true, ctx);
    return spl_mul(ctx, kids, kid);
}

/* The dimensions of both sides. */
static void print_dims(const sluice_problem *p, core_text *out)
{
    for (int d = 0; d < sched_problem_dims(p); d++) {
        const sluice_dim dim = sched_problem_dim(p, d);
        core_text_printf(out, "%s{{%zu, %zu}, {%td, %td}}", d ? ", " : "",
                         sched_problem_extent(p, d, 0), sched_problem_extent(p, d, 1),
                         dim.in_stride, dim.out_stride);
    }
}

/* Prints the check_task that the test compares (sched/emit/emit_check.h). */
static void print_task(const sluice_plan *plan, int matrix, core_text *out)
{
    const sluice_problem *p = &plan->problem;
    const size_t batch = sched_problem_batch(p);
    ptrdiff_t low[2], high[2];
    core_text name = {0};

    if (plan->has_problem)
        sched_problem_print(p, &name);
    for (int side = 0; side < 2; side++)
        sched_problem_span(p, side, &low[side], &high[side]);
    core_text_printf(
        out,
        "    static const check_task task = {\n"
        "        .name = \"%s\", .matrix = matrix_%d, .run = program_run, .dims = %d,\n"
        "        .dim = {",
        plan->has_problem ? core_text_string(&name) : "formula", matrix, sched_problem_dims(p));
    print_dims(p, out);
    core_text_printf(out,
                     "},\n        .total = {%zu, %zu}, .bound = %.9g,\n"
                     "        .low = {%td, %td}, .high = {%td, %td}, .scalars = {%zu, %zu},\n"
                     "        .split = {%s, %s}, .in_place = %s, .scalar = %zu};\n\n",
                     sched_side_elements(p, 0) * batch, sched_side_elements(p, 1) * batch,
                     sched_plan_bound(plan), low[0], low[1], high[0], high[1],
                     sched_side_scalars(p, 0), sched_side_scalars(p, 1),
                     spl_truth(sched_side_split(p, 0)), spl_truth(sched_side_split(p, 1)),
                     spl_truth(p->in_place), sched_scalar_bytes(p));
    out->failed = out->failed || name.failed;
    core_text_free(&name);
}

static void print_main(const sluice_plan *plan, int matrix, core_text *out)
{
    core_text_printf(out, "\nint main(void)\n{\n");
    print_task(plan, matrix, out);
    core_text_printf(out, "    if (!transform_open()) {\n"
                          "        fputs(\"out of memory\\n\", stderr);\n"
                          "        return 2;\n    }\n"
                          "    const int code = check_program(&task);\n"
                          "    transform_close();\n    return code;\n}\n");
}

/* The formula of a problem's plan: transforms of the whole batch, with edges and scale. */
static const spl *whole_meaning(const sluice_plan *plan, spl_ctx *ctx)
{
    const sluice_problem *p = &plan->problem;

    return spl_scaled(ctx, sched_with_edges(ctx, p, 0, meaning_of(p, ctx)), plan->result_scale);
}

static sluice_status print_test(const sluice_plan *plan, core_text *out, sluice_diag *why)
{
    spl_ctx *ctx = spl_ctx_open();
    spl_c c = SPL_C("check");
    sluice_status status = ctx ? SLUICE_OK : SLUICE_E_MEMORY;

    if (ctx) {
        const spl *meaning =
            plan->has_problem ? whole_meaning(plan, ctx) : spl_untagged(plan->formula);
        status = spl_ctx_status(ctx, NULL);
        if (status == SLUICE_OK && !spl_has_c(meaning))
            status = core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                               "self-tests in C have no definition of PAIRS and of V(n) by "
                               "themselves; give the problem too, as PROBLEM := FORMULA");
        if (status == SLUICE_OK) {
            const int matrix = spl_print_c(meaning, &c);
            print_main(plan, matrix, &c.text);
        }
    }
    core_text_add(out, core_text_string(&c.data), c.data.length);
    core_text_add(out, core_text_string(&c.text), c.text.length);
    if (status == SLUICE_OK && (c.data.failed || c.text.failed))
        status = SLUICE_E_MEMORY;
    core_text_free(&c.data);
    core_text_free(&c.text);
    spl_ctx_close(ctx);
    return status;
}

static void assemble_file(const sluice_plan *plan, const spl_c_source *source,
                          const core_text *test, core_text *out)
{
    /* g++ warns about members without initializers if others are named, and about gcc's own vector
     * intrinsics. */
    static const char system[] =
        "\n#define _DEFAULT_SOURCE /* clock_gettime, madvise */\n"
        "#ifdef __cplusplus\n"
        "#pragma GCC diagnostic ignored \"-Wmissing-field-initializers\"\n"
        "#ifndef __clang__\n"
        "#pragma GCC diagnostic ignored \"-Wuninitialized\"\n"
        "#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"\n"
        "#endif\n#endif\n"
        "#include <stdalign.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
        "#include <stdint.h>\n#include <stdlib.h>\n"
        "#include <string.h>\n#include <math.h>\n"
        "#include <sys/mman.h>\n";
    static const char more[] = "\n#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#endif\n\n";
    bool given[SPL_SNIPPETS_MAX] = {false};
    core_text program = {0};

    core_text_add(&program, core_text_string(&source->code), source->code.length);
    print_functions(&plan->problem, &program);
    print_head(plan, source, out);
    core_text_printf(out, "%s%s%s", system, core_text_string(&source->includes), more);
    spl_snippets_print(spl_snippets_common, given, core_text_string(&program), out);
    core_text_add(out, core_text_string(&program), program.length);
    core_text_printf(out, "\n#ifndef NO_MAIN\n/* ---- self-test ---- */\n\n"
                          "#include <float.h>\n#include <stdio.h>\n#include <time.h>\n\n");
    spl_snippets_print(spl_snippets_common, given, core_text_string(test), out);
    core_text_add(out, core_text_string(test), test->length);
    core_text_printf(out, "#endif\n");
    out->failed = out->failed || program.failed;
    core_text_free(&program);
}

sluice_status sched_emit(const sluice_plan *plan, core_text *out, sluice_diag *why)
{
    const backend_team *team = plan->program->table->team;
    spl_c_source source = {.flags = {0}};
    core_text test = {0};

    if (!team->emit)
        return SLUICE_E_UNSUPPORTED;
    sluice_status status = team->emit(plan->program, &source, why);
    if (status == SLUICE_OK)
        status = print_test(plan, &test, why);
    if (status == SLUICE_OK) {
        assemble_file(plan, &source, &test, out);
        if (source.code.failed || source.flags.failed || source.includes.failed || test.failed)
            status = SLUICE_E_MEMORY;
    }
    core_text_free(&source.flags);
    core_text_free(&source.includes);
    core_text_free(&source.code);
    core_text_free(&test);
    return status;
}
