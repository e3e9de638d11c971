// SPDX-License-Identifier: BSD-3-Clause
/* The placement level: what each kernel became, in tape order. */
#include "core/cpu.h"
#include "spl/bind/bind_slices.h"

static void print_range(const spl_range *r, core_text *out)
{
    core_text_printf(out, "%lld", (long long)r->n);
    if (r->share_var >= 0)
        core_text_printf(out, "@k%d/%lld", r->share_var, (long long)r->shares);
}

void bind_name_stage(const bind_tape *p, size_t stmt, core_text *out)
{
    static const char *const words[] = {[BIND_EVAL] = "addresses evaluated",
                                        [BIND_MOVE] = "permutes",
                                        [BIND_ZERO] = "zeros",
                                        [BIND_COPY] = "transfer"};

    for (size_t i = 0; i < p->nops; i++) {
        const bind_op *op = &p->op[i];
        const prog_stmt *s = &p->body->stmt[stmt];
        if (op->op != BIND_LOOP && op->op != BIND_SYNC && (op->stmt == s || op->before == s))
            core_text_printf(out, "b%d <- b%d  %s", op->out, op->in,
                             op->op == BIND_KERN ? op->codelet->name : words[op->op]);
    }
}

static void print_kernel(const bind_tape *p, const bind_op *op, core_text *out)
{
    const spl_codelet *c = op->codelet;
    const double cycles = p->target->cycles(p->target->owner, p->costs, c);

    core_text_printf(out, "b%d <- b%d  %s  columns ", op->out, op->in, c->name);
    print_range(&op->cols, out);
    if (bind_runs_sets(&c->key)) {
        core_text_printf(out, " rows ");
        print_range(&op->outer, out);
    }
    if (op->slice_columns)
        core_text_printf(out, " by %zu", op->slice_columns);
    if (op->codelet_nt)
        core_text_printf(out, "  non-temporal stores%s",
                         op->nt_needs_one_member ? ", ordinary ones by several units" : "");
    if (op->prefetch_next_set && op->fixed_count)
        core_text_printf(out, "  prefetches the next set's rows");
    if (op->prefetch_columns)
        core_text_printf(out, "  prefetches %s, %s for every %zu columns",
                         op->prefetch_op == 0  ? "columns ahead"
                         : op->prefetch_offset ? "the next iteration's input"
                                               : "the next row's input",
                         core_bytes((double)op->prefetch_bytes).text, op->prefetch_columns);
    core_text_printf(out, "  strides %td,%td -> %td,%td", op->call.is, op->call.ics, op->call.os,
                     op->call.ocs);
    if (op->table)
        core_text_printf(out, "  twiddles %s", core_bytes((double)bind_tables_bytes(op)).text);
    if (op->scaling.rows)
        core_text_printf(out, "  %d of %d rows scaled", op->scaling.rows, op->tail.outputs);
    core_text_printf(out, "  %d+%d+%d ops, %.0f cycles a step\n", c->adds, c->muls, c->fmas,
                     cycles);
}

static void print_transfer(const bind_tape *p, const bind_op *op, core_text *out)
{
    const bool helped = op->async.is_asynchronous && (op->stmt->put || op->async.may_prefetch);

    core_text_printf(out, "%s b%d <- b%d  %lld packets of %zu bytes, by %s%s\n",
                     op->stmt->put ? "put" : "get", op->packets.to, op->packets.from,
                     (long long)prog_move_packets(&op->packets),
                     prog_move_packet_bytes(&op->packets),
                     helped && p->target->helpers > 0 ? "helper" : "worker",
                     op->packets.non_temporal ? ", non-temporal" : "");
}

/* Prints what moves in slices while a loop computes. */
static void print_slices(const bind_slices *s, int depth, core_text *out)
{
    if (s->get_bytes)
        core_text_printf(
            out, "%*sslices: get b%d, block of %s %lld iterations ahead, %zu bytes a call\n",
            2 * depth, "", s->get.in, core_bytes((double)s->get_bytes).text, (long long)s->distance,
            s->get_slice);
    if (s->put_bytes)
        core_text_printf(out,
                         "%*sslices: put b%d, block of %s of the iteration before, %zu bytes a "
                         "call, in lines, from %d buffers in rotation%s\n",
                         2 * depth, "", s->buffer, core_bytes((double)s->put_bytes).text,
                         s->put_slice, BIND_SLICE_COPIES,
                         s->straight ? "; blocks that begin with a line straight" : "");
}

static void print_move(const bind_op *op, core_text *out)
{
    const size_t bytes = bind_permutation_bytes(op);

    core_text_printf(out, "b%d <- b%d  %s ", op->out, op->in,
                     op->scales ? "scales"
                     : bytes    ? "permutes"
                                : "moves");
    print_range(&op->cols, out);
    if (bytes)
        core_text_printf(out, " elements, tables %s\n", core_bytes((double)bytes).text);
    else
        core_text_printf(out, " x %lld elements  strides %td,%td -> %td,%td\n",
                         (long long)op->outer.n, op->call.iouter, op->call.ics, op->call.oouter,
                         op->call.ocs);
}

static void print_ops(const bind_tape *p, size_t from, size_t to, int depth, core_text *out)
{
    for (size_t i = from; i < to; i++) {
        const bind_op *op = &p->op[i];
        core_text_printf(out, "%*s", 2 * depth, "");
        if (op->op == BIND_LOOP) {
            core_text_printf(out, "%s k%d < ", op->par ? "parts" : "loop", op->var);
            print_range(&op->range, out);
            core_text_printf(out, op->in_block ? ", scratch in the block of its results\n" : "\n");
            if (op->slices)
                print_slices(op->slices, depth + 1, out);
            print_ops(p, i + 1, op->end, depth + 1, out);
            i = op->end - 1;
        } else if (op->op == BIND_KERN) {
            print_kernel(p, op, out);
        } else if (op->op == BIND_EVAL) {
            core_text_printf(out, "b%d <- b%d  addresses evaluated, %lld elements\n", op->out,
                             op->in, (long long)op->stmt->n);
        } else if (op->op == BIND_MOVE) {
            print_move(op, out);
        } else if (op->op == BIND_ZERO) {
            core_text_printf(out, "b%d <- zeros, %lld elements\n", op->out, (long long)op->stmt->n);
        } else if (op->op == BIND_COPY) {
            print_transfer(p, op, out);
        } else {
            core_text_printf(out, "sync\n");
        }
    }
}

void bind_print(const bind_tape *p, core_text *out)
{
    const bind_target *t = p->target;

    core_text_printf(
        out, "%s: %d of %d units, isa %s, work %s (shared %s, each member %s)\n", t->name,
        p->members, t->units, core_isa_name(t->isa), core_bytes((double)p->work_bytes).text,
        core_bytes((double)p->shared_bytes).text, core_bytes((double)p->local_bytes).text);
    print_ops(p, 0, p->nops, 0, out);
}
