// SPDX-License-Identifier: BSD-3-Clause
/* sluice spectrogram: the short-time spectrum of a recording as a picture. Frames are centred on
 * multiples of the hop, so the recording is padded with half a frame of zeros at both ends. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/chart.h"
#include "tools/output.h"
#include "tools/record.h"
#include "tools/tool.h"
#include "tools/wav.h"

enum { OPT_SIZE, OPT_HOP, OPT_WINDOW, OPT_CHANNEL };

static const tool_option options[] = {
    {"size", 's', "N", "samples of a frame (default: 1024)"},
    {"hop", 'H', "N", "samples from a frame to the next (default: 256)"},
    {"window", 'w', "W", "hann, hamming, blackman or rect (default: hann)"},
    {"channel", 'c', "N", "channel, from 1 (default: 0, the mean of all)"},
    {0},
};

enum { SIZE_LIMIT = 1 << 20, COLUMNS_LIMIT = 1600, ROWS_LIMIT = 1024, DECIBELS = 80 };

/* The windows as cosine sums a0 - a1 cos(2 pi i/n) + a2 cos(4 pi i/n). */
static const char *const window_names[] = {"hann", "hamming", "blackman", "rect", NULL};
static const double window_terms[][3] = {
    {0.5, 0.5, 0}, {0.54, 0.46, 0}, {0.42, 0.5, 0.08}, {1, 0, 0}};

/* The source owns the part before `columns`, the sink the rest; they may run at once. */
typedef struct spectrogram {
    size_t size, hop, block; /* samples of a frame and between two, frames of a block */
    int window_kind;
    uint64_t frames, next; /* of the recording; the source's next */
    wav sound;
    float *window, *frame; /* the frame as recorded, before the window */
    bool failed;
    size_t columns, rows; /* frames and bins of the picture, each the strongest of several */
    uint64_t drawn;       /* frames the sink has seen */
    float *power;
} spectrogram;

/* Moves the frame on by a hop; the first time, fills its right half. */
static bool advance(spectrogram *g)
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

static sluice_status get_frames(void *user, sluice_slot *slot)
{
    spectrogram *g = user;
    uint64_t left = g->frames - g->next;
    if (left == 0)
        return SLUICE_END;
    slot->count = left < g->block ? (size_t)left : g->block;
    float *to = slot->in;
    for (size_t k = 0; k < slot->count; k++, g->next++) {
        if (!advance(g)) {
            g->failed = true;
            return SLUICE_E_IO;
        }
        for (size_t i = 0; i < g->size; i++, to += 2) {
            to[0] = g->frame[i] * g->window[i];
            to[1] = 0;
        }
    }
    return SLUICE_OK;
}

static sluice_status put_spectra(void *user, sluice_slot *slot)
{
    spectrogram *g = user;
    const float *from = slot->out;
    size_t bins = g->size / 2 + 1;
    for (size_t k = 0; k < slot->count; k++, g->drawn++, from += 2 * g->size) {
        float *column = g->power + (size_t)(g->drawn * g->columns / g->frames) * g->rows;
        for (size_t i = 0; i < bins; i++) {
            float p = from[2 * i] * from[2 * i] + from[2 * i + 1] * from[2 * i + 1];
            float *dot = &column[i * g->rows / bins];
            *dot = p > *dot ? p : *dot;
        }
    }
    return SLUICE_OK;
}

static int read_options(spectrogram *g, const arguments *args, size_t *channel)
{
    const char *const *value = args->value;
    *g = (spectrogram){.size = 1024, .hop = 256};
    *channel = 0;
    if (value[OPT_SIZE] && !options_count("size", value[OPT_SIZE], 2, SIZE_LIMIT, &g->size))
        return TOOL_USAGE;
    if (value[OPT_HOP] && !options_count("hop", value[OPT_HOP], 1, SIZE_LIMIT, &g->hop))
        return TOOL_USAGE;
    if (value[OPT_CHANNEL] && !options_count("channel", value[OPT_CHANNEL], 0, 1024, channel))
        return TOOL_USAGE;
    if (value[OPT_WINDOW])
        g->window_kind = options_choose("window", value[OPT_WINDOW], window_names);
    return g->window_kind < 0 ? TOOL_USAGE : TOOL_DONE;
}

/* Sizes and memory, once the recording's length is known. The window is scaled so that a sine of
 * full scale has the power 1. */
static int prepare(spectrogram *g)
{
    size_t bins = g->size / 2 + 1;
    g->frames = (g->sound.samples - 1) / g->hop + 1;
    g->columns = g->frames < COLUMNS_LIMIT ? (size_t)g->frames : COLUMNS_LIMIT;
    g->rows = bins < ROWS_LIMIT ? bins : ROWS_LIMIT;
    g->window = malloc(g->size * sizeof *g->window);
    g->frame = calloc(g->size, sizeof *g->frame);
    g->power = calloc(g->columns * g->rows, sizeof *g->power);
    if (!g->window || !g->frame || !g->power) {
        complain("there is no memory for the spectrogram");
        return TOOL_IO;
    }
    const double *a = window_terms[g->window_kind], turn = 2 * acos(-1) / (double)g->size;
    double sum = a[0] * (double)g->size;
    for (size_t i = 0; i < g->size; i++) {
        double angle = turn * (double)i;
        g->window[i] = (float)(2 / sum * (a[0] - a[1] * cos(angle) + a[2] * cos(2 * angle)));
    }
    return TOOL_DONE;
}

static int transform(session *s, spectrogram *g)
{
    int code = session_open(s);
    if (code)
        return code;
    g->block = session_block(s, 16 * g->size);
    sluice_problem problem = {
        .kind = {SLUICE_C2C}, .precision = SLUICE_F32, .rank = 1, .batch_rank = 1};
    problem.dim[0].n = g->size;
    problem.batch[0].n = g->block;
    sluice_plan *plan = NULL;
    code = session_plan(s, "cannot plan the frames", &problem, NULL, &plan);
    if (code)
        return code;
    sluice_status status = sluice_stream_run(plan, get_frames, put_spectra, g, NULL, NULL);
    sluice_plan_destroy(plan);
    if (g->failed)
        return TOOL_IO; /* and has complained */
    return status == SLUICE_OK ? TOOL_DONE : session_stream_failed(s, status);
}

/* Turns powers into decibels where they stand; returns the highest. */
static double to_decibels(spectrogram *g)
{
    double top = -HUGE_VAL;
    for (size_t i = 0; i < g->columns * g->rows; i++) {
        g->power[i] = 10 * log10f(g->power[i]);
        top = g->power[i] > top ? g->power[i] : top;
    }
    return isfinite(top) ? top : 0; /* silence */
}

static int write_file(const char *path, const void *bytes, size_t count)
{
    output file;
    int error = output_open(&file, path);
    if (!error) {
        error = output_write(&file, bytes, count);
        if (error)
            output_discard(&file);
        else
            error = output_commit(&file);
    }
    if (error)
        complain("cannot write %s: %s", path, strerror(error));
    return error ? TOOL_IO : TOOL_DONE;
}

static void describe(const spectrogram *g, const char *path, double seconds, const chart_frame *f)
{
    record r = record_open(false, "picture", path);
    record_integer(&r, "rate", g->sound.rate);
    record_integer(&r, "frames", (long long)g->frames);
    record_real(&r, "seconds", seconds);
    record_integer(&r, "plot_x", f->x);
    record_integer(&r, "plot_y", f->y);
    record_integer(&r, "plot_width", f->width);
    record_integer(&r, "plot_height", f->height);
    record_close(&r);
}

static int draw(spectrogram *g, const char *path)
{
    double rate = g->sound.rate;
    chart c = {.columns = g->columns,
               .rows = g->rows,
               .level = g->power,
               .seconds = (double)(g->frames * g->hop) / rate,
               .hertz = rate * (double)(g->size / 2) / (double)g->size,
               .top = to_decibels(g),
               .range = DECIBELS};
    picture p;
    chart_frame where;
    void *bytes = NULL;
    size_t count = 0;
    bool drawn = chart_draw(&c, &p, &where);
    const char *why = drawn ? picture_encode(&p, &bytes, &count) : "there is no memory";
    picture_free(&p);
    if (why) {
        complain("cannot draw %s: %s", path, why);
        return TOOL_IO;
    }
    int code = write_file(path, bytes, count);
    free(bytes);
    if (!code && strcmp(path, "-") != 0)
        describe(g, path, c.seconds, &where);
    return code;
}

static int spectrogram_of(session *s, const arguments *args)
{
    spectrogram g;
    size_t channel;
    int code = read_options(&g, args, &channel);
    if (code)
        return code;
    code = wav_open(&g.sound, args->text[0], channel);
    if (code)
        return code;
    code = prepare(&g);
    if (!code)
        code = transform(s, &g);
    if (!code)
        code = draw(&g, args->text[1]);
    wav_close(&g.sound);
    free(g.window);
    free(g.frame);
    free(g.power);
    return code;
}

const command command_spectrogram = {
    .name = "spectrogram",
    .arguments = "IN.wav OUT.png",
    .summary = "draw the short-time spectrum of a recording",
    .details =
        "Draws the spectrum over time: time to the right, frequency upwards from 0 to half the\n"
        "sample rate, 80 dB of colours below the strongest point (0 dB is a sine of full scale).\n"
        "OUT.png takes its name when it is complete.",
    .options = options,
    .least = 2,
    .most = 2,
    .run = spectrogram_of,
};
