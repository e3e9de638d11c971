// SPDX-License-Identifier: BSD-3-Clause
/* Position W: one transform in registers, n = a b:
 *
 *   DFT_ab = (DFT_b (x) I_a) (blocks of L_nu^{nu nu}) T (DFT_a (x) I_b)
 *
 * (short-vector Cooley-Tukey, Franchetti & Pueschel 2003). The input is an a x b matrix with
 * adjacent elements in each row. DFT_a is applied to its columns, nu at a time; the results times
 * w_n^{k j} are transposed in blocks of nu x nu; DFT_b is applied along j for nu values of k at a
 * time, and the results are stored.
 *
 * If nu does not divide b, the last vectors of the columns also contain the elements that follow in
 * memory, or in the input's registers; the transposes drop these. If there are nu/2 columns, they
 * are computed in half vectors, which are joined after the transposes. If nu does not divide a, the
 * last vectors of the output are stored in part. Among all a, b and nu, those with the fewest
 * predicted cycles are used.
 *
 * Position S is the case nu = 1 and b = 1: nothing is transposed, and every load reads what one
 * store wrote, which processors forward. A load of what two stores wrote waits until both are in
 * L1, so a short transform in place, one execution after another, may take twice as long at W.
 *
 * Position T uses the same method for two transforms at a time if nu lanes are half a vector: one
 * small transpose instead of two large ones.
 *
 * Split sides are interleaved by loads and separated by stores. */
#include <string.h>

#include "core/mem.h"
#include "core/trig.h"
#include "spl/codelet/gen.h"
#include "spl/formula/transforms.h"

enum { PREFETCH_BYTES = 4096 /* min distance */, LINE_BYTES = 64 };
enum { MAX_POINTS = 512, MAX_FACTOR = 32, MAX_SINGLE = 128, MIDDLE = 4 * GEN_MAX };

typedef struct whole_transform {
    const gen_shape *shape;
    int nu;
    bool split_in, split_out;
    int points;             /* a b */
    const gen_var *input;   /* vectors of nu points; NULL: they are loaded */
    gen_var *result;        /* vectors of nu points; NULL: they are stored */
    int before[GEN_KINDS];  /* operation counts before those on half vectors */
    int group;              /* columns (stage 1) or rows (stage 2) group*nu .. + nu-1 */
    gen_var middle[MIDDLE]; /* stage 1: [k + a*group]; after the transposes [j + b*(k/nu)] */
} whole_transform;

static int group_count(int of, int nu)
{
    return (of + nu - 1) / nu;
}

/* nu rows of every transform from row `first` on */
static gen_segments row_segments(const gen_emit *e, const whole_transform *w, int first)
{
    return (gen_segments){w->shape->together, 0, 1, first * 2 * e->vector.bytes};
}

/* Codelets with non-temporal stores also read from memory, in an order that the hardware prefetcher
 * cannot follow: with each line they prefetch the same line of a later transform. */
static void prefetch_lines(gen_emit *e, int at)
{
    const int transform = e->key->n * 2 * e->vector.bytes;
    const int columns = transform < PREFETCH_BYTES ? PREFETCH_BYTES / transform : 1;

    if (e->key->nt && e->key->position == SPL_POS_W && at % LINE_BYTES == 0)
        gen_say(e, "prefetch(in_re + %d * ics + %d);", columns, at);
}

/* Address of element `first` in one part of a split side. */
static gen_name split_address(const gen_emit *e, const char *io, int first)
{
    return gen_print("%s + %d", io, first * e->vector.bytes);
}

/* Multiplies by the weights of row `first` and the following ones, of which `left` are left. */
static gen_var weigh_input(gen_emit *e, const whole_transform *w, int first, int left, gen_var x)
{
    const gen_name at = gen_print("in_weight + %d", first * 2 * e->vector.bytes);
    if (!e->key->weighed)
        return x;
    if (w->shape->together == 2)
        return gen_weigh(e, "load_segments2", gen_print("%s, %s", at.text, at.text).text, x);
    if (left >= w->nu)
        return gen_weigh(e, "load", at.text, x);
    return gen_weigh(e, "load_part", gen_print("%s, %d", at.text, left).text, x);
}

/* A vector of the input from element `first` on. */
static gen_var take_input(gen_emit *e, const whole_transform *w, int first)
{
    const int i = first / w->nu, last = w->points / w->nu - 1, lanes = first % w->nu;

    return lanes == 0 ? w->input[i]
                      : gen_slide(e, w->input[i], w->input[i < last ? i + 1 : i], lanes);
}

/* Loads a vector that does not extend past the transform. */
static gen_var load_input(gen_emit *e, gen_io *io, int i)
{
    const whole_transform *w = io->user;
    const int first = i * w->shape->b + w->group * w->nu, left = w->points - first;
    if (w->input)
        return take_input(e, w, first);
    const gen_var to = gen_new_temp(e);

    prefetch_lines(e, first * 2 * e->vector.bytes);
    if (w->split_in)
        gen_load_split(e, split_address(e, "in_re", first).text,
                       split_address(e, "in_im", first).text, left < w->nu ? left : w->nu, to.re);
    else if (left >= w->nu)
        gen_load_segments(e, "in_re", row_segments(e, w, first), to.re);
    else
        gen_load_part(e, gen_print("in_re + %d", first * 2 * e->vector.bytes).text, left, to.re);
    return weigh_input(e, w, first, left, to);
}

/* Multiplies by w_n^{k j}, j = columns of the group, constants of the static table. */
static void twiddle_middle(gen_emit *e, gen_io *io, int k, gen_var x)
{
    whole_transform *w = io->user;
    const gen_var none = {"", ""};
    gen_var *to = &w->middle[k + w->shape->a * w->group];
    gen_constant_vector first = {.negated_in_inverse = false},
                        second = {.negated_in_inverse = true};
    *to = x;
    if (k == 0 || w->shape->b == 1)
        return;
    for (int l = 0; l < e->vector.lanes; l++) {
        long double re, im;
        const int j = w->group * w->nu + l % w->nu;
        core_root((size_t)(k * j), (size_t)w->points, &re, &im);
        first.value[2 * l] = first.value[2 * l + 1] = re;
        second.value[2 * l] = -im;
        second.value[2 * l + 1] = im;
    }
    const gen_var s = gen_each(e, GEN_SHUFFLES, "swap", x, none, none);
    const gen_var t = gen_new_temp(e);
    gen_assign(e, GEN_MULS, t.re, "mul", x.re, gen_table_row(e, &first).text, NULL);
    *to = gen_new_temp(e);
    gen_assign(e, GEN_FMAS, to->re, "fma", s.re, gen_table_row(e, &second).text, t.re);
    gen_count(e, GEN_LOADS, 2);
}

static gen_var load_middle(gen_emit *e, gen_io *io, int i)
{
    const whole_transform *w = io->user;
    (void)e;
    return w->middle[i + w->shape->b * w->group];
}

static void store_output(gen_emit *e, gen_io *io, int i, gen_var x)
{
    const whole_transform *w = io->user;
    const int k = w->group * w->nu, left = w->shape->a - k, first = i * w->shape->a + k;

    if (w->result)
        w->result[first / w->nu] = x;
    else if (w->split_out)
        gen_store_split(e, split_address(e, "out_re", first).text,
                        split_address(e, "out_im", first).text, left < w->nu ? left : w->nu, x.re);
    else if (left >= w->nu)
        gen_store_segments(e, "out_re", row_segments(e, w, first), x.re);
    else
        (first + w->nu > w->points ? gen_store_end : gen_store_part)(
            e, gen_print("out_re + %d", first * 2 * e->vector.bytes).text, left, x.re);
}

/* Transposes blocks (k/nu, j/nu) of nu vectors: from [k][j/nu] to [j][k/nu]. */
static void transpose_middle(gen_emit *e, whole_transform *w)
{
    gen_var turned[MIDDLE];
    const int nu = w->nu, a = w->shape->a, b = w->shape->b;
    for (int k = 0; k < a; k += nu) {
        for (int j = 0; j < b; j += nu) {
            gen_var block[16] = {{"", ""}};
            const int rows = a - k < nu ? a - k : nu, columns = b - j < nu ? b - j : nu;
            memcpy(block, &w->middle[k + a * (j / nu)], (size_t)rows * sizeof *block);
            gen_transpose(e, block, nu, columns);
            memcpy(&turned[j + b * (k / nu)], block, (size_t)columns * sizeof *block);
        }
    }
    memcpy(w->middle, turned, (size_t)(b * group_count(a, nu)) * sizeof *turned);
}

static void halve_vectors(gen_emit *e, whole_transform *w)
{
    memcpy(w->before, e->count, sizeof w->before);
    e->row_width = w->shape->vector.width;
    w->nu /= 2;
    e->vector = gen_vector_of(e->key, SPL_INTER, w->nu);
}

/* Returns to whole vectors. Two operations on halves are counted as one. */
static void use_whole_vectors(gen_emit *e, whole_transform *w)
{
    for (int i = 0; i < GEN_KINDS; i++)
        e->count[i] = w->before[i] + (e->count[i] - w->before[i] + 1) / 2;
    e->row_width = 0;
    e->vector = w->shape->vector;
    w->nu = e->vector.lanes;
}

/* Joins halves, [j + b*(k/nu)], to whole vectors. */
static void join_middle(gen_emit *e, whole_transform *w)
{
    const int b = w->shape->b;

    use_whole_vectors(e, w);
    for (int i = 0; i < w->points / w->nu; i++) {
        const int at = i % b + 2 * b * (i / b);
        const gen_var low = w->middle[at], high = w->middle[at + b], none = {"", ""};
        w->middle[i] = gen_each(e, GEN_SHUFFLES, "join", low, high, none);
    }
}

/* Splits vectors if the rows a are half the lanes: columns j .. j+a-1 and the following a are
 * transposed side by side; halves[j] is then column j. */
static void split_middle(gen_emit *e, whole_transform *w)
{
    const int a = w->shape->a, b = w->shape->b;
    const gen_var none = {"", ""};
    gen_var halves[GEN_MAX];

    for (int j = 0; j < b; j += 2 * a)
        gen_transpose(e, &w->middle[a * (j / w->nu)], a, a);
    halve_vectors(e, w);
    for (int j = 0; j < b; j++) {
        const gen_var x = w->middle[a * (j / (2 * a)) + j % a];
        if (j / a % 2) {
            halves[j] = gen_each(e, GEN_SHUFFLES, "high_half", x, none, none);
            continue;
        }
        halves[j] = gen_new_temp(e);
        gen_say(e, "const %s %s = %s_low_half(%s);", e->vector.type, halves[j].re, e->vector.type,
                x.re);
    }
    memcpy(w->middle, halves, (size_t)b * sizeof *halves);
}

/* Transposes, and changes between whole vectors and halves. */
static void turn_middle(gen_emit *e, whole_transform *w)
{
    const bool split = w->shape->halves && w->input;

    if (split)
        split_middle(e, w);
    else
        transpose_middle(e, w);
    if (w->shape->halves && !split)
        join_middle(e, w);
}

void gen_whole_core(gen_emit *e, const gen_shape *shape, const gen_var *input, gen_var *result)
{
    whole_transform w = {.shape = shape,
                         .nu = shape->vector.lanes / shape->together,
                         .points = shape->a * shape->b,
                         .input = input,
                         .result = result,
                         .split_in = e->key->in == SPL_SPLIT,
                         .split_out = e->key->out == SPL_SPLIT};
    gen_dag *first = gen_dft(shape->a), *second = gen_dft(shape->b);
    gen_io columns = {first, load_input, twiddle_middle, &w};
    gen_io rows = {second, load_middle, store_output, &w};
    e->vector = shape->vector;
    e->step = shape->together;
    if (shape->halves && !input)
        halve_vectors(e, &w);
    for (w.group = 0; w.group < group_count(shape->b, w.nu); w.group++)
        gen_statements(e, &columns);
    turn_middle(e, &w);
    for (w.group = 0; w.group < group_count(shape->a, w.nu); w.group++)
        gen_statements(e, &rows);
    if (shape->halves && input)
        use_whole_vectors(e, &w);
    core_free(first);
    core_free(second);
}

void gen_whole_body(gen_emit *e, const gen_shape *shape)
{
    if (gen_is_cosine(e->key->kind))
        gen_cosine_body(e, shape);
    else if (e->key->kind != SPL_DFT)
        gen_half_body(e, shape);
    else
        gen_whole_core(e, shape, NULL, NULL);
}

/* ---- shapes ---- */

static int core_points(const spl_key *key)
{
    return key->kind == SPL_DFT ? key->n : key->n / 2;
}

/* Vectors that other stages use have to be whole. */
static bool is_shape_possible(const spl_key *key, gen_vector vector, int a, int b)
{
    const int nu = vector.lanes;

    if (gen_is_cosine(key->kind) && !gen_cosine_suits(vector, b))
        return false;
    if (a * b != core_points(key) || b > MAX_FACTOR || (nu > 1 && b == 1))
        return false;
    return key->kind == SPL_DFT || (key->kind == SPL_IRDFT ? b : a) % nu == 0;
}

/* Transforms of reals in vectors shorter than the longest cost a quarter more (measured with
 * AVX-512). */
static double weigh_shape(const spl_key *key, const gen_shape *shape, double cycles)
{
    const bool shorter = shape->vector.lanes < gen_vector_of(key, SPL_INTER, 0).lanes;
    return key->kind != SPL_DFT && shorter ? 1.25 * cycles : cycles;
}

/* Predicted cycles; negative: out of memory. Stores of split sides that fill only part of a long
 * vector count as one more shuffle (measured: this makes most sizes up to a fifth faster, by
 * choosing shorter vectors). */
static double shape_cycles(const spl_key *key, const gen_shape *shape)
{
    static gen_emit e;

    memset(&e, 0, sizeof e);
    e.key = key;
    e.name = "of some shape";
    gen_whole_body(&e, shape);
    if (key->out == SPL_SPLIT && e.vector.width * e.vector.bytes == 64
        && shape->a % e.vector.lanes != 0)
        gen_count(&e, GEN_SHUFFLES, shape->b);
    const bool failed = e.body.failed;
    core_text_free(&e.body);
    return failed ? -1 : gen_cycles(key, &e.vector, key->isa != CORE_ISA_VEC128, e.count);
}

/* Has the stage that is not next to the pairs half as many columns as a vector has lanes? Halves
 * can be joined in single precision with AVX-512. For complex transforms, computing everything in
 * halves is as fast. */
static bool fills_half_vectors(const spl_key *key, const gen_shape *shape)
{
    const int columns = key->kind == SPL_RDFT ? shape->b : shape->a;

    return (key->kind == SPL_RDFT || key->kind == SPL_IRDFT) && key->precision == SLUICE_F32
           && shape->vector.width * shape->vector.bytes == 64 && 2 * columns == shape->vector.lanes;
}

/* Among shapes of equal cost the one with shorter vectors wins, since it has fewer partial stores.
 * With vectors of several columns both factors must exceed 1. Large transforms need long vectors,
 * because otherwise they have more constants than a table holds. */
static gen_shape search_shape(const spl_key *key)
{
    gen_shape best = {.together = 0};
    double fewest = 0;
    const int points = core_points(key), shortest = points > MAX_SINGLE ? 4 : 1;

    for (int nu = gen_vector_of(key, SPL_INTER, 0).lanes; nu >= shortest; nu /= 2) {
        const gen_vector vector = gen_vector_of(key, SPL_INTER, nu);
        for (int a = 2; a <= MAX_FACTOR; a++) {
            const gen_shape shape = {vector, 1, a, points / a, false, false};
            if (!is_shape_possible(key, vector, a, shape.b))
                continue;
            const double cycles = weigh_shape(key, &shape, shape_cycles(key, &shape));
            if (cycles < 0)
                return (gen_shape){.failed = true};
            const bool shorter = best.together > 0 && nu < best.vector.lanes;
            if (fewest == 0 || cycles < fewest || (shorter && cycles == fewest)) {
                best = shape;
                fewest = cycles;
            }
        }
    }
    best.halves = fills_half_vectors(key, &best);
    return best;
}

static bool single_shape(const spl_key *key, gen_shape *shape)
{
    enum { FORMATS = SPL_REAL + 1 };
    static gen_shape found[CORE_ISA_COUNT][2][FORMATS][FORMATS][MAX_POINTS + 1];
    gen_shape *declared = &found[key->isa][key->precision][key->in][key->out][key->n];

    if (declared->together == 0)
        *declared = search_shape(key);
    *shape = *declared;
    declared->failed = false;
    return shape->together > 0;
}

/* Two transforms per vector, in halves of at least four lanes that divide both factors. With fewer
 * lanes transposing all rows is as fast (measured). */
static bool pair_shape(const spl_key *key, gen_shape *shape)
{
    const gen_vector max_width = gen_vector_of(key, SPL_INTER, 0);
    int log = 0;
    while (1 << log < key->n)
        log++;
    shape->a = 1 << log / 2;
    shape->b = key->n / shape->a;
    if (shape->a * shape->b != key->n || 1 << log != key->n)
        return false;
    shape->together = 2;
    for (int nu = max_width.lanes / 2; nu >= 4; nu /= 2) {
        if (shape->a % nu != 0)
            continue;
        shape->vector = gen_vector_of(key, SPL_INTER, nu * 2);
        return shape->vector.type != NULL;
    }
    return false;
}

static bool element_shape(const spl_key *key, gen_shape *shape)
{
    *shape = (gen_shape){gen_vector_of(key, SPL_INTER, 1), 1, key->n, 1, false, false};
    return true;
}

bool gen_whole_shape(const spl_key *key, gen_shape *shape)
{
    shape->failed = false;
    return (key->position == SPL_POS_W   ? single_shape
            : key->position == SPL_POS_S ? element_shape
                                         : pair_shape)(key, shape);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Does one store write all that a load of `count` points from `first` on reads? */
static bool is_in_a_store(const gen_shape *shape, int first, int count)
{
    const int nu = shape->vector.lanes, row = first % shape->a, k = row / nu * nu;

    return row + count <= least(k + nu, shape->a);
}

bool gen_whole_forwards(const gen_shape *shape)
{
    const int nu = shape->vector.lanes, points = shape->a * shape->b;

    for (int i = 0; i < shape->a; i++)
        for (int j = 0; j < shape->b; j += nu) {
            const int first = i * shape->b + j;
            if (!is_in_a_store(shape, first, least(nu, points - first)))
                return false;
        }
    return true;
}
