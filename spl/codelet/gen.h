// SPDX-License-Identifier: BSD-3-Clause
/* The codelet generator: what its files share.
 *
 * gen_dag.c      complex expressions, hash-consed
 * gen_toeplitz.c products with fixed Toeplitz matrices in such expressions
 * gen_dft.c      DFT_n as one
 * gen_emit.c     statements, static tables and operation counts of one codelet
 * gen_node.c     an expression as statements on interleaved or split vectors
 * gen_move.c     between expression and memory: addresses, twiddles, transposes
 * gen_codelet.c  the positions A B C T G; gen_wide.c the position W, gen_dense.c D
 * gen_list.c     which codelets there are; gen_table.c their table; gen_main.c the command
 * gen_words.c    definitions of the library's own sources as text, see spl/emit/words.h
 *
 * It runs while the library is built, as a command that ends with a sentence and status 2 where
 * something goes wrong. All but lists and command are in the library as well, which prints
 * codelets again into the programs that it writes (backends/cpu/emit/cpu_emit.c). */
#ifndef SPL_GEN_H
#define SPL_GEN_H

#include <stdbool.h>

#include "core/text.h"
#include "spl/codelet/codelet.h"

#define GEN_MAX 64        /* largest DFT that is one expression */
#define GEN_CONSTANTS 512 /* different constants of an expression, rows of a static table */
#define GEN_NODES 4096    /* of an expression */

/* ---- expressions: gen_dag.c ------------------------------------------------------------ */

/* J stands for the sign pattern (+1, -1) on (re, im) pairs, so that -i x = J swap(x). */
typedef enum gen_op {
    GEN_IN = 0, /* input number a         */
    GEN_ADD,    /* a + b                  */
    GEN_SUB,    /* a - b                  */
    GEN_SWAP,   /* (im a, re a)           */
    GEN_FMA,    /* a + c b                */
    GEN_FNMA,   /* a - c b                */
    GEN_FMAJ,   /* a + c J b, b is a swap */
    GEN_FNMAJ,  /* a - c J b, b is a swap */
    GEN_MUL,    /* c a                    */
    GEN_MULJ,   /* c J a, a is a swap     */
    GEN_OPS
} gen_op;

typedef struct gen_node {
    gen_op op;
    int a, b, c; /* c: number of a real constant; -1: none */
} gen_node;

/* scale * (-i)^quarter * node, scale > 0: factors are carried along until an fma absorbs them. */
typedef struct gen_value {
    int node, quarter;
    long double scale;
} gen_value;

typedef struct gen_dag {
    int n, count, constants;
    gen_node node[GEN_NODES]; /* operands before users */
    long double constant[GEN_CONSTANTS];
    int out[GEN_MAX]; /* node of every output */
    bool failed;      /* it did not fit */
} gen_dag;

gen_value gen_input(gen_dag *dag, int i);
gen_value gen_add(gen_dag *dag, gen_value x, gen_value y);
gen_value gen_sub(gen_dag *dag, gen_value x, gen_value y);
gen_value gen_scale(gen_value x, long double factor);
gen_value gen_turn(gen_value x, int quarters);                     /* times (-i)^quarters */
gen_value gen_root(gen_dag *dag, gen_value x, size_t k, size_t n); /* times w_n^k */
void gen_output(gen_dag *dag, int i, gen_value x);

/* ---- products with a fixed matrix: gen_toeplitz.c -------------------------------------- */

typedef struct gen_toeplitz {
    int rows;               /* and columns: GEN_MAX / 2 at most */
    bool cyclic;            /* entries of i - j = d and d - rows are equal */
    long double t[GEN_MAX]; /* t[rows - 1 + i - j] in row i, column j */
} gen_toeplitz;

/* y = T x, from NULL, or *from + T x in every row. */
void gen_toeplitz_multiply(gen_dag *dag, const gen_toeplitz *t, const gen_value *from,
                           const gen_value *x, gen_value *y);
/* Row i of it alone, for products of which no other way than row by row is shorter: dense. */
bool gen_toeplitz_dense(const gen_toeplitz *t);
gen_value gen_toeplitz_row(gen_dag *dag, const gen_toeplitz *t, int i, const gen_value *from,
                           const gen_value *x);
/* from + SUM x, by sums that the product with the cyclic T has from the same value. */
gen_value gen_toeplitz_sum(gen_dag *dag, const gen_toeplitz *t, gen_value from, const gen_value *x);

/* ---- transforms: gen_dft.c ------------------------------------------------------------- */

/* The expression of DFT_n, n <= GEN_MAX; core_free it. NULL: out of memory. */
gen_dag *gen_dft(int n);

/* ---- statements: gen_emit.c ------------------------------------------------------------ */

typedef enum gen_kind {
    GEN_ADDS = 0,
    GEN_MULS,
    GEN_FMAS,
    GEN_SHUFFLES,
    GEN_LOADS,
    GEN_STORES,
    GEN_KINDS
} gen_kind;

typedef struct gen_vector {
    const char *type; /* "f32x16" */
    int width;        /* scalars in a vector */
    int bytes;        /* of a scalar */
    int lanes;        /* complex numbers in a vector; split: in a pair of vectors */
    bool split;
} gen_vector;

/* The names of a complex value in the printed code; interleaved values have no im. */
typedef struct gen_var {
    char re[16], im[16];
} gen_var;

typedef struct gen_name {
    char text[120];
} gen_name;

/* A row of the codelet's static table: a vector of constants. */
typedef struct gen_row {
    long double value[16];
    bool odd;       /* changes sign in the inverse .. */
    bool fixed[16]; /* .. but for these */
} gen_row;

/* A vector in `count` pieces, one of every `apart`th column, each `bytes` into its column. */
typedef struct gen_pieces {
    int count, column, apart, bytes;
} gen_pieces;

/* A vector of two pieces that waits for the one that goes on where they end. */
typedef struct gen_half {
    char name[16];
    gen_pieces at;
} gen_half;

typedef struct gen_emit {
    const spl_key *key;
    const char *name;
    gen_vector vector;
    core_text body; /* statements of the innermost loop */
    gen_row row[GEN_CONSTANTS];
    int rows;
    char known[128][16]; /* names declared or needed so far */
    int knowns;
    int step;  /* columns that the body does */
    int fresh; /* number of the next new name */
    int count[GEN_KINDS];
    gen_half half[GEN_MAX]; /* position D */
    int halves;
} gen_emit;

/* The vector for a format; lanes = 0: the widest of the ISA, else that many complex numbers. */
gen_vector gen_vector_of(const spl_key *key, spl_format format, int lanes);
const char *gen_scalar(const gen_vector *vector); /* "float" or "double" */
gen_name gen_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of the body. */
void gen_say(gen_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_count(gen_emit *e, gen_kind kind, int times);
void gen_store(gen_emit *e, const char *at, const char *x); /* a whole vector */
/* True where the name was known before; it is from now on. */
bool gen_know(gen_emit *e, const char *name);
gen_var gen_fresh(gen_emit *e);
/* const T name = T_word(x, y, z); y and z may be NULL. */
void gen_let(gen_emit *e, gen_kind kind, const char *name, const char *word, const char *x,
             const char *y, const char *z);
/* The same word on every part of complex values; y.re and z.re may be empty. */
gen_var gen_each(gen_emit *e, gen_kind kind, const char *word, gen_var x, gen_var y, gen_var z);
/* A scalar constant, exact in the codelet's precision. */
gen_name gen_number(const gen_emit *e, long double value);
/* The expression that loads a row of the static table; equal rows are stored once. */
gen_name gen_table_row(gen_emit *e, const gen_row *row);
/* The same for c J: (c, -c) in every lane, (-c, c) in the inverse. */
gen_name gen_sign_row(gen_emit *e, long double c);

/* ---- an expression as statements: gen_node.c ------------------------------------------- */

/* One expression to be printed: where inputs come from and outputs go to. Statements come in the
 * order in which the expression was built, an input at its first use, an output at once. */
typedef struct gen_part gen_part;
struct gen_part {
    const gen_dag *dag;
    gen_var (*load)(gen_emit *e, gen_part *part, int i);
    void (*store)(gen_emit *e, gen_part *part, int i, gen_var x);
    void *user;
};
void gen_statements(gen_emit *e, gen_part *part);

/* ---- memory: gen_move.c ---------------------------------------------------------------- */

/* base + multiple*stride + bytes; pointers to every fourth multiple are declared when needed. */
gen_name gen_at(gen_emit *e, const char *base, const char *stride, int multiple, int bytes);
/* Row i of side "in" or "out", columns adjacent; format: of that side. */
gen_var gen_load_row(gen_emit *e, spl_format format, int i);
void gen_store_row(gen_emit *e, spl_format format, int i, gen_var x);
/* x times the twiddle of output row i. */
gen_var gen_twiddle(gen_emit *e, int i, gen_var x);
int gen_twiddle_rows(const spl_key *key); /* rows that have twiddles: the last ones */
/* Rows first .. first + width - 1 of a column that are moved together. */
typedef struct gen_chunk {
    int first, width;
    bool done;
} gen_chunk;
/* Cuts n rows into chunks of powers of two, at most `widest`; the last may overlap. */
int gen_chunks(int n, int widest, gen_chunk *out);
/* Transposes blocks of width x width, of which the first columns are wanted: the others come out
 * without names. The last rows may be without names. */
void gen_transpose(gen_emit *e, gen_var *x, int width, int columns);
void gen_load_pieces(gen_emit *e, const char *base, gen_pieces at, const char *to);
void gen_store_pieces(gen_emit *e, const char *base, gen_pieces at, const char *x);
/* The first lanes of a vector; what the others hold is anybody's guess. */
void gen_load_part(gen_emit *e, const char *at, int lanes, const char *to);
void gen_store_part(gen_emit *e, const char *at, int lanes, const char *x);
/* Interleaved vectors from and to split sides: `lanes` first lanes. */
void gen_load_split(gen_emit *e, const char *re, const char *im, int lanes, const char *to);
void gen_store_split(gen_emit *e, const char *re, const char *im, int lanes, const char *x);
void gen_load_chunk(gen_emit *e, gen_chunk chunk, gen_var *row);
void gen_store_chunk(gen_emit *e, gen_chunk chunk, const gen_var *row);

/* ---- position D: gen_dense.c ----------------------------------------------------------- */

typedef enum gen_dense {
    GEN_DENSE_LANES = 0,
    GEN_DENSE_JOIN,
    GEN_DENSE_TURN,
    GEN_DENSE_LINES
} gen_dense;
gen_dense gen_dense_way(const spl_key *key); /* n, isa and lanes are read */
/* The statements of two of the ways; the others have those of T. */
void gen_dense_lanes(gen_emit *e);
void gen_dense_turn(gen_emit *e);
/* Pieces of n adjacent rows, as gen_store_pieces. */
void gen_dense_store(gen_emit *e, gen_pieces at, const char *x);
int gen_dense_bytes(const gen_emit *e); /* of one step */
/* Copies the buffer `from` of GEN_DENSE_LINES to the output. */
void gen_dense_copy(const gen_emit *e, const char *from, const char *indent, core_text *text);

/* ---- codelets: gen_codelet.c, gen_wide.c ----------------------------------------------- */

typedef struct gen_codelet {
    spl_key key;
    char name[64];
    int count[GEN_KINDS];
    double cycles;
} gen_codelet;

/* Prints the codelet (text may be NULL), visible in its file alone where `local`, and fills in its
 * counts and cycles. False: out of memory, or of one of the limits above. One thread at a time. */
bool gen_codelet_print(gen_codelet *codelet, bool local, core_text *text);
/* Predicted from the counts of what is done to such vectors (spl/codelet/gen_cycles.c). */
double gen_cycles(const spl_key *key, const gen_vector *vector, const int *count);
/* How transforms are done in registers: `together` at a time in one vector, n = a b. */
typedef struct gen_shape {
    gen_vector vector;
    int together, a, b;
    bool failed; /* out of memory: nobody knows */
} gen_shape;
/* False where position W, or T, does not do that. */
bool gen_wide_shape(const spl_key *key, gen_shape *shape);
void gen_wide_body(gen_emit *e, const gen_shape *shape);

/* ---- lists: gen_list.c, gen_table.c ---------------------------------------------------- */

#define GEN_LIST_MAX 800

/* The generator's command ends with this sentence (gen_main.c). */
_Noreturn void gen_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints, or ends the command. */
void gen_codelet_must(gen_codelet *codelet, core_text *text);

/* All codelets of an ISA and a precision, without counts. Returns how many. */
int gen_list(core_isa isa, int precision, gen_codelet *out);
const char *gen_isa_name(core_isa isa);
const char *gen_precision_name(int precision);
void gen_table_print(gen_codelet *list, int count, core_text *text);
/* Deals the codelets to shards so that each takes about as long to compile; prints one shard. */
void gen_shard_print(gen_codelet *list, int count, int shard, int shards, core_text *text);

/* ---- text: gen_words.c ----------------------------------------------------------------- */

/* The definitions of the sources `paths` as a table `name` (spl/emit/words.h). */
void gen_words_print(const char *name, char *const *paths, int count, core_text *text);

#endif
