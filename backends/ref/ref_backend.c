// SPDX-License-Identifier: BSD-3-Clause
#include "backends/ref/ref_backend.h"

#include <stdlib.h>
#include <string.h>

#include "backends/group_unit.h"
#include "backends/plain_thread.h"
#include "backends/ref/ref_run.h"
#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"

enum { MAX_UNITS = 1024 };
static const size_t default_local_store = (size_t)256 << 10;

struct backend {
    int units;
    bool is_gpu;              /* plans are made as for a graphics processor */
    sluice_twiddles twiddles; /* of its kernels, which are printed */
    size_t local_memory;      /* .. of a group of items; 0: as usual */
    size_t local_store;
};

typedef struct ref_program {
    backend_program base; /* first */
    const prog *body;
    sluice_precision precision;
} ref_program;

/* ---------------------------------------------------------------- discover -------------- */

/* Reads "local=BYTES" or "twiddles=WORD"; false: it is neither. */
static bool read_field(const char *field, backend *b)
{
    static const char local[] = "local=";

    return strncmp(field, local, sizeof local - 1) == 0
               ? core_bytes_read(field + sizeof local - 1, &b->local_memory)
               : group_unit_read_twiddles(field, &b->twiddles);
}

/* Reads "gpu" and the fields after it, each preceded by a colon. */
static bool read_gpu(const char *text, backend *b)
{
    enum { ROOM = 32 };
    bool right = strncmp(text, "gpu", 3) == 0;

    b->is_gpu = right;
    for (text += right ? 3 : 0; right && *text; text += 1 + strcspn(text + 1, ":")) {
        char field[ROOM];
        const size_t length = *text == ':' ? strcspn(text + 1, ":") : ROOM;
        right = length < ROOM;
        memcpy(field, text + right, right ? length : 0);
        field[right ? length : 0] = '\0';
        right = right && read_field(field, b);
    }
    return right;
}

static sluice_status read_units(const char *text, backend *b, sluice_diag *why)
{
    char *end;
    b->units = 1;
    if (text == NULL || *text == '\0' || read_gpu(text, b))
        return SLUICE_OK;
    const long n = strtol(text, &end, 10);
    if (*end != '\0' || n < 1 || n > MAX_UNITS)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "ref:%s: expected gpu, gpu:local=BYTES, gpu:twiddles=table, sincos or "
                         "native, or units, "
                         "1 to %d",
                         core_quote(text, SIZE_MAX).text, MAX_UNITS);
    b->units = (int)n;
    return SLUICE_OK;
}

static sluice_status ref_open(backend **out, const backend_config *config, sluice_diag *why)
{
    *out = NULL;
    backend *b = core_calloc(1, sizeof *b);
    if (b == NULL)
        return core_fail_memory(why);
    const sluice_status status = read_units(config->text, b, why);
    if (status != SLUICE_OK) {
        core_free(b);
        return status;
    }
    b->local_store = config->local_store == 0 ? default_local_store : config->local_store;
    *out = b;
    return SLUICE_OK;
}

static void ref_close(backend *b)
{
    core_free(b);
}

static int ref_unit_count(const backend *b)
{
    return b->units;
}

/* Describes an average graphics processor, for plans and their text on machines without a
 * device. */
static void describe_gpu(const backend *b, sluice_unit_info *out)
{
    enum { COMPUTE_UNITS = 64, GROUPS = 64, LARGEST_GROUP = 1024 };
    static const size_t local_memory = (size_t)48 << 10, memory = (size_t)8 << 30;
    out->line = GROUP_UNIT_LINE;
    out->compute_units = COMPUTE_UNITS;
    out->groups = GROUPS * COMPUTE_UNITS;
    out->largest_group = LARGEST_GROUP;
    out->local_memory = b->local_memory ? b->local_memory : local_memory;
    out->local_store = out->l1 = out->local_memory;
    out->memory = memory;
    out->has_f64 = true;
    out->registers = GROUP_UNIT_REGISTERS;
}

static void ref_unit_info(const backend *b, int unit, sluice_unit_info *out)
{
    (void)unit;
    *out = (sluice_unit_info){.kind = SLUICE_UNIT_REF,
                              .isa = "scalar",
                              .os_index = -1,
                              .numa_node = -1,
                              .l1 = (size_t)32 << 10,
                              .l2 = b->local_store,
                              .line = 64,
                              .local_store = b->local_store,
                              .lanes_f32 = 1,
                              .lanes_f64 = 1};
    if (b->is_gpu)
        describe_gpu(b, out);
    out->twiddles = b->twiddles;
}

static void ref_groups(const backend *b, backend_groups *out)
{
    enum { CAPABILITY = 9 }; /* NVIDIA's, whose units have as much as any */
    const group_unit_memory unit = group_unit_memory_of(CAPABILITY, 0);

    (void)b;
    *out = group_unit_price;
    out->unit_local = (int64_t)unit.shared << 10;
    out->group_local = (int64_t)group_unit_shared_own(CAPABILITY);
    out->unit_cache = (int64_t)unit.all << 10;
}

static void ref_signature(const backend *b, core_text *kind, core_text *make)
{
    core_text_printf(kind, "ref%s", b->is_gpu ? ":gpu" : "");
    if (b->local_memory)
        core_text_printf(kind, ":local%zu", b->local_memory);
    core_text_printf(make, "store%zu", b->local_store);
}

static sluice_status ref_fault(const backend *b, int unit, sluice_diag *out)
{
    (void)b, (void)unit, (void)out; /* nothing can fail */
    return SLUICE_OK;
}

/* Transfers run synchronously, in the order of the program. */
static void ref_transfers(const backend *b, backend_transfers *out)
{
    (void)b;
    *out = (backend_transfers){.can = {[BACKEND_WORKER] = true}, .mode = BACKEND_WORKER};
}

/* ---------------------------------------------------------------- team ------------------ */

static sluice_status ref_execute(const backend_program *program, const sluice_arrays *arrays,
                                 void *work, int workers)
{
    const ref_program *p = (const ref_program *)program;
    const int units = program->owner->units;
    (void)work;
    return ref_run(p->body, p->precision, arrays, workers > 0 && workers < units ? workers : units);
}

static sluice_status ref_prepare(backend *b, const double *costs, const prog *body,
                                 backend_transfer_mode mode, sluice_precision precision,
                                 backend_program **out, sluice_diag *why)
{
    ref_program *p = core_malloc(sizeof *p);
    (void)costs, (void)mode;
    *out = NULL;
    if (p == NULL)
        return core_fail_memory(why);
    *p = (ref_program){.base = {.run = ref_execute, .table = &ref_backend, .owner = b},
                       .body = body,
                       .precision = precision};
    *out = &p->base;
    return SLUICE_OK;
}

static void ref_release(backend_program *program)
{
    core_free(program);
}

static size_t ref_work_bytes(const backend_program *program)
{
    (void)program;
    return 0;
}

/* Seconds of statements [at, end): a kernel of n points takes n*n complex multiplications. */
static double seconds_of(const prog *body, size_t at, size_t end)
{
    const double multiply = 10e-9, move = 5e-9;
    double seconds = 0;
    while (at < end) {
        const prog_stmt *s = &body->stmt[at];
        const double n = (double)s->n;
        at++;
        if (s->op == PROG_LOOP) {
            seconds += (double)s->range.n * seconds_of(body, at, s->end);
            at = s->end;
        } else if (s->op == PROG_KERN && s->kernel == SPL_TRANSFORM) {
            seconds += n * n * multiply;
        } else if (s->op != PROG_SYNC) {
            seconds += n * move;
        }
    }
    return seconds;
}

static sluice_status ref_estimate(const backend_program *program, backend_cost *out)
{
    const prog *body = ((const ref_program *)program)->body;
    *out = (backend_cost){.seconds = seconds_of(body, 0, body->nstmts), .bound = "arithmetic"};
    return SLUICE_OK;
}

static void ref_print(const backend_program *program, core_text *out)
{
    const ref_program *p = (const ref_program *)program;
    core_text_printf(out, "backend ref: the program interpreted, its loops in %d share%s, %s\n",
                     program->owner->units, program->owner->units == 1 ? "" : "s",
                     p->precision == SLUICE_F32 ? "f32" : "f64");
}

static const backend_discover ref_discover = {
    .groups = ref_groups,
    .open = ref_open,
    .close = ref_close,
    .unit_count = ref_unit_count,
    .unit_info = ref_unit_info,
    .signature = ref_signature,
    .fault = ref_fault,
    .transfers = ref_transfers,
};

static const backend_team ref_team = {
    .prepare = ref_prepare,
    .release = ref_release,
    .work_bytes = ref_work_bytes,
    .estimate = ref_estimate,
    .print = ref_print,
    .start = plain_thread_start,
    .join = plain_thread_join,
};

const backend_table ref_backend = {
    .name = "ref",
    .kind = SLUICE_UNIT_REF,
    .discover = &ref_discover,
    .team = &ref_team,
};
