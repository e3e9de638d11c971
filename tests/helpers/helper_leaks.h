// SPDX-License-Identifier: BSD-3-Clause
/* A teardown: every block of the library's memory is back; allocations work again. */
#ifndef TESTS_HELPER_LEAKS_H
#define TESTS_HELPER_LEAKS_H

int nothing_leaks(void **state);

#endif
