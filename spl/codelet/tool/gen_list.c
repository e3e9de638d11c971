// SPDX-License-Identifier: BSD-3-Clause
/* The list of codelets. */
#include <string.h>

#include "spl/codelet/tool/gen_list.h"
#include "spl/formula/transforms.h"

/* Plain C computes what does not fill a vector. It has a codelet for each pattern of memory
 * accesses in which G, which serves any, is slower. */
static const family families[] = {
    {SPL_POS_C, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 1, 64, false, true},
    {SPL_POS_C, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 2, 64, true, false},
    {SPL_POS_C, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_VECTOR, 1, 32, false, true},
    {SPL_POS_C, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_VECTOR, 2, 32, true, false},
    {SPL_POS_C, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_FACTORED, 2, 32, false, false},
    {SPL_POS_C, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_FACTORED, 2, 32, true, false},
    {SPL_POS_C, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_FACTORED_SHARED, 2, 32, false, false},
    {SPL_POS_C, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_FACTORED_SHARED, 2, 32, true, false},
    {SPL_POS_A, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_FACTORED_SHARED, 2, 32, false, false},
    {SPL_POS_B, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_BROADCAST, 2, 32, false, true},
    {SPL_POS_B, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_BROADCAST, 2, 32, true, false},
    {SPL_POS_A, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_VECTOR, 2, 32, false, true},
    {SPL_POS_A, SPL_INTER, SPL_SPLIT, SPL_INTER, SPL_TW_VECTOR, 2, 32, false, false},
    {SPL_POS_A, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_BROADCAST, 2, 32, false, true},
    {SPL_POS_A, SPL_INTER, SPL_SPLIT, SPL_INTER, SPL_TW_BROADCAST, 2, 32, false, false},
    {SPL_POS_A, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 2, 64, false, false},
    {SPL_POS_R, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 2, 64, false, false},
    {SPL_POS_C, SPL_INTER, SPL_INTER, SPL_SPLIT, SPL_TW_NONE, 2, 32, false, false},
    {SPL_POS_C, SPL_INTER, SPL_SPLIT, SPL_INTER, SPL_TW_NONE, 2, 32, false, false},
    {SPL_POS_T, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 2, 32, false, true},
    {SPL_POS_D, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 2, 32, false, false},
    {SPL_POS_D, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 2, 32, true, false},
    {SPL_POS_W, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 2, 512, false, true},
    {SPL_POS_W, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 16, 512, true, false},
    {SPL_POS_W, SPL_INTER, SPL_SPLIT, SPL_SPLIT, SPL_TW_NONE, 4, 128, false, false},
    {SPL_POS_W, SPL_INTER, SPL_SPLIT, SPL_INTER, SPL_TW_NONE, 4, 128, false, false},
    {SPL_POS_W, SPL_INTER, SPL_INTER, SPL_SPLIT, SPL_TW_NONE, 4, 128, false, false},
    {SPL_POS_S, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_NONE, 4, GEN_ELEMENTS, false, false},
    {SPL_POS_C, SPL_SPLIT, SPL_SPLIT, SPL_SPLIT, SPL_TW_NONE, 1, 64, false, false},
    {SPL_POS_C, SPL_SPLIT, SPL_SPLIT, SPL_SPLIT, SPL_TW_VECTOR, 2, 32, false, false},
    {SPL_POS_B, SPL_SPLIT, SPL_SPLIT, SPL_SPLIT, SPL_TW_BROADCAST, 2, 32, false, false},
    {SPL_POS_A, SPL_SPLIT, SPL_SPLIT, SPL_SPLIT, SPL_TW_VECTOR, 2, 32, false, false},
    {SPL_POS_A, SPL_SPLIT, SPL_SPLIT, SPL_SPLIT, SPL_TW_BROADCAST, 2, 32, false, false},
    {SPL_POS_T, SPL_SPLIT, SPL_SPLIT, SPL_SPLIT, SPL_TW_NONE, 2, 32, false, false},
    {SPL_POS_G, SPL_SPLIT, SPL_SPLIT, SPL_SPLIT, SPL_TW_NONE, 1, 64, false, true},
    {SPL_POS_G, SPL_SPLIT, SPL_SPLIT, SPL_SPLIT, SPL_TW_VECTOR, 1, 64, false, true},
};

/* Transforms of real data at positions T and C: `all`: of the sizes below (kinds as common as
 * DFTs), else of fewer sizes. */
static const struct {
    spl_kind kind;
    int max_n;
    bool all;
} real_families[] = {
    {SPL_RDFT, 64, true},  {SPL_IRDFT, 64, true},  {SPL_DHT, 16, false},  {SPL_DCT2, 64, false},
    {SPL_DCT3, 64, false}, {SPL_DCT4, 64, false},  {SPL_DST2, 32, false}, {SPL_DST3, 32, false},
    {SPL_DST4, 32, false}, {SPL_IDXST, 64, false}, {SPL_DCT1, 33, false}, {SPL_DST1, 31, false},
};

static const int cosine_sizes[] = {2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 64};

/* Sizes of RDFT and IRDFT at position W. Those above 50 have halves of whole vectors: with single
 * numbers, batches would be slower than with the complex codelet and pairs. */
static const int half_sizes[] = {8,   10,  12,  14,  16,  18,  20,  22,  24,  26,  28,  30,
                                 32,  36,  40,  42,  44,  48,  50,  52,  56,  60,  64,  72,
                                 80,  84,  88,  96,  100, 108, 112, 120, 128, 140, 144, 160,
                                 168, 192, 200, 224, 240, 256, 320, 360, 384, 480, 512};

/* Codelets that multiply by weights when they load: the first stages that plans choose for the
 * input of most transforms. Others read data that were multiplied before. */
static const struct {
    spl_kind kind;
    spl_position position;
    spl_tw tw;
} weighed_families[] = {
    {SPL_DFT, SPL_POS_C, SPL_TW_NONE},      {SPL_DFT, SPL_POS_A, SPL_TW_VECTOR},
    {SPL_DFT, SPL_POS_A, SPL_TW_BROADCAST}, {SPL_DFT, SPL_POS_A, SPL_TW_FACTORED_SHARED},
    {SPL_DFT, SPL_POS_T, SPL_TW_NONE},      {SPL_DFT, SPL_POS_W, SPL_TW_NONE},
    {SPL_RDFT, SPL_POS_C, SPL_TW_NONE},     {SPL_RDFT, SPL_POS_T, SPL_TW_NONE},
    {SPL_RDFT, SPL_POS_W, SPL_TW_NONE},     {SPL_IRDFT, SPL_POS_W, SPL_TW_NONE},
};
static const int weighed_sizes[] = {4,  5,  6,  8,  10, 12, 15,  16,  20,  24,
                                    25, 32, 48, 60, 64, 96, 100, 128, 256, 512};

/* Sizes of cosine and sine transforms at position W. */
static const int folded_sizes[] = {32, 48, 64, 80, 96, 128, 160, 192, 256, 384, 512};

static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                            15, 16, 17, 19, 20, 23, 24, 25, 27, 29, 31, 32, 64, 128};

/* Sizes of position W with split sides, for ISAs with vectors: powers of two and some sizes
 * between. */
static const int split_sizes[] = {4, 6, 8, 10, 12, 16, 18, 20, 24, 30, 32, 36, 40, 48, 64, 128};

bool gen_whole_lines(gen_vector vector)
{
    enum { LINE = 64 };
    return vector.width * vector.bytes == LINE;
}

spl_key gen_list_key(const listing *l, const family *f, int n, int kind)
{
    spl_key key = {.n = n,
                   .isa = l->isa,
                   .precision = l->precision,
                   .compute = f->compute,
                   .in = f->in,
                   .out = f->out,
                   .position = f->position,
                   .tw = f->tw,
                   .lanes = 1,
                   .nt = f->nt,
                   .kind = kind};
    if (f->position != SPL_POS_W && f->position != SPL_POS_S)
        key.lanes = gen_vector_of(&key, f->compute, 0).lanes;
    return key;
}

void gen_list_add(listing *l, const spl_key *key)
{
    if (l->count == GEN_LIST_MAX)
        gen_fail("more than %d codelets", GEN_LIST_MAX);
    l->out[l->count] = (gen_codelet){.key = *key, .set = l->set};
    gen_name_codelet(&l->out[l->count++]);
}

static bool is_smooth(int n, int max_n)
{
    for (int p = 2; p <= max_n; p++)
        while (n % p == 0)
            n /= p;
    return n == 1;
}

static bool is_one_of(const int *list, size_t count, int n)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == n)
            return true;
    return false;
}

/* Has DFT_n a codelet? With vectors, position W, which computes a product of two DFTs, also has the
 * sizes without prime factors above 7, up to 64 points above 13. With many and long registers it
 * has sizes above 128 that mostly fill their vectors: up to 512 it is faster than two stages, at
 * 1024 slower (measured). In 128 bits sizes above 64 are left out, in single precision all but 128,
 * to keep the library small; products of two stages replace them. */
static bool has_codelet_size(spl_position position, core_isa isa, int precision, int n)
{
    const bool whole = position == SPL_POS_W;
    if (isa == CORE_ISA_VEC128 && n > 64 && (n < 128 || precision == SLUICE_F64))
        return false;
    if (is_one_of(sizes, sizeof sizes / sizeof *sizes, n))
        return true;
    if (n > 128)
        return whole && isa == CORE_ISA_AVX512 && n % 8 == 0 && is_smooth(n, 5);
    return whole && isa != CORE_ISA_SCALAR && is_smooth(n, n <= 64 ? 13 : 7);
}

/* Odd primes from 17 on take long to compile. Omits their codelets that save only a few per cent of
 * a pass through memory, that a move replaces, and for split sides, which G covers. In short
 * vectors G of plain C is as fast. */
static bool is_family_omitted(const family *f, core_isa isa, int n)
{
    const bool prime = n == 17 || n == 19 || n == 23 || n == 29 || n == 31;
    const bool factored = f->tw == SPL_TW_FACTORED || f->tw == SPL_TW_FACTORED_SHARED;
    const bool turned =
        (f->position == SPL_POS_A && f->tw == SPL_TW_NONE) || f->position == SPL_POS_R;
    if (prime && isa == CORE_ISA_VEC128 && (factored || f->position == SPL_POS_G))
        return true;
    return prime
           && (f->nt || turned
               || (f->position != SPL_POS_G
                   && (f->in == SPL_SPLIT || f->out == SPL_SPLIT || f->compute == SPL_SPLIT)));
}

static bool has_split(const spl_key *key)
{
    return key->isa != CORE_ISA_SCALAR
           && is_one_of(split_sizes, sizeof split_sizes / sizeof *split_sizes, key->n);
}

/* W of plain C computes what T does. */
static bool is_in_t(const family *f, int n)
{
    enum { MAX_T = 32 };
    return f->position == SPL_POS_W && n <= MAX_T;
}

/* Does W for this n use vectors of several elements, so that S is a different codelet? */
static bool has_other_w(const spl_key *key)
{
    spl_key w = *key;
    gen_shape shape;

    w.position = SPL_POS_W;
    return gen_whole_shape(&w, &shape) && shape.vector.lanes > 1;
}

/* D gains nothing without lanes, nor with few lanes and a buffer (measured). Non-temporal stores
 * need vectors that are whole lines. */
static bool codelet_exists(const family *f, const spl_key *key)
{
    gen_shape shape;
    if (!has_codelet_size(f->position, key->isa, key->precision, key->n)
        || is_family_omitted(f, key->isa, key->n))
        return false;
    if (key->isa == CORE_ISA_SCALAR && (!f->scalar || is_in_t(f, key->n)))
        return false;
    if (f->position == SPL_POS_D && key->isa != CORE_ISA_AVX512
        && (key->isa < CORE_ISA_AVX2 || gen_dense_method_of(key) == GEN_DENSE_BUFFERED))
        return false;
    if (f->position == SPL_POS_S)
        return has_other_w(key);
    if (f->position != SPL_POS_W)
        return !f->nt || gen_whole_lines(gen_vector_of(key, f->compute, 0));
    if ((f->in == SPL_SPLIT || f->out == SPL_SPLIT) && !has_split(key))
        return false;
    if (!gen_whole_shape(key, &shape))
        return false;
    return !f->nt || (gen_whole_lines(shape.vector) && shape.a % shape.vector.lanes == 0);
}

static void add_transforms(listing *l, const family *f)
{
    for (int n = f->min_n; n <= f->max_n; n++) {
        const spl_key key = gen_list_key(l, f, n, SPL_CODELET_DFT);
        if (codelet_exists(f, &key))
            gen_list_add(l, &key);
    }
}

/* Adds position W of a transform that uses a DFT of half as many points. */
static void add_half(listing *l, spl_kind kind, int n, int max_n)
{
    const spl_transform *t = spl_transform_of(kind);
    const spl_key key = {.n = n,
                         .isa = l->isa,
                         .precision = l->precision,
                         .compute = SPL_INTER,
                         .in = t->from == SPL_TYPE_COMPLEX ? SPL_INTER : SPL_REAL,
                         .out = t->to == SPL_TYPE_COMPLEX ? SPL_INTER : SPL_REAL,
                         .position = SPL_POS_W,
                         .lanes = 1,
                         .kind = (int)kind};
    gen_shape shape;

    if (n <= max_n && gen_whole_shape(&key, &shape))
        gen_list_add(l, &key);
}

/* Folds of more reals than this, in vectors of two points, lose more by spills than they save by
 * fewer calls. */
enum { FOLDED_PAIRS = 128 };

/* Adds sizes as long as registers, constants and instructions allow. */
static void add_halves(listing *l)
{
    static const int max_n[CORE_ISA_COUNT] = {0, 64, 256, 512};
    const int max = max_n[l->isa];
    const bool pairs = l->isa == CORE_ISA_AVX2 && l->precision == SLUICE_F64;
    const int max_folded = pairs && max > FOLDED_PAIRS ? FOLDED_PAIRS : max;
    for (size_t i = 0; i < sizeof half_sizes / sizeof *half_sizes; i++)
        for (int kind = SPL_RDFT; kind <= SPL_IRDFT; kind++)
            add_half(l, (spl_kind)kind, half_sizes[i], max);
    for (size_t i = 0; i < sizeof folded_sizes / sizeof *folded_sizes; i++)
        for (int kind = SPL_DHT; kind < SPL_KIND_COUNT; kind++)
            if (gen_is_cosine(kind))
                add_half(l, (spl_kind)kind, folded_sizes[i], max_folded);
}

/* Largest n of transforms of reals in a set of plain C. */
enum { FUSED_REALS = 16 };

/* A type 1 transform has a codelet if its extension is twice one of these sizes. */
static bool has_real_size(spl_kind kind, bool all, int n)
{
    const int half = kind == SPL_DCT1 ? n - 1 : kind == SPL_DST1 ? n + 1 : n;

    return all ? is_one_of(sizes, sizeof sizes / sizeof *sizes, n)
               : is_one_of(cosine_sizes, sizeof cosine_sizes / sizeof *cosine_sizes, half);
}

static void add_reals(listing *l)
{
    static const spl_position positions[] = {SPL_POS_T, SPL_POS_C};
    const int first = l->isa == CORE_ISA_SCALAR; /* single columns: C, whatever the rows */
    for (size_t i = 0; i < sizeof real_families / sizeof *real_families; i++) {
        const spl_kind kind = real_families[i].kind;
        const spl_transform *t = spl_transform_of(kind);
        spl_key key = {
            .isa = l->isa, .precision = l->precision, .compute = SPL_REAL, .kind = (int)kind};
        key.in = t->from == SPL_TYPE_COMPLEX ? SPL_INTER : SPL_REAL;
        key.out = t->to == SPL_TYPE_COMPLEX ? SPL_INTER : SPL_REAL;
        key.lanes = gen_vector_of(&key, SPL_REAL, 0).lanes;
        const int max_n = l->set ? FUSED_REALS : real_families[i].max_n;
        for (key.n = 2; key.n <= max_n; key.n++)
            for (int k = first; k < 2 && has_real_size(kind, real_families[i].all, key.n); k++) {
                key.position = positions[k];
                gen_list_add(l, &key);
            }
    }
}

/* Adds planes of position P, whose rows are whole vectors, or halves of long ones. */
static void add_planes(listing *l)
{
    static const spl_kind kinds[] = {SPL_DCT2, SPL_DCT3};
    const int halves = l->isa == CORE_ISA_AVX512 ? 2 : 1;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        spl_key key = {.isa = l->isa,
                       .precision = l->precision,
                       .compute = SPL_REAL,
                       .in = SPL_REAL,
                       .out = SPL_REAL,
                       .position = SPL_POS_P,
                       .lanes = 1,
                       .kind = (int)kinds[i]};
        key.n = gen_vector_of(&key, SPL_REAL, 0).lanes;
        for (int half = 0; half < halves && key.n > 2; half++, key.n /= 2)
            gen_list_add(l, &key);
    }
}

static bool is_weighed(const spl_key *key)
{
    bool is_in_family = false;

    for (size_t i = 0; i < sizeof weighed_families / sizeof *weighed_families; i++)
        is_in_family = is_in_family
                       || (key->kind == (int)weighed_families[i].kind
                           && key->position == weighed_families[i].position
                           && key->tw == weighed_families[i].tw);
    return is_in_family && key->isa >= CORE_ISA_AVX2 && !key->nt && key->compute != SPL_SPLIT
           && key->in != SPL_SPLIT && key->out != SPL_SPLIT
           && is_one_of(weighed_sizes, sizeof weighed_sizes / sizeof *weighed_sizes, key->n);
}

static void add_weighed(listing *l)
{
    for (int i = 0, count = l->count; i < count; i++) {
        spl_key key = l->out[i].key;
        if (!is_weighed(&key))
            continue;
        key.weighed = true;
        gen_list_add(l, &key);
    }
}

int gen_list(core_isa isa, int precision, gen_codelet *out)
{
    listing l = {.isa = isa, .precision = precision, .out = out};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        add_transforms(&l, &families[i]);
    add_reals(&l);
    add_planes(&l);
    add_halves(&l);
    gen_list_pairs(&l);
    add_weighed(&l);
    return l.count;
}

/* Interleaved columns that fill no longer vector: nothing in registers, no factored twiddles. */
int gen_list_narrow(int precision, gen_codelet *out)
{
    listing l = {CORE_ISA_VEC128, "fma128", precision, 0, out};
    for (const family *f = families; f < families + sizeof families / sizeof *families; f++)
        if (f->compute == SPL_INTER && f->in == SPL_INTER && f->out == SPL_INTER
            && f->position != SPL_POS_W && f->position != SPL_POS_S && f->tw != SPL_TW_FACTORED)
            add_transforms(&l, f);
    add_reals(&l);
    return l.count;
}

/* One column at a time, with any rows; with "fma" also adjacent rows by themselves. The planner of
 * reproducible plans uses no longer codelets. */
int gen_list_fused(const char *set, int precision, gen_codelet *out)
{
    enum { LONGEST = 32 };
    listing l = {.isa = CORE_ISA_SCALAR, .set = set, .precision = precision, .out = out};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        family f = families[i];
        f.max_n = f.max_n < LONGEST ? f.max_n : LONGEST;
        const bool adjacent = f.position == SPL_POS_T && f.compute == SPL_INTER;
        if (f.position == SPL_POS_G || (adjacent && strcmp(set, "fma") == 0))
            add_transforms(&l, &f);
    }
    add_reals(&l);
    gen_list_pairs(&l);
    return l.count;
}
