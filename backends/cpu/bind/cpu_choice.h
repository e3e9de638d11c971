// SPDX-License-Identifier: BSD-3-Clause
/* What choosing a codelet (cpu_select.c) and filling in its call (cpu_fill.c) share. */
#ifndef BACKENDS_CPU_CHOICE_H
#define BACKENDS_CPU_CHOICE_H

#include "backends/cpu/cpu_backend.h"

/* One address function of the kernel: element = c + row*i + sum of loops. */
typedef struct cpu_address {
    int64_t c, row;
    int64_t loop[IX_MAX_VARS]; /* by variable; 0 where it counts in digits */
    bool digits[IX_MAX_VARS];  /* not linear in this variable, but digit by digit */
} cpu_address;

typedef struct cpu_choice {
    cpu_program *p;
    const cpu_nest *nest;
    cpu_op *op;
    cpu_address in, out, tw;
    bool has_tw;
    const prog_stmt *cols; /* the loop over columns; NULL: one column */
    const prog_stmt *rows; /* the loop over sets of broadcast twiddles; NULL: one */
    core_isa isa;
    spl_format format; /* of computation, as the VEC loop asks */
    int lanes;         /* of that format */
} cpu_choice;

/* Does the address depend on the loop (NULL: no)? */
bool cpu_address_uses(const cpu_address *address, const prog_stmt *loop);
spl_format cpu_buffer_format(const cpu_choice *choice, int buffer);
/* The table of vector twiddles that the chosen codelet reads. */
cpu_table_form cpu_vector_form(const cpu_choice *choice);
/* The key of the kernel's twiddles as a table; false where they depend on too many loops. */
bool cpu_table_key_of(const cpu_choice *choice, cpu_table_form form, cpu_table_key *key);
/* The addresses of a statement where loops around it step; false where a function has none. */
bool cpu_read_address(const cpu_nest *nest, const ix *f, cpu_address *address, bool *row_linear);
/* The loops that the op does not take over step its addresses. */
sluice_status cpu_fill_steps(cpu_choice *choice, sluice_diag *why);
/* Adds to the step of the same digit, or as a new one; false where there is no room. */
bool cpu_add_step(cpu_op *op, const cpu_step *step);
/* Is what the op writes far away when it is read again? */
bool cpu_outgrows(const cpu_choice *choice);
/* Fills in the op once codelet, columns and rows are chosen. */
sluice_status cpu_fill(cpu_choice *choice, bool *taken, sluice_diag *why);

/* Is the kernel one element in a loop over columns? */
bool cpu_is_move(const cpu_choice *choice);
/* Makes the op a MOVE, where loops around add evenly to its addresses: *filled. E_MEMORY. */
sluice_status cpu_move_fill(cpu_choice *choice, bool *taken, bool *filled, sluice_diag *why);

#endif
