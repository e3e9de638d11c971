// SPDX-License-Identifier: BSD-3-Clause
/* What programs are bound for: vectors, codelets, caches. A backend fills it in once; binding reads
 * nothing else of the machine. */
#ifndef SPL_BIND_TARGET_H
#define SPL_BIND_TARGET_H

#include "spl/bind/bind_table.h"
#include "spl/codelet/codelet.h"

/* The vectors of one ISA. */
typedef struct bind_vectors {
    int bytes;                      /* of a vector; 0: scalars */
    const spl_codelet *codelets[2]; /* by precision, the last has no name; NULL: there are none */
} bind_vectors;

/* From how many bytes on memory is reached otherwise; SIZE_MAX: never. `row` limits do not depend
 * on the caches' sizes. */
typedef struct bind_memory {
    size_t l1;           /* bytes that position T, which writes parts of lines, is meant for */
    size_t local_store;  /* of a unit; larger tables are split in two */
    size_t nt_written;   /* non-temporal stores: output that nothing reads */
    size_t nt_in_place;  /* output that is read at the same time */
    size_t nt_reused;    /* output that is read earlier in its loop, or afterwards */
    size_t nt_several;   /* output that nothing reads, where several units write it */
    bool nt_cached;      /* tiles in place as well, whose lines a cache may hold */
    size_t prefetch;     /* batches: whole transforms one after the other */
    size_t prefetch_row; /* tiles: the rows of the next twiddle set */
    size_t prefetch_l2;  /* these, into L2 */
    size_t tile_row;     /* longer rows are no tile's: hardware prefetches them */
    size_t alias;        /* rows this far apart map to the same L1 sets */
    size_t page;         /* hardware prefetches no further */
} bind_memory;

typedef struct bind_target {
    const char *name;
    core_isa isa; /* the best; those before it that have codelets serve as well */
    bind_vectors vectors[CORE_ISA_COUNT]; /* by ISA */
    int units, helpers;                   /* helpers: threads that execute transfers */
    int data_path; /* bytes of a vector that are computed at once; 0: all, or unknown */
    bind_memory memory;
    /* Every codelet computes what that of any other ISA does: the same sums in the same order, each
     * product and sum rounded once. Plain C is that of reproducible plans
     * (spl_codelets_fused_f32). */
    bool same_bits;
    bind_tables *tables; /* that all its programs share */
    /* Cycles of a step of a codelet, measured (see `costs` in backends/backend.h) or predicted. */
    double (*cycles)(const void *owner, const double *costs, const spl_codelet *codelet);
    const void *owner;
} bind_target;

extern const spl_codelet spl_codelets_fused_f32[], spl_codelets_fused_f64[];
/* On processors with AVX2: plain C, and vectors of 128 bits with the bits of longer ones. */
extern const spl_codelet spl_codelets_fma_f32[], spl_codelets_fma_f64[];
extern const spl_codelet spl_codelets_fma128_f32[], spl_codelets_fma128_f64[];

/* The codelet of a key (name and counts aside), or NULL. */
const spl_codelet *bind_codelet_find(const bind_target *target, const spl_key *key);
/* Is it computed in registers, where factors and sums follow from the length of vectors? */
bool bind_is_in_registers(const spl_key *key);
bool bind_is_real_kind(int kind); /* a transform that computes with reals */
/* Does a codelet of shorter vectors compute the same, column by column? What is computed in
 * registers does not, and sides of passes are chosen with their vectors. */
bool bind_has_narrow_twins(const spl_key *key);
/* Does it read transforms one after the other? Up to so many bytes of them several are under way at
 * a time, and hardware is ahead (docs/log/prefetch.md). */
enum { BIND_AHEAD_BYTES = 4096 };
static inline bool bind_reads_on(const spl_key *key)
{
    return key->position == SPL_POS_W || key->position == SPL_POS_S || key->position == SPL_POS_T
           || key->position == SPL_POS_D;
}
/* Does it run over sets, of some columns each? These are those of broadcast twiddles, and of passes
 * the pairs, one after the other, whether they have a factor or not. */
static inline bool bind_runs_sets(const spl_key *key)
{
    return key->position == SPL_POS_B || key->tw == SPL_TW_BROADCAST;
}

/* Has an ISA codelets that compute in that format? Vectors of 128 bits beside longer ones are
 * interleaved only. */
bool bind_has_format(const bind_target *target, core_isa isa, sluice_precision precision,
                     spl_format format);
/* Whose vectors hold one complex number: those of 128 bits, or plain C. */
core_isa bind_isa_of_one(const bind_target *target, sluice_precision precision, spl_format format);
/* Complex lanes per vector of an ISA: interleaved, or twice as many split. */
int bind_lanes(const bind_target *target, core_isa isa, sluice_precision precision,
               spl_format format);

#endif
