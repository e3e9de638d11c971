// SPDX-License-Identifier: BSD-3-Clause
/* Hooks of sides (spl/program/hook.h) as kernels of a device program: one before all others, from
 * the user's input to packed memory, one after them, from packed memory to the user's output. They
 * compute what prog_hook_load and prog_hook_store do, the same bits, but that a function of the
 * user's is its OpenCL text. */
#ifndef SPL_DEVICE_HOOKS_H
#define SPL_DEVICE_HOOKS_H

#include "spl/emit/device_program.h"
#include "spl/program/hook.h"

typedef struct device_hooks_how {
    int64_t items;  /* of a group */
    int64_t groups; /* of a kernel, about as many if there is work for them */
    bool offsets;   /* kernels take DEVICE_OFFSET behind each buffer that is no table */
} device_hooks_how;

/* What compilers call the text of a function of the user's: "in.opencl", "out.opencl". */
const char *device_hooks_text_name(int side);
/* Adds a kernel for each hook that is not NULL to a program whose other kernels take that side
 * packed. Of a pair in place none or both. E_MEMORY. */
sluice_status device_hooks_add(device_program *d, const prog_hook *const hook[2],
                               const device_hooks_how *how, sluice_diag *why);

#endif
