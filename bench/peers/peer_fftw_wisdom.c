// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom as text, from and to files. */
#include "bench/peers/peer_fftw_wisdom.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const precision_name[] = {[SLUICE_F32] = "f32", [SLUICE_F64] = "f64"};

static void name_wisdom_file(char *out, size_t size, const char *file, const char *peer,
                             sluice_precision precision, const char *suffix)
{
    snprintf(out, size, "%.3000s.%s.%s%s", file, peer, precision_name[precision], suffix);
}

static void append_char(char c, void *user)
{
    fftw_wisdom *w = user;
    if (w->length + 1 >= w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : 4096;
        char *grown = realloc(w->text, capacity);
        if (!grown)
            return; /* out of memory: truncated text is refused on import */
        w->text = grown;
        w->capacity = capacity;
    }
    w->text[w->length++] = c;
    w->text[w->length] = 0;
}

bool fftw_wisdom_read(fftw_wisdom *w, const char *file, const char *peer,
                      sluice_precision precision)
{
    char path[PATH_MAX];
    name_wisdom_file(path, sizeof path, file, peer, precision, "");
    FILE *in = fopen(path, "r");
    if (!in)
        return errno == ENOENT;
    for (int c; (c = fgetc(in)) != EOF;)
        append_char((char)c, w);
    bool good = !ferror(in);
    fclose(in);
    return good;
}

/* Writes a second file and renames it, so that an interrupted bench does not lose hours of
 * planning. */
bool fftw_wisdom_write(fftw_wisdom *w, const char *file, const char *peer,
                       sluice_precision precision)
{
    char path[PATH_MAX], part[PATH_MAX];
    if (!w->changed)
        return true;
    name_wisdom_file(path, sizeof path, file, peer, precision, "");
    name_wisdom_file(part, sizeof part, file, peer, precision, ".part");
    FILE *out = fopen(part, "w");
    if (!out)
        return false;
    bool good = fwrite(w->text, 1, w->length, out) == w->length;
    good = fclose(out) == 0 && good;
    good = good && rename(part, path) == 0;
    w->changed = !good;
    return good;
}

void fftw_wisdom_import(const fftw_wisdom *w, const fftw_api *api)
{
    api->forget_wisdom();
    if (w->text)
        api->import_wisdom_from_string(w->text);
}

void fftw_wisdom_export(fftw_wisdom *w, const fftw_api *api)
{
    fftw_wisdom now = {0};
    api->export_wisdom(append_char, &now);
    bool same =
        now.length == w->length && (now.length == 0 || memcmp(now.text, w->text, now.length) == 0);
    now.changed = w->changed || !same;
    free(w->text);
    *w = now;
}
