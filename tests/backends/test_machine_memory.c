// SPDX-License-Identifier: BSD-3-Clause
/* Machines where memory runs out, hwloc's included: malloc of this program can be made to fail for
 * all who call it. hwloc itself survives that in few places, so what is tried is a process whose
 * memory is used up but for so many bytes, and a failure of every allocation outside the two calls
 * in which hwloc cannot fail (core/topology.c). Every try is a process of its own. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/sluice.h"
#include "core/mem.h"
#include "tests/helpers/helper_plan.h"

#if PLAN_SANITIZED || !defined(__GLIBC__)

static void machines_survive(void **state)
{
    (void)state;
    skip(); /* sanitizers have a malloc of their own */
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(machines_survive)};

#else

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

/* Allocations counted so far, the first that fails (0: none), whether later ones do too; relaxed,
 * for they order nothing else. */
static atomic_long counted, fails;
static bool ever_after;
static atomic_int inside_hwloc;

static bool admit(void)
{
    if (atomic_load_explicit(&inside_hwloc, memory_order_relaxed))
        return true;
    const long mine = atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed) + 1;
    const long from = atomic_load_explicit(&fails, memory_order_relaxed);
    if (from == 0 || (ever_after ? mine < from : mine != from))
        return true;
    errno = ENOMEM;
    return false;
}

void *malloc(size_t bytes)
{
    return admit() ? __libc_malloc(bytes) : NULL;
}

void *calloc(size_t count, size_t size)
{
    return admit() ? __libc_calloc(count, size) : NULL;
}

void *realloc(void *block, size_t bytes)
{
    return admit() ? __libc_realloc(block, bytes) : NULL;
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *block = admit() ? __libc_memalign(alignment, bytes) : NULL;
    if (block == NULL)
        return ENOMEM;
    *out = block;
    return 0;
}

/* In place of hwloc's own, which they call. */
struct hwloc_topology;
int hwloc_topology_init(struct hwloc_topology **out);
int hwloc_topology_load(struct hwloc_topology *topology);

static void *hwlocs(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL)
        abort();
    return function;
}

int hwloc_topology_init(struct hwloc_topology **out)
{
    int (*own)(struct hwloc_topology **) =
        (int (*)(struct hwloc_topology **))(uintptr_t)hwlocs("hwloc_topology_init");
    atomic_store(&inside_hwloc, 1);
    const int result = own(out);
    atomic_store(&inside_hwloc, 0);
    return result;
}

int hwloc_topology_load(struct hwloc_topology *topology)
{
    int (*own)(struct hwloc_topology *) =
        (int (*)(struct hwloc_topology *))(uintptr_t)hwlocs("hwloc_topology_load");
    atomic_store(&inside_hwloc, 1);
    const int result = own(topology);
    atomic_store(&inside_hwloc, 0);
    return result;
}

/* ---- one try: 0 the machine opened, 1 there was no memory, else something is wrong ---- */

static int open_and_close(const char *units)
{
    const sluice_machine_options options = {.units = units};
    const long alive = core_mem_live();
    sluice_diag why = {.message = ""};
    sluice_machine *m = NULL;
    const sluice_status status = sluice_machine_open(&m, &options, &why);
    sluice_machine_close(m);
    atomic_store(&fails, 0);
    if (core_mem_live() != alive)
        return 3;
    if (status == SLUICE_OK)
        return m == NULL ? 4 : 0;
    return status == SLUICE_E_MEMORY && m == NULL && why.message[0] != '\0' ? 1 : 5;
}

static int tried(int (*what)(const char *units, long n), const char *units, long n)
{
    int status = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the tests */
        alarm(20);
        _exit(what(units, n));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("%s, try %ld: signal %d", units, n, WTERMSIG(status));
    if (WEXITSTATUS(status) > 1)
        fail_msg("%s, try %ld: code %d", units, n, WEXITSTATUS(status));
    return WEXITSTATUS(status);
}

/* ---- allocations that fail ---- */

static int with_failure(const char *units, long n)
{
    atomic_store(&counted, 0);
    ever_after = n % 2;
    atomic_store(&fails, n / 2);
    return open_and_close(units);
}

static void allocations_fail_in_turn(void **state)
{
    const char *units = *state;
    int starved = 0;
    assert_int_equal(open_and_close(units), 0);
    const long before = atomic_load(&counted);
    assert_int_equal(open_and_close(units), 0);
    const long made = atomic_load(&counted) - before;
    assert_in_range(made, 10, 10000);
    for (long n = 2; n < 2 * (made + 2); n++)
        starved += tried(with_failure, units, n);
    assert_true(starved > 10);
}

/* ---- memory that is used up ---- */

/* Bytes of address space. */
static rlim_t size_now(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1)
        abort();
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* All but n blocks of a KiB. */
static int with_little_left(const char *units, long n)
{
    enum { BLOCK = 1000, MOST = 1 << 18 };
    static void *block[MOST];
    const rlim_t most = size_now() + ((rlim_t)16 << 20);
    const struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
    long count = 0;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 6;
    while (count < MOST && (block[count] = malloc(BLOCK)) != NULL)
        count++;
    while (n-- > 0 && count > 0)
        free(block[--count]);
    return open_and_close(units);
}

static void memory_is_used_up(void **state)
{
    (void)state;
    int starved = 0;
    for (long blocks = 0; blocks < 200; blocks += blocks < 40 ? 1 : 5)
        starved += tried(with_little_left, "cpu:1", blocks);
    assert_true(starved > 10);
}

/* ---- more cores than anybody has ---- */

static sluice_status note(void *user, const char *text, size_t length)
{
    static const char sought[] = "cpu,1024 of 4096 cores are used";
    (void)length;
    *(bool *)user |= strstr(text, sought) != NULL;
    return SLUICE_OK;
}

static void as_many_cores_as_are_sensible(void **state)
{
    bool said = false;
    const sluice_machine_options options = {.units = "cpu", .log = note, .log_user = &said};
    sluice_machine *m = NULL;
    sluice_diag why = {.message = ""};
    (void)state;
    setenv("SLUICE_TOPOLOGY", "pack:64 core:64 pu:2", 1);
    if (sluice_machine_open(&m, &options, &why) != SLUICE_OK)
        fail_msg("%s", why.message);
    unsetenv("SLUICE_TOPOLOGY");
    assert_int_equal(sluice_machine_unit_count(m), 1024);
    assert_true(said);
    plan_check_problem(m, "c2c:f32:4096*16", 1);
    sluice_machine_close(m);
}

static char plain[] = "cpu:2", helped[] = "cpu:2/helper";
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(memory_is_used_up), /* first: threads that ended leave memory behind */
    cmocka_unit_test_prestate(allocations_fail_in_turn, plain),
    cmocka_unit_test_prestate(allocations_fail_in_turn, helped),
    cmocka_unit_test(as_many_cores_as_are_sensible),
};

#endif

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
