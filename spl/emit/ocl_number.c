// SPDX-License-Identifier: BSD-3-Clause
/* Numbers between the registers of one work-item and memory: complex or real ones, in any layout of
 * their buffer, times factors. */
#include <stdio.h>
#include <string.h>

#include "spl/emit/ocl.h"

/* ---- buffers ---- */

gen_name ocl_buffer_name(ocl *o, int buf, bool im)
{
    const prog_space space = o->p->buf[buf].space;

    if (space != PROG_IN && space != PROG_OUT)
        return gen_print("b%d", buf);
    const bool in = space == PROG_IN;
    const device_role arg =
        (device_role)((in && !o->p->sides.in_place ? DEVICE_IN : DEVICE_OUT) + (int)im);
    o->current_kernel->arg[arg] = true;
    if (in && ocl_views_output(o))
        return gen_print("%s", device_role_name(DEVICE_IN));
    return gen_print("%s", device_role_name(arg));
}

int64_t ocl_shift_of(const ocl *o, int buf)
{
    const prog_space space = o->p->buf[buf].space;

    return space == PROG_IN ? -o->out->side[0].low : space == PROG_OUT ? -o->out->side[1].low : 0;
}

ocl_side ocl_side_of(const ocl *o, const prog_stmt *s, bool out)
{
    const int buf = out ? s->out : s->in;
    const bool reals = ocl_counts_reals(o, s, out), in_reals = prog_scalars(&o->p->buf[buf]) == 1;

    const bool paired = !reals && in_reals;

    return (ocl_side){.buf = buf,
                      .reals = reals,
                      .paired = paired,
                      .whole = paired && ocl_has_pairs(out ? s->fout : s->fin)
                               && ocl_shift_of(o, buf) % 2 == 0,
                      .split = !in_reals && prog_is_split(o->p, buf),
                      .halves = o->p->buf[buf].halves};
}

gen_name ocl_whole(ocl *o, const ocl_side *side, int i, bool out)
{
    const ocl_kernel *k = o->current_kernel;
    const prog_space space = o->p->buf[side->buf].space;

    if (space == PROG_IN || space == PROG_OUT)
        o->out->side[space == PROG_OUT].alignment = (size_t)o->element_bytes;
    return gen_print("*(%s %s%sx2 *)(%s + %s)",
                     space == k->store && !k->spilled ? "__local" : "__global", out ? "" : "const ",
                     o->value, ocl_buffer_name(o, side->buf, false).text,
                     ocl_index(&side->at, 2 * i).text);
}

/* ---- numbers ---- */

void ocl_swap_re_im(gen_var *x)
{
    const gen_var was = *x;

    memcpy(x->re, was.im, sizeof x->re);
    memcpy(x->im, was.re, sizeof x->im);
}

bool ocl_exchanges_re_im(const prog_stmt *s)
{
    return s->op == PROG_KERN && prog_is_inverse(s) && s->n > 1;
}

gen_var ocl_new_parts(gen_emit *e)
{
    const int number = e->next_temp++;
    gen_var x;

    snprintf(x.re, sizeof x.re, "r%d", number);
    snprintf(x.im, sizeof x.im, "i%d", number);
    return x;
}

static gen_var load_parts(gen_emit *e, const ocl_job *j, const char *re, const char *re_at,
                          const char *im, const char *im_at)
{
    const gen_var x = ocl_new_parts(e);

    gen_say(e, "const %sx1 %s = %s[%s], %s = %s[%s];", j->o->value, x.re, re, re_at, x.im, im,
            im_at);
    return x;
}

gen_var ocl_load_number(gen_emit *e, const ocl_job *j, int i)
{
    const ocl_side *in = &j->in;
    const bool held = ocl_holds(j->o, j->s) || in->halves;
    const gen_name from =
        held ? ocl_held_name(j->o, j->s, false) : ocl_buffer_name(j->o, in->buf, false);
    gen_var x = {"", ""};

    if (in->paired && !in->whole && !held)
        return load_parts(e, j, from.text, ocl_index(&in->at, 2 * i).text, from.text,
                          ocl_index(&in->at, 2 * i + 1).text);
    const gen_name at = held        ? ocl_held_index(j->o, j->s, false, i)
                        : in->whole ? ocl_whole(j->o, in, i, false)
                                    : ocl_index(&in->at, i);
    if (in->split && !held)
        return load_parts(e, j, from.text, at.text, ocl_buffer_name(j->o, in->buf, true).text,
                          at.text);
    const int number = e->next_temp++;
    if (in->whole && !held)
        gen_say(e, "const %sx2 x%d = %s;", j->o->value, number, at.text);
    else
        gen_say(e, "const %sx%d x%d = %s[%s];", j->o->value, in->reals ? 1 : 2, number, from.text,
                at.text);
    snprintf(x.re, sizeof x.re, in->reals ? "x%d" : "x%d.x", number);
    if (!in->reals)
        snprintf(x.im, sizeof x.im, "x%d.y", number);
    return x;
}

static void store_number(gen_emit *e, const ocl_job *j, int i, gen_var x)
{
    const ocl_side *out = &j->out;
    const gen_name to = ocl_buffer_name(j->o, out->buf, false);

    if (out->halves) {
        gen_say(e, "%s[%s] = %sx2_of(%s, %s);", ocl_held_name(j->o, j->s, true).text,
                ocl_held_index(j->o, j->s, true, i).text, j->o->value, x.re, x.im);
        return;
    }
    if (out->whole) {
        gen_say(e, "%s = %sx2_of(%s, %s);", ocl_whole(j->o, out, i, true).text, j->o->value, x.re,
                x.im);
        return;
    }
    if (out->paired) {
        gen_say(e, "%s[%s] = %s;", to.text, ocl_index(&out->at, 2 * i).text, x.re);
        gen_say(e, "%s[%s] = %s;", to.text, ocl_index(&out->at, 2 * i + 1).text, x.im);
        return;
    }
    const gen_name at = ocl_index(&out->at, i);
    if (out->split || out->reals)
        gen_say(e, "%s[%s] = %s;", to.text, at.text, x.re);
    else
        gen_say(e, "%s[%s] = %sx2_of(%s, %s);", to.text, at.text, j->o->value, x.re, x.im);
    if (out->split)
        gen_say(e, "%s[%s] = %s;", ocl_buffer_name(j->o, out->buf, true).text, at.text, x.im);
}

/* ---- factors ---- */

/* y = w x, w in the variable w<number>, rounded as codelets round (gen_move.c). */
static void multiply(gen_emit *e, const char *type, const prog_twiddle *w, int number, gen_var x,
                     gen_var y)
{
    gen_say(e, "const %s %s = %s_%s(%s, w%d.x, %s_mul(%s, w%d.y));", type, y.re, type,
            w->conjugate ? "fma" : "fms", x.re, number, type, x.im, number);
    gen_say(e, "const %s %s = %s_%s(%s, w%d.x, %s_mul(%s, w%d.y));", type, y.im, type,
            w->conjugate ? "fms" : "fma", x.im, number, type, x.re, number);
}

static gen_var times_factor(gen_emit *e, const ocl_job *j, const ocl_factor *f, int i, gen_var x)
{
    const char *const type = e->vector.type;
    const gen_name entry = ocl_factor_at(j->o, f, i);

    if (!entry.text[0])
        return x;
    gen_var y = ocl_new_parts(e);
    const int number = e->next_temp - 1;
    gen_say(e, "const %sx2 w%d = %s;", j->o->value, number, entry.text);
    if (ocl_is_real_factor(&f->w)) {
        gen_say(e, "const %s %s = %s_mul(w%d.x, %s);", type, y.re, type, number, x.re);
        if (x.im[0])
            gen_say(e, "const %s %s = %s_mul(w%d.x, %s);", type, y.im, type, number, x.im);
        else
            y.im[0] = 0; /* a real number stays real, for further factors */
        return y;
    }
    multiply(e, type, &f->w, number, x, y);
    return y;
}

void ocl_finish_number(gen_emit *e, ocl_job *j, int i, gen_var x)
{
    if (ocl_exchanges_re_im(j->s))
        ocl_swap_re_im(&x);
    for (int k = 0; k < j->s->ntwiddles; k++)
        if (j->s->twiddle[k].place == PROG_FACTOR_OUT && !ocl_is_folded(j->o, j->s, k))
            x = times_factor(e, j, &j->factor[k], i, x);
    store_number(e, j, i, x);
}
