// SPDX-License-Identifier: BSD-3-Clause
/* convolve IN.wav RESPONSE.wav OUT.wav [BLOCK]
 * cc convolve.c $(pkg-config --cflags --libs sluice sndfile) -lm -o convolve
 *
 * Plays a recording through an impulse response, such as that of a room. Both may be of any length:
 * memory is bounded by the response, and a sample comes out BLOCK samples after it goes in.
 *
 * Frame t is 2 B samples, from (t-1) B on, with spectrum X_t. The response is cut into partitions
 * of B samples followed by B zeros, with spectra H_p. Then the last B samples of the inverse of
 * SUM_p H_p X_(t-p) are the convolution from t B on (overlap-save); the first B, where the frame's
 * ends wrap around, are dropped. Frames overlap in the array that the plan reads. */
#include <math.h>
#include <sluice.h>
#include <sndfile.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES = 16 /* of a stream's block */, BLOCK = 1024, MAX_BLOCK = 1 << 20 };

typedef struct recording {
    const char *name;
    SNDFILE *file;
    SF_INFO info; /* .frames: samples of a channel */
} recording;

typedef struct convolution {
    recording in, response, out;
    size_t block, bins;       /* B samples, B+1 complex numbers */
    size_t partitions;        /* of the response */
    size_t channels, rooms;   /* of the recording; of the response: 1, or the same number */
    float *samples;           /* of a block, interleaved by channel as in files */
    float *before;            /* the last B samples of every channel in the previous block */
    float *spectra, *history; /* H by channel and partition; X by frame and channel, a ring */
    float *sums, *results;    /* spectra of a block's results; results, 2 B samples each */
    sluice_plan *forward, *inverse;
    sf_count_t unread, unwritten; /* samples still to be read and to be written */
    size_t frame;                 /* number of the frame that the sink is at */
    float peak;
} convolution;

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "convolve: %s: %s\n", what, why);
    return 1;
}

static bool open_to_read(recording *r, const char *name)
{
    r->name = name;
    r->file = sf_open(name, SFM_READ, &r->info);
    if (!r->file)
        complain(name, sf_strerror(NULL));
    else if (r->info.frames <= 0)
        complain(name, "it holds no samples");
    return r->file && r->info.frames > 0;
}

/* Is it the same file? Opening the output truncates it, so it must not be one of the inputs. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev
           && first.st_ino == second.st_ino;
}

static bool open_to_write(convolution *c, const char *name)
{
    c->out = (recording){.name = name, .info = c->in.info};
    c->out.info.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT;
    if (is_same_file(name, c->in.name) || is_same_file(name, c->response.name))
        return complain(name, "it is an input as well") == 0;
    c->out.file = sf_open(name, SFM_WRITE, &c->out.info);
    return c->out.file || complain(name, sf_strerror(NULL)) == 0;
}

static bool open_files(convolution *c, char **names)
{
    if (!open_to_read(&c->in, names[0]) || !open_to_read(&c->response, names[1]))
        return false;
    c->channels = (size_t)c->in.info.channels;
    c->rooms = (size_t)c->response.info.channels;
    if (c->in.info.samplerate != c->response.info.samplerate)
        return complain(c->response.name, "it has another sample rate than the recording") == 0;
    if (c->rooms != 1 && c->rooms != c->channels)
        return complain(c->response.name, "it has neither one channel nor as many as the recording")
               == 0;
    return open_to_write(c, names[2]);
}

/* Reads `count` samples, followed by zeros up to `room`. */
static bool read_samples(recording *r, float *samples, sf_count_t count, size_t room)
{
    const size_t channels = (size_t)r->info.channels;
    const bool good = sf_readf_float(r->file, samples, count) == count;
    if (!good)
        complain(r->name, "it is shorter than its header says");
    memset(samples + (size_t)count * channels, 0,
           (room - (size_t)count) * channels * sizeof *samples);
    return good;
}

static float *allocate(size_t count)
{
    float *numbers = sluice_alloc(count * sizeof *numbers);
    if (numbers)
        memset(numbers, 0, count * sizeof *numbers);
    return numbers;
}

static bool allocate_all(convolution *c)
{
    const size_t spectrum = 2 * c->bins;
    const size_t longest = FRAMES > c->partitions ? FRAMES : c->partitions;
    const size_t widest = c->channels > c->rooms ? c->channels : c->rooms;
    c->samples = allocate(longest * c->block * widest);
    c->before = allocate(c->channels * c->block);
    c->spectra = allocate(c->rooms * c->partitions * spectrum);
    c->history = allocate(c->partitions * c->channels * spectrum);
    c->sums = allocate(FRAMES * c->channels * spectrum);
    c->results = allocate(FRAMES * c->channels * 2 * c->block);
    return (c->samples && c->before && c->spectra && c->history && c->sums && c->results)
           || complain(c->response.name, "there is no memory for its spectra") == 0;
}

static bool make_plan(sluice_plan **plan, sluice_machine *machine, const char *problem)
{
    sluice_diag why = {0};
    return sluice_plan_from_text(plan, machine, problem, NULL, &why) == SLUICE_OK
           || complain(problem, why.message) == 0;
}

/* Frames are B samples apart. A channel is a whole block and the B samples before it. The spectra
 * of a frame's channels are adjacent. The slowest batch dimension, frames, comes first. */
static bool make_plans(convolution *c, sluice_machine *machine)
{
    char text[256];
    snprintf(text, sizeof text, "r2c:f32:%zu@1/1*%d@%zu/%zu*%zu@%zu/%zu", 2 * c->block, FRAMES,
             c->block, c->channels * c->bins, c->channels, (FRAMES + 1) * c->block, c->bins);
    if (!make_plan(&c->forward, machine, text))
        return false;
    snprintf(text, sizeof text, "c2r:f32:%zu*%d*%zu", 2 * c->block, FRAMES, c->channels);
    return make_plan(&c->inverse, machine, text);
}

/* Cuts partitions, each followed by zeros, and divides by 2 B, since transforms do not scale. */
static void cut_response(const convolution *c, float *frames)
{
    const float scale = 1 / (float)(2 * c->block);
    for (size_t room = 0; room < c->rooms; room++)
        for (size_t p = 0; p < c->partitions; p++, frames += 2 * c->block)
            for (size_t i = 0; i < c->block; i++)
                frames[i] = scale * c->samples[(p * c->block + i) * c->rooms + room];
}

static bool transform_response(convolution *c, sluice_machine *machine)
{
    char text[128];
    sluice_plan *plan = NULL;
    float *frames = allocate(c->rooms * c->partitions * 2 * c->block);
    bool good = frames
                && read_samples(&c->response, c->samples, c->response.info.frames,
                                c->partitions * c->block);
    snprintf(text, sizeof text, "r2c:f32:%zu*%zu", 2 * c->block, c->rooms * c->partitions);
    good = good && make_plan(&plan, machine, text);
    if (good) {
        cut_response(c, frames);
        good = sluice_execute(plan, frames, c->spectra) == SLUICE_OK;
    }
    sluice_plan_destroy(plan);
    sluice_free(frames);
    return good;
}

/* Copies one channel of a block: the B samples before it, then its own. */
static void copy_channel(convolution *c, float *to, size_t channel, size_t count)
{
    float *before = c->before + channel * c->block;
    memcpy(to, before, c->block * sizeof *to);
    for (size_t i = 0; i < count; i++)
        to[c->block + i] = c->samples[i * c->channels + channel];
    memcpy(before, to + count, c->block * sizeof *to);
}

/* Reads the next block of frames. Zeros follow the recording, as many as the response is long. */
static sluice_status get_frames(void *user, sluice_slot *slot)
{
    convolution *c = user;
    const sf_count_t most = (sf_count_t)(FRAMES * c->block);
    const sf_count_t zeros = (sf_count_t)c->response.info.frames - 1;
    const sf_count_t all = c->unread < most ? c->unread : most;
    const sf_count_t left = c->unread > zeros ? c->unread - zeros : 0;
    if (all == 0)
        return SLUICE_END;
    slot->count = ((size_t)all + c->block - 1) / c->block;
    c->unread -= all;
    if (!read_samples(&c->in, c->samples, left < all ? left : all, slot->count * c->block))
        return SLUICE_E_IO;
    for (size_t i = 0; i < c->channels; i++)
        copy_channel(c, (float *)slot->in + i * (FRAMES + 1) * c->block, i, slot->count * c->block);
    return SLUICE_OK;
}

/* sum += a b for complex numbers. */
static void add_products(float *sum, const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < 2 * count; i += 2) {
        sum[i] += a[i] * b[i] - a[i + 1] * b[i + 1];
        sum[i + 1] += a[i] * b[i + 1] + a[i + 1] * b[i];
    }
}

/* The spectrum of one frame's results: the sum over all frames that the response reaches back
 * to. */
static void sum_partitions(const convolution *c, float *sum, size_t channel)
{
    const size_t spectrum = 2 * c->bins;
    const float *room = c->spectra + (c->rooms == 1 ? 0 : channel) * c->partitions * spectrum;
    memset(sum, 0, spectrum * sizeof *sum);
    for (size_t p = 0; p < c->partitions && p <= c->frame; p++) {
        const size_t at = (c->frame - p) % c->partitions * c->channels + channel;
        add_products(sum, room + p * spectrum, c->history + at * spectrum, c->bins);
    }
}

static bool write_frame(convolution *c, const float *results)
{
    const sf_count_t block = (sf_count_t)c->block;
    const sf_count_t count = c->unwritten < block ? c->unwritten : block;
    for (size_t channel = 0; channel < c->channels; channel++, results += 2 * c->block)
        for (size_t i = 0; i < (size_t)count; i++) {
            const float y = results[c->block + i];
            c->samples[i * c->channels + channel] = y;
            c->peak = fmaxf(c->peak, fabsf(y));
        }
    c->unwritten -= count;
    return sf_writef_float(c->out.file, c->samples, count) == count
           || complain(c->out.name, sf_strerror(c->out.file)) == 0;
}

static void show_progress(const convolution *c)
{
    const double all = (double)(c->in.info.frames + c->response.info.frames - 1);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rconvolve: %3.0f %%%s", 100 * (1 - (double)c->unwritten / all),
                c->unwritten ? "" : "\r              \r");
}

/* Processes a block of spectra; blocks come in the order of frames. */
static sluice_status put_frames(void *user, sluice_slot *slot)
{
    convolution *c = user;
    const size_t spectrum = 2 * c->bins, frame = c->channels * spectrum;
    for (size_t t = 0; t < slot->count; t++, c->frame++) {
        memcpy(c->history + c->frame % c->partitions * frame, (const float *)slot->out + t * frame,
               frame * sizeof(float));
        for (size_t i = 0; i < c->channels; i++)
            sum_partitions(c, c->sums + t * frame + i * spectrum, i);
    }
    sluice_status status = sluice_execute(c->inverse, c->sums, c->results);
    for (size_t t = 0; t < slot->count && status == SLUICE_OK; t++)
        if (!write_frame(c, c->results + t * c->channels * 2 * c->block))
            status = SLUICE_E_IO;
    show_progress(c);
    return status;
}

static bool run(convolution *c, sluice_machine *machine)
{
    sluice_diag why = {0};
    const sluice_stream_options options = {.why = &why};
    c->bins = c->block + 1;
    c->partitions = ((size_t)c->response.info.frames + c->block - 1) / c->block;
    c->unread = c->unwritten = c->in.info.frames + c->response.info.frames - 1;
    if (!allocate_all(c) || !make_plans(c, machine) || !transform_response(c, machine))
        return false;
    return sluice_stream_run(c->forward, get_frames, put_frames, c, &options, NULL) == SLUICE_OK
           || complain(c->out.name, why.message[0] ? why.message : "it is not complete") == 0;
}

static bool close_all(convolution *c, bool good)
{
    recording *const all[] = {&c->in, &c->response, &c->out};
    for (int i = 0; i < 3; i++)
        if (all[i]->file && sf_close(all[i]->file) != 0 && good)
            good = complain(all[i]->name, "it could not be completed") == 0;
    sluice_plan_destroy(c->forward);
    sluice_plan_destroy(c->inverse);
    float *const arrays[] = {c->samples, c->before, c->spectra, c->history, c->sums, c->results};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        sluice_free(arrays[i]);
    return good;
}

int main(int argc, char **argv)
{
    convolution c = {.block = BLOCK};
    sluice_machine *machine = NULL;
    sluice_diag why = {0};
    if (argc == 5)
        c.block = (size_t)strtoul(argv[4], NULL, 10);
    if (argc < 4 || argc > 5 || c.block < 1 || c.block > MAX_BLOCK) {
        fprintf(stderr, "usage: convolve IN.wav RESPONSE.wav OUT.wav [BLOCK]\n"
                        "BLOCK: samples of a partition of the response, 1 to 2^20; default 1024\n");
        return 2;
    }
    if (sluice_machine_open(&machine, NULL, &why) != SLUICE_OK)
        return complain("the machine", why.message);
    const bool good = close_all(&c, open_files(&c, argv + 1) && run(&c, machine));
    sluice_machine_close(machine);
    if (!good)
        return 1;
    printf("%lld samples of %zu channels through a response of %lld: %zu partitions of %zu, peak "
           "%.4f\n",
           (long long)c.in.info.frames, c.channels, (long long)c.response.info.frames, c.partitions,
           c.block, (double)c.peak);
    return 0;
}
