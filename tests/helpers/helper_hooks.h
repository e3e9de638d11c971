// SPDX-License-Identifier: BSD-3-Clause
/* Plans with hooks in tests: problems of every kind and layout, with extents for both sides, and
 * hooks of a side by bit mask. */
#ifndef TESTS_HELPER_HOOKS_H
#define TESTS_HELPER_HOOKS_H

#include <stdint.h>

#include "api/sluice.h"

typedef struct hook_case {
    const char *problem; /* of f32 */
    int scalars[2];      /* of the elements of both sides */
    size_t extent[2][2]; /* of both sides' axes */
} hook_case;

enum { HOOK_CASES = 33, HOOK_WEIGHTS = 4096 };
extern const hook_case hook_cases[HOOK_CASES];
extern double
    hook_weights[HOOK_WEIGHTS]; /* all different from 0, once hook_fill_weights was called */
void hook_fill_weights(void);

/* HOOK_STORAGE: in f64. HOOK_CALL: x -> 2 x + 1/(1 + first), linear, and different for each
 * element; as OpenCL text too. */
enum { HOOK_WEIGHT = 1, HOOK_EXTENT = 2, HOOK_STORAGE = 4, HOOK_CALL = 8, HOOK_SETS = 16 };
void hook_add(sluice_side_hooks *s, const hook_case *c, int side, int which);
sluice_plan *hook_plan(sluice_machine *m, const char *problem, const sluice_hooks *hooks);
/* Plans with hooks `in` and `out`, those of one side where the problem is in place, and
 * verifies. */
void hook_verify(sluice_machine *m, const hook_case *c, int in, int out);

/* Half of re, and the element's number added to im: what no machine rounds. Of complex numbers in
 * f32. */
sluice_status hook_halve(void *user, size_t first, size_t count, void *data);
extern const char hook_halve_text[];

/* An OpenCL device as machines: as it comes; in buffers; one DFT an item; of formulas for groups.
 * False, and a line on stderr: there is none. Kernels are kept in a folder that hook_devices_close
 * removes. */
typedef struct hook_devices {
    sluice_machine *whole, *copying, *items, *groups;
    char folder[64];
} hook_devices;
bool hook_devices_open(hook_devices *d);
bool hook_devices_close(hook_devices *d);

/* A plan of either machine leaves the same in all bytes of both sides, what it does not touch
 * included; that of `m` needs no copy of the host's. */
void hook_compare(sluice_machine *m, sluice_machine *other, const char *problem,
                  const sluice_hooks *hooks, uint64_t seed);

#endif
