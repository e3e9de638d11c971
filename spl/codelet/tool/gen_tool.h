// SPDX-License-Identifier: BSD-3-Clause
/* The command sluice-gen: declarations that its files share.
 *
 * gen_list.c     the list of codelets; gen_list_pairs.c: the steps of pairs, and copies
 * gen_name.c     their names
 * gen_table.c    their table, and the files into which they are printed
 * gen_snippets.c definitions of the library's own sources as text, see spl/emit/snippets.h
 * gen_main.c     the command, which ends with a message and status 2 if it fails */
#ifndef GEN_TOOL_H
#define GEN_TOOL_H

#include "spl/codelet/gen.h"

/* ---- lists: gen_list.c, gen_table.c ---------------------------------------------------- */

#define GEN_LIST_MAX 1600
#define GEN_MAX_SHARDS 64

/* Ends the generator with this message (gen_main.c). */
_Noreturn void gen_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the codelet, or ends the command on failure. */
void gen_codelet_must(gen_codelet *codelet, core_text *text);

/* Lists all codelets of an ISA and a precision, without counts. Returns their number. */
int gen_list(core_isa isa, int precision, gen_codelet *out);
/* Lists the codelets of a set of plain C. */
int gen_list_fused(const char *set, int precision, gen_codelet *out);
/* Lists those of 128 bits for columns that do not fill vectors of AVX2 and AVX-512. */
int gen_list_narrow(int precision, gen_codelet *out);
/* Names a codelet by its key and set; the words in names (gen_name.c). */
void gen_name_codelet(gen_codelet *codelet);
const char *gen_set_name(const gen_codelet *codelet);
const char *gen_isa_name(core_isa isa);
const char *gen_precision_name(int precision);
/* Prints the table of codelets, whose counts must be known. */
void gen_table_print(const gen_codelet *list, int count, core_text *text);
/* Sorts the codelets, whose counts must be known, and prints them to text[0 .. shards - 1]. The
 * first shard is a sample with every kind. The last has the steps of pairs, so that a change of
 * those compiles little. All others are between, with about equal compile times. Codelets that read
 * equal tables are in one shard of those between, and each shard has a table only once. */
void gen_shards_print(gen_codelet *list, int count, int shards, core_text *text);

/* ---- text: gen_snippets.c -------------------------------------------------------------- */

/* The definitions of the sources `paths` as a table `name` (spl/emit/snippets.h). */
void gen_snippets_print(const char *name, char *const *paths, int count, core_text *text);

#endif
