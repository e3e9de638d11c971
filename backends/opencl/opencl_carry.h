// SPDX-License-Identifier: BSD-3-Clause
/* Arrays that a driver cannot move at the link's bandwidth, which are ordinary memory of the user's
 * and blocks whose elements lie apart in it, go through pieces of pinned memory. There is a ring of
 * pieces in each direction:
 *
 *     get:  copied by the team | enqueued, by the thread that begins the block
 *     put:  enqueued, by a thread of the unit's | copied by the team
 *
 * While some pieces are copied, others are on the link. The rings are small, so that a piece is
 * still in a cache of the host when it is transferred.
 *
 * opencl_pieces.c   rings
 * opencl_carry.c    blocks; the unit's thread */
#ifndef BACKENDS_OPENCL_CARRY_H
#define BACKENDS_OPENCL_CARRY_H

#include "backends/copy_team.h"
#include "backends/opencl/opencl_state.h"

enum { TO_DEVICE, FROM_DEVICE, WAYS };

typedef struct opencl_piece {
    copy_task task; /* first */
    const opencl_lane *lane;
    int array;
    size_t from, bytes; /* of the side */
    char *at;
    cl_event event; /* of the transfer; NULL: it was waited for */
} opencl_piece;

typedef struct opencl_way {
    pthread_mutex_t turn; /* held while an array passes */
    char *memory;
    size_t room;         /* bytes of a piece */
    int pieces, copying; /* copying: how many may be copied at a time */
    size_t next;         /* the next piece to be used */
    opencl_piece *piece;
} opencl_way;

struct opencl_ports {
    backend *owner;
    int unit;
    opencl_way way[WAYS];
    pthread_mutex_t lock; /* protects what follows, and `carried` of lanes */
    pthread_cond_t come, done;
    opencl_lane *first, *last; /* blocks to be put */
    bool ends, has_thread;
    pthread_t thread;
};

static inline opencl_ports *opencl_ports_of(const opencl_lane *lane)
{
    return opencl_owner(lane)->unit[lane->unit].ports;
}

/* ---- opencl_pieces.c ---- */
bool opencl_way_open(opencl_way *way, int threads, bool to_device);
/* Releases its memory, once transfers in flight have ended. */
void opencl_way_empty(const opencl_ports *ports, opencl_way *way);
/* The array's bytes by way of the pieces. opencl_send returns when they are enqueued,
 * opencl_receive when they are stored. Both return the first failure, once nothing is being copied
 * any more. */
sluice_status opencl_send(opencl_lane *lane, int array);
sluice_status opencl_receive(opencl_lane *lane, int array);

#endif
