// SPDX-License-Identifier: BSD-3-Clause
/* Which kernels a body becomes: those of one DFT in the registers of an item, which every device runs. What
 * formulas should be made of, and what a run is taken to cost, follow from the form. */
#include "backends/opencl/opencl_state.h"
#include "spl/emit/print_opencl.h"

/* DFTs of an item: short ones, and the primes that the planner has no other rule for. */
enum { LONGEST = 16, LARGEST_PRIME = 31 };

const char *opencl_isa(const backend *b)
{
    (void)b;
    return "scalar";
}

sluice_status opencl_print_kernels(const backend *b, opencl_program *p, sluice_precision precision,
                                   sluice_diag *why)
{
    const spl_opencl how = {
        .title = "kernels", .precision = precision, .local_bytes = (int64_t)b->about.local_memory};

    p->form = "item";
    p->options = "-cl-std=CL1.2";
    return spl_device_item(p->body, &how, &p->made, why);
}

/* ---- what it costs ---- */

/* The sum of the prime factors; 0 if one is too large. */
static int64_t sum_of_factors(int64_t n)
{
    int64_t sum = 0;

    for (int64_t d = 2; n > 1; d++)
        for (; n % d == 0; n /= d)
            sum += d;
    return sum;
}

/* About as many operations as its factors ask for, one a cycle. */
double opencl_kernel_cycles(const backend *b, const double *costs, int kind, int64_t n,
                            sluice_precision precision, backend_use use)
{
    const int64_t sum = sum_of_factors(n);
    const bool prime = sum == n;

    (void)b, (void)costs, (void)precision, (void)use;
    if (kind > SPL_IDFT || n < 1 || n > (prime ? LARGEST_PRIME : LONGEST))
        return 0;
    return 2 * (double)(n * (sum > 0 ? sum : 1));
}

/* Bytes of a side's arrays. */
static double side_bytes(const device_program *made, int side)
{
    const device_side *s = &made->side[side];

    return (double)device_side_bytes(s) * (s->split ? 2 : 1);
}

/* Stages pass through memory one after the other. */
sluice_status opencl_estimate(const backend_program *program, backend_cost *out)
{
    static const double launch = 5e-6, block = 25e-6;      /* seconds: measured with PoCL */
    static const double cpu_rate = 1e9, other_rate = 10e9; /* bytes/s of a compute unit */
    static const double link_rate = 10e9;
    const opencl_program *p = (const opencl_program *)program;
    const opencl_about *about = &program->owner->about;
    const double units = about->compute_units > 0 ? (double)about->compute_units : 1;
    const double rate = units * (about->is_cpu ? cpu_rate : other_rate);
    const double in = side_bytes(&p->made, 0), both = in + side_bytes(&p->made, 1);
    const bool copies = !about->shares_memory || program->owner->config.copies;
    double stages = 0;

    for (size_t i = 0; i < p->body->nstmts; i++)
        stages += prog_is_stage(&p->body->stmt[i]);
    const double compute = stages * both / rate;
    const double get = copies ? in / link_rate : 0, put = copies ? (both - in) / link_rate : 0;
    const double longer = get > put ? get : put;
    *out = (backend_cost){.latency = block + launch * p->made.nlaunches,
                          .bytes = stages * both,
                          .working_set = both + (double)p->made.scratch_bytes,
                          .bound = "memory"};
    out->seconds = out->latency + get + compute + put;
    out->pace = launch * p->made.nlaunches + (compute > longer ? compute : longer);
    return SLUICE_OK;
}
