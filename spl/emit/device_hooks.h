// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of sides (spl/program/hook.h) as kernels of a device program: one before all others, from
 * the user's input to packed memory, one after them, from packed memory to the user's output. They
 * compute what prog_hook_load and prog_hook_store do, with the same bits, except that a function of
 * the user's is replaced by its OpenCL text. */
#ifndef SPL_DEVICE_HOOKS_H
#define SPL_DEVICE_HOOKS_H

#include "spl/emit/device_program.h"
#include "spl/program/hook.h"

typedef struct device_hooks_how {
    int64_t items;  /* in a group */
    int64_t groups; /* in a kernel, about, if there is work for them */
    bool offsets;   /* kernels take DEVICE_OFFSET after each buffer that is no table */
} device_hooks_how;

/* The file name that compilers report for a text of the user's: "in.opencl", "out.opencl". */
const char *device_hooks_text_name(int side);
/* Adds a kernel for each hook that is not NULL. The program's other kernels take that side packed.
 * In place either both hooks are NULL or none is. E_MEMORY. */
sluice_status device_hooks_add(device_program *d, const prog_hook *const hook[2],
                               const device_hooks_how *how, sluice_diag *why);

#endif
