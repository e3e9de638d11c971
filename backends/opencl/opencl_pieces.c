// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "backends/opencl/opencl_carry.h"
#include "core/copy.h"
#include "core/mem.h"

/* A command takes microseconds, in which a link of 50 GB/s moves 100 KiB. An array in fewer pieces
 * than there are threads leaves some of them idle. */
enum { LARGEST_PIECE = 2 << 20, LEAST_PIECE = 128 << 10 };
enum { ON_LINK = 4 }; /* pieces on the link or waiting for it, besides those being copied */

/* The transfer of one array. */
typedef struct trip {
    opencl_ports *ports;
    opencl_way *way;
    opencl_lane *lane;
    int array;
    opencl_span span;
    size_t piece, count; /* bytes of a piece, number of pieces */
} trip;

/* ---- pieces ---- */

static void copy_to_piece(copy_task *task)
{
    opencl_piece *x = (opencl_piece *)task;
    const opencl_lane *l = x->lane;

    if (l->carry.get)
        l->carry.get(l->carry.user, l->iteration, x->from, x->bytes, x->at);
    else
        memcpy(x->at, l->array[x->array].user + x->from, x->bytes);
}

static void copy_from_piece(copy_task *task)
{
    const opencl_piece *x = (const opencl_piece *)task;
    const opencl_lane *l = x->lane;
    const opencl_array *a = &l->array[x->array];
    const size_t cache = core_topology_core(opencl_owner(l)->topology, 0)->l3;
    char *const to = l->stages ? a->staged : a->user;

    if (l->carry.put)
        l->carry.put(l->carry.user, l->iteration, x->from, x->bytes, x->at);
    else if (l->span[1].bytes > cache)
        core_copy_away(to + x->from, x->at, x->bytes);
    else
        memcpy(to + x->from, x->at, x->bytes);
}

static opencl_piece *piece_of(const trip *t, size_t k)
{
    return &t->way->piece[(t->way->next + k) % (size_t)t->way->pieces];
}

static void set_piece(const trip *t, size_t k)
{
    opencl_piece *x = piece_of(t, k);
    const size_t from = k * t->piece, left = t->span.bytes - from;

    x->lane = t->lane;
    x->array = t->array;
    x->from = t->span.from + from;
    x->bytes = left < t->piece ? left : t->piece;
}

static sluice_status check(const trip *t, cl_int code, const char *call)
{
    return opencl_check(t->ports->owner, t->ports->unit, code, call, NULL);
}

/* Waits until the piece's transfer is over. */
static sluice_status wait_for_piece(const trip *t, opencl_piece *x)
{
    const opencl_calls *cl = t->ports->owner->cl;
    cl_int state = CL_COMPLETE;

    if (!x->event)
        return SLUICE_OK;
    cl_int code = cl->clWaitForEvents(1, &x->event);
    if (code == CL_SUCCESS)
        code = cl->clGetEventInfo(x->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                                  NULL);
    cl->clReleaseEvent(x->event);
    x->event = NULL;
    return check(t, code == CL_SUCCESS && state < 0 ? state : code, "a transfer of a piece");
}

/* Block and piece both hold the event. */
static sluice_status send_piece(const trip *t, opencl_piece *x, opencl_leg leg)
{
    const opencl_calls *cl = t->ports->owner->cl;
    const cl_command_queue queue = t->ports->owner->unit[t->ports->unit].queue[leg];
    const opencl_waits wait = opencl_wait_for(t->lane, leg);
    const cl_mem own = t->lane->array[t->array].own;
    cl_event event;

    cl_int code = leg == OPENCL_GET
                      ? cl->clEnqueueWriteBuffer(queue, own, CL_FALSE, x->from, x->bytes, x->at,
                                                 wait.count, wait.event, &event)
                      : cl->clEnqueueReadBuffer(queue, own, CL_FALSE, x->from, x->bytes, x->at,
                                                wait.count, wait.event, &event);
    if (code == CL_SUCCESS) {
        opencl_note_event(t->lane, leg, event);
        code = cl->clRetainEvent(event);
        x->event = code == CL_SUCCESS ? event : NULL;
    }
    if (code == CL_SUCCESS)
        code = cl->clFlush(queue);
    return check(t, code, leg == OPENCL_GET ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer");
}

/* ---- ways ---- */

void opencl_way_empty(const opencl_ports *p, opencl_way *w)
{
    const opencl_calls *cl = p->owner->cl;
    const bool forked = core_forked(p->owner->mark);

    for (int i = 0; i < w->pieces && !forked; i++)
        if (w->piece[i].event) {
            (void)cl->clWaitForEvents(1, &w->piece[i].event);
            cl->clReleaseEvent(w->piece[i].event);
            w->piece[i].event = NULL;
        }
    opencl_free(p->owner, w->memory);
    w->memory = NULL;
    w->room = 0;
}

/* Pieces for the team's threads, half of which copy in this direction, and some on the link. */
bool opencl_way_open(opencl_way *w, int threads, bool to_device)
{
    pthread_mutex_init(&w->turn, NULL);
    w->copying = threads / 2 + 2;
    w->pieces = w->copying + ON_LINK;
    w->piece = core_calloc((size_t)w->pieces, sizeof *w->piece);
    for (int i = 0; w->piece && i < w->pieces; i++)
        w->piece[i].task.run = to_device ? copy_to_piece : copy_from_piece;
    return w->piece != NULL;
}

static bool has_room(const opencl_ports *p, opencl_way *w, size_t bytes)
{
    if (bytes <= w->room)
        return true;
    opencl_way_empty(p, w);
    w->memory = opencl_alloc_for(p->owner, p->unit, bytes * (size_t)w->pieces);
    w->room = w->memory ? bytes : 0;
    for (int i = 0; i < w->pieces; i++)
        w->piece[i].at = w->memory ? w->memory + (size_t)i * bytes : NULL;
    return w->memory != NULL;
}

static size_t piece_bytes(const opencl_way *w, size_t bytes)
{
    const size_t each = bytes / (size_t)w->pieces;
    const size_t size = each > LARGEST_PIECE ? LARGEST_PIECE
                        : each < LEAST_PIECE ? LEAST_PIECE
                                             : each;

    return size < bytes ? size / 4096 * 4096 : (bytes + 63) / 64 * 64;
}

static bool begin_trip(trip *t, opencl_lane *lane, int array, int to)
{
    opencl_ports *p = opencl_ports_of(lane);
    opencl_way *w = &p->way[to];
    const opencl_span span = lane->span[to == TO_DEVICE ? array / 2 : 1];
    const size_t size = piece_bytes(w, span.bytes);

    *t = (trip){.ports = p,
                .way = w,
                .lane = lane,
                .array = array,
                .span = span,
                .piece = size,
                .count = (span.bytes + size - 1) / size};
    return has_room(p, w, size);
}

static void end_trip(const trip *t, size_t used)
{
    t->way->next = (t->way->next + used) % (size_t)t->way->pieces;
}

/* ---- get ---- */

/* Copies pieces, then sends them. Before a piece is reused its last transfer is waited for. */
static sluice_status send_pieces(const trip *t)
{
    copy_team *team = t->ports->owner->team;
    sluice_status status = SLUICE_OK;
    size_t begun = 0, sent = 0;

    while (sent < begun || (status == SLUICE_OK && begun < t->count)) {
        if (status == SLUICE_OK && begun < t->count && begun - sent < (size_t)t->way->copying) {
            status = wait_for_piece(t, piece_of(t, begun));
            if (status == SLUICE_OK) {
                set_piece(t, begun);
                copy_team_give(team, &piece_of(t, begun++)->task);
            }
            continue;
        }
        copy_team_wait(team, &piece_of(t, sent)->task);
        if (status == SLUICE_OK)
            status = send_piece(t, piece_of(t, sent), OPENCL_GET);
        sent++;
    }
    end_trip(t, begun);
    return status;
}

sluice_status opencl_send(opencl_lane *lane, int array)
{
    trip t;

    return begin_trip(&t, lane, array, TO_DEVICE) ? send_pieces(&t) : SLUICE_E_MEMORY;
}

/* ---- put ---- */

/* Counts of pieces: `asked` transfers have been enqueued, `handed` pieces of these were given to
 * the team to be copied, `stored` copies are done. */
typedef struct progress {
    size_t asked, handed, stored;
} progress;

static sluice_status ask_piece(const trip *t, size_t k)
{
    set_piece(t, k);
    return send_piece(t, piece_of(t, k), OPENCL_PUT);
}

static sluice_status hand_piece(const trip *t, size_t k)
{
    const sluice_status status = wait_for_piece(t, piece_of(t, k));

    if (status == SLUICE_OK)
        copy_team_give(t->ports->owner->team, &piece_of(t, k)->task);
    return status;
}

/* One of three steps: enqueueing a transfer comes first, then giving a piece to the team. */
static sluice_status step(const trip *t, progress *at)
{
    copy_team *team = t->ports->owner->team;
    sluice_status status = SLUICE_OK;

    while (at->stored < at->handed && copy_team_is_done(team, &piece_of(t, at->stored)->task))
        at->stored++;
    if (at->asked < t->count && at->asked - at->stored < (size_t)t->way->pieces) {
        status = ask_piece(t, at->asked);
        at->asked += status == SLUICE_OK;
    } else if (at->handed < at->asked && at->handed - at->stored < (size_t)t->way->copying) {
        status = hand_piece(t, at->handed);
        at->handed += status == SLUICE_OK;
    } else if (at->stored < at->handed) {
        copy_team_wait(team, &piece_of(t, at->stored)->task);
    }
    return status;
}

static sluice_status receive_pieces(const trip *t)
{
    sluice_status status = SLUICE_OK;
    progress at = {0, 0, 0};

    while (status == SLUICE_OK && at.stored < t->count)
        status = step(t, &at);
    for (size_t k = at.stored; k < at.handed; k++)
        copy_team_wait(t->ports->owner->team, &piece_of(t, k)->task);
    for (size_t k = at.handed; k <= at.asked && k < t->count && status != SLUICE_OK; k++)
        (void)wait_for_piece(t, piece_of(t, k));
    end_trip(t, at.asked);
    return status;
}

sluice_status opencl_receive(opencl_lane *lane, int array)
{
    trip t;

    return begin_trip(&t, lane, array, FROM_DEVICE) ? receive_pieces(&t) : SLUICE_E_MEMORY;
}
