// SPDX-License-Identifier: BSD-3-Clause
/* sluice spectrogram: the short-time spectrum of a recording as a picture. Frames are centred on
 * multiples of the hop, so the recording is padded with half a frame of zeros at both ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/chart.h"
#include "tools/output.h"
#include "tools/record.h"
#include "tools/spectrum.h"
#include "tools/tool.h"
#include "tools/wav.h"
#include "tools/window.h"

enum { OPT_SIZE, OPT_HOP, OPT_WINDOW, OPT_CHANNEL, OPT_DB, OPT_LOG, OPT_TITLE };

static const tool_option options[] = {
    {"size", 's', "N", "samples of a frame (default: 1024)"},
    {"hop", 'H', "N", "samples from a frame to the next (default: 256)"},
    {"window", 'w', "W", WINDOW_NAMES " (default: hann)"},
    {"channel", 'c', "N", "channel, from 1 (default: 0, the mean of all)"},
    {"db", 'd', "RANGE", "decibels from the brightest colour to the darkest (default: 80)"},
    {"log-frequency", 'l', NULL, "frequencies in equal ratios, from the first above 0"},
    {"title", 't', "TEXT", "a line above the plot"},
    {0},
};

enum { SIZE_LIMIT = 1 << 20, MIN_LOG_SIZE = 8 };

/* The source owns the fields before `levels`, the sink the rest; they may run concurrently. */
typedef struct spectrogram {
    size_t size, hop, block; /* samples of a frame, samples between frames, frames of a block */
    size_t channel;
    int window_kind;
    bool logarithmic;
    double range;
    const char *title;
    uint64_t next; /* next frame of the source */
    wav sound;
    double *window; /* weights of a frame */
    float *frame;   /* the current one */
    bool failed;
    spectrum levels;
} spectrogram;

/* Advances the frame by a hop; the first time, fills its right half. */
static bool advance_frame(spectrogram *g)
{
    size_t kept = g->next == 0 ? g->size / 2 : g->hop < g->size ? g->size - g->hop : 0;
    if (g->next > 0) {
        memmove(g->frame, g->frame + g->size - kept, kept * sizeof *g->frame);
        for (size_t skip = g->hop > g->size ? g->hop - g->size : 0; skip > 0;) {
            size_t n = skip < g->size ? skip : g->size;
            if (!wav_read(&g->sound, g->frame, n))
                return false;
            skip -= n;
        }
    }
    return wav_read(&g->sound, g->frame + kept, g->size - kept);
}

/* A frame belongs to the recording if its middle does; the end of a pipe is found while the frame
 * is read. */
static sluice_status get_frames(void *user, sluice_slot *slot)
{
    spectrogram *g = user;
    float *to = slot->in;
    for (slot->count = 0; slot->count < g->block && wav_has(&g->sound, g->next * g->hop);) {
        if (!advance_frame(g)) {
            g->failed = true;
            return SLUICE_E_IO;
        }
        if (!wav_has(&g->sound, g->next++ * g->hop))
            break;
        memcpy(to, g->frame, g->size * sizeof *to);
        to += g->size;
        slot->count++;
    }
    return slot->count ? SLUICE_OK : SLUICE_END;
}

static sluice_status put_spectra(void *user, sluice_slot *slot)
{
    spectrogram *g = user;
    const float *from = slot->out;
    for (size_t k = 0; k < slot->count; k++, from += 2 * g->levels.bins)
        spectrum_add(&g->levels, from);
    return SLUICE_OK;
}

static int read_picture_options(spectrogram *g, const arguments *args)
{
    const char *const *value = args->value;
    *g = (spectrogram){.size = 1024,
                       .hop = 256,
                       .range = 80,
                       .logarithmic = value[OPT_LOG] != NULL,
                       .title = value[OPT_TITLE]};
    if (value[OPT_SIZE] && !options_count("size", value[OPT_SIZE], 2, SIZE_LIMIT, &g->size))
        return TOOL_USAGE;
    if (value[OPT_HOP] && !options_count("hop", value[OPT_HOP], 1, SIZE_LIMIT, &g->hop))
        return TOOL_USAGE;
    if (value[OPT_CHANNEL] && !options_count("channel", value[OPT_CHANNEL], 0, 1024, &g->channel))
        return TOOL_USAGE;
    if (value[OPT_DB] && !options_real("db", value[OPT_DB], 1, 1000, &g->range))
        return TOOL_USAGE;
    if (value[OPT_WINDOW])
        g->window_kind = options_choose("window", value[OPT_WINDOW], window_names);
    if (g->window_kind < 0)
        return TOOL_USAGE;
    if (!g->logarithmic || g->size >= MIN_LOG_SIZE)
        return TOOL_DONE;
    complain("--log-frequency needs a --size of %d or more", MIN_LOG_SIZE);
    return TOOL_USAGE;
}

/* The picture is always a PNG, so a name with another suffix is refused. */
static int check_name(const char *path)
{
    static const char *const others[] = {
        ".jpg",  ".jpeg", ".jpe", ".jfif", ".jp2", ".jxl",  ".gif",  ".bmp",  ".svg",
        ".svgz", ".pdf",  ".ps",  ".eps",  ".tif", ".tiff", ".webp", ".avif", ".heic",
        ".heif", ".ico",  ".ppm", ".pgm",  ".pnm", ".tga",  ".psd",  ".xcf",  ".apng",
        ".html", ".htm",  ".wav", ".flac", ".ogg", ".mp3",  ".aiff", ".raw",  ".npy",
    };
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < sizeof others / sizeof others[0]; i++) {
        if (strcasecmp(dot, others[i]) == 0) {
            complain("cannot write %s: the picture is a PNG, so its name cannot end in %s", path,
                     dot);
            return TOOL_USAGE;
        }
    }
    return TOOL_DONE;
}

/* The window is scaled so that a sine of full scale has the power 1. */
static int prepare_window(spectrogram *g)
{
    double sum;
    g->window = window_make(g->window_kind, g->size, &sum);
    g->frame = calloc(g->size, sizeof *g->frame);
    const bool good = spectrum_new(&g->levels, g->size, g->logarithmic) && g->window && g->frame;
    for (size_t i = 0; good && i < g->size; i++)
        g->window[i] *= 2 / sum;
    if (good)
        return TOOL_DONE;
    complain("there is no memory for the spectrogram");
    return TOOL_IO;
}

static int transform_frames(session *s, spectrogram *g)
{
    int code = session_open(s);
    if (code)
        return code;
    g->block = session_block(s, sizeof(float) * (g->size + 2 * g->levels.bins));
    sluice_problem problem = {
        .kind = {SLUICE_R2C}, .precision = SLUICE_F32, .rank = 1, .batch_rank = 1};
    problem.dim[0].n = g->size;
    problem.batch[0].n = g->block;
    sluice_plan *plan = NULL;
    char text[64];
    snprintf(text, sizeof text, "r2c:f32:%zu*%zu", g->size, g->block);
    const sluice_hooks hooks = {.in = {.weight = g->window, .weight_rank = 1}};
    const sluice_plan_options with_window = {.hooks = &hooks};
    code = session_plan(s, text, &problem, &with_window, &plan);
    if (code)
        return code;
    sluice_status status = sluice_stream_run(plan, get_frames, put_spectra, g, NULL, NULL);
    sluice_plan_destroy(plan);
    if (g->failed)
        return TOOL_IO; /* the reason has been printed */
    return status == SLUICE_OK ? TOOL_DONE : session_stream_failed(s, status);
}

static void complain_not_finite(const wav *w)
{
    if (w->not_finite)
        complain("%s: %llu samples are not finite (NaN or infinite), the first at %.3f s; frames "
                 "with them are dark",
                 w->name, (unsigned long long)w->not_finite, (double)w->first_not_finite / w->rate);
}

static void print_picture_summary(const session *s, const spectrogram *g, const char *path,
                                  const chart_frame *f)
{
    record r = record_open(s->json, "picture", path);
    record_integer(&r, "rate", g->sound.rate);
    record_integer(&r, "frames", (long long)g->levels.frames);
    record_real(&r, "seconds", (double)(g->levels.frames * g->hop) / g->sound.rate);
    record_integer(&r, "plot_x", f->x);
    record_integer(&r, "plot_y", f->y);
    record_integer(&r, "plot_width", f->width);
    record_integer(&r, "plot_height", f->height);
    record_close(&r);
}

/* The picture as PNG, freed by the caller; NULL: the reason has been printed. */
static void *draw_png(spectrogram *g, const char *path, chart_frame *where, size_t *count)
{
    const double rate = g->sound.rate, bin = rate / (double)g->size;
    spectrum *l = &g->levels;
    chart c = {.columns = l->columns,
               .rows = l->rows,
               .level = l->power,
               .seconds = (double)(l->columns * l->column_frames * g->hop) / rate,
               .lowest = g->logarithmic ? bin : 0,
               .hertz = bin * (double)(l->bins - 1),
               .top = spectrum_to_decibels(l),
               .range = g->range,
               .title = g->title};
    picture p;
    void *bytes = NULL;
    bool drawn = chart_draw(&c, &p, where);
    const char *why = drawn ? picture_encode(&p, &bytes, count) : "there is no memory";
    picture_free(&p);
    if (why)
        complain("cannot draw %s: %s", path, why);
    return bytes;
}

/* The output is opened first, so that nothing is computed that cannot be written. */
static int make_picture(session *s, spectrogram *g, const char *path)
{
    output file;
    chart_frame where;
    size_t count = 0;
    int code = output_open(&file, path);
    if (code)
        return code;
    code = prepare_window(g);
    if (!code)
        code = transform_frames(s, g);
    complain_not_finite(&g->sound);
    void *bytes = code ? NULL : draw_png(g, path, &where, &count);
    if (!code)
        code = bytes ? output_write(&file, bytes, count) : TOOL_IO;
    free(bytes);
    if (code) {
        output_discard(&file);
        return code;
    }
    code = output_commit(&file);
    if (!code && strcmp(path, "-") != 0)
        print_picture_summary(s, g, path, &where);
    return code;
}

static int spectrogram_of(session *s, const arguments *args)
{
    spectrogram g;
    int code = read_picture_options(&g, args);
    if (!code)
        code = check_name(args->text[1]);
    if (!code)
        code = wav_open(&g.sound, args->text[0], g.channel);
    if (code)
        return code;
    code = make_picture(s, &g, args->text[1]);
    wav_close(&g.sound);
    spectrum_free(&g.levels);
    free(g.window);
    free(g.frame);
    return code;
}

const command command_spectrogram = {
    .name = "spectrogram",
    .arguments = "IN.wav OUT.png",
    .summary = "draw the short-time spectrum of a recording",
    .details =
        "Draws the spectrum over time: time to the right, frequency upwards from 0 to half the\n"
        "sample rate, 80 dB of colours below the strongest point (0 dB is a sine of full scale).\n"
        "IN.wav is any recording that libsndfile reads, or - for standard input, which may be a\n"
        "pipe (a WAV), of any length in bounded memory. OUT.png (- for standard output) takes its\n"
        "name when it is complete. A picture of more than 1600 frames shows the strongest of 2, "
        "4,\n"
        "8 ... of them in each column.",
    .options = options,
    .min = 2,
    .max = 2,
    .run = spectrogram_of,
};
