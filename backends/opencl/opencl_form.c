// SPDX-License-Identifier: BSD-3-Clause
/* Which kernels a body becomes. Devices that are processors get codelets, in vectors as wide as
 * they prefer: the text of the CPU backend's codelets, so formulas and bits are those of cores, and
 * the speed nearly is. All other devices, and all devices if SLUICE_OPENCL_FORM is `gpu` or `item`,
 * have one DFT in the registers of each item. Their formulas are planned for groups of items (gpu),
 * or are those for cores (item). The form determines what formulas should be made of, and the
 * predicted cost of a run. */
#include <stdlib.h>
#include <string.h>

#include "backends/isa_target.h"
#include "backends/opencl/opencl_state.h"
#include "core/cpu.h"
#include "core/quote.h"
#include "core/status.h"
#include "spl/emit/print_opencl.h"
#include "spl/emit/tape_opencl.h"

/* DFTs that an item computes: short ones, and the primes that the planner has no other rule for. */
enum { LONGEST = 16, LARGEST_PRIME = 31 };

/* ---- which form ---- */

/* The library's best ISA whose vectors are no wider than those that the device prefers. */
static core_isa preferred_isa(const opencl_about *a)
{
    static const struct {
        cl_uint floats;
        core_isa isa;
    } wide[] = {{16, CORE_ISA_AVX512}, {8, CORE_ISA_AVX2}};

    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (a->vector_floats >= wide[i].floats && isa_target_has(wide[i].isa))
            return wide[i].isa;
    return CORE_ISA_SCALAR;
}

static double predicted_cycles(const void *owner, const double *costs, const spl_codelet *codelet)
{
    (void)owner, (void)costs;
    return codelet->cycles;
}

sluice_status opencl_form_open(backend *b, sluice_diag *why)
{
    const char *form = getenv("SLUICE_OPENCL_FORM");
    const bool item = form && strcmp(form, "item") == 0, gpu = form && strcmp(form, "gpu") == 0;

    if (form && *form && !item && !gpu)
        return core_fail(why, SLUICE_E_INVALID, 0, "SLUICE_OPENCL_FORM '%s': expected gpu or item",
                         core_quote(form, SIZE_MAX).text);
    b->has_groups = gpu || (!b->about.is_cpu && !item);
    b->has_codelets = !b->has_groups && !item;
    if (!b->has_codelets)
        return SLUICE_OK;
    const core_core *core = core_topology_core(b->topology, 0);
    const isa_caches caches = {core->l1, core->l3, b->local_store, 0,
                               core_cpu_stores_cached_lines()};
    isa_target_describe(&b->target, preferred_isa(&b->about), &caches);
    b->target.name = "opencl";
    b->target.units = 1;
    b->target.cycles = predicted_cycles;
    b->target.owner = b;
    b->target.tables = bind_tables_open();
    isa_target_describe_alike(&b->alike, &b->target);
    return b->target.tables ? SLUICE_OK : core_fail_memory(why);
}

void opencl_form_close(backend *b)
{
    bind_tables_close(b->target.tables);
}

/* ---- kernels ---- */

static sluice_status print_items(const backend *b, opencl_program *p, sluice_precision precision,
                                 sluice_diag *why)
{
    const spl_opencl how = {.title = "kernels",
                            .precision = precision,
                            .local_bytes = (int64_t)b->about.local_memory,
                            .items = opencl_items(b),
                            .twiddles = b->config.twiddles,
                            .offsets = true};

    p->form = b->has_groups ? "gpu" : "item";
    return spl_device_item(p->body, &how, &p->made, why);
}

/* Bytes of the elements of both sides. */
static double body_bytes(const prog *body, sluice_precision precision)
{
    const double scalar = precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    double bytes = 0;

    for (int side = 0; side < 2; side++)
        bytes += scalar * (double)prog_scalars(&body->buf[side]) * (double)body->buf[side].elems;
    return bytes;
}

static sluice_status print_codelets(const backend *b, opencl_program *p, sluice_precision precision,
                                    sluice_diag *why)
{
    const tape_opencl_how how = {.title = "kernels",
                                 .local_bytes = (int64_t)b->about.local_memory,
                                 .groups = opencl_parts(b, body_bytes(p->body, precision)),
                                 .offsets = true,
                                 .slices = !opencl_shares(b)};
    const bind_target *target = p->body->sides.reproducible ? &b->alike : &b->target;
    bind_tape tape;

    p->form = core_isa_name(b->target.isa);
    sluice_status status = bind_open(&tape, target, NULL, p->body, precision, false, why);
    if (status == SLUICE_OK)
        status = bind_program(&tape, why);
    if (status == SLUICE_OK)
        status = opencl_choose_slices(b, &tape, why);
    if (status == SLUICE_OK) {
        status = opencl_price_tape(b, &tape, &p->compute_seconds);
        if (status != SLUICE_OK)
            core_fail_memory(why);
    }
    if (status == SLUICE_OK && b->about.compute_units > 1)
        bind_assume_several_members(&tape);
    if (status == SLUICE_OK)
        status = tape_opencl_print(&tape, &how, &p->made, why);
    bind_release(&tape);
    return status;
}

static bool is_loop_over_blocks(const opencl_program *p)
{
    const device_step *s = p->made.step;

    return p->made.nsteps > 0 && s->kernel < 0 && s->end == p->made.nsteps
           && s->range.n == p->body->blocks;
}

sluice_status opencl_print_kernels(const backend *b, opencl_program *p, sluice_precision precision,
                                   sluice_diag *why)
{
    p->options = "-cl-std=CL1.2";
    const sluice_status status =
        b->has_codelets ? print_codelets(b, p, precision, why) : print_items(b, p, precision, why);
    for (int side = 0; side < 2; side++)
        p->alignment[side] = b->has_codelets
                                 ? precision == SLUICE_F32 ? sizeof(float) : sizeof(double)
                                 : p->made.side[side].alignment;
    if (status == SLUICE_OK && p->body->blocks > 1 && !is_loop_over_blocks(p))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "blocks have no kernels of their own");
    return status;
}

const char *opencl_isa(const backend *b)
{
    return core_isa_name(b->has_codelets ? b->target.isa : CORE_ISA_SCALAR);
}

int opencl_lanes(const backend *b, sluice_precision precision)
{
    return b->has_codelets ? bind_lanes(&b->target, b->target.isa, precision, SPL_INTER) : 1;
}

int opencl_alike_lanes(const backend *b, sluice_precision precision)
{
    return b->has_codelets ? bind_lanes(&b->alike, b->alike.isa, precision, SPL_INTER) : 1;
}

int64_t opencl_items(const backend *b)
{
    const int64_t most = b->has_groups ? SPL_OPENCL_ITEMS : SPL_OPENCL_FEW_ITEMS;

    const int64_t largest = b->about.largest_group > 0 ? (int64_t)b->about.largest_group : 1;

    return largest < most ? largest : most;
}

static int compute_units(const backend *b)
{
    return b->about.compute_units > 0 ? (int)b->about.compute_units : 1;
}

int opencl_groups(const backend *b)
{
    enum { GROUPS = 64 }; /* for each compute unit: so many that all units end together */

    return GROUPS * compute_units(b);
}

/* On a processor a group costs 50 ns, so each should move some data, but there have to be enough
 * groups for all compute units to end at about the same time. */
int64_t opencl_parts(const backend *b, double bytes)
{
    enum { FEWEST = 8 }; /* for each compute unit */
    static const double group_bytes = 64 << 10;
    const int64_t most = opencl_groups(b);
    int64_t parts = (int64_t)FEWEST * compute_units(b);

    while (parts < most && (!b->has_codelets || 1.5 * (double)parts * group_bytes <= bytes))
        parts *= 2;
    return parts;
}

/* ---- what it costs ---- */

static int64_t sum_of_factors(int64_t n)
{
    int64_t sum = 0;

    for (int64_t d = 2; n > 1; d++)
        for (; n % d == 0; n /= d)
            sum += d;
    return sum;
}

/* About the operations that its factorization needs, one a cycle. */
static double item_cycles(int kind, int64_t n)
{
    const int64_t sum = n <= LARGEST_PRIME ? sum_of_factors(n) : 0;

    if (kind > SPL_IDFT || n < 1 || (n > LONGEST && sum != n))
        return 0;
    return 2 * (double)(n * (sum > 0 ? sum : 1));
}

int opencl_shorter(const backend *b, spl_format format)
{
    return b->has_codelets ? isa_target_shorter(&b->target, format) : 1;
}

int opencl_row_lanes(const backend *b, int kind, int64_t n, sluice_precision precision,
                     spl_format format)
{
    return b->has_codelets ? isa_target_row_lanes(&b->target, kind, n, precision, format) : 1;
}

double opencl_kernel_cycles(const backend *b, const double *costs, int kind, int64_t n,
                            sluice_precision precision, backend_use use)
{
    (void)costs;
    if (!b->has_codelets) /* neighbours read and write neighbouring columns */
        return use == BACKEND_ROWS_IN || use == BACKEND_ROWS_OUT || use == BACKEND_STRIDED
                   ? 0
                   : item_cycles(kind, n);
    const spl_codelet *c = isa_target_codelet(&b->target, kind, n, precision, use);
    return c ? isa_target_cycles(c) / c->key.lanes : 0;
}

/* Bytes of a side's arrays. */
static double side_bytes(const device_program *made, int side)
{
    const device_side *s = &made->side[side];

    return (double)device_side_bytes(s) * (s->split ? 2 : 1);
}

/* Bytes that the kernels of hooks move. */
static double hook_bytes(const opencl_program *p)
{
    double bytes = 0;

    for (int side = 0; side < 2; side++)
        if (p->made.packed_bytes[side] > 0)
            bytes += side_bytes(&p->made, side) + (double)p->made.packed_bytes[side];
    return bytes;
}

/* Bytes of a side as the formula's kernels see it. */
static double inner_bytes(const device_program *made, int side)
{
    const int64_t packed = made->packed_bytes[side];

    return packed > 0 ? (double)packed : side_bytes(made, side);
}

/* How often data pass through memory: once for each stage. */
static double passes_of(const opencl_program *p)
{
    double stages = 0;

    for (size_t i = 0; i < p->body->nstmts; i++)
        stages += prog_is_stage(&p->body->stmt[i]);
    return stages;
}

static void estimate_blocks(const opencl_program *p, backend_cost *out)
{
    static const double launch = 5e-6, block = 25e-6;      /* seconds: measured with PoCL */
    static const double cpu_rate = 1e9, other_rate = 10e9; /* bytes/s of a compute unit, of items */
    static const double hook_rate = 4e9; /* bytes/s of a processor's compute unit */
    static const double link_rate = 10e9;
    const opencl_about *about = &p->base.owner->about;
    const double units = about->compute_units > 0 ? (double)about->compute_units : 1;
    const double in = side_bytes(&p->made, 0), both = in + side_bytes(&p->made, 1);
    const double inner = inner_bytes(&p->made, 0) + inner_bytes(&p->made, 1);
    const double bytes = passes_of(p) * inner + hook_bytes(p);
    const bool copies = !opencl_shares(p->base.owner);
    const double compute = p->base.owner->has_codelets
                               ? (p->compute_seconds + hook_bytes(p) / hook_rate) / units
                               : bytes / (units * (about->is_cpu ? cpu_rate : other_rate));
    const double get = copies ? in / link_rate : 0, put = copies ? (both - in) / link_rate : 0;
    const double longer = get > put ? get : put;

    *out = (backend_cost){.latency = block + launch * opencl_launches(p),
                          .bytes = bytes,
                          .working_set = both + (double)p->made.scratch_bytes
                                         + (double)p->made.packed_bytes[0]
                                         + (double)p->made.packed_bytes[1],
                          .bound = p->base.owner->has_codelets ? "arithmetic" : "memory"};
    out->seconds = out->latency + get + compute + put;
    out->pace = launch * opencl_launches(p) + (compute > longer ? compute : longer);
}

/* Candidates are compared by computation alone, as those of cores are. */
sluice_status opencl_estimate(const backend_program *program, backend_cost *out)
{
    const opencl_program *p = (const opencl_program *)program;

    if (p->is_sketch)
        *out = (backend_cost){.seconds = p->compute_seconds, .bound = "arithmetic"};
    else
        estimate_blocks(p, out);
    return SLUICE_OK;
}
