// SPDX-License-Identifier: BSD-3-Clause
/* The codelet generator: declarations that its files share.
 *
 * gen_dag.c      complex expressions, hash-consed
 * gen_toeplitz.c products with fixed Toeplitz matrices in such expressions
 * gen_dft.c      DFT_n as an expression
 * gen_real.c     complex expressions taken apart into expressions of reals
 * gen_kind.c     transforms of reals as expressions
 * gen_emit.c     statements, static tables and operation counts of one codelet
 * gen_body.c     an expression between the loads and stores of a position
 * gen_node.c     an expression as statements on interleaved or split vectors
 * gen_move.c     between expression and memory: addresses, twiddles, transposes
 * gen_codelet.c  positions A B C R T G; gen_whole.c W and S, gen_half.c W of RDFT and IRDFT,
 *                gen_cosine.c W of cosines and sines, gen_dense.c D, gen_plane.c P
 * gen_pairs.c    steps of pairs: rows in memory; gen_pairs_loops.c their loops, gen_step.c their
 *                arithmetic on split vectors, gen_step_inter.c on interleaved ones
 * gen_order.c    the order of the statements of a transform in registers
 *
 * The generator runs while the library is built, as a command (spl/codelet/tool/gen_tool.h). All
 * files except the command's own are also in the library, which prints codelets into the programs
 * that it emits (spl/emit/tape_c.c). */
#ifndef SPL_GEN_H
#define SPL_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "api/sluice.h"
#include "core/text.h"
#include "spl/codelet/codelet.h"
#include "spl/formula/pairs.h"

#define GEN_MAX 64                /* largest transform that is one expression */
#define GEN_OUTPUTS (GEN_MAX + 2) /* RDFT has the parts of n/2 + 1 numbers */
#define GEN_CONSTANTS 512 /* max distinct constants of an expression, and rows of a static table */
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
    GEN_FMS,    /* c b - a, reals only    */
    GEN_FNMS,   /* -c b - a, reals only   */
    GEN_ZERO,   /* 0, reals only          */
    GEN_OPS
} gen_op;

typedef struct gen_node {
    gen_op op;
    int a, b, c; /* c: number of a real constant; -1: none */
} gen_node;

/* The value scale * (-i)^quarter * node, scale > 0. Factors stay in the value until an fma absorbs
 * them. For reals quarter is 0 or 2, and node -1 stands for 0. */
typedef struct gen_value {
    int node, quarter;
    long double scale;
} gen_value;

typedef struct gen_dag {
    int n, count, constants;
    gen_node node[GEN_NODES]; /* operands before users */
    long double constant[GEN_CONSTANTS];
    int out[GEN_OUTPUTS]; /* node of every output */
    bool failed;          /* a limit was exceeded */
} gen_dag;

gen_value gen_input(gen_dag *dag, int i);
gen_value gen_add(gen_dag *dag, gen_value x, gen_value y);
gen_value gen_sub(gen_dag *dag, gen_value x, gen_value y);
gen_value gen_scale(gen_value x, long double factor);
gen_value gen_rotate_quarters(gen_value x, int quarters); /* times (-i)^quarters */
void gen_output(gen_dag *dag, int i, gen_value x);
/* The number of a node with these fields: an existing one if possible. */
int gen_intern(gen_dag *dag, gen_node node);
int gen_intern_constant(gen_dag *dag, long double value);
bool gen_is_same(long double a, long double b);

/* ---- expressions of reals: gen_real.c -------------------------------------------------- */

typedef struct gen_complex {
    gen_value re, im;
} gen_complex;

extern const gen_value gen_zero;
gen_value gen_real_add(gen_dag *dag, gen_value x, gen_value y);
gen_value gen_real_sub(gen_dag *dag, gen_value x, gen_value y);
gen_complex gen_real_root(gen_dag *dag, gen_complex x, size_t k, size_t n); /* times w_n^k */
gen_complex gen_conjugate(gen_complex x);
/* out = DFT_n in, with operations on reals; false: out of memory. */
bool gen_real_dft(gen_dag *dag, int n, const gen_complex *in, gen_complex *out);
/* Sets the outputs, once all nodes exist. */
void gen_real_outputs(gen_dag *dag, int count, const gen_value *out);

/* ---- transforms of real data: gen_kind.c ----------------------------------------------- */

/* The expression of the real matrix of a transform (spl_kind). Inputs and outputs are scalars; a
 * complex number is re, then im. NULL: out of memory, or there is no such expression. */
gen_dag *gen_kind_dag(int kind, int n);
int gen_kind_scalars(int kind, int n, bool in);

/* ---- products with a fixed matrix: gen_toeplitz.c -------------------------------------- */

typedef struct gen_toeplitz {
    int rows;               /* rows and columns: max GEN_MAX / 2 */
    bool cyclic;            /* entries of i - j = d and d - rows are equal */
    long double t[GEN_MAX]; /* t[rows - 1 + i - j] in row i, column j */
} gen_toeplitz;

/* y = T x (from NULL), or *from + T x in every row. */
void gen_toeplitz_multiply(gen_dag *dag, const gen_toeplitz *t, const gen_value *from,
                           const gen_value *x, gen_value *y);
/* Is multiplying row by row (dense) the shortest method? Then rows can be computed one by one. */
bool gen_toeplitz_dense(const gen_toeplitz *t);
gen_value gen_toeplitz_row(gen_dag *dag, const gen_toeplitz *t, int i, const gen_value *from,
                           const gen_value *x);
/* from + SUM x, with the sums that the product with the cyclic T also computes. */
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
    int bytes;        /* size of a scalar */
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
typedef struct gen_constant_vector {
    long double value[16];
    bool negated_in_inverse; /* lanes change sign in the inverse .. */
    bool except_lane[16];    /* .. except these */
    int scalars;             /* number of constants, each repeated in all lanes when it is read;
                                0: the row is an operand as it is */
} gen_constant_vector;

/* A vector stored in `count` segments, to every `column_stride`-th column from `column` on, each at
 * offset `bytes` in its column. */
typedef struct gen_segments {
    int count, column, column_stride, bytes;
} gen_segments;
/* A vector of two segments that waits until the vector with the adjacent segments is computed. */
typedef struct gen_pending_half {
    char name[16];
    gen_segments at;
} gen_pending_half;

typedef struct gen_emit gen_emit;
struct gen_emit {
    const spl_key *key;
    /* fmas round once, as those of vectors do: for a set of plain C, see gen_codelet. */
    bool fused;
    bool fuses; /* .. and the function fma of this type does so already */
    const char *name;
    gen_vector vector;
    core_text body;       /* statements of the innermost loop */
    core_text held, last; /* pairs: before the columns; at M: of the last vector */
    bool repeats;         /* the last vector, which repeats columns, is being printed */
    gen_constant_vector row[GEN_CONSTANTS];
    int rows;
    int row_width;          /* scalars of a row while vectors are shorter; 0: a vector's */
    char declared[128][16]; /* names declared so far */
    int declared_count;
    int step;      /* columns computed by the body */
    int next_temp; /* number of the next temporary */
    int count[GEN_KINDS];
    gen_pending_half half[GEN_MAX]; /* position D */
    int halves;
    /* The i-th factor of a step, if `user` supplies factors; NULL: from the codelet's table. */
    gen_var (*factor)(gen_emit *e, int i);
    void *user;
};

/* The vector for a format; lanes = 0: the longest of the ISA, else that many complex numbers. */
gen_vector gen_vector_of(const spl_key *key, spl_format format, int lanes);
const char *gen_scalar(const gen_vector *vector); /* "float" or "double" */
gen_name gen_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Appends a line to the body. */
void gen_say(gen_emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_count(gen_emit *e, gen_kind kind, int times);
void gen_store(gen_emit *e, const char *at, const char *x); /* a whole vector */
/* Was the name declared before? Marks it as declared. */
bool gen_declare_once(gen_emit *e, const char *name);
gen_var gen_new_temp(gen_emit *e);
/* Prints const T name = T_intrinsic(x, y, z); y and z may be NULL. */
void gen_assign(gen_emit *e, gen_kind kind, const char *name, const char *intrinsic, const char *x,
                const char *y, const char *z);
/* The same with a new temporary, which is returned. */
gen_var gen_apply(gen_emit *e, gen_kind kind, const char *intrinsic, const char *x, const char *y,
                  const char *z);
/* Applies the intrinsic to each part of complex values; y.re and z.re may be empty. */
gen_var gen_each(gen_emit *e, gen_kind kind, const char *intrinsic, gen_var x, gen_var y,
                 gen_var z);
/* A scalar constant, exact in the codelet's precision. */
gen_name gen_number(const gen_emit *e, long double value);
/* A constant in all lanes, exact in the codelet's precision. */
gen_name gen_constant(gen_emit *e, long double value);
/* The expression that loads a row of the static table; equal rows are stored once. */
gen_name gen_table_row(gen_emit *e, const gen_constant_vector *row);
/* The same of a row with (re, im) in every lane. */
gen_name gen_parts_row(gen_emit *e, long double re, long double im);
/* The same for c J: (c, -c) in every lane, (-c, c) in the inverse. */
gen_name gen_sign_row(gen_emit *e, long double c);

/* ---- an expression as statements: gen_node.c ------------------------------------------- */

/* An expression to be printed: how inputs are loaded and outputs stored. Statements keep the order
 * in which the expression was built; an input is loaded at its first use, and an output is stored
 * as soon as it is computed. */
typedef struct gen_io gen_io;
struct gen_io {
    const gen_dag *dag;
    gen_var (*load)(gen_emit *e, gen_io *part, int i);
    void (*store)(gen_emit *e, gen_io *part, int i, gen_var x);
    void *user;
};
void gen_statements(gen_emit *e, gen_io *part);

/* ---- memory: gen_move.c ---------------------------------------------------------------- */

/* base + multiple*stride + bytes; pointers to every fourth multiple are declared when needed. */
gen_name gen_at(gen_emit *e, const char *base, const char *stride, int multiple, int bytes);
/* The lanes of x from number `lanes` on, followed by the first ones of the next vector. */
gen_var gen_slide(gen_emit *e, gen_var x, gen_var next, int lanes);
/* x times weights (codelets that weigh have a pointer in_weight). `word` is the function that loads
 * the weights at `at`. */
gen_var gen_weigh(gen_emit *e, const char *word, const char *at, gen_var x);
/* Loads or stores row i of the side "in" or "out", with adjacent columns in this format. */
gen_var gen_load_row(gen_emit *e, spl_format format, int i);
void gen_store_row(gen_emit *e, spl_format format, int i, gen_var x);
/* x times the twiddle of output row i. */
gen_var gen_twiddle(gen_emit *e, int i, gen_var x);
int gen_twiddle_rows(const spl_key *key); /* number of rows with twiddles: the last rows */
/* Rows first .. first + width - 1 of a column, which are moved together. */
typedef struct gen_chunk {
    int first, width;
    bool done;
} gen_chunk;
/* Cuts n rows into chunks of powers of two, at most `max_width`; the last may overlap. */
int gen_chunks(int n, int max_width, gen_chunk *out);
/* Transposes blocks of width x width, of which the first `columns` columns are needed; the others
 * get empty names. The last rows may have empty names. */
void gen_transpose(gen_emit *e, gen_var *x, int width, int columns);
void gen_load_segments(gen_emit *e, const char *base, gen_segments at, const char *to);
void gen_store_segments(gen_emit *e, const char *base, gen_segments at, const char *x);
/* Only the first `lanes` lanes of a vector; when loaded, the others are undefined. */
void gen_load_part(gen_emit *e, const char *at, int lanes, const char *to);
void gen_store_part(gen_emit *e, const char *at, int lanes, const char *x);
/* The same at the end of a transform, without masks: in place the next transform is read where a
 * masked store would end, and a load of masked lanes waits until the store is in L1 (Zen 4). */
void gen_store_end(gen_emit *e, const char *at, int lanes, const char *x);
/* The first `lanes` lanes of interleaved vectors, from and to split sides. */
void gen_load_split(gen_emit *e, const char *re, const char *im, int lanes, const char *to);
void gen_store_split(gen_emit *e, const char *re, const char *im, int lanes, const char *x);
void gen_load_chunk(gen_emit *e, gen_chunk chunk, gen_var *row);
void gen_store_chunk(gen_emit *e, gen_chunk chunk, const gen_var *row);
/* The expression of the transform between the loads and stores of the position: gen_body.c. */
void gen_expression_body(gen_emit *e);

/* ---- position D: gen_dense.c ----------------------------------------------------------- */

typedef enum gen_dense_method {
    GEN_DENSE_IN_LANE = 0,
    GEN_DENSE_HALVES,
    GEN_DENSE_ROTATE,
    GEN_DENSE_BUFFERED
} gen_dense_method;
gen_dense_method gen_dense_method_of(const spl_key *key); /* depends on n, isa and lanes */
/* The statements of two of the methods; the others use the statements of T. */
void gen_dense_in_lane(gen_emit *e);
void gen_dense_rotate(gen_emit *e);
/* Stores segments of n adjacent rows, like gen_store_segments. */
void gen_dense_store(gen_emit *e, gen_segments at, const char *x);
int gen_dense_bytes(const gen_emit *e); /* bytes of one step */
/* Copies the buffer `from` of GEN_DENSE_BUFFERED to the output. */
void gen_dense_copy(const gen_emit *e, const char *from, const char *indent, core_text *text);

/* ---- steps of pairs: gen_pairs.c, gen_pairs_loops.c ------------------------------------ */

/* A row of pairs, at pointers NAME_re and NAME_im. */
typedef struct gen_row {
    const char *name;
    bool output, second;
} gen_row;

enum { GEN_ROW_OUT = 2, GEN_ROWS = 4 }; /* rows 0 and 1 of the input, then of the output */
extern const gen_row gen_rows[GEN_ROWS];
extern const gen_row gen_last_rows[GEN_ROW_OUT]; /* of the vector that repeats columns, at M */

bool gen_is_pairs(const spl_key *key); /* a step, or a copy to or from a mirrored side */
int gen_pairs_inputs(int kind);        /* rows read */
int gen_pairs_factors(const gen_emit *e);
bool gen_pairs_repeats(const gen_emit *e); /* does its last vector repeat columns? */
bool gen_has_row(const gen_emit *e, int i);
spl_format gen_row_format(const gen_emit *e, const gen_row *r);
int gen_row_streams(const gen_emit *e, const gen_row *r); /* 1: interleaved, 2: re and im */
/* Does the stream run backwards: at M by columns, at B by sets, at G with strides ics1, ocs1? */
bool gen_row_backward(const gen_emit *e, const gen_row *r, int part);
void gen_pairs_statements(gen_emit *e);
/* Prints pointers, strides, and the loops around the statements. */
void gen_pairs_loops(const gen_emit *e, core_text *text);

/* ---- what steps compute: gen_step.c, gen_step_inter.c ---------------------------------- */

spl_pairs_kind gen_step_pairs(int kind);
spl_pairs_role gen_step_role(int kind);
/* Computes in split vectors: any step, and the codelet's. */
void gen_step(gen_emit *e, spl_pairs_kind kind, spl_pairs_role role, const gen_var *in,
              gen_var *out);
void gen_step_split(gen_emit *e, const gen_var *in, gen_var *out);
bool gen_step_inter_has_form(spl_pair_form form);
void gen_step_inter(gen_emit *e, const gen_var *in, gen_var *out);

/* ---- codelets: gen_codelet.c, gen_whole.c ---------------------------------------------- */

/* Largest n of position S, and of transforms whose chains are counted. For longer ones the number
 * of operations matters more than the wait for the first result (measured). */
enum { GEN_ELEMENTS = 16 };

typedef struct gen_codelet {
    spl_key key;
    /* The set whose products and sums are fused: "fused" in plain C, "fma" with an instruction for
     * it, "fma128" in 128 bits; NULL: those of its ISA. */
    const char *set;
    char name[64];
    int count[GEN_KINDS];
    double cycles, chain;
    uint64_t table;       /* a hash shared only by codelets with equal tables; 0: no table */
    const char *table_of; /* the codelet, printed before, whose table it reads; NULL: its own */
} gen_codelet;

/* Prints the codelet (text may be NULL), static if `local`, and sets its counts, cycles and
 * `table`. False: out of memory, or one of the limits above was exceeded. One thread at a time. */
bool gen_codelet_print(gen_codelet *codelet, bool local, core_text *text);
/* The set named in a codelet's name; NULL: that of its ISA. */
const char *gen_set_of(const char *name);
/* Cycles predicted from the counts of instructions on such vectors (spl/codelet/gen_cycles.c); fma:
 * is an fma one instruction, or a product and a sum? */
double gen_cycles(const spl_key *key, const gen_vector *vector, bool fma, const int *count);
/* How a transform is computed in registers: n = a b, `together` transforms per vector. */
typedef struct gen_shape {
    gen_vector vector;
    int together, a, b;
    bool failed; /* out of memory: unknown */
    bool halves; /* columns of the first stage (IRDFT: second) fill only half vectors */
} gen_shape;
/* False if the transform is not computed in registers at W or T. S uses vectors of one element. */
bool gen_whole_shape(const spl_key *key, gen_shape *shape);
void gen_whole_body(gen_emit *e, const gen_shape *shape);
/* The DFT from one list of vectors to another; NULL: from or to memory. */
void gen_whole_core(gen_emit *e, const gen_shape *shape, const gen_var *input, gen_var *result);
/* The body for an RDFT or IRDFT of twice the shape's points: gen_half.c. */
void gen_half_body(gen_emit *e, const gen_shape *shape);
/* Is the kind a cosine or sine transform that W computes? Its body is in gen_cosine.c. */
bool gen_is_cosine(int kind);
/* Can it be computed with these vectors, if the DFT's first stage has so many columns? */
bool gen_cosine_suits(gen_vector vector, int columns);
bool gen_is_inverse(int kind); /* Is the DFT inside an inverse one? */
void gen_cosine_body(gen_emit *e, const gen_shape *shape);
/* In place: does every load read what a single store of the previous call wrote? */
bool gen_whole_forwards(const gen_shape *shape);
/* Reorders the statements of the body: gen_order.c. */
void gen_order(gen_emit *e);
/* Cycles of their longest chain, from a load on. */
int gen_longest_chain(gen_emit *e);
/* Position P: its statements, and whether columns are transformed before rows (gen_plane.c). */
void gen_plane_body(gen_emit *e);
bool gen_plane_columns_first(int kind);

#endif
