// SPDX-License-Identifier: BSD-3-Clause
/* dlopen and dlsym, for peers. */
#include "bench/peers/peer_symbol.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* formats are the peers' own constants */

bool peer_symbols(void *api, void *library, const char *format, const peer_symbol *wanted)
{
    for (const peer_symbol *s = wanted; s->name; s++) {
        char name[96];
        snprintf(name, sizeof name, format, s->name);
        void *address = dlsym(library, name);
        if (!address)
            return false;
        memcpy((char *)api + s->offset, &address, sizeof address);
    }
    return true;
}

void *peer_library(const char *variable, const char *const *names, char *file, size_t size)
{
    const char *where = getenv(variable);
    struct stat status;
    bool given = where && *where;
    bool folder = given && stat(where, &status) == 0 && S_ISDIR(status.st_mode);
    void *library = NULL;
    if (given && !folder) {
        snprintf(file, size, "%s", where);
        return dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    for (const char *const *name = names; *name && !library; name++) {
        snprintf(file, size, "%s%s%s", folder ? where : "", folder ? "/" : "", *name);
        library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}
