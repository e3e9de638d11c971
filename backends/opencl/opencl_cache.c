// SPDX-License-Identifier: BSD-3-Clause
/* Compiled kernels, one file for each program, device and driver, in $SLUICE_KERNEL_CACHE or
 * $XDG_CACHE_HOME/sluice or ~/.cache/sluice. A file begins with a hash of what it was made from and
 * a hash of its contents, so a file that is damaged, or another program's, is replaced and not
 * used. A failure in this file only costs compilation time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/opencl/opencl_state.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/mem.h"

enum { MOST_BYTES = 1 << 28 }; /* of a file */

/* The folder, which may not exist yet; false: nothing is kept. */
static bool find_folder(core_text *out)
{
    const char *own = getenv("SLUICE_KERNEL_CACHE"), *all = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");

    if (own)
        core_text_printf(out, "%s", own);
    else if (all && *all)
        core_text_printf(out, "%s/sluice", all);
    else if (home && *home)
        core_text_printf(out, "%s/.cache/sluice", home);
    return out->length > 0 && !out->failed;
}

/* Makes a folder and its parents. */
static void make_folder(char *path)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(path, 0777);
        *at = '/';
    }
    (void)mkdir(path, 0777);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return (hash ^ 0xff) * UINT64_C(1099511628211); /* marks the end of a part */
}

static uint64_t hash_key(const opencl_cache_key *key, uint64_t start)
{
    const char *const part[] = {key->about->name, key->about->driver, key->about->version,
                                key->options, key->source};
    uint64_t hash = start;

    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        hash = hash_text(hash, part[i]);
    return hash;
}

/* The first line of a file. */
static void print_header(const opencl_cache_key *key, const unsigned char *binary, size_t length,
                         core_text *out)
{
    core_text_printf(out, "sluice kernels 1 %016llx%016llx %zu %08x\n",
                     (unsigned long long)hash_key(key, UINT64_C(14695981039346656037)),
                     (unsigned long long)hash_key(key, UINT64_C(0x9e3779b97f4a7c15)), length,
                     core_hash(CORE_HASH_START, binary, length));
}

static bool find_file(const opencl_cache_key *key, core_text *folder, core_text *path)
{
    if (!find_folder(folder))
        return false;
    core_text_printf(path, "%s/%016llx.kernels", core_text_string(folder),
                     (unsigned long long)hash_key(key, UINT64_C(14695981039346656037)));
    return !path->failed;
}

/* The whole file; NULL: it cannot be read. */
static unsigned char *read_file(const char *path, size_t *length)
{
    struct stat about;
    unsigned char *bytes = NULL;
    FILE *file = fopen(path, "rbe");

    if (file && fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode)
        && about.st_size <= MOST_BYTES) {
        bytes = core_malloc((size_t)about.st_size + 1);
        *length = bytes ? fread(bytes, 1, (size_t)about.st_size, file) : 0;
    }
    if (file)
        fclose(file);
    return bytes;
}

/* If the header is right, moves the binary that follows it to the beginning. */
static bool check_file(const opencl_cache_key *key, unsigned char *bytes, size_t *length)
{
    core_text header = {0};
    const unsigned char *end = memchr(bytes, '\n', *length);
    const size_t before = end ? (size_t)(end - bytes) + 1 : 0;

    print_header(key, bytes + before, *length - before, &header);
    const bool right =
        end && !header.failed && header.length == before && memcmp(header.data, bytes, before) == 0;
    core_text_free(&header);
    if (right) {
        *length -= before;
        memmove(bytes, bytes + before, *length);
    }
    return right && *length > 0;
}

bool opencl_cache_keeps(void)
{
    core_text folder = {0};
    const bool keeps = find_folder(&folder);

    core_text_free(&folder);
    return keeps;
}

unsigned char *opencl_cache_find(const opencl_cache_key *key, size_t *length)
{
    core_text folder = {0}, path = {0};
    unsigned char *bytes = NULL;

    if (find_file(key, &folder, &path))
        bytes = read_file(core_text_string(&path), length);
    if (bytes && !check_file(key, bytes, length)) {
        core_free(bytes);
        bytes = NULL;
    }
    core_text_free(&folder);
    core_text_free(&path);
    return bytes;
}

void opencl_cache_keep(const opencl_cache_key *key, const unsigned char *binary, size_t length)
{
    core_text folder = {0}, path = {0}, file = {0};

    if (length <= MOST_BYTES / 2 && find_file(key, &folder, &path)) {
        print_header(key, binary, length, &file);
        core_text_add(&file, (const char *)binary, length);
        make_folder(folder.data);
        if (!file.failed)
            (void)core_file_write(core_text_string(&path), file.data, file.length);
    }
    core_text_free(&folder);
    core_text_free(&path);
    core_text_free(&file);
}
