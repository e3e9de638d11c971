// SPDX-License-Identifier: BSD-3-Clause
/* Formula nodes: constructors of diagonals by name, T to K. */
#include <math.h>

#include "spl/context/ctx.h"
#include "spl/formula/node.h"
#include "spl/index/ix_form.h"

const spl *spl_twiddle(spl_ctx *ctx, int64_t n, int64_t m, bool conjugate)
{
    int64_t size;
    if (!spl_is_size(n) || !spl_is_size(m) || !spl_size_mul(n, m, &size))
        return spl_refuse(ctx, SLUICE_E_INVALID, "T(%lld,%lld): the size is not from 1 to 2^40",
                          (long long)n, (long long)m);
    return spl_intern(ctx, &(spl){.op = SPL_DIAGONAL,
                                  .rows = size,
                                  .cols = size,
                                  SPL_NODE_COMPLEX,
                                  .a = {n, m, conjugate}});
}

/* Squares of indices of a chirp are computed in 64 bits. */
static const int64_t max_chirp = (int64_t)1 << 31;

const spl *spl_chirp(spl_ctx *ctx, int64_t n, bool conjugate)
{
    if (n < 1 || n > max_chirp)
        return spl_refuse(ctx, SLUICE_E_INVALID, "C(%lld): the size is not from 1 to 2^31",
                          (long long)n);
    return spl_intern(ctx, &(spl){.op = SPL_DIAGONAL,
                                  .rows = n,
                                  .cols = n,
                                  SPL_NODE_COMPLEX,
                                  .a = {n, 1, conjugate, SPL_CHIRP}});
}

const spl *spl_spectrum(spl_ctx *ctx, int64_t n, int64_t m, bool conjugate)
{
    if (n < 1 || n > max_chirp || !spl_is_size(m))
        return spl_refuse(ctx, SLUICE_E_INVALID,
                          "B(%lld,%lld): the sizes are not from 1 to 2^31 and to 2^40",
                          (long long)n, (long long)m);
    if (m < 2 * n - 2)
        return spl_refuse(ctx, SLUICE_E_INVALID, "B(%lld,%lld): the second must be at least 2n - 2",
                          (long long)n, (long long)m);
    return spl_intern(ctx, &(spl){.op = SPL_DIAGONAL,
                                  .rows = m,
                                  .cols = m,
                                  SPL_NODE_COMPLEX,
                                  .a = {n, m, conjugate, SPL_SPECTRUM}});
}

enum { CORNER = 4 };

const spl *spl_rader(spl_ctx *ctx, int64_t p, int64_t g, bool conjugate)
{
    if (!ix_check_root(ctx, p, g))
        return NULL;
    return spl_intern(ctx, &(spl){.op = SPL_DIAGONAL,
                                  .rows = p,
                                  .cols = p,
                                  SPL_NODE_COMPLEX,
                                  .a = {p, g, conjugate, SPL_RADER}});
}

const spl *spl_corner(spl_ctx *ctx, int64_t p, bool conjugate)
{
    if (p < 2 || !spl_is_size(p))
        return spl_refuse(ctx, SLUICE_E_INVALID, "K(%lld): the size is not from 2 to 2^40",
                          (long long)p);
    return spl_intern(ctx, &(spl){.op = SPL_DIAGONAL,
                                  .rows = CORNER,
                                  .cols = CORNER,
                                  SPL_NODE_COMPLEX,
                                  .a = {p, 1, conjugate, SPL_CORNER}});
}

const spl *spl_roots(spl_ctx *ctx, int64_t n, bool conjugate)
{
    if (!spl_is_size(n))
        return spl_refuse_size(ctx, "W", n);
    return spl_intern(ctx, &(spl){.op = SPL_DIAGONAL,
                                  .rows = n,
                                  .cols = n,
                                  SPL_NODE_COMPLEX,
                                  .a = {n, 1, conjugate, SPL_ROOTS}});
}

const spl *spl_half(spl_ctx *ctx, int64_t n)
{
    if (!spl_is_size(n))
        return spl_refuse_size(ctx, "H", n);
    return spl_intern(
        ctx,
        &(spl){
            .op = SPL_DIAGONAL, .rows = n, .cols = n, SPL_NODE_COMPLEX, .a = {n, 1, 0, SPL_HALF}});
}

const spl *spl_signs(spl_ctx *ctx, int64_t n)
{
    if (!spl_is_size(n))
        return spl_refuse_size(ctx, "Q", n);
    return spl_intern(
        ctx,
        &(spl){
            .op = SPL_DIAGONAL, .rows = n, .cols = n, SPL_NODE_COMPLEX, .a = {n, 1, 0, SPL_SIGNS}});
}

/* A matrix of one element, so that I(n) (x) it has any size. Its x is part of the node as bits. */
const spl *spl_constant(spl_ctx *ctx, double x)
{
    if (!isfinite(x))
        return spl_refuse(ctx, SLUICE_E_INVALID, "D.const: the factor is not finite");
    return spl_intern(ctx, &(spl){.op = SPL_DIAGONAL,
                                  .rows = 1,
                                  .cols = 1,
                                  .a = {1, spl_constant_bits(x), 0, SPL_CONST}});
}

int64_t spl_values_size(spl_values values, int64_t n, int64_t m)
{
    switch (values) {
    case SPL_CHIRP:
    case SPL_RADER:
    case SPL_ROOTS:
    case SPL_SIGNS:
    case SPL_HALF: return n;
    case SPL_SPECTRUM: return m;
    case SPL_CORNER: return CORNER;
    case SPL_CONST: return 1;
    default: return n * m;
    }
}

int64_t spl_values_range(spl_values values, int64_t n, int64_t m)
{
    return values == SPL_ROOTS ? INT64_MAX : spl_values_size(values, n, m);
}

const spl_values_words *spl_values_named(spl_values values)
{
    static const spl_values_words names[] = {
        [SPL_TWIDDLES] = {'T', "", true},         [SPL_CHIRP] = {'C', "chirp", false},
        [SPL_SPECTRUM] = {'B', "spectrum", true}, [SPL_RADER] = {'R', "rader", true},
        [SPL_CORNER] = {'K', "corner", false},    [SPL_ROOTS] = {'W', "roots", false},
        [SPL_HALF] = {'H', "half", false},        [SPL_SIGNS] = {'Q', "signs", false},
        [SPL_CONST] = {'X', "const", false}};
    return &names[values];
}

const spl *spl_values_node(spl_ctx *ctx, spl_values values, int64_t n, int64_t m, bool conjugate)
{
    switch (values) {
    case SPL_CHIRP: return spl_chirp(ctx, n, conjugate);
    case SPL_SPECTRUM: return spl_spectrum(ctx, n, m, conjugate);
    case SPL_RADER: return spl_rader(ctx, n, m, conjugate);
    case SPL_CORNER: return spl_corner(ctx, n, conjugate);
    case SPL_ROOTS: return spl_roots(ctx, n, conjugate);
    case SPL_HALF: return spl_half(ctx, n);
    case SPL_SIGNS: return spl_signs(ctx, n);
    case SPL_CONST: return spl_constant(ctx, spl_constant_value(m));
    default: return spl_twiddle(ctx, n, m, conjugate);
    }
}
