// SPDX-License-Identifier: BSD-3-Clause
/* Plans in tests: machines, plans that must be made, and data around them: random elements between
 * canaries, run, compared with the definition in long double. */
#ifndef TESTS_HELPER_PLAN_H
#define TESTS_HELPER_PLAN_H

#include <stdint.h>

#include "api/sluice.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PLAN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLAN_SANITIZED 1
#endif
#endif
#ifndef PLAN_SANITIZED
#define PLAN_SANITIZED 0
#endif

enum { PLAN_ISAS = 3, PLAN_ROOM = 1024 /* of a problem string or a short formula */ };
extern const char *const plan_isas[PLAN_ISAS]; /* values of SLUICE_CPU */

/* xorshift64*; below: 0 .. n-1; unit: -1 .. 1. */
uint64_t plan_random(uint64_t *state);
size_t plan_below(uint64_t *state, size_t n);

/* The machine of `units` as SLUICE_CPU=isa sees it (NULL: as it is). NULL where this processor has
 * no such instructions; any other failure fails the test. */
sluice_machine *plan_machine(const char *units, const char *isa);
/* Fails the test, with the text, where it does not plan. */
sluice_plan *plan_made(sluice_machine *m, const char *problem);
sluice_plan *plan_of_formula(sluice_machine *m, const char *formula, sluice_precision precision);
/* Has n no prime factor above 13? */
bool plan_smooth(size_t n);

/* Text collected by sluice_plan_print. */
typedef struct plan_text {
    char *data; /* test_free */
    size_t length;
} plan_text;
plan_text plan_printed(const sluice_plan *plan, sluice_level level);
/* The one line of the formula level that is no comment, without its newline. test_free. */
char *plan_line(const sluice_plan *plan);

typedef struct plan_data {
    const char *name;
    uint64_t seed;
    sluice_problem p;
    size_t scalar, total;     /* bytes of a number; points of the whole batch */
    size_t bytes[2], base[2]; /* of an array; where the side's pointer is in it */
    char *block[2][2];        /* side, part; in place both sides are one */
    char *kept[2][2];         /* as they were when filled */
    sluice_arrays arrays;
    double error, bound; /* of the last check */
    char message[200];
} plan_data;

/* Arrays for a plan, the sides' pointers `shift` bytes beyond a multiple of 64. */
void plan_data_open(plan_data *d, const sluice_plan *plan, const char *name, size_t shift);
void plan_data_close(plan_data *d);
/* Canaries everywhere, then random input from `seed`. */
void plan_data_fill(plan_data *d, uint64_t seed);
/* Is the output the transform of the input, and every other byte as it was? */
bool plan_data_check(plan_data *d);
/* Where part 0 (re) or 1 (im) of the index-th element in packed order lies. */
char *plan_data_at(const plan_data *d, int side, size_t index, int part);
/* Have both the same output bits, element by element? */
bool plan_data_same(const plan_data *a, const plan_data *b);
/* Fill, execute with `work`, check; fails the test with name and seed. */
void plan_data_judge(plan_data *d, const sluice_plan *plan, uint64_t seed, void *work);
/* Plans, judges in aligned and in scalar-aligned memory, destroys. */
void plan_judge(sluice_machine *m, const char *problem, uint64_t seed);

#endif
