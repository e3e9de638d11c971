// SPDX-License-Identifier: BSD-3-Clause
/* Definitions of the library's own sources as text, for the stand-alone programs that it writes. So
 * what such a program shares with the library (tables of twiddles, tails, the vector vocabulary,
 * the oracle) has only one source. The build cuts the sources into definitions
 * (spl/codelet/tool/gen_words.c); a program gets those that it mentions, and in turn those that
 * they mention. */
#ifndef SPL_WORDS_H
#define SPL_WORDS_H

#include <limits.h>
#include <stdbool.h>

#include "core/text.h"

enum { SPL_WORD_NAMES = 4, SPL_WORDS_MAX = 600 };

typedef struct spl_word {
    const char *name[SPL_WORD_NAMES]; /* what it defines; ends with NULL if there are fewer */
    const char *text;                 /* with its comment; static */
} spl_word;

/* Tables of words in an order in which they compile; each ends with a record without text. */
extern const spl_word spl_words_common[];
extern const spl_word spl_words_scalar[], spl_words_vec128[];
extern const spl_word spl_words_avx2[], spl_words_avx512[];
extern const spl_word spl_words_opencl[], spl_words_device[];

/* Which characters names consist of: letters, digits and '_'. */
void spl_name_letters(bool letters[UCHAR_MAX + 1]);
/* Prints the words of a table that `text` needs, except those that are given already: given[i] is
 * word i's, of SPL_WORDS_MAX. Printed words are given from then on. */
void spl_words_print(const spl_word *table, bool *given, const char *text, core_text *out);

#endif
