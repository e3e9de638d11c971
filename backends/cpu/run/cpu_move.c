// SPDX-License-Identifier: BSD-3-Clause
/* Moves single elements: by tables of offsets (spl/bind/bind_permute.c), or rows and columns of a
 * matrix by strides. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/run/cpu_block.h"
#include "backends/cpu/run/cpu_state.h"
#include "backends/cpu/run/cpu_zip.h"
#include "backends/cpu/run/cpu_zip_columns.h"

/* Columns that are moved together, row by row, so that all of a line is used before it is evicted:
 * TILE, or ALIKE_TILE if all columns map to one L1 set of 8 ways. With at most FEW columns rows and
 * columns are exchanged, LONG_TILE rows at a time. */
enum { TILE = 8, ALIKE_TILE = 4, ALIAS_BYTES = 4096, FEW = 4, LONG_TILE = 64 };

/* Two elements of eight bytes, which are moved without arithmetic. */
typedef double pair __attribute__((vector_size(16)));
typedef int32_t word_pair __attribute__((vector_size(8)));
typedef int32_t words __attribute__((vector_size(16)));
enum { PAIR = 2, HALF = sizeof(double), FOUR = 4, WORD = sizeof(float) };

static inline double load_half(const char *at)
{
    double x;

    memcpy(&x, at, sizeof x);
    return x;
}

/* `conj`: changes the sign of the second half of each element, a number in single precision. */
static inline void store_pair(char *at, double a, double b, bool conj)
{
    const pair x = {a, b};
    const words signs = {0, conj ? INT32_MIN : 0, 0, conj ? INT32_MIN : 0}, y = (words)x ^ signs;

    memcpy(at, &y, sizeof y);
}

/* Moves a complex number, conjugated if `conj`, or any element of `bytes`. */
static inline void move_one(const char *in, char *out, size_t bytes, bool conj)
{
    if (conj && bytes == HALF) {
        const word_pair signs = {0, INT32_MIN};
        word_pair x;
        memcpy(&x, in, sizeof x);
        x ^= signs;
        memcpy(out, &x, sizeof x);
    } else if (conj) {
        const pair x = {load_half(in), -load_half(in + HALF)};
        memcpy(out, &x, sizeof x);
    } else {
        memcpy(out, in, bytes);
    }
}

/* Moves `count` columns of a row; unrolled, as the compiler does not know the strides. */
static inline void move_row(const char *in, char *out, ptrdiff_t in_column, ptrdiff_t out_column,
                            int64_t count, size_t bytes, bool conj)
{
    for (; count >= 4; count -= 4, in += 4 * in_column, out += 4 * out_column) {
        move_one(in, out, bytes, conj);
        move_one(in + in_column, out + out_column, bytes, conj);
        move_one(in + 2 * in_column, out + 2 * out_column, bytes, conj);
        move_one(in + 3 * in_column, out + 3 * out_column, bytes, conj);
    }
    for (; count > 0; count--, in += in_column, out += out_column)
        move_one(in, out, bytes, conj);
}

/* The same for columns that are adjacent in the output. */
static inline void pair_row(const char *in, char *out, ptrdiff_t in_column, int64_t count,
                            bool conj)
{
    for (; count >= 4; count -= 4, in += 4 * in_column, out += 4 * HALF) {
        store_pair(out, load_half(in), load_half(in + in_column), conj);
        store_pair(out + PAIR * HALF, load_half(in + 2 * in_column), load_half(in + 3 * in_column),
                   conj);
    }
    move_row(in, out, in_column, HALF, count, HALF, conj);
}

/* Moves two rows that are adjacent in the output. */
static inline void pair_two_rows(const char *in, char *out, cpu_block b, int64_t count, bool conj)
{
    const ptrdiff_t in_column = b.in_column, out_column = b.out_column, in_row = b.in_row;

    for (; in_column == HALF && count >= PAIR;
         count -= PAIR, in += PAIR * HALF, out += PAIR * out_column) {
        pair x, y;
        memcpy(&x, in, sizeof x);
        memcpy(&y, in + in_row, sizeof y);
        store_pair(out, x[0], y[0], conj);
        store_pair(out + out_column, x[1], y[1], conj);
    }
    for (; count > 0; count--, in += in_column, out += out_column)
        store_pair(out, load_half(in), load_half(in + in_row), conj);
}

/* Input read upwards is stored upwards or backwards; or every second number is read. */
typedef enum fours { AHEAD, BACK, EVERY_OTHER } fours;

/* Moves numbers in single precision, four at a time, with changed signs if `negate`. Returns how
 * many it moved. */
static inline int64_t move_fours(const char *in, char *out, int64_t count, fours how, bool negate)
{
    const int32_t sign = negate ? INT32_MIN : 0;
    const bool apart = how == EVERY_OTHER;
    int64_t k = 0;

    for (; k + FOUR <= count; k += FOUR) {
        words x, y;
        memcpy(&x, in + (apart ? 2 * k : k) * WORD, sizeof x);
        memcpy(&y, in + (apart ? 2 * k + 3 : k) * WORD, sizeof y);
        x = apart         ? (words){x[0], x[2], y[1], y[3]}
            : how == BACK ? (words){x[3], x[2], x[1], x[0]}
                          : x;
        x ^= (words){sign, sign, sign, sign};
        memcpy(out + (how == BACK ? -k - 3 : k) * WORD, &x, sizeof x);
    }
    return k;
}

/* Moves columns of a row of single-precision numbers. */
static inline void move_words(const char *in, char *out, ptrdiff_t in_column, ptrdiff_t out_column,
                              int64_t count)
{
    int64_t moved = 0;

    if (in_column == WORD && out_column == -WORD)
        moved = move_fours(in, out, count, BACK, false);
    else if (in_column == 2 * WORD && out_column == WORD)
        moved = move_fours(in, out, count, EVERY_OTHER, false);
    move_row(in + moved * in_column, out + moved * out_column, in_column, out_column, count - moved,
             WORD, false);
}

/* Moves `count` columns from lo on, all rows. */
static inline void move_tile(cpu_block b, int64_t lo, int64_t count, size_t bytes, bool conj)
{
    const char *in = b.in + lo * b.in_column + b.first * b.in_row;
    char *out = b.out + lo * b.out_column + b.first * b.out_row;
    int64_t rows = b.last - b.first;

    for (; bytes == HALF && b.out_row == HALF && rows >= PAIR; rows -= PAIR) {
        pair_two_rows(in, out, b, count, conj);
        in += PAIR * b.in_row;
        out += PAIR * HALF;
    }
    for (; rows > 0; rows--, in += b.in_row, out += b.out_row) {
        if (bytes == HALF && b.out_column == HALF)
            pair_row(in, out, b.in_column, count, conj);
        else if (bytes == WORD)
            move_words(in, out, b.in_column, b.out_column, count);
        else
            move_row(in, out, b.in_column, b.out_column, count, bytes, conj);
    }
}

/* Moves elements of `bytes`, conjugated if `conj`; callers pass constants for both. */
static inline void move_rows(cpu_block b, size_t bytes, bool conj)
{
    const bool few = b.hi - b.lo <= FEW && b.last - b.first > FEW;
    const int64_t columns = b.out_column % ALIAS_BYTES == 0 ? ALIKE_TILE : TILE;
    const int64_t tile = few ? LONG_TILE : b.last - b.first > 1 ? columns : b.hi - b.lo;

    if (few)
        b = cpu_block_transposed(b);
    if (b.out_row == -(ptrdiff_t)bytes)
        cpu_turn(&b.in, &b.out, &b.in_row, &b.out_row, b.first, b.last);
    if (b.in_column == -(ptrdiff_t)bytes)
        cpu_turn(&b.in, &b.out, &b.in_column, &b.out_column, b.lo, b.hi);
    for (int64_t lo = b.lo; lo < b.hi; lo += tile)
        move_tile(b, lo, b.hi - lo < tile ? b.hi - lo : tile, bytes, conj);
}

/* Moves elements by tables; a side without one is in order. */
static inline void move_places(const bind_op *op, cpu_block b, size_t bytes)
{
    const int32_t *from = op->element_offsets[0], *to = op->element_offsets[1];

    for (int64_t k = b.lo; k < b.hi; k++)
        memcpy(b.out + (to ? to[k] : k) * b.out_column, b.in + (from ? from[k] : k) * b.in_column,
               bytes);
}

/* Joins rows, each of which begins where the one before it ends, into one. */
static void join_rows(cpu_block *b)
{
    const int64_t columns = b->hi - b->lo;

    if (b->lo > 0 || b->in_row != columns * b->in_column || b->out_row != columns * b->out_column)
        return;
    b->in += b->first * b->in_row;
    b->out += b->first * b->out_row;
    b->hi *= b->last - b->first;
    b->first = 0;
    b->last = 1;
}

static void move_elements(core_isa isa, const bind_op *op, cpu_block b, size_t bytes)
{
    const bool places = op->element_offsets[0] || op->element_offsets[1];
    const ptrdiff_t adjacent = (ptrdiff_t)bytes;

    join_rows(&b);
    if (!places && b.in_column == adjacent && b.out_column == adjacent) {
        const bool copied = cpu_block_copy(isa, &b, bytes, 0);
        for (int64_t r = b.first; !copied && r < b.last; r++)
            memmove(b.out + b.lo * adjacent + r * b.out_row, b.in + b.lo * adjacent + r * b.in_row,
                    (size_t)(b.hi - b.lo) * bytes);
        return;
    }
    if (!places && b.last - b.first > 1 && cpu_block_transpose(isa, &b, bytes))
        return;
    switch (bytes) {
    case 4: places ? move_places(op, b, 4) : move_rows(b, 4, false); break;
    case 8: places ? move_places(op, b, 8) : move_rows(b, 8, false); break;
    default: places ? move_places(op, b, 16) : move_rows(b, 16, false); break;
    }
}

/* Moves a real number and changes its sign. */
static inline void negate_one(const char *in, char *out, size_t bytes)
{
    if (bytes == sizeof(double)) {
        const double x = -load_half(in);
        memcpy(out, &x, sizeof x);
    } else {
        float x;
        memcpy(&x, in, sizeof x);
        x = -x;
        memcpy(out, &x, sizeof x);
    }
}

/* Moves the real numbers of a row and changes their signs. */
static void negate_row(const bind_op *op, cpu_block b, int64_t row, size_t bytes)
{
    const int32_t *from = op->element_offsets[0], *to = op->element_offsets[1];
    const char *const in = b.in + row * b.in_row;
    char *const out = b.out + row * b.out_row;
    int64_t k = b.lo;

    if (!from && !to && bytes == WORD && b.in_column == WORD && labs(b.out_column) == WORD)
        k += move_fours(in + k * WORD, out + k * b.out_column, b.hi - k,
                        b.out_column > 0 ? AHEAD : BACK, true);
    for (; k < b.hi; k++)
        negate_one(in + (from ? from[k] : k) * b.in_column, out + (to ? to[k] : k) * b.out_column,
                   bytes);
}

/* Are re and im adjacent on both sides, with strides instead of tables? */
static bool are_whole(const bind_op *op, const spl_call *c, ptrdiff_t scalar)
{
    return !op->element_offsets[0] && !op->element_offsets[1] && c->ics1 == c->ics
           && c->ocs1 == c->ocs && (const char *)c->in_im == (const char *)c->in_re + scalar
           && (char *)c->out_im == (char *)c->out_re + scalar;
}

/* Is im halfway between re and the re of the next element on both sides? Then all are numbers of
 * one row. */
static bool are_even(const bind_op *op, const spl_call *c, ptrdiff_t scalar)
{
    const ptrdiff_t in = (const char *)c->in_im - (const char *)c->in_re;
    const ptrdiff_t out = (char *)c->out_im - (char *)c->out_re;

    return !op->element_offsets[0] && !op->element_offsets[1] && c->ics1 == c->ics
           && c->ocs1 == c->ocs && c->ics * scalar == 2 * in && c->ocs * scalar == 2 * out;
}

/* Does one side have adjacent complex numbers, the other adjacent re and adjacent im? */
static bool are_zipped(const bind_op *op, const spl_call *c, ptrdiff_t scalar)
{
    const bool in = (const char *)c->in_im == (const char *)c->in_re + scalar && c->ics == 2;
    const bool out = (char *)c->out_im == (char *)c->out_re + scalar && c->ocs == 2;

    return !op->element_offsets[0] && !op->element_offsets[1] && c->ics1 == c->ics
           && c->ocs1 == c->ocs && ((in && c->ocs == 1) || (out && c->ics == 1));
}

static void zip_elements(cpu_block b, const spl_call *call, size_t scalar)
{
    const ptrdiff_t in_im = (const char *)call->in_im - (const char *)call->in_re;
    const ptrdiff_t out_im = (char *)call->out_im - (char *)call->out_re;

    join_rows(&b);
    for (int64_t r = b.first; r < b.last; r++) {
        const char *const in = b.in + r * b.in_row + b.lo * b.in_column;
        char *const out = b.out + r * b.out_row + b.lo * b.out_column;
        if (call->ics == 1)
            cpu_zip(in, in + in_im, out, b.hi - b.lo, scalar);
        else
            cpu_unzip(in, out, out + out_im, b.hi - b.lo, scalar);
    }
}

static cpu_block block_of_re(const spl_call *call, ptrdiff_t scalar, const int64_t columns[2],
                             const int64_t rows[2])
{
    return (cpu_block){.in = call->in_re,
                       .out = call->out_re,
                       .in_column = call->ics * scalar,
                       .out_column = call->ocs * scalar,
                       .in_row = call->iouter * scalar,
                       .out_row = call->oouter * scalar,
                       .lo = columns[0],
                       .hi = columns[1],
                       .first = rows[0],
                       .last = rows[1]};
}

/* Moves im of the elements whose re is the block. im may run backwards while re runs forwards. */
static void move_im(core_isa isa, const bind_op *op, cpu_block b, const spl_call *call,
                    size_t scalar)
{
    b.in = call->in_im;
    b.out = call->out_im;
    b.in_column = call->ics1 * (ptrdiff_t)scalar;
    b.out_column = call->ocs1 * (ptrdiff_t)scalar;
    if (op->moved == BIND_MOVED_PARTS) {
        move_elements(isa, op, b, scalar);
        return;
    }
    if (!op->element_offsets[0] && !op->element_offsets[1] && cpu_block_negate(isa, &b, scalar))
        return;
    for (int64_t r = b.first; r < b.last; r++)
        negate_row(op, b, r, scalar);
}

/* Turns rows of adjacent re and adjacent im into columns of complex numbers, or the reverse. False:
 * the elements are not so. */
static bool zip_columns(core_isa isa, const bind_op *op, cpu_block b, const spl_call *c,
                        size_t scalar)
{
    const ptrdiff_t one = (ptrdiff_t)scalar,
                    in_im = (const char *)c->in_im - (const char *)c->in_re,
                    out_im = (char *)c->out_im - (char *)c->out_re;
    const bool in = c->ics == 1 && out_im == one && b.out_row == 2 * one;
    const bool out = c->ocs == 1 && in_im == one && b.in_row == 2 * one;
    const cpu_zipped_rows x = {.in = b.in + b.lo * b.in_column + b.first * b.in_row,
                               .out = b.out + b.lo * b.out_column + b.first * b.out_row,
                               .im = in ? in_im : out_im,
                               .row = in ? b.in_row : b.out_row,
                               .column = in ? b.out_column : b.in_column,
                               .rows = b.last - b.first,
                               .n = b.hi - b.lo};

    cpu_transpose_fn *const run = cpu_transposer(isa, 2 * scalar, CPU_ADJACENT);

    if (!run || (!in && !out) || op->element_offsets[0] || op->element_offsets[1]
        || c->ics1 != c->ics || c->ocs1 != c->ocs)
        return false;
    cpu_zip_columns(run, &x, out, scalar);
    return true;
}

void cpu_move(const cpu_program *p, const bind_op *op, const spl_call *call,
              const int64_t columns[2], const int64_t rows[2])
{
    const core_isa isa = p->owner->isa;
    const ptrdiff_t scalar = (ptrdiff_t)p->tape.scalar;
    cpu_block b = block_of_re(call, scalar, columns, rows);

    if (op->moved == BIND_MOVED_EMBED) {
        cpu_embed(p, op, call, columns, rows);
        return;
    }
    if (op->moved == BIND_MOVED_CONJUGATE && are_whole(op, call, scalar)) {
        if (cpu_block_copy(isa, &b, 2 * p->tape.scalar, p->tape.scalar))
            return;
        p->tape.scalar == sizeof(float) ? move_rows(b, 8, true) : move_rows(b, 16, true);
        return;
    }
    if (op->moved == BIND_MOVED_PARTS && are_zipped(op, call, scalar)) {
        zip_elements(b, call, p->tape.scalar);
        return;
    }
    if (op->moved == BIND_MOVED_PARTS && are_even(op, call, scalar)) {
        b.in_column /= 2;
        b.out_column /= 2;
        b.lo *= 2;
        b.hi *= 2;
        move_elements(isa, op, b, p->tape.scalar);
        return;
    }
    if (op->moved == BIND_MOVED_PARTS && zip_columns(isa, op, b, call, p->tape.scalar))
        return;
    move_elements(isa, op, b, op->moved == BIND_MOVED_WHOLE ? 2 * p->tape.scalar : p->tape.scalar);
    if (op->moved == BIND_MOVED_PARTS || op->moved == BIND_MOVED_CONJUGATE)
        move_im(isa, op, b, call, p->tape.scalar);
}
