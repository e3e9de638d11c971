// SPDX-License-Identifier: BSD-3-Clause
/* The feed between two file descriptors. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/status.h"
#include "streaming/feed.h"

static sluice_status fail_io(const char *doing, const char *name, uint64_t at, sluice_diag *why)
{
    return core_fail(why, SLUICE_E_IO, 0, "%s %s failed after %llu bytes: %s", doing, name,
                     (unsigned long long)at, strerror(errno));
}

/* After a failed read or write: should it be repeated? Waits first until a non-blocking descriptor
 * is ready. */
static bool try_again(int fd, short event)
{
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return false;
    struct pollfd ready = {.fd = fd, .events = event};
    return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

static size_t io_length(size_t bytes)
{
    return bytes > SSIZE_MAX ? SSIZE_MAX : bytes;
}

static sluice_status files_get(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why)
{
    stream_files *f = self;
    size_t want, have = 0;
    (void)k; /* blocks are requested in order */
    if (slot->in_im != NULL || !core_mul(slot->count, f->in_item, &want))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "%s: a file holds one array", f->in_name);
    while (have < want && !f->ended) {
        const ssize_t n = read(f->in, (char *)slot->in + have, io_length(want - have));
        if (n < 0 && !try_again(f->in, POLLIN))
            return fail_io("reading", f->in_name, f->in_bytes, why);
        f->ended = n == 0;
        have += n > 0 ? (size_t)n : 0;
        f->in_bytes += n > 0 ? (uint64_t)n : 0;
    }
    if (have % f->in_item != 0)
        return core_fail(why, SLUICE_E_IO, 0,
                         "%s ends inside an item: %zu of its %zu bytes are there", f->in_name,
                         have % f->in_item, f->in_item);
    slot->count = have / f->in_item;
    return have == 0 ? SLUICE_END : SLUICE_OK;
}

static sluice_status files_put(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why)
{
    stream_files *f = self;
    size_t want, done = 0;
    (void)k;
    if (slot->out_im != NULL || !core_mul(slot->count, f->out_item, &want))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "%s: a file holds one array", f->out_name);
    while (done < want) {
        const ssize_t n = write(f->out, (const char *)slot->out + done, io_length(want - done));
        if (n < 0 && !try_again(f->out, POLLOUT))
            return fail_io("writing", f->out_name, f->out_bytes, why);
        done += n > 0 ? (size_t)n : 0;
        f->out_bytes += n > 0 ? (uint64_t)n : 0;
    }
    return SLUICE_OK;
}

stream_feed stream_feed_files(stream_files *files)
{
    return (stream_feed){files_get, files_put, files};
}
