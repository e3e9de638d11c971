// SPDX-License-Identifier: BSD-3-Clause
/* A backend for the tests of everything above: it copies its input to its output, late and out of
 * order, and fails on command.
 *
 * Config text: UNITS *("," NAME "=" NUMBER), all of it optional; NULL is one unit that does nothing
 * unusual.
 *   delay=U    each run first sleeps a pseudo-random time up to U microseconds
 *   seed=S     of those times
 *   fail=K     the Kth run (from 1) fails with E_DEVICE and leaves the fault FAKE_RUN_FAILED
 *   threads=K  K starts succeed, no more
 *   exchange=K the Kth arrival of a worker at an exchange (SYNC) of a run, counted over all workers
 *              and runs, fails: its run ends for all workers with E_DEVICE, fault
 *              FAKE_EXCHANGE_FAILED. Programs of p parts run on up to UNITS threads that meet at
 *              every SYNC, late by `delay` */
#ifndef BACKENDS_FAKE_FAKE_BACKEND_H
#define BACKENDS_FAKE_FAKE_BACKEND_H

#include "backends/backend.h"

extern const backend_table fake_backend;

#endif
