// SPDX-License-Identifier: BSD-3-Clause
/* Exchanges of a program, computed independently of spl/program/prog_exchange.c. */
#ifndef TESTS_HELPER_NET_H
#define TESTS_HELPER_NET_H

#include "spl/program/program.h"

/* Fails the test if prog_exchange's classes, elements and packets differ from those of a run in
 * which each part has a private store: elements that are not there must be communicated. Returns
 * the number of exchanges. */
int net_check(const prog *p, const char *text);

#endif
