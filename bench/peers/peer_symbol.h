// SPDX-License-Identifier: BSD-3-Clause
/* Functions of a library that was opened with dlopen, by table. */
#ifndef PEER_SYMBOL_H
#define PEER_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

/* A name, and where in a struct of function pointers its address belongs. Ends with a NULL name. */
typedef struct peer_symbol {
    const char *name;
    size_t offset;
} peer_symbol;

/* `format` makes the library's name of a symbol's, e.g. "fftwf_%s". False where one is missing. */
bool peer_symbols(void *api, void *library, const char *format, const peer_symbol *wanted);
/* Opens the file that a variable of the environment names, or the first of `names` in the folder
 * that it names; without it, the first of `names` that the loader finds. Afterwards `file` says
 * what was tried last. NULL where there is none; dlerror() tells. */
void *peer_library(const char *variable, const char *const *names, char *file, size_t size);

#endif
