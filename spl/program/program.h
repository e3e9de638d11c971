// SPDX-License-Identifier: BSD-3-Clause
/* Programs: merged Sigma-SPL lowered to a flat array of statements with buffers.
 *
 * Execution model (every backend): t >= 1 threads run the program together. Statements outside PAR
 * loops are run by thread 0 alone, except that all threads walk the loops that contain PAR loops.
 * The iterations of a PAR loop are distributed to the threads; SYNC is a barrier of all threads.
 * PAR loops never nest in PAR loops. */
#ifndef SPL_PROGRAM_H
#define SPL_PROGRAM_H

#include "spl/formula/spl.h"

typedef enum prog_space {
    PROG_IN = 0, /* the user's input; addresses in elements, any sign                  */
    PROG_OUT,    /* the user's output                                                  */
    PROG_SHARED, /* scratch that all parts see                                         */
    PROG_LOCAL   /* scratch inside a PAR loop: one per thread                          */
} prog_space;

/* Arenas are counted in places of one complex number; buffers start at multiples of PROG_ALIGN. */
enum { PROG_ALIGN = SPL_STORE_ALIGN, PROG_PLACE_SCALARS = 2 };

typedef struct prog_buf {
    prog_space space;
    spl_type type;  /* of the elements that addresses count; reals if any statement counts reals */
    int64_t elems;  /* IN, OUT: of the packed problem */
    int64_t offset; /* SHARED, LOCAL: where the buffer starts in its arena, in places; buffers whose
                       live ranges are disjoint may overlap */
    int copies;     /* buffers in rotation: 1, or 2 if transfers of a STREAM loop use it */
    /* LOCAL, complex numbers: re of all elements pass through the buffer, then im through the same
     * places. A statement that writes it is followed by the one that reads it, and both run at
     * once: items keep the results of the first in registers until the second has read them. The
     * values are those of a buffer that holds both parts. */
    bool halves;
} prog_buf;

/* Scalars in an element of a buffer: 1 for reals, else 2. */
int64_t prog_scalars(const prog_buf *b);
/* .. that the buffer holds at a time: 1 if it is passed in halves. */
int64_t prog_held_scalars(const prog_buf *b);
/* Places from one copy of a buffer to the next; places of all copies. Multiples of PROG_ALIGN. */
int64_t prog_copy_places(const prog_buf *b);
int64_t prog_cells_of(const prog_buf *b);

/* diag(d[f]) that multiplies the output of a kernel: element i is scaled by entry t = f(i,
 * variables) of a diagonal such as T(n,m), C(n) or B(n,m) (see spl_values); conjugated if
 * `conjugate`. In the middle: the factor of a pair (spl/formula/pairs.h). */
typedef enum prog_factor { PROG_FACTOR_OUT = 0, PROG_FACTOR_MIDDLE } prog_factor;
typedef struct prog_twiddle {
    spl_values values;
    int64_t n, m;
    bool conjugate;
    const ix *f;
    prog_factor place;
} prog_twiddle;

enum { PROG_MAX_TWIDDLES = 4 };

typedef enum prog_op { PROG_LOOP = 0, PROG_KERN, PROG_COPY, PROG_ZERO, PROG_SYNC } prog_op;

typedef struct prog_stmt {
    prog_op op;
    int depth;  /* loops around this statement */
    size_t end; /* index one past this statement and, LOOP, its body */
    /* LOOP */
    spl_range range;
    bool has_par; /* LOOP: this loop is PAR or contains one */
    /* KERN: out[fout(.)] = tw * K in[fin(.)];  COPY: out[fout(i)] = in[fin(i)];
     * ZERO: out[fout(i)] = 0, in and fin are out and fout, and the buffer is an inner one.
     * A kernel reads all its input before it writes. It reads fin->n elements of `in` and writes
     * fout->n elements of `out`; a complex number in a buffer of reals is two of these, re and im.
     * fin of IN and fout of OUT are element offsets in the user's arrays: sides.in and sides.out
     * are already part of them. */
    spl_op kernel;       /* SPL_TRANSFORM, SPL_I, SPL_RETYPE, SPL_PAIR */
    int kind;            /* of the kernel: spl_kind of a TRANSFORM; SPL_RETYPE_EMBED, _RE or _CONJ;
                           spl_pairs_kind of a PAIR */
    spl_pairs_role role; /* SPL_PAIR; one of role PAIR has a factor in the middle, v_k, if its
                            pairs have any */
    int64_t n;           /* SPL_TRANSFORM, SPL_RETYPE: points; else elements read */
    int in, out;         /* buffers */
    const ix *fin, *fout;
    int ntwiddles;
    prog_twiddle twiddle[PROG_MAX_TWIDDLES];
    /* KERN: the iterations of those loops around it that contain nothing else run at once: all of
     * them read before any writes. So `in` may be `out`, whatever the functions are, and both may
     * be passed in halves. */
    bool at_once;
    spl_class cls; /* COPY: as in the formula; prog_exchange finds the sides that cross parts */
    bool put;      /* COPY: to OUT, not from IN */
} prog_stmt;

/* The layout of the packed problem in the user's arrays. NULL functions mean packed. */
typedef struct prog_sides {
    spl_type type;      /* of both sides if the formula acts on either type; ANY: complex */
    const ix *in, *out; /* packed index -> element offset (coefficients may be negative) */
    sluice_layout in_layout, out_layout;
    bool in_place;       /* in == out at run time */
    bool is_item;        /* results must equal those of one of a batch, although it is alone */
    bool reproducible;   /* results must equal those of the program on any other processor */
    bool out_is_scratch; /* OUT may hold intermediate results (packed, in the kernels' format) */
    /* Elements whose distance is a multiple of `set_stride` share cache sets: buffers of more than
     * `pad_above` elements get gaps of `padding` if they are accessed at such distances. For rows
     * that a kernel reads and writes in place they also get gaps at other distances, if more rows
     * share a set than a cache of `cache_elems` elements has ways. set_stride 0: no gaps.
     * cache_elems 0: none at other distances. */
    int64_t set_stride, padding, pad_above, cache_elems;
    /* Iterations of a PAR loop are groups of this many work-items, which run a stage's iterations
     * at once if there are no more than items: see prog_stmt.at_once. Gaps are then for LOCAL
     * buffers and spread elements over banks; shared buffers keep whole lines. 0: parts do one
     * thing at a time. LOCAL buffers of more than `halve_above` elements, gaps included, are passed
     * in halves if they may be; 0: none is. */
    int64_t group_items, halve_above;
    /* Hooks of IN and of OUT, which are then packed. A backend may apply them itself, and says so
     * (backend_program.takes_hook); otherwise its arrays are as if there were none. NULL: none. */
    const struct prog_hook *hook[2];
} prog_sides;

typedef struct prog {
    spl_ctx *ctx;       /* owns all memory of the program */
    int64_t rows, cols; /* packed problem, in elements of OUT and IN */
    prog_sides sides;   /* with functions of these elements */
    int nbufs;
    prog_buf *buf; /* buf[0] = IN, buf[1] = OUT */
    size_t nstmts;
    prog_stmt *stmt;
    int64_t shared_elems, local_elems; /* arena sizes: all threads together, per thread */
    int64_t parts;                     /* iterations of the widest PAR loop; 1: serial */
    /* The program is one loop of this many iterations, which run one at a time, each on arrays of
     * its own (spl/program/prog_pass.h); 0: it runs as a whole. */
    int64_t blocks;
} prog;

/* Lowers merged Sigma-SPL. There are buffers between factors of a product, and a SYNC exactly if
 * one part may read or overwrite elements that another part wrote or reads. Memory is from the
 * context's arena. `sides` NULL: packed, interleaved, not in place.
 *   loops    around one kernel or transfer alone are split until addresses are linear in their
 *            variables (as far as digit boundaries divide) and fused if one continues the other;
 *            the last VEC loop is innermost. So variables and counts are not those of the formula.
 *            STREAM loops around a kernel without transfers become SEQ
 *   in place a formula that would overwrite input it still needs gets one more stage that copies
 *            first; stages that read exactly the places they write work in place, on all sides
 *   ZERO     clears elements that a scatter leaves out, as S(f) with fewer columns than rows
 *   OUT      serves as scratch if it may and if the product's part of OUT is one contiguous
 *            block, alternating with buffers */
sluice_status prog_lower(prog **out, spl_ctx *ctx, const spl *merged, const prog_sides *sides,
                         sluice_diag *why);
/* Is the buffer a user's side that has re and im in two arrays? */
bool prog_is_split(const prog *p, int buf);
/* Are two buffers in one place: the same one, or the user's sides if these are one array? */
bool prog_share_memory(const prog *p, int a, int b);
/* Scalars in the smallest element of any buffer. */
int64_t prog_min_scalars(const prog *p);
bool prog_is_stage(const prog_stmt *s); /* it is no loop and no barrier */
/* Does it read no more elements of IN than there are? */
bool prog_reads_once(const prog *p);
/* Is any of the statements from..to-1 a barrier? */
bool prog_has_sync(const prog *p, size_t from, size_t to);
bool prog_is_dft(const prog_stmt *s);             /* the kernel is DFT or IDFT */
bool prog_is_inverse(const prog_stmt *s);         /* IDFT */
const char *prog_kernel_word(const prog_stmt *s); /* "DFT" "I" "EMBED" .. */
/* The program as text, one statement a line, indented; with the classes of exchanges and their
 * packets as comments if these can be counted. */
void prog_print(const prog *p, core_text *out);

/* Checker (spl/program/prog_check.c): evaluates the index functions of the whole program, without
 * arithmetic.
 *   coverage   every element of every buffer that is read was written before; OUT is written
 *              exactly once per element (intermediate use of OUT aside); IN is only read
 *   races      between two SYNCs, an iteration of a PAR loop writes nothing that other iterations
 *              read or write; removing a needed SYNC is detected
 *   bounds     every address is inside its buffer
 *   local      local_elems bytes fit `local_store` (0: not checked), stream copies included
 * Returns OK, or E_INVALID with the first violation as a sentence. Costs as many operations as the
 * program; refuses (E_UNSUPPORTED) above 2^24 element accesses. */
sluice_status prog_check(const prog *p, size_t local_store, size_t elem_bytes, sluice_diag *why);
/* The innermost loop around all uses of a buffer; nstmts: no loop contains them all. */
size_t prog_owner(const prog *p, int buf);
/* Do the buffers that one unit holds, its own and its part of shared ones that transfers fill or
 * empty, fit a local store? If not, E_UNSUPPORTED with a sentence. */
sluice_status prog_fits(const prog *p, size_t local_store, size_t elem_bytes, sluice_diag *why);
/* An exchange: the elements that parts communicate at one place of a program. */
typedef struct prog_traffic {
    int64_t elements;     /* read there: of the input, after the SYNC; left in the output; of
                            the smallest type in the program */
    int64_t communicated; /* of these, owned by another part before */
    int64_t packets;      /* runs of addresses with one sender and one receiver */
    int64_t min, max;     /* elements in a packet */
} prog_traffic;
/* The exchanges of a program if each part kept its share of the user's arrays, the k-th of `parts`
 * contiguous ones, and its results. Between two stages the data are in the stores of the parts: a
 * part owns the elements that it reads there, so a statement whose results another part reads
 * writes into that part's store. That is class NET. Targets of puts and sources of gets are in
 * memory and are no exchange. */
typedef struct prog_exchanges {
    int64_t in;         /* elements read from another part's share of the input */
    int64_t between;    /* read after a SYNC, written by another part before it */
    int64_t out;        /* results that end in another part's share of the output */
    int64_t min_packet; /* elements in the smallest packet; 0: nothing crosses */
    int exchanges;      /* their number: the input, SYNC statements, the output */
    prog_traffic *at;   /* [i]: after SYNC statement i; PROG_AT_.. */
    uint8_t *net;       /* [i]: sides of statement i that are NET, PROG_NET_.. */
} prog_exchanges;
enum { PROG_NET_IN = 1, PROG_NET_OUT = 2 };
#define PROG_AT_INPUT(p) ((p)->nstmts)
#define PROG_AT_OUTPUT(p) ((p)->nstmts + 1)
#define PROG_AT_START(p) ((p)->nstmts + 2) /* scratch read before the first SYNC */
#define PROG_TRAFFICS(p) ((p)->nstmts + 3)
/* Evaluates the index functions. E_UNSUPPORTED above 2^24 accesses and iterations; E_MEMORY. The
 * result is freed by its owner. */
sluice_status prog_exchange(const prog *p, prog_exchanges *out, sluice_diag *why);
void prog_exchanges_free(prog_exchanges *x);
/* "48 of 64 elements in 12 packets of 4" (spl/program/prog_print.c) */
void prog_traffic_print(const prog_traffic *x, core_text *out);

#endif
