// SPDX-License-Identifier: BSD-3-Clause
/* Kernels with evaluated addresses as C that copy their rows of reals to arrays, where these are
 * side by side: real matrices, and a DFT of complex numbers whose parts are two reals anywhere. See
 * eval_reals() and eval_dft_of_parts() of the CPU. */
#include <inttypes.h>

#include "spl/codelet/gen.h"
#include "spl/emit/tape_c_eval.h"

/* Copies row i of reals to array x, or from array y. */
static void print_reals_row(tape_c *e, const bind_op *op, const tape_c_side *side, bool out,
                            int depth)
{
    static const char *const name[] = {"from", "to"};
    static const char *const part[2] = {"2 * i", "(2 * i + 1)"};
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";

    for (int k = 0; k < op->columns; k++) {
        tape_c_offset(e, depth, k ? "im" : "re", side->f, side->in_reals ? part[k] : "i",
                      side->unit);
        const char *const base = k && !side->in_reals ? "im" : "re";
        const gen_name there = gen_print("*(%s%s *)(%s_%s + %s)", out ? "" : "const ", real,
                                         name[out], base, k ? "im" : "re");
        const gen_name here = gen_print("%s[%d * i + %d]", out ? "y" : "x", op->columns, k);
        spl_c_line(&e->c, depth, "%s = %s;\n", out ? there.text : here.text,
                   out ? here.text : there.text);
    }
}

void tape_c_row_factors(tape_c *e, const prog_stmt *s, int depth)
{
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";

    if (!s->ntwiddles)
        return;
    spl_c_line(&e->c, depth, "tw[2 * i] = (%s)wr;\n", real);
    spl_c_line(&e->c, depth, "tw[2 * i + 1] = (%s)%swi;\n", real, prog_is_inverse(s) ? "-" : "");
}

/* Multiplies row i of results by its factor, which is real if the results are. */
static void print_product(tape_c *e, const bind_op *op, int depth)
{
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";

    tape_c_factors(e, op, "i", depth);
    tape_c_rounded_factors(e, op->columns > 1, depth);
    if (op->columns == 1) {
        spl_c_line(&e->c, depth, "y[i] *= cr;\n");
        return;
    }
    spl_c_line(&e->c, depth, "const %s yr = y[2 * i], yi = y[2 * i + 1];\n", real);
    spl_c_line(&e->c, depth, "y[2 * i] = %s(yr, cr, -(yi * ci));\n", tape_c_fma(e));
    spl_c_line(&e->c, depth, "y[2 * i + 1] = %s(yi, cr, yr * ci);\n", tape_c_fma(e));
}

/* Calls a codelet on rows of reals, from x to y. */
static void print_reals_call(tape_c *e, const bind_op *op, int depth)
{
    spl_c_line(&e->c, depth,
               "const spl_call call = {.in_re = BIND_ARRAY(const char, x), .out_re = "
               "BIND_ARRAY(char, y),\n%*s.is = %d, .os = %d};\n",
               4 * depth + 4, "", op->columns, op->columns);
    spl_c_line(&e->c, depth, "%s(&call, 0, %d);\n", op->codelet->name, op->columns);
}

/* The same for a DFT, whose rows are re and im side by side. */
static void print_parts_call(tape_c *e, const bind_op *op, int depth)
{
    const bool inverse = prog_is_inverse(op->stmt);
    const char *const re = inverse ? " + 1" : "", *const im = inverse ? "" : " + 1";

    spl_c_line(&e->c, depth,
               "const spl_call call = {.in_re = BIND_ARRAY(const char, x%s), .in_im = "
               "BIND_ARRAY(const char, x%s),\n",
               re, im);
    spl_c_line(&e->c, depth + 1,
               ".out_re = BIND_ARRAY(char, y%s), .out_im = BIND_ARRAY(char, y%s),\n", re, im);
    spl_c_line(&e->c, depth + 1, "%s.ics = 1, .ocs = 1,\n",
               op->stmt->ntwiddles ? ".tw = BIND_ARRAY(const char, tw), " : "");
    spl_c_line(&e->c, depth + 1,
               ".in_off = BIND_ARRAY(const ptrdiff_t, off), .out_off = BIND_ARRAY(const ptrdiff_t, "
               "off)};\n");
    spl_c_line(&e->c, depth, "%s(&call, 0, 1);\n", op->codelet->name);
}

/* Declares the arrays of a codelet on rows of reals. */
static void print_reals_arrays(tape_c *e, const bind_op *op, int depth)
{
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";
    const prog_stmt *s = op->stmt;

    spl_c_line(&e->c, depth, "%s x[%" PRId64 "], y[%" PRId64 "];\n", real, op->columns * s->n,
               op->columns * s->n);
    if (!prog_is_dft(s))
        return;
    spl_c_line(&e->c, depth, "ptrdiff_t off[%" PRId64 "];\n", s->n);
    if (s->ntwiddles)
        spl_c_line(&e->c, depth, "%s tw[%" PRId64 "];\n", real, 2 * s->n);
}

void tape_c_reals(tape_c *e, const bind_op *op, const tape_c_side side[2], int depth)
{
    const prog_stmt *s = op->stmt;
    const bool dft = prog_is_dft(s);

    print_reals_arrays(e, op, depth);
    for (int out = 0; out < 2; out++) {
        spl_c_for(&e->c, depth, "i", "0", gen_print("%" PRId64, s->n).text, " {");
        if (out && s->ntwiddles && !dft)
            print_product(e, op, depth + 1);
        print_reals_row(e, op, &side[out], out, depth + 1);
        if (!out && dft) {
            spl_c_line(&e->c, depth + 1, "off[i] = 2 * i;\n");
            if (s->ntwiddles)
                tape_c_factors(e, op, "i", depth + 1);
            tape_c_row_factors(e, s, depth + 1);
        }
        spl_c_line(&e->c, depth, "}\n");
        if (!out)
            (dft ? print_parts_call : print_reals_call)(e, op, depth);
    }
}
