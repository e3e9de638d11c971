// SPDX-License-Identifier: BSD-3-Clause
#include "backends/opencl/opencl_carry.h"

#include "backends/plain_thread.h"
#include "core/mem.h"

/* For smaller arrays the driver's own copy is about as fast. */
enum { LEAST_ARRAY = 1 << 20 };

sluice_status opencl_carry_in(opencl_lane *lane, int array)
{
    opencl_ports *p = opencl_ports_of(lane);

    pthread_mutex_lock(&p->way[TO_DEVICE].turn);
    const sluice_status status = opencl_send(lane, array);
    pthread_mutex_unlock(&p->way[TO_DEVICE].turn);
    return status;
}

static sluice_status carry_out(opencl_lane *lane)
{
    opencl_ports *p = opencl_ports_of(lane);
    sluice_status status = SLUICE_OK;

    pthread_mutex_lock(&p->way[FROM_DEVICE].turn);
    for (int i = DEVICE_OUT; i <= DEVICE_OUT_IM && status == SLUICE_OK; i++)
        if (opencl_has_array(lane, i))
            status = opencl_receive(lane, i);
    pthread_mutex_unlock(&p->way[FROM_DEVICE].turn);
    return status;
}

/* The unit's thread: blocks in the order in which they were begun. */
static void *put_blocks(void *arg)
{
    opencl_ports *p = arg;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->first && !p->ends)
            pthread_cond_wait(&p->come, &p->lock);
        opencl_lane *lane = p->first;
        if (!lane)
            break;
        p->first = lane->next;
        pthread_mutex_unlock(&p->lock);
        const sluice_status status = carry_out(lane);
        pthread_mutex_lock(&p->lock);
        lane->put_status = status;
        lane->carried = true;
        pthread_cond_broadcast(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void opencl_carry_out(opencl_lane *lane)
{
    opencl_ports *p = opencl_ports_of(lane);

    pthread_mutex_lock(&p->lock);
    lane->carried = false;
    lane->next = NULL;
    if (!p->has_thread)
        p->has_thread = plain_thread_create(&p->thread, put_blocks, p) == 0;
    if (p->has_thread) {
        *(p->first ? &p->last->next : &p->first) = lane;
        p->last = lane;
        pthread_cond_signal(&p->come);
    }
    const bool waits = p->has_thread;
    pthread_mutex_unlock(&p->lock);
    if (!waits) { /* no thread could be created */
        lane->put_status = carry_out(lane);
        lane->carried = true;
    }
}

bool opencl_is_carried(const opencl_lane *lane)
{
    opencl_ports *p = opencl_ports_of(lane);

    pthread_mutex_lock(&p->lock);
    const bool carried = lane->carried;
    pthread_mutex_unlock(&p->lock);
    return carried;
}

sluice_status opencl_wait_carried(const opencl_lane *lane)
{
    opencl_ports *p = opencl_ports_of(lane);

    pthread_mutex_lock(&p->lock);
    while (!lane->carried)
        pthread_cond_wait(&p->done, &p->lock);
    const sluice_status status = lane->put_status;
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* ---- ports ---- */

static void free_ports(opencl_ports *p)
{
    for (int i = 0; p && i < WAYS; i++)
        core_free(p->way[i].piece);
    core_free(p);
}

static opencl_ports *open_ports(backend *b, int unit)
{
    const int threads = core_topology_count(b->topology);
    opencl_ports *p = core_calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->owner = b;
    p->unit = unit;
    if (!opencl_way_open(&p->way[TO_DEVICE], threads, true)
        || !opencl_way_open(&p->way[FROM_DEVICE], threads, false)) {
        free_ports(p);
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->come, NULL);
    pthread_cond_init(&p->done, NULL);
    return p;
}

static bool has_ports(backend *b, int unit)
{
    pthread_mutex_lock(&b->lock);
    if (!b->team)
        b->team = copy_team_open(core_topology_count(b->topology));
    if (b->team && !b->unit[unit].ports)
        b->unit[unit].ports = open_ports(b, unit);
    const bool has = b->unit[unit].ports != NULL;
    pthread_mutex_unlock(&b->lock);
    return has;
}

void opencl_ports_close(backend *b)
{
    const bool forked = core_forked(b->mark);

    for (int unit = 0; unit < b->units; unit++) {
        opencl_ports *p = b->unit ? b->unit[unit].ports : NULL;
        if (!p)
            continue;
        if (!forked && p->has_thread) {
            pthread_mutex_lock(&p->lock);
            p->ends = true;
            pthread_cond_signal(&p->come);
            pthread_mutex_unlock(&p->lock);
            pthread_join(p->thread, NULL);
        }
        for (int i = 0; i < WAYS; i++)
            opencl_way_empty(p, &p->way[i]);
        free_ports(p);
    }
    copy_team_close(b->team, forked);
}

/* Would the driver leave the link idle, because it copies arrays outside of its own memory on one
 * core? A processor has no link. */
static bool goes_in_pieces(const opencl_lane *lane, int array)
{
    const opencl_span span = lane->span[array / 2];
    const char *user = lane->array[array].user;

    if (lane->shares || !opencl_has_array(lane, array))
        return false;
    return lane->carry.get
           || (span.bytes >= LEAST_ARRAY && !opencl_owner(lane)->has_codelets
               && !opencl_is_pinned(opencl_owner(lane), user + span.from, span.bytes));
}

sluice_status opencl_choose_ways(opencl_lane *lane)
{
    backend *b = lane->program->base.owner;

    for (int side = 0; side < 2; side++)
        lane->in_pieces[side] =
            goes_in_pieces(lane, 2 * side) || goes_in_pieces(lane, 2 * side + 1);
    return (lane->in_pieces[0] || lane->in_pieces[1]) && !has_ports(b, lane->unit) ? SLUICE_E_MEMORY
                                                                                   : SLUICE_OK;
}
