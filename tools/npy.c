// SPDX-License-Identifier: BSD-3-Clause
/* A .npy file: "\x93NUMPY", version, length of the header (2 bytes, from version 2 on 4, little
 * endian), the header, the numbers. The header is a Python dictionary with the keys descr,
 * fortran_order and shape, in any order. */
#include "tools/npy.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char magic[6] = "\x93NUMPY";
enum { HEADER_LIMIT = 1 << 16, ALIGNMENT = 64 };

typedef struct reader {
    const char *at;
    char *why;
} reader;

static bool fail_header(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail_header(reader *r, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(r->why, NPY_WHY, format, values);
    va_end(values);
    return false;
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool accept_char(reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* A quoted string without escapes, as numpy writes them. */
static bool read_string(reader *r, char *to, size_t size)
{
    skip_blanks(r);
    char quote = *r->at;
    size_t length =
        quote == '\'' || quote == '"' ? strcspn(r->at + 1, quote == '"' ? "\"" : "'") : 0;
    if (length == 0 || length >= size || r->at[1 + length] != quote)
        return fail_header(r, "has a header that is not understood at \"%.20s\"", r->at);
    memcpy(to, r->at + 1, length);
    to[length] = 0;
    r->at += length + 2;
    return true;
}

static bool is_big_endian(void)
{
    return *(const unsigned char *)&(const uint16_t){1} == 0;
}

/* "<c8": byte order, kind, bytes. */
static bool read_type(reader *r, npy_array *out)
{
    char type[32] = "";
    skip_blanks(r);
    if (*r->at == '[')
        return fail_header(r, "holds records of several fields, not numbers");
    if (!read_string(r, type, sizeof type))
        return false;
    char part[sizeof type] = "", order = type[0];
    out->is_complex = type[1] == 'c';
    if (out->is_complex) /* each part is a float of half the size */
        snprintf(part, sizeof part, "f%ld", strtol(type + 2, NULL, 10) / 2);
    else
        memcpy(part, type + 1, sizeof part - 1);
    for (const sample_format *f = sample_formats; f->name; f++) {
        if (strcmp(f->npy, part) == 0)
            out->format = f;
    }
    if (!out->format || !strchr("<>=|", order) || (order == '|' && out->format->bytes > 1))
        return fail_header(r,
                           "holds numbers of type %s; run reads complex64, complex128, float32, "
                           "float64, int16, int8 and uint8",
                           type);
    out->swapped = order == (is_big_endian() ? '<' : '>');
    return true;
}

/* (10, 64), (64,), () */
static bool read_shape(reader *r, npy_array *out)
{
    uint64_t count = 1;
    if (!accept_char(r, '('))
        return fail_header(r, "has a header whose shape is not understood");
    while (!accept_char(r, ')')) {
        char *end;
        skip_blanks(r);
        if (*r->at < '0' || *r->at > '9' || out->rank == NPY_RANK_MAX)
            return fail_header(r, "has a header whose shape is not understood");
        uint64_t n = strtoull(r->at, &end, 10);
        r->at = *end == 'L' ? end + 1 : end; /* Python 2's suffix of long integers */
        if (n > INT64_MAX / 16 || (n && count > INT64_MAX / 16 / n))
            return fail_header(r, "has a shape of more elements than there can be");
        out->shape[out->rank++] = n;
        count *= n ? n : 1;
        if (!accept_char(r, ',') && *r->at != ')')
            return fail_header(r, "has a header whose shape is not understood");
    }
    return true;
}

static bool read_fortran_order(reader *r, bool *out)
{
    skip_blanks(r);
    *out = strncmp(r->at, "True", 4) == 0;
    if (!*out && strncmp(r->at, "False", 5) != 0)
        return fail_header(r, "has a header that is not understood at \"%.20s\"", r->at);
    r->at += *out ? 4 : 5;
    return true;
}

static bool read_dictionary(reader *r, npy_array *out)
{
    bool fortran = false, has_type = false, has_shape = false, has_order = false;
    if (!accept_char(r, '{'))
        return fail_header(r, "has a header that is no dictionary");
    while (!accept_char(r, '}')) {
        char key[32];
        if (!read_string(r, key, sizeof key))
            return false;
        if (!accept_char(r, ':'))
            return fail_header(r, "has a header that is not understood at \"%.20s\"", r->at);
        bool *has = strcmp(key, "descr") == 0           ? &has_type
                    : strcmp(key, "shape") == 0         ? &has_shape
                    : strcmp(key, "fortran_order") == 0 ? &has_order
                                                        : NULL;
        if (!has || *has)
            return fail_header(r, "has a header with %s '%s'",
                               has ? "twice the key" : "the unknown key", key);
        *has = true;
        if (!(has == &has_type    ? read_type(r, out)
              : has == &has_shape ? read_shape(r, out)
                                  : read_fortran_order(r, &fortran)))
            return false;
        if (!accept_char(r, ',') && *r->at != '}')
            return fail_header(r, "has a header that is not understood at \"%.20s\"", r->at);
    }
    if (!has_type || !has_shape || !has_order)
        return fail_header(r, "has a header without descr, shape or fortran_order");
    if (fortran && out->rank > 1)
        return fail_header(r, "is in Fortran order; save numpy.ascontiguousarray of it");
    return true;
}

bool npy_begins(const void *bytes, size_t count)
{
    return count >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool npy_read(FILE *from, npy_array *out, char why[NPY_WHY])
{
    reader r = {.why = why};
    unsigned char head[12] = {0};
    *out = (npy_array){0};
    if (fread(head, 1, 8, from) != 8 || memcmp(head, magic, sizeof magic) != 0)
        return fail_header(&r, "is no .npy file: it does not begin with \\x93NUMPY");
    size_t bytes = head[6] == 1 ? 2 : 4;
    if (head[6] < 1 || head[6] > 3)
        return fail_header(&r, "is of version %d.%d of the .npy format; 1, 2 and 3 are read",
                           head[6], head[7]);
    if (fread(head + 8, 1, bytes, from) != bytes)
        return fail_header(&r, "ends inside its header");
    size_t length =
        (size_t)head[8] | (size_t)head[9] << 8 | (size_t)head[10] << 16 | (size_t)head[11] << 24;
    if (length > HEADER_LIMIT)
        return fail_header(&r, "has a header of %zu bytes; %d are read", length, HEADER_LIMIT);
    char *text = calloc(1, length + 1);
    if (!text)
        return fail_header(&r, "cannot be read: there is no memory");
    r.at = text;
    bool good = fread(text, 1, length, from) == length ? read_dictionary(&r, out)
                                                       : fail_header(&r, "ends inside its header");
    free(text);
    return good;
}

uint64_t npy_count(const npy_array *a)
{
    uint64_t count = 1;
    for (int i = 0; i < a->rank; i++)
        count *= a->shape[i];
    return count;
}

const char *npy_shape(char to[NPY_SHAPE], const uint64_t *shape, int rank)
{
    size_t used = (size_t)snprintf(to, NPY_SHAPE, "(");
    for (int i = 0; i < rank; i++)
        used += (size_t)snprintf(to + used, NPY_SHAPE - used, "%s%llu", i ? ", " : "",
                                 (unsigned long long)shape[i]);
    snprintf(to + used, NPY_SHAPE - used, rank == 1 ? ",)" : ")");
    return to;
}

size_t npy_write(const npy_array *a, size_t length, char to[NPY_HEADER_MAX])
{
    enum { FIXED = 10 };
    char shape[NPY_SHAPE];
    memset(to, ' ', NPY_HEADER_MAX);
    int text =
        snprintf(to + FIXED, NPY_HEADER_MAX - FIXED,
                 "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': %s, }",
                 is_big_endian() ? '>' : '<', a->is_complex ? 'c' : 'f',
                 a->format->bytes * (a->is_complex ? 2 : 1), npy_shape(shape, a->shape, a->rank));
    size_t used = FIXED + (size_t)text;
    to[used] = ' ';
    if (length == 0)
        length = (used + 20 + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    to[length - 1] = '\n';
    memcpy(to, magic, sizeof magic);
    to[6] = 1;
    to[7] = 0;
    to[8] = (char)((length - FIXED) & 0xff);
    to[9] = (char)((length - FIXED) >> 8);
    return length;
}

bool npy_is_name(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".npy") == 0;
}
