// SPDX-License-Identifier: BSD-3-Clause
/* The 64-bit guru interface: complex, half-complex and real kinds, interleaved and split sides. */
#include "bench/peers/peer_fftw_form.h"

#include "bench/peers/peer_table.h"

enum { FFTW_PRESERVE_INPUT = 1 << 4 };
enum { FFTW_FORWARD = -1, FFTW_BACKWARD = 1 };

/* FFTW's fftw_r2r_kind. 0, one of its half-spectra, means that it has no such kind. */
static const int real_kinds[] = {
    [SLUICE_DCT1] = 3, [SLUICE_DCT2] = 5, [SLUICE_DCT3] = 4,  [SLUICE_DCT4] = 6, [SLUICE_DST1] = 7,
    [SLUICE_DST2] = 9, [SLUICE_DST3] = 8, [SLUICE_DST4] = 10, [SLUICE_DHT] = 2,  [SLUICE_IDXST] = 0,
};

/* The guru dimensions of a problem. */
typedef struct fftw_dims {
    int rank, batch_rank;
    fftw_guru64_dim axis[SLUICE_MAX_RANK], batch[SLUICE_MAX_BATCH_RANK];
} fftw_dims;

/* The functions of one kind and layout. */
struct fftw_form {
    void *(*plan)(const fftw_plan *f, const fftw_dims *dims, const bench_data *d, unsigned flags);
    void (*execute)(const fftw_plan *f, const bench_data *d);
};

/* The guru split interface counts strides in reals, the others in elements. */
static void copy_dims(fftw_guru64_dim *out, const sluice_dim *in, int count, ptrdiff_t in_unit,
                      ptrdiff_t out_unit)
{
    for (int i = 0; i < count; i++)
        out[i] = (fftw_guru64_dim){.n = (ptrdiff_t)in[i].n,
                                   .is = in[i].in_stride * in_unit,
                                   .os = in[i].out_stride * out_unit};
}

typedef struct split_pointers {
    void *in_re, *in_im, *out_re, *out_im;
} split_pointers;

static split_pointers split_of(const fftw_plan *f, const bench_data *d)
{
    return (split_pointers){.in_re = d->in,
                            .in_im = f->in_step ? (char *)d->in + f->in_step : d->in_im,
                            .out_re = d->out,
                            .out_im = f->out_step ? (char *)d->out + f->out_step : d->out_im};
}

/* FFTW's split c2c transforms are forward; swapping re and im on both sides inverts. */
static split_pointers split_c2c_of(const fftw_plan *f, const bench_data *d)
{
    const split_pointers p = split_of(f, d);
    return f->inverse ? (split_pointers){p.in_im, p.in_re, p.out_im, p.out_re} : p;
}

static void *plan_c2c(const fftw_plan *f, const fftw_dims *dims, const bench_data *d,
                      unsigned flags)
{
    return f->api->plan_guru64_dft(dims->rank, dims->axis, dims->batch_rank, dims->batch, d->in,
                                   d->out, f->inverse ? FFTW_BACKWARD : FFTW_FORWARD, flags);
}

static void *plan_r2c(const fftw_plan *f, const fftw_dims *dims, const bench_data *d,
                      unsigned flags)
{
    return f->api->plan_guru64_dft_r2c(dims->rank, dims->axis, dims->batch_rank, dims->batch, d->in,
                                       d->out, flags);
}

static void *plan_c2r(const fftw_plan *f, const fftw_dims *dims, const bench_data *d,
                      unsigned flags)
{
    return f->api->plan_guru64_dft_c2r(dims->rank, dims->axis, dims->batch_rank, dims->batch, d->in,
                                       d->out, flags);
}

static void *plan_r2r(const fftw_plan *f, const fftw_dims *dims, const bench_data *d,
                      unsigned flags)
{
    return f->api->plan_guru64_r2r(dims->rank, dims->axis, dims->batch_rank, dims->batch, d->in,
                                   d->out, f->kinds, flags);
}

static void *plan_split_c2c(const fftw_plan *f, const fftw_dims *dims, const bench_data *d,
                            unsigned flags)
{
    const split_pointers a = split_c2c_of(f, d);
    return f->api->plan_guru64_split_dft(dims->rank, dims->axis, dims->batch_rank, dims->batch,
                                         a.in_re, a.in_im, a.out_re, a.out_im, flags);
}

static void *plan_split_r2c(const fftw_plan *f, const fftw_dims *dims, const bench_data *d,
                            unsigned flags)
{
    const split_pointers a = split_of(f, d);
    return f->api->plan_guru64_split_dft_r2c(dims->rank, dims->axis, dims->batch_rank, dims->batch,
                                             a.in_re, a.out_re, a.out_im, flags);
}

static void *plan_split_c2r(const fftw_plan *f, const fftw_dims *dims, const bench_data *d,
                            unsigned flags)
{
    const split_pointers a = split_of(f, d);
    return f->api->plan_guru64_split_dft_c2r(dims->rank, dims->axis, dims->batch_rank, dims->batch,
                                             a.in_re, a.in_im, a.out_re, flags);
}

static void execute_c2c(const fftw_plan *f, const bench_data *d)
{
    f->api->execute_dft(f->plan, d->in, d->out);
}

static void execute_r2c(const fftw_plan *f, const bench_data *d)
{
    f->api->execute_dft_r2c(f->plan, d->in, d->out);
}

static void execute_c2r(const fftw_plan *f, const bench_data *d)
{
    f->api->execute_dft_c2r(f->plan, d->in, d->out);
}

static void execute_r2r(const fftw_plan *f, const bench_data *d)
{
    f->api->execute_r2r(f->plan, d->in, d->out);
}

static void execute_split_c2c(const fftw_plan *f, const bench_data *d)
{
    const split_pointers a = split_c2c_of(f, d);
    f->api->execute_split_dft(f->plan, a.in_re, a.in_im, a.out_re, a.out_im);
}

static void execute_split_r2c(const fftw_plan *f, const bench_data *d)
{
    const split_pointers a = split_of(f, d);
    f->api->execute_split_dft_r2c(f->plan, a.in_re, a.out_re, a.out_im);
}

static void execute_split_c2r(const fftw_plan *f, const bench_data *d)
{
    const split_pointers a = split_of(f, d);
    f->api->execute_split_dft_c2r(f->plan, a.in_re, a.in_im, a.out_re);
}

/* Which sides are real: 0 none, 1 the input, 2 the output, 3 both; then: is a side split? */
static const fftw_form forms[4][2] = {
    {{plan_c2c, execute_c2c}, {plan_split_c2c, execute_split_c2c}},
    {{plan_r2c, execute_r2c}, {plan_split_r2c, execute_split_r2c}},
    {{plan_c2r, execute_c2r}, {plan_split_c2r, execute_split_c2r}},
    {{plan_r2r, execute_r2r}, {plan_r2r, execute_r2r}},
};

static bool is_split(const bench_shape *s)
{
    return (!s->in.real && s->problem.in_layout == SLUICE_SPLIT)
           || (!s->out.real && s->problem.out_layout == SLUICE_SPLIT);
}

bool fftw_form_fits(const bench_shape *s, sluice_diag *why)
{
    const sluice_problem *p = &s->problem;
    for (int i = 0; i < p->rank; i++) {
        const sluice_kind kind = bench_axis_kind(p, i);
        const bool real = kind != SLUICE_C2C && kind != SLUICE_R2C && kind != SLUICE_C2R;
        if (real && !(s->in.real && s->out.real)) {
            peer_refuse(why, "it has no cosine and sine transforms beside r2c and c2r");
            return false;
        }
        if (real && !real_kinds[kind]) {
            peer_refuse(why, "it has no such kind of transform");
            return false;
        }
    }
    return true;
}

void fftw_form_choose(fftw_plan *f, const bench_shape *s)
{
    const sluice_problem *p = &s->problem;
    f->form = &forms[(s->in.real ? 1 : 0) + (s->out.real ? 2 : 0)][is_split(s)];
    f->flags = bench_reads_spectra(s) && !bench_overwrites(s) ? FFTW_PRESERVE_INPUT : 0;
    f->inverse = p->direction == SLUICE_INVERSE;
    f->in_step = p->in_layout == SLUICE_SPLIT ? 0 : (ptrdiff_t)s->scalar;
    f->out_step = p->out_layout == SLUICE_SPLIT ? 0 : (ptrdiff_t)s->scalar;
    for (int i = 0; i < p->rank; i++)
        f->kinds[i] = real_kinds[bench_axis_kind(p, i)];
}

void *fftw_form_plan(const fftw_plan *f, const bench_shape *s, const bench_data *d, unsigned flags)
{
    const sluice_problem *p = &s->problem;
    const bool split = is_split(s);
    const ptrdiff_t in_unit = split && !s->in.real && f->in_step ? 2 : 1;
    const ptrdiff_t out_unit = split && !s->out.real && f->out_step ? 2 : 1;
    fftw_dims dims = {.rank = p->rank, .batch_rank = p->batch_rank};
    copy_dims(dims.axis, p->dim, p->rank, in_unit, out_unit);
    copy_dims(dims.batch, p->batch, p->batch_rank, in_unit, out_unit);
    return f->form->plan(f, &dims, d, flags | f->flags);
}

void fftw_form_execute(const fftw_plan *f, const bench_data *d)
{
    f->form->execute(f, d);
}
