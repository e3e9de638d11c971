// SPDX-License-Identifier: BSD-3-Clause
#include "core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/quote.h"

static const struct {
    core_channel bit;
    const char *name;
} channels[] = {
    {CORE_LOG_PLAN, "plan"},
    {CORE_LOG_DISPATCH, "dispatch"},
    {CORE_LOG_EXEC, "exec"},
    {CORE_LOG_STREAM, "stream"},
};
enum { CHANNELS = sizeof channels / sizeof channels[0] };
static const unsigned every_channel =
    CORE_LOG_PLAN | CORE_LOG_DISPATCH | CORE_LOG_EXEC | CORE_LOG_STREAM;

static unsigned channel_bits(const char *name, size_t length)
{
    if (length == 3 && memcmp(name, "all", 3) == 0)
        return every_channel;
    for (int i = 0; i < CHANNELS; i++)
        if (strlen(channels[i].name) == length && memcmp(name, channels[i].name, length) == 0)
            return channels[i].bit;
    return 0;
}

static unsigned parse_channels(const char *names)
{
    unsigned bits = 0;
    while (*names != '\0') {
        const size_t length = strcspn(names, ",");
        const unsigned bit = channel_bits(names, length);
        if (bit == 0 && length > 0)
            fprintf(stderr,
                    "sluice: SLUICE_VERBOSE: '%s' is none of plan, dispatch, exec, stream, all\n",
                    core_quote(names, length).text);
        bits |= bit;
        names += length + (names[length] == ',');
    }
    return bits;
}

void core_log_open(core_log *log, sluice_write *write, void *user)
{
    const char *names = getenv("SLUICE_VERBOSE");
    *log = (core_log){.write = write, .user = user};
    if (write != NULL)
        log->channels = every_channel;
    else if (names != NULL)
        log->channels = parse_channels(names);
}

static const char *channel_name(core_channel channel)
{
    for (int i = 0; i < CHANNELS; i++)
        if (channels[i].bit == channel)
            return channels[i].name;
    return "?";
}

/* One write() per line, so that lines of several threads do not mix. */
static void write_log_line(const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t done = write(STDERR_FILENO, text, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* there is nowhere to report it */
        text += done;
        length -= (size_t)done;
    }
}

void core_log_line(const core_log *log, core_channel channel, const char *format, ...)
{
    char small[512];
    char *line = small;
    size_t size = sizeof small;
    va_list args;
    if ((log->channels & channel) == 0)
        return;
    const int head = snprintf(small, sizeof small, "sluice,1,%s,", channel_name(channel));
    va_start(args, format);
    const int body = vsnprintf(small + head, sizeof small - (size_t)head, format, args);
    va_end(args);
    if (body < 0)
        return;
    size_t length = (size_t)head + (size_t)body;
    if (length + 1 > size && (line = core_malloc(length + 2)) != NULL) {
        size = length + 2;
        memcpy(line, small, (size_t)head);
        va_start(args, format);
        (void)vsnprintf(line + head, size - (size_t)head, format, args);
        va_end(args);
    } else if (line == NULL) {
        line = small; /* out of memory: prints a truncated line */
        length = sizeof small - 1;
    }
    line[length++] = '\n'; /* replaces the 0: the length is passed with the text */
    if (log->write != NULL)
        (void)log->write(log->user, line, length);
    else
        write_log_line(line, length);
    if (line != small)
        core_free(line);
}
