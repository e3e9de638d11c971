// SPDX-License-Identifier: BSD-3-Clause
/* Twiddle tables. A bind_tables per backend counts references to them: plans that need the same
 * factors share a table, which is freed with the last of these plans. */
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
    BIND_TW_FACTORED          /* C interleaved: rows 1.., wr wi, then columns, wr wi per lane   */
} bind_table_form;

enum { BIND_TABLE_DIMS = 6, BIND_TABLE_FACTORS = 4 };

/* A further diagonal multiplied into a table: the factor is its entry c + row*i + SUM_d
 * coef[d]*index_d. */
typedef struct bind_factor {
    spl_values values;
    bool conjugate;
    int64_t n, m, c, row, coef[BIND_TABLE_DIMS];
} bind_factor;

/* The factor of row i is entry t = c + row*i + SUM_d coef[d]*index_d of a diagonal (see
 * spl_values). The table runs over the dimensions, slowest first, then over the rows.
 *   vector forms  the last dimension is the columns, in blocks of `lanes`; the last block is padded
 *                 by repeating the last column. `tail`: a block of the last `lanes` columns follows
 *                 each run of columns
 *   product       each run of columns comes after the factors of its rows; it has no tail
 *   also[]        further diagonals are multiplied in, in broadcast forms and in vector forms that
 *                 have row 0. `apart`: they are not; row i+1 of those that have factors is that of
 *                 also[i] alone
 *   spread        a factor is stored as wr,wr of all lanes, then -wi,wi */
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

/* Threads that fill tables together. `run` calls work(arg, i, members) on each of `members`
 * members, at most `want`, i = 0 .. members-1, and returns when all are done. */
typedef void bind_work(void *arg, int member, int members);
typedef struct bind_helpers {
    int most; /* members */
    void (*run)(void *owner, int want, bind_work *work, void *arg);
    void *owner;
} bind_helpers;

typedef struct bind_tables bind_tables;

bind_tables *bind_tables_open(void); /* NULL: out of memory */
void bind_tables_close(bind_tables *tables);
/* To be called before the first table: the threads that help the calling one to fill large
 * tables. */
void bind_tables_use(bind_tables *tables, const bind_helpers *helpers);
/* Finds or makes the table of a key, which must be zeroed before its fields are set. sketch: a
 * table that does not exist yet is made without data and not shared. */
sluice_status bind_table_get(bind_tables *tables, const bind_table_key *key, bool sketch,
                             bind_table **out, sluice_diag *why);
void bind_table_put(bind_tables *tables, bind_table *table); /* NULL allowed */

/* Fills in the factors of a table whose layout is set, with the same bits for any helpers (NULL:
 * none); false: out of memory (bind_table_fill.c). */
bool bind_table_fill(bind_table *table, const bind_helpers *helpers);

static inline bool bind_table_is_vector(const bind_table_key *key)
{
    return key->form != BIND_TW_BROADCAST;
}

/* Are wr and wi of a lane adjacent, or in two runs of lanes? */
static inline bool bind_table_in_pairs(const bind_table_key *key)
{
    return key->form != BIND_TW_SPLIT_VECTOR && key->form != BIND_TW_FULL_VECTOR;
}

/* The first row that has factors. */
static inline int64_t bind_table_first_row(const bind_table_key *key)
{
    return key->form == BIND_TW_FULL_VECTOR || key->form == BIND_TW_INTER_FULL ? 0 : 1;
}

/* By which factor spreading enlarges a table. */
static inline size_t bind_table_spread(const bind_table_key *key)
{
    return !key->spread ? 1 : bind_table_is_vector(key) ? 2 : 2 * (size_t)key->lanes;
}

/* Is the table a product of row and column factors? Yes if its rows and columns stay within one row
 * of T_{n,m} at every place of the outer dimensions, since w^{a (b + c)} = w^{ab} w^{ac}. */
bool bind_table_is_separable(const bind_table_key *key);
/* Is the table a product whose column factors all tiles share? Yes if a step of its rows is whole
 * rows of T, starting in the first one, and all other dimensions stay within a row of T. The
 * product of *rows, a table over the other dimensions with no columns, and *shared, a table over
 * the columns, is then w^{a (b + c)}. */
bool bind_table_split_shared(const bind_table_key *key, bind_table_key *rows,
                             bind_table_key *shared);
/* Is every factor of row 0 exactly 1, so that forms without it may be used? */
bool bind_table_first_row_is_one(const bind_table_key *key);

#endif
