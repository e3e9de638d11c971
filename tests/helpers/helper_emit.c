// SPDX-License-Identifier: BSD-3-Clause
#define _XOPEN_SOURCE 700
#include "tests/helpers/helper_emit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

int emit_begin(void)
{
    /* 65536 points have a table that is a product of two. */
    static const char caches[] =
        "pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:1";
    const char *compiler = getenv("SLUICE_CC"), *cxx = getenv("SLUICE_CXX");
    setenv("CC", compiler ? compiler : "cc", 1);
    setenv("CXX", cxx ? cxx : "c++", 1);
    setenv("FLAGS", "-std=c11 -Wall -Wextra -Wpedantic -Werror", 1);
    setenv("SLUICE_TOPOLOGY", caches, 1);
    return tool_begin();
}

bool emit_compiles(void)
{
    return tool_shell("echo 'int main(void) { return 0; }' >c.c && $CC c.c -o c && ./c") == 0;
}

void emit_check(const char *line, int code)
{
    const int got = tool_shell(line);
    if (got != code) {
        print_error("%s\nexit code %d, not %d\n", line, got, code);
        if (system("head -c 2000 out err >&2") != 0)
            print_error("without output\n");
    }
    assert_int_equal(got, code);
}
