// SPDX-License-Identifier: BSD-3-Clause
/* Kernels with evaluated addresses as C: index functions as expressions, or as tables if they
 * have no closed form. */
#include <inttypes.h>
#include <stdio.h>

#include "spl/codelet/gen.h"
#include "spl/emit/tape_c.h"

void tape_c_pointer(tape_c *e, const bind_base *begin)
{
    static const char *const arena[BIND_ARENAS] = {
        [BIND_ARENA_IN] = "in",         [BIND_ARENA_IN_IM] = "in_im",
        [BIND_ARENA_OUT] = "out",       [BIND_ARENA_OUT_IM] = "out_im",
        [BIND_ARENA_SHARED] = "shared", [BIND_ARENA_LOCAL] = "local"};

    core_text_printf(&e->c.text, "%s", arena[begin->arena]);
    if (begin->bytes)
        core_text_printf(&e->c.text, " + %td", begin->bytes);
}

void tape_c_steps(tape_c *e, const bind_op *op, int from, int which)
{
    const ptrdiff_t scalar = (ptrdiff_t)e->p->scalar;

    for (int i = from; i < op->nsteps; i++) {
        const bind_step *s = &op->step[i];
        const ptrdiff_t by[] = {s->in * scalar, s->out * scalar, s->tw * scalar, s->is, s->os};
        if (by[which] == 0)
            continue;
        char var[16];
        snprintf(var, sizeof var, " + k%d", s->var);
        spl_c_digit(&e->c.text, var, s->ext ? s->div : 1, s->ext, by[which], false);
    }
}

/* const ptrdiff_t name = f(i) * unit; in bytes. */
static void print_offset(tape_c *e, int depth, const char *name, const ix *f, ptrdiff_t unit)
{
    core_text index = {0};

    ix_print_c(f, "i", &e->c, &index);
    spl_c_line(&e->c, depth, "const ptrdiff_t %s = ", name);
    core_text_printf(&e->c.text, "%s * %td;\n", core_text_string(&index), unit);
    e->c.text.failed = e->c.text.failed || index.failed;
    core_text_free(&index);
}

static void print_factors(tape_c *e, const prog_stmt *s, int depth)
{
    spl_c_line(&e->c, depth, "long double wr = 1, wi = 0;\n");
    for (int k = 0; k < s->ntwiddles; k++) {
        const prog_twiddle *tw = &s->twiddle[k];
        core_text index = {0};
        ix_print_c(tw->f, "i", &e->c, &index);
        spl_c_line(&e->c, depth, "{\n");
        spl_c_line(&e->c, depth + 1, "long double cr, ci;\n");
        spl_c_line(&e->c, depth + 1, "const int64_t t = ");
        core_text_printf(&e->c.text, "%s;\n", core_text_string(&index));
        spl_c_line(&e->c, depth + 1,
                   "spl_oracle_diagonal(%s, %" PRId64 ", %" PRId64 ", t, &cr, &ci);\n",
                   spl_values_name(tw->values), tw->n, tw->m);
        spl_c_line(&e->c, depth + 1, "cpu_complex_multiply(cr, ci, %s, &wr, &wi);\n",
                   spl_truth(tw->conjugate));
        spl_c_line(&e->c, depth, "}\n");
        e->c.text.failed = e->c.text.failed || index.failed;
        core_text_free(&index);
    }
}

/* DFT(1) moves an element. */
static bool is_transform(const prog_stmt *s)
{
    return s->kernel == SPL_TRANSFORM && s->n > 1;
}

static void print_pointers(tape_c *e, const bind_op *op, int depth)
{
    static const char *const name[] = {"const char *const from_re", "const char *const from_im",
                                       "char *const to_re", "char *const to_im"};
    const bool cross =
        is_transform(op->stmt) && prog_is_inverse(op->stmt); /* re and im exchanged */

    for (int i = 0; i < 4; i++) {
        spl_c_line(&e->c, depth, "%s = ", name[i]);
        tape_c_pointer(e, &op->base[cross ? i ^ 1 : i]);
        tape_c_steps(e, op, op->async.first_copy_step, i / 2);
        core_text_printf(&e->c.text, ";\n");
    }
}

/* I(n): elements move, perhaps times factors. */
static void print_copy(tape_c *e, const prog_stmt *s, int depth, const char *real)
{
    spl_c_line(&e->c, depth, "const %s xr = *(const %s *)(from_re + from);\n", real, real);
    spl_c_line(&e->c, depth, "const %s xi = *(const %s *)(from_im + from);\n", real, real);
    if (s->ntwiddles) {
        spl_c_line(&e->c, depth, "const double cr = (double)wr, ci = (double)wi;\n");
        spl_c_line(&e->c, depth, "*(%s *)(to_re + to) = (%s)(xr * cr - xi * ci);\n", real, real);
        spl_c_line(&e->c, depth, "*(%s *)(to_im + to) = (%s)(xr * ci + xi * cr);\n", real, real);
    } else {
        spl_c_line(&e->c, depth, "*(%s *)(to_re + to) = xr;\n", real);
        spl_c_line(&e->c, depth, "*(%s *)(to_im + to) = xi;\n", real);
    }
}

static void print_rows(tape_c *e, const prog_stmt *s, int depth, const char *real)
{
    const ptrdiff_t scalar = (ptrdiff_t)e->p->scalar;

    spl_c_line(&e->c, depth, "in_off[i] = from / %td;\n", scalar);
    spl_c_line(&e->c, depth, "out_off[i] = to / %td;\n", scalar);
    if (s->ntwiddles) {
        spl_c_line(&e->c, depth, "tw[2 * i] = (%s)wr;\n", real);
        spl_c_line(&e->c, depth, "tw[2 * i + 1] = (%s)%swi;\n", real,
                   prog_is_inverse(s) ? "-" : "");
    }
}

static void print_transform(tape_c *e, const bind_op *op, int depth)
{
    spl_c_line(&e->c, depth,
               "const spl_call call = {.in_re = from_re, .in_im = from_im, .out_re = to_re,\n"
               "%*s.out_im = to_im, %s.in_off = in_off, .out_off = out_off,\n"
               "%*s.ics = 1, .ocs = 1};\n",
               4 * depth + 4, "", op->stmt->ntwiddles ? ".tw = tw, " : "", 4 * depth + 4, "");
    spl_c_line(&e->c, depth, "%s(&call, 0, 1);\n", op->codelet->name);
}

void tape_c_eval(tape_c *e, const bind_op *op, int depth)
{
    const prog_stmt *s = op->stmt;
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";
    const ptrdiff_t scalar = (ptrdiff_t)e->p->scalar;
    const bool dft = is_transform(s);

    spl_c_line(&e->c, depth, "{\n");
    print_pointers(e, op, depth + 1);
    if (dft)
        spl_c_line(&e->c, depth + 1, "ptrdiff_t in_off[%" PRId64 "], out_off[%" PRId64 "];\n", s->n,
                   s->n);
    if (dft && s->ntwiddles)
        spl_c_line(&e->c, depth + 1, "%s tw[%" PRId64 "];\n", real, 2 * s->n);
    spl_c_for(&e->c, depth + 1, "i", "0", gen_print("%" PRId64, s->n).text, " {");
    print_offset(e, depth + 2, "from", s->fin,
                 scalar * (e->p->buf[op->in].format == SPL_INTER ? 2 : 1));
    print_offset(e, depth + 2, "to", s->fout,
                 scalar * (e->p->buf[op->out].format == SPL_INTER ? 2 : 1));
    if (s->ntwiddles)
        print_factors(e, s, depth + 2);
    (dft ? print_rows : print_copy)(e, s, depth + 2, real);
    spl_c_line(&e->c, depth + 1, "}\n");
    if (dft)
        print_transform(e, op, depth + 1);
    spl_c_line(&e->c, depth, "}\n");
}

/* Zeros, in runs of adjacent elements. */
void tape_c_zero(tape_c *e, const bind_op *op, int depth)
{
    static const char *const name[] = {"to_re", "to_im"};
    const prog_stmt *s = op->stmt;
    const bool split = e->p->buf[op->out].format == SPL_SPLIT;
    const ptrdiff_t unit = (ptrdiff_t)e->p->scalar * (split ? 1 : 2);

    spl_c_line(&e->c, depth, "for (int64_t i = 0; i < %" PRId64 "; i += %" PRId64 ") {\n", s->n,
               op->run);
    print_offset(e, depth + 1, "to", s->fout, unit);
    for (int part = 0; part < 1 + split; part++) {
        spl_c_line(&e->c, depth + 1, "char *const %s = ", name[part]);
        tape_c_pointer(e, &op->base[2 + part]);
        tape_c_steps(e, op, op->async.first_copy_step, 1);
        core_text_printf(&e->c.text, ";\n");
        spl_c_line(&e->c, depth + 1, "memset(%s + to, 0, %" PRId64 ");\n", name[part],
                   op->run * unit);
    }
    spl_c_line(&e->c, depth, "}\n");
}

/* Adds k0 * stride + k1 * stride + .. */
static void print_strides(tape_c *e, const prog_move *p, const ptrdiff_t *stride)
{
    for (int i = 0; i < p->levels; i++)
        core_text_printf(&e->c.text, " + p%d * %td", i, stride[i]);
}

/* One packet of one array: adjacent bytes, or scalars at other distances. */
static void print_packet(tape_c *e, const bind_op *op, int part, int depth)
{
    const prog_move *p = &op->packets;
    const size_t iu = p->split_in ? 1 : 2, ou = p->split_out ? 1 : 2;

    if (iu != ou)
        spl_c_for(&e->c, depth++, "i", "0", gen_print("%zu", p->run).text, "");
    spl_c_line(&e->c, depth, "memcpy(");
    tape_c_pointer(e, &op->base[2 + part]);
    tape_c_steps(e, op, 0, 1);
    print_strides(e, p, p->out);
    if (iu != ou)
        core_text_printf(&e->c.text, " + i * %zu", ou * p->scalar);
    core_text_printf(&e->c.text, ",\n");
    spl_c_line(&e->c, depth, "       ");
    tape_c_pointer(e, &op->base[part]);
    tape_c_steps(e, op, 0, 0);
    print_strides(e, p, p->in);
    if (iu != ou)
        core_text_printf(&e->c.text, " + i * %zu", iu * p->scalar);
    core_text_printf(&e->c.text, ", %zu);\n", iu != ou ? p->scalar : p->run * iu * p->scalar);
}

void tape_c_transfer(tape_c *e, const bind_op *op, int depth)
{
    const prog_move *p = &op->packets;
    const bool apart = p->split_in || p->split_out;

    for (int i = 0; i < p->levels; i++)
        spl_c_for(&e->c, depth + i, gen_print("p%d", i).text, "0",
                  gen_print("%" PRId64, p->count[i]).text, " {");
    for (int part = 0; part < 1 + apart; part++)
        print_packet(e, op, part, depth + p->levels);
    for (int i = p->levels - 1; i >= 0; i--)
        spl_c_line(&e->c, depth + i, "}\n");
}
