// SPDX-License-Identifier: BSD-3-Clause
/* Programs that need no tape: one codelet call on the user's pointers, or one copy. */
#include <string.h>

#include "backends/cpu/run/cpu_state.h"

/* Only what such codelets read is filled in. */
static void fill_direct(spl_call *call, const bind_op *op)
{
    call->tw = op->call.tw;
    call->is = op->call.is;
    call->os = op->call.os;
    call->ics = op->call.ics;
    call->ocs = op->call.ocs;
    call->inverse = op->call.inverse;
}

sluice_status cpu_run_direct(const backend_program *program, const void *in, void *out, int workers)
{
    const bind_op *op = ((const cpu_program *)program)->tape.op;
    spl_call call;

    (void)workers;
    call.in_re = in;
    call.out_re = out;
    fill_direct(&call, op);
    op->codelet->run(&call, 0, op->fixed_count);
    return SLUICE_OK;
}

/* im of an interleaved side is not read. */
sluice_status cpu_run_arrays(const backend_program *program, const sluice_arrays *arrays,
                             void *work, int workers)
{
    const bind_op *op = ((const cpu_program *)program)->tape.op;
    const bool swap = op->swap;
    spl_call call;

    (void)work;
    (void)workers;
    call.in_re = swap ? arrays->in_im : arrays->in;
    call.in_im = swap ? arrays->in : arrays->in_im;
    call.out_re = swap ? arrays->out_im : arrays->out;
    call.out_im = swap ? arrays->out : arrays->out_im;
    fill_direct(&call, op);
    op->codelet->run(&call, 0, op->fixed_count);
    return SLUICE_OK;
}

sluice_status cpu_run_direct_scaled(const backend_program *program, const void *in, void *out,
                                    int workers)
{
    const cpu_program *p = (const cpu_program *)program;
    const bind_op *op = p->tape.op;
    spl_call call;

    (void)workers;
    call.in_re = in;
    call.out_re = out;
    fill_direct(&call, op);
    op->codelet->run(&call, 0, op->fixed_count);
    p->scale(out, out, p->scaled, op->scaling.by);
    return SLUICE_OK;
}

sluice_status cpu_run_weighed(const backend_program *program, const void *in, void *out,
                              int workers)
{
    const bind_op *op = ((const cpu_program *)program)->tape.op;
    spl_call call;

    (void)workers;
    call.in_re = in;
    call.out_re = out;
    call.weight = op->call.weight;
    call.wcs = 0;
    fill_direct(&call, op);
    op->codelet_weighed->run(&call, 0, op->fixed_count);
    return SLUICE_OK;
}

sluice_status cpu_run_weighed_arrays(const backend_program *program, const sluice_arrays *arrays,
                                     void *work, int workers)
{
    (void)work;
    return cpu_run_weighed(program, arrays->in, arrays->out, workers);
}

sluice_status cpu_run_copy(const backend_program *program, const void *in, void *out, int workers)
{
    (void)workers;
    memmove(out, in, ((const cpu_program *)program)->copied);
    return SLUICE_OK;
}

sluice_status cpu_run_copy_arrays(const backend_program *program, const sluice_arrays *arrays,
                                  void *work, int workers)
{
    (void)work;
    return cpu_run_copy(program, arrays->in, arrays->out, workers);
}
