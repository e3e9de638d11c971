// SPDX-License-Identifier: BSD-3-Clause
/* Finds functions of a library opened with dlopen, by a table. */
#ifndef PEER_SYMBOL_H
#define PEER_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

/* A name and the offset of its pointer in a struct of function pointers. Lists end with a NULL
 * name. */
typedef struct peer_symbol {
    const char *name;
    size_t offset;
} peer_symbol;

/* `format` turns a symbol's name into the library's, e.g. "fftwf_%s". False if one is missing. */
bool peer_symbols(void *api, void *library, const char *format, const peer_symbol *wanted);
/* Opens the file that an environment variable names, or the first of `names` in the folder that it
 * names; without the variable, the first of `names` that the loader finds. `file` is set to the
 * last name tried. NULL if none can be opened; dlerror() holds the reason. */
void *peer_library(const char *variable, const char *const *names, char *file, size_t size);

#endif
