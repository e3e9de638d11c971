// SPDX-License-Identifier: BSD-3-Clause
/* The keywords of problem strings, for parsing and printing. */
#ifndef SCHED_PROBLEM_KEYWORDS_H
#define SCHED_PROBLEM_KEYWORDS_H

typedef struct sched_keyword {
    const char *text;
    int value;
} sched_keyword;

enum {
    SCHED_FORWARD,
    SCHED_INVERSE,
    SCHED_INPLACE,
    SCHED_LATENCY,
    SCHED_THROUGHPUT,
    SCHED_IN,
    SCHED_OUT,
    SCHED_IN_CYCLIC,
    SCHED_OUT_CYCLIC,
    SCHED_SCALE,
    SCHED_WORKERS
};

extern const sched_keyword sched_kind_keywords[], sched_precision_keywords[],
    sched_layout_keywords[], sched_scale_keywords[], sched_option_keywords[];
extern const int sched_kind_count, sched_precision_count, sched_layout_count, sched_scale_count,
    sched_option_count;

/* The text of a value; "?" if there is none. */
const char *sched_keyword_text(const sched_keyword *keywords, int count, int value);

#endif
