// SPDX-License-Identifier: BSD-3-Clause
/* The example convolve against sums written out, at every sample of every channel: partitions that
 * end with the response or not, responses longer than the recording, a recording of Debian's
 * alsa-utils; what it refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sndfile.h>

#define RECORDING "/usr/share/sounds/alsa/Front_Center.wav"

static char folder[] = "/tmp/sluice-convolve-XXXXXX";
static char said[1024]; /* by the last command */

typedef struct sound {
    float *samples; /* of all channels, one after the other */
    size_t count, channels;
    int rate;
} sound;

static sound make_sound(size_t count, size_t channels, double decay)
{
    sound s = {.count = count, .channels = channels, .rate = 48000};
    uint32_t state = (uint32_t)(count + channels);
    s.samples = malloc(count * channels * sizeof *s.samples);
    assert_non_null(s.samples);
    for (size_t i = 0; i < count * channels; i++) {
        state = state * 1664525u + 1013904223u;
        s.samples[i] = (float)((state / 4294967296.0 - 0.5) * pow(decay, (double)(i / channels)));
    }
    return s;
}

static void write_sound(const char *name, const sound *s)
{
    char path[128];
    SF_INFO info = {.samplerate = s->rate,
                    .channels = (int)s->channels,
                    .format = SF_FORMAT_WAV | SF_FORMAT_FLOAT};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    SNDFILE *file = sf_open(path, SFM_WRITE, &info);
    assert_non_null(file);
    assert_int_equal(sf_writef_float(file, s->samples, (sf_count_t)s->count), s->count);
    assert_int_equal(sf_close(file), 0);
}

static sound read_sound(const char *path)
{
    SF_INFO info = {0};
    SNDFILE *file = sf_open(path, SFM_READ, &info);
    assert_non_null(file);
    sound s = {
        .count = (size_t)info.frames, .channels = (size_t)info.channels, .rate = info.samplerate};
    s.samples = malloc(s.count * s.channels * sizeof *s.samples);
    assert_non_null(s.samples);
    assert_int_equal(sf_readf_float(file, s.samples, info.frames), info.frames);
    sf_close(file);
    return s;
}

/* Runs convolve in the folder; returns its exit code and keeps what it said. */
static int convolve(const char *environment, const char *arguments)
{
    char command[1536];
    snprintf(command, sizeof command, "cd %s && %s '%s/examples/convolve' %s 2>&1", folder,
             environment, getenv("SLUICE_BIN_DIR"), arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Sample i of a channel: SUM_j h_j x_(i-j). */
static double direct_sample(const sound *x, const sound *h, size_t channel, size_t i)
{
    const size_t room = h->channels == 1 ? 0 : channel;
    const size_t first = i >= x->count ? i - x->count + 1 : 0;
    double sum = 0;
    for (size_t j = first; j < h->count && j <= i; j++)
        sum += (double)h->samples[j * h->channels + room]
               * (double)x->samples[(i - j) * x->channels + channel];
    return sum;
}

static void assert_convolved(const sound *x, const sound *h, const sound *y)
{
    double error = 0, norm = 0, largest = 0;
    assert_int_equal(y->count, x->count + h->count - 1);
    assert_int_equal(y->channels, x->channels);
    assert_int_equal(y->rate, x->rate);
    for (size_t i = 0; i < y->count; i++)
        for (size_t channel = 0; channel < y->channels; channel++) {
            const double wanted = direct_sample(x, h, channel, i);
            const double off = (double)y->samples[i * y->channels + channel] - wanted;
            error += off * off;
            norm += wanted * wanted;
            largest = fmax(largest, fabs(off));
        }
    assert_true(sqrt(error) <= 5e-7 * sqrt(norm));
    assert_true(largest <= 5e-6 * sqrt(norm / (double)(y->count * y->channels)));
}

static void check_pair(const char *in, const sound *x, const sound *h, const char *block)
{
    char arguments[256], path[128];
    write_sound("h.wav", h);
    snprintf(arguments, sizeof arguments, "%s h.wav y.wav %s", in, block);
    if (convolve("", arguments) != 0)
        fail_msg("%s", said);
    snprintf(path, sizeof path, "%s/y.wav", folder);
    sound y = read_sound(path);
    assert_convolved(x, h, &y);
    free(y.samples);
}

static void it_is_the_sum_at_every_sample(void **state)
{
    (void)state;
    static const struct {
        size_t samples, channels, response, rooms;
        const char *block;
    } cases[] = {
        {5000, 1, 300, 1, "64"}, {5000, 2, 300, 1, "100"}, {700, 2, 2500, 2, "37"},
        {4096, 1, 256, 1, "64"}, {1000, 3, 1000, 3, "1"},  {1, 1, 1, 1, ""},
        {3000, 1, 1, 1, ""},     {1, 2, 3000, 1, "512"},   {40000, 1, 2049, 1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sound x = make_sound(cases[i].samples, cases[i].channels, 1);
        sound h = make_sound(cases[i].response, cases[i].rooms, 0.999);
        write_sound("x.wav", &x);
        check_pair("x.wav", &x, &h, cases[i].block);
        free(x.samples);
        free(h.samples);
    }
}

static void a_recording_is_convolved(void **state)
{
    (void)state;
    if (access(RECORDING, R_OK) != 0)
        skip();
    sound x = read_sound(RECORDING), h = make_sound(4000, 1, 0.9985);
    check_pair(RECORDING, &x, &h, "");
    assert_non_null(strstr(said, "through a response of 4000: 4 partitions of 1024, peak "));
    free(x.samples);
    free(h.samples);
}

static void refuse(int code, const char *environment, const char *arguments, const char *sentence)
{
    assert_int_equal(convolve(environment, arguments), code);
    if (!strstr(said, sentence))
        fail_msg("'%s' is not in '%s'", sentence, said);
}

static void it_refuses_in_sentences(void **state)
{
    (void)state;
    sound x = make_sound(100, 2, 1), h = make_sound(10, 3, 1), slow = make_sound(10, 1, 1);
    slow.rate = 44100;
    write_sound("x.wav", &x);
    write_sound("three.wav", &h);
    write_sound("slow.wav", &slow);
    refuse(2, "", "x.wav", "usage: convolve");
    refuse(2, "", "x.wav x.wav y.wav 0", "usage: convolve");
    refuse(1, "", "none.wav x.wav y.wav", "convolve: none.wav: ");
    refuse(1, "", "x.wav three.wav y.wav", "neither one channel nor as many");
    refuse(1, "", "x.wav slow.wav y.wav", "another sample rate");
    refuse(1, "", "x.wav x.wav ./x.wav", "it is an input as well");
    refuse(1, "", "x.wav x.wav none/y.wav", "convolve: none/y.wav: ");
    refuse(1, "", "x.wav x.wav /dev/full", "convolve: /dev/full: ");
    refuse(1, "SLUICE_UNITS=nothing", "x.wav x.wav y.wav", "nothing");
    free(x.samples);
    free(h.samples);
    free(slow.samples);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_sum_at_every_sample),
        cmocka_unit_test(a_recording_is_convolved),
        cmocka_unit_test(it_refuses_in_sentences),
    };
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/convolve", getenv("SLUICE_BIN_DIR"));
    if (access(path, X_OK) != 0)
        return 77;
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
