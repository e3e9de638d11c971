// SPDX-License-Identifier: BSD-3-Clause
/* Text in C or one of its dialects: lines, loops, digits of loop variables, index functions. The
 * printers of formulas, tapes and OpenCL kernels use these functions. */
#ifndef SPL_C_TEXT_H
#define SPL_C_TEXT_H

#include "spl/formula/spl.h"

/* A text under construction. Start from SPL_C(prefix). */
typedef struct spl_c {
    const char *prefix;   /* with which names of tables begin */
    const char *storage;  /* with which declarations of tables begin */
    const char *index;    /* the type of indices and loop variables */
    const int64_t *range; /* iterations of each loop variable, so that digits are printed without
                             superfluous remainders; NULL: they are printed in full */
    int tables, functions;
    core_text data; /* definitions of tables that expressions mention */
    core_text text;
} spl_c;

#define SPL_C(names)                                                                               \
    {                                                                                              \
        .prefix = names, .storage = "static const int64_t", .index = "int64_t"                     \
    }

/* A bound program for one file without the library. Besides the definitions in spl_snippets_common
 * that it mentions, `code` defines as static
 *     bool program_open(void)     makes tables, scratch and threads; false: out of memory
 *     void program_run(const void *in, const void *in_im, void *out, void *out_im)
 *     void program_close(void)
 * Start from {0}. */
typedef struct spl_c_source {
    core_text flags;    /* compiler options: "-mavx2 -mfma" */
    core_text includes; /* #include lines, and macros that the snippets need */
    core_text code;
} spl_c_source;

/* Names of values as C spells them. */
const char *spl_values_name(spl_values values);
const char *spl_truth(bool b);
/* Adds at most 400 characters to the text, after 4 * depth blanks. */
void spl_c_line(spl_c *c, int depth, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* for (int64_t VAR = LOW; VAR < HIGH; VAR++)END */
void spl_c_for(spl_c *c, int depth, const char *var, const char *low, const char *high,
               const char *end);
/* LOW and HIGH become the k-th of the shares of 0..n-1, k the value of variable k<share_var>. */
void spl_c_share(spl_c *c, int depth, const spl_range *range, const char *low, const char *high);
/* SOURCE / div % ext * coef; ext 0: no remainder. A div of 1 is not printed, nor, if `brief`, a
 * coef of 1. */
void spl_c_digit(core_text *out, const char *source, int64_t div, int64_t ext, int64_t coef,
                 bool brief);
/* What is printed before entry i of a table: nothing, a comma, or a line break after each 8. */
const char *spl_c_separator(int64_t i);
/* f(index) as an expression of `index` and the loop variables k0, k1 .. */
void ix_print_c(const ix *f, const char *index, spl_c *c, core_text *out);

#endif
