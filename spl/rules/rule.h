// SPDX-License-Identifier: BSD-3-Clause
/* Rules: named rewrites as data. A rule turns a node into an equal formula; its guard names the
 * condition that is not met. Rules with parameters list their choices; the planner picks one,
 * everything else is deterministic. Every rule has cases on which the tests compare both sides as
 * dense matrices. */
#ifndef SPL_RULE_H
#define SPL_RULE_H

#include "spl/formula/spl.h"

typedef struct spl_params {
    int64_t v[8]; /* factors, tile widths, ..: see the rule's `params` */
} spl_params;

typedef enum spl_rule_group {
    SPL_BREAKDOWN, /* a transform into smaller ones: chosen by the planner's search or by a user */
    SPL_PLANNED,   /* the same; the planner prices the rule's choices for each transform */
    SPL_TAGGING,   /* consumes the outermost tag of a tagged node            */
    SPL_SIGMA,     /* SPL construct -> loop                                  */
    SPL_MERGE      /* Sigma-SPL -> Sigma-SPL, fewer operators or operators further inside */
} spl_rule_group;

typedef struct spl_rule {
    const char *name; /* "dft-ct", "(7g)"      */
    spl_rule_group group;
    const char *formula;   /* as in the comment above it  */
    const char *reference; /* citation                    */
    const char *params;    /* meaning of spl_params.v; NULL: none */
    /* May the rule be used? If not, *refusal (may be NULL) is a static sentence naming the
     * condition. */
    bool (*guard)(const spl *x, const spl_params *p, const char **refusal);
    /* The right-hand side: this identity applied once. Operands inside are not converted further,
     * the driver does that. NULL (recorded in ctx) on failure. Called only if the guard holds. */
    const spl *(*build)(spl_ctx *ctx, const spl *x, const spl_params *p);
    /* Parameters that satisfy the guard, at most max; returns how many. NULL: the rule has none. */
    int (*choices)(const spl *x, spl_params *out, int max);
    /* If no rule may be used: does this rule's refusal explain why? NULL: never. */
    bool (*explains)(const spl *x);
    /* Test cases: left-hand sides as text, NULL-terminated, each with every one of case_params
     * (NULL: with none; the last has v[0] = 0). Cases whose guard refuses are legal (tests check
     * that the sentence exists). */
    const char *const *cases;
    const spl_params *case_params;
    /* For rules whose parameters depend on the case, instead of the two above: the i-th case; false
     * when there are no more. */
    bool (*test_case)(spl_ctx *ctx, int i, const spl **x, spl_params *p);
} spl_rule;

#define SPL_RULE(name) extern const spl_rule name;
#include "spl/rules/rules.list"
#undef SPL_RULE

/* All rules, NULL-terminated, in the order of spl/rules/rules.list. */
extern const spl_rule *const spl_rules[];
const spl_rule *spl_rule_find(const char *name);
/* Guard, then build. A refused guard is recorded in ctx: "rule NAME: SENTENCE". */
const spl *spl_rule_apply(spl_ctx *ctx, const spl_rule *rule, const spl *x, const spl_params *p);
/* The rule's i-th test case; false when there are no more, or if ctx failed. */
bool spl_rule_case(spl_ctx *ctx, const spl_rule *rule, int i, const spl **x, spl_params *p);

/* Replaces every transform A that is not a leaf by its leaf-tagged form {A}_{leaf}. */
const spl *spl_mark_leaves(spl_ctx *ctx, const spl *x);
/* Is every transform of x a leaf and every s known, so that no choice remains? */
bool spl_is_complete(const spl *x);

#endif
