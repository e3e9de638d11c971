// SPDX-License-Identifier: BSD-3-Clause
/* Memory is one arena per part, filled with a canary. Elements are placed as codelet.h describes,
 * one scalar off alignment. All other scalars must still hold the canary afterwards; pages after
 * the input, the twiddles and the output cannot be accessed, in another run those before the
 * input. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "core/cpu.h"
#include "core/trig.h"
#include "spl/formula/spl.h"
#include "tests/helpers/helper_codelet_inside.h"

#define CANARY (-977.0)

const spl_codelet *const trial_tables[CORE_ISA_COUNT][2] = {
    {spl_codelets_scalar_f32, spl_codelets_scalar_f64},
#if SLUICE_HAVE_VEC128
    [CORE_ISA_VEC128] = {spl_codelets_vec128_f32, spl_codelets_vec128_f64},
#endif
#if SLUICE_HAVE_AVX2
    [CORE_ISA_AVX2] = {spl_codelets_avx2_f32, spl_codelets_avx2_f64},
#endif
#if SLUICE_HAVE_AVX512
    [CORE_ISA_AVX512] = {spl_codelets_avx512_f32, spl_codelets_avx512_f64},
#endif
};

core_isa trial_best_isa(void)
{
    core_isa isa;
    sluice_diag why;
    if (core_cpu_isa(&isa, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
    return isa;
}

static double random_uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

/* ---- arenas of the codelet's precision, and their contents as doubles ---- */

/* Returns `bytes` bytes that end at an inaccessible page; `which` selects one of six reused areas.
 */
static void *at_end_of_memory(int which, size_t bytes)
{
    static char *room[6];
    const size_t size = 1 << 20, page = 1 << 16;
    if (!room[which]) {
        room[which] =
            mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(room[which] != MAP_FAILED);
        assert_int_equal(mprotect(room[which] + size, page, PROT_NONE), 0);
    }
    return room[which] + size - bytes;
}

/* The same for what begins after an inaccessible page: byte `first` is the first accessible one. */
static char *at_start_of_memory(int which, size_t first)
{
    static char *room[2];
    const size_t size = 1 << 20, page = 1 << 16;
    if (!room[which]) {
        room[which] =
            mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(room[which] != MAP_FAILED);
        assert_int_equal(mprotect(room[which], page, PROT_NONE), 0);
    }
    return room[which] + page - first;
}

static void to_scalars(const trial *t, const double *x, int count, void *to)
{
    for (int i = 0; i < count; i++) {
        if (trial_is_single(t))
            ((float *)to)[i] = (float)x[i];
        else
            ((double *)to)[i] = x[i];
    }
}

static void from_scalars(const trial *t, const void *from, double *x)
{
    for (int i = 0; i < TRIAL_ARENA; i++)
        x[i] = trial_is_single(t) ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static double *new_arena(void)
{
    double *x = malloc(TRIAL_ARENA * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < TRIAL_ARENA; i++)
        x[i] = CANARY;
    return x;
}

/* ---- twiddles ---- */

/* The first row with twiddles: only Stockham stages are known to have none in row 0. Factors of
 * pairs count from 1. */
static int first_row(const spl_key *k)
{
    if (trial_is_pairs(k))
        return 1;
    const bool full = k->position == SPL_POS_C || k->position == SPL_POS_G;
    return full ? 0 : 1;
}

static int end_row(const spl_key *k)
{
    return trial_is_pairs(k) ? 1 + spl_role_factors(trial_pairs_of(k), trial_role_of(k)) : k->n;
}

/* w_1009^e, as rounded. */
static void rounded_root(const trial *t, int64_t e, double *re, double *im)
{
    long double c, s;
    core_root((size_t)e, 1009, &c, &s);
    *re = trial_round_to_precision(t, (double)c);
    *im = trial_round_to_precision(
        t, t->inverse && t->codelet->key.compute == SPL_INTER ? (double)-s : (double)s);
}

/* The row factor of a product; that of row 0 is 1. */
static void row_factor(const trial *t, int row, double *re, double *im)
{
    rounded_root(t, row == 0 ? 0 : row * 11 + 5, re, im);
}

/* The column factor; that of a grid depends on the row as well. */
static void column_factor(const trial *t, int row, int column, double *re, double *im)
{
    rounded_root(t, row == 0 ? 0 : row * (column * 3 + 1), re, im);
}

void trial_rounded_twiddle(const trial *t, int outer, int row, int column, double *re, double *im)
{
    const spl_tw tw = t->codelet->key.tw;
    const int which = tw == SPL_TW_BROADCAST ? outer : column;
    double vr, vi, wr, wi;
    if (tw == SPL_TW_FACTORED || tw == SPL_TW_FACTORED_SHARED) {
        row_factor(t, row, &vr, &vi);
        column_factor(t, tw == SPL_TW_FACTORED_SHARED ? row : 1, column, &wr, &wi);
        *re = vr * wr - vi * wi;
        *im = vr * wi + vi * wr;
    } else if (tw == SPL_TW_NONE || row < first_row(&t->codelet->key)) {
        rounded_root(t, 0, re, im);
    } else {
        rounded_root(t, (int64_t)(row * 7 + 1) * (which + 3), re, im);
    }
}

/* A product's table: row factors, padding to whole vectors, column factors. */
static void fill_product_table(trial *t)
{
    const spl_key *k = &t->codelet->key;
    double *at = t->tw;
    for (int row = 1; row < k->n; row++, at += 2)
        row_factor(t, row, &at[0], &at[1]);
    while ((at - t->tw) % (2 * k->lanes) != 0)
        *at++ = CANARY;
    for (int c = 0; c < t->first + t->columns; c++, at += 2)
        column_factor(t, 1, c, &at[0], &at[1]);
    t->tw_end = (int)(at - t->tw);
}

/* A grid's tables: row factors, then the grid, by rows of each vector. */
static void fill_grid_tables(trial *t)
{
    const spl_key *k = &t->codelet->key;
    double *at = t->tw;
    for (int row = 1; row < k->n; row++, at += 2)
        row_factor(t, row, &at[0], &at[1]);
    t->tw_shared = (int)(at - t->tw);
    for (int c = 0; c < t->first + t->columns; c += k->lanes)
        for (int row = 1; row < k->n; row++)
            for (int l = 0; l < k->lanes; l++, at += 2)
                column_factor(t, row, c + l, &at[0], &at[1]);
    t->tw_end = (int)(at - t->tw);
}

/* Those of vec128: what a vector of lanes is multiplied by. */
static void fill_spread_table(trial *t)
{
    const spl_key *k = &t->codelet->key;
    const bool broadcast = k->tw == SPL_TW_BROADCAST;
    const int step = broadcast ? 1 : k->lanes,
              end = t->first + (broadcast ? t->outers : t->columns);
    double *at = t->tw, re, im;
    for (int block = 0; block < end; block += step)
        for (int row = first_row(k); row < end_row(k); row++, at += 4 * k->lanes)
            for (int l = 0; l < k->lanes; l++) {
                const int which = broadcast ? block : block + l;
                trial_rounded_twiddle(t, which, row, which, &re, &im);
                at[2 * l] = at[2 * l + 1] = re;
                at[2 * (k->lanes + l)] = -im;
                at[2 * (k->lanes + l) + 1] = im;
            }
    t->tw_end = (int)(at - t->tw);
}

/* The tables of codelet.h. */
static void fill_twiddle_tables(trial *t)
{
    const spl_key *k = &t->codelet->key;
    const bool broadcast = k->tw == SPL_TW_BROADCAST;
    const int lanes = broadcast ? 1 : k->lanes,
              end = t->first + (broadcast ? t->outers : t->columns);
    const bool pairs = k->compute == SPL_INTER; /* wr and wi adjacent; broadcast: one lane */
    double *at = t->tw, re, im;
    if (k->tw >= SPL_TW_FACTORED) {
        (k->tw == SPL_TW_FACTORED_SHARED ? fill_grid_tables : fill_product_table)(t);
        return;
    }
    if (spl_spreads_factors(k)) {
        fill_spread_table(t);
        return;
    }
    for (int block = 0; k->tw != SPL_TW_NONE && block < end; block += lanes) {
        for (int row = first_row(k); row < end_row(k); row++) {
            for (int l = 0; l < lanes; l++) {
                trial_rounded_twiddle(t, block + l, row, block + l, &re, &im);
                at[pairs ? 2 * l : l] = re;
                at[pairs ? 2 * l + 1 : lanes + l] = im;
            }
            at += 2 * lanes;
        }
    }
    t->tw_end = (int)(at - t->tw);
}

/* ---- weights ---- */

/* They lie as the input does, but that T has the same for all columns. */
static ptrdiff_t weight_address(const trial *t, int outer, int row, int column)
{
    const bool same = t->codelet->key.position == SPL_POS_T;

    return trial_address(&t->in, outer, row, same ? 0 : column);
}

double trial_weight(const trial *t, int outer, int row, int column)
{
    const ptrdiff_t at = weight_address(t, outer, row, column);

    return t->codelet->key.weighed ? ldexp(1, (int)(at * 7 % 5) - 2) : 1;
}

/* Returns where they begin, before an inaccessible page. */
static const char *fill_weights(const trial *t)
{
    static double weights[TRIAL_ARENA];
    const spl_key *k = &t->codelet->key;
    const int parts = k->in == SPL_INTER ? 2 : 1;
    ptrdiff_t end = 0;

    for (int o = 0; k->weighed && o < trial_outers_end(t); o++)
        for (int i = 0; i < trial_rows(k, true); i++)
            for (int c = 0; c < trial_columns_end(t); c++)
                for (int part = 0; part < parts; part++) {
                    const ptrdiff_t at = weight_address(t, o, i, c) + part;
                    weights[at] = trial_weight(t, o, i, c);
                    end = at >= end ? at + 1 : end;
                }
    void *const to = at_end_of_memory(5, (size_t)end * (trial_is_single(t) ? 4 : 8));
    to_scalars(t, weights, (int)end, to);
    return (const char *)to + TRIAL_GUARD * (trial_is_single(t) ? 4 : 8);
}

/* ---- the run ---- */

/* The end of what an element occupies in the first arena, or in the second one. */
static int end_of(const trial_layout *l, spl_format format, int which, int outer, int row,
                  int column)
{
    if (which == 1)
        return (int)trial_imaginary_address(l, outer, row, column) + 1;
    return (int)trial_address(l, outer, row, column) + (format == SPL_INTER ? 2 : 1);
}

static void fill_input(trial *t)
{
    uint64_t state = t->seed;
    const spl_format format = t->codelet->key.in;
    for (int o = 0; o < trial_outers_end(t); o++) {
        for (int i = 0; i < trial_rows(&t->codelet->key, true); i++) {
            for (int c = 0; c < trial_columns_end(t); c++) {
                double *const im = trial_imaginary(format, &t->in, t->in_re, t->in_im, o, i, c);
                for (int which = 0; which < 2; which++) {
                    const int end = end_of(&t->in, format, which, o, i, c);
                    assert_true(end < TRIAL_ARENA - TRIAL_GUARD);
                    t->in_end[which] = end > t->in_end[which] ? end : t->in_end[which];
                }
                t->in_re[trial_address(&t->in, o, i, c)] =
                    trial_round_to_precision(t, random_uniform(&state));
                if (im)
                    *im = trial_round_to_precision(t, random_uniform(&state));
            }
        }
    }
}

static int output_end(const trial *t, int which)
{
    int last = 0;
    for (int o = 0; o < trial_outers_end(t); o++)
        for (int i = 0; i < trial_rows(&t->codelet->key, false); i++)
            for (int c = 0; c < trial_columns_end(t); c++) {
                const int at = end_of(&t->out, t->codelet->key.out, which, o, i, c);
                last = at > last ? at : last;
            }
    return last;
}

/* The first scalar that is read in an arena of the input. */
static int input_start(const trial *t, int which)
{
    const bool sets = trial_has_sets(t);
    int first = TRIAL_ARENA;
    for (int o = sets ? t->first : 0; o < trial_outers_end(t); o++)
        for (int i = 0; i < trial_rows(&t->codelet->key, true); i++)
            for (int c = sets ? 0 : t->first; c < trial_columns_end(t); c++) {
                const int at =
                    (int)(which ? trial_imaginary_address : trial_address)(&t->in, o, i, c);
                first = at < first ? at : first;
            }
    return first;
}

/* Runs again with the output at the end of accessible memory, and the input at its start: a masked
 * access may fault. Not for whole lines, which end elsewhere. */
static void run_at_ends(const trial *t, spl_call call, int swap)
{
    const size_t size = trial_is_single(t) ? 4 : 8;
    char *in[2], *out[2];
    if (t->in_place || t->codelet->key.nt)
        return;
    for (int i = 0; i < 2; i++) {
        const int first = input_start(t, i);
        in[i] = at_start_of_memory(i, (size_t)first * size);
        to_scalars(t, (i ? t->in_im : t->in_re) + first, t->in_end[i] - first,
                   in[i] + (size_t)first * size);
        out[i] = at_end_of_memory(3 + i, (size_t)output_end(t, i) * size);
    }
    call.in_re = in[swap] + TRIAL_GUARD * size;
    call.in_im = in[!swap] + (TRIAL_GUARD + (size_t)t->in.im) * size;
    call.out_re = out[swap] + TRIAL_GUARD * size;
    call.out_im = out[!swap] + (TRIAL_GUARD + (size_t)t->out.im) * size;
    t->codelet->run(&call, (size_t)t->first, (size_t)(trial_has_sets(t) ? t->outers : t->columns));
}

/* The input and the twiddles end at inaccessible pages, unless the run is in place. */
void trial_run(trial *t)
{
    static _Alignas(64) double out_memory[2][TRIAL_ARENA + 8];
    const spl_key *k = &t->codelet->key;
    const size_t size = trial_is_single(t) ? 4 : 8;
    const bool swap = t->inverse && k->compute == SPL_SPLIT && !trial_is_copy(k);
    const double *const before[] = {t->in_place ? t->in_re : t->out_re,
                                    t->in_place ? t->in_im : t->out_im};
    char *in[2], *out[2];
    void *tw = at_end_of_memory(2, (size_t)t->tw_end * size);
    to_scalars(t, t->tw, t->tw_end, tw);
    for (int i = 0; i < 2; i++) {
        in[i] = at_end_of_memory(i, (size_t)t->in_end[i] * size);
        to_scalars(t, i ? t->in_im : t->in_re, t->in_end[i], in[i]);
        out[i] = (char *)out_memory[i] + (k->nt ? -(TRIAL_GUARD * size) % 64 : 0);
        to_scalars(t, before[i], TRIAL_ARENA, out[i]);
        memcpy(i ? t->before_im : t->before_re, before[i], TRIAL_ARENA * sizeof(double));
        in[i] = t->in_place ? out[i] : in[i];
    }
    const spl_call call = {
        .in_re = in[swap] + TRIAL_GUARD * size,
        .in_im = in[!swap] + (TRIAL_GUARD + (size_t)t->in.im) * size,
        .out_re = out[swap] + TRIAL_GUARD * size,
        .out_im = out[!swap] + (TRIAL_GUARD + (size_t)t->out.im) * size,
        .tw = tw,
        .tw_shared = (const char *)tw + (size_t)t->tw_shared * size,
        .is = t->in.row,
        .os = t->out.row,
        .ics = t->in.column,
        .ocs = t->out.column,
        .in_off = t->in.offset,
        .out_off = t->out.offset,
        .set_columns = (size_t)t->columns,
        .iouter = t->in.outer,
        .oouter = t->out.outer,
        .inverse = t->inverse,
        .ics1 = t->in.column1,
        .ocs1 = t->out.column1,
        .weight = fill_weights(t),
        .ws = t->in.row,
        .wcs = k->position == SPL_POS_T ? 0 : t->in.column,
    };
    t->codelet->run(&call, (size_t)t->first, (size_t)(trial_has_sets(t) ? t->outers : t->columns));
    from_scalars(t, out[0], t->out_re);
    from_scalars(t, out[1], t->out_im);
    run_at_ends(t, call, swap);
}

void trial_open(trial *t)
{
    double **const arenas[] = {&t->in_re,     &t->in_im,     &t->out_re, &t->out_im,
                               &t->before_re, &t->before_im, &t->tw};
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++)
        *arenas[i] = new_arena();
    trial_set_layouts(t);
    if (t->in_place)
        t->out = t->in;
    fill_input(t);
    fill_twiddle_tables(t);
}

void trial_close(trial *t)
{
    double *const arenas[] = {t->in_re,     t->in_im,     t->out_re, t->out_im,
                              t->before_re, t->before_im, t->tw};
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++)
        free(arenas[i]);
}
