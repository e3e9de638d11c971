// SPDX-License-Identifier: BSD-3-Clause
/* The words of problem strings, for parsing and printing. */
#ifndef SCHED_PROBLEM_WORDS_H
#define SCHED_PROBLEM_WORDS_H

typedef struct sched_word {
    const char *text;
    int value;
} sched_word;

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

extern const sched_word sched_kind_words[], sched_precision_words[], sched_layout_words[],
    sched_scale_words[], sched_option_words[];
extern const int sched_kind_count, sched_precision_count, sched_layout_count, sched_scale_count,
    sched_option_count;

/* The text of a value; "?" if there is none. */
const char *sched_word_text(const sched_word *words, int count, int value);

#endif
