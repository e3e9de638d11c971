// SPDX-License-Identifier: BSD-3-Clause
/* devices [UNITS [MIB]]
 * cc devices.c $(pkg-config --cflags --libs sluice) -lm -o devices
 *
 * Transforms a long recording of complex samples from a receiver on every unit of the machine at
 * once: blocks go to any unit that is free, and come back in order. UNITS is as in SLUICE_UNITS
 * (default "cpu,opencl:0"), MIB the length of the recording. At the end it prints how much each
 * unit did. In the recording a tone hops from bin to bin, so that every spectrum is known. */
#include <math.h>
#include <sluice.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POINTS = 1024, BLOCK = 64, HOP = 7, MAX_UNITS = 64, BAR = 40 };

typedef struct unit_share {
    size_t blocks;
    double seconds; /* of computing */
} unit_share;

typedef struct survey {
    float tone[2 * POINTS]; /* one period of the lowest tone */
    size_t spectra, sent, received, wrong;
    unit_share share[MAX_UNITS], nobody; /* nobody: a fallback, which this stream does not have */
    int units, percent;
    bool shows_progress;
} survey;

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "devices: %s: %s\n", what, why);
    return 1;
}

/* ---- the recording */

static void make_tone(survey *s)
{
    const double step = 8 * atan(1) / POINTS;
    for (int j = 0; j < POINTS; j++) {
        s->tone[2 * j] = (float)cos(step * j);
        s->tone[2 * j + 1] = (float)sin(step * j);
    }
}

static size_t bin_of(size_t spectrum)
{
    return spectrum * HOP % POINTS;
}

static sluice_status record_block(void *user, sluice_slot *slot)
{
    survey *s = user;
    const size_t left = s->spectra - s->sent;
    float *in = slot->in;
    if (left == 0)
        return SLUICE_END;
    slot->count = left < BLOCK ? left : BLOCK;
    for (size_t i = 0; i < slot->count; i++, s->sent++)
        for (size_t j = 0, at = 0; j < POINTS; j++, at = (at + bin_of(s->sent)) % POINTS) {
            *in++ = s->tone[2 * at];
            *in++ = s->tone[2 * at + 1];
        }
    return SLUICE_OK;
}

/* ---- the spectra */

static void show_progress(survey *s)
{
    const int percent = (int)(s->received * 100 / s->spectra), full = percent * BAR / 100;
    if (!s->shows_progress || percent == s->percent)
        return;
    s->percent = percent;
    fprintf(stderr, "\r[%.*s%*s] %3d %%%s", full, "########################################",
            BAR - full, "", percent, percent == 100 ? "\n" : "");
}

/* Checks that the tone's bin is POINTS and, representing all others, the bin after it is 0. */
static bool is_right(const float *spectrum, size_t bin)
{
    const float *peak = spectrum + 2 * bin, *beside = spectrum + 2 * ((bin + 1) % POINTS);
    return fabsf(peak[0] - POINTS) < 0.01f && fabsf(peak[1]) < 0.01f
           && fabsf(beside[0]) + fabsf(beside[1]) < 0.01f;
}

static sluice_status read_block(void *user, sluice_slot *slot)
{
    survey *s = user;
    const bool known = slot->unit >= 0 && slot->unit < s->units;
    unit_share *share = known ? &s->share[slot->unit] : &s->nobody;
    const float *out = slot->out;
    share->blocks++;
    share->seconds += slot->compute_seconds;
    for (size_t i = 0; i < slot->count; i++, s->received++)
        s->wrong += !is_right(out + i * 2 * POINTS, bin_of(s->received));
    show_progress(s);
    return SLUICE_OK;
}

/* ---- how much each unit did */

static void print_shares(const survey *s, const sluice_machine *machine,
                         const sluice_stream_stats *stats)
{
    for (int u = 0; u < s->units; u++) {
        const unit_share *share = &s->share[u];
        sluice_unit_info info = {0};
        sluice_machine_unit_info(machine, u, &info);
        printf("%-10s %6zu blocks %5.1f %%", info.name, share->blocks,
               100.0 * (double)share->blocks / (double)stats->blocks);
        if (share->blocks > 0)
            printf(", %.0f us each", 1e6 * share->seconds / (double)share->blocks);
        putchar('\n');
    }
    printf("%zu blocks in %.2f s, %.0f Msamples/s, %zu spectra wrong\n", (size_t)stats->blocks,
           stats->seconds, 1e-6 * (double)(s->received * POINTS) / stats->seconds, s->wrong);
}

/* Without arguments a machine without devices is accepted. */
static sluice_status open_machine(sluice_machine **out, const char *units, sluice_diag *why)
{
    const char *given = units ? units : getenv("SLUICE_UNITS");
    const sluice_machine_options all = {.units = given ? given : "cpu,opencl:0"};
    sluice_status status = sluice_machine_open(out, &all, why);
    if (status == SLUICE_OK || given)
        return status;
    fprintf(stderr, "devices: the CPU alone: %s\n", why->message);
    const sluice_machine_options cpu = {.units = "cpu"};
    return sluice_machine_open(out, &cpu, why);
}

static sluice_status run_survey(survey *s, const char *units, sluice_diag *why)
{
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    sluice_stream_stats stats = {0};
    const sluice_stream_options options = {.why = why};
    sluice_status status = open_machine(&machine, units, why);
    if (status == SLUICE_OK) /* the plan's batch is the block */
        status = sluice_plan_from_text(&plan, machine, "c2c:f32:1024*64", NULL, why);
    if (status == SLUICE_OK) {
        s->units = sluice_machine_unit_count(machine);
        s->units = s->units < MAX_UNITS ? s->units : MAX_UNITS;
        status = sluice_stream_run(plan, record_block, read_block, s, &options, &stats);
    }
    if (status == SLUICE_OK)
        print_shares(s, machine, &stats);
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    return status;
}

int main(int argc, char **argv)
{
    static survey s;
    sluice_diag why = {0};
    const long mib = argc > 2 ? strtol(argv[2], NULL, 10) : 256;
    if (argc > 3 || mib < 1 || mib > 1 << 20)
        return complain("usage", "devices [UNITS [MIB]], a recording of 1 MiB to 1 TiB");
    s.spectra = (size_t)mib * (1 << 20) / sizeof s.tone;
    s.percent = -1;
    s.shows_progress = isatty(STDERR_FILENO);
    make_tone(&s);
    const sluice_status status = run_survey(&s, argc > 1 ? argv[1] : NULL, &why);
    if (status != SLUICE_OK)
        return complain(sluice_strerror(status), why.message);
    return s.received == s.spectra && s.wrong == 0 ? 0 : 1;
}
