// SPDX-License-Identifier: BSD-3-Clause
/* The library's log: lines `sluice,1,CHANNEL,...` on stderr for the channels that SLUICE_VERBOSE
 * names (comma-separated; "all"), or all channels to a callback. Each machine has its own log. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include "api/sluice.h"

typedef enum core_channel {
    CORE_LOG_PLAN = 1,     /* chosen and rejected plans */
    CORE_LOG_DISPATCH = 2, /* units, ISA, codelets                   */
    CORE_LOG_EXEC = 4,     /* one line per execution                 */
    CORE_LOG_STREAM = 8    /* one line per block                     */
} core_channel;

typedef struct core_log {
    unsigned channels; /* bits of core_channel */
    sluice_write *write;
    void *user;
} core_log;

/* Reads SLUICE_VERBOSE; if `write` is given, all channels are written to it instead. Unknown names
 * are reported once on stderr. */
void core_log_open(core_log *log, sluice_write *write, void *user);
/* Writes one line and adds the newline. Cheap if the channel is off. Thread-safe. */
void core_log_line(const core_log *log, core_channel channel, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
