// SPDX-License-Identifier: BSD-3-Clause
/* The codelets of the ISAs, and the sizes from which on non-temporal stores and prefetching are
 * used. */
#include "backends/isa_target.h"

#include <limits.h>
#include <math.h>

#include "core/number.h"
#include "spl/bind/bind_tape.h"
#include "spl/price/price.h"

/* Thresholds in local stores. Data larger than CACHE_CAPACITY, and than the L3_SHARE-th part of L3,
 * which others use too, are taken to be outside the caches; of a larger L3 than L3_MAX no more has
 * been seen to stay. Of data written in place, or read again, shared levels keep more; what several
 * units write stays up to its L3_SHARE_SEVERAL-th part, beside as much that they read. Evidence:
 * docs/STRUCTURES.md. */
enum {
    CACHE_CAPACITY = 4,
    L3_SHARE = 8,
    L3_SHARE_SEVERAL = 5,
    L3_MAX = 32 << 20,
    NT_MIN_IN_PLACE = 16,
    NT_MIN_REUSED = 32,
    PREFETCH_ROWS_MIN = 8,
    PREFETCH_L2_MIN = 32
};
enum { TILE_ROW_BYTES = 1024, L1_ALIAS_BYTES = 4096, PAGE_BYTES = 4096 };

static const bind_vectors vectors[CORE_ISA_COUNT] = {
    [CORE_ISA_SCALAR] = {0, {spl_codelets_scalar_f32, spl_codelets_scalar_f64}},
#if SLUICE_HAVE_VEC128
    [CORE_ISA_VEC128] = {16, {spl_codelets_vec128_f32, spl_codelets_vec128_f64}},
#endif
#if SLUICE_HAVE_AVX2
    [CORE_ISA_AVX2] = {32, {spl_codelets_avx2_f32, spl_codelets_avx2_f64}},
#endif
#if SLUICE_HAVE_AVX512
    [CORE_ISA_AVX512] = {64, {spl_codelets_avx512_f32, spl_codelets_avx512_f64}},
#endif
};

bool isa_target_has(core_isa isa)
{
    return vectors[isa].codelets[0] != NULL;
}

/* Beside longer ones vectors of 128 bits have an fma, as these do, so that bits are the same. */
static bind_vectors vectors_of(core_isa isa, core_isa best)
{
    if (isa != CORE_ISA_VEC128 || best <= isa)
        return vectors[isa];
#if SLUICE_HAVE_AVX2
    return (bind_vectors){16, {spl_codelets_fma128_f32, spl_codelets_fma128_f64}};
#else
    return (bind_vectors){.bytes = 0};
#endif
}

static size_t l3_part(const isa_caches *caches, int parts)
{
    return (caches->l3 < L3_MAX ? caches->l3 : L3_MAX) / (size_t)parts;
}

static size_t cached_bytes(const isa_caches *caches)
{
    const size_t own = CACHE_CAPACITY * caches->local_store;
    const size_t shared = l3_part(caches, L3_SHARE);

    return own > shared ? own : shared;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void isa_target_describe(bind_target *target, core_isa isa, const isa_caches *caches)
{
    const size_t store = caches->local_store, cached = cached_bytes(caches);

    target->isa = isa;
    target->data_path = caches->data_path;
    for (int i = 0; i < CORE_ISA_COUNT; i++)
        target->vectors[i] = vectors_of((core_isa)i, isa);
    target->memory = (bind_memory){.l1 = caches->l1,
                                   .local_store = store,
                                   .nt_written = cached,
                                   .nt_in_place = larger(NT_MIN_IN_PLACE * store, cached),
                                   .nt_reused = larger(NT_MIN_REUSED * store, cached),
                                   .nt_several = l3_part(caches, L3_SHARE_SEVERAL),
                                   .nt_cached = caches->nt_cached,
                                   .prefetch = cached,
                                   .prefetch_row = PREFETCH_ROWS_MIN * store,
                                   .prefetch_l2 = PREFETCH_L2_MIN * store,
                                   .tile_row = TILE_ROW_BYTES,
                                   .alias = L1_ALIAS_BYTES,
                                   .page = PAGE_BYTES};
}

/* Have the vectors of an ISA codelets of columns in that format? */
static bool has_columns(const bind_target *target, core_isa isa, spl_format format)
{
    const spl_key key = {
        .n = 2, .isa = isa, .compute = format, .in = format, .out = format, .position = SPL_POS_C};

    return bind_codelet_find(target, &key) != NULL;
}

int isa_target_shorter(const bind_target *target, spl_format format)
{
    int isa = CORE_ISA_SCALAR + 1;

    for (; isa < (int)target->isa && !has_columns(target, (core_isa)isa, format); isa++)
        ;
    return isa < (int)target->isa ? target->vectors[target->isa].bytes / target->vectors[isa].bytes
                                  : 1;
}

void isa_target_describe_alike(bind_target *alike, const bind_target *unit)
{
    *alike = *unit;
    alike->reproducible = true;
    alike->vectors[CORE_ISA_SCALAR] =
        (bind_vectors){0, {spl_codelets_fused_f32, spl_codelets_fused_f64}};
#if SLUICE_HAVE_AVX2
    if (unit->isa >= CORE_ISA_AVX2)
        alike->vectors[CORE_ISA_SCALAR] =
            (bind_vectors){0, {spl_codelets_fma_f32, spl_codelets_fma_f64}};
#endif
#ifndef __aarch64__ /* of x86 those of 128 bits have fma beside longer ones only */
    alike->vectors[CORE_ISA_VEC128] = (bind_vectors){.bytes = 0};
    if (alike->isa == CORE_ISA_VEC128)
        alike->isa = CORE_ISA_SCALAR;
#endif
}

/* Transforms of reals alone in position W, the rows of a batch in T, columns in C. */
static spl_key real_key(int kind, backend_use use)
{
    const spl_transform *t = spl_transform_of((spl_kind)kind);
    const bool single = use == BACKEND_SINGLE;
    const spl_position many = use == BACKEND_ROWS ? SPL_POS_T : SPL_POS_C;

    return (spl_key){.compute = single ? SPL_INTER : SPL_REAL,
                     .in = t->from == SPL_TYPE_COMPLEX ? SPL_INTER : SPL_REAL,
                     .out = t->to == SPL_TYPE_COMPLEX ? SPL_INTER : SPL_REAL,
                     .position = single ? SPL_POS_W : many,
                     .kind = kind};
}

static spl_key complex_key(backend_use use)
{
    static const struct {
        spl_position position;
        spl_tw tw;
        spl_format in, out;
    } uses[BACKEND_USES] = {
        [BACKEND_STAGE] = {SPL_POS_C, SPL_TW_NONE, SPL_INTER, SPL_INTER},
        [BACKEND_MIDDLE] = {SPL_POS_B, SPL_TW_BROADCAST, SPL_INTER, SPL_INTER},
        [BACKEND_FIRST] = {SPL_POS_A, SPL_TW_VECTOR, SPL_INTER, SPL_INTER},
        [BACKEND_FIRST_COLUMNS] = {SPL_POS_C, SPL_TW_VECTOR, SPL_INTER, SPL_INTER},
        [BACKEND_ROWS] = {SPL_POS_T, SPL_TW_NONE, SPL_INTER, SPL_INTER},
        [BACKEND_ROWS_IN] = {SPL_POS_R, SPL_TW_NONE, SPL_INTER, SPL_INTER},
        [BACKEND_ROWS_OUT] = {SPL_POS_A, SPL_TW_NONE, SPL_INTER, SPL_INTER},
        [BACKEND_STRIDED] = {SPL_POS_C, SPL_TW_NONE, SPL_INTER, SPL_INTER},
        [BACKEND_SINGLE] = {SPL_POS_W, SPL_TW_NONE, SPL_INTER, SPL_INTER},
        [BACKEND_SINGLE_SPLIT_IN] = {SPL_POS_W, SPL_TW_NONE, SPL_SPLIT, SPL_INTER},
        [BACKEND_SINGLE_SPLIT_OUT] = {SPL_POS_W, SPL_TW_NONE, SPL_INTER, SPL_SPLIT},
        [BACKEND_SINGLE_SPLIT] = {SPL_POS_W, SPL_TW_NONE, SPL_SPLIT, SPL_SPLIT},
    };

    return (spl_key){.in = uses[use].in,
                     .out = uses[use].out,
                     .position = uses[use].position,
                     .tw = uses[use].tw};
}

const spl_codelet *isa_target_codelet(const bind_target *target, int kind, int64_t n,
                                      sluice_precision precision, backend_use use)
{
    const bool real = kind != SPL_CODELET_DFT;
    spl_key key = real ? real_key(kind, use) : complex_key(use);

    key.n = n > 0 && n <= BIND_MAX_WHOLE ? (int)n : 0;
    key.isa = use == BACKEND_STRIDED ? bind_isa_of_one(target, precision, SPL_INTER) : target->isa;
    key.precision = (int)precision;
    const spl_codelet *c = bind_codelet_find(target, &key);
    if (!c && use >= BACKEND_SINGLE) {
        key.isa = CORE_ISA_SCALAR;
        key.position = SPL_POS_C;
        key.compute = real ? SPL_REAL : SPL_INTER;
        if (!real) /* scalar codelets cost about the same for all formats */
            key.in = key.out = SPL_INTER;
        c = bind_codelet_find(target, &key);
    }
    return c;
}

/* The codelet for rows side by side; of complex numbers in that format. */
static const spl_codelet *rows_codelet(const bind_target *target, int kind, int64_t n,
                                       sluice_precision precision, spl_format format)
{
    const spl_codelet *c = isa_target_codelet(target, kind, n, precision, BACKEND_ROWS);

    if (!c || kind != SPL_CODELET_DFT || format != SPL_SPLIT)
        return c;
    spl_key key = c->key;
    key.compute = key.in = key.out = format;
    return bind_codelet_find(target, &key);
}

int isa_target_row_lanes(const bind_target *target, int kind, int64_t n, sluice_precision precision,
                         spl_format format)
{
    const spl_codelet *c = rows_codelet(target, kind, n, precision, format);
    const bool twins = c && bind_has_narrow_twins(&c->key);

    for (int isa = CORE_ISA_SCALAR + 1; twins && isa < (int)target->isa; isa++) {
        spl_key key = c->key;
        key.isa = (core_isa)isa;
        const spl_codelet *twin = bind_codelet_find(target, &key);
        if (twin)
            return twin->key.lanes;
    }
    return c ? c->key.lanes : 0;
}

/* Cycles of values that do not fit the registers, which are not counted: a codelet has so many at a
 * time, of n rows n, and a few more. What is spilled is stored and loaded, 64 and twice 64 bytes a
 * cycle, and of more than twice as many values as there are registers once more. */
static double spill_cycles(const spl_codelet *c, int values)
{
    static const struct {
        int registers;
        double cycles;
    } isas[CORE_ISA_COUNT] = {[CORE_ISA_SCALAR] = {INT_MAX, 0},
                              [CORE_ISA_VEC128] = {16, 0.75},
                              [CORE_ISA_AVX2] = {16, 0.75},
                              [CORE_ISA_AVX512] = {32, 1.5}};
    static const int more = 4;
    const bool rows = c->key.position != SPL_POS_W && c->key.position != SPL_POS_G;
    const int registers = isas[c->key.isa].registers, spilled = values - (registers - more);
    const int again = rows && values / 2 > registers ? values - 2 * registers : 0;

    return rows && spilled > 0 ? (spilled + again) * isas[c->key.isa].cycles : 0;
}

/* Rows side by side are loaded and stored in pieces of half a vector, those of position D are
 * stored as lines. Of two pieces that straddle lines, or a vector that goes through a buffer, a
 * cycle more. */
static double row_cycles(const spl_codelet *c)
{
    enum { LINE = 64 };
    const spl_key *key = &c->key;
    const bool lines = key->position == SPL_POS_D, buffered = lines && c->stores > key->n;
    const int scalar = key->precision == SLUICE_F32 ? (int)sizeof(float) : (int)sizeof(double);
    const int piece = scalar * key->lanes, row = 2 * scalar * key->n;
    const int loads = lines && c->loads <= key->n ? 0 : c->loads;
    const int pieces = loads + (buffered ? c->stores - 2 * key->n : lines ? 0 : c->stores);

    if ((!lines && key->position != SPL_POS_T) || key->in != SPL_INTER || key->out != SPL_INTER
        || key->isa == CORE_ISA_SCALAR)
        return 0;
    return pieces * (double)(piece - core_gcd(row, piece)) / (2 * LINE) + (buffered ? key->n : 0);
}

/* Bytes of the vectors that a codelet computes with: of one transform (W, S) those that its results
 * fill. */
static double vector_bytes(const bind_target *target, const spl_codelet *c)
{
    enum { SHORTEST = 16 };
    const spl_key *key = &c->key;
    const double scalar = key->precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    const double results = scalar * key->n * (key->kind == SPL_CODELET_DFT ? 2 : 1);
    double bytes = target->vectors[key->isa].bytes;

    if (key->position == SPL_POS_W || key->position == SPL_POS_S)
        while (bytes > SHORTEST && results <= c->stores * bytes / 2)
            bytes /= 2;
    return bytes;
}

/* How many pieces a vector is computed in. */
static double parts_of(const bind_target *target, const spl_codelet *c)
{
    return fmax(1, vector_bytes(target, c) / target->data_path);
}

/* What bounds a step on a unit that says how wide its data path is: an operation on a longer vector
 * is several. It has four pipes, of which two multiply, two add and two shuffle; a store takes a
 * place in one as well, and loads two vectors a cycle or stores one (AMD, Software Optimization
 * Guides for families 17h and 19h; docs/log/price.md). T loads and stores halves of vectors, A
 * stores them, the upper ones extracted. */
typedef struct path_bounds {
    double all, one_kind; /* cycles of all four pipes; of those that one kind of operation has */
} path_bounds;

static path_bounds path_of(const bind_target *target, const spl_codelet *c)
{
    const bool loads_halves = c->key.position == SPL_POS_T;
    const bool halves = loads_halves || c->key.position == SPL_POS_A;
    const double parts = parts_of(target, c), half = fmax(1, parts / 2);
    const double stores = (halves ? half : parts) * c->stores, extracted = halves ? stores / 2 : 0;
    const int unfused = target->isa > CORE_ISA_VEC128 ? 0 : c->fmas;
    const double sums = parts * (c->adds + unfused), products = parts * (c->muls + c->fmas);
    const double shuffles = parts * c->shuffles + extracted;
    const double loads = (loads_halves ? half : parts) * c->loads;

    return (path_bounds){.all = (sums + products + shuffles + stores) / 4,
                         .one_kind =
                             fmax(fmax(fmax(sums, products), fmax(shuffles, loads)) / 2, stores)};
}

/* Values at a time of rows side by side: interleaved ones of composite lengths are worked on in
 * pieces that fit. */
static int values_at_once(const spl_key *key)
{
    if (key->compute == SPL_INTER && core_primitive_root(key->n) == 0)
        return 0;
    return key->compute == SPL_SPLIT ? 2 * key->n : key->n;
}

static bool has_path(const bind_target *target, const spl_codelet *c)
{
    return target->data_path > 0 && c->key.isa != CORE_ISA_SCALAR;
}

double isa_target_counted(const bind_target *target, const spl_codelet *c)
{
    const bool rows = c->key.position == SPL_POS_T || c->key.position == SPL_POS_D;

    if (!has_path(target, c) || !rows)
        return c->cycles + row_cycles(c);
    const path_bounds path = path_of(target, c);
    return fmax(path.all, path.one_kind) + row_cycles(c) + spill_cycles(c, values_at_once(&c->key));
}

/* What a step takes of its count for the data path (measured): pipes wait where elements change
 * their lanes, and where 16 registers hold few values at a time. Cycles are those of a nominal
 * clock, below the processor's own. */
static double path_cycles(const bind_target *target, const spl_codelet *c)
{
    static const double waits[] = {
        [SPL_POS_A] = 1.2, [SPL_POS_B] = 1,   [SPL_POS_C] = 1,   [SPL_POS_T] = 1.2,
        [SPL_POS_W] = 1.1, [SPL_POS_G] = 1.2, [SPL_POS_D] = 1.2, [SPL_POS_M] = 1,
        [SPL_POS_P] = 1,   [SPL_POS_R] = 1,   [SPL_POS_S] = 1};
    static const double few_registers = 1.2, steady = 0.93;
    const double registers = c->key.isa == CORE_ISA_AVX512 ? 1 : few_registers;
    const path_bounds path = path_of(target, c);

    return fmax(fmax(waits[c->key.position], registers) * path.all, steady * path.one_kind);
}

double isa_target_cycles(const spl_codelet *c)
{
    return price_counted * (c->cycles + row_cycles(c) + spill_cycles(c, c->key.n));
}

double isa_target_step_cycles(const bind_target *target, const spl_codelet *c)
{
    return has_path(target, c) ? path_cycles(target, c) + row_cycles(c)
                                     + parts_of(target, c) * spill_cycles(c, c->key.n)
                               : isa_target_cycles(c);
}

/* Of a vector of a line: two operations a cycle, whatever the registers hold. A single row is re
 * and im apart in plain C. Longer ones have no codelet in plain C. */
double isa_target_alike_cycles(int kind, int64_t n, sluice_precision precision, backend_use use)
{
    enum { LINE = 64, LONGEST = 32, LONGEST_OF_REALS = 16 };
    static const bind_target plain = {
        .vectors = {[CORE_ISA_SCALAR] = {0, {spl_codelets_scalar_f32, spl_codelets_scalar_f64}}}};
    const bool single = use >= BACKEND_SINGLE, reals = kind != SPL_CODELET_DFT;
    const double lanes = LINE / (precision == SLUICE_F32 ? 8 : 16) * (reals ? 2 : 1);
    const backend_use as = reals ? BACKEND_STAGE : single ? BACKEND_ROWS : use;
    const spl_codelet *c = n > (reals ? LONGEST_OF_REALS : LONGEST) || use == BACKEND_STRIDED
                               ? NULL
                               : isa_target_codelet(&plain, kind, n, precision, as);

    if (!c)
        return 0;
    const double step = price_counted * (c->adds + c->muls + c->fmas + c->shuffles) / 2;
    return single ? 2 * step : step / lanes;
}
