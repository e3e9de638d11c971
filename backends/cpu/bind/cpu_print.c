// SPDX-License-Identifier: BSD-3-Clause
/* The placement level: what each kernel became, in tape order. */
#include "backends/cpu/cpu_backend.h"

static void print_range(const cpu_range *r, core_text *out)
{
    core_text_printf(out, "%lld", (long long)r->n);
    if (r->share_var >= 0)
        core_text_printf(out, "@k%d/%lld", r->share_var, (long long)r->shares);
}

void cpu_name_stage(const backend_program *program, size_t stmt, core_text *out)
{
    const cpu_program *p = (const cpu_program *)program;
    static const char *const words[] = {[CPU_EVAL] = "addresses evaluated",
                                        [CPU_MOVE] = "permutes",
                                        [CPU_ZERO] = "zeros",
                                        [CPU_COPY] = "transfer"};

    for (size_t i = 0; i < p->nops; i++) {
        const cpu_op *op = &p->op[i];
        if (op->op != CPU_LOOP && op->op != CPU_SYNC && op->stmt == &p->body->stmt[stmt])
            core_text_printf(out, "b%d <- b%d  %s", op->out, op->in,
                             op->op == CPU_KERN ? op->codelet->name : words[op->op]);
    }
}

static void print_kernel(const cpu_program *p, const cpu_op *op, core_text *out)
{
    const spl_codelet *c = op->codelet;
    const double cycles = cpu_cycles(p->owner, p->costs, c);

    core_text_printf(out, "b%d <- b%d  %s  columns ", op->out, op->in, c->name);
    print_range(&op->cols, out);
    if (c->key.tw == SPL_TW_BROADCAST) {
        core_text_printf(out, " rows ");
        print_range(&op->rows, out);
    }
    if (op->codelet_nt)
        core_text_printf(out, "  stores past the caches");
    if (op->sets && op->steady)
        core_text_printf(out, "  fetches the next set's rows");
    if (op->ahead)
        core_text_printf(out, "  fetches %s, %s for every %zu columns",
                         op->next ? "the next turn's input" : "columns ahead",
                         core_bytes((double)op->ahead_bytes).text, op->ahead);
    core_text_printf(out, "  strides %td,%td -> %td,%td", op->call.is, op->call.ics, op->call.os,
                     op->call.ocs);
    if (op->table)
        core_text_printf(
            out, "  twiddles %s",
            core_bytes((double)(op->table->bytes + (op->grid ? op->grid->bytes : 0))).text);
    core_text_printf(out, "  %d+%d+%d ops, %.0f cycles a step\n", c->adds, c->muls, c->fmas,
                     cycles);
}

static void print_transfer(const cpu_program *p, const cpu_op *op, core_text *out)
{
    const bool helped = op->dma.hands && (op->stmt->put || op->dma.early);

    core_text_printf(out, "%s b%d <- b%d  %lld packets of %zu bytes, by %s%s\n",
                     op->stmt->put ? "put" : "get", op->out, op->in,
                     (long long)cpu_packets_count(&op->packets), cpu_packets_bytes(&op->packets),
                     helped && cpu_helpers_count(p->owner->helpers) > 0 ? "helper" : "worker",
                     op->packets.past ? ", past the caches" : "");
}

static void print_ops(const cpu_program *p, size_t from, size_t to, int depth, core_text *out)
{
    for (size_t i = from; i < to; i++) {
        const cpu_op *op = &p->op[i];
        core_text_printf(out, "%*s", 2 * depth, "");
        if (op->op == CPU_LOOP) {
            core_text_printf(out, "%s k%d < ", op->par ? "parts" : "loop", op->var);
            print_range(&op->range, out);
            core_text_printf(out, "\n");
            print_ops(p, i + 1, op->end, depth + 1, out);
            i = op->end - 1;
        } else if (op->op == CPU_KERN) {
            print_kernel(p, op, out);
        } else if (op->op == CPU_EVAL) {
            core_text_printf(out, "b%d <- b%d  addresses evaluated, %lld elements\n", op->out,
                             op->in, (long long)op->stmt->n);
        } else if (op->op == CPU_MOVE) {
            core_text_printf(out, "b%d <- b%d  permutes ", op->out, op->in);
            print_range(&op->cols, out);
            core_text_printf(out, " elements, tables %s\n",
                             core_bytes((double)cpu_move_bytes(op)).text);
        } else if (op->op == CPU_ZERO) {
            core_text_printf(out, "b%d <- zeros, %lld elements\n", op->out, (long long)op->stmt->n);
        } else if (op->op == CPU_COPY) {
            print_transfer(p, op, out);
        } else {
            core_text_printf(out, "sync\n");
        }
    }
}

void cpu_print(const backend_program *program, core_text *out)
{
    const cpu_program *p = (const cpu_program *)program;

    core_text_printf(
        out, "cpu: %d of %d units, isa %s, work %s (shared %s, each member %s)\n", p->members,
        p->owner->units, core_isa_name(p->owner->isa), core_bytes((double)p->work_bytes).text,
        core_bytes((double)p->shared_bytes).text, core_bytes((double)p->local_bytes).text);
    print_ops(p, 0, p->nops, 0, out);
}
