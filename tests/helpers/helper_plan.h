// SPDX-License-Identifier: BSD-3-Clause
/* Plans in tests: machines, plans that must succeed, and their data: random elements between
 * canaries, executed and compared with the definition in long double. */
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
#if defined(__SANITIZE_THREAD__)
#define PLAN_RACES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PLAN_RACES 1
#endif
#endif
#ifndef PLAN_RACES
#define PLAN_RACES 0
#endif

enum {
    PLAN_ISAS = 4 >> (PLAN_SANITIZED + PLAN_RACES),
    PLAN_TEXT_SIZE = 1024 /* of a problem string or a short formula */
};
/* Values of SLUICE_CPU; for sanitizers, which leave codelets as they are, plain C and AVX2; for the
 * thread sanitizer, as who reads and writes what is the same of both, one of them. */
extern const char *const plan_isas[PLAN_ISAS];

/* xorshift64*; below: 0 .. n-1; unit: -1 .. 1. */
uint64_t plan_random(uint64_t *state);
size_t plan_below(uint64_t *state, size_t n);

/* The machine of `units` with SLUICE_CPU=isa (NULL: unset). NULL if this processor lacks the
 * instructions; any other failure fails the test. */
sluice_machine *plan_machine(const char *units, const char *isa);
/* Fails the test, with the reason, where there is none. */
sluice_problem plan_parsed(const char *text);
/* Fails the test with the problem's text if planning fails. */
sluice_plan *plan_made(sluice_machine *m, const char *problem);
sluice_plan *plan_of_formula(sluice_machine *m, const char *formula, sluice_precision precision);
/* Fails the test, with the name, where sluice_plan_verify does or an error is above its bound. */
void plan_verify(const sluice_plan *plan, const char *name);
/* The path of a new, empty file of the test's own, which removes it; false: there is none. */
bool plan_file(char path[PLAN_TEXT_SIZE]);
/* Has n no prime factor above 13? */
bool plan_smooth(size_t n);

/* Text collected by sluice_plan_print. */
typedef struct plan_text {
    char *data; /* test_free */
    size_t length;
} plan_text;
plan_text plan_printed(const sluice_plan *plan, sluice_level level);
/* The line of the formula level that is not a comment, without its newline. Freed by test_free. */
char *plan_line(const sluice_plan *plan);

/* How a side's elements lie in its arrays: what the problem says, once for all of them. */
typedef struct plan_side {
    struct {
        size_t n;
        ptrdiff_t stride;                           /* elements */
    } dim[SLUICE_MAX_BATCH_RANK + SLUICE_MAX_RANK]; /* batch and axes, the last is the fastest */
    int dims;
    bool split;
    size_t scalars, bytes; /* of an element; in an array of its own re has `bytes`, and im */
} plan_side;

typedef struct plan_data {
    const char *name;
    uint64_t seed;
    sluice_problem p;
    size_t scalar, total; /* bytes of a real number; points of the whole batch */
    plan_side side[2];
    size_t elements[2];       /* of each side */
    ptrdiff_t *offset[2];     /* of each element from the side's pointer, in elements */
    size_t bytes[2], base[2]; /* size of an array; offset of the side's pointer in it */
    char *block[2][2];        /* side, part; in place both sides are one */
    char *kept[2][2];         /* copies made when filled */
    sluice_arrays arrays;
    double error, bound; /* error and bound of the last check */
    char message[200];
} plan_data;

/* Allocates arrays for a plan; the sides' pointers are `shift` bytes above a multiple of 64. */
void plan_data_open(plan_data *d, const sluice_plan *plan, const char *name, size_t shift);
/* The elements are from now on those of another problem of the same size. */
void plan_data_read_as(plan_data *d, const char *problem);
void plan_data_close(plan_data *d);
/* Canaries everywhere, then random input from `seed`. */
void plan_data_fill(plan_data *d, uint64_t seed);
/* Is the output the transform of the input, and is every other byte unchanged? */
bool plan_data_check(plan_data *d);
/* Address of part 0 (re) or 1 (im) of the index-th element in packed order; reals have part 0. */
char *plan_data_at(const plan_data *d, int side, size_t index, int part);
/* Have both the same output bits, element by element? */
bool plan_data_same(const plan_data *a, const plan_data *b);
/* Fills, executes with `work` and checks; a failure names problem and seed. */
void plan_data_execute(plan_data *d, const sluice_plan *plan, uint64_t seed, void *work);
/* The same data at another place, by sluice_execute where it has one array a side, which may go a
 * shorter way: the bits of those that were checked, and the rest untouched. */
void plan_data_repeat(plan_data *d, const sluice_plan *plan, const plan_data *checked);
/* Plans, executes and checks in aligned and in scalar-aligned memory, destroys. */
void plan_check_problem(sluice_machine *m, const char *problem, uint64_t seed);

#endif
