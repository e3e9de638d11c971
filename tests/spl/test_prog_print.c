// SPDX-License-Identifier: BSD-3-Clause
/* What lowering makes of a formula, as text: loops split, fused and exchanged, barriers, places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/helpers/helper_program.h"

/* Three batches of a DFT of 4 in two stages, each stage in two parts. */
#define BATCH(kind, get, put)                                                                      \
    kind "(k2<3, " put "(h(4,12,4*k2%3,1)) * "                                                     \
         "SUM.par(k1<2, S(h(2,4,k1%2,2)) * DFT(2)_{leaf} * G(h(2,4,k1%2,2))) * "                   \
         "SUM.par(k1<2, S(h(2,4,2*k1%2,1)) * D(2,2,h(2,4,2*k1%2,1)) * DFT(2)_{leaf} * "            \
         "G(h(2,4,k1%2,2))) * " get "(h(4,12,4*k2%3,1)))"

typedef struct printed {
    const char *formula;
    prog_sides sides;
    const char *text;
} printed;

static const printed prints[] = {
    /* fused, since the outer loop goes on where the inner one ends */
    {"SUM(k1<2, SUM.vec[4,split](k0<4, S(h(8,64,k0%4+4*k1%2,8)) * IDFT(8)_{leaf} * "
     "G(h(8,64,k0%4+4*k1%2,8))))",
     {0},
     "program 64 -> 64, parts 1\n"
     "buf b0 IN 64; b1 OUT 64\n"
     "vec[4,split] k0 < 8:\n"
     "  b1[k0 + i*8] = IDFT(8) b0[k0 + i*8], i < 8\n"},
    /* split where a digit ends, the lanes inside */
    {"SUM.vec[2,inter](k0<6, S(h(2,12,k0%2+4*k0/2%3,2)) * DFT(2)_{leaf} * G(h(2,12,k0%6,6)))",
     {.in_layout = SLUICE_SPLIT},
     "program 12 -> 12, parts 1, input split\n"
     "buf b0 IN 12; b1 OUT 12\n"
     "seq k1 < 3:\n"
     "  vec[2,inter] k2 < 2:\n"
     "    b1[k2 + k1*4 + i*2] = DFT(2) b0[k2 + k1*2 + i*6], i < 2\n"},
    /* not where shares may begin between; there where they may not */
    {"SUM.par(k1<2, SUM(k0<6@k1/2, S(h(2,12,k0%2+4*k0/2%3,2)) * DFT(2)_{leaf} * "
     "G(h(2,12,k0%6,6))))",
     {0},
     "program 12 -> 12, parts 2\n"
     "buf b0 IN 12; b1 OUT 12\n"
     "# net, input: 6 of 12 elements in 2 packets of 2 to 4\n"
     "par k1 < 2:\n"
     "  seq k2 < 3 @ k1/2:\n"
     "    seq k3 < 2:\n"
     "      b1.net[k3 + k2*4 + i*2] = DFT(2) b0.net[k3 + k2*2 + i*6], i < 2\n"
     "# net, output: 2 of 12 elements in 1 packet of 2\n"},
    {"SUM.par(k1<2, SUM(k0<6@k1/2/2, S(h(2,12,k0%2+4*k0/2%3,2)) * DFT(2)_{leaf} * "
     "G(h(2,12,k0%6,6))))",
     {0},
     "program 12 -> 12, parts 2\n"
     "buf b0 IN 12; b1 OUT 12\n"
     "# net, input: 6 of 12 elements in 2 packets of 2 to 4\n"
     "par k1 < 2:\n"
     "  seq k2 < 3 @ k1/2:\n"
     "    seq k3 < 2:\n"
     "      b1.net[k3 + k2*4 + i*2] = DFT(2) b0.net[k3 + k2*2 + i*6], i < 2\n"
     "# net, output: 2 of 12 elements in 1 packet of 2\n"},
    /* shares scale with what is fused into them */
    {"SUM.par(k2<2, SUM(k1<4@k2/2/2, SUM(k0<4, S(h(2,32,k0%4+4*k1%4,16)) * DFT(2)_{leaf} * "
     "G(h(2,32,k0%4+4*k1%4,16)))))",
     {.in_place = true},
     "program 32 -> 32, parts 2, in place\n"
     "buf b0 IN 32; b1 OUT 32\n"
     "# net, input: 16 of 32 elements in 2 packets of 8\n"
     "par k2 < 2:\n"
     "  seq k0 < 16 @ k2/2 grain 8:\n"
     "    b1.net[k0 + i*16] = DFT(2) b0.net[k0 + i*16], i < 2\n"
     "# net, output: 16 of 32 elements in 2 packets of 8\n"},
    /* lanes go inside, loops of one iteration go away, lanes of one stay */
    {"SUM.vec[4,inter](k2<3, SUM(k1<1, SUM(k0<2, S(h(2,12,k1%1+2*k0%2+4*k2%3,1)) * "
     "DFT(2)_{leaf} * G(h(2,12,k2%3+3*k0%2,6)))))",
     {0},
     "program 12 -> 12, parts 1\n"
     "buf b0 IN 12; b1 OUT 12\n"
     "seq k0 < 2:\n"
     "  vec[4,inter] k2 < 3:\n"
     "    b1[k2*4 + k0*2 + i] = DFT(2) b0[k2 + k0*3 + i*6], i < 2\n"},
    {"SUM.vec[4,inter](k0<1, DFT(2)_{leaf})",
     {0},
     "program 2 -> 2, parts 1\n"
     "buf b0 IN 2; b1 OUT 2\n"
     "vec[4,inter] k0 < 1:\n"
     "  b1[i] = DFT(2) b0[i], i < 2\n"},
    /* the output between two temporaries; a barrier that ends the body is not doubled */
    {"SUM(k0<3, S(h(4,12,4*k0%3,1)) * DFT(4)_{leaf} * G(h(4,12,k0%3,3))) * " BATCH(
         "SUM", "G", "S") " * SUM(k0<3, S(h(4,12,4*k0%3,1)) * G(h(4,12,k0%3,3)))",
     {.out_is_scratch = true, .out_layout = SLUICE_SPLIT},
     "program 12 -> 12, parts 2, output is scratch, output split\n"
     "buf b0 IN 12; b1 OUT 12; b2 SHARED 12 @0; b3 SHARED 4 @64\n"
     "# net, input: 6 of 12 elements in 1 packet of 6\n"
     "seq k0 < 3:\n"
     "  b2.net[k0*4 + i] = I(4) b0.net[k0 + i*3], i < 4\n"
     "sync  # net: 2 of 4 elements in 2 packets of 1\n"
     "seq k2 < 3:\n"
     "  par k1 < 2:\n"
     "    b3.net[k1*2 + i] = T(2,2)[k1*2 + i] DFT(2) b2[k2*4 + k1 + i*2], i < 2\n"
     "  sync  # net: 6 of 12 elements in 6 packets of 1\n"
     "  par k1 < 2:\n"
     "    b2.net[k2*4 + k1 + i*2] = DFT(2) b3[k1 + i*2], i < 2\n"
     "  sync  # net: 10 of 20 elements in 10 packets of 1\n"
     "seq k0 < 3:\n"
     "  b1.net[k0*4 + i] = DFT(4) b2[k0 + i*3], i < 4\n"
     "# net, output: 6 of 12 elements in 1 packet of 6\n"},
    /* transfers, and functions that are not linear */
    {"SUM.stream(k2<3, S.net(h(4,12,4*k2%3,1)) * DFT(4)_{leaf} * D(2,2,table(4: 3,1,0,2))^-1 * "
     "G.copy([4->12: 11 - 4*k2%3 - i/2%2 - 2*i%2]))",
     {0},
     "program 12 -> 12, parts 1\n"
     "buf b0 IN 12; b1 OUT 12; b2 SHARED 4 @256; b3 SHARED 4 x2 @0; b4 SHARED 4 x2 @128\n"
     "stream k2 < 3:\n"
     "  get b3[i] = b0[11 - k2*4 - i/2 - (i%2)*2], i < 4\n"
     "  b2[i] = T(2,2)^-1[table{3 1 0 2}[i]] I(4) b3[i], i < 4\n"
     "  b4[i] = DFT(4) b2[i], i < 4\n"
     "  put.net b1[k2*4 + i] = b4[i], i < 4\n"},
};

static void programs_print(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof prints / sizeof prints[0]; i++) {
        spl_ctx *ctx = spl_ctx_open();
        const spl *x = program_parsed(ctx, prints[i].formula);
        core_text text = {NULL, 0, 0, false};
        prog *p;
        assert_int_equal(prog_lower(&p, ctx, x, &prints[i].sides, NULL), SLUICE_OK);
        program_check(p, prints[i].formula);
        prog_print(p, &text);
        assert_string_equal(core_text_string(&text), prints[i].text);
        core_text_free(&text);
        spl_ctx_close(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_print)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
