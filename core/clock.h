// SPDX-License-Identifier: BSD-3-Clause
/* Time. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

#include <time.h>

double core_seconds(void); /* monotonic, arbitrary origin */
/* This many milliseconds from now, on the monotonic clock. */
struct timespec core_deadline(int ms);

#endif
