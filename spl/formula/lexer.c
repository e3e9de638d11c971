// SPDX-License-Identifier: BSD-3-Clause
/* The parser's cursor. Characters are classified here and not by ctype.h, which depends on the
 * locale. */
#include "spl/formula/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/quote.h"
#include "core/real.h"
#include "core/status.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length]) || is_digit(text[length]))
        length++;
    return length;
}

size_t spl_here(spl_cursor *c)
{
    while (is_space(c->text[c->at]))
        c->at++;
    return c->at;
}

char spl_peek(spl_cursor *c)
{
    return c->text[spl_here(c)];
}

bool spl_wrong(spl_cursor *c, sluice_status status, size_t offset, const char *sentence)
{
    if (c->status == SLUICE_OK)
        c->status = core_fail(c->why, status, offset, "%s", sentence);
    return false;
}

bool spl_expected(spl_cursor *c, const char *what)
{
    char found[80] = "the end", after[80] = "";
    const char *next = c->text + spl_here(c);
    const size_t word = word_length(next), piece = c->end - c->begin;
    if (c->status != SLUICE_OK)
        return false;
    if (*next != '\0')
        (void)snprintf(found, sizeof found, "'%s'",
                       core_quote(next, word == 0   ? 1
                                        : word < 20 ? word
                                                    : 20)
                           .text);
    if (piece > 0 && piece <= 20)
        (void)snprintf(after, sizeof after, " after '%s'",
                       core_quote(c->text + c->begin, piece).text);
    c->status =
        core_fail(c->why, SLUICE_E_PARSE, c->at, "expected %s%s, found %s", what, after, found);
    return false;
}

const void *spl_made(spl_cursor *c, size_t offset, const void *made)
{
    if (made == NULL && c->status == SLUICE_OK) {
        sluice_diag why;
        const sluice_status status = spl_ctx_status(c->ctx, &why);
        (void)spl_wrong(c, status, offset, why.message);
    }
    return c->status == SLUICE_OK ? made : NULL;
}

/* Reads the next `length` bytes as one piece. */
static bool consume(spl_cursor *c, size_t length)
{
    c->begin = c->at;
    c->end = c->at += length;
    return true;
}

bool spl_accept(spl_cursor *c, const char *sign)
{
    const size_t length = strlen(sign);
    if (c->status != SLUICE_OK || strncmp(c->text + spl_here(c), sign, length) != 0)
        return false;
    return consume(c, length);
}

bool spl_expect(spl_cursor *c, const char *sign)
{
    char what[16];
    if (spl_accept(c, sign))
        return true;
    (void)snprintf(what, sizeof what, "'%s'", sign);
    return spl_expected(c, what);
}

bool spl_accept_operator(spl_cursor *c, char letter)
{
    size_t at = spl_here(c);
    if (c->status != SLUICE_OK || c->text[at] != '(')
        return false;
    for (at++; is_space(c->text[at]); at++)
        ;
    if (c->text[at] != letter)
        return false;
    for (at++; is_space(c->text[at]); at++)
        ;
    return c->text[at] == ')' && consume(c, at + 1 - c->at);
}

bool spl_accept_word(spl_cursor *c, const char *word)
{
    const size_t length = strlen(word);
    const char *next = c->text + spl_here(c);
    if (c->status != SLUICE_OK || word_length(next) != length || strncmp(next, word, length) != 0)
        return false;
    return consume(c, length);
}

bool spl_accept_call(spl_cursor *c, const char *word)
{
    if (!spl_accept_word(c, word))
        return false;
    const size_t begin = c->begin;
    if (!spl_expect(c, "("))
        return false;
    c->begin = begin;
    return true;
}

int64_t spl_number(spl_cursor *c, const char *what, int64_t min, int64_t max)
{
    const size_t from = spl_here(c);
    const char *const digits = c->text + from;
    if (c->status != SLUICE_OK)
        return 0;
    if (!is_digit(*digits)) {
        (void)spl_expected(c, what);
        return 0;
    }
    int64_t number = 0;
    size_t length = 0;
    bool fits = true;
    for (; is_digit(digits[length]); length++)
        fits = fits && !__builtin_mul_overflow(number, 10, &number)
               && !__builtin_add_overflow(number, digits[length] - '0', &number);
    if (!fits || number < min || number > max) {
        char sentence[96];
        (void)snprintf(sentence, sizeof sentence, "%s is from %" PRId64 " to %" PRId64, what, min,
                       max);
        (void)spl_wrong(c, SLUICE_E_PARSE, from, sentence);
        return 0;
    }
    (void)consume(c, length);
    return number;
}

double spl_parse_real(spl_cursor *c)
{
    double x = 0;
    const size_t length = c->status == SLUICE_OK ? core_real_read(c->text + spl_here(c), &x) : 0;
    if (length == 0)
        (void)spl_expected(c, "a number");
    else
        (void)consume(c, length);
    return x;
}

int64_t spl_parse_size(spl_cursor *c)
{
    return spl_number(c, "a size", 1, spl_max_size);
}

int spl_parse_variable(spl_cursor *c)
{
    const char *const next = c->text + spl_here(c);
    if (*next != 'k' || !is_digit(next[1])) {
        (void)spl_expected(c, "a loop variable");
        return 0;
    }
    const size_t begin = c->at;
    c->at++;
    const int64_t v = spl_number(c, "the number of a loop variable", 0, IX_MAX_VARS - 1);
    c->begin = begin;
    return (int)v;
}

bool spl_enter(spl_cursor *c)
{
    char sentence[64];
    if (c->depth++ < SPL_PARSE_DEPTH)
        return c->status == SLUICE_OK;
    (void)snprintf(sentence, sizeof sentence, "nested more than %d levels deep", SPL_PARSE_DEPTH);
    return spl_wrong(c, SLUICE_E_PARSE, c->at, sentence);
}
