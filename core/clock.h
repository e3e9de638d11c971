// SPDX-License-Identifier: BSD-3-Clause
/* Time. */
#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H

double core_seconds(void); /* monotonic, arbitrary origin */

#endif
