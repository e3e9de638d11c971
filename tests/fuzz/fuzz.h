// SPDX-License-Identifier: BSD-3-Clause
/* Fuzz targets: each file fuzz_NAME.c defines one function that libFuzzer calls with bytes of its
 * own making, and tests/fuzz/replay.c with the files of tests/fuzz/corpus/NAME. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run: the input is kept by libFuzzer, and the replay fails. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

/* Is a message that was left by a refusal a sentence of printable text? */
static inline void fuzz_check_message(const char *message)
{
    FUZZ_CHECK(message[0] != '\0');
    for (const char *c = message; *c != '\0'; c++)
        FUZZ_CHECK((unsigned char)*c >= ' ' && *c != 127);
}

/* The bytes as a string; to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)data[i];
    text[size] = '\0';
    return text;
}

#endif
