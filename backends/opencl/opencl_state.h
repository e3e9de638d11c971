// SPDX-License-Identifier: BSD-3-Clause
/* Shared by the files of this backend: its units, its programs, and their execution.
 *
 * opencl_calls.c    the functions of the loader
 * cuda_driver.c     NVIDIA's driver and compiler, instead
 * cuda_compile.c    kernels for them
 * cuda_devices.c, cuda_kernels.c, cuda_commands.c    the same functions on them
 * opencl_config.c   unit strings
 * opencl_list.c     devices: which there are, their properties
 * opencl_device.c   the selected devices, their queues, failures and memory
 * opencl_form.c     a body as kernels in the form that suits the devices, and the cost of a run
 * opencl_price.c    prices of codelets and of candidates
 * opencl_cache.c    compiled kernels in files
 * opencl_build.c    kernels compiled and tried
 * opencl_hooks.c    which hooks are kernels
 * opencl_side.c     which bytes of the user's arrays a block has
 * opencl_lane.c     buffers and kernels of one block at a time
 * opencl_memory.c   where a block computes
 * opencl_pinned.c   host memory from and to which transfers are fastest
 * opencl_carry.c, opencl_pieces.c    transfers of arrays that are not in such memory
 * opencl_run.c      get, compute, put
 * opencl_time.c     times with data on the device
 * opencl_native.c   executions on objects of the caller's
 * cuda_native.c     the same with NVIDIA's driver
 * opencl_backend.c  the tables of backends/backend.h */
#ifndef BACKENDS_OPENCL_STATE_H
#define BACKENDS_OPENCL_STATE_H

#include <pthread.h>

#include "backends/backend.h"
#include "backends/opencl/opencl_calls.h"
#include "core/fork.h"
#include "core/topology.h"
#include "spl/bind/bind_tape.h"
#include "spl/bind/bind_target.h"
#include "spl/emit/device_program.h"
#include "spl/program/hook.h"

/* The part of a unit string after "opencl:". */
typedef struct opencl_config {
    int number;               /* of a device, counted through all platforms; -1: not given */
    char name[64];            /* a part of the device's name; "": not given */
    size_t memory;            /* bytes of a device's memory that may be used; 0: all */
    size_t local;             /* bytes of a group's local memory; 0: all */
    int cores;                /* compute units of a device that may be used; 0: all */
    bool driver;              /* NVIDIA's driver, not OpenCL */
    sluice_twiddles twiddles; /* how work-items get twiddle factors */
    bool copies; /* buffers of the device's own, even where it shares the host's memory */
} opencl_config;

/* Each leg has a queue of its own, in order. But kernels of different blocks overlap on processors,
 * whose drivers let threads sleep between kernels that wait for each other. */
typedef enum opencl_leg { OPENCL_GET = 0, OPENCL_COMPUTE, OPENCL_PUT, OPENCL_LEGS } opencl_leg;

enum { OPENCL_DEPTH = 3 }; /* blocks in flight: one in each leg */

/* Properties that a device reports. */
typedef struct opencl_about {
    char name[128], driver[64], version[64];
    bool is_cpu, shares_memory, any_order, has_f64, has_f16; /* any_order: its queues may be */
    cl_uint compute_units, vector_floats;
    size_t largest_group;
    cl_ulong local_memory, memory, largest_buffer, cache;
    opencl_unit_memory unit_local;
} opencl_about;

typedef struct opencl_ports opencl_ports; /* opencl_carry.h */

typedef struct opencl_unit {
    cl_device_id device;
    bool is_held; /* the device is to be released: a sub-device, or the caller's */
    cl_context context;
    cl_command_queue queue[OPENCL_LEGS];
    opencl_ports *ports; /* NULL: not needed yet */
    size_t allocated;    /* bytes of buffers on the device */
    int failures;        /* blocks that failed in succession */
    bool lost;
    sluice_diag fault; /* message "": none */
} opencl_unit;

typedef struct opencl_pinned opencl_pinned; /* a block of pinned memory */
typedef struct opencl_program opencl_program;

struct backend {
    const opencl_calls *cl;
    opencl_config config;
    opencl_about about; /* the same for all units: they are of one model */
    core_fork *mark;    /* the process that has the drivers' threads */
    core_topology *topology;
    const core_log *log;
    size_t local_store, budget;
    bool is_callers;    /* the unit is in a context of the caller's */
    bool has_codelets;  /* kernels are made of codelets */
    bool has_groups;    /* formulas are planned for groups of items */
    bind_target target; /* describes the codelets */
    bind_target alike;  /* the same for reproducible plans */
    int units;
    opencl_unit *unit;
    opencl_pinned *pinned;
    struct copy_team *team;   /* NULL: not needed yet */
    opencl_program *programs; /* all built programs */
    pthread_mutex_t lock; /* protects the units' fields that change, programs' lanes, the lists of
                             programs and of pinned memory, the team */
};

/* Does the backend use NVIDIA's driver? */
static inline bool opencl_is_driver(const backend *b)
{
    return b->cl->describe_unit != NULL;
}

/* Do kernels compute in the host's memory? */
static inline bool opencl_shares(const backend *b)
{
    return b->about.shares_memory && !b->config.copies;
}

/* Bytes of a table, or of the slice of it that one block reads. */
static inline size_t opencl_slice_bytes(const device_table *t)
{
    return t->slices > 1 ? t->bytes / (size_t)t->slices : t->bytes;
}

/* What one block at a time computes in: kernels with their arguments, buffers. An idle lane belongs
 * to its program. */
typedef struct backend_ticket opencl_lane;

/* A program on one unit. */
typedef struct opencl_built {
    cl_program program;
    cl_mem *table; /* an entry NULL: the table is in slices, which belong to lanes */
    opencl_lane *idle;
    int busy;             /* lanes in use by blocks */
    cl_mem packed[2];     /* for blocks that take turns; NULL: not made yet, or not needed */
    pthread_mutex_t turn; /* protects `packed`; its holder enqueues kernels */
} opencl_built;

struct opencl_program {
    backend_program base; /* first */
    opencl_program *next; /* in the backend's list */
    device_program made;
    const char *form; /* "item", "gpu", or the ISA of its codelets */
    const char *options;
    const prog *body;
    size_t alignment[2];    /* of the sides' arrays, as kernels assume it */
    double compute_seconds; /* of codelets, on one compute unit */
    bool is_sketch;         /* has nothing but compute_seconds */
    opencl_built *built;    /* by unit */
    double seconds_to_build;
    bool was_cached;
};

/* Launches for one block. */
static inline double opencl_launches(const opencl_program *p)
{
    const double all = (double)device_launches(&p->made);

    return p->body->blocks > 0 ? all / (double)p->body->blocks : all;
}

enum { OPENCL_SIDES = 4 }; /* arrays of a block: DEVICE_IN .. DEVICE_OUT_IM */

/* An array of a block. */
typedef struct opencl_array {
    char *user;    /* its first byte that any block of the plan touches; NULL: there is none */
    cl_mem own;    /* on the device; NULL: not made yet */
    cl_mem shared; /* the user's memory as a buffer, while a block uses it; NULL: none */
    /* Staging memory for the output, if some bytes between the block's elements are not the
     * block's; NULL: not made yet. */
    char *staged;
} opencl_array;

/* Bytes of a side's arrays that a block touches, relative to the first that any block does. */
typedef struct opencl_span {
    size_t from, bytes;
    bool dense; /* without gaps */
} opencl_span;

/* What the arguments of kernels point to, by role: buffers, and the byte at which the array begins;
 * for kernels of hooks, number of packed elements and index of the first. */
typedef struct opencl_memory {
    cl_mem buffer[DEVICE_TABLE];
    cl_long offset[DEVICE_TABLE];
    cl_long elements[2], first[2];
} opencl_memory;

struct backend_ticket {
    opencl_lane *next; /* in the list of idle lanes */
    const opencl_program *program;
    int unit;
    cl_kernel *kernel;
    cl_mem *slice;                    /* of tables; NULL: not made yet, or the table is whole */
    cl_mem scratch, spill, packed[2]; /* NULL: not made yet, or not needed */
    opencl_array array[OPENCL_SIDES];
    /* What follows belongs to the current block. */
    opencl_memory memory;
    size_t count, full, transform; /* transform: index of the block's first in the batch */
    int64_t iteration;             /* in a program that has blocks */
    backend_carry carry;           /* its members NULL: arrays are the user's */
    opencl_span span[2];           /* in the sides' arrays */
    bool shares, stages;           /* computes in the user's memory; output passes `staged` */
    bool in_pieces[2];             /* the sides' arrays are transferred in pieces */
    bool carried;                  /* the output in pieces has arrived; put_status is set */
    sluice_status status, put_status;
    cl_event first[OPENCL_LEGS], last[OPENCL_LEGS]; /* commands of a leg; NULL: none */
};

/* ---- opencl_config.c ---- */
/* settings: the text must not name a device. E_INVALID. */
sluice_status opencl_config_read(opencl_config *out, const char *text, bool settings,
                                 sluice_diag *why);

/* ---- opencl_list.c ---- */
enum { OPENCL_DEVICES = 64 };
typedef struct opencl_devices {
    int count;
    cl_device_id device[OPENCL_DEVICES];
    const opencl_calls *cl[OPENCL_DEVICES]; /* functions of the driver that has the device */
} opencl_devices;
/* OpenCL's devices, followed by those of NVIDIA's driver if OpenCL has none of NVIDIA's; or only
 * the driver's. E_UNSUPPORTED: there are none. */
sluice_status opencl_devices_find(bool driver_alone, opencl_devices *out, sluice_diag *why);
opencl_about opencl_describe(const opencl_calls *cl, cl_device_id device);
void opencl_list_devices(core_text *units); /* as backend_discover.list */

/* ---- opencl_device.c ---- */
/* Finds the devices that the configuration selects, and makes them units. */
sluice_status opencl_units_open(backend *b, sluice_diag *why);
/* Makes a device of a caller's context the only unit; both are retained. E_INVALID. */
sluice_status opencl_place_open(backend *b, const opencl_place *place, sluice_diag *why);
void opencl_units_close(backend *b);
/* Reports the first failing call of a unit: it becomes the unit's fault, and the sentence in why.
 * OK if `code` is CL_SUCCESS, E_MEMORY, else E_DEVICE. */
sluice_status opencl_check(const backend *b, int unit, cl_int code, const char *call,
                           sluice_diag *why);
/* Gets the last failure of a unit; OK: there was none. */
sluice_status opencl_fault(const backend *b, int unit, sluice_diag *out);
/* Called after each block of the unit, which is lost after some failures in succession. */
void opencl_note_block(const backend *b, int unit, sluice_status status);
/* Reserves or gives back memory of a unit. If need be, idle lanes release theirs; false: it is more
 * than the unit may have. */
bool opencl_reserve(const backend *b, int unit, size_t bytes);
void opencl_give_back(const backend *b, int unit, size_t bytes);

/* ---- opencl_form.c ---- */
/* Chooses the form of the devices' kernels. E_INVALID, E_MEMORY. */
sluice_status opencl_form_open(backend *b, sluice_diag *why);
void opencl_form_close(backend *b);
/* The ISA whose formulas suit the devices. */
const char *opencl_isa(const backend *b);
int opencl_lanes(const backend *b, sluice_precision precision);
int64_t opencl_items(const backend *b);
int opencl_groups(const backend *b);                  /* of a program, at most */
int64_t opencl_parts(const backend *b, double bytes); /* groups of a program of so many bytes */
sluice_status opencl_print_kernels(const backend *b, opencl_program *p, sluice_precision precision,
                                   sluice_diag *why);
int opencl_alike_lanes(const backend *b, sluice_precision precision);
int opencl_shorter(const backend *b, spl_format format);
int opencl_row_lanes(const backend *b, int kind, int64_t n, sluice_precision precision,
                     spl_format format);
double opencl_kernel_cycles(const backend *b, const double *costs, int kind, int64_t n,
                            sluice_precision precision, backend_use use);
sluice_status opencl_estimate(const backend_program *program, backend_cost *out);

/* ---- opencl_price.c ---- */
/* Predicts the seconds of a tape on one compute unit. E_MEMORY. */
sluice_status opencl_price_tape(const backend *b, const bind_tape *tape, double *seconds);
/* Lets loops move their data in slices if that is cheaper. E_MEMORY. */
sluice_status opencl_choose_slices(const backend *b, bind_tape *tape, sluice_diag *why);
/* backend_team.sketch; E_UNSUPPORTED in forms without codelets. */
sluice_status opencl_sketch(backend *b, const double *costs, const prog *body,
                            backend_transfer_mode mode, sluice_precision precision,
                            backend_program **out, sluice_diag *why);

/* ---- opencl_hooks.c ---- */
/* Makes kernels of the hooks that the device can apply. Called after the kernels are printed and
 * opencl_order_groups. E_MEMORY. */
sluice_status opencl_take_hooks(opencl_program *p, sluice_diag *why);
/* The hooks of a side if they are a kernel; NULL: the formula's kernels read or write the side's
 * array themselves. */
const prog_hook *opencl_hook_of(const opencl_program *p, int side);
/* Number of packed elements of a block of `count` transforms, and index of its first element if its
 * first transform is number `transform`. */
void opencl_count_elements(const opencl_program *p, size_t count, size_t full, size_t transform,
                           opencl_memory *out);
/* If a text of the user's is the reason why kernels do not build: E_INVALID and what is wrong with
 * it; else OK. */
sluice_status opencl_blame_hooks(const opencl_program *p, const char *log, sluice_diag *why);

/* ---- opencl_cache.c ---- */
/* All that a compiled program depends on. */
typedef struct opencl_cache_key {
    const char *source, *options;
    const opencl_about *about;
} opencl_cache_key;
/* Is there a folder for compiled programs? */
bool opencl_cache_keeps(void);
/* The kept binary, core_free; NULL: there is none. */
unsigned char *opencl_cache_find(const opencl_cache_key *key, size_t *length);
/* Keeps a binary if possible. */
void opencl_cache_keep(const opencl_cache_key *key, const unsigned char *binary, size_t length);

/* ---- opencl_build.c ---- */
/* Makes p->built. */
sluice_status opencl_build(opencl_program *p, sluice_diag *why);
void opencl_built_release(opencl_program *p);

/* ---- opencl_side.c ---- */
/* The span of the first `count` of `full` transforms; takes O(full) time if count < full. */
opencl_span opencl_span_of(const opencl_program *p, int side, size_t count, size_t full);
/* Of a program that is one parallel loop over the slowest batch dimension: notes that its first
 * groups compute the first transforms, so that a short block needs only these. */
void opencl_order_groups(opencl_program *p);
/* Copies the elements of the first `count` transforms of the output. */
void opencl_copy_elements(const opencl_program *p, size_t count, size_t full, char *to,
                          const char *from);

/* ---- opencl_lane.c ---- */
/* An idle lane, or a new one. */
sluice_status opencl_lane_take(const opencl_program *p, int unit, opencl_lane **out);
void opencl_lane_return(opencl_lane *lane);
void opencl_lane_free(opencl_lane *lane);
/* Releases the buffers of a lane that no block is in. */
void opencl_lane_empty(opencl_lane *lane);
/* Releases the buffers of idle lanes of all programs, and buffers that lanes share if all are idle;
 * returns their bytes. The caller holds the lock. */
size_t opencl_drop_idle(backend *b, int unit);
/* Releases the buffers that the program's lanes on a unit share, while no lane is in use; returns
 * their bytes. */
size_t opencl_drop_packed(const opencl_program *p, int unit);
/* Make the buffer of an array on the device, and the scratch that kernels share, if need be. */
sluice_status opencl_own_buffer(opencl_lane *lane, int array);
sluice_status opencl_own_scratch(opencl_lane *lane);
/* Do all blocks use one packed memory of their unit in turn? On a processor a block takes all cores
 * anyway, and packed memory that stays in its cache is worth more than overlap. */
bool opencl_takes_turns(const opencl_program *p);
/* Sets the arguments of a launch, except tables. */
cl_int opencl_set_args(const opencl_lane *lane, const device_walk *launch,
                       const opencl_memory *memory);

static inline const backend *opencl_owner(const opencl_lane *lane)
{
    return lane->program->base.owner;
}

/* ---- opencl_memory.c ---- */
/* Does the program have this array? */
bool opencl_has_array(const opencl_lane *lane, int array);
void opencl_set_block(opencl_lane *lane, const backend_block *block);
/* Makes the buffers that the block's commands use; opencl_drop_memory releases the shared ones. */
sluice_status opencl_get_memory(opencl_lane *lane);
void opencl_drop_memory(opencl_lane *lane);

/* ---- opencl_pinned.c, as backend_memory ---- */
void *opencl_alloc(backend *b, size_t bytes);
void opencl_free(backend *b, void *block);
/* The same in one unit's context. */
void *opencl_alloc_for(backend *b, int unit, size_t bytes);
bool opencl_is_pinned(const backend *b, const void *at, size_t bytes);

/* ---- opencl_carry.c ---- */
/* Chooses which sides of a block are transferred in pieces; makes what they need. E_MEMORY. */
sluice_status opencl_choose_ways(opencl_lane *lane);
void opencl_ports_close(backend *b);
/* Copies an array to the device in pieces, which are enqueued when this returns. */
sluice_status opencl_carry_in(opencl_lane *lane, int array);
/* Lets the unit's thread put the block, whose commands so far have been flushed. */
void opencl_carry_out(opencl_lane *lane);
bool opencl_is_carried(const opencl_lane *lane);
sluice_status opencl_wait_carried(const opencl_lane *lane);

/* ---- opencl_run.c ---- */
/* What a command of a leg waits for: the first one for the last command of the leg before; in a
 * queue without order each other one for the command before. */
typedef struct opencl_waits {
    cl_uint count;
    const cl_event *event;
} opencl_waits;
opencl_waits opencl_wait_for(opencl_lane *lane, opencl_leg leg);
/* Notes a command of a leg; its event belongs to the block from now on. */
void opencl_note_event(opencl_lane *lane, opencl_leg leg, cl_event event);
backend_run opencl_run;
int opencl_depth(const backend *b);
sluice_status opencl_begin(const backend_program *program, const backend_block *block,
                           backend_ticket **out);
bool opencl_is_done(const backend_ticket *ticket);
sluice_status opencl_finish(backend_ticket *ticket, backend_legs *seconds);
bool opencl_is_alive(const backend *b, int unit);

/* ---- opencl_time.c, as backend_team ---- */
sluice_status opencl_time_there(const backend_program *program, const backend_block *block,
                                const backend_timing *timing, double *seconds, int *runs);

/* ---- opencl_native.c ---- */
size_t opencl_native_work_bytes(const backend_program *program);
/* run: an opencl_native_run. */
sluice_status opencl_run_native(const backend_program *program, const void *run, sluice_diag *why);

#endif
