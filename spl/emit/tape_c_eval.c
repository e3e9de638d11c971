// SPDX-License-Identifier: BSD-3-Clause
/* Kernels with evaluated addresses as C. Index functions are expressions, or tables if they have no
 * closed form. */
#include <inttypes.h>
#include <stdio.h>

#include "spl/codelet/gen.h"
#include "spl/emit/tape_c_eval.h"
#include "spl/emit/tape_opencl_parts.h"

void tape_c_pointer(tape_c *e, const bind_base *begin)
{
    static const char *const arena[BIND_ARENAS] = {
        [BIND_ARENA_IN] = "in",         [BIND_ARENA_IN_IM] = "in_im",
        [BIND_ARENA_OUT] = "out",       [BIND_ARENA_OUT_IM] = "out_im",
        [BIND_ARENA_SHARED] = "shared", [BIND_ARENA_LOCAL] = "local"};

    if (e->opencl)
        e->opencl->uses[begin->arena] = true;
    core_text_printf(&e->c.text, "%s",
                     e->opencl && begin->arena == BIND_ARENA_LOCAL ? "own" : arena[begin->arena]);
    if (begin->bytes)
        core_text_printf(&e->c.text, " + %td", begin->bytes);
}

void tape_c_steps(tape_c *e, const bind_op *op, int from, tape_c_stepped to)
{
    const ptrdiff_t scalar = (ptrdiff_t)e->p->scalar;

    for (int i = from; i < op->nsteps; i++) {
        const bind_step *s = &op->step[i];
        const bool sliced = e->opencl && tape_opencl_has_slice(e, op, s->var);
        const ptrdiff_t by[] = {[TAPE_C_IN] = s->in * scalar,
                                [TAPE_C_OUT] = s->out * scalar,
                                [TAPE_C_TABLE] = sliced ? 0 : s->tw * scalar,
                                [TAPE_C_IN_ROWS] = s->is,
                                [TAPE_C_OUT_ROWS] = s->os,
                                [TAPE_C_IN_ROW_BYTES] = s->is * scalar,
                                [TAPE_C_OUT_ROW_BYTES] = s->os * scalar};
        if (by[to] == 0)
            continue;
        char var[16];
        snprintf(var, sizeof var, " + k%d", s->var);
        spl_c_digit(&e->c.text, var, s->ext ? s->div : 1, s->ext, by[to], false);
    }
}

void tape_c_offset(tape_c *e, int depth, const char *name, const ix *f, const char *index,
                   ptrdiff_t unit)
{
    core_text at = {0};

    ix_print_c(f, index, &e->c, &at);
    spl_c_line(&e->c, depth, "const ptrdiff_t %s = ", name);
    core_text_printf(&e->c.text, "%s * %td;\n", core_text_string(&at), unit);
    e->c.text.failed = e->c.text.failed || at.failed;
    core_text_free(&at);
}

void tape_c_factors(tape_c *e, const bind_op *op, const char *i, int depth)
{
    const prog_stmt *s = op->stmt;

    if (e->opencl) {
        tape_opencl_factors(e, op, i, depth);
        return;
    }
    double scale = 1;
    spl_c_line(&e->c, depth, "long double wr = 1, wi = 0;\n");
    for (int k = 0; k < s->ntwiddles; k++) {
        const prog_twiddle *tw = &s->twiddle[k];
        core_text index = {0};
        if (tw->values == SPL_CONST) {
            scale *= spl_constant_value(tw->m);
            continue;
        }
        ix_print_c(tw->f, i, &e->c, &index);
        spl_c_line(&e->c, depth, "{\n");
        spl_c_line(&e->c, depth + 1, "long double cr, ci;\n");
        spl_c_line(&e->c, depth + 1, "const int64_t t = ");
        core_text_printf(&e->c.text, "%s;\n", core_text_string(&index));
        spl_c_line(&e->c, depth + 1,
                   "spl_oracle_diagonal(%s, %" PRId64 ", %" PRId64 ", t, &cr, &ci);\n",
                   spl_values_name(tw->values), tw->n, tw->m);
        spl_c_line(&e->c, depth + 1, "bind_complex_multiply(cr, ci, %s, &wr, &wi);\n",
                   spl_truth(tw->conjugate));
        spl_c_line(&e->c, depth, "}\n");
        e->c.text.failed = e->c.text.failed || index.failed;
        core_text_free(&index);
    }
    if (scale != 1)
        spl_c_line(&e->c, depth, "wr *= %.17g, wi *= %.17g;\n", scale, scale);
}

/* DFT(1) without factors moves an element; with factors the codelet is needed for its rounding. */
static bool runs_transform(const bind_op *op)
{
    const prog_stmt *s = op->stmt;

    return s->kernel == SPL_TRANSFORM && op->codelet && (s->n > 1 || s->ntwiddles > 0);
}

bool tape_c_computes(const bind_op *op)
{
    return runs_transform(op) || op->stmt->kernel == SPL_PAIR;
}

/* The number of elements of a kernel that is no transform: that of its factors, or of the side with
 * complex numbers, if there is one. */
static int64_t evaluated_elements(const prog_stmt *s)
{
    const int64_t least = s->fin->n < s->fout->n ? s->fin->n : s->fout->n;

    if (s->kernel == SPL_RETYPE)
        return s->n;
    return s->ntwiddles > 0 ? s->twiddle[0].f->n : least;
}

static tape_c_side printed_side(const tape_c *e, const bind_op *op, bool out)
{
    const prog_stmt *s = op->stmt;
    const spl_format format = e->p->buf[out ? op->out : op->in].format;
    const bool computes = tape_c_computes(op);
    tape_c_side side = {.f = out ? s->fout : s->fin,
                        .unit = (ptrdiff_t)e->p->scalar * (format == SPL_INTER ? 2 : 1)};

    if (s->kernel == SPL_PAIR)
        side.in_reals = format == SPL_REAL;
    else
        side.in_reals =
            computes ? op->columns > 1 && format == SPL_REAL : side.f->n != evaluated_elements(s);
    if (s->kernel == SPL_RETYPE && s->kind != SPL_RETYPE_CONJ)
        side.im = out && s->kind == SPL_RETYPE_EMBED;
    else
        side.im = (computes && op->columns != 1) || side.in_reals || format != SPL_REAL;
    return side;
}

/* Declares pointers to the buffers' parts for this iteration of the enclosing loops. */
static void print_pointers(tape_c *e, const bind_op *op, const tape_c_side side[2], int depth)
{
    static const char *const name[] = {"const char *const from_re", "const char *const from_im",
                                       "char *const to_re", "char *const to_im"};
    /* re and im exchanged */
    const bool cross = runs_transform(op) && op->columns == 0 && prog_is_inverse(op->stmt);

    for (int i = 0; i < 4; i++) {
        if (i % 2 == 1 && (!side[i / 2].im || side[i / 2].in_reals))
            continue;
        spl_c_line(&e->c, depth, "%s = ", name[i]);
        tape_c_pointer(e, &op->base[cross ? i ^ 1 : i]);
        tape_c_steps(e, op, op->async.first_copy_step, i < 2 ? TAPE_C_IN : TAPE_C_OUT);
        core_text_printf(&e->c.text, ";\n");
    }
}

/* Declares the offsets of an element from these pointers, or of its parts in a buffer of reals. */
static void print_places(tape_c *e, const tape_c_side side[2], const char *element,
                         const char *const part[2], int depth)
{
    static const char *const name[2][2] = {{"from", "from_imag"}, {"to", "to_imag"}};

    for (int k = 0; k < 2; k++) {
        const tape_c_side *at = &side[k];
        tape_c_offset(e, depth, name[k][0], at->f, at->in_reals ? part[0] : element, at->unit);
        if (at->in_reals && at->im)
            tape_c_offset(e, depth, name[k][1], at->f, part[1], at->unit);
    }
}

/* The text of the address of its imaginary part. */
static const char *im_place(const tape_c_side side[2], int k)
{
    static const char *const place[2][2] = {{"from_im + from", "from_re + from_imag"},
                                            {"to_im + to", "to_re + to_imag"}};

    return place[k][side[k].in_reals];
}

/* Stores a part of element i. */
static void print_store(tape_c *e, const char *place, const char *value, int depth)
{
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";

    spl_c_line(&e->c, depth, "*(%s *)(%s) = %s;\n", real, place, value);
}

const char *tape_c_fma(const tape_c *e)
{
    return e->opencl || e->p->precision == SLUICE_F64 ? "fma" : "fmaf";
}

void tape_c_rounded_factors(tape_c *e, bool im, int depth)
{
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";

    spl_c_line(&e->c, depth, "const %s cr = (%s)wr%s;\n", real, real,
               im ? gen_print(", ci = (%s)wi", real).text : "");
}

/* Stores an element times its factors, as cpu_eval.c computes it. */
static void print_product(tape_c *e, const tape_c_side side[2], int depth)
{
    const char *const fma = tape_c_fma(e);
    const gen_name im = side[0].im ? gen_print("%s(xi, cr, xr * ci)", fma) : gen_print("xr * ci");

    tape_c_rounded_factors(e, side[0].im || side[1].im, depth);
    if (side[0].im)
        print_store(e, "to_re + to", gen_print("%s(xr, cr, -(xi * ci))", fma).text, depth);
    else
        print_store(e, "to_re + to", "xr * cr", depth);
    if (side[1].im)
        print_store(e, im_place(side, 1), im.text, depth);
}

/* I(n), EMBED(n), RE(n): elements move, perhaps times factors. */
static void print_copy(tape_c *e, const prog_stmt *s, const tape_c_side side[2], int depth)
{
    const bool conjugates = s->kernel == SPL_RETYPE && s->kind == SPL_RETYPE_CONJ;
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";

    spl_c_line(&e->c, depth, "const %s xr = *(const %s *)(from_re + from);\n", real, real);
    if (side[0].im)
        spl_c_line(&e->c, depth, "const %s xi = %s*(const %s *)(%s);\n", real,
                   conjugates ? "-" : "", real, im_place(side, 0));
    if (s->ntwiddles > 0) {
        print_product(e, side, depth);
        return;
    }
    print_store(e, "to_re + to", "xr", depth);
    if (side[1].im)
        print_store(e, im_place(side, 1), side[0].im ? "xi" : "0", depth);
}

static void print_row(tape_c *e, const prog_stmt *s, int depth)
{
    const ptrdiff_t scalar = (ptrdiff_t)e->p->scalar;

    spl_c_line(&e->c, depth, "in_off[i] = from / %td;\n", scalar);
    spl_c_line(&e->c, depth, "out_off[i] = to / %td;\n", scalar);
    tape_c_row_factors(e, s, depth);
}

static void print_transform(tape_c *e, const bind_op *op, int depth)
{
    spl_c_line(&e->c, depth,
               "const spl_call call = {.in_re = from_re, .in_im = from_im, .out_re = to_re,\n"
               "%*s.out_im = to_im, %s.ics = 1, .ocs = 1,\n"
               "%*s.in_off = BIND_ARRAY(const ptrdiff_t, in_off),\n"
               "%*s.out_off = BIND_ARRAY(const ptrdiff_t, out_off)};\n",
               4 * depth + 4, "", op->stmt->ntwiddles ? ".tw = BIND_ARRAY(const char, tw), " : "",
               4 * depth + 4, "", 4 * depth + 4, "");
    spl_c_line(&e->c, depth, "%s(&call, 0, 1);\n", op->codelet->name);
}

/* A step of pairs: its rows have one stride from the first, and a pair has a factor. */
static void print_pairs(tape_c *e, const bind_op *op, const tape_c_side side[2], int depth)
{
    static const char *const next[2] = {"from_next", "to_next"}, *const part[2] = {"0", "1"};
    static const char *const stride[2] = {", .is = (from_next - from)", ", .os = (to_next - to)"};
    const char *const real = e->p->precision == SLUICE_F32 ? "float" : "double";
    const prog_stmt *s = op->stmt;
    const double scale = (double)spl_pairs_def_of((spl_pairs_kind)s->kind)->scale;
    const bool more[2] = {s->fin->n > 1 + side[0].in_reals, s->fout->n > 1 + side[1].in_reals};

    print_places(e, side, "0", part, depth);
    for (int k = 0; k < 2; k++)
        if (more[k])
            tape_c_offset(e, depth, next[k], side[k].f, side[k].in_reals ? "2" : "1", side[k].unit);
    if (s->ntwiddles) {
        tape_c_factors(e, op, "0", depth);
        spl_c_line(&e->c, depth, "const double scale = %.17g;\n", scale);
        spl_c_line(&e->c, depth,
                   "const %s tw[2] = {(%s)(scale * (double)wr), (%s)(scale * (double)wi)};\n", real,
                   real, real);
    }
    spl_c_line(&e->c, depth, "const spl_call call = {.in_re = from_re + from, .in_im = %s,\n",
               im_place(side, 0));
    spl_c_line(&e->c, depth + 1, ".out_re = to_re + to, .out_im = %s%s", im_place(side, 1),
               s->ntwiddles ? ", .tw = BIND_ARRAY(const char, tw)" : "");
    for (int k = 0; k < 2; k++)
        if (more[k])
            core_text_printf(&e->c.text, "%s / %zu", stride[k], e->p->scalar);
    core_text_printf(&e->c.text, "};\n");
    spl_c_line(&e->c, depth, "%s(&call, 0, 1);\n", op->codelet->name);
}

static void print_elements(tape_c *e, const bind_op *op, const tape_c_side side[2], int depth)
{
    const prog_stmt *s = op->stmt;
    static const char *const part[2] = {"2 * i", "(2 * i + 1)"};
    const bool dft = runs_transform(op);

    if (dft)
        spl_c_line(&e->c, depth, "ptrdiff_t in_off[%" PRId64 "], out_off[%" PRId64 "];\n", s->n,
                   s->n);
    if (dft && s->ntwiddles)
        spl_c_line(&e->c, depth, "%s tw[%" PRId64 "];\n",
                   e->p->precision == SLUICE_F32 ? "float" : "double", 2 * s->n);
    spl_c_for(&e->c, depth, "i", "0",
              gen_print("%" PRId64, dft ? s->n : evaluated_elements(s)).text, " {");
    print_places(e, side, "i", part, depth + 1);
    if (s->ntwiddles)
        tape_c_factors(e, op, "i", depth + 1);
    if (dft)
        print_row(e, s, depth + 1);
    else
        print_copy(e, s, side, depth + 1);
    spl_c_line(&e->c, depth, "}\n");
    if (dft)
        print_transform(e, op, depth);
}

void tape_c_eval(tape_c *e, const bind_op *op, int depth)
{
    const tape_c_side side[2] = {printed_side(e, op, false), printed_side(e, op, true)};

    spl_c_line(&e->c, depth, "{\n");
    print_pointers(e, op, side, depth + 1);
    if (op->stmt->kernel == SPL_PAIR)
        print_pairs(e, op, side, depth + 1);
    else if (op->columns > 0)
        tape_c_reals(e, op, side, depth + 1);
    else
        print_elements(e, op, side, depth + 1);
    spl_c_line(&e->c, depth, "}\n");
}

/* Writes zeros in runs of adjacent elements. */
void tape_c_zero(tape_c *e, const bind_op *op, int depth)
{
    static const char *const name[] = {"to_re", "to_im"};
    const prog_stmt *s = op->stmt;
    const spl_format format = e->p->buf[op->out].format;
    const bool split = format == SPL_SPLIT;
    const ptrdiff_t unit = (ptrdiff_t)e->p->scalar * (format == SPL_INTER ? 2 : 1);

    spl_c_line(&e->c, depth, "for (int64_t i = 0; i < %" PRId64 "; i += %" PRId64 ") {\n", s->n,
               op->run);
    tape_c_offset(e, depth + 1, "to", s->fout, "i", unit);
    for (int part = 0; part < 1 + split; part++) {
        spl_c_line(&e->c, depth + 1, "char *const %s = ", name[part]);
        tape_c_pointer(e, &op->base[2 + part]);
        tape_c_steps(e, op, op->async.first_copy_step, TAPE_C_OUT);
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

/* Copies one packet of one array: adjacent bytes, or scalars if the two sides' distances differ. */
static void print_packet(tape_c *e, const bind_op *op, int part, int depth)
{
    const prog_move *p = &op->packets;
    const size_t iu = prog_move_adjacent(p, false), ou = prog_move_adjacent(p, true);

    if (iu != ou)
        spl_c_for(&e->c, depth++, "i", "0", gen_print("%zu", p->run).text, "");
    spl_c_line(&e->c, depth, "memcpy(");
    tape_c_pointer(e, &op->base[2 + part]);
    tape_c_steps(e, op, 0, TAPE_C_OUT);
    print_strides(e, p, p->out);
    if (iu != ou)
        core_text_printf(&e->c.text, " + i * %zu", ou * p->scalar);
    core_text_printf(&e->c.text, ",\n");
    spl_c_line(&e->c, depth, "       ");
    tape_c_pointer(e, &op->base[part]);
    tape_c_steps(e, op, 0, TAPE_C_IN);
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
