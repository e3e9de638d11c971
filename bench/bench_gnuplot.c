// SPDX-License-Identifier: BSD-3-Clause
/* Writes a gnuplot program with its data inline into a pipe. */
#include "bench/bench_gnuplot.h"

#include <string.h>

typedef struct engine_colour {
    const char *engine, *colour;
} engine_colour;

/* Okabe and Ito's colours: told apart by every eye, and in print. */
static const engine_colour known[] = {
    {"sluice", "#0072B2"},    {"fftw-best", "#D55E00"}, {"fftw-other", "#E69F00"},
    {"mkl", "#009E73"},       {"kfr", "#CC79A7"},       {"pffft", "#56B4E9"},
    {"pocketfft", "#999999"}, {"fftw", "#8B3A00"},      {"fftw-patient", "#B8860B"},
};
static const char *const others[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                     "#E69F00", "#56B4E9", "#F0E442", "#000000"};

bool bench_plot_available(void)
{
    FILE *pipe = popen("gnuplot --version >/dev/null 2>&1", "w");
    if (pipe && pclose(pipe) == 0)
        return true;
    fputs("sluice-bench: --plot needs gnuplot, which is not there\n", stderr);
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
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].engine, engine) == 0)
            return known[i].colour;
    return others[(size_t)other % (sizeof others / sizeof *others)];
}

FILE *bench_gnuplot_open(const char *file, int width, int height)
{
    FILE *out = popen("gnuplot", "w");
    if (!out)
        return NULL;
    fprintf(out, "set terminal pngcairo size %d,%d background 'white' font 'Sans,12'\nset output ",
            width, height);
    bench_gnuplot_quote(out, file);
    fputs("\nset border 3 lc rgb '#404040'\nset tics nomirror out\n"
          "set grid xtics ytics lt 1 lw 1 lc rgb '#D8D8D8'\nset yrange [0:*]\n"
          "set datafile missing '?'\nset style fill solid 0.9 border lc rgb 'white'\n",
          out);
    return out;
}

bench_exit bench_gnuplot_close(FILE *pipe, const char *file)
{
    if (pipe && pclose(pipe) == 0)
        return BENCH_DONE;
    fprintf(stderr, "sluice-bench: gnuplot could not draw %s\n", file);
    return BENCH_IO;
}
