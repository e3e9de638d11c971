// SPDX-License-Identifier: BSD-3-Clause
/* Exchanges of a program, found in another way than spl/program/prog_exchange.c does. */
#ifndef TESTS_HELPER_NET_H
#define TESTS_HELPER_NET_H

#include "spl/program/program.h"

/* Fails the test where prog_exchange's classes, elements and packets are not those of a run in which
 * each part has a store of its own that nobody else writes to: what it does not find there crosses.
 * Returns how many exchanges there are. */
int net_judge(const prog *p, const char *text);

#endif
