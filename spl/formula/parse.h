// SPDX-License-Identifier: BSD-3-Clause
/* The parser's cursor: words, numbers, signs, and the one error that ends a parse. Every function
 * does nothing (and returns false, 0 or NULL) after the first error. */
#ifndef SPL_PARSE_H
#define SPL_PARSE_H

#include "spl/context/ctx.h"
#include "spl/formula/spl.h"

enum { SPL_PARSE_DEPTH = 200 }; /* nesting of parentheses, sums and compositions */

typedef struct spl_cursor {
    spl_ctx *ctx;
    const char *text;
    size_t at;         /* next byte */
    size_t begin, end; /* the piece read last, for "after '..'" */
    int depth;
    sluice_status status;
    sluice_diag *why;
} spl_cursor;

/* "expected WHAT after 'PIECE', found .." at the next byte that is no space. */
bool spl_expected(spl_cursor *c, const char *what);
/* Any other error, at `offset`. */
bool spl_wrong(spl_cursor *c, sluice_status status, size_t offset, const char *sentence);
/* Passes on what a constructor returned; where that is NULL, its refusal becomes the error. */
const void *spl_made(spl_cursor *c, size_t offset, const void *made);

size_t spl_here(spl_cursor *c);                       /* offset of the next byte that is no space */
char spl_peek(spl_cursor *c);                         /* that byte; '\0' at the end */
bool spl_accept(spl_cursor *c, const char *sign);     /* reads `sign` if it comes next */
bool spl_expect(spl_cursor *c, const char *sign);     /* reads `sign` or fails */
bool spl_accept_operator(spl_cursor *c, char letter); /* (x) (+) (o), spaces allowed inside */
bool spl_accept_word(spl_cursor *c, const char *word);
/* Reads `word` and '('; both are the piece read last. */
bool spl_accept_call(spl_cursor *c, const char *word);
/* A number from least to most, described by `what`. */
int64_t spl_number(spl_cursor *c, const char *what, int64_t min, int64_t max);
double spl_parse_real(spl_cursor *c);  /* as printf writes it */
int64_t spl_parse_size(spl_cursor *c); /* 1 .. 2^40 */
int spl_parse_variable(spl_cursor *c); /* k0 .. k31 */
bool spl_enter(spl_cursor *c);         /* one level deeper; leave with c->depth-- */

/* An index function (spl/formula/parse_ix.c). */
const ix *spl_parse_ix(spl_cursor *c);
/* Do pairs or a kernel of pairs begin here? Then it is read; *x is NULL if it is none
 * (spl/formula/parse_pairs.c). */
bool spl_accept_pairs(spl_cursor *c, const spl **x);

#endif
