// SPDX-License-Identifier: BSD-3-Clause
/* What the library says of itself: lines `sluice,1,CHANNEL,...` on stderr for the channels that
 * SLUICE_VERBOSE names (comma-separated; "all"), or all of them to a callback. A logger belongs to
 * a machine; there is no global one. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include "api/sluice.h"

typedef enum core_channel {
    CORE_LOG_PLAN = 1,     /* what was chosen and what was not       */
    CORE_LOG_DISPATCH = 2, /* units, ISA, codelets                   */
    CORE_LOG_EXEC = 4,     /* one line per execution                 */
    CORE_LOG_STREAM = 8    /* one line per block                     */
} core_channel;

typedef struct core_log {
    unsigned channels; /* bits of core_channel */
    sluice_write *write;
    void *user;
} core_log;

/* Reads SLUICE_VERBOSE; with `write` every channel goes there instead. Unknown names are reported
 * once on stderr. */
void core_log_open(core_log *log, sluice_write *write, void *user);
/* One line; the newline is added. Cheap when the channel is off. Thread-safe. */
void core_log_line(const core_log *log, core_channel channel, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
