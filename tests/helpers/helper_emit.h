// SPDX-License-Identifier: BSD-3-Clause
/* Emitted programs in tests: the compilers of the build, $CC with $FLAGS and $CXX, called through
 * the shell of helper_tool.h. Without $SLUICE_CC and $SLUICE_CXX they are cc and c++. */
#ifndef TESTS_HELPER_EMIT_H
#define TESTS_HELPER_EMIT_H

#include "tests/helpers/helper_tool.h"

/* What programs are compiled by. */
#define EMIT_C "$CC $FLAGS"
#define EMIT_CXX "$CXX -x c++ -std=c++17 -Wall -Wextra -Werror"

/* tool_begin, with these in the environment, and caches of one size for all plans. */
int emit_begin(void);
/* Is there a C compiler whose programs run? */
bool emit_compiles(void);
/* Runs a shell line, whose exit code has to be this one; prints what it wrote if not. */
void emit_check(const char *line, int code);

#endif
