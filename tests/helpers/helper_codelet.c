// SPDX-License-Identifier: BSD-3-Clause
/* Memory is one arena per part, filled with a canary. Elements are placed as codelet.h describes,
 * one scalar off alignment. All other scalars must still hold the canary afterwards; pages after
 * the input, the twiddles and the output cannot be accessed. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "core/trig.h"
#include "spl/formula/spl.h"
#include "tests/helpers/helper_codelet.h"

#define ARENA 10240 /* scalars */
#define GUARD 65    /* scalars before the data: one off any alignment */
#define CANARY (-977.0)

static double random_uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

static bool is_single(const trial *t)
{
    return t->codelet->key.precision == SLUICE_F32;
}

static double round_to_precision(const trial *t, double x)
{
    return is_single(t) ? (double)(float)x : x;
}

bool trial_has_outer(const spl_key *k)
{
    return k->tw == SPL_TW_BROADCAST || k->position == SPL_POS_B;
}

static bool has_outer(const trial *t)
{
    return trial_has_outer(&t->codelet->key);
}

/* End of the range of columns, and of twiddle sets, that are accessed. */
static int columns_end(const trial *t)
{
    return has_outer(t) ? t->columns : t->first + t->columns;
}

static int outers_end(const trial *t)
{
    return has_outer(t) ? t->first + t->outers : 1;
}

/* ---- layout ---- */

static bool is_pass(const spl_key *k)
{
    return k->kind >= SPL_CODELET_PASS;
}

/* A copy to or from a mirrored side. */
static bool is_copy(const spl_key *k)
{
    return k->in == SPL_MIRROR || k->out == SPL_MIRROR ? !is_pass(k) : false;
}

static spl_pass_kind pass_of(const spl_key *k)
{
    return (spl_pass_kind)((k->kind - SPL_CODELET_PASS) / SPL_CODELET_ROLES);
}

static spl_pass_role role_of(const spl_key *k)
{
    return (spl_pass_role)((k->kind - SPL_CODELET_PASS) % SPL_CODELET_ROLES);
}

int trial_rows(const spl_key *k, bool in)
{
    const spl_kind kind = (spl_kind)k->kind;
    if (is_pass(k))
        return (in ? spl_role_cols : spl_role_rows)(pass_of(k), role_of(k));
    return (int)(in ? spl_transform_cols(kind, k->n) : spl_transform_rows(kind, k->n));
}

ptrdiff_t trial_address(const trial_layout *l, int outer, int row, int column)
{
    const ptrdiff_t at = l->offset[0] >= 0 ? l->offset[row] : row * l->row;
    if (row == 1 && l->column1 != 0)
        return GUARD + outer * l->outer1 + at + column * l->column1;
    return GUARD + outer * l->outer + at + column * l->column;
}

/* Offset of the imaginary part in the second arena. */
static ptrdiff_t imaginary_address(const trial_layout *l, int outer, int row, int column)
{
    if (!l->mirror)
        return trial_address(l, outer, row, column);
    if (row == 1)
        return GUARD + l->im + outer * l->outer - l->row + column * l->column;
    return GUARD + l->im + outer * l->outer1 + column * l->column1;
}

/* Where the imaginary part of an element of a side is; NULL: of a real one. */
static double *imaginary(spl_format format, const trial_layout *l, double *re, double *im,
                         int outer, int row, int column)
{
    if (format == SPL_REAL)
        return NULL;
    return format == SPL_INTER ? re + trial_address(l, outer, row, column) + 1
                               : im + imaginary_address(l, outer, row, column);
}

/* Row 1 comes after row 0, in M and B, and spread in G, from its end on. */
static trial_layout pass_layout(const spl_key *k, spl_format format, int columns, int outers,
                                bool spread)
{
    trial_layout l = {.offset = {-1}, .mirror = format == SPL_MIRROR};
    const int unit = format == SPL_INTER ? 2 : 1;
    const int gap = spread ? 3 : 0;
    const bool back = k->position == SPL_POS_M || (k->position == SPL_POS_G && spread);
    l.column = k->position == SPL_POS_G && spread ? 3 : unit;
    l.outer = l.column * columns + gap;
    l.outer1 = -l.outer;
    l.column1 = back ? -l.column : l.column;
    l.row = l.outer * (2 * outers - 1) + gap + (back ? l.column * (columns - 1) : 0);
    l.im = l.mirror ? l.row + l.outer * outers : 0;
    return l;
}

/* unit: scalars from one dense element to the next. */
static trial_layout make_layout(const spl_key *k, int rows, int unit, bool rows_dense, int columns,
                                bool spread)
{
    trial_layout l = {.offset = {-1}};
    const int gap = !spread || k->position == SPL_POS_D ? 0 : k->nt ? 16 : 3; /* whole lines */
    if (k->position == SPL_POS_G) {
        l.column = spread ? 3 : unit;
        for (int i = 0; i < rows; i++) /* rows in reverse */
            l.offset[i] = (ptrdiff_t)(rows - 1 - i) * (columns * l.column + gap);
    } else if (rows_dense) {
        l.row = unit;
        l.column = unit * rows + gap;
    } else {
        l.column = unit;
        l.row = unit * columns + gap;
    }
    l.outer = (rows_dense ? l.column * columns : l.row * rows) + gap;
    return l;
}

static void set_layouts(trial *t)
{
    const spl_key *k = &t->codelet->key;
    const spl_position p = k->position;
    const int in = k->in == SPL_INTER ? 2 : 1, out = k->out == SPL_INTER ? 2 : 1;
    const bool dense_in = p == SPL_POS_T || p == SPL_POS_W || p == SPL_POS_D;
    const bool dense_out = dense_in || p == SPL_POS_A;
    if (is_pass(k) || is_copy(k)) {
        t->in = pass_layout(k, k->in, columns_end(t), outers_end(t), t->spread);
        t->out = pass_layout(k, k->out, columns_end(t), outers_end(t), t->spread);
        return;
    }
    t->in =
        make_layout(k, trial_rows(&t->codelet->key, true), in, dense_in, columns_end(t), t->spread);
    t->out = make_layout(k, trial_rows(&t->codelet->key, false), out, dense_out, columns_end(t),
                         t->spread);
}

/* ---- arenas of the codelet's precision, and their contents as doubles ---- */

/* Returns `bytes` bytes that end at an inaccessible page; `which` selects one of five reused areas.
 */
static void *at_end_of_memory(int which, size_t bytes)
{
    static char *room[5];
    const size_t size = 1 << 20, page = 1 << 16;
    if (!room[which]) {
        room[which] =
            mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(room[which] != MAP_FAILED);
        assert_int_equal(mprotect(room[which] + size, page, PROT_NONE), 0);
    }
    return room[which] + size - bytes;
}

static void to_scalars(const trial *t, const double *x, int count, void *to)
{
    for (int i = 0; i < count; i++) {
        if (is_single(t))
            ((float *)to)[i] = (float)x[i];
        else
            ((double *)to)[i] = x[i];
    }
}

static void from_scalars(const trial *t, const void *from, double *x)
{
    for (int i = 0; i < ARENA; i++)
        x[i] = is_single(t) ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static double *new_arena(void)
{
    double *x = malloc(ARENA * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < ARENA; i++)
        x[i] = CANARY;
    return x;
}

/* ---- twiddles ---- */

/* The first row with twiddles: only Stockham stages are known to have none in row 0. Factors of passes
 * count from 1. */
static int first_row(const spl_key *k)
{
    if (is_pass(k))
        return 1;
    const bool full = k->position == SPL_POS_C || k->position == SPL_POS_G;
    return full ? 0 : 1;
}

static int end_row(const spl_key *k)
{
    return is_pass(k) ? 1 + spl_role_factors(pass_of(k), role_of(k)) : k->n;
}

/* w_1009^e, as rounded. */
static void rounded_root(const trial *t, int64_t e, double *re, double *im)
{
    long double c, s;
    core_root((size_t)e, 1009, &c, &s);
    *re = round_to_precision(t, (double)c);
    *im = round_to_precision(t, t->inverse && t->codelet->key.compute == SPL_INTER ? (double)-s
                                                                                   : (double)s);
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

/* The rounded twiddle of a row; columns first .. are those of the trial. */
static void rounded_twiddle(const trial *t, int outer, int row, int column, double *re, double *im)
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
    t->grid = (int)(at - t->tw);
    for (int c = 0; c < t->first + t->columns; c += k->lanes)
        for (int row = 1; row < k->n; row++)
            for (int l = 0; l < k->lanes; l++, at += 2)
                column_factor(t, row, c + l, &at[0], &at[1]);
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
    for (int block = 0; k->tw != SPL_TW_NONE && block < end; block += lanes) {
        for (int row = first_row(k); row < end_row(k); row++) {
            for (int l = 0; l < lanes; l++) {
                rounded_twiddle(t, block + l, row, block + l, &re, &im);
                at[pairs ? 2 * l : l] = re;
                at[pairs ? 2 * l + 1 : lanes + l] = im;
            }
            at += 2 * lanes;
        }
    }
    t->tw_end = (int)(at - t->tw);
}

/* ---- the run ---- */

/* The end of what an element occupies in the first arena, or in the second one. */
static int end_of(const trial_layout *l, spl_format format, int which, int outer, int row,
                  int column)
{
    if (which == 1)
        return (int)imaginary_address(l, outer, row, column) + 1;
    return (int)trial_address(l, outer, row, column) + (format == SPL_INTER ? 2 : 1);
}

static void fill_input(trial *t)
{
    uint64_t state = t->seed;
    const spl_format format = t->codelet->key.in;
    for (int o = 0; o < outers_end(t); o++) {
        for (int i = 0; i < trial_rows(&t->codelet->key, true); i++) {
            for (int c = 0; c < columns_end(t); c++) {
                double *const im = imaginary(format, &t->in, t->in_re, t->in_im, o, i, c);
                for (int which = 0; which < 2; which++) {
                    const int end = end_of(&t->in, format, which, o, i, c);
                    assert_true(end < ARENA - GUARD);
                    t->in_end[which] = end > t->in_end[which] ? end : t->in_end[which];
                }
                t->in_re[trial_address(&t->in, o, i, c)] =
                    round_to_precision(t, random_uniform(&state));
                if (im)
                    *im = round_to_precision(t, random_uniform(&state));
            }
        }
    }
}

static int output_end(const trial *t, int which)
{
    int last = 0;
    for (int o = 0; o < outers_end(t); o++)
        for (int i = 0; i < trial_rows(&t->codelet->key, false); i++)
            for (int c = 0; c < columns_end(t); c++) {
                const int at = end_of(&t->out, t->codelet->key.out, which, o, i, c);
                last = at > last ? at : last;
            }
    return last;
}

/* Runs again with the output at the end of accessible memory: a masked store may fault. Not for
 * whole lines, which end elsewhere. */
static void run_at_end(const trial *t, spl_call call, int swap)
{
    const size_t size = is_single(t) ? 4 : 8;
    char *const out[2] = {at_end_of_memory(3, (size_t)output_end(t, 0) * size),
                          at_end_of_memory(4, (size_t)output_end(t, 1) * size)};
    if (t->in_place || t->codelet->key.nt)
        return;
    call.out_re = out[swap] + GUARD * size;
    call.out_im = out[!swap] + (GUARD + (size_t)t->out.im) * size;
    t->codelet->run(&call, (size_t)t->first, (size_t)(has_outer(t) ? t->outers : t->columns));
}

/* The input and the twiddles end at inaccessible pages, unless the run is in place. */
void trial_run(trial *t)
{
    static _Alignas(64) double out_memory[2][ARENA + 8];
    const spl_key *k = &t->codelet->key;
    const size_t size = is_single(t) ? 4 : 8;
    const bool swap = t->inverse && k->compute == SPL_SPLIT && !is_copy(k);
    const double *const before[] = {t->in_place ? t->in_re : t->out_re,
                                    t->in_place ? t->in_im : t->out_im};
    char *in[2], *out[2];
    void *tw = at_end_of_memory(2, (size_t)t->tw_end * size);
    to_scalars(t, t->tw, t->tw_end, tw);
    for (int i = 0; i < 2; i++) {
        in[i] = at_end_of_memory(i, (size_t)t->in_end[i] * size);
        to_scalars(t, i ? t->in_im : t->in_re, t->in_end[i], in[i]);
        out[i] = (char *)out_memory[i] + (k->nt ? -(GUARD * size) % 64 : 0);
        to_scalars(t, before[i], ARENA, out[i]);
        memcpy(i ? t->before_im : t->before_re, before[i], ARENA * sizeof(double));
        in[i] = t->in_place ? out[i] : in[i];
    }
    const spl_call call = {
        .in_re = in[swap] + GUARD * size,
        .in_im = in[!swap] + (GUARD + (size_t)t->in.im) * size,
        .out_re = out[swap] + GUARD * size,
        .out_im = out[!swap] + (GUARD + (size_t)t->out.im) * size,
        .tw = tw,
        .grid = (const char *)tw + (size_t)t->grid * size,
        .is = t->in.row,
        .os = t->out.row,
        .ics = t->in.column,
        .ocs = t->out.column,
        .in_off = t->in.offset,
        .out_off = t->out.offset,
        .lanes = (size_t)t->columns,
        .iouter = t->in.outer,
        .oouter = t->out.outer,
        .inverse = t->inverse,
        .ics1 = t->in.column1,
        .ocs1 = t->out.column1,
    };
    t->codelet->run(&call, (size_t)t->first, (size_t)(has_outer(t) ? t->outers : t->columns));
    from_scalars(t, out[0], t->out_re);
    from_scalars(t, out[1], t->out_im);
    run_at_end(t, call, swap);
}

/* ---- the check ---- */

static void sum_dft(const spl_key *k, int inverse, long double (*x)[2], long double (*y)[2])
{
    for (int i = 0; i < k->n; i++) {
        y[i][0] = y[i][1] = 0;
        for (int j = 0; j < k->n; j++) {
            long double c, s;
            core_root((size_t)(i * j), (size_t)k->n, &c, &s);
            s = inverse ? -s : s;
            y[i][0] += x[j][0] * c - x[j][1] * s;
            y[i][1] += x[j][0] * s + x[j][1] * c;
        }
    }
}

static void column_transform(const trial *t, int outer, int column, long double (*y)[2])
{
    static long double x[TRIAL_MAX_N][2];
    const spl_key *k = &t->codelet->key;
    for (int j = 0; j < trial_rows(&t->codelet->key, true); j++) {
        const ptrdiff_t at = trial_address(&t->in, outer, j, column);
        const double *const im = imaginary(k->in, &t->in, t->in_re, t->in_im, outer, j, column);
        x[j][0] = t->in_re[at];
        x[j][1] = im ? *im : 0;
    }
    if (is_copy(k)) {
        y[0][0] = x[0][0];
        y[0][1] = t->inverse ? -x[0][1] : x[0][1];
        return;
    }
    if (k->kind != SPL_DFT) {
        assert_int_equal(spl_oracle_transform((spl_kind)k->kind, k->n, &x[0][0], &y[0][0]),
                         SLUICE_OK);
        return;
    }
    sum_dft(k, t->inverse, x, y);
    for (int i = 0; i < k->n; i++) {
        const long double re = y[i][0], im = y[i][1];
        double wr, wi;
        rounded_twiddle(t, outer, i, column, &wr, &wi);
        if (t->inverse && k->compute == SPL_SPLIT)
            wi = -wi; /* swap . (w F) . swap = conj(w F) */
        y[i][0] = re * wr - im * wi;
        y[i][1] = re * wi + im * wr;
    }
}

/* A table has factors with the scale of the pass. */
static long double table_scale(const spl_pass *p)
{
    return p->form == SPL_PAIR_IN || p->form == SPL_PAIR_OUT ? 1 : p->scale;
}

static void column_pass(const trial *t, int outer, int column, long double (*y)[2])
{
    const spl_key *k = &t->codelet->key;
    const long double scale = table_scale(spl_pass_of(pass_of(k)));
    long double x[2][2], root[2][2] = {{0}};
    for (int i = 0; i < trial_rows(k, true); i++) {
        x[i][0] = t->in_re[trial_address(&t->in, outer, i, column)];
        x[i][1] = *imaginary(k->in, &t->in, t->in_re, t->in_im, outer, i, column);
    }
    for (int i = 0; i < spl_role_factors(pass_of(k), role_of(k)); i++) {
        double re, im;
        rounded_twiddle(t, outer, 1 + i, column, &re, &im);
        root[i][0] = re / scale;
        root[i][1] = im / scale;
    }
    spl_oracle_pair(pass_of(k), role_of(k), &root[0][0], &x[0][0], &y[0][0]);
}

/* Adds the error of one column and restores its outputs to the contents before the run. */
static void compare_column(trial *t, int outer, int column, long double *error, long double *norm)
{
    static long double y[TRIAL_MAX_N][2];
    const spl_format format = t->codelet->key.out;
    (is_pass(&t->codelet->key) ? column_pass : column_transform)(t, outer, column, y);
    for (int i = 0; i < trial_rows(&t->codelet->key, false); i++) {
        const ptrdiff_t at = trial_address(&t->out, outer, i, column);
        double *const re = &t->out_re[at];
        double *const im = imaginary(format, &t->out, t->out_re, t->out_im, outer, i, column);
        const long double wrong[2] = {*re - y[i][0], im ? *im - y[i][1] : 0};
        *error += wrong[0] * wrong[0] + wrong[1] * wrong[1];
        *norm += y[i][0] * y[i][0] + y[i][1] * y[i][1];
        *re = t->before_re[at];
        if (im)
            *im = *imaginary(format, &t->out, t->before_re, t->before_im, outer, i, column);
    }
}

/* Multiplications of outputs or inputs by roots of unity besides the DFT; those by tangent and cosine
 * have a rounding more. Passes have constants as well. */
static int rotations(const spl_key *k)
{
    if (is_pass(k))
        return 1 + spl_role_factors(pass_of(k), role_of(k));
    if (k->kind > SPL_IRDFT)
        return k->kind == SPL_DCT4 || k->kind == SPL_DST4 ? 3 : 2;
    return k->tw == SPL_TW_NONE ? 0 : k->tw >= SPL_TW_FACTORED ? 2 : 1;
}

bool trial_check(trial *t)
{
    const spl_codelet *codelet = t->codelet;
    const bool outer = has_outer(t);
    const double eps = is_single(t) ? FLT_EPSILON : DBL_EPSILON;
    /* The bound is for the typical error; few values may have more. */
    const int few = codelet->key.compute == SPL_REAL ? 48 : 8;
    const double chance = codelet->key.n * t->columns < few ? 1.25 : 1;
    const double allowed = eps
                           * (0.6 * chance * sqrt(log2(codelet->key.n > 2 ? codelet->key.n : 2))
                              + 0.4 * rotations(&codelet->key));
    long double error = 0, norm = 0;
    for (int o = outer ? t->first : 0; o < outers_end(t); o++)
        for (int c = outer ? 0 : t->first; c < columns_end(t); c++)
            compare_column(t, o, c, &error, &norm);
    const double relative = norm > 0 ? (double)sqrtl(error / norm) : (double)error;
    const char *what = NULL;
    if (!(relative <= allowed))
        what = "wrong result";
    for (int i = 0; i < ARENA && !what; i++)
        if (t->out_re[i] != t->before_re[i] || t->out_im[i] != t->before_im[i])
            what = "wrote where it must not";
    if (what)
        snprintf(t->message, sizeof t->message,
                 "%s: %s, error %.3g allowed %.3g, seed %llu inverse %d in place %d spread %d "
                 "columns %d first %d",
                 codelet->name, what, relative, allowed, (unsigned long long)t->seed, t->inverse,
                 t->in_place, t->spread, t->columns, t->first);
    return what == NULL;
}

void trial_open(trial *t)
{
    double **const arenas[] = {&t->in_re,     &t->in_im,     &t->out_re, &t->out_im,
                               &t->before_re, &t->before_im, &t->tw};
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++)
        *arenas[i] = new_arena();
    set_layouts(t);
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
