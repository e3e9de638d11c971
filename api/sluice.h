// SPDX-License-Identifier: BSD-3-Clause
/* Sluice: Fourier-family transforms on every worker unit of a machine.
 *
 * The transform is a formula; the machine is a set of tags on the formula; rewriting turns the
 * tagged formula into gather - compute - scatter loops that run on CPU cores and devices.
 *
 * Conventions
 *   sign          forward is exp(-2 pi i jk/n), inverse is exp(+2 pi i jk/n)
 *   scaling       none by default (sluice_scale); inverse(forward(x)) = n x, unless one has scale=n
 *   order         natural on both sides; dimensions and strides slowest first
 *   input         always preserved unless the problem is in place; in place means in == out
 *   real data     half-spectra of n/2+1 complex numbers; c2r(r2c(x)) = n x (docs/FAMILY.md)
 *   overlap       input and output that overlap without being equal are refused; so are outputs of
 *                 one problem that would be written twice
 *   alignment     that of the scalar (4 or 8 bytes); 64 bytes is fastest (sluice_alloc)
 *   threads       planning is safe from any thread and never touches the user's arrays; one plan
 *                 may be executed by any number of threads at once, but not while it is
 *                 destroyed
 *   same bits     a plan's results do not depend on the number of workers, on the position in a
 *                 batch or on the run; each kind of units has its own bits, and the plan fixes the
 *                 transforms that each kind computes
 *   errors        open and create report what can fail; execute returns SLUICE_E_INVALID for bad
 *                 pointers and SLUICE_E_DEVICE if a device fails
 *   signals, fork workers block all signals; after fork a child has no workers: its CPU plans and
 *                 the streams it opens run on the calling thread, which may be out of memory
 *                 (SLUICE_E_MEMORY); a stream opened before fork returns SLUICE_E_INVALID there and
 *                 can be closed
 *
 * What an execution on CPU units waits for, allocates and locks
 *   - Scratch of up to 16 KiB is on the caller's stack. Larger scratch is an area owned by the
 *     machine, unless the caller provides its own (sluice_execute_with). Areas are allocated with
 *     the plans and acquired under a lock that is held for a few instructions. If the number of
 *     callers was left open (sluice_machine_options), a call that finds no free area allocates one
 *     under that lock, the only allocation of an execution, and the machine keeps it. If an eighth
 *     of the memory (the machine's, or the limit of its control group) is in use, if there are 256
 *     areas, or if the number of callers was given, it waits for a free area. It never fails for
 *     lack of one.
 *   - Busy workers are not waited for. A member of a team that waits for another one spins for some
 *     microseconds, then sleeps (a mutex and a condition); the caller spins, then yields, until its
 *     workers are done. Idle workers that sleep are woken through a mutex and a condition as well.
 *   - A thread with deadlines uses a plan with `workers` 1 and scratch of its own, or a plan that
 *     needs at most 16 KiB: such an execution locks nothing, allocates nothing, waits for nobody
 *     and makes no system call, unless the units copy by helpers or the plan has hooks
 *     (docs/HOOKS.md). In a child after fork, and on other units, executions do allocate.
 *
 * Every enum's 0 is its default and every options struct that is all zeros means "default". Structs
 * end in `reserved`, which must be zero, except sluice_diag, sluice_dim, sluice_cyclic and
 * sluice_slot, which do not grow. No call aborts, none prints unless SLUICE_VERBOSE or a log
 * callback requests it. */
#ifndef SLUICE_H
#define SLUICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 1
#define SLUICE_VERSION_PATCH 0
#define SLUICE_MAX_RANK 8       /* transform axes of a problem      */
#define SLUICE_MAX_BATCH_RANK 8 /* batch dimensions of a problem    */

/* ---------------------------------------------------------------- status ---------------- */

typedef enum sluice_status {
    SLUICE_OK = 0,
    SLUICE_AGAIN = 1, /* no failure: try again later    */
    SLUICE_END = 2,   /* no failure: there is no more   */
    SLUICE_E_INVALID = -1,
    SLUICE_E_MEMORY = -2,
    SLUICE_E_PARSE = -3,
    SLUICE_E_UNSUPPORTED = -4,
    SLUICE_E_DEVICE = -5,
    SLUICE_E_IO = -6,
    SLUICE_E_CANCELLED = -7
} sluice_status;

/* A sentence for a status; never NULL, static. */
const char *sluice_strerror(sluice_status status);
/* "major.minor.patch", static. */
const char *sluice_version(void);

/* Why a call failed: the caller's struct, may be NULL. `offset` is a byte offset into the text that
 * was parsed (0 if there was none). Set on failure only, except by sluice_wisdom_load. */
typedef struct sluice_diag {
    size_t offset;
    char message[240];
} sluice_diag;

/* A sink for text. SLUICE_OK continues; any other status ends the call that writes. */
typedef sluice_status sluice_write(void *user, const char *text, size_t length);

/* ---------------------------------------------------------------- machine --------------- */

typedef struct sluice_machine sluice_machine; /* units + caches; shared by threads */

typedef struct sluice_machine_options {
    /* "cpu", "cpu:4", "cpu:4+openmp", "ref", "all"; NULL: $SLUICE_UNITS, else all CPU cores.
     * "cpu:4/worker": the computing thread copies blocks to and from its local store; "/helper": a
     * second thread copies while it computes; "/measure": each plan uses the mode measured fastest;
     * "/fused" (default): kernels access the user's arrays directly. "cpu:2,ref": units of several
     * kinds; streams use all of them, executions divide batches by rate (docs/ARCHITECTURE.md).
     * "all": every core, and every device that is found */
    const char *units;
    size_t local_store; /* bytes of local store per unit; 0: derived from its caches            */
    int callers;       /* max concurrent executions with library scratch; 0: unlimited, see above */
    int large_callers; /* the same for scratch larger than the local stores                    */
    sluice_write *log; /* receives the lines of all SLUICE_VERBOSE channels                    */
    void *log_user;
    uintptr_t reserved[8];
} sluice_machine_options;

typedef enum sluice_unit_kind {
    SLUICE_UNIT_CPU = 0,
    SLUICE_UNIT_REF,
    SLUICE_UNIT_FAKE,
    SLUICE_UNIT_OPENCL
} sluice_unit_kind;

/* How device kernels get the twiddle factors between their stages: read from tables; computed, as
 * accurate as these; computed by the device's fast functions, as accurate as they are. */
typedef enum sluice_twiddles {
    SLUICE_TWIDDLES_TABLE = 0,
    SLUICE_TWIDDLES_SINCOS,
    SLUICE_TWIDDLES_NATIVE
} sluice_twiddles;

typedef struct sluice_unit_info {
    sluice_unit_kind kind;
    char name[64];            /* "cpu:0"                                    */
    char isa[16];             /* "scalar" "vec128" "avx2" "avx512"          */
    int os_index;             /* number of the processing unit; -1: unknown */
    int numa_node;            /* -1: unknown                                */
    size_t l1, l2, l3;        /* bytes of data cache this unit sees         */
    size_t line;              /* bytes of a cache line                      */
    size_t local_store;       /* max bytes of a block                       */
    int lanes_f32, lanes_f64; /* complex numbers in an interleaved vector   */
    /* Devices; 0 for cores. */
    int compute_units, groups;   /* groups: the parts that a program is divided into */
    size_t largest_group;        /* work-items                                  */
    size_t local_memory, memory; /* bytes: of a group; that blocks may use           */
    int shares_memory;           /* the device computes in the host's memory         */
    int has_f64, has_f16;
    /* 32-bit registers of a compute unit, shared by its work-items; 0: not counted, because its
     * kernels are vector code with one work-item per group. */
    size_t registers;
    sluice_twiddles twiddles;
    int reserved[1];
} sluice_unit_info;

/* Opens the machine: finds its units and starts its workers. `options` may be NULL. */
sluice_status sluice_machine_open(sluice_machine **out, const sluice_machine_options *options,
                                  sluice_diag *why);
/* Releases the caller's reference; the machine is freed with its last plan. NULL is allowed. */
void sluice_machine_close(sluice_machine *machine);
int sluice_machine_unit_count(const sluice_machine *machine);
sluice_status sluice_machine_unit_info(const sluice_machine *machine, int unit,
                                       sluice_unit_info *out);
/* The last device error of a unit, by name; SLUICE_OK if there was none. */
sluice_status sluice_machine_fault(const sluice_machine *machine, int unit, sluice_diag *out);

/* ---------------------------------------------------------------- problem --------------- */

typedef enum sluice_kind {
    SLUICE_KIND_SAME = 0, /* as the previous axis; first: c2c */
    SLUICE_C2C,
    SLUICE_R2C,
    SLUICE_C2R,
    SLUICE_DCT2,
    SLUICE_DCT3,
    SLUICE_DCT4,
    SLUICE_DST2,
    SLUICE_DST3,
    SLUICE_DST4,
    SLUICE_IDXST,
    SLUICE_DCT1,
    SLUICE_DST1,
    SLUICE_DHT
} sluice_kind;
typedef enum sluice_precision { SLUICE_F32 = 0, SLUICE_F64 } sluice_precision;
typedef enum sluice_direction { SLUICE_FORWARD = 0, SLUICE_INVERSE } sluice_direction;
typedef enum sluice_layout {
    SLUICE_INTERLEAVED = 0, /* re im re im ...            */
    SLUICE_SPLIT,           /* two arrays, re and im      */
    SLUICE_PACKED,          /* half-spectra of n reals as n reals: re X_0, of an even n re
                             * X_(n/2), re X_1, im X_1, re X_2 ..  */
    SLUICE_HALFCOMPLEX      /* re X_0 .. re X_(n/2), im X_((n-1)/2) .. im X_1 */
} sluice_layout;
typedef enum sluice_scale {
    SLUICE_SCALE_NONE = 0,
    SLUICE_SCALE_N,
    SLUICE_SCALE_ORTHO
} sluice_scale;
typedef enum sluice_mode { SLUICE_MODE_AUTO = 0, SLUICE_LATENCY, SLUICE_THROUGHPUT } sluice_mode;

/* One dimension: n points, and the stride of each side in elements of that side: complex numbers on
 * a complex side, reals on a real side. If both strides of every dimension are 0, the problem is
 * packed. Strides may be negative; those of a dimension of size 1 are ignored.
 * R2C, C2R: the complex side has n/2+1 elements along the last axis; the other axes are C2C
 * (forward and inverse). In place, each row of reals begins where its half-spectrum does: packed,
 * there are 2(n/2+1) reals from row to row; else strides between rows of reals must be twice those
 * between rows of complex numbers. */
typedef struct sluice_dim {
    size_t n;
    ptrdiff_t in_stride, out_stride;
} sluice_dim;
/* A block-cyclic order of a side: blocks of `block` elements of the packed transform are
 * distributed round-robin over `parts` parts, which are stored one after the other. */
typedef struct sluice_cyclic {
    size_t block, parts; /* 0, 0: natural order; block times parts divides the points */
} sluice_cyclic;

typedef struct sluice_problem {
    sluice_kind kind[SLUICE_MAX_RANK];
    sluice_precision precision;
    int rank;
    sluice_dim dim[SLUICE_MAX_RANK];
    int batch_rank;
    sluice_dim batch[SLUICE_MAX_BATCH_RANK];
    sluice_direction direction;
    sluice_layout in_layout, out_layout;
    sluice_cyclic in_cyclic, out_cyclic;
    sluice_scale scale;
    sluice_mode mode; /* AUTO: latency if the batch is 1, else throughput */
    int workers;      /* max threads of an execution; 0: all; does not change the results */
    bool in_place;
    uintptr_t reserved[8];
} sluice_problem;

/* Reads a problem string ("c2c:f32:1024*4096:inverse", grammar in docs/PROBLEMS.md). */
sluice_status sluice_problem_parse(sluice_problem *out, const char *text, sluice_diag *why);
/* Writes the string that parses back to the same problem, with its terminating 0. SLUICE_E_INVALID
 * if `size` is too small (256 always suffices for rank 3) or the problem is malformed. */
sluice_status sluice_problem_print(const sluice_problem *problem, char *text, size_t size);

/* ---------------------------------------------------------------- plan ------------------ */

typedef struct sluice_plan sluice_plan; /* immutable; execute from any number of threads at once */

/* What a plan does besides its transform. On the way in it loads what `storage` and `extent` say,
 * multiplies by `weight`, and passes the result to `call`; on the way out results are scaled,
 * weighted, passed to `call` and stored (docs/HOOKS.md). Everything, including the weights, is
 * copied when a plan is made. A plan with hooks uses wisdom but adds none. E_INVALID: values
 * without a meaning; E_UNSUPPORTED: what this version or these units do not have. */
typedef enum sluice_storage {
    SLUICE_STORE_SAME = 0,
    SLUICE_STORE_F32,
    SLUICE_STORE_F64,
    SLUICE_STORE_I16, /* x / 32768, rounded to nearest and saturated */
    SLUICE_STORE_F16  /* half precision */
} sluice_storage;
/* Receives `count` consecutive elements of the packed side, from element `first` of the whole batch
 * on (in a stream, of the block), in working precision, re and im side by side; it may change them.
 * It is called on any thread and in any order, with each element within the extents once per
 * execution, and must not execute the plan. A status other than SLUICE_OK ends the execution, which
 * returns it. Measuring does not call it; verifying calls it once more for each element. */
typedef sluice_status sluice_hook(void *user, size_t first, size_t count, void *data);
typedef struct sluice_side_hooks {
    size_t extent[SLUICE_MAX_RANK]; /* elements of each axis that exist; 0: the whole axis. Input
                                       beyond them is zero and not read; output is not written */
    const double *weight;           /* factors over the last weight_rank axes; NULL: none */
    int weight_rank;
    sluice_storage storage; /* of the user's array; in place: the same on both sides */
    sluice_hook *call;      /* NULL: none */
    void *user;
    /* `call` for OpenCL devices, whose kernels cannot call functions of the host: an expression in
     * OpenCL C of x, a number of working precision or a vector of re and im, and of i, a long: the
     * number of the element, counted as in `first`. Its value replaces x. NULL: such devices leave
     * the side to the host. E_INVALID: it does not compile; the reason is the compiler's
     * message. */
    const char *opencl;
    uintptr_t reserved[8];
} sluice_side_hooks;
typedef struct sluice_hooks {
    double scale; /* factor on the results besides the problem's scale; any finite number, 0: 1 */
    sluice_side_hooks in, out;
    uintptr_t reserved[8];
} sluice_hooks;

typedef enum sluice_effort { SLUICE_ESTIMATE = 0, SLUICE_MEASURE, SLUICE_PATIENT } sluice_effort;

typedef struct sluice_plan_options {
    sluice_effort effort;
    double time_limit;         /* max seconds of measuring; 0: no limit */
    const sluice_hooks *hooks; /* may be NULL; read until the call returns */
    /* Units, as in sluice_machine_options, that repeat executions in which a device failed: "cpu".
     * The problem is planned for them too. NULL: such executions fail with SLUICE_E_DEVICE. Those
     * in place whose output the device had begun to write fail in any case. Streams of the plan use
     * these units unless they name their own. */
    const char *fallback;
    /* The same bits on all processors and devices: all choices follow from the problem, not from
     * the units, measurements or wisdom, and `effort` is ignored (docs/REPRODUCIBLE.md).
     * E_UNSUPPORTED: there are no such plans for this problem or these units. */
    bool reproducible;
    uintptr_t reserved[6];
} sluice_plan_options;

typedef enum sluice_level {
    SLUICE_LEVEL_FORMULA = 0, /* comments (#) and a line PROBLEM := FORMULA, which can be planned */
    SLUICE_LEVEL_SIGMA,       /* gather - compute - scatter loops */
    SLUICE_LEVEL_PROGRAM,     /* stages, buffers, kernels, syncs */
    SLUICE_LEVEL_PLACEMENT,   /* codelets, tables, parts and units */
    SLUICE_LEVEL_JSON,
    SLUICE_LEVEL_C,      /* a file that needs no library; SLUICE_E_UNSUPPORTED if the units of
                              the plan cannot print one */
    SLUICE_LEVEL_OPENCL, /* a file of kernels in OpenCL C 1.2 with a description for hosts; if there
                              is none, SLUICE_E_UNSUPPORTED, and the text is the reason */
    SLUICE_LEVEL_MEASURED, /* as FORMULA, after executing it on arrays of the library: with measured
                              times of the stages next to the predicted ones */
    SLUICE_LEVEL_MEASURED_JSON, /* the same as JSON */
    SLUICE_LEVEL_COUNTS /* what a GPU would do for the kernels of level OPENCL, one JSON object per
                           line; docs/EMIT.md */
} sluice_level;

/* Plans a problem. `options` may be NULL. The plan keeps the machine until it is destroyed. The
 * machine keeps the last plans, up to 16 MiB or $SLUICE_PLAN_CACHE bytes (0: none), and returns
 * them for equal requests until tuning or wisdom could change them (docs/MEMORY.md). */
sluice_status sluice_plan_create(sluice_plan **out, sluice_machine *machine,
                                 const sluice_problem *problem, const sluice_plan_options *options,
                                 sluice_diag *why);
/* Plans a problem given as a string ("c2c:f32:1024*4096:inverse", grammar in docs/PROBLEMS.md):
 * sluice_problem_parse and sluice_plan_create in one call. `options` may be NULL. Fails as these
 * do, with *out NULL; for E_PARSE `why->offset` is the offending byte of the string, else 0. */
sluice_status sluice_plan_from_text(sluice_plan **out, sluice_machine *machine, const char *problem,
                                    const sluice_plan_options *options, sluice_diag *why);
/* Plans a formula, with or without a leading "PROBLEM := " (without: packed, interleaved, out of
 * place, of `precision`). A formula whose transforms are all `leaf` fixes the whole plan. It is
 * not verified: only its size is compared with the problem's (see sluice_plan_verify). */
sluice_status sluice_plan_from_formula(sluice_plan **out, sluice_machine *machine,
                                       const char *formula, sluice_precision precision,
                                       const sluice_plan_options *options, sluice_diag *why);
/* Finds the lengths to pad a problem to. *out is a packed problem with axes at least as long (at
 * most the next power of two) and the least predicted time among those tried: the problem itself
 * and, for each axis, the nearest 24 lengths without prime factors above 7 (of n - 1 for a DCT1, of
 * n + 1 for a DST1). `seconds`, which may be NULL, receives the predicted times of the problem and
 * of *out on one unit. The plans made for this are not kept. E_INVALID: strides, block-cyclic
 * order; else as sluice_plan_create, with *out unchanged. */
sluice_status sluice_problem_pad(sluice_problem *out, sluice_machine *machine,
                                 const sluice_problem *problem, double seconds[2],
                                 sluice_diag *why);
/* NULL is allowed. No execution of the plan may be in progress; streams of it may be open and keep
 * what they need. */
void sluice_plan_destroy(sluice_plan *plan);
sluice_status sluice_plan_print(const sluice_plan *plan, sluice_level level, sluice_write *write,
                                void *user);
/* The problem that the plan solves, with kinds and mode filled in; the strides of a packed side
 * remain 0. */
sluice_status sluice_plan_problem(const sluice_plan *plan, sluice_problem *out);
/* Executes the plan on random data of its own and compares with a long double oracle (every output
 * if that is affordable, else random outputs and Parseval's identity). `error` and `bound` are
 * relative L2 errors; the status is SLUICE_OK whatever their values. */
sluice_status sluice_plan_verify(const sluice_plan *plan, double *error, double *bound,
                                 sluice_diag *why);
/* Executes the plan on its own data, which are the same numbers for all plans of problems of this
 * kind, size and batch, whatever their layout, and hashes the results. Reproducible plans have the
 * same `bits` on all machines. */
sluice_status sluice_plan_bits(const sluice_plan *plan, uint64_t *bits, sluice_diag *why);
/* Bytes of scratch that an execution needs; 0: none. */
size_t sluice_plan_work_bytes(const sluice_plan *plan);

/* Executes an interleaved plan. `in == out` if and only if the problem is in place. Gives no reason
 * for a failure; sluice_execute_with returns the same status with a reason. */
sluice_status sluice_execute(const sluice_plan *plan, const void *in, void *out);

typedef struct sluice_arrays {
    const void *in, *in_im; /* in_im, out_im: the imaginary parts of split sides, else NULL */
    void *out, *out_im;
    sluice_diag *why; /* receives the reason of a failure; may be NULL */
    uintptr_t reserved[3];
} sluice_arrays;
/* The same for any layout. `work`: scratch of the caller, sluice_plan_work_bytes bytes aligned to
 * 64, or NULL. */
sluice_status sluice_execute_with(const sluice_plan *plan, const sluice_arrays *arrays, void *work);

/* ---------------------------------------------------------------- streams --------------- */

/* Blocks in, the same blocks out, in order, in bounded memory; one producer and one consumer thread
 * (which may be the same). A block is the plan's whole problem; `count` counts its slowest batch
 * dimension and may be less than the batch (a short block). The life of a slot:
 *
 *   free --acquire--> yours, fill in --submit--> in flight --reap--> yours, read --release--> free
 *
 * Slot memory is the library's; between acquire and submit the caller may set its own pointers
 * (zero copy), which must stay valid until the slot is reaped. They hold `count` transforms, not
 * the whole batch. What submit does not check (alignment, overlap) becomes the block's status.
 *
 * Streams keep their plan. In a child after fork, which has no workers, a stream computes in reap;
 * one that was opened before fork returns SLUICE_E_INVALID there. */
typedef struct sluice_stream sluice_stream;

typedef struct sluice_slot {
    void *in, *in_im, *out, *out_im;
    size_t count;         /* of the slowest batch dimension; set by the producer, default: all */
    void *user;           /* the caller's, passed along with the block */
    sluice_status status; /* status of the block, set when reaped */
    /* The unit that computed it, set when reaped (in mode latency the first of its kind); -1: a
     * fallback computed it, or no unit. */
    int unit;
    double get_seconds, compute_seconds, put_seconds; /* of getting, computing, putting it */
} sluice_slot;

/* How blocks are assigned to units. DYNAMIC: to the first unit that is free. STATIC: round robin by
 * rates that follow from the plan alone, so that units of several kinds, each with its own bits,
 * give the same results in every run. */
typedef enum sluice_deal { SLUICE_DEAL_DYNAMIC = 0, SLUICE_DEAL_STATIC } sluice_deal;

typedef struct sluice_stream_options {
    int slots; /* max blocks in flight; 0: as many as all teams compute at a time, + 2; with several
                  kinds of units more, so that the slowest delays no other. If all compute in the
                  host's memory: at most what half of L3 holds, but at least one per team, + 2 */
    /* The caller's, may be NULL: receives the reason why a call with the stream failed, or the
     * block that a reap returned. Written on the thread of the call: if producer and consumer are
     * two threads, read it only while the other one is in no call. Must live until the stream is
     * closed. */
    sluice_diag *why;
    /* Units, as in sluice_machine_options, that compute blocks in which a device failed: "cpu". The
     * plan's problem is planned for them when the stream is opened. NULL: such blocks fail. Blocks
     * in place that the device had begun to write fail in any case. */
    const char *fallback;
    sluice_deal deal;
    uintptr_t reserved[5];
} sluice_stream_options;

typedef struct sluice_stream_stats {
    uint64_t blocks, transforms; /* completed; transforms of the slowest batch dimension */
    uint64_t bytes_in, bytes_out;
    double seconds;                                   /* from the first get to the last put */
    double get_seconds, compute_seconds, put_seconds; /* summed over blocks */
    uint64_t fallbacks;                               /* blocks that the fallback computed */
    uintptr_t reserved[7];
} sluice_stream_stats;

sluice_status sluice_stream_open(sluice_stream **out, const sluice_plan *plan,
                                 const sluice_stream_options *options, sluice_diag *why);
/* timeout_ms: 0 polls, < 0 waits without limit. SLUICE_AGAIN: no slot became free in time. */
sluice_status sluice_stream_acquire(sluice_stream *stream, sluice_slot **slot, int timeout_ms);
sluice_status sluice_stream_submit(sluice_stream *stream, sluice_slot *slot);
/* Blocks are returned in the order of submission. SLUICE_END: finished and drained. */
sluice_status sluice_stream_reap(sluice_stream *stream, sluice_slot **slot, int timeout_ms);
sluice_status sluice_stream_release(sluice_stream *stream, sluice_slot *slot);
sluice_status sluice_stream_finish(sluice_stream *stream); /* no more blocks will follow */
/* Blocks not yet computed are returned with SLUICE_E_CANCELLED; the stream drains as usual. */
sluice_status sluice_stream_cancel(sluice_stream *stream);
void sluice_stream_close(sluice_stream *stream); /* NULL is allowed; waits for blocks in flight */

/* Fills slot->in (and in_im) and sets slot->count; SLUICE_END: no more blocks (count is ignored).
 * SLUICE_AGAIN: no block yet. It is then called again with the same slot, unchanged, after a
 * millisecond, then 2, 4, 8 and at most 10. Meanwhile finished blocks go to the sink, after which
 * it is called again at once. */
typedef sluice_status sluice_source(void *user, sluice_slot *slot);
/* Consumes slot->out; called in the order of blocks. */
typedef sluice_status sluice_sink(void *user, sluice_slot *slot);
/* Runs a stream to its end from the calling thread: source, transforms and sink overlap. The first
 * failure of any of them ends the run; options->why holds the reason. `stats` and `options` may be
 * NULL. */
sluice_status sluice_stream_run(const sluice_plan *plan, sluice_source *source, sluice_sink *sink,
                                void *user, const sluice_stream_options *options,
                                sluice_stream_stats *stats);

/* ---------------------------------------------------------------- tuning, wisdom, memory - */

/* A codelet: straight-line code that transforms are composed of. It works in steps of `columns`
 * columns; planning adds up the costs of steps. */
typedef struct sluice_codelet_info {
    char name[64]; /* dft16_avx512_f32_C_inter_inter_none_8: size, ISA, precision, position, formats
                    * of input and output, twiddles, columns (docs/ARCHITECTURE.md) */
    int columns;   /* columns of a step */
    int adds, muls, fmas, shuffles, loads, stores; /* instructions of a step */
    double predicted;                              /* cycles of a step, from instruction counts */
    double measured; /* measured time in cycles of a nominal 3 GHz clock; 0: not measured */
    uintptr_t reserved[8];
} sluice_codelet_info;

/* The number of codelets that plans on this machine may use, over all its kinds of units; 0 if they
 * have none (ref). */
int sluice_machine_codelet_count(const sluice_machine *machine);
/* E_INVALID: codelets are numbered from 0 to count - 1. */
sluice_status sluice_machine_codelet_info(const sluice_machine *machine, int codelet,
                                          sluice_codelet_info *out);

/* Called from time to time with the progress of a long call; any status but SLUICE_OK ends it. */
typedef sluice_status sluice_progress(void *user, size_t done, size_t total);

typedef struct sluice_tune_options {
    sluice_progress *progress;
    void *user;
    uintptr_t reserved[8];
} sluice_tune_options;

/* Measures the costs of every codelet, of memory and of calls on this machine; before, they are
 * predicted. Takes about five seconds of the calling thread, which needs an otherwise idle core,
 * because disturbances are measured too, and 96 MiB meanwhile. Safe from any thread. Plans made
 * from now on, except for streams of earlier plans, are chosen by these costs, with effort estimate
 * too: they may differ from earlier plans, and so may their rounding. The costs are part of wisdom.
 * `options` may be NULL. On failure nothing has changed: E_UNSUPPORTED if the units have no
 * codelets, E_MEMORY, or the status of `progress`. */
sluice_status sluice_machine_tune(sluice_machine *machine, const sluice_tune_options *options,
                                  sluice_diag *why);

/* Wisdom is the result of measuring: formulas of plans, costs of codelets and of memory, and the
 * speed of each kind of units. It applies to any number of units of a kind; a file has a section
 * for each kind. The file is replaced atomically: written to a temporary file in the same
 * directory, then renamed; pipes and devices are written directly. E_IO: errno holds the cause. */
sluice_status sluice_wisdom_save(const sluice_machine *machine, const char *path);
/* Adds the wisdom of a file to the machine's. Each line carries a checksum (docs/ARCHITECTURE.md).
 * A formula whose line was not written by this version on a machine like this one (same processor,
 * caches and kind of units, in any number) is tried when sluice_plan_create first meets its
 * problem: two executions on random data of the library show whether it computes the problem's
 * transform. If not, it is discarded, a line of the log reports it, and the plan is made without
 * it. The plan is also made without it, but the formula is kept, if there is no memory for the
 * trial or it would need more than 1 GiB. It does not replace a formula that this machine has
 * measured or tried.
 * OK: everything was accepted; `why` holds a remark on the file (it is from another machine, of an
 * older format, so many formulas will be tried), or is empty. E_PARSE: the valid lines were
 * accepted; `why` holds the number of rejected lines and the reason of the first (truncated,
 * changed, of another size than its problem). E_INVALID: nothing was accepted, because the file is
 * for other units (instruction set, codelets, transfer mode) or of a later format. E_IO, E_MEMORY.
 * Safe from any thread. */
sluice_status sluice_wisdom_load(sluice_machine *machine, const char *path, sluice_diag *why);

/* 64-byte aligned memory, with huge pages if it is large; NULL if out of memory. */
void *sluice_alloc(size_t bytes);
void sluice_free(void *block);

#ifdef __cplusplus
}
#endif
#endif
