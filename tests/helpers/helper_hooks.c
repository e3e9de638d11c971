// SPDX-License-Identifier: BSD-3-Clause
#define _DEFAULT_SOURCE /* mkdtemp, setenv */
#include "tests/helpers/helper_hooks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/plan/sides.h"
#include "tests/helpers/helper_docs.h"

const hook_case hook_cases[HOOK_CASES] = {
    {"c2c:f32:64", {2, 2}, {{40, 0}, {33, 0}}},
    {"c2c:f32:60*7", {2, 2}, {{40, 0}, {59, 0}}},
    {"c2c:f32:1024*3", {2, 2}, {{1000, 0}, {17, 0}}},
    {"c2c:f32:4096", {2, 2}, {{2048, 0}, {4095, 0}}},
    {"c2c:f32:1009:inverse", {2, 2}, {{1000, 0}, {17, 0}}},
    {"c2c:f32:37*19", {2, 2}, {{30, 0}, {36, 0}}},
    {"c2c:f32:24x60", {2, 2}, {{20, 40}, {1, 59}}},
    {"c2c:f32:32x32*3:in=split:out=split", {2, 2}, {{20, 0}, {0, 31}}},
    {"c2c:f32:1000:in=split:out=split:inplace", {2, 2}, {{600, 0}, {700, 0}}},
    {"c2c:f32:128*6:inplace", {2, 2}, {{64, 0}, {100, 0}}},
    {"c2c:f32:100@3/2*5@300/201", {2, 2}, {{64, 0}, {100, 0}}},
    {"c2c:f32:16@5/7*5@1/1", {2, 2}, {{9, 0}, {11, 0}}},
    {"c2c:f32:64@1/1*31@16/64", {2, 2}, {{64, 0}, {60, 0}}},
    {"c2c:f32:256:scale=ortho", {2, 2}, {{200, 0}, {60, 0}}},
    {"r2c:f32:128*5", {1, 2}, {{100, 0}, {60, 0}}},
    {"r2c:f32:1000", {1, 2}, {{100, 0}, {501, 0}}},
    {"r2c:f32:30x45", {1, 2}, {{10, 45}, {30, 3}}},
    {"r2c:f32:96:inplace", {1, 2}, {{50, 0}, {49, 0}}},
    {"r2c:f32:128*3:out=packed", {1, 1}, {{100, 0}, {60, 0}}},
    {"r2c:f32:45:out=halfcomplex", {1, 1}, {{40, 0}, {44, 0}}},
    {"c2r:f32:64*2:in=halfcomplex", {1, 1}, {{60, 0}, {63, 0}}},
    {"c2r:f32:128*5", {2, 1}, {{60, 0}, {100, 0}}},
    {"c2r:f32:2048", {2, 1}, {{1025, 0}, {100, 0}}},
    {"c2r:f32:16x32", {2, 1}, {{10, 10}, {16, 20}}},
    {"dct2:f32:64*4", {1, 1}, {{60, 0}, {10, 0}}},
    {"dct2:f32:1024:scale=ortho", {1, 1}, {{60, 0}, {1000, 0}}},
    {"dct3:f32:48x64", {1, 1}, {{8, 8}, {48, 60}}},
    {"dst4:f32:100:inplace", {1, 1}, {{60, 0}, {99, 0}}},
    {"dht:f32:256*2", {1, 1}, {{60, 0}, {99, 0}}},
    {"dht:f32:6*5", {1, 1}, {{5, 0}, {6, 0}}},
    {"dct3*dct2:f32:6x8*9:scale=ortho", {1, 1}, {{6, 7}, {6, 8}}},
    {"dct2*r2c:f32:16x24", {1, 2}, {{10, 10}, {16, 2}}},
    {"idxst*dct3:f32:32x32", {1, 1}, {{30, 30}, {30, 30}}},
};

double hook_weights[HOOK_WEIGHTS];

void hook_fill_weights(void)
{
    for (int i = 0; i < HOOK_WEIGHTS; i++)
        hook_weights[i] = 0.25 + (double)(i * 37 % 101) / 64;
}

static sluice_status affine_f32(void *user, size_t first, size_t count, void *data)
{
    const int scalars = *(const int *)user;
    float *x = data;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < scalars; k++)
            x[(size_t)scalars * i + (size_t)k] =
                2 * x[(size_t)scalars * i + (size_t)k] + 1 / (float)(1 + first + i);
    return SLUICE_OK;
}

/* One, or two with a sign of multiplication after a number. */
static int axes_of(const char *problem)
{
    const char *x = strchr(problem, 'x');
    return x != NULL && x[-1] >= '0' && x[-1] <= '9' ? 2 : 1;
}

void hook_add(sluice_side_hooks *s, const hook_case *c, int side, int which)
{
    static int scalars[] = {0, 1, 2};
    if (which & HOOK_WEIGHT) {
        s->weight = hook_weights;
        s->weight_rank = axes_of(c->problem);
    }
    for (int d = 0; d < 2 && which & HOOK_EXTENT; d++)
        s->extent[d] = c->extent[side][d];
    if (which & HOOK_STORAGE)
        s->storage = SLUICE_STORE_F64;
    if (which & HOOK_CALL) {
        s->call = affine_f32;
        s->user = &scalars[c->scalars[side]];
        s->opencl = "2 * x + 1 / (float)(1 + i)";
    }
}

sluice_plan *hook_plan(sluice_machine *m, const char *problem, const sluice_hooks *hooks)
{
    const sluice_plan_options options = {.hooks = hooks};
    sluice_diag why = {.message = ""};
    sluice_plan *plan = NULL;
    if (sluice_plan_from_text(&plan, m, problem, &options, &why) != SLUICE_OK)
        fail_msg("%s: %s", problem, why.message);
    return plan;
}

void hook_verify(sluice_machine *m, const hook_case *c, int in, int out)
{
    const bool in_place = strstr(c->problem, "inplace") != NULL;
    sluice_hooks hooks = {.scale = 0.5};
    double error = 1, bound = 0;
    const int stored = in_place ? (in | out) & HOOK_STORAGE : 0; /* of one storage */
    hook_add(&hooks.in, c, 0, in | stored);
    hook_add(&hooks.out, c, 1, out | stored);
    sluice_plan *plan = hook_plan(m, c->problem, &hooks);
    assert_int_equal(sluice_plan_verify(plan, &error, &bound, NULL), SLUICE_OK);
    if (!(error <= bound))
        fail_msg("%s, hooks %d and %d: error %g, bound %g", c->problem, in, out, error, bound);
    sluice_plan_destroy(plan);
}

/* ---- devices ---- */

sluice_status hook_halve(void *user, size_t first, size_t count, void *data)
{
    float *x = data;
    (void)user;
    for (size_t i = 0; i < count; i++) {
        x[2 * i] = x[2 * i] * 0.5F;
        x[2 * i + 1] = x[2 * i + 1] + (float)(first + i);
    }
    return SLUICE_OK;
}

const char hook_halve_text[] = "(float2)(x.x * 0.5f, // re\n x.y + (float)i) // im";

static sluice_machine *machine_of(const char *units, const char *form, sluice_diag *why)
{
    const sluice_machine_options options = {.units = units};
    sluice_machine *m = NULL;
    setenv("SLUICE_OPENCL_FORM", form, 1);
    const sluice_status status = sluice_machine_open(&m, &options, why);
    unsetenv("SLUICE_OPENCL_FORM");
    return status == SLUICE_OK ? m : NULL;
}

bool hook_devices_open(hook_devices *d)
{
    sluice_diag why = {.message = "there is no folder for kernels"};
    *d = (hook_devices){.folder = "/tmp/sluice-opencl-hooks-XXXXXX"};
    if (mkdtemp(d->folder) && setenv("SLUICE_TOPOLOGY", docs_caches, 1) == 0
        && setenv("POCL_CACHE_DIR", d->folder, 0) == 0 && setenv("SLUICE_KERNEL_CACHE", "", 1) == 0)
        d->whole = machine_of("opencl:0", "", &why);
    d->copying = d->whole ? machine_of("opencl:0:copy", "", &why) : NULL;
    d->items = d->copying ? machine_of("opencl:0", "item", &why) : NULL;
    d->groups = d->items ? machine_of("opencl:0", "gpu", &why) : NULL;
    if (!d->groups)
        fprintf(stderr, "skipped: %s\n", why.message);
    return d->groups != NULL;
}

bool hook_devices_close(hook_devices *d)
{
    char line[128];
    sluice_machine_close(d->groups);
    sluice_machine_close(d->items);
    sluice_machine_close(d->copying);
    sluice_machine_close(d->whole);
    snprintf(line, sizeof line, "rm -rf '%s'", d->folder);
    return system(line) == 0;
}

static bool are_same(const sluice_plan *plan, const sched_sides *a, const sched_sides *b)
{
    bool same = true;
    for (int i = 0; i < 4; i++)
        if (a->block[i])
            same = same
                   && memcmp(a->block[i], b->block[i],
                             plan->bytes_before[i / 2] + plan->bytes_from[i / 2])
                          == 0;
    return same;
}

void hook_compare(sluice_machine *m, sluice_machine *other, const char *problem,
                  const sluice_hooks *hooks, uint64_t seed)
{
    sluice_plan *a = hook_plan(m, problem, hooks), *b = hook_plan(other, problem, hooks);
    sched_sides x, y;
    assert_int_equal(sluice_plan_work_bytes(a), 0);
    assert_int_equal(sched_sides_open(&x, a, 0, NULL), SLUICE_OK);
    assert_int_equal(sched_sides_open(&y, b, 0, NULL), SLUICE_OK);
    sched_sides_fill(&x, a, seed);
    sched_sides_fill(&y, b, seed);
    assert_int_equal(sluice_execute_with(a, &x.arrays, NULL), SLUICE_OK);
    assert_int_equal(sluice_execute_with(b, &y.arrays, NULL), SLUICE_OK);
    if (!are_same(a, &x, &y))
        fail_msg("%s, seed %d: other bits", problem, (int)seed);
    sched_sides_close(&x);
    sched_sides_close(&y);
    sluice_plan_destroy(a);
    sluice_plan_destroy(b);
}
