// SPDX-License-Identifier: BSD-3-Clause
/* Loads the plug-in that argv[1] names, and calls it. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*transform)(void) = NULL;

    if (plugin != NULL)
        *(void **)&transform = dlsym(plugin, "transform");
    if (transform == NULL)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    const int result = transform();
    return dlclose(plugin) != 0 ? 1 : result;
}
