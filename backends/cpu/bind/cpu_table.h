// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables: counted per backend, so that plans that need the same factors share them, and
 * freed with the last of those plans. */
#ifndef BACKENDS_CPU_TABLE_H
#define BACKENDS_CPU_TABLE_H

#include "api/sluice.h"
#include "spl/program/program.h"

typedef enum cpu_table_form {
    CPU_TW_INTER_VECTOR = 0, /* A interleaved: rows 1.., wr wi per lane                        */
    CPU_TW_INTER_FULL,       /* C interleaved: rows 0.., wr wi per lane                        */
    CPU_TW_SPLIT_VECTOR,     /* A split: rows 1.., wr per lane, wi per lane                    */
    CPU_TW_BROADCAST,        /* A, B: rows 1.., wr wi                                          */
    CPU_TW_FULL_VECTOR,      /* G, C split: rows 0.., wr per lane, wi per lane                 */
    CPU_TW_PRODUCT           /* C interleaved: rows 1.., wr wi, then columns, wr wi per lane   */
} cpu_table_form;

enum { CPU_TABLE_DIMS = 6 };

/* t = c + row*i + SUM_d coef[d]*index_d is the place on the diagonal (see spl_values); the table
 * runs over the dimensions slowest first and over the rows. Vector forms: the last dimension is the
 * columns, in blocks of `lanes`, the last block padded by repeating the last column; with `tail` a
 * block of the last `lanes` columns follows each run of columns. In a product every run of columns
 * comes after factors of its rows; it has no tail. */
typedef struct cpu_table_key {
    cpu_table_form form;
    sluice_precision precision;
    int lanes;
    spl_values values;
    bool conjugate, tail;
    int64_t n, m, rows;
    int64_t c, row;
    int dims;
    int64_t size[CPU_TABLE_DIMS], coef[CPU_TABLE_DIMS];
} cpu_table_key;

typedef struct cpu_table {
    cpu_table_key key;
    void *data;
    size_t bytes;
    size_t block; /* scalars of one block (vector) or one set of rows (broadcast) */
    size_t head;  /* scalars before each run of columns: the rows of a product */
    size_t
        stride[CPU_TABLE_DIMS]; /* scalars per step of a dimension; vector: last per block      */
    long users;
    struct cpu_table *next;
} cpu_table;

typedef struct cpu_tables cpu_tables;

cpu_tables *cpu_tables_open(void); /* NULL: out of memory */
void cpu_tables_close(cpu_tables *tables);
/* Finds or makes the table of a key (zeroed before its fields were set). */
sluice_status cpu_table_get(cpu_tables *tables, const cpu_table_key *key, cpu_table **out,
                            sluice_diag *why);
void cpu_table_put(cpu_tables *tables, cpu_table *table); /* NULL allowed */

/* Fills in the factors of a table whose layout is set; false: out of memory (cpu_table_fill.c). */
bool cpu_table_fill(cpu_table *table);

static inline bool cpu_table_is_vector(const cpu_table_key *key)
{
    return key->form != CPU_TW_BROADCAST;
}

/* wr and wi of a lane side by side, or in two runs of lanes? */
static inline bool cpu_table_in_pairs(const cpu_table_key *key)
{
    return key->form != CPU_TW_SPLIT_VECTOR && key->form != CPU_TW_FULL_VECTOR;
}

/* The first row that has factors. */
static inline int64_t cpu_table_first_row(const cpu_table_key *key)
{
    return key->form == CPU_TW_FULL_VECTOR || key->form == CPU_TW_INTER_FULL ? 0 : 1;
}

/* Do places on the diagonal T_{n,m} move along a row of T with the rows and columns of the table,
 * wherever its other dimensions stand? Then w^{a (b + c)} = w^{ab} w^{ac}, and a product will do. */
bool cpu_table_is_separable(const cpu_table_key *key);
/* Do the rows of the table go down whole rows of T from its first one on, and everything else along
 * them? Then w^{a (b + c)} is the product of a table of the other dimensions, *rows, whose columns
 * stand still, and one of the columns, *grid. */
bool cpu_table_as_grid(const cpu_table_key *key, cpu_table_key *rows, cpu_table_key *grid);
/* Is every factor of row 0 exactly 1, so that forms without it may be used? */
bool cpu_table_first_row_is_one(const cpu_table_key *key);

#endif
