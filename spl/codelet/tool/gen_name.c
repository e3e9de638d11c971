// SPDX-License-Identifier: BSD-3-Clause
/* Names of codelets, which hold every parameter. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "spl/codelet/tool/gen_tool.h"
#include "spl/formula/transforms.h"

const char *gen_isa_name(core_isa isa)
{
    static const char *const name[CORE_ISA_COUNT] = {"scalar", "vec128", "avx2", "avx512"};
    return name[isa];
}

const char *gen_precision_name(int precision)
{
    return precision == SLUICE_F32 ? "f32" : "f64";
}

/* "dft", "rdft", "dct2_", "rdftpair": kinds as names spell them. */
static void name_kind(int kind, char *word, size_t size)
{
    if (kind < SPL_CODELET_PAIRS)
        snprintf(word, size, "%s", spl_transform_of((spl_kind)kind)->word);
    else
        snprintf(word, size, "%s%s", spl_pairs_def_of(gen_step_pairs(kind))->word,
                 spl_role_word(gen_step_role(kind)));
    size_t length = strlen(word);
    for (size_t i = 0; i < length; i++)
        word[i] = (char)tolower((unsigned char)word[i]);
    if (isdigit((unsigned char)word[length - 1]) && length + 1 < size)
        strcpy(word + length, "_");
}

const char *gen_set_name(const gen_codelet *codelet)
{
    return codelet->set ? codelet->set : gen_isa_name(codelet->key.isa);
}

void gen_name_codelet(gen_codelet *codelet)
{
    static const char position[] = "ABCTWGDMPRS";
    static const char *const format[] = {"inter", "split", "real", "mirror"};
    static const char *const twiddles[] = {"none", "vector", "broadcast", "product", "grid"};
    const spl_key *k = &codelet->key;
    char word[16];
    name_kind(k->kind, word, sizeof word);
    snprintf(codelet->name, sizeof codelet->name, "%s%d_%s_%s_%c_%s_%s_%s_%d%s%s", word, k->n,
             gen_set_name(codelet), gen_precision_name(k->precision), position[k->position],
             format[k->in], format[k->out], twiddles[k->tw], k->lanes, k->nt ? "_nt" : "",
             k->weighed ? "_weighed" : "");
}
