// SPDX-License-Identifier: BSD-3-Clause
/* The text of a hook's kernel (device_hooks.h). */
#ifndef SPL_DEVICE_HOOKS_TEXT_H
#define SPL_DEVICE_HOOKS_TEXT_H

#include "spl/emit/device_hooks.h"

enum { DEVICE_HOOK_ARGS = 16 }; /* arguments of a kernel, at most */

/* A kernel that is being printed. */
typedef struct hook_text {
    const prog_hook *hook;
    prog_hook shape; /* the same elements, in rows that end where the weights repeat */
    int side;
    const device_hooks_how *how;
    const device_program *program;
    const char *index; /* type of indices */
    int64_t per;       /* elements of a group */
    device_kernel *kernel;
    core_text parameters, text;
} hook_text;

/* Prints parameters, adds them as the kernel's arguments, and begins the body. `table` is the table
 * of weights. */
void device_hook_parameters(hook_text *t, int table);
/* The rest of the body. */
void device_hook_body(hook_text *t);
/* The functions that it calls, the user's text among them. */
void device_hook_functions(const prog_hook *h, int side, core_text *out);

#endif
