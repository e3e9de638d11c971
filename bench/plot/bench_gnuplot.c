// SPDX-License-Identifier: BSD-3-Clause
/* Writes a gnuplot program with its data inline into a pipe. */
#include "bench/plot/bench_gnuplot.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench/engine/bench_output.h"
#include "bench/report/bench_say.h"

typedef struct engine_colour {
    const char *engine, *colour;
} engine_colour;

/* Okabe and Ito's colours, which can be distinguished with colour blindness and in print. */
static const engine_colour engine_colours[] = {
    {"sluice", "#0072B2"},        {"fftw-best", "#D55E00"}, {"fftw-other", "#E69F00"},
    {"mkl", "#009E73"},           {"kfr", "#CC79A7"},       {"pffft", "#56B4E9"},
    {"pocketfft", "#999999"},     {"fftw", "#8B3A00"},      {"fftw-patient", "#B8860B"},
    {"fftw-estimate", "#C8A200"},
};
static const char *const other_colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                            "#E69F00", "#56B4E9", "#F0E442", "#000000"};

bool bench_plot_available(void)
{
    FILE *pipe = popen("gnuplot --version >/dev/null 2>&1", "w");
    if (pipe && pclose(pipe) == 0)
        return true;
    bench_complain("--plot needs gnuplot, which is not there");
    return false;
}

/* In gnuplot's single quotes a quote is doubled. */
void bench_gnuplot_quote(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

const char *bench_gnuplot_colour(const char *engine, int other)
{
    for (size_t i = 0; i < sizeof engine_colours / sizeof *engine_colours; i++)
        if (strcmp(engine_colours[i].engine, engine) == 0)
            return engine_colours[i].colour;
    return other_colours[(size_t)other % (sizeof other_colours / sizeof *other_colours)];
}

void bench_gnuplot_lighter(char out[BENCH_COLOUR_TEXT], const char *colour, double amount)
{
    unsigned part[3] = {0};
    sscanf(colour, "#%2x%2x%2x", &part[0], &part[1], &part[2]);
    for (int i = 0; i < 3; i++)
        part[i] = (unsigned)(part[i] + amount * (255 - part[i]) + 0.5) & 255;
    snprintf(out, BENCH_COLOUR_TEXT, "#%02X%02X%02X", part[0], part[1], part[2]);
}

double bench_gnuplot_offset(int s, int series)
{
    return pow(2, 0.04 * (s - 0.5 * (series - 1)));
}

/* The name of the picture until it is complete. */
static void name_part(char out[PATH_MAX], const char *file)
{
    snprintf(out, PATH_MAX, "%.*s%s", PATH_MAX - 32, file, BENCH_PART);
}

FILE *bench_gnuplot_open(const char *file, int width, int height)
{
    char part[PATH_MAX];
    FILE *out = popen("gnuplot", "w");
    if (!out)
        return NULL;
    name_part(part, file);
    fprintf(out, "set terminal pngcairo size %d,%d background 'white' font 'Sans,12'\nset output ",
            width, height);
    bench_gnuplot_quote(out, part);
    fputs("\nset border 3 lc rgb '#404040'\nset tics nomirror out\n"
          "set grid xtics ytics lt 1 lw 1 lc rgb '#D8D8D8'\nset yrange [0:*]\n"
          "set datafile missing '?'\nset style fill solid 0.9 border lc rgb 'white'\n",
          out);
    return out;
}

bench_exit bench_gnuplot_close(FILE *pipe, const char *file)
{
    char part[PATH_MAX];
    name_part(part, file);
    if (!pipe || pclose(pipe) != 0) {
        unlink(part);
        bench_complain("gnuplot could not draw %s", file);
        return BENCH_IO;
    }
    if (rename(part, file) == 0)
        return BENCH_DONE;
    unlink(part);
    return bench_cannot_write(file);
}
