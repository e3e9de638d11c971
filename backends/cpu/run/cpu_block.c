// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/run/cpu_block.h"

#include <stdlib.h>

#include "backends/cpu/run/cpu_rows.h"
#include "backends/cpu/run/cpu_transpose.h"
#include "backends/cpu/run/cpu_zip.h"

/* Transposing in registers needs at least so many rows and columns. */
enum { FOUR = 4 };

static bool zip_rows(const cpu_block *b, size_t bytes)
{
    const ptrdiff_t in[2] = {b->in_column, b->in_row}, out[2] = {b->out_column, b->out_row};

    return b->first == 0 && b->last == 2
           && cpu_zip_rows(b->in + b->lo * in[0], b->out + b->lo * out[0], in, out, b->hi - b->lo,
                           bytes);
}

/* Makes the columns of the input and the rows of the output step upwards. */
static cpu_block upward(cpu_block b)
{
    if (b.in_column < 0)
        cpu_turn(&b.in, &b.out, &b.in_column, &b.out_column, b.lo, b.hi);
    if (b.out_row < 0)
        cpu_turn(&b.in, &b.out, &b.in_row, &b.out_row, b.first, b.last);
    return b;
}

/* Do rows of numbers become columns, with adjacent numbers or every second one on one side? */
static bool is_transposed(const cpu_block *b, ptrdiff_t adjacent)
{
    const ptrdiff_t in = labs(b->in_column), out = labs(b->out_row);

    return (in == adjacent && (out == adjacent || out == 2 * adjacent))
           || (in == 2 * adjacent && out == adjacent);
}

/* Transposes in registers; false: there is no code for this case. */
static bool transpose_rows(core_isa isa, const cpu_block *b, size_t bytes, bool negate)
{
    const ptrdiff_t adjacent = (ptrdiff_t)bytes;

    if (b->hi - b->lo < FOUR || b->last - b->first < FOUR)
        return false;
    const cpu_block up = upward(is_transposed(b, adjacent) ? *b : cpu_block_transposed(*b));
    const cpu_transposed how = up.in_column > adjacent ? CPU_EVERY_OTHER_IN
                               : up.out_row > adjacent ? CPU_EVERY_OTHER_OUT
                                                       : CPU_ADJACENT;
    cpu_transpose_fn *const run = cpu_transposer(isa, bytes, how);

    if (!run || !is_transposed(&up, adjacent))
        return false;
    run(up.in + up.lo * up.in_column + up.first * up.in_row,
        up.out + up.lo * up.out_column + up.first * up.out_row, up.in_row, up.out_column,
        up.last - up.first, up.hi - up.lo, negate);
    return true;
}

bool cpu_block_transpose(core_isa isa, const cpu_block *b, size_t bytes)
{
    const cpu_block other = cpu_block_transposed(*b);

    return zip_rows(b, bytes) || zip_rows(&other, bytes) || transpose_rows(isa, b, bytes, false);
}

bool cpu_block_negate(core_isa isa, const cpu_block *b, size_t bytes)
{
    return transpose_rows(isa, b, bytes, true);
}

bool cpu_block_copy(core_isa isa, const cpu_block *b, size_t bytes, size_t scalar)
{
    const ptrdiff_t adjacent = (ptrdiff_t)bytes;

    return b->in_column == adjacent && b->out_column == adjacent
           && cpu_copy_rows(isa, b->in + b->lo * adjacent + b->first * b->in_row,
                            b->out + b->lo * adjacent + b->first * b->out_row, b->in_row,
                            b->out_row, b->last - b->first, (size_t)(b->hi - b->lo) * bytes,
                            scalar);
}
