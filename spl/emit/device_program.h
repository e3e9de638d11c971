// SPDX-License-Identifier: BSD-3-Clause
/* What a printer of kernels gives the host that runs them: source, kernels with their arguments,
 * launches, tables, sizes of scratch. Printers: spl_device_item (spl/emit/print_opencl.h). */
#ifndef SPL_DEVICE_PROGRAM_H
#define SPL_DEVICE_PROGRAM_H

#include "core/text.h"
#include "spl/program/program.h"

/* What a kernel's argument is. */
typedef enum device_role {
    DEVICE_IN = 0, /* the user's arrays, see device_side; in place there is no IN */
    DEVICE_IN_IM,
    DEVICE_OUT,
    DEVICE_OUT_IM,
    DEVICE_SCRATCH,    /* scratch_bytes that all kernels of a run share */
    DEVICE_SPILL,      /* spill_bytes, the groups' own, whose contents no other kernel reads */
    DEVICE_IN_PACKED,  /* what a kernel makes of the user's input, or the user's output of */
    DEVICE_OUT_PACKED, /* output: packed_bytes of each side */
    DEVICE_TABLE,      /* the program's table `number` */
    DEVICE_LOOP,       /* the value of loop variable `number`, an integer of index_bytes */
    DEVICE_OFFSET,     /* bytes from the beginning of the buffer of role `number` to what the kernel
                       takes for it, a long; only of programs that were asked for offsets */
    DEVICE_ELEMENTS,   /* packed elements of side `number` that the run has, a long */
    DEVICE_FIRST,      /* the number of the first of these in the whole batch, a long */
    DEVICE_ROLES
} device_role;

typedef struct device_arg {
    device_role role;
    int number;
} device_arg;

/* What a formula left to the printer of kernels to decide: that of a plan for groups leaves
 * nothing. */
enum {
    DEVICE_GROUPS_OF_LOOP = 1,  /* no loop was distributed: groups share the outermost one */
    DEVICE_SHARED_IN_LOCAL = 2, /* scratch of all parts lies in local memory */
    DEVICE_SPILLED = 4,         /* local scratch lies in memory: it does not fit */
    DEVICE_ITEMS_IN_TURN = 8    /* items have several iterations of a stage, one after another */
};

typedef struct device_kernel {
    core_text name;
    int64_t groups, items; /* groups of a launch, items of a group */
    int64_t local_bytes;   /* of a group */
    int fallbacks;         /* DEVICE_GROUPS_OF_LOOP .. */
    int nargs;
    device_arg *arg; /* in the order of the kernel's parameters */
    /* Groups are in the order of the slowest batch dimension, as many for each of its transforms or
     * as many transforms for each group: a block of c of n transforms needs the first
     * ceil(groups * c / n). Else it needs all, and reads and writes what is beyond its end. */
    bool by_count;
} device_kernel;

/* What the host does, one step after the other: a launch of a kernel, which begins when the one
 * before is done, or a loop around the steps behind it, up to `end`. */
typedef struct device_step {
    int kernel;      /* -1: a loop */
    int end;         /* of a loop */
    spl_range range; /* of a loop; shares of a loop around */
} device_step;

/* Read-only memory of a program. */
typedef struct device_table {
    size_t bytes;
    void *data; /* as kernels read it; core_free. NULL: entries first, first + step .. of the
                   diagonal, times the scale, re and im side by side (device_fill_tables) */
    spl_values values;
    int64_t n, m, first, step;
    double scale;
    /* > 1: as many of one length, of which block k of the program reads number k div each mod
     * slices. */
    int64_t slices, each;
} device_table;

/* A side's buffers, re and im apart if it is split, begin at the lowest element that is touched: at
 * element `low` of the user's array, and end with element `high`. */
typedef struct device_side {
    int64_t low, high;
    size_t element_bytes; /* in one array */
    size_t alignment; /* of element 0: as many bytes, or two reals' that kernels move together */
    bool split;
} device_side;

/* Begins as {0}; device_program_free. */
typedef struct device_program {
    core_text source;
    sluice_precision precision;
    bool in_place;
    int index_bytes;
    device_side side[2]; /* input, output */
    int nkernels, nsteps, ntables;
    device_kernel *kernel;
    device_step *step;
    device_table *table;
    int64_t scratch_bytes, spill_bytes;
    int64_t packed_bytes[2]; /* 0: kernels read or write the user's array as it is */
} device_program;

/* In place: both sides become the memory that either touches, in whole elements of both. */
void device_join_sides(device_side side[2]);
/* The sides of a program: which elements it touches. */
void device_sides_of(device_program *d, const prog *p, sluice_precision precision);
static inline int64_t device_side_bytes(const device_side *s)
{
    return (s->high - s->low + 1) * (int64_t)s->element_bytes;
}

/* A launch, or a loop, whose `end` is its own place until it is ended; -1: out of memory. */
int device_step_add(device_program *d, int kernel, const spl_range *range);
/* A launch before or after all other steps; false: out of memory. */
bool device_step_around(device_program *d, int kernel, bool before);
/* How many launches a run has. */
int64_t device_launches(const device_program *d);

/* The launches of a run, or of one block of it, one after the other. */
typedef struct device_walk {
    const device_program *program;
    int kernel;                 /* of the launch */
    int64_t value[IX_MAX_VARS]; /* of the loops around it, by variable */
    int at, end, depth;
    int loop[IX_MAX_VARS]; /* steps around, by depth */
    int64_t past[IX_MAX_VARS];
} device_walk;
/* block: an iteration of a program whose only step at top level is a loop over blocks; -1: all. */
device_walk device_walk_begin(const device_program *d, int64_t block);
/* Goes to the next launch, or to the first one; false: there is none. */
bool device_walk_next(device_walk *w);

/* Makes the data of tables that have none. E_MEMORY. */
sluice_status device_fill_tables(device_program *d, sluice_diag *why);
void device_program_free(device_program *d);
/* The bytes of a new table, for the caller to fill in; NULL: out of memory. */
void *device_table_add(device_program *d, size_t bytes);

const char *device_role_name(device_role role); /* "in" "out_im" "scratch" "table" */

#endif
