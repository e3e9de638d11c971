// SPDX-License-Identifier: BSD-3-Clause
/* How to add a backend: a backend_table of its functions (discover and team, others if it has
 * them), and one line in backends/backend_table.c.
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
    const char *text;   /* what follows the name in a unit string: "4" of "cpu:4", "/worker" of
                           "cpu/worker"; NULL: all */
    size_t local_store; /* 0: from the caches */
    int callers, large_callers;
    const core_log *log; /* outlives the backend */
    const void *native;  /* an object that the caller has opened, of a type of the backend's own
                            header, instead of `text`; NULL: none */
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
    BACKEND_HOOK_OUTSIDE = 0, /* the program does not apply them */
    BACKEND_HOOK_FUSED,       /* applied as the first stage loads, as the last one stores */
    BACKEND_HOOK_KERNEL       /* applied by a kernel before the first stage, after the last */
} backend_hook_place;

/* Every backend's program begins with this, so that an execution is one indirect call. */
struct backend_program {
    backend_run *run;
    const struct backend_table *table;
    backend *owner;
    backend_run_pair *run_pair; /* a shorter way to the same; NULL: there is none */
    /* If the program applies the hooks of a side, that side's arrays are the user's;
     * arrays.reserved[0] is then the index of their first transform in the slowest batch
     * dimension. */
    backend_hook_place takes_hook[2];
};

typedef struct backend_thread backend_thread;

/* A block that was begun and is not finished. */
typedef struct backend_ticket backend_ticket;

/* get copies bytes of one iteration's packed input from their places in the host's memory, put
 * those of its output to their places. Several of the backend's threads may call them at a time. */
typedef struct backend_carry {
    void (*get)(const void *user, int64_t iteration, size_t from, size_t bytes, void *to);
    void (*put)(const void *user, int64_t iteration, size_t from, size_t bytes, const void *block);
    const void *user;
} backend_carry;

/* The first `count` of the body's `full` transforms of the slowest batch dimension. If the body has
 * blocks: its iteration number `iteration`, whose data `carry` gets and puts; `arrays` are then any
 * pointers. */
typedef struct backend_block {
    sluice_arrays arrays;
    size_t count, full;
    int64_t iteration;
    backend_carry carry; /* members NULL: the block's data are in `arrays` */
    int unit;
} backend_block;

/* Seconds that a block takes to the unit, in it and back. */
typedef struct backend_legs {
    double get, compute, put;
} backend_legs;

/* How often something is timed: at most `runs` times, each for at least `at_least` seconds. After
 * the first run none is begun once core_seconds() exceeds `until` (0: no limit). */
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
    /* By the host, between its memory and the units': the body is one STREAM loop, and each
     * backend_block is one of its iterations (prog.blocks). It cannot be requested: plans that
     * exceed the memory of units that `compute_blocks` use it. */
    BACKEND_BLOCKS = BACKEND_MODES
} backend_transfer_mode;

static inline const char *backend_mode_name(backend_transfer_mode mode)
{
    static const char *const name[BACKEND_MODES + 1] = {"fused", "worker", "helper", "blocks"};
    return name[mode];
}

/* A property of the units. */
typedef struct backend_transfers {
    bool can[BACKEND_MODES];    /* FUSED is also the mode of plans that stream nothing */
    backend_transfer_mode mode; /* what the unit string requests */
    bool compute_blocks;        /* supports BACKEND_BLOCKS */
    bool measure;               /* each plan uses the mode measured fastest */
    char helpers[80];           /* where helpers run, or why there are none */
} backend_transfers;

/* Limits of groups of work-items, and figures for the price of a pass by them, besides the unit's
 * description. */
typedef struct backend_groups {
    int64_t items; /* that a group should have */
    /* that a group may have, besides the unit's limit; of a transform that an item computes: no
     * more than kernels are printed for (spl/emit/print_opencl.h) */
    int64_t most_items, most_points;
    int64_t most_prime;      /* factor of such a number of points */
    int64_t resident_items;  /* that a unit must be able to run at a time */
    int64_t resident_groups; /* that a unit can run at a time; 0: any number */
    /* Bytes of local memory: of a unit, for all its groups (0: not known); that each group takes
     * besides its own; of the memory that local memory and the unit's first-level cache share (0:
     * they share none). */
    int64_t unit_local, group_local, unit_cache;
    int64_t item_registers; /* that an item takes at least */
    int64_t most_twiddled;  /* points of a stage with twiddle factors, at most; 0: any number */
    int64_t group_bytes;    /* of elements that a group should have */
    int64_t run_bytes;      /* of adjacent elements that neighbouring items should access */
    double byte_cycles;     /* cycles of a unit for a byte that a pass moves once */
    /* The following are added to the price of a pass, as fractions of it: exchange, for each
     * exchange through local memory; alone, if a unit runs one group at a time, divided by their
     * number; factors, for twiddle factors as large as the cache that local memory leaves;
     * few_items, small_group, short_run, short_sector, if items, or bytes of a group, of a run or
     * of a sector are half of what they should be; turn, for each turn of items beyond that of the
     * inner stages; first_idle and last_idle, for as many idle items as the first (last) stage has
     * busy ones; first_point, for each point of the first stage. */
    double exchange, alone, factors, few_items, small_group, short_run, short_sector, turn,
        first_idle, last_idle, first_point;
    double factors_most; /* more factors than this times that cache cost no more */
    double halves;       /* price of an exchange in halves over that of an ordinary one */
    /* Fixed costs of a kernel, of each of its stages, and of each point of a stage, which an item
     * computes in turn; in cycles as `byte_cycles`. */
    double launch, stage, point;
    /* Added in the same way if a core runs a group's items one after another: for each number per
     * number of the pass that items, idle ones too, keep in memory while all of them read before
     * any writes; for as many idle items as the last stage has busy ones; for each row of the first
     * stage: an item stores its rows side by side, so its neighbours store that far apart. */
    double kept, idle, apart;
} backend_groups;

typedef struct backend_discover {
    sluice_status (*open)(backend **out, const backend_config *config, sluice_diag *why);
    void (*close)(backend *b); /* NULL allowed; nothing may be running */
    int (*unit_count)(const backend *b);
    void (*unit_info)(const backend *b, int unit, sluice_unit_info *out); /* name left empty */
    /* For wisdom: each is one word without blanks and '#', at most 99 bytes. `kind` is what has to
     * be equal for plans and costs to be valid, "cpu:ISA:CODELETS". `make` is what measured costs
     * depend on besides (caches, the processor), but not the number of units. */
    void (*signature)(const backend *b, core_text *kind, core_text *make);
    sluice_status (*fault)(const backend *b, int unit, sluice_diag *out); /* last device error */
    void (*transfers)(const backend *b, backend_transfers *out);
    /* Cores of the host on which the units compute. NULL: none, or only the calling thread's. A
     * kind is left out if it would need cores that a kind before it uses. */
    int (*host_cores)(const backend *b);
    /* Limits and prices of units that have registers (unit_info). NULL: none has. */
    void (*groups)(const backend *b, backend_groups *out);
    /* The number of groups into which a program is divided whose arrays have so many bytes, both
     * sides together. NULL: as many as unit_info says, or units. */
    int64_t (*parts)(const backend *b, double bytes);
    /* Adds the unit strings of all devices that exist, each with a comma after it, for "all". NULL:
     * adds nothing. */
    void (*list)(core_text *units);
} backend_discover;

/* Memory from and to which units copy fastest (pinned), for the slots of streams. A backend
 * recognizes its own memory; it stages other arrays. */
typedef struct backend_memory {
    void *(*alloc)(backend *b, size_t bytes); /* aligned to 64; NULL: out of memory */
    void (*free)(backend *b, void *block);    /* NULL allowed */
} backend_memory;

/* Predicted cost of one run on one unit. */
typedef struct backend_cost {
    double seconds;     /* the sum of the stages' and the cost of a call; for units with a depth
                           transfers there and back are included */
    double latency;     /* the part of it that does not depend on the block's count: launches */
    double pace;        /* from block to block of a stream, in which transfers overlap with the
                           computation of other blocks; 0: as `seconds` */
    double operations;  /* vector instructions other than loads and stores */
    double bytes;       /* loaded and stored by kernels, tables included */
    double working_set; /* bytes: both sides and the scratch */
    const char *bound;  /* what takes most of the time: "arithmetic" or "memory" */
} backend_cost;

/* How a codelet of DFT_n is used. STAGE: the last stage of a product, in vectors of columns without
 * twiddles. MIDDLE: a middle stage, with one twiddle per row. FIRST: the first stage, with a
 * twiddle per element, transposing; FIRST_COLUMNS: the same in columns, if a later stage
 * transposes. ROWS: contiguous rows, one after another; ROWS_IN, ROWS_OUT: between columns on one
 * side and contiguous rows on the other, which are read or written. STRIDED: one column at a time,
 * its rows at any stride. SINGLE: one contiguous transform, interleaved or with one or both sides
 * split. */
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
    /* The same without tables and scratch, only for `estimate` and `release`: takes a fraction of
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
    /* By which factor vectors of that format may be shorter in stages whose columns do not fill the
     * unit's vectors. NULL: all vectors have the same length. */
    int (*shorter)(const backend *b, spl_format format);
    /* Lanes of the shortest vectors of that format with codelets that take contiguous rows of n
     * points side by side, with the same bits as the unit's own; 0: none. NULL: not known. */
    int (*row_lanes)(const backend *b, int kind, int64_t n, sluice_precision precision,
                     spl_format format);
    /* Lanes of interleaved vectors in programs that have the same bits on all processors
     * (prog_sides.reproducible). NULL, or 0: the backend prepares none. */
    int (*alike_lanes)(const backend *b, sluice_precision precision);
    void (*print)(const backend_program *program, core_text *out); /* placement level */
    /* NULL: the backend prints no programs. */
    sluice_status (*emit)(const backend_program *program, spl_c_source *out, sluice_diag *why);
    /* Runs fn(arg) on an idle worker or a new thread, for the driver of a stream; join waits for fn
     * to return. NULL: no thread could be created. */
    backend_thread *(*start)(backend *b, void (*fn)(void *arg), void *arg);
    void (*join)(backend_thread *thread);
    /* How many blocks a unit gets, computes and puts at a time, by itself; 0: none, it only runs.
     * This and the next four are NULL if no unit of this backend does. Any thread may call them,
     * several at a time; no more blocks are begun than the depth. */
    int (*depth)(const backend *b);
    /* Starts a block and returns; its arrays belong to the unit until it is finished. On failure
     * (E_DEVICE, E_MEMORY) nothing was started and no array was written. */
    sluice_status (*begin)(const backend_program *program, const backend_block *block,
                           backend_ticket **out);
    bool (*is_done)(const backend_ticket *ticket); /* then finish does not wait */
    /* Waits until the unit no longer uses the block's arrays; blocks may be finished in any order.
     * On failure (E_DEVICE) the output is undefined. Either way the ticket is released. */
    sluice_status (*finish)(backend_ticket *ticket, backend_legs *seconds);
    /* False: the unit is lost, it will never compute again. */
    bool (*is_alive)(const backend *b, int unit);
    /* Times executions, chained one after another, whose data stay in the unit's memory: seconds of
     * one in seconds[0 .. *runs-1]. For units that do not share the host's memory; the whole
     * block's input is sent there once. Meanwhile it counts as a block that was begun. E_DEVICE,
     * E_MEMORY. NULL: the backend cannot measure such times. */
    sluice_status (*time_there)(const backend_program *program, const backend_block *block,
                                const backend_timing *timing, double *seconds, int *runs);
    /* Enqueues an execution on objects of the caller's and returns; `run` has a type of the
     * backend's public header. native_work_bytes: scratch that it needs there. NULL: no such
     * header. */
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
    const backend_memory *memory; /* NULL: any memory is equally fast */
} backend_table;

/* All backends, NULL-terminated (backends/backend_table.c). */
extern const backend_table *const backend_tables[];

#endif
