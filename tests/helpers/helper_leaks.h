// SPDX-License-Identifier: BSD-3-Clause
/* A teardown: checks that all memory of the library has been freed, and re-enables allocations. */
#ifndef TESTS_HELPER_LEAKS_H
#define TESTS_HELPER_LEAKS_H

int nothing_leaks(void **state);

#endif
