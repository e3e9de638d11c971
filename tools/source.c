// SPDX-License-Identifier: BSD-3-Clause
/* Samples from a file: read, converted, weighted and arranged for the slots of a stream, a
 * transform at a time. If the file already has the layout of the slots, whole slots are read. */
#define _POSIX_C_SOURCE 200809L
#include "tools/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/output.h"
#include "tools/tool.h"
#include "tools/tool_text.h"

enum { FILE_BUFFER = 1 << 18 };

/* ---------------------------------------------------------------- reading --------------- */

static size_t frame_bytes(const sample_source *s)
{
    return s->layout->in.points * s->sample;
}

/* Reads `bytes` bytes, or fewer at the end of the samples. */
static size_t read_bytes(sample_source *s, void *to, size_t bytes)
{
    size_t wanted = bytes < s->left ? bytes : (size_t)s->left;
    size_t got = wanted < s->peeked ? wanted : s->peeked;
    memcpy(to, s->peek, got);
    s->peeked -= got;
    memmove(s->peek, s->peek + got, s->peeked);
    got += fread((char *)to + got, 1, wanted - got, s->file);
    s->bytes_read += got;
    if (s->left != UINT64_MAX)
        s->left -= got;
    if (s->format && s->array.swapped)
        sample_swap(s->format, to, got / s->format->bytes);
    s->ended = got < bytes;
    return got;
}

static void skip_bytes(sample_source *s, uint64_t bytes)
{
    for (char unused[4096]; bytes > 0 && !s->ended;) {
        size_t n = bytes < sizeof unused ? (size_t)bytes : sizeof unused;
        bytes -= read_bytes(s, unused, n);
    }
}

static void complain_partial(const sample_source *s, uint64_t bytes)
{
    char all[TEXT_BYTES];
    const char *unit = s->options.hop ? "sample" : "transform";
    size_t whole = s->options.hop ? s->sample : frame_bytes(s);
    complain("%s ends inside a %s: the last %zu bytes of %s are no whole %s of %zu bytes", s->name,
             unit, (size_t)(bytes % whole), text_bytes(all, bytes), unit, whole);
}

static void complain_short(const sample_source *s, uint64_t bytes)
{
    complain("%s has %llu samples, fewer than one transform of %zu", s->name,
             (unsigned long long)(bytes / s->sample), s->layout->in.points);
}

static void complain_truncated(const sample_source *s, uint64_t missing)
{
    char bytes[TEXT_BYTES];
    complain("%s is truncated: %s of the array are missing", s->name, text_bytes(bytes, missing));
}

/* Checks that the samples ended at the end of a transform. */
static void check_samples_end(sample_source *s)
{
    s->failed = true;
    if (ferror(s->file))
        complain("cannot read %s: %s", s->name, strerror(errno));
    else if (s->options.npy && s->left > 0)
        complain_truncated(s, s->left);
    else if (s->bytes_read % (s->options.hop ? s->sample : frame_bytes(s)))
        complain_partial(s, s->bytes_read);
    else if (s->options.hop && s->transforms == 0 && s->bytes_read > 0)
        complain_short(s, s->bytes_read);
    else
        s->failed = false;
}

/* Reads the next transform in the file's layout; false: there is none. */
static bool next_frame(sample_source *s)
{
    size_t all = frame_bytes(s),
           hop = (s->options.hop ? s->options.hop : s->layout->in.points) * s->sample;
    size_t kept = s->transforms > 0 && hop < all ? all - hop : 0;
    memmove(s->frame, s->frame + all - kept, kept);
    if (s->transforms > 0 && hop > all)
        skip_bytes(s, hop - all);
    if (!s->ended)
        read_bytes(s, s->frame + kept, all - kept);
    if (s->ended)
        check_samples_end(s);
    return !s->ended;
}

/* ---------------------------------------------------------------- converting ------------ */

/* Stores every `step`-th number, `count` of them, at index `first` and above of a side. */
static void store_numbers(const sample_source *s, void *side, size_t first, const double *from,
                          size_t step, size_t count)
{
    const size_t number_step = s->layout->in.split ? 1 : s->layout->in.scalars;
    float *singles = (float *)side + first * number_step;
    double *doubles = (double *)side + first * number_step;
    for (size_t i = 0; i < count; i++) {
        if (s->layout->precision == SLUICE_F64)
            doubles[i * number_step] = from[i * step];
        else
            singles[i * number_step] = (float)from[i * step];
    }
}

/* Converts the frame to the problem's numbers, from `re` and `im` on. */
static void convert_frame(const sample_source *s, void *re, void *im)
{
    enum { CHUNK = 256 };
    static const double zeros[CHUNK];
    double number[2 * CHUNK];
    const bool scaled = !s->options.npy;
    size_t points = s->layout->in.points, bytes = s->format->bytes;
    for (size_t i = 0, n; i < points; i += n) {
        n = points - i < CHUNK ? points - i : CHUNK;
        if (s->is_complex && !s->file_split) {
            sample_decode(s->format, s->frame + 2 * i * bytes, 2 * n, scaled, number);
            store_numbers(s, re, i, number, 2, n);
            store_numbers(s, im, i, number + 1, 2, n);
            continue;
        }
        sample_decode(s->format, s->frame + i * bytes, n, scaled, number);
        store_numbers(s, re, i, number, 1, n);
        if (s->layout->in.scalars == 1)
            continue;
        if (s->is_complex)
            sample_decode(s->format, s->frame + (points + i) * bytes, n, scaled, number);
        store_numbers(s, im, i, s->is_complex ? number : zeros, 1, n);
    }
}

static bool are_finite(const void *numbers, size_t count, sluice_precision precision)
{
    const uint32_t exponent32 = 0x7f800000;
    const uint64_t exponent64 = 0x7ff0000000000000;
    const char *from = numbers;
    bool found = false;
    for (size_t i = 0; precision == SLUICE_F32 && i < count; i++) {
        uint32_t bits;
        memcpy(&bits, from + i * sizeof bits, sizeof bits);
        found |= (bits & exponent32) == exponent32;
    }
    for (size_t i = 0; precision == SLUICE_F64 && i < count; i++) {
        uint64_t bits;
        memcpy(&bits, from + i * sizeof bits, sizeof bits);
        found |= (bits & exponent64) == exponent64;
    }
    return !found;
}

/* The first real or imaginary part of the k-th transform of a slot. */
static void *slot_part(const sample_source *s, const sluice_slot *slot, size_t k, bool imaginary)
{
    size_t size = s->layout->precision == SLUICE_F64 ? sizeof(double) : sizeof(float);
    if (s->layout->in.split)
        return (char *)(imaginary ? slot->in_im : slot->in) + k * s->layout->in.points * size;
    return (char *)slot->in + (s->layout->in.scalars * k * s->layout->in.points + imaginary) * size;
}

/* Counts the k-th transform of a slot. */
static void count_transform(sample_source *s, const sluice_slot *slot, size_t k)
{
    const sample_layout *l = s->layout;
    const sample_side *in = &l->in;
    bool finite =
        are_finite(slot_part(s, slot, k, false), (in->split ? 1 : in->scalars) * in->points,
                   l->precision)
        && (!in->split || are_finite(slot_part(s, slot, k, true), in->points, l->precision));
    if (!finite && s->not_finite++ == 0)
        s->first_not_finite = s->transforms;
    s->transforms++;
}

sluice_status source_get(sample_source *s, sluice_slot *slot)
{
    if (s->ended)
        return SLUICE_END;
    slot->count = 0;
    if (s->direct) {
        size_t got = read_bytes(s, slot->in, s->block * frame_bytes(s));
        slot->count = got / frame_bytes(s);
        if (s->ended)
            check_samples_end(s);
    }
    while (!s->direct && slot->count < s->block && next_frame(s)) {
        convert_frame(s, slot_part(s, slot, slot->count, false),
                      slot_part(s, slot, slot->count, true));
        count_transform(s, slot, slot->count++);
    }
    if (s->failed)
        return SLUICE_E_IO;
    for (size_t k = 0; s->direct && k < slot->count; k++)
        count_transform(s, slot, k);
    return slot->count ? SLUICE_OK : SLUICE_END;
}

/* ---------------------------------------------------------------- opening --------------- */

static int complain_of_shape(const sample_source *s)
{
    char has[NPY_SHAPE], wants[NPY_SHAPE];
    complain("%s holds an array of shape %s; %s wants one whose last dimensions are %s, or one "
             "dimension of so many samples each",
             s->name, npy_shape(has, s->array.shape, s->array.rank), s->layout->text,
             npy_shape(wants, s->layout->in.shape, s->layout->rank));
    return TOOL_USAGE;
}

static int complain_of_remainder(const sample_source *s)
{
    const size_t points = s->layout->in.points;
    const unsigned long long samples = s->array.shape[0];
    complain(
        "%s holds %llu samples: %llu transforms of %zu and %llu samples more; --hop %zu leaves "
        "those out",
        s->name, samples, samples / points, points, samples % points, points);
    return TOOL_USAGE;
}

/* Checks that the array's last dimensions are those of a transform, or that it is one sequence of
 * samples. */
static int check_array_shape(const sample_source *s)
{
    const npy_array *a = &s->array;
    const sample_layout *l = s->layout;
    if (a->rank == 1)
        return s->options.hop || a->shape[0] % l->in.points == 0 ? TOOL_DONE
                                                                 : complain_of_remainder(s);
    if (s->options.hop || a->rank < l->rank
        || memcmp(a->shape + a->rank - l->rank, l->in.shape,
                  (size_t)l->rank * sizeof l->in.shape[0]))
        return complain_of_shape(s);
    return TOOL_DONE;
}

static int read_npy(sample_source *s)
{
    char why[NPY_WHY];
    if (!npy_read(s->file, &s->array, why)) {
        complain("%s %s", s->name, why);
        return TOOL_IO;
    }
    s->format = s->array.format;
    s->is_complex = s->array.is_complex;
    s->sample = s->format->bytes * (s->is_complex ? 2 : 1);
    s->left = npy_count(&s->array) * s->sample;
    if (s->is_complex && s->layout->in.scalars == 1) {
        complain("%s holds complex numbers; the input of %s is real", s->name, s->layout->text);
        return TOOL_USAGE;
    }
    return check_array_shape(s);
}

/* Raw samples may be any bytes, but the beginning of a .npy file is refused. */
static int set_raw(sample_source *s)
{
    s->peeked = fread(s->peek, 1, sizeof s->peek, s->file);
    if (npy_begins(s->peek, s->peeked)) {
        complain("%s is a .npy file; --format npy reads it", s->name);
        return TOOL_USAGE;
    }
    s->format = s->options.format ? s->options.format : &sample_formats[s->layout->precision];
    s->is_complex = !s->options.real;
    s->file_split = s->is_complex && s->layout->in.split;
    s->sample = s->format->bytes * (s->is_complex ? 2 : 1);
    s->left = UINT64_MAX;
    return TOOL_DONE;
}

/* If the size is known, it is checked before any output is created. */
static int check_input_size(sample_source *s)
{
    struct stat file;
    off_t at = ftello(s->file);
    uint64_t bytes = s->left;
    if (at >= 0 && fstat(fileno(s->file), &file) == 0 && S_ISREG(file.st_mode)
        && at <= file.st_size)
        bytes = (uint64_t)(file.st_size - at) + s->peeked;
    s->expected = UINT64_MAX;
    if (bytes == UINT64_MAX)
        return TOOL_DONE;
    if (s->options.npy && bytes < s->left) {
        complain_truncated(s, s->left - bytes);
        return TOOL_IO;
    }
    if (s->options.npy && bytes > s->left)
        complain("%s goes on after its array, which is all that is read", s->name);
    bytes = bytes < s->left ? bytes : s->left;
    const uint64_t samples = bytes / s->sample, points = s->layout->in.points;
    if (bytes % (s->options.hop ? s->sample : frame_bytes(s))) {
        complain_partial(s, bytes);
        return TOOL_IO;
    }
    if (s->options.hop && samples > 0 && samples < points) {
        complain_short(s, bytes);
        return TOOL_IO;
    }
    s->expected =
        samples < points ? 0 : (samples - points) / (s->options.hop ? s->options.hop : points) + 1;
    return TOOL_DONE;
}

int source_open(sample_source *s, const sample_layout *layout, const source_options *options)
{
    const bool is_stdin = strcmp(options->path, "-") == 0;
    *s = (sample_source){.layout = layout, .options = *options};
    s->name = is_stdin ? "standard input" : options->path;
    s->file = is_stdin ? stdin : fopen(options->path, "rb");
    if (!s->file) {
        complain("cannot open %s: %s", s->name, strerror(errno));
        return TOOL_IO;
    }
    setvbuf(s->file, NULL, _IOFBF, FILE_BUFFER);
    output_protect(options->path);
    int code = options->npy ? read_npy(s) : set_raw(s);
    if (!code)
        code = check_input_size(s);
    if (code)
        source_close(s);
    return code;
}

int source_start(sample_source *s, size_t block)
{
    const sample_layout *l = s->layout;
    char bytes[TEXT_BYTES];
    s->block = block;
    s->direct = s->is_complex == (l->in.scalars == 2) && !l->in.split && !s->array.swapped
                && !s->options.hop && s->format == &sample_formats[l->precision];
    if (s->direct)
        return TOOL_DONE;
    s->frame = malloc(frame_bytes(s));
    if (s->frame)
        return TOOL_DONE;
    complain("there is no memory for a transform of %s", text_bytes(bytes, frame_bytes(s)));
    return TOOL_IO;
}

void source_close(sample_source *s)
{
    if (s->not_finite)
        complain("%s: %llu of %llu transforms have samples that are not finite (NaN or infinite), "
                 "first number %llu, counted from 0",
                 s->name, (unsigned long long)s->not_finite, (unsigned long long)s->transforms,
                 (unsigned long long)s->first_not_finite);
    if (s->file != stdin)
        fclose(s->file);
    free(s->frame);
}
