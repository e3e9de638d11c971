// SPDX-License-Identifier: BSD-3-Clause
/* How a backend joins: two small tables (discover, team) and one line in backends/backend_table.c.
 *
 * A backend owns the units of one kind on a machine and their threads. A body is a program
 * (spl/program/program.h); prepare() binds it to the backend once, run() executes it any number of
 * times from any number of threads. */
#ifndef BACKENDS_BACKEND_H
#define BACKENDS_BACKEND_H

#include "api/sluice.h"
#include "core/log.h"
#include "core/text.h"
#include "spl/emit/c_text.h"
#include "spl/formula/formats.h"
#include "spl/price/price.h"
#include "spl/program/program.h"

typedef struct backend backend;                 /* opened: units, threads, tables            */
typedef struct backend_program backend_program; /* a body bound to a backend; immutable      */

typedef struct backend_config {
    const char *text;   /* what followed the name in a unit string: "4" of "cpu:4", "/worker" of
                           "cpu/worker"; NULL: all */
    size_t local_store; /* 0: from the caches */
    int callers, large_callers;
    const core_log *log; /* outlives the backend */
    const void *native;  /* what the caller has opened, in the words of the backend's own header, in
                            place of `text`; NULL: nothing */
} backend_config;

/* Runs a prepared body with at most `workers` threads (0: as many as the team has). work: NULL, or
 * work_bytes bytes aligned to 64. Any thread; never waits for busy workers. E_INVALID for pointers,
 * E_DEVICE. */
typedef sluice_status backend_run(const backend_program *program, const sluice_arrays *arrays,
                                  void *work, int workers);

/* The same for one array on either side, and no scratch of the caller's. */
typedef sluice_status backend_run_pair(const backend_program *program, const void *in, void *out,
                                       int workers);

typedef enum backend_hook_place {
    BACKEND_HOOK_OUTSIDE = 0, /* the program does not have them */
    BACKEND_HOOK_FUSED,       /* as the first stage loads, as the last one stores */
    BACKEND_HOOK_KERNEL       /* in a kernel before the first stage, after the last */
} backend_hook_place;

/* Every backend's program begins with this, so that an execution is one indirect call. */
struct backend_program {
    backend_run *run;
    const struct backend_table *table;
    backend *owner;
    backend_run_pair *run_pair; /* a shorter way to the same; NULL: there is none */
    /* Where the hooks of a side are part of the program its arrays are the user's.
     * arrays.reserved[0] is the transform of the slowest batch dimension that they begin with. */
    backend_hook_place takes_hook[2];
};

typedef struct backend_thread backend_thread;

/* A block that was begun and is not finished. */
typedef struct backend_ticket backend_ticket;

/* Bytes of one iteration's packed input, from where they lie in the host's memory, or of its
 * output, to there. Several threads of the backend's at a time. */
typedef struct backend_carry {
    void (*get)(const void *user, int64_t iteration, size_t from, size_t bytes, void *to);
    void (*put)(const void *user, int64_t iteration, size_t from, size_t bytes, const void *block);
    const void *user;
} backend_carry;

/* The first `count` of the body's `full` transforms of the slowest batch dimension; of a body that
 * has blocks, its `iteration`, which `carry` gets and puts in place of arrays, that are any
 * pointers then. */
typedef struct backend_block {
    sluice_arrays arrays;
    size_t count, full;
    int64_t iteration;
    backend_carry carry; /* NULLs: there are arrays */
    int unit;
} backend_block;

/* Seconds of a block on its way to a unit, in it and back. */
typedef struct backend_legs {
    double get, compute, put;
} backend_legs;

/* How often something is timed: `runs` times at most, of which each lasts so many seconds at least,
 * and no more after the first once core_seconds() is past `until` (0: no limit). */
typedef struct backend_timing {
    double at_least, until;
    int runs;
} backend_timing;

/* How COPY gathers and scatters are executed. */
typedef enum backend_transfer_mode {
    BACKEND_FUSED = 0, /* they become PLAIN, there are no transfers */
    BACKEND_WORKER,    /* by the worker that computes, synchronously */
    BACKEND_HELPER,    /* by a second thread, while the worker computes */
    BACKEND_MODES,
    /* By the host, between its memory and the units': a body is one STREAM loop, and each
     * backend_block one of its iterations (prog.blocks). No mode to choose: what units that
     * `compute_blocks` do not hold. */
    BACKEND_BLOCKS = BACKEND_MODES
} backend_transfer_mode;

static inline const char *backend_mode_name(backend_transfer_mode mode)
{
    static const char *const name[BACKEND_MODES + 1] = {"fused", "worker", "helper", "blocks"};
    return name[mode];
}

/* A property of the units. */
typedef struct backend_transfers {
    bool can[BACKEND_MODES];    /* FUSED: also what runs plans that stream nothing */
    backend_transfer_mode mode; /* what the unit string requests */
    bool compute_blocks;        /* BLOCKS */
    bool measure;               /* each plan uses the mode measured fastest */
    char helpers[80];           /* where helpers run, or why there are none */
} backend_transfers;

/* What the price of a pass by groups of work-items rests on, besides the unit's description. */
typedef struct backend_groups {
    int64_t items;           /* of a group, which are aimed at */
    int64_t resident_items;  /* that a unit must have at a time */
    int64_t resident_groups; /* that a unit has at a time at most; 0: any number */
    /* Bytes of local memory that a unit has for all of them, 0: not known; that each takes besides
     * its own; of the memory that this and the unit's first-level cache share, 0: they share
     * none. */
    int64_t unit_local, group_local, unit_cache;
    int64_t item_registers; /* that an item has at least */
    int64_t most_turned;    /* points of a stage with factors behind it; 0: any number */
    int64_t group_bytes;    /* of elements that a group should have */
    int64_t run_bytes;      /* that neighbouring items should reach side by side */
    double byte_cycles;     /* of a pass, each byte once */
    /* What is added to a pass, in parts of it: by an exchange through local memory; where a unit
     * runs one group at a time, of several as many times less; by factors as large as the cache
     * that local memory leaves; by half as many items, or bytes of a group, or bytes of a run, or
     * of a sector, as there should be; by a turn more of items than stages between others have; by
     * as many items again that the first stage has none for, or the last; by a point of the first
     * stage. */
    double exchange, alone, factors, few_items, small_group, short_run, short_sector, turn,
        first_idle, last_idle, first_point;
    double factors_most; /* times the cache that is left, from which on more factors cost no more */
    double halves;       /* times as much an exchange takes by halves */
    /* What a kernel costs besides, a stage of it, a point of a stage, which an item computes in
     * turn: as `byte_cycles`. */
    double launch, stage, point;
    /* What is added where a core runs a group's items one after another: by a number that each
     * item, idle ones too, keeps in memory while all of them read before any writes, for each
     * number of the pass; by items that the last stage has none for, as many as it has; by a row
     * more of the first stage, which an item stores side by side and its neighbours as far
     * apart. */
    double kept, idle, apart;
} backend_groups;

typedef struct backend_discover {
    sluice_status (*open)(backend **out, const backend_config *config, sluice_diag *why);
    void (*close)(backend *b); /* NULL allowed; nothing may be running */
    int (*unit_count)(const backend *b);
    void (*unit_info)(const backend *b, int unit, sluice_unit_info *out); /* name left empty */
    /* For wisdom, each one word without blanks and '#', at most 99 bytes. `kind`: all that plans
     * and costs need to be valid here, "cpu:ISA:CODELETS". `make`: what else measured costs depend
     * on (caches, the processor), but not the number of units. */
    void (*signature)(const backend *b, core_text *kind, core_text *make);
    sluice_status (*fault)(const backend *b, int unit, sluice_diag *out); /* last device error */
    void (*transfers)(const backend *b, backend_transfers *out);
    /* Cores of the host that the units compute on. NULL: none, or no more than the calling
     * thread's. A kind that would need cores of a kind before it is left out. */
    int (*host_cores)(const backend *b);
    /* Of units with registers (unit_info). NULL: none has. */
    void (*groups)(const backend *b, backend_groups *out);
    /* Groups that a program is divided into whose arrays have so many bytes, both sides together.
     * NULL: as many as unit_info says, or units. */
    int64_t (*parts)(const backend *b, double bytes);
    /* Adds the unit strings of all that is there, with a comma after each: what "all" opens. NULL:
     * nothing. */
    void (*list)(core_text *units);
} backend_discover;

/* Memory that units copy from and to fastest (pinned), for the slots of streams. A backend knows
 * its own memory again; other arrays go by staging. */
typedef struct backend_memory {
    void *(*alloc)(backend *b, size_t bytes); /* aligned to 64; NULL: there is none left */
    void (*free)(backend *b, void *block);    /* NULL allowed */
} backend_memory;

/* One run on one unit, predicted. */
typedef struct backend_cost {
    double seconds;     /* the sum of the stages', and what an execution takes; units with a depth:
                           with the ways there and back */
    double latency;     /* of these, what a block of any count takes: launches, beginnings */
    double pace;        /* from block to block of a stream, whose ways there and back overlap with
                           others' computation; 0: as `seconds` */
    double operations;  /* vector instructions, memory aside */
    double bytes;       /* loaded and stored by kernels, tables included */
    double working_set; /* bytes: both sides and the scratch */
    const char *bound;  /* what takes most of the time: "arithmetic" or "memory" */
} backend_cost;

/* How a codelet of DFT_n is used: as the last stage of a product, in vectors of columns without
 * twiddles; as a middle stage, with one twiddle per row; as the first stage, with a twiddle per
 * element, transposing, or in columns, where a later one does; as contiguous rows, one after the
 * other; between columns on one side and contiguous rows on the other, which are read or written;
 * one column at a time, its rows at any stride; as a single contiguous transform, interleaved or
 * with one or both sides split. */
typedef enum backend_use {
    BACKEND_STAGE = 0,
    BACKEND_MIDDLE,
    BACKEND_FIRST,
    BACKEND_FIRST_COLUMNS,
    BACKEND_ROWS,
    BACKEND_ROWS_IN,
    BACKEND_ROWS_OUT,
    BACKEND_STRIDED,
    BACKEND_SINGLE,
    BACKEND_SINGLE_SPLIT_IN,
    BACKEND_SINGLE_SPLIT_OUT,
    BACKEND_SINGLE_SPLIT,
    BACKEND_USES
} backend_use;

/* In the tables below `costs` are measured costs: cycles of one step of each kernel, numbered as in
 * backend_tuning (0: not measured), followed by the PRICE_FIGURES of a unit (all 0: not measured);
 * NULL: nothing was measured. The array must not change while programs prepared with it exist, so
 * that all choices of a plan agree. */

typedef struct backend_team {
    /* `mode` is one that the units support. E_UNSUPPORTED, with a sentence, if the backend cannot
     * run the body. */
    sluice_status (*prepare)(backend *b, const double *costs, const prog *body,
                             backend_transfer_mode mode, sluice_precision precision,
                             backend_program **out, sluice_diag *why);
    /* The same without tables and scratch, for `estimate` and `release` alone: takes a fraction of
     * the time. NULL: the backend prices no candidates. */
    sluice_status (*sketch)(backend *b, const double *costs, const prog *body,
                            backend_transfer_mode mode, sluice_precision precision,
                            backend_program **out, sluice_diag *why);
    void (*release)(backend_program *program); /* NULL allowed */
    size_t (*work_bytes)(const backend_program *program);
    /* E_MEMORY. */
    sluice_status (*estimate)(const backend_program *program, backend_cost *out);
    /* The price of each statement of the body, (*out)[i]; core_free. E_MEMORY. NULL: the backend
     * prices no stages, and the next two are NULL as well. */
    sluice_status (*stages)(const backend_program *program, price_stage **out);
    /* The name of the stage that statement i became, as in print. */
    void (*name_stage)(const backend_program *program, size_t stmt, core_text *out);
    /* One run by the calling thread alone: adds to seconds[i] the time of the outermost loop (or of
     * the statement outside loops) whose first stage is statement i. */
    sluice_status (*time)(const backend_program *program, const sluice_arrays *arrays,
                          double *seconds);
    /* Cycles of one transform of n points (kind: spl_kind, SPL_DFT of both directions) by a
     * codelet, measured or predicted, divided by the lanes of a vector; 0 if there is no codelet of
     * that size for this use. NULL: the backend prices no kernels. */
    double (*kernel_cycles)(const backend *b, const double *costs, int kind, int64_t n,
                            sluice_precision precision, backend_use use);
    /* How many times shorter vectors of that format may be in stages whose columns do not fill the
     * unit's. NULL: they are as long everywhere. */
    int (*shorter)(const backend *b, spl_format format);
    /* Lanes of the shortest vectors of that format that take contiguous rows of n points side by
     * side, with the same bits as the unit's own; 0: none do. NULL: not known. */
    int (*row_lanes)(const backend *b, int kind, int64_t n, sluice_precision precision,
                     spl_format format);
    /* Lanes of interleaved vectors in programs that have the same bits on all processors
     * (prog_sides.same_bits). NULL, or 0: the backend prepares none. */
    int (*alike_lanes)(const backend *b, sluice_precision precision);
    void (*print)(const backend_program *program, core_text *out); /* placement level */
    /* NULL: it prints no programs. */
    sluice_status (*emit)(const backend_program *program, spl_c_source *out, sluice_diag *why);
    /* Runs fn(arg) on an idle worker or a new thread, for the driver of a stream; join waits for fn
     * to return. NULL: no thread could be created. */
    backend_thread *(*start)(backend *b, void (*fn)(void *arg), void *arg);
    void (*join)(backend_thread *thread);
    /* How many blocks a unit gets, computes and puts at a time, by itself; 0: none, it only runs.
     * NULL, and so are the next four: no unit of this backend does. Any thread may call them,
     * several at a time; no more blocks are ever begun than the depth. */
    int (*depth)(const backend *b);
    /* Starts a block and returns; its arrays belong to the unit until it is finished. On failure
     * (E_DEVICE, E_MEMORY) nothing was started and no array was written. */
    sluice_status (*begin)(const backend_program *program, const backend_block *block,
                           backend_ticket **out);
    bool (*is_done)(const backend_ticket *ticket); /* finish would not wait */
    /* Waits until the unit has let go of the block's arrays; blocks may be finished in any order.
     * On failure (E_DEVICE) the output holds anything. Either way the ticket is gone. */
    sluice_status (*finish)(backend_ticket *ticket, backend_legs *seconds);
    /* False: the unit is lost, it will never compute again. */
    bool (*is_alive)(const backend *b, int unit);
    /* Seconds of an execution whose data are in the unit's memory before and after, of many that
     * follow each other: seconds[0 .. *runs-1]. Of units that do not share the host's memory; the
     * whole block's input is sent there once. A block counts as begun meanwhile. E_DEVICE,
     * E_MEMORY. NULL: such times are not to be had. */
    sluice_status (*time_there)(const backend_program *program, const backend_block *block,
                                const backend_timing *timing, double *seconds, int *runs);
    /* Enqueues an execution on objects of the caller's, `run` in the words of the backend's public
     * header, and returns; how much scratch it takes there. NULL: there is no such header. */
    sluice_status (*run_native)(const backend_program *program, const void *run, sluice_diag *why);
    size_t (*native_work_bytes)(const backend_program *program);
} backend_team;

/* The backend's kernels, numbered, and how their costs are measured. */
typedef struct backend_tuning {
    int (*count)(const backend *b);
    void (*describe)(const backend *b, int kernel, sluice_codelet_info *out); /* measured left 0 */
    /* Fills costs[0 .. count-1], rounded to hundredths, and the figures after them, rounded to
     * whole numbers. Runs on the calling thread. Ends early with the status of `progress` (may be
     * NULL) if that is not OK. */
    sluice_status (*measure)(backend *b, double *costs, sluice_progress *progress, void *user,
                             sluice_diag *why);
} backend_tuning;

typedef struct backend_table {
    const char *name; /* "cpu" "ref" "fake" */
    sluice_unit_kind kind;
    const backend_discover *discover;
    const backend_team *team;
    const backend_tuning *tuning; /* NULL: the backend has no kernels to measure */
    const backend_memory *memory; /* NULL: any memory will do */
} backend_table;

/* All backends, NULL-terminated (backends/backend_table.c, the only file that names them). */
extern const backend_table *const backend_tables[];

#endif
