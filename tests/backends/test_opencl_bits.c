// SPDX-License-Identifier: BSD-3-Clause
/* Reproducible plans have the bits of cores on an OpenCL device that is a processor, in all forms
 * of its kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_plan.h"
#include "tests/helpers/helper_reproducible.h"

enum { SEED = 20261123, ON_DEVICE = 16, DRAWN_ON_DEVICE = PLAN_SANITIZED ? 2 : 6 };

/* Any kinds along up to three axes, in either precision, with any scale. Small, as kernels take
 * long to build. */
static void draw_for_device(uint64_t *state, char *text, size_t size)
{
    static const char *const kinds[] = {"dct1", "dct2", "dct3", "dct4",  "dst1",
                                        "dst2", "dst3", "dst4", "idxst", "dht"};
    static const char *const alone[] = {"c2c", "r2c", "c2r"};
    static const char *const scales[] = {"", ":scale=n", ":scale=ortho"};
    const size_t axes = 1 + plan_below(state, 3);
    const bool mixed = plan_below(state, 4) > 0;
    const char *last = kinds[plan_below(state, 10)];
    char names[64] = "", sizes[64] = "";

    if (plan_below(state, 3) == 0)
        last = alone[plan_below(state, mixed && axes > 1 ? 2 : 3)];
    for (size_t a = 0; a < axes; a++) {
        const char *kind =
            a + 1 == axes || strcmp(last, "c2c") == 0 ? last : kinds[plan_below(state, 10)];
        const size_t names_used = strlen(names), sizes_used = strlen(sizes);
        if (mixed || a + 1 == axes)
            snprintf(names + names_used, sizeof names - names_used, "%s%s", names_used ? "*" : "",
                     kind);
        snprintf(sizes + sizes_used, sizeof sizes - sizes_used, "%s%zu", a ? "x" : "",
                 2 + plan_below(state, axes == 1 ? 200 : 30 / axes));
    }
    snprintf(text, size, "%s:%s:%s*%zu%s", names, plan_below(state, 3) ? "f32" : "f64", sizes,
             1 + plan_below(state, 3), scales[plan_below(state, 3)]);
}

/* As a processor, and by work-items, grouped as on a graphics processor or not: those compute every
 * other problem, one the even ones, one the odd ones. */
static void check_device(const char *form)
{
    static const char *const problems[ON_DEVICE] = {"c2c:f32:8",
                                                    "c2c:f32:1024*3",
                                                    "c2c:f64:360",
                                                    "c2c:f32:37",
                                                    "c2c:f64:509", /* a convolution: chirps */
                                                    "r2c:f32:30x20",
                                                    "c2c:f64:4096",
                                                    "dct4:f32:15",
                                                    "r2c:f32:33:scale=n",
                                                    "c2c:f64:100*3:scale=ortho",
                                                    "dct4:f64:97:scale=n",
                                                    "dct3*dst1:f32:32x7*4:scale=n",
                                                    "dct4:f64:28x5",
                                                    "dct2:f32:8x8:scale=ortho",
                                                    "dct1:f32:9:scale=ortho",
                                                    "dht:f32:2*3:scale=ortho"};
    const sluice_machine_options options = {.units = "opencl:0"};
    sluice_machine *device, *cores;
    uint64_t state = SEED + (form ? (uint64_t)form[0] : 0);
    char text[160];

    if (form)
        setenv("SLUICE_OPENCL_FORM", form, 1);
    if (sluice_machine_open(&device, &options, NULL) != SLUICE_OK) {
        print_message("no OpenCL device: skipped\n");
        skip();
    }
    cores = plan_machine("cpu:1", NULL);
    const int step = form ? 2 : 1, first = form && strcmp(form, "item") == 0;
    for (int i = first; i < ON_DEVICE + DRAWN_ON_DEVICE; i += i < ON_DEVICE ? step : 1) {
        const char *problem = i < ON_DEVICE ? problems[i] : text;
        if (i >= ON_DEVICE)
            draw_for_device(&state, text, sizeof text);
        if (reproducible_bits(device, problem, 0) != reproducible_bits(cores, problem, 0))
            fail_msg("%s: other bits on the device", problem);
    }
    sluice_machine_close(device);
    sluice_machine_close(cores);
    unsetenv("SLUICE_OPENCL_FORM");
}

static void a_device_agrees(void **state)
{
    (void)state;
    check_device(NULL);
}

static void a_device_of_groups_agrees(void **state)
{
    (void)state;
    check_device("gpu");
}

static void a_device_of_items_agrees(void **state)
{
    (void)state;
    check_device("item");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_agrees),
        cmocka_unit_test(a_device_of_groups_agrees),
        cmocka_unit_test(a_device_of_items_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
