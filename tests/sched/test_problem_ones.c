// SPDX-License-Identifier: BSD-3-Clause
/* An axis or a batch dimension of size 1 never counts: forms with such dimensions in between, whose
 * strides are garbage, against the same forms without them, bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/helpers/helper_leaks.h"
#include "tests/helpers/helper_plan.h"

enum { FORMS = 600, SCALARS = 1 << 14 }; /* of an array, half of them before its pointer */

static uint64_t state = 20261122;

static size_t draw(size_t below)
{
    return plan_below(&state, below);
}

static ptrdiff_t garbage(void)
{
    static const ptrdiff_t any[] = {0, 1, -1, 7, -216, PTRDIFF_MAX, PTRDIFF_MIN};

    return any[draw(sizeof any / sizeof any[0])];
}

/* The dimensions of `from` with some of size 1 before, between and behind them. */
static int spread(const sluice_dim *from, int count, sluice_dim *to, int room)
{
    int made = 0;

    for (int d = 0; d <= count; d++) {
        while (made + count - d < room && draw(3) == 0)
            to[made++] = (sluice_dim){1, garbage(), garbage()};
        if (d < count)
            to[made++] = from[d];
    }
    return made;
}

/* Strides of one side that nest: packed, gapped or columns, some backwards. */
static void set_strides(sluice_problem *p, int side)
{
    ptrdiff_t next = 1 + (ptrdiff_t)draw(2);
    const int dims = p->batch_rank + p->rank, turn = (int)draw((size_t)dims);

    for (int i = 0; i < dims; i++) {
        const int d = (i + turn) % dims;
        sluice_dim *dim = d < p->batch_rank ? &p->batch[d] : &p->dim[d - p->batch_rank];
        *(side ? &dim->out_stride : &dim->in_stride) = draw(4) ? next : -next;
        next = next * (ptrdiff_t)dim->n + (ptrdiff_t)draw(3);
    }
}

static sluice_problem draw_form(void)
{
    static const size_t sizes[] = {2, 3, 4, 5, 8, 16, 18, 32, 37};
    sluice_problem p;

    memset(&p, 0, sizeof p);
    p.rank = 1 + (int)draw(2);
    p.batch_rank = (int)draw(2);
    p.precision = draw(2) ? SLUICE_F32 : SLUICE_F64;
    p.direction = draw(2) ? SLUICE_FORWARD : SLUICE_INVERSE;
    p.in_place = draw(3) == 0;
    p.in_layout = draw(3) ? SLUICE_INTERLEAVED : SLUICE_SPLIT;
    p.out_layout = p.in_place || draw(3) ? p.in_layout : SLUICE_SPLIT;
    for (int d = 0; d < p.rank; d++)
        p.dim[d].n = sizes[draw(p.rank == 1 ? 9 : 6)];
    for (int d = 0; d < p.batch_rank; d++)
        p.batch[d].n = 2 + draw(4);
    for (int side = 0; side < 2; side++)
        if (draw(2) && !(side && p.in_place))
            set_strides(&p, side);
    return p;
}

static double input[2][SCALARS];

/* Plans, and executes on `sides`: in, in_im, out, out_im. */
static void run(sluice_machine *m, const sluice_problem *p, double sides[4][SCALARS])
{
    const bool split[2] = {p->in_layout == SLUICE_SPLIT, p->out_layout == SLUICE_SPLIT};
    sluice_diag why = {.message = ""};
    sluice_plan *plan = NULL;
    double *out[2] = {sides[p->in_place ? 0 : 2], sides[p->in_place ? 1 : 3]};

    memcpy(sides, input, sizeof input);
    memset(sides[2], 0, 2 * sizeof sides[2]);
    if (sluice_plan_create(&plan, m, p, NULL, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
    const sluice_arrays a = {.in = sides[0] + SCALARS / 2,
                             .in_im = split[0] ? sides[1] + SCALARS / 2 : NULL,
                             .out = out[0] + SCALARS / 2,
                             .out_im = split[1] ? out[1] + SCALARS / 2 : NULL};
    assert_int_equal(sluice_execute_with(plan, &a, NULL), SLUICE_OK);
    sluice_plan_destroy(plan);
}

static void ones_never_count(void **unused)
{
    static double plain[4][SCALARS], with[4][SCALARS];
    sluice_machine *m = plan_machine("cpu:2", NULL);

    (void)unused;
    for (int i = 0; i < SCALARS; i++)
        for (int part = 0; part < 2; part++) /* read as floats too: any bits but those of a nan */
            input[part][i] = 1 + (double)draw(1 << 20) / (1 << 20);
    for (int f = 0; f < FORMS; f++) {
        const sluice_problem p = draw_form();
        char text[256];
        sluice_problem q = p;
        q.batch_rank = spread(p.batch, p.batch_rank, q.batch, SLUICE_MAX_BATCH_RANK);
        q.rank = spread(p.dim, p.rank, q.dim, p.rank + 3);
        run(m, &p, plain);
        run(m, &q, with);
        assert_int_equal(sluice_problem_print(&q, text, sizeof text), SLUICE_OK);
        if (memcmp(plain, with, sizeof plain) != 0)
            fail_msg("%s: other bits than without its dimensions of size 1", text);
        for (const char *at = strstr(text, "1@"); at; at = strstr(at + 1, "1@"))
            if (!strchr("123456789", at[-1]))
                fail_msg("%s: the strides of a dimension of size 1 are printed", text);
    }
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(ones_never_count, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
