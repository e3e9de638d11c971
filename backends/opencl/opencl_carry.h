// SPDX-License-Identifier: BSD-3-Clause
/* Arrays that a driver could not move at the link's pace, ordinary memory of the user's and blocks
 * that lie apart in it, go through pieces of pinned memory, a ring of them in each direction:
 *
 *     get:  copied by the team | enqueued, by the thread that begins the block
 *     put:  enqueued, by a thread of the unit's | copied by the team
 *
 * While some pieces are copied, others are on the link. The rings are small, so that a piece is
 * still in a cache of the host when it goes on.
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
    pthread_mutex_t turn; /* an array at a time */
    char *memory;
    size_t room;         /* of a piece */
    int pieces, copying; /* copying: of these, at most */
    size_t next;         /* piece to be used */
    opencl_piece *piece;
} opencl_way;

struct opencl_ports {
    backend *owner;
    int unit;
    opencl_way way[WAYS];
    pthread_mutex_t lock; /* protects what follows, and `carried` of lanes */
    pthread_cond_t come, done;
    opencl_lane *first, *last; /* to be put */
    bool ends, has_thread;
    pthread_t thread;
};

static inline opencl_ports *opencl_ports_of(const opencl_lane *lane)
{
    return opencl_owner(lane)->unit[lane->unit].ports;
}

/* ---- opencl_pieces.c ---- */
bool opencl_way_open(opencl_way *way, int threads, bool to_device);
/* Its memory; waits for what is under way. */
void opencl_way_empty(const opencl_ports *ports, opencl_way *way);
/* The array's bytes by way of the pieces: enqueued when this returns; stored. The first failure is
 * returned when nothing is copied any more. */
sluice_status opencl_send(opencl_lane *lane, int array);
sluice_status opencl_receive(opencl_lane *lane, int array);

#endif
