// SPDX-License-Identifier: BSD-3-Clause
/* A backend for the tests of everything above: it copies its input to its output, late and out of
 * order, and fails on command. With a depth its units are devices that get, compute and put several
 * blocks at a time, on virtual clocks of their own: time passes only while the host waits.
 *
 * Config text: UNITS *("," NAME "=" NUMBER), all of it optional; NULL is one unit that does nothing
 * unusual.
 *   delay=U    each run first sleeps a pseudo-random time up to U microseconds
 *   seed=S     of those times
 *   fail=K     the Kth run (from 1) fails with E_DEVICE and leaves the fault FAKE_RUN_FAILED
 *   threads=K  K starts succeed, no more
 *   exchange=K the Kth arrival of a worker at an exchange (SYNC) of a run, counted over all workers
 *              and runs, fails: its run ends for all workers with E_DEVICE, fault
 *              FAKE_EXCHANGE_FAILED. Programs of p parts run on up to UNITS threads with a
 *              barrier at every SYNC, late by `delay`
 *   depth=D    blocks that a unit has in flight; 0, as if not given: units only run
 *   get=U compute=U put=U
 *              microseconds that a full block takes on its way to a unit, in it and back, one block
 *              in each at a time, a short one in proportion; of a run, all three
 *   launch=U   microseconds that the computation of a block of any count takes besides
 *   cores=K    cores of the host that the units say they compute on
 *   slow=K     from the Kth begin on each leg takes ten times as long
 *   late=U     a block in flight is done a pseudo-random time up to U microseconds after its put,
 *              so perhaps after the next one
 *   begin=K finish=K
 *              the Kth begin or finish fails with E_DEVICE, FAKE_BEGIN_FAILED or
 *              FAKE_FINISH_FAILED; a finish that fails has written half of its output
 *   die=K dying=N
 *              each of the first N units (usually 1) is lost at its own Kth begin or
 *              finish: it and all later ones fail with E_DEVICE, FAKE_UNIT_LOST */
#ifndef BACKENDS_FAKE_FAKE_BACKEND_H
#define BACKENDS_FAKE_FAKE_BACKEND_H

#include "backends/backend.h"

extern const backend_table fake_backend;

/* Seconds on a unit's clock when the host last waited for it. */
double fake_clock(const backend *b, int unit);
/* The host does something else until then. */
void fake_wait_until(backend *b, int unit, double seconds);
/* When the block is done, on its unit's clock. */
double fake_end(const backend_ticket *ticket);
/* Blocks that memory->alloc gave out and memory->free did not get back. */
long fake_pinned(const backend *b);

#endif
