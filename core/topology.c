// SPDX-License-Identifier: BSD-3-Clause
/* hwloc finds the cores. It does not check malloc's results (2.9 fails with NULL pointers and
 * assertions), so it is started only if there is enough memory, and affinities are read and set
 * without it, in masks that need no allocation. */
#include "core/topology.h"

#include <ctype.h>
#include <hwloc.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/cpu.h"
#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"

enum { PAGE = 4096 };

struct core_topology {
    hwloc_topology_t machine;
    bool real; /* this machine, not a synthetic one */
    int count;
    core_core *cores;
    hwloc_cpuset_t *sets; /* allowed processing units of each core */
};

/* ---- memory for hwloc ---- */

typedef struct memory_piece {
    struct memory_piece *next;
    char rest[64 * 1024 - sizeof(struct memory_piece *)]; /* small enough to come from the heap */
} memory_piece;

/* Ensures that there is as much memory as hwloc may need. The heap keeps the freed pieces for the
 * next allocations until the result, the topmost piece, is freed. NULL: out of memory. */
static memory_piece *memory_for_hwloc(void)
{
    const size_t some = 8, units_a_piece = 4;
    const long units = sysconf(_SC_NPROCESSORS_CONF);
    const size_t pieces = 1 + some + (units > 0 ? (size_t)units / units_a_piece : 0);
    memory_piece *last = NULL;
    size_t found = 0;
    for (; found < pieces; found++) {
        memory_piece *next = core_malloc(sizeof *next);
        if (next == NULL)
            break;
        next->next = last;
        last = next;
    }
    for (memory_piece *p = last; p != NULL && p->next != NULL;) {
        memory_piece *below = p->next;
        p->next = below->next;
        core_free(below);
    }
    if (found == pieces)
        return last;
    core_free(last);
    return NULL;
}

/* ---- where threads may run ---- */

enum {
    MASK_BITS = 8192 /* maximum of processing units in Linux */,
    WORD = sizeof(long) * CHAR_BIT
};

typedef struct mask {
    unsigned long word[MASK_BITS / WORD];
} mask;

static void add_set(mask *m, hwloc_const_cpuset_t set)
{
    const int last = hwloc_bitmap_last(set);
    for (int i = 0; i < MASK_BITS / (int)WORD && i <= last / (int)WORD; i++)
        m->word[i] |= hwloc_bitmap_to_ith_ulong(set, (unsigned)i);
}

static bool bind_here(const mask *m)
{
    return sched_setaffinity(0, sizeof *m, (const cpu_set_t *)(const void *)m) == 0;
}

/* Removes from `set` the units on which the calling thread may not run, unless none would remain.
 */
static bool keep_affinity(hwloc_cpuset_t set)
{
    mask m = {{0}};
    hwloc_cpuset_t bound = hwloc_bitmap_alloc();
    bool good = bound != NULL;
    if (sched_getaffinity(0, sizeof m, (cpu_set_t *)(void *)&m) >= 0) {
        for (int i = 0; good && i < MASK_BITS / (int)WORD; i++)
            if (m.word[i] != 0)
                good = hwloc_bitmap_set_ith_ulong(bound, (unsigned)i, m.word[i]) == 0;
        if (good && hwloc_bitmap_intersects(set, bound))
            good = hwloc_bitmap_and(set, set, bound) == 0;
    }
    hwloc_bitmap_free(bound);
    return good;
}

/* ---- reading hwloc's tree ---- */

static sluice_status open_hwloc(core_topology *t, sluice_diag *why)
{
    const char *synthetic = getenv("SLUICE_TOPOLOGY");
    if (hwloc_topology_init(&t->machine) != 0) {
        t->machine = NULL;
        return core_fail(why, SLUICE_E_MEMORY, 0, "hwloc could not start");
    }
    if (synthetic != NULL && *synthetic != '\0'
        && hwloc_topology_set_synthetic(t->machine, synthetic) != 0)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "SLUICE_TOPOLOGY='%s' is no synthetic topology in hwloc's notation",
                         core_quote(synthetic, SIZE_MAX).text);
    if (hwloc_topology_load(t->machine) != 0)
        return core_fail(why, SLUICE_E_DEVICE, 0, "hwloc could not read this machine's topology");
    t->real = hwloc_topology_is_thissystem(t->machine) != 0;
    return SLUICE_OK;
}

/* The processing units that both the machine (cgroups) and the affinity of the caller allow. */
static hwloc_cpuset_t allowed_units(const core_topology *t)
{
    hwloc_cpuset_t allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(t->machine));
    if (allowed == NULL || !t->real || keep_affinity(allowed))
        return allowed;
    hwloc_bitmap_free(allowed);
    return NULL;
}

/* Counts, in the userdata of each object above a core, the allowed cores below that object. */
static void count_sharers(hwloc_obj_t object)
{
    for (; object != NULL; object = object->parent)
        object->userdata = (void *)((uintptr_t)object->userdata + 1);
}

/* Lines of a set. hwloc gives -1 for a cache that is one set, and 0 if it does not know. In the
 * latter case a page of addresses is assumed to reach all sets, as it must in caches that choose
 * the set before addresses are translated. */
static size_t ways_of(const struct hwloc_cache_attr_s *cache)
{
    const size_t line = cache->linesize > 0 ? cache->linesize : 64;

    if (cache->associativity > 0)
        return (size_t)cache->associativity;
    const size_t set = cache->associativity < 0 ? line : PAGE;
    return cache->size > set ? (size_t)cache->size / set : 1;
}

static void read_caches(hwloc_obj_t object, core_core *core)
{
    for (; object != NULL; object = object->parent) {
        if (!hwloc_obj_type_is_dcache(object->type))
            continue;
        const struct hwloc_cache_attr_s *cache = &object->attr->cache;
        if (cache->linesize > 0 && cache->depth == 1)
            core->line = cache->linesize;
        if (cache->depth == 1) {
            core->l1 = cache->size;
            core->l1_ways = ways_of(cache);
        } else if (cache->depth == 2) {
            core->l2 = cache->size;
            core->l2_ways = cache->associativity > 0 ? (size_t)cache->associativity : 0;
            core->l2_sharers = (int)(uintptr_t)object->userdata;
        } else if (cache->depth == 3) {
            core->l3 = cache->size;
            core->l3_sharers = (int)(uintptr_t)object->userdata;
        }
    }
}

static bool add_core(core_topology *t, hwloc_obj_t object, hwloc_const_cpuset_t allowed)
{
    if (!hwloc_bitmap_intersects(object->cpuset, allowed))
        return true;
    hwloc_cpuset_t set = hwloc_bitmap_alloc();
    if (set == NULL || hwloc_bitmap_and(set, object->cpuset, allowed) != 0) {
        hwloc_bitmap_free(set);
        return false;
    }
    t->sets[t->count] = set;
    t->cores[t->count] = (core_core){
        .os_index = hwloc_bitmap_first(set),
        .numa_node = object->nodeset == NULL ? -1 : hwloc_bitmap_first(object->nodeset),
        .l2_sharers = 1,
        .l3_sharers = 1,
        .line = 64,
        .data_path = t->real ? core_cpu_data_path() : 0,
    };
    t->count++;
    return true;
}

/* Makes one entry per core, or if hwloc reports no cores, one per processing unit. */
static sluice_status read_cores(core_topology *t, sluice_diag *why)
{
    const bool cores = hwloc_get_nbobjs_by_type(t->machine, HWLOC_OBJ_CORE) > 0;
    const hwloc_obj_type_t type = cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    const int capacity = hwloc_get_nbobjs_by_type(t->machine, type);
    hwloc_cpuset_t allowed = allowed_units(t);
    t->cores = core_calloc((size_t)capacity, sizeof *t->cores);
    t->sets = core_calloc((size_t)capacity, sizeof *t->sets);
    bool good = allowed != NULL && t->cores != NULL && t->sets != NULL;
    hwloc_obj_t object = NULL;
    while (good && (object = hwloc_get_next_obj_by_type(t->machine, type, object)) != NULL)
        good = add_core(t, object, allowed);
    hwloc_bitmap_free(allowed);
    if (!good)
        return core_fail_memory(why);
    if (t->count == 0)
        return core_fail(why, SLUICE_E_DEVICE, 0, "this process may run on no core");
    for (int i = 0; i < t->count; i++)
        count_sharers(hwloc_get_obj_covering_cpuset(t->machine, t->sets[i]));
    for (int i = 0; i < t->count; i++)
        read_caches(hwloc_get_obj_covering_cpuset(t->machine, t->sets[i]), &t->cores[i]);
    return SLUICE_OK;
}

sluice_status core_topology_open(core_topology **out, sluice_diag *why)
{
    core_topology *t = core_calloc(1, sizeof *t);
    memory_piece *pin = memory_for_hwloc();
    if (t == NULL || pin == NULL) {
        core_free(pin);
        core_free(t);
        return core_fail_memory(why);
    }
    sluice_status status = open_hwloc(t, why);
    core_free(pin);
    if (status == SLUICE_OK)
        status = read_cores(t, why);
    if (status != SLUICE_OK) {
        core_topology_close(t);
        return status;
    }
    *out = t;
    return SLUICE_OK;
}

void core_topology_close(core_topology *topology)
{
    if (topology == NULL)
        return;
    for (int i = 0; i < topology->count; i++)
        hwloc_bitmap_free(topology->sets[i]);
    if (topology->machine != NULL)
        hwloc_topology_destroy(topology->machine);
    core_free(topology->cores);
    core_free(topology->sets);
    core_free(topology);
}

int core_topology_count(const core_topology *topology)
{
    return topology->count;
}

const core_core *core_topology_core(const core_topology *topology, int index)
{
    return &topology->cores[index];
}

bool core_topology_bind(const core_topology *topology, int index)
{
    if (!topology->real || index < 0 || index >= topology->count)
        return false;
    mask m = {{0}};
    add_set(&m, topology->sets[index]);
    return bind_here(&m);
}

/* Number of allowed hardware threads under an object. *work: how many of the first `workers` cores
 * are under it. */
static int threads_under(const core_topology *t, hwloc_obj_t object, int workers, int *work)
{
    int threads = 0;
    *work = 0;
    for (int i = 0; i < t->count; i++)
        if (hwloc_bitmap_isincluded(t->sets[i], object->cpuset)) {
            threads += hwloc_bitmap_weight(t->sets[i]);
            *work += i < workers;
        }
    return threads;
}

static void bind_under(const core_topology *t, hwloc_obj_t object)
{
    mask m = {{0}};
    for (int i = 0; i < t->count; i++)
        if (hwloc_bitmap_isincluded(t->sets[i], object->cpuset))
            add_set(&m, t->sets[i]);
    if (t->real)
        bind_here(&m);
}

void core_topology_place_helper(const core_topology *t, int index, int workers, bool bind,
                                char *name, size_t room)
{
    hwloc_obj_t object = hwloc_get_obj_covering_cpuset(t->machine, t->sets[index]);
    int work = 0;
    while (object != NULL && threads_under(t, object, workers, &work) <= work)
        object = object->parent;
    name[0] = '\0';
    if (object != NULL) {
        hwloc_obj_type_snprintf(name, room, object, 0);
        if (!hwloc_obj_type_is_cache(object->type))
            name[0] = (char)tolower((unsigned char)name[0]);
    }
    if (bind && object != NULL)
        bind_under(t, object);
    else if (bind)
        core_topology_bind(t, index);
}
