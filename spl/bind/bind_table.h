// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables: counted per backend, so that plans that need the same factors share them, and
 * freed with the last of those plans. */
#ifndef SPL_BIND_TABLE_H
#define SPL_BIND_TABLE_H

#include "api/sluice.h"
#include "spl/program/program.h"

typedef enum bind_table_form {
    BIND_TW_INTER_VECTOR = 0, /* A interleaved: rows 1.., wr wi per lane                        */
    BIND_TW_INTER_FULL,       /* C interleaved: rows 0.., wr wi per lane                        */
    BIND_TW_SPLIT_VECTOR,     /* A split: rows 1.., wr per lane, wi per lane                    */
    BIND_TW_BROADCAST,        /* A, B: rows 1.., wr wi                                          */
    BIND_TW_FULL_VECTOR,      /* G, C split: rows 0.., wr per lane, wi per lane                 */
    BIND_TW_PRODUCT           /* C interleaved: rows 1.., wr wi, then columns, wr wi per lane   */
} bind_table_form;

enum { BIND_TABLE_DIMS = 6, BIND_TABLE_FACTORS = 4 };

/* One more diagonal in the factors of a table: its entry c + row*i + SUM_d coef[d]*index_d. */
typedef struct bind_factor {
    spl_values values;
    bool conjugate;
    int64_t n, m, c, row, coef[BIND_TABLE_DIMS];
} bind_factor;

/* t = c + row*i + SUM_d coef[d]*index_d is the place on the diagonal (see spl_values); the table
 * runs over the dimensions slowest first and over the rows. Vector forms: the last dimension is the
 * columns, in blocks of `lanes`, the last block padded by repeating the last column; with `tail` a
 * block of the last `lanes` columns follows each run of columns. In a product every run of columns
 * comes after factors of its rows; it has no tail. Further diagonals are multiplied in, in
 * broadcast forms and vector ones that have row 0; or, `apart`, row i+1 of those that have factors
 * is that of also[i] alone. Factors that are `spread` are wr,wr of all lanes, then -wi,wi. */
typedef struct bind_table_key {
    bind_table_form form;
    sluice_precision precision;
    int lanes;
    spl_values values;
    bool conjugate, tail, apart, spread;
    bool exact;   /* each factor by itself, so that it is the same in tables of any form */
    double scale; /* of every factor; in a product, of those of columns */
    int64_t n, m, rows;
    int64_t c, row;
    int dims;
    int64_t size[BIND_TABLE_DIMS], coef[BIND_TABLE_DIMS];
    int nalso;
    bind_factor also[BIND_TABLE_FACTORS - 1];
} bind_table_key;

typedef struct bind_table {
    bind_table_key key;
    void *data; /* NULL: a sketch, which no other program shares */
    size_t bytes;
    size_t block; /* scalars of one block (vector) or one set of rows (broadcast) */
    size_t head;  /* scalars before each run of columns: the rows of a product */
    /* scalars per step of a dimension; vector: last per block */
    size_t stride[BIND_TABLE_DIMS];
    long refcount;
    struct bind_table *next;
} bind_table;

/* Threads that fill tables together: `run` has work(arg, i, members) done by members 0 <= i <
 * members, at most `want`, and returns when all are done. */
typedef void bind_work(void *arg, int member, int members);
typedef struct bind_helpers {
    int most; /* members */
    void (*run)(void *owner, int want, bind_work *work, void *arg);
    void *owner;
} bind_helpers;

typedef struct bind_tables bind_tables;

bind_tables *bind_tables_open(void); /* NULL: out of memory */
void bind_tables_close(bind_tables *tables);
/* Before the first table: who fills large ones beside the thread that asks for them. */
void bind_tables_use(bind_tables *tables, const bind_helpers *helpers);
/* Finds or makes the table of a key (zeroed before its fields were set). sketch: where it would
 * have to be made, one of its own without data. */
sluice_status bind_table_get(bind_tables *tables, const bind_table_key *key, bool sketch,
                             bind_table **out, sluice_diag *why);
void bind_table_put(bind_tables *tables, bind_table *table); /* NULL allowed */

/* Fills in the factors of a table whose layout is set, the same whoever helps (NULL: nobody);
 * false: out of memory (bind_table_fill.c). */
bool bind_table_fill(bind_table *table, const bind_helpers *helpers);

static inline bool bind_table_is_vector(const bind_table_key *key)
{
    return key->form != BIND_TW_BROADCAST;
}

/* wr and wi of a lane side by side, or in two runs of lanes? */
static inline bool bind_table_in_pairs(const bind_table_key *key)
{
    return key->form != BIND_TW_SPLIT_VECTOR && key->form != BIND_TW_FULL_VECTOR;
}

/* The first row that has factors. */
static inline int64_t bind_table_first_row(const bind_table_key *key)
{
    return key->form == BIND_TW_FULL_VECTOR || key->form == BIND_TW_INTER_FULL ? 0 : 1;
}

/* How many times as large spreading makes a table. */
static inline size_t bind_table_spread(const bind_table_key *key)
{
    return !key->spread ? 1 : bind_table_is_vector(key) ? 2 : 2 * (size_t)key->lanes;
}

/* Do places on the diagonal T_{n,m} move along a row of T with the rows and columns of the table,
 * wherever its other dimensions stand? Then w^{a (b + c)} = w^{ab} w^{ac}, and a product will
 * do. */
bool bind_table_is_separable(const bind_table_key *key);
/* Do the rows of the table go down whole rows of T from its first one on, and everything else along
 * them? Then w^{a (b + c)} is the product of a table of the other dimensions, *rows, whose columns
 * stand still, and one of the columns, *grid. */
bool bind_table_as_grid(const bind_table_key *key, bind_table_key *rows, bind_table_key *grid);
/* Is every factor of row 0 exactly 1, so that forms without it may be used? */
bool bind_table_first_row_is_one(const bind_table_key *key);

#endif
