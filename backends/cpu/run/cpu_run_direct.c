// SPDX-License-Identifier: BSD-3-Clause
/* Programs that need no tape: one codelet call on the user's pointers, or one copy. */
#include <string.h>

#include "backends/cpu/run/cpu_state.h"

/* Sets only the fields that such codelets read: for a short transform every store, and every load
 * before the first element, takes a good part of the time. */
static void fill_whole(spl_call *call, const spl_call *from)
{
    call->ics = from->ics;
    call->ocs = from->ocs;
    call->inverse = from->inverse;
}

static void fill_direct(spl_call *call, const spl_call *from)
{
    fill_whole(call, from);
    call->tw = from->tw;
    call->is = from->is;
    call->os = from->os;
}

sluice_status cpu_run_direct(const backend_program *program, const void *in, void *out, int workers)
{
    const cpu_direct *direct = &((const cpu_program *)program)->direct;
    spl_call call;

    (void)workers;
    call.in_re = in;
    call.out_re = out;
    fill_direct(&call, &direct->call);
    direct->run(&call, 0, direct->count);
    return SLUICE_OK;
}

sluice_status cpu_run_whole(const backend_program *program, const void *in, void *out, int workers)
{
    const cpu_direct *direct = &((const cpu_program *)program)->direct;
    spl_call call;

    (void)workers;
    call.in_re = in;
    call.out_re = out;
    fill_whole(&call, &direct->call);
    direct->run(&call, 0, 1);
    return SLUICE_OK;
}

sluice_status cpu_run_repeated(const backend_program *program, const void *in, void *out,
                               int workers)
{
    const cpu_direct *direct = &((const cpu_program *)program)->direct;
    spl_call call;

    (void)workers;
    call.in_re = in;
    call.out_re = out;
    fill_direct(&call, &direct->call);
    for (int64_t i = 0; i < direct->loop[1].times; i++) {
        for (int64_t k = 0; k < direct->loop[0].times; k++) {
            direct->run(&call, 0, direct->count);
            call.in_re = (const char *)call.in_re + direct->loop[0].in;
            call.out_re = (char *)call.out_re + direct->loop[0].out;
        }
        call.in_re = (const char *)call.in_re + direct->loop[1].in;
        call.out_re = (char *)call.out_re + direct->loop[1].out;
    }
    return SLUICE_OK;
}

/* im of an interleaved side is not read. */
sluice_status cpu_run_arrays(const backend_program *program, const sluice_arrays *arrays,
                             void *work, int workers)
{
    const cpu_program *p = (const cpu_program *)program;
    const bool swap = p->tape.op->swap;
    spl_call call;

    (void)work;
    (void)workers;
    call.in_re = swap ? arrays->in_im : arrays->in;
    call.in_im = swap ? arrays->in : arrays->in_im;
    call.out_re = swap ? arrays->out_im : arrays->out;
    call.out_im = swap ? arrays->out : arrays->out_im;
    fill_direct(&call, &p->direct.call);
    p->direct.run(&call, 0, p->direct.count);
    return SLUICE_OK;
}

sluice_status cpu_run_direct_scaled(const backend_program *program, const void *in, void *out,
                                    int workers)
{
    const cpu_program *p = (const cpu_program *)program;
    spl_call call;

    (void)workers;
    call.in_re = in;
    call.out_re = out;
    fill_direct(&call, &p->direct.call);
    p->direct.run(&call, 0, p->direct.count);
    p->scale(out, out, p->scaled, p->tape.op->scaling.by);
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
    fill_direct(&call, &op->call);
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
