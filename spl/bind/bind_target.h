// SPDX-License-Identifier: BSD-3-Clause
/* What programs are bound for: vectors, codelets, caches. A backend fills in a bind_target once;
 * binding reads nothing else about the machine. */
#ifndef SPL_BIND_TARGET_H
#define SPL_BIND_TARGET_H

#include "spl/bind/bind_table.h"
#include "spl/codelet/codelet.h"

/* The vectors of one ISA. */
typedef struct bind_vectors {
    int bytes;                      /* of a vector; 0: scalars */
    const spl_codelet *codelets[2]; /* by precision, the last has no name; NULL: there are none */
} bind_vectors;

/* Sizes in bytes above which memory is accessed in another way; SIZE_MAX: never. `row` limits do
 * not depend on the caches' sizes. */
typedef struct bind_memory {
    size_t l1;           /* position T, which writes parts of lines, is meant for data up to this */
    size_t local_store;  /* of a unit; tables beyond half of it are split in two */
    size_t nt_written;   /* non-temporal stores: output that nothing reads */
    size_t nt_in_place;  /* output that is read at the same time */
    size_t nt_reused;    /* output that is read earlier in its loop, or afterwards */
    size_t nt_several;   /* output that nothing reads, if several units write it */
    bool nt_cached;      /* also for tiles in place, whose lines a cache may hold */
    size_t prefetch;     /* batches: whole transforms one after the other */
    size_t prefetch_row; /* tiles: the rows of the next twiddle set */
    size_t prefetch_l2;  /* the same rows, into L2 */
    size_t tile_row;     /* longest row of a tile; hardware prefetches longer rows */
    size_t alias;        /* rows this far apart map to the same L1 sets */
    size_t page;         /* hardware prefetches no further */
} bind_memory;

typedef struct bind_target {
    const char *name;
    core_isa isa; /* the best one; lower ones that have codelets are used as well */
    bind_vectors vectors[CORE_ISA_COUNT]; /* by ISA */
    int units, helpers;                   /* helpers: threads that execute transfers */
    int data_path; /* bytes of a vector computed at once; 0: the whole vector, or unknown */
    bind_memory memory;
    /* Codelets of all ISAs give the same bits: the same sums in the same order, each product and
     * sum rounded once. Plain C is then the set of reproducible plans (spl_codelets_fused_f32). */
    bool reproducible;
    bind_tables *tables; /* shared by all its programs */
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
/* Is the transform computed within registers? Then its sums depend on the length of vectors. */
bool bind_is_in_registers(const spl_key *key);
bool bind_is_real_kind(int kind); /* a transform that computes with reals */
/* Does the codelet of the same key with shorter vectors compute the same bits, column by column?
 * Not if it computes within registers; and codelets of pairs choose the format of their sides
 * together with their vectors. */
bool bind_has_narrow_twins(const spl_key *key);
/* Does it read transforms one after the other? If these have at most so many bytes, loads of
 * several are outstanding at a time, and hardware prefetching keeps ahead
 * (docs/log/prefetch.md). */
enum { BIND_PREFETCH_ROW_BYTES = 4096 };
/* Bytes of a cache line; codelets prefetch and store such lines (backends/cpu/isa). */
enum { BIND_LINE = 64 };
static inline bool bind_reads_rows_in_sequence(const spl_key *key)
{
    return key->position == SPL_POS_W || key->position == SPL_POS_S || key->position == SPL_POS_T
           || key->position == SPL_POS_D;
}
/* Does `count` of the codelet count sets of columns? It does with broadcast twiddles, and in pairs
 * at B, where a set is one pair, with a factor or without. */
static inline bool bind_runs_sets(const spl_key *key)
{
    return key->position == SPL_POS_B || key->tw == SPL_TW_BROADCAST;
}

/* Has an ISA codelets that compute in that format? Next to longer vectors, those of 128 bits are
 * interleaved only. */
bool bind_has_format(const bind_target *target, core_isa isa, sluice_precision precision,
                     spl_format format);
/* The ISA whose vectors hold one complex number: that of 128 bits, or plain C. */
core_isa bind_isa_of_one(const bind_target *target, sluice_precision precision, spl_format format);
/* Lanes per vector of an ISA: complex numbers if interleaved, twice as many if split. */
int bind_lanes(const bind_target *target, core_isa isa, sluice_precision precision,
               spl_format format);

#endif
