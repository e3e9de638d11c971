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
    /* LOCAL, complex numbers: re of all elements pass through it, then im through the same places.
     * So a statement that writes it is followed by the one that reads it, both at once, and items
     * keep in registers what the first leaves until the second has read it. The values are those of
     * a buffer that holds both. */
    bool halves;
} prog_buf;

/* Scalars in an element of a buffer: 1 of reals, else 2. */
int64_t prog_scalars(const prog_buf *b);
/* .. that the buffer holds at a time: 1 in halves. */
int64_t prog_held_scalars(const prog_buf *b);
/* Places from one copy of a buffer to the next, and of all copies; a multiple of PROG_ALIGN. */
int64_t prog_copy_places(const prog_buf *b);
int64_t prog_places(const prog_buf *b);

/* diag(d[f]) multiplying what a kernel writes: element i is scaled by entry t = f(i, variables)
 * of T(n,m), C(n) or B(n,m) (see spl_values); conjugated if `conjugate`. In the middle: the factor
 * of a pair (spl/formula/passes.h). */
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
     * A kernel reads all its input before it writes. It takes fin->n elements of `in` and leaves
     * fout->n elements of `out`; a complex number in a buffer of reals is two of them, re and im.
     * fin of IN and fout of OUT are element offsets in the user's arrays: sides.in and sides.out
     * are already part of them. */
    spl_op kernel;      /* SPL_TRANSFORM, SPL_I, SPL_RETYPE, SPL_PAIR */
    int kind;           /* of the kernel: spl_kind of a TRANSFORM; SPL_RETYPE_EMBED, _RE or _CONJ;
                      spl_pass_kind of a PAIR */
    spl_pass_role role; /* SPL_PAIR; one of role PAIR has a factor in the middle, v_k, if its
                           pass has any */
    int64_t n;          /* SPL_TRANSFORM, SPL_RETYPE: points; else elements read */
    int in, out;        /* buffers */
    const ix *fin, *fout;
    int ntwiddles;
    prog_twiddle twiddle[PROG_MAX_TWIDDLES];
    /* KERN: the iterations of the loops that hold nothing else run at once: all of them read before
     * any writes. So `in` may be `out`, whatever the functions are, and both may be in halves. */
    bool at_once;
    spl_class cls; /* COPY: as the formula has it; which sides cross parts: prog_exchange */
    bool put;      /* COPY: towards OUT */
} prog_stmt;

/* How the packed problem lies in the user's arrays. NULL functions mean packed. */
typedef struct prog_sides {
    spl_type type;      /* of both sides of a formula that acts on either; ANY: complex */
    const ix *in, *out; /* packed index -> element offset (coefficients may be negative) */
    sluice_layout in_layout, out_layout;
    bool in_place;       /* in == out at run time */
    bool is_item;        /* results are to be those of one of a batch, though it is alone */
    bool same_bits;      /* results are to be those of the program on any other processor */
    bool out_is_scratch; /* OUT may hold intermediate results (packed, in the kernels' format) */
    /* Elements whose distance is a multiple of `alias` share cache sets: buffers of more than
     * `small` elements get gaps of `gap` if they are read or written at such distances, or, of
     * a kernel's rows in place, at others where more share sets than a cache of `cache` elements
     * has ways for. alias 0: no gaps. cache 0: none at others. */
    int64_t alias, gap, small, cache;
    /* Iterations of a PAR loop are groups of so many work-items, which run a stage's iterations at
     * once if these are no more: see prog_stmt.at_once. The gaps are those of LOCAL buffers, whose
     * banks they spread elements to; what is shared lies in whole lines. 0: parts do one thing at a
     * time. LOCAL buffers of more than `whole` elements, gaps and all, are passed in halves where
     * they may be; 0: none is. */
    int64_t items, whole;
    /* Hooks of IN and of OUT, which are packed then, that a backend may take upon itself: it says
     * so (backend_program.takes_hook). Else its arrays are as if there were none. NULL: none. */
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
    /* The program is one loop of so many iterations, which run one at a time, each on arrays of its
     * own (spl/program/prog_pass.h); 0: it runs as a whole. */
    int64_t blocks;
} prog;

/* Lowers merged Sigma-SPL. Buffers between factors of a product; SYNC exactly where one
 * part may read or overwrite what another wrote or reads. Out of the context's arena. `sides` NULL:
 * packed, interleaved, not in place.
 *   loops    around one kernel or transfer alone are split until addresses are linear in their
 *            variables (as far as digit boundaries divide), fused where one goes on where the other
 *            ends, and the last VEC loop is innermost; so variables and counts are not those of
 *            the formula. STREAM loops around a kernel alone become SEQ (nothing is transferred)
 *   in place a formula that would overwrite input it still needs gets one more stage that copies
 *            first; stages that read just what they write work in place, whatever their sides are
 *   ZERO     clears what a scatter leaves out of an interface, as S(f) with fewer columns than rows
 *   OUT      serves as scratch if it may and if the product's part of OUT is one contiguous
 *            block, alternating with buffers */
sluice_status prog_lower(prog **out, spl_ctx *ctx, const spl *merged, const prog_sides *sides,
                         sluice_diag *why);
/* Do two buffers lie in one place: the same one, or the user's sides where these are one array? */
bool prog_share_memory(const prog *p, int a, int b);
/* Scalars in the smallest element of any buffer. */
int64_t prog_min_scalars(const prog *p);
bool prog_is_stage(const prog_stmt *s); /* it is no loop and no barrier */
/* Does it read no more elements of IN than there are? */
bool prog_reads_once(const prog *p);
/* Is one of the statements from..to-1, or in them, a barrier? */
bool prog_has_sync(const prog *p, size_t from, size_t to);
bool prog_is_dft(const prog_stmt *s);             /* the kernel is DFT or IDFT */
bool prog_is_inverse(const prog_stmt *s);         /* IDFT */
const char *prog_kernel_word(const prog_stmt *s); /* "DFT" "I" "EMBED" .. */
/* The program as text, one statement a line, indented; with the classes of exchanges and their
 * packets as comments if they can be counted. */
void prog_print(const prog *p, core_text *out);

/* Checkers (spl/program/prog_check.c): by running the index functions of the whole program, no
 * arithmetic.
 *   coverage   every element of every buffer that is read was written before; OUT is written
 *              exactly once per element (intermediate use of OUT aside); IN is only read
 *   races      within one PAR loop iteration sets of writes are disjoint from all that other
 *              iterations read or write, between two SYNCs; removing a needed SYNC is detected
 *   bounds     every address lies in its buffer
 *   local      local_elems bytes fit `local_store` (0: not checked) with stream copies counted
 * Returns OK or E_INVALID with the first violation as a sentence. Cost: operations of the program;
 * refuse (E_UNSUPPORTED) above 2^24 element accesses. */
sluice_status prog_check(const prog *p, size_t local_store, size_t elem_bytes, sluice_diag *why);
/* The innermost loop around all uses of a buffer; nstmts if no loop holds them all. */
size_t prog_owner(const prog *p, int buf);
/* Does what one unit holds, its own buffers and its part of shared ones that transfers fill or
 * empty, fit a local store? E_UNSUPPORTED with a sentence. */
sluice_status prog_fits(const prog *p, size_t local_store, size_t elem_bytes, sluice_diag *why);
/* An exchange: the elements that parts communicate in one place of a program. */
typedef struct prog_traffic {
    int64_t elements;     /* read there: of the input, after the SYNC; left in the output; of
                            the smallest type in the program */
    int64_t communicated; /* of these, owned by another part before */
    int64_t packets;      /* runs of addresses with one sender and one receiver */
    int64_t min, max;     /* elements in a packet */
} prog_traffic;
/* The exchanges of a program, were each part to keep its share of the user's arrays, the k-th of
 * `parts` contiguous ones, and what it computed. Between two stages the interface is the parts'
 * stores side by side: a part owns what it reads there, so a statement whose results another part
 * reads writes into that part's store. That is class NET. What transfers put and get lies in memory
 * and is no exchange. */
typedef struct prog_exchanges {
    int64_t in;         /* elements read from another part's share of the input */
    int64_t between;    /* read after a SYNC, written by another part before it */
    int64_t out;        /* results that end in another part's share of the output */
    int64_t min_packet; /* elements in the smallest packet; 0: nothing crosses */
    int exchanges;      /* how many there are: the input, SYNC statements, the output */
    prog_traffic *at;   /* [i]: after SYNC statement i; PROG_AT_.. */
    uint8_t *net;       /* [i]: sides of statement i that are NET, PROG_NET_.. */
} prog_exchanges;
enum { PROG_NET_IN = 1, PROG_NET_OUT = 2 };
#define PROG_AT_INPUT(p) ((p)->nstmts)
#define PROG_AT_OUTPUT(p) ((p)->nstmts + 1)
#define PROG_AT_START(p) ((p)->nstmts + 2) /* scratch read before the first SYNC */
#define PROG_TRAFFICS(p) ((p)->nstmts + 3)
/* By running the index functions. E_UNSUPPORTED above 2^24 accesses and iterations; E_MEMORY. The
 * result is freed by its owner. */
sluice_status prog_exchange(const prog *p, prog_exchanges *out, sluice_diag *why);
void prog_exchanges_free(prog_exchanges *x);
/* "48 of 64 elements in 12 packets of 4" (spl/program/prog_print.c) */
void prog_traffic_print(const prog_traffic *x, core_text *out);

#endif
