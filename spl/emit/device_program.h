// SPDX-License-Identifier: BSD-3-Clause
/* The result of printing kernels, for the host that runs them: source, kernels with their
 * arguments, launches, tables, sizes of scratch. Printed by spl_device_item
 * (spl/emit/print_opencl.h) and tape_opencl_print (spl/emit/tape_opencl.h). */
#ifndef SPL_DEVICE_PROGRAM_H
#define SPL_DEVICE_PROGRAM_H

#include "core/text.h"
#include "spl/program/program.h"

/* The meaning of a kernel's argument. */
typedef enum device_role {
    DEVICE_IN = 0, /* the user's arrays, see device_side; in place only OUT exists */
    DEVICE_IN_IM,
    DEVICE_OUT,
    DEVICE_OUT_IM,
    DEVICE_SCRATCH,    /* scratch_bytes that all kernels of a run share */
    DEVICE_SPILL,      /* spill_bytes, a part for each group; kernels leave nothing in it */
    DEVICE_IN_PACKED,  /* packed_bytes of a side: a kernel writes the input's from the user's */
    DEVICE_OUT_PACKED, /* input, another one reads the output's to write the user's output */
    DEVICE_TABLE,      /* the program's table `number` */
    DEVICE_LOOP,       /* the value of loop variable `number`, an integer of index_bytes */
    DEVICE_OFFSET,     /* bytes from the beginning of the buffer of role `number` to the kernel's
                       array, a long; only in programs that were asked for offsets */
    DEVICE_ELEMENTS,   /* packed elements of side `number` in the run, a long */
    DEVICE_FIRST,      /* the index of the first of these in the whole batch, a long */
    DEVICE_ROLES
} device_role;

typedef struct device_arg {
    device_role role;
    int number;
} device_arg;

/* Decisions that a formula left to the printer of kernels. A formula planned for groups leaves
 * none. */
enum {
    DEVICE_GROUPS_OF_LOOP = 1,  /* no loop was distributed: the printer divided the outermost */
    DEVICE_SHARED_IN_LOCAL = 2, /* scratch shared by all parts is in local memory */
    DEVICE_SPILLED = 4,         /* local scratch is in global memory, since it does not fit */
    DEVICE_ITEMS_IN_TURN = 8    /* items have several iterations of a stage, one after another */
};

typedef struct device_kernel {
    core_text name;
    int64_t groups, items; /* groups of a launch, items of a group */
    int64_t local_bytes;   /* of a group */
    int fallbacks;         /* DEVICE_GROUPS_OF_LOOP .. */
    int nargs;
    device_arg *arg; /* in the order of the kernel's parameters */
    /* Groups follow the order of the slowest batch dimension; each transform has the same number of
     * groups, or each group the same number of transforms. So a block of c of n transforms needs
     * only the first ceil(groups * c / n). False: it needs all groups, which also read and write
     * beyond the block's end. */
    bool by_count;
} device_kernel;

/* The host's steps, one after another: a launch of a kernel, which begins when the one before is
 * done, or a loop over the steps after it, up to `end`. */
typedef struct device_step {
    int kernel;      /* -1: a loop */
    int end;         /* of a loop */
    spl_range range; /* of a loop; may be a share by an enclosing loop */
} device_step;

/* Read-only memory of a program. */
typedef struct device_table {
    size_t bytes;
    void *data; /* as kernels read it; core_free. NULL: device_fill_tables makes it from entries
                   first, first + step .. of the diagonal times scale, re and im side by side */
    spl_values values;
    int64_t n, m, first, step;
    double scale;
    /* > 1: the table consists of that many slices of equal length; block k of the program reads
     * slice number k div each mod slices. */
    int64_t slices, each;
} device_table;

/* A side's buffers (two, re and im, if it is split) begin at the lowest element that is touched,
 * element `low` of the user's array, and end with element `high`. */
typedef struct device_side {
    int64_t low, high;
    size_t element_bytes; /* of an element in one array */
    size_t alignment;     /* of element 0: element_bytes, or two reals' if kernels pair them */
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

/* In place: extends both sides to the memory that either touches, in whole elements of both. */
void device_join_sides(device_side side[2]);
/* Sets the sides of a program to the elements that it touches. */
void device_sides_of(device_program *d, const prog *p, sluice_precision precision);
static inline int64_t device_side_bytes(const device_side *s)
{
    return (s->high - s->low + 1) * (int64_t)s->element_bytes;
}

/* Adds a launch, or a loop; the caller sets the loop's `end` later. Its index; -1: out of
 * memory. */
int device_step_add(device_program *d, int kernel, const spl_range *range);
/* Adds a launch before or after all other steps; false: out of memory. */
bool device_step_around(device_program *d, int kernel, bool before);
/* The number of launches of a run. */
int64_t device_launches(const device_program *d);

/* An iterator over the launches of a run, or of one block of it. */
typedef struct device_walk {
    const device_program *program;
    int kernel;                 /* of the current launch */
    int64_t value[IX_MAX_VARS]; /* of the enclosing loops, by variable */
    int at, end, depth;
    int loop[IX_MAX_VARS]; /* steps of the enclosing loops, by depth */
    int64_t past[IX_MAX_VARS];
} device_walk;
/* block: one iteration of a program whose only outer step is a loop over blocks; -1: all. */
device_walk device_walk_begin(const device_program *d, int64_t block);
/* Goes to the next launch, or to the first one; false: there is none. */
bool device_walk_next(device_walk *w);

/* Makes the data of tables that have none. E_MEMORY. */
sluice_status device_fill_tables(device_program *d, sluice_diag *why);
void device_program_free(device_program *d);
/* Adds a table whose bytes the caller fills in; NULL: out of memory. */
void *device_table_add(device_program *d, size_t bytes);

const char *device_role_name(device_role role); /* "in" "out_im" "scratch" "table" */

#endif
