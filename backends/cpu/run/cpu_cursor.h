// SPDX-License-Identifier: BSD-3-Clause
/* A member's position in a tape, used to execute it (cpu_run.c, cpu_statement.c) and to move its
 * data (cpu_transfer.c). */
#ifndef BACKENDS_CPU_CURSOR_H
#define BACKENDS_CPU_CURSOR_H

#include "backends/cpu/run/cpu_hooks.h"
#include "backends/cpu/run/cpu_state.h"

/* A member's transfers in flight, by their numbers from cpu_dma_post; 0: none. */
typedef struct cpu_outstanding {
    uint64_t last_put;
    uint64_t put[BIND_MAX_BUFS][2]; /* the put that reads this copy of a buffer */
    struct {
        const bind_op *op; /* posted one iteration ahead; NULL: none */
        uint64_t number;
    } get[BIND_MAX_BUFS]; /* the get that fills a buffer */
} cpu_outstanding;

typedef struct cpu_cursor {
    const cpu_program *p;
    cpu_dma *dma;                 /* the member's helper; NULL: it moves data itself */
    cpu_outstanding *outstanding; /* if dma is not NULL */
    char *base[BIND_ARENAS];
    int64_t var[IX_MAX_VARS];
    const cpu_hooked *hooked; /* NULL: no side has hooks */
    bool several;             /* several members execute the program */
} cpu_cursor;

/* Offsets of an op's addresses in the current iteration of the enclosing loops, in scalars. */
static inline bind_step cpu_cursor_steps(const bind_op *op, const int64_t *var)
{
    bind_step sum = {.in = 0, .out = 0, .tw = 0, .is = 0, .os = 0};

    for (int i = 0; i < op->nsteps; i++) {
        const bind_step *s = &op->step[i];
        const ptrdiff_t v = (ptrdiff_t)(s->ext ? var[s->var] / s->div % s->ext : var[s->var]);
        sum.in += s->in * v;
        sum.out += s->out * v;
        sum.tw += s->tw * v;
        sum.is += s->is * v;
        sum.os += s->os * v;
    }
    return sum;
}

static inline char *cpu_cursor_point(char *const *base, const bind_base *begin, ptrdiff_t bytes)
{
    return base[begin->arena] + begin->bytes + bytes;
}

/* The first element of an op's input or output, moved by `bytes`. */
static inline cpu_re_im cpu_cursor_side(const cpu_program *p, const bind_op *op, char *const *base,
                                        ptrdiff_t bytes, bool out)
{
    const bind_base *begin = &op->base[out ? 2 : 0];

    return (cpu_re_im){cpu_cursor_point(base, &begin[0], bytes),
                       cpu_cursor_point(base, &begin[1], bytes),
                       p->tape.buf[out ? op->out : op->in].format == SPL_INTER ? 2 : 1};
}

/* ---- transfers (cpu_transfer.c) ---- */
void cpu_transfer(cpu_cursor *w, const bind_op *op);
/* Waits for the transfers in flight that an op depends on, or, after a LOOP, the ops that
 * follow. */
void cpu_transfer_await(const cpu_cursor *w, const bind_op *op);
/* Waits for all puts, before other parts read what they write. */
void cpu_transfer_sync(const cpu_cursor *w);

#endif
