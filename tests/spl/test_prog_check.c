// SPDX-License-Identifier: BSD-3-Clause
/* The checkers object: each test takes a program that passes, breaks one thing, and wants to hear
 * about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/mem.h"
#include "tests/helpers/helper_program.h"
#include "tests/helpers/helper_schedule.h"

static const prog_sides packed;

/* Three batches of a DFT of 4 in two stages, each stage in two parts. */
#define BATCH(kind, get, put)                                                                      \
    kind "(k2<3, " put "(h(4,12,4*k2%3,1)) * "                                                     \
         "SUM.par(k1<2, S(h(2,4,k1%2,2)) * DFT(2)_{leaf} * G(h(2,4,k1%2,2))) * "                   \
         "SUM.par(k1<2, S(h(2,4,2*k1%2,1)) * D(2,2,h(2,4,2*k1%2,1)) * DFT(2)_{leaf} * "            \
         "G(h(2,4,k1%2,2))) * " get "(h(4,12,4*k2%3,1)))"
/* In one part, through a local buffer. */
#define LOCAL                                                                                      \
    "SUM.par(k2<2, SUM(k1<2@k2/2, S(h(4,8,4*k1%2,1)) * "                                           \
    "SUM(k0<2, S(h(2,4,k0%2,2)) * DFT(2)_{leaf} * G(h(2,4,k0%2,2))) * "                            \
    "SUM(k0<2, S(h(2,4,2*k0%2,1)) * DFT(2)_{leaf} * G(h(2,4,k0%2,2))) * G(h(4,8,4*k1%2,1))))"

typedef struct fixture {
    spl_ctx *ctx;
    prog *p;
} fixture;

static fixture lowered(const char *text, const prog_sides *sides)
{
    fixture f = {spl_ctx_open(), NULL};
    sluice_diag why = {0, ""};
    if (prog_lower(&f.p, f.ctx, program_parsed(f.ctx, text), sides, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    program_check(f.p, text);
    return f;
}

static void done(fixture *f)
{
    spl_ctx_close(f->ctx);
}

/* The checker says something with `words` in it. */
static void objects(const prog *p, const char *words)
{
    sluice_diag why = {0, ""};
    assert_int_equal(prog_check(p, 0, 16, &why), SLUICE_E_INVALID);
    if (strstr(why.message, words) == NULL)
        fail_msg("expected '%s': %s", words, why.message);
}

static void take_out(prog *p, size_t at)
{
    memmove(&p->stmt[at], &p->stmt[at + 1], (--p->nstmts - at) * sizeof *p->stmt);
    for (size_t i = 0; i < p->nstmts; i++)
        p->stmt[i].end -= p->stmt[i].end > at;
}

static size_t find(const prog *p, prog_op op, int nth)
{
    for (size_t i = 0; i < p->nstmts; i++)
        if (p->stmt[i].op == op && nth-- == 0)
            return i;
    return p->nstmts;
}

/* The index function shifted and stretched. */
static const ix *bent(spl_ctx *ctx, const ix *f, int64_t shift, int64_t stretch)
{
    ix_term t[IX_MAX_TERMS];
    for (int i = 0; i < f->nt; i++) {
        t[i] = f->t[i];
        t[i].coef *= t[i].src == IX_INDEX ? stretch : 1;
    }
    return ix_digit(ctx, f->n, 1 << 20, f->c + shift, f->nt, t);
}

/* ---- races ---- */

static void every_barrier_is_needed(void **state)
{
    (void)state;
    static const char *const text[] = {
        PAR_A " * " PAR_B, PAR_A " * " PAR_A " * " PAR_B, BATCH("SUM", "G", "S"),
        BATCH("SUM.stream", "G.copy", "S.copy"),
        PAR_A
        " * SUM(k0<4, S(h(16,64,16*k0%4,1)) * DFT(16)_{leaf} * G(h(16,64,16*k0%4,1))) * " PAR_B};
    const prog_sides sides[] = {{0}, {.in_place = true}, {.out_is_scratch = true}};
    int seen = 0;
    for (int t = 0; t < 5 * 3; t++)
        for (int nth = 0;; nth++) {
            fixture f = lowered(text[t / 3], &sides[t % 3]);
            const size_t at = find(f.p, PROG_SYNC, nth);
            const bool more = at < f.p->nstmts;
            if (more) {
                take_out(f.p, at);
                objects(f.p, "race");
                seen++;
            }
            done(&f);
            if (!more)
                break;
        }
    /* Where batches go through the output, whose parts iterations own, none stands at their end. */
    assert_int_equal(seen, 3 * (1 + 2 + 2 + 3 + 2) - 1);
}

static void parts_that_overlap(void **state)
{
    (void)state;
    fixture f =
        lowered("SUM.par(k0<4, S(h(2,8,2*k0%4,1)) * DFT(2)_{leaf} * G(h(2,8,k0%4,4)))", &packed);
    prog_stmt *s = &f.p->stmt[1];
    const ix *fout = s->fout;
    s->fout = s->fin;
    assert_int_equal(prog_check(f.p, 0, 16, NULL), SLUICE_OK);
    s->fout = bent(f.ctx, fout, 0, 2);
    objects(f.p, "race");
    done(&f);
}

static void loops_and_barriers_inside_parts(void **state)
{
    (void)state;
    fixture f = lowered(LOCAL, &packed);
    const size_t par = 0, seq = 1;
    f.p->stmt[seq].range.kind = SPL_PAR;
    objects(f.p, "a PAR loop inside");
    f.p->stmt[seq].range.kind = SPL_SEQ;
    f.p->stmt[par].range.kind = SPL_SEQ;
    objects(f.p, "outside PAR loops");
    f.p->stmt[par].range.kind = SPL_PAR;
    const size_t kern = find(f.p, PROG_KERN, 1);
    f.p->stmt[kern].op = PROG_SYNC;
    objects(f.p, "a SYNC inside");
    done(&f);
}

/* ---- coverage ---- */

static void lost_iterations(void **state)
{
    (void)state;
    static const char *const text[] = {PAR_A " * " PAR_B, BATCH("SUM", "G", "S"), LOCAL};
    for (int t = 0; t < 3; t++)
        for (int nth = 0;; nth++) {
            fixture f = lowered(text[t], &packed);
            const size_t at = find(f.p, PROG_LOOP, nth);
            const bool more = at < f.p->nstmts;
            if (more) {
                f.p->stmt[at].range.n--;
                objects(f.p, ""); /* of an element that is not written */
            }
            done(&f);
            if (!more)
                break;
        }
}

static void what_an_earlier_iteration_left_is_no_input(void **state)
{
    (void)state;
    fixture f = lowered("SUM(k1<2, S(h(4,8,4*k1%2,1)) * DFT(4)_{leaf} * "
                        "SUM(k0<2, S(h(2,4,2*k0%2,1)) * DFT(2)_{leaf} * G(h(2,4,k0%2,2))) * "
                        "G(h(4,8,4*k1%2,1)))",
                        &packed);
    prog_stmt *inner = &f.p->stmt[1];
    assert_int_equal(prog_check(f.p, 0, 16, NULL), SLUICE_OK);
    inner->range.share_var = f.p->stmt[0].range.var; /* all in iteration 0, nothing in 1 */
    inner->range.shares = inner->range.grain = 1;
    objects(f.p, "holds something else");
    done(&f);
}

static void elements_written_twice(void **state)
{
    (void)state;
    fixture f =
        lowered("SUM(k0<4, S(h(2,8,2*k0%4,1)) * DFT(2)_{leaf} * G(h(2,8,k0%4,4)))", &packed);
    const ix *fout = f.p->stmt[1].fout;
    f.p->stmt[1].fout = bent(f.ctx, fout, 0, 0);
    objects(f.p, "written twice");
    f.p->stmt[1].fout = bent(f.ctx, fout, 0, 2);
    objects(f.p, "written twice");
    f.p->sides.out_is_scratch = true; /* but nobody read what lay there */
    objects(f.p, "written twice");
    done(&f);
}

static void addresses_out_of_bounds(void **state)
{
    (void)state;
    static const char *const text[] = {PAR_A " * " PAR_B, LOCAL};
    for (int t = 0; t < 2; t++)
        for (int nth = 0; nth < 2; nth++)
            for (int side = 0; side < 4; side++) {
                fixture f = lowered(text[t], &packed);
                prog_stmt *s = &f.p->stmt[find(f.p, PROG_KERN, nth)];
                const ix **at = side % 2 ? &s->fout : &s->fin;
                *at = bent(f.ctx, *at, side < 2 ? 1 : -1, 1);
                objects(f.p, "outside buffer");
                done(&f);
            }
}

static void between_strided_elements(void **state)
{
    (void)state;
    fixture f = lowered("DFT(8)_{leaf}", &packed);
    const ix *twos = ix_h(f.ctx, 8, 16, 0, 2);
    f.p->sides.in = twos;
    objects(f.p, "outside buffer");
    f.p->stmt[0].fin = twos;
    assert_int_equal(prog_check(f.p, 0, 16, NULL), SLUICE_OK);
    f.p->sides.in = ix_h(f.ctx, 8, 16, 0, 0);
    objects(f.p, "one address");
    done(&f);
}

static void the_sides_keep_their_roles(void **state)
{
    (void)state;
    fixture f = lowered(PAR_A " * " PAR_B, &packed);
    prog_stmt *first = &f.p->stmt[find(f.p, PROG_KERN, 0)];
    prog_stmt *second = &f.p->stmt[find(f.p, PROG_KERN, 1)];
    const int middle = first->out;
    first->out = 0;
    objects(f.p, "bad buffers");
    first->out = second->in = 1;
    objects(f.p, "the output is read");
    f.p->sides.out_is_scratch = true;
    assert_int_equal(prog_check(f.p, 0, 16, NULL), SLUICE_OK);
    first->out = second->in = middle;
    first->twiddle[0].n = 7;
    objects(f.p, "twiddle");
    done(&f);
}

static void in_place_only_where_it_is_safe(void **state)
{
    (void)state;
    fixture f =
        lowered("SUM(k0<4, S(h(2,8,2*k0%4,1)) * DFT(2)_{leaf} * G(h(2,8,k0%4,4)))", &packed);
    f.p->sides.in_place = true;
    objects(f.p, "holds something else");
    f.p->stmt[1].fout = f.p->stmt[1].fin;
    assert_int_equal(prog_check(f.p, 0, 16, NULL), SLUICE_OK);
    done(&f);
}

/* ---- buffers ---- */

static void buffers_in_one_place(void **state)
{
    (void)state;
    fixture f = lowered(PAR_A " * " PAR_B " * " PAR_A, &packed);
    assert_int_equal(f.p->nbufs, 4);
    f.p->buf[2].offset = f.p->buf[3].offset;
    objects(f.p, "holds something else");
    f.p->buf[2].offset = 32;
    objects(f.p, "its arena");
    f.p->buf[2].offset = f.p->shared_elems;
    objects(f.p, "its arena");
    done(&f);
}

static void local_stores_overflow(void **state)
{
    (void)state;
    fixture f = lowered(LOCAL, &packed);
    assert_int_equal(f.p->local_elems, 64);
    assert_int_equal(prog_check(f.p, 64 * 16, 16, NULL), SLUICE_OK);
    assert_int_equal(prog_check(f.p, 64 * 16 - 1, 16, NULL), SLUICE_E_INVALID);
    done(&f);
    /* two copies of 4 elements, each in a place of 64, on each side, dealt to 2 parts */
    f = lowered(BATCH("SUM.stream", "G.copy", "S.copy"), &packed);
    assert_int_equal(prog_check(f.p, 128 * 16, 16, NULL), SLUICE_OK);
    assert_int_equal(prog_check(f.p, 127 * 16, 16, NULL), SLUICE_E_INVALID);
    done(&f);
}

static void too_large_to_check(void **state)
{
    (void)state;
    fixture f =
        lowered("SUM(k0<4, S(h(2,8,2*k0%4,1)) * DFT(2)_{leaf} * G(h(2,8,k0%4,4)))", &packed);
    f.p->stmt[0].range.n = 1 << 24;
    assert_int_equal(prog_check(f.p, 0, 16, NULL), SLUICE_E_UNSUPPORTED);
    done(&f);
}

static void multibuffer_schedules(void **state)
{
    (void)state;
    sluice_diag why = {0, ""};
    for (int64_t s = 1; s <= 8; s++) {
        assert_int_equal(check_schedule(s, 3, 0, &why), SLUICE_OK);
        assert_int_equal(check_schedule(s, 4, 0, &why), SLUICE_OK);
        assert_int_equal(check_schedule(s, 2, 2, &why), SLUICE_OK);
        assert_int_equal(check_schedule(s, 2, 0, NULL), s < 3 ? SLUICE_OK : SLUICE_E_INVALID);
        assert_int_equal(check_schedule(s, 1, 0, NULL), s < 2 ? SLUICE_OK : SLUICE_E_INVALID);
        assert_int_equal(check_schedule(s, 2, 1, NULL), s < 2 ? SLUICE_OK : SLUICE_E_INVALID);
        assert_int_equal(check_schedule(s, 1, 2, NULL), s < 2 ? SLUICE_OK : SLUICE_E_INVALID);
    }
    assert_int_equal(check_schedule(3, 2, 0, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "at the same time"));
    assert_int_equal(check_schedule(0, 3, 0, NULL), SLUICE_E_INVALID);
    assert_int_equal(check_schedule(1, 0, 0, NULL), SLUICE_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_barrier_is_needed),
        cmocka_unit_test(parts_that_overlap),
        cmocka_unit_test(loops_and_barriers_inside_parts),
        cmocka_unit_test(lost_iterations),
        cmocka_unit_test(what_an_earlier_iteration_left_is_no_input),
        cmocka_unit_test(elements_written_twice),
        cmocka_unit_test(addresses_out_of_bounds),
        cmocka_unit_test(between_strided_elements),
        cmocka_unit_test(the_sides_keep_their_roles),
        cmocka_unit_test(in_place_only_where_it_is_safe),
        cmocka_unit_test(buffers_in_one_place),
        cmocka_unit_test(local_stores_overflow),
        cmocka_unit_test(too_large_to_check),
        cmocka_unit_test(multibuffer_schedules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
