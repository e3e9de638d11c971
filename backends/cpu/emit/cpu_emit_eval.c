// SPDX-License-Identifier: BSD-3-Clause
/* Kernels with evaluated addresses as C: index functions as expressions, or as tables where they
 * have no closed form. */
#include <inttypes.h>

#include "backends/cpu/emit/cpu_emit.h"

/* const ptrdiff_t name = f(i) * unit; in bytes. */
static void print_offset(cpu_emitter *e, int depth, const char *name, const ix *f, ptrdiff_t unit)
{
    core_text index = {0};

    ix_print_c(f, "i", &e->c, &index);
    cpu_emit_line(e, depth, "const ptrdiff_t %s = ", name);
    core_text_printf(&e->c.text, "%s * %td;\n", core_text_string(&index), unit);
    e->c.text.failed = e->c.text.failed || index.failed;
    core_text_free(&index);
}

static void print_factors(cpu_emitter *e, const prog_stmt *s, int depth)
{
    cpu_emit_line(e, depth, "long double wr = 1, wi = 0;\n");
    for (int k = 0; k < s->ntwiddles; k++) {
        const prog_twiddle *tw = &s->twiddle[k];
        core_text index = {0};
        ix_print_c(tw->f, "i", &e->c, &index);
        cpu_emit_line(e, depth, "{\n");
        cpu_emit_line(e, depth + 1, "long double cr, ci;\n");
        cpu_emit_line(e, depth + 1, "const int64_t t = ");
        core_text_printf(&e->c.text, "%s;\n", core_text_string(&index));
        cpu_emit_line(e, depth + 1,
                      "spl_oracle_diagonal(%s, %" PRId64 ", %" PRId64 ", t, &cr, &ci);\n",
                      spl_values_name(tw->values), tw->n, tw->m);
        cpu_emit_line(e, depth + 1, "cpu_complex_multiply(cr, ci, %s, &wr, &wi);\n",
                      spl_truth(tw->conjugate));
        cpu_emit_line(e, depth, "}\n");
        e->c.text.failed = e->c.text.failed || index.failed;
        core_text_free(&index);
    }
}

/* DFT(1) moves an element. */
static bool is_transform(const prog_stmt *s)
{
    return s->kernel == SPL_TRANSFORM && s->n > 1;
}

static void print_pointers(cpu_emitter *e, const bind_op *op, int depth)
{
    static const char *const name[] = {"const char *const from_re", "const char *const from_im",
                                       "char *const to_re", "char *const to_im"};
    const bool cross = is_transform(op->stmt) && op->stmt->inverse; /* re and im exchanged */

    for (int i = 0; i < 4; i++) {
        cpu_emit_line(e, depth, "%s = ", name[i]);
        cpu_emit_pointer(e, &op->base[cross ? i ^ 1 : i]);
        cpu_emit_steps(e, op, op->async.first_copy_step, i / 2);
        core_text_printf(&e->c.text, ";\n");
    }
}

/* I(n): elements move, perhaps times factors. */
static void print_copy(cpu_emitter *e, const prog_stmt *s, int depth, const char *real)
{
    cpu_emit_line(e, depth, "const %s xr = *(const %s *)(from_re + from);\n", real, real);
    cpu_emit_line(e, depth, "const %s xi = *(const %s *)(from_im + from);\n", real, real);
    if (s->ntwiddles) {
        cpu_emit_line(e, depth, "const double cr = (double)wr, ci = (double)wi;\n");
        cpu_emit_line(e, depth, "*(%s *)(to_re + to) = (%s)(xr * cr - xi * ci);\n", real, real);
        cpu_emit_line(e, depth, "*(%s *)(to_im + to) = (%s)(xr * ci + xi * cr);\n", real, real);
    } else {
        cpu_emit_line(e, depth, "*(%s *)(to_re + to) = xr;\n", real);
        cpu_emit_line(e, depth, "*(%s *)(to_im + to) = xi;\n", real);
    }
}

static void print_rows(cpu_emitter *e, const prog_stmt *s, int depth, const char *real)
{
    const ptrdiff_t scalar = (ptrdiff_t)e->p->scalar;

    cpu_emit_line(e, depth, "in_off[i] = from / %td;\n", scalar);
    cpu_emit_line(e, depth, "out_off[i] = to / %td;\n", scalar);
    if (s->ntwiddles) {
        cpu_emit_line(e, depth, "tw[2 * i] = (%s)wr;\n", real);
        cpu_emit_line(e, depth, "tw[2 * i + 1] = (%s)%swi;\n", real, s->inverse ? "-" : "");
    }
}

static void print_transform(cpu_emitter *e, const bind_op *op, int depth)
{
    cpu_emit_line(e, depth,
                  "const spl_call call = {.in_re = from_re, .in_im = from_im, .out_re = to_re,\n"
                  "%*s.out_im = to_im, %s.in_off = in_off, .out_off = out_off,\n"
                  "%*s.ics = 1, .ocs = 1};\n",
                  4 * depth + 4, "", op->stmt->ntwiddles ? ".tw = tw, " : "", 4 * depth + 4, "");
    cpu_emit_line(e, depth, "%s(&call, 0, 1);\n", op->codelet->name);
}

void cpu_emit_eval(cpu_emitter *e, const bind_op *op, int depth)
{
    const prog_stmt *s = op->stmt;
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";
    const ptrdiff_t scalar = (ptrdiff_t)e->p->scalar;
    const bool dft = is_transform(s);

    cpu_emit_line(e, depth, "{\n");
    print_pointers(e, op, depth + 1);
    if (dft)
        cpu_emit_line(e, depth + 1, "ptrdiff_t in_off[%" PRId64 "], out_off[%" PRId64 "];\n", s->n,
                      s->n);
    if (dft && s->ntwiddles)
        cpu_emit_line(e, depth + 1, "%s tw[%" PRId64 "];\n", real, 2 * s->n);
    cpu_emit_line(e, depth + 1, "for (int64_t i = 0; i < %" PRId64 "; i++) {\n", s->n);
    print_offset(e, depth + 2, "from", s->fin,
                 scalar * (e->p->buf[op->in].format == SPL_INTER ? 2 : 1));
    print_offset(e, depth + 2, "to", s->fout,
                 scalar * (e->p->buf[op->out].format == SPL_INTER ? 2 : 1));
    if (s->ntwiddles)
        print_factors(e, s, depth + 2);
    (dft ? print_rows : print_copy)(e, s, depth + 2, real);
    cpu_emit_line(e, depth + 1, "}\n");
    if (dft)
        print_transform(e, op, depth + 1);
    cpu_emit_line(e, depth, "}\n");
}

/* Zeros, in runs of adjacent elements. */
void cpu_emit_zero(cpu_emitter *e, const bind_op *op, int depth)
{
    static const char *const name[] = {"to_re", "to_im"};
    const prog_stmt *s = op->stmt;
    const bool split = e->p->buf[op->out].format == SPL_SPLIT;
    const ptrdiff_t unit = (ptrdiff_t)e->p->scalar * (split ? 1 : 2);

    cpu_emit_line(e, depth, "for (int64_t i = 0; i < %" PRId64 "; i += %" PRId64 ") {\n", s->n,
                  op->run);
    print_offset(e, depth + 1, "to", s->fout, unit);
    for (int part = 0; part < 1 + split; part++) {
        cpu_emit_line(e, depth + 1, "char *const %s = ", name[part]);
        cpu_emit_pointer(e, &op->base[2 + part]);
        cpu_emit_steps(e, op, op->async.first_copy_step, 1);
        core_text_printf(&e->c.text, ";\n");
        cpu_emit_line(e, depth + 1, "memset(%s + to, 0, %" PRId64 ");\n", name[part],
                      op->run * unit);
    }
    cpu_emit_line(e, depth, "}\n");
}

/* Adds k0 * stride + k1 * stride + .. */
static void print_strides(cpu_emitter *e, const prog_move *p, const ptrdiff_t *stride)
{
    for (int i = 0; i < p->levels; i++)
        core_text_printf(&e->c.text, " + p%d * %td", i, stride[i]);
}

/* One packet of one array: adjacent bytes, or scalars at other distances. */
static void print_packet(cpu_emitter *e, const bind_op *op, int part, int depth)
{
    const prog_move *p = &op->packets;
    const size_t iu = p->split_in ? 1 : 2, ou = p->split_out ? 1 : 2;

    if (iu != ou)
        cpu_emit_line(e, depth++, "for (int64_t i = 0; i < %zu; i++)\n", p->run);
    cpu_emit_line(e, depth, "memcpy(");
    cpu_emit_pointer(e, &op->base[2 + part]);
    cpu_emit_steps(e, op, 0, 1);
    print_strides(e, p, p->out);
    if (iu != ou)
        core_text_printf(&e->c.text, " + i * %zu", ou * p->scalar);
    core_text_printf(&e->c.text, ",\n");
    cpu_emit_line(e, depth, "       ");
    cpu_emit_pointer(e, &op->base[part]);
    cpu_emit_steps(e, op, 0, 0);
    print_strides(e, p, p->in);
    if (iu != ou)
        core_text_printf(&e->c.text, " + i * %zu", iu * p->scalar);
    core_text_printf(&e->c.text, ", %zu);\n", iu != ou ? p->scalar : p->run * iu * p->scalar);
}

void cpu_emit_transfer(cpu_emitter *e, const bind_op *op, int depth)
{
    const prog_move *p = &op->packets;
    const bool apart = p->split_in || p->split_out;

    for (int i = 0; i < p->levels; i++)
        cpu_emit_line(e, depth + i, "for (int64_t p%d = 0; p%d < %" PRId64 "; p%d++) {\n", i, i,
                      p->count[i], i);
    for (int part = 0; part < 1 + apart; part++)
        print_packet(e, op, part, depth + p->levels);
    for (int i = p->levels - 1; i >= 0; i--)
        cpu_emit_line(e, depth + i, "}\n");
}
