// SPDX-License-Identifier: BSD-3-Clause
/* Runs a fuzz target on every file of a folder, in place of libFuzzer's main. */
#include <dirent.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { MOST_BYTES = 1 << 16, PATH = 4096 };

static void replay(const char *path)
{
    static uint8_t bytes[MOST_BYTES];
    FILE *f = fopen(path, "rb");

    FUZZ_CHECK(f != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    fprintf(stderr, "%s\n", path); /* the last one is where it failed */
    (void)LLVMFuzzerTestOneInput(bytes, size);
}

int main(int argc, char **argv)
{
    char path[PATH];
    int files = 0;

    FUZZ_CHECK(argc == 2);
    DIR *folder = opendir(argv[1]);
    FUZZ_CHECK(folder != NULL);
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        FUZZ_CHECK(snprintf(path, sizeof path, "%s/%s", argv[1], e->d_name) < PATH);
        replay(path);
        files++;
    }
    closedir(folder);
    FUZZ_CHECK(files > 0);
    return 0;
}
