// SPDX-License-Identifier: BSD-3-Clause
/* What the files of this backend share: its units, its programs, and what runs them.
 *
 * opencl_calls.c    the functions of the loader
 * cuda_driver.c     NVIDIA's driver and compiler, instead
 * cuda_compile.c    kernels for them
 * cuda_devices.c, cuda_kernels.c, cuda_commands.c    the same functions on them
 * opencl_config.c   unit strings
 * opencl_list.c     devices: which there are, what they have
 * opencl_device.c   which are meant, their queues, what happens to them
 * opencl_form.c     a body as kernels in the form that suits the devices, and what a run costs
 * opencl_price.c    what these cost, and candidates
 * opencl_cache.c    compiled kernels in files
 * opencl_build.c    kernels compiled and tried
 * opencl_hooks.c    which hooks are kernels
 * opencl_side.c     which bytes of the user's arrays a block has
 * opencl_lane.c     buffers and kernels of one block at a time
 * opencl_memory.c   where a block computes
 * opencl_pinned.c   memory that transfers are fastest from and to
 * opencl_carry.c, opencl_pieces.c    arrays that are not in such memory
 * opencl_run.c      get, compute, put
 * opencl_time.c     times with data on the device
 * opencl_native.c   executions on objects of the caller's
 * cuda_native.c     .. of NVIDIA's driver
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

/* What a unit string says after "opencl:". */
typedef struct opencl_config {
    int number;               /* of a device, all platforms' counted through; -1: not said */
    char name[64];            /* a part of the device's; "": not said */
    size_t memory;            /* bytes of a device that may be used; 0: what it has */
    size_t local;             /* .. of a group's local memory */
    int cores;                /* compute units of a device that may be used; 0: all */
    bool driver;              /* NVIDIA's, not OpenCL */
    sluice_twiddles twiddles; /* of work-items' transforms */
    bool copies; /* buffers of the device's own, even where it shares the host's memory */
} opencl_config;

/* Each has a queue of its own, in order; but that kernels of different blocks overlap on
 * processors, whose drivers let threads sleep between kernels that wait for each other. */
typedef enum opencl_leg { OPENCL_GET = 0, OPENCL_COMPUTE, OPENCL_PUT, OPENCL_LEGS } opencl_leg;

enum { OPENCL_DEPTH = 3 }; /* blocks in flight: one in each leg */

/* What devices say of themselves. */
typedef struct opencl_about {
    char name[128], driver[64], version[64];
    bool is_cpu, shares_memory, any_order, has_f64, has_f16; /* any_order: of commands of a queue */
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
    opencl_ports *ports; /* NULL: not yet needed */
    size_t allocated;    /* bytes of buffers on the device */
    int failures;        /* blocks one after the other that failed */
    bool lost;
    sluice_diag fault; /* message "": none */
} opencl_unit;

typedef struct opencl_pinned opencl_pinned; /* a piece of such memory */
typedef struct opencl_program opencl_program;

struct backend {
    const opencl_calls *cl;
    opencl_config config;
    opencl_about about; /* of all units: they are of one model */
    core_fork *mark;    /* of the process whose threads the devices' drivers have */
    core_topology *topology;
    const core_log *log;
    size_t local_store, budget;
    bool is_callers;    /* the unit: a context of the caller's */
    bool has_codelets;  /* kernels are made of codelets */
    bool has_groups;    /* else: formulas are planned for groups of items */
    bind_target target; /* .. of these */
    bind_target alike;  /* the same for reproducible plans */
    int units;
    opencl_unit *unit;
    opencl_pinned *pinned;
    struct copy_team *team;   /* NULL: not yet needed */
    opencl_program *programs; /* all that are built */
    pthread_mutex_t lock; /* protects what changes of units, programs' lanes, the lists of programs
                             and pinned memory, the team */
};

/* Is it on NVIDIA's driver? */
static inline bool opencl_is_driver(const backend *b)
{
    return b->cl->describe_unit != NULL;
}

/* Do kernels compute in the host's memory? */
static inline bool opencl_shares(const backend *b)
{
    return b->about.shares_memory && !b->config.copies;
}

/* Bytes of a table, or of what one block reads of it. */
static inline size_t opencl_slice_bytes(const device_table *t)
{
    return t->slices > 1 ? t->bytes / (size_t)t->slices : t->bytes;
}

/* A place for one block: kernels with their arguments, buffers. Its program's while it is idle. */
typedef struct backend_ticket opencl_lane;

/* A program on one unit. */
typedef struct opencl_built {
    cl_program program;
    cl_mem *table; /* NULL: in slices, which are lanes' */
    opencl_lane *idle;
    int busy;             /* lanes that blocks have */
    cl_mem packed[2];     /* of blocks that take turns; NULL: not yet made, or not needed */
    pthread_mutex_t turn; /* protects that, and whose turn it is */
} opencl_built;

struct opencl_program {
    backend_program base; /* first */
    opencl_program *next; /* of the backend's */
    device_program made;
    const char *form; /* "item", "gpu", or the ISA of its codelets */
    const char *options;
    const prog *body;
    size_t alignment[2];    /* that kernels assume of sides' arrays */
    double compute_seconds; /* of one compute unit, of codelets */
    bool is_sketch;         /* that is all of it */
    opencl_built *built;    /* by unit */
    double seconds_to_build;
    bool was_cached;
};

/* Launches of a block. */
static inline double opencl_launches(const opencl_program *p)
{
    const double all = (double)device_launches(&p->made);

    return p->body->blocks > 0 ? all / (double)p->body->blocks : all;
}

enum { OPENCL_SIDES = 4 }; /* arrays of a block: DEVICE_IN .. DEVICE_OUT_IM */

/* An array of a block. */
typedef struct opencl_array {
    char *user;    /* its first byte that any block of the plan touches; NULL: there is none */
    cl_mem own;    /* on the device; NULL: not yet made */
    cl_mem shared; /* the user's memory as a buffer, while a block is in work; NULL: none */
    /* the same bytes on their way back, if some between them are not the block's; NULL: not yet
     * made */
    char *staged;
} opencl_array;

/* Bytes of a side's arrays that a block touches, relative to the first that any block does. */
typedef struct opencl_span {
    size_t from, bytes;
    bool dense; /* without gaps */
} opencl_span;

/* What the arguments of kernels point to, by role: buffers from some byte on; how many packed
 * elements the kernels of hooks have, and which is the first. */
typedef struct opencl_memory {
    cl_mem buffer[DEVICE_TABLE];
    cl_long offset[DEVICE_TABLE];
    cl_long elements[2], first[2];
} opencl_memory;

struct backend_ticket {
    opencl_lane *next; /* idle */
    const opencl_program *program;
    int unit;
    cl_kernel *kernel;
    cl_mem *slice;                    /* of tables; NULL: not yet made, or the table is whole */
    cl_mem scratch, spill, packed[2]; /* NULL: not yet made, or not needed */
    opencl_array array[OPENCL_SIDES];
    /* The block. */
    opencl_memory memory;
    size_t count, full, transform; /* transform: of the whole batch, the block's first */
    int64_t iteration;             /* of a program that has blocks */
    backend_carry carry;           /* its members NULL: arrays are the user's */
    opencl_span span[2];           /* of the sides' arrays */
    bool shares, stages;           /* computes in the user's memory; the output comes by `staged` */
    bool in_pieces[2];             /* the sides' arrays go so */
    bool carried;                  /* .. the output has gone, with the status */
    sluice_status status, put_status;
    cl_event first[OPENCL_LEGS], last[OPENCL_LEGS]; /* commands; NULL: none */
};

/* ---- opencl_config.c ---- */
/* settings: that name no device. E_INVALID. */
sluice_status opencl_config_read(opencl_config *out, const char *text, bool settings,
                                 sluice_diag *why);

/* ---- opencl_list.c ---- */
enum { OPENCL_DEVICES = 64 };
typedef struct opencl_devices {
    int count;
    cl_device_id device[OPENCL_DEVICES];
    const opencl_calls *cl[OPENCL_DEVICES]; /* whose it is */
} opencl_devices;
/* OpenCL's, and behind them those of NVIDIA's driver where OpenCL has none of NVIDIA's; or the
 * driver's alone. E_UNSUPPORTED: there are none. */
sluice_status opencl_devices_find(bool driver_alone, opencl_devices *out, sluice_diag *why);
opencl_about opencl_describe(const opencl_calls *cl, cl_device_id device);
void opencl_list_devices(core_text *units); /* as backend_discover.list */

/* ---- opencl_device.c ---- */
/* Finds the devices that the configuration means, and makes them units. */
sluice_status opencl_units_open(backend *b, sluice_diag *why);
/* Makes a device of a caller's context the only unit; both are retained. E_INVALID. */
sluice_status opencl_place_open(backend *b, const opencl_place *place, sluice_diag *why);
void opencl_units_close(backend *b);
/* The first failing call of a unit: recorded as its fault, and as a sentence. OK if `code` is
 * CL_SUCCESS, E_MEMORY, else E_DEVICE. */
sluice_status opencl_check(const backend *b, int unit, cl_int code, const char *call,
                           sluice_diag *why);
/* The last failure of a unit; OK: there was none. */
sluice_status opencl_fault(const backend *b, int unit, sluice_diag *out);
/* After a block of the unit: it is lost after some failures one after the other. */
void opencl_note_block(const backend *b, int unit, sluice_status status);
/* Reserves or gives back memory of a unit, if need be that of lanes that no block is in; false: it
 * is more than the unit may have. */
bool opencl_reserve(const backend *b, int unit, size_t bytes);
void opencl_give_back(const backend *b, int unit, size_t bytes);

/* ---- opencl_form.c ---- */
/* What the devices' kernels are made of. E_INVALID, E_MEMORY. */
sluice_status opencl_form_open(backend *b, sluice_diag *why);
void opencl_form_close(backend *b);
/* Whose formulas suit the devices. */
const char *opencl_isa(const backend *b);
int opencl_lanes(const backend *b, sluice_precision precision);
int64_t opencl_items(const backend *b);
int opencl_groups(const backend *b);                  /* that a program has at most */
int64_t opencl_parts(const backend *b, double bytes); /* that one of so many bytes has */
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
/* Seconds of one compute unit. E_MEMORY. */
sluice_status opencl_price_tape(const backend *b, const bind_tape *tape, double *seconds);
/* What is moved in slices, where that is cheaper. E_MEMORY. */
sluice_status opencl_choose_slices(const backend *b, bind_tape *tape, sluice_diag *why);
/* Of forms without codelets E_UNSUPPORTED. */
sluice_status opencl_sketch(backend *b, const double *costs, const prog *body,
                            backend_transfer_mode mode, sluice_precision precision,
                            backend_program **out, sluice_diag *why);

/* ---- opencl_hooks.c ---- */
/* Makes kernels of the hooks that the device can have. Of programs printed, with groups in order.
 * E_MEMORY. */
sluice_status opencl_take_hooks(opencl_program *p, sluice_diag *why);
/* The hooks of a side if they are a kernel; NULL: the side's array is as the formula's kernels take
 * it. */
const prog_hook *opencl_hook_of(const opencl_program *p, int side);
/* How many packed elements a block of some transforms has, and which is the first if that one
 * is. */
void opencl_count_elements(const opencl_program *p, size_t count, size_t full, size_t transform,
                           opencl_memory *out);
/* What is wrong with a text of the user's, if that is why kernels do not build: E_INVALID. OK: it
 * is not. */
sluice_status opencl_blame_hooks(const opencl_program *p, const char *log, sluice_diag *why);

/* ---- opencl_cache.c ---- */
/* What a compiled program depends on. */
typedef struct opencl_cache_key {
    const char *source, *options;
    const opencl_about *about;
} opencl_cache_key;
/* Is there a folder where they are to be kept? */
bool opencl_cache_keeps(void);
/* The binary, core_free; NULL: there is none. */
unsigned char *opencl_cache_find(const opencl_cache_key *key, size_t *length);
/* Keeps it if that can be done. */
void opencl_cache_keep(const opencl_cache_key *key, const unsigned char *binary, size_t length);

/* ---- opencl_build.c ---- */
/* Makes p->built. */
sluice_status opencl_build(opencl_program *p, sluice_diag *why);
void opencl_built_release(opencl_program *p);

/* ---- opencl_side.c ---- */
/* Of the first `count` of `full` transforms; goes through all of them if these are fewer. */
opencl_span opencl_span_of(const opencl_program *p, int side, size_t count, size_t full);
/* Notes whether the first groups compute the first transforms: of a program that is one parallel
 * loop, if that is over the slowest batch dimension. */
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
/* Releases the buffers of idle lanes of all programs, and what lanes share where all are idle; how
 * many bytes. Under the lock. */
size_t opencl_drop_idle(backend *b, int unit);
/* Releases what the program's lanes on a unit share; how many bytes. No block is in any of them. */
size_t opencl_drop_packed(const opencl_program *p, int unit);
/* The buffer of an array on the device; what kernels keep between them. */
sluice_status opencl_own_buffer(opencl_lane *lane, int array);
sluice_status opencl_own_scratch(opencl_lane *lane);
/* Do all blocks compute in the packed memory of their unit, one after the other? On a processor
 * each has all cores at a time anyway, and packed memory that stays in its cache is worth more. */
bool opencl_takes_turns(const opencl_program *p);
/* The arguments of a launch. */
cl_int opencl_set_args(const opencl_lane *lane, const device_walk *launch,
                       const opencl_memory *memory);

static inline const backend *opencl_owner(const opencl_lane *lane)
{
    return lane->program->base.owner;
}

/* ---- opencl_memory.c ---- */
/* Has the program this array? */
bool opencl_has_array(const opencl_lane *lane, int array);
void opencl_set_block(opencl_lane *lane, const backend_block *block);
/* The buffers that the block's commands use; those of the user's memory go with the block. */
sluice_status opencl_get_memory(opencl_lane *lane);
void opencl_drop_memory(opencl_lane *lane);

/* ---- opencl_pinned.c, as backend_memory ---- */
void *opencl_alloc(backend *b, size_t bytes);
void opencl_free(backend *b, void *block);
/* Of one unit's context. */
void *opencl_alloc_for(backend *b, int unit, size_t bytes);
bool opencl_is_pinned(const backend *b, const void *at, size_t bytes);

/* ---- opencl_carry.c ---- */
/* Which sides of a block go by pieces; makes what they need. E_MEMORY. */
sluice_status opencl_choose_ways(opencl_lane *lane);
void opencl_ports_close(backend *b);
/* Copies an array to the device; its pieces are enqueued when this returns. */
sluice_status opencl_carry_in(opencl_lane *lane, int array);
/* Has the unit's thread put the block; what has been enqueued of it is flushed. */
void opencl_carry_out(opencl_lane *lane);
bool opencl_is_carried(const opencl_lane *lane);
sluice_status opencl_wait_carried(const opencl_lane *lane);

/* ---- opencl_run.c ---- */
/* What a command of a leg waits for: the first one for the last of the leg before, further ones, in
 * a queue without order, for the one before. */
typedef struct opencl_waits {
    cl_uint count;
    const cl_event *event;
} opencl_waits;
opencl_waits opencl_wait_for(opencl_lane *lane, opencl_leg leg);
/* Notes a command of a leg, whose event is the block's now. */
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
