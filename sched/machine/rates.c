// SPDX-License-Identifier: BSD-3-Clause
#include "sched/machine/rates.h"

#include <ctype.h>
#include <string.h>

#include "core/quote.h"
#include "core/status.h"

enum { FIGURES = 3 };
static const char *const names[FIGURES] = {"seconds=", "latency=", "pace="};
static const double picosecond = 1e-12, max_picoseconds = 1e18;

void sched_rate_print(const sched_rate *rate, core_text *out)
{
    const double figure[FIGURES] = {rate->seconds, rate->latency, rate->pace};

    for (int i = 0; i < FIGURES; i++)
        core_text_printf(out, "%s%s%.0f", i ? " " : "", names[i], figure[i] / picosecond);
}

/* Digits only, independent of the locale; NULL: there is none, or the number is too large. */
static const char *read_figure(const char *text, double *out)
{
    const char *const begin = text;

    for (*out = 0; isdigit((unsigned char)*text) && text - begin < 19; text++)
        *out = 10 * *out + (*text - '0');
    return text == begin || *out > max_picoseconds ? NULL : text;
}

sluice_status sched_rate_read(const char *text, sched_rate *out, sluice_diag *why)
{
    double figure[FIGURES];
    const char *at = text;

    for (int i = 0; i < FIGURES && at; i++) {
        const size_t length = strlen(names[i]);
        const char end = i == FIGURES - 1 ? '\0' : ' ';
        at = strncmp(at, names[i], length) == 0 ? read_figure(at + length, &figure[i]) : NULL;
        at = at && *at == end ? at + 1 : NULL;
    }
    if (!at || figure[0] == 0 || figure[2] == 0 || figure[1] > figure[0])
        return core_fail(why, SLUICE_E_PARSE, 0,
                         "rate: expected seconds=N latency=N pace=N, found '%s'",
                         core_quote(text, 40).text);
    *out = (sched_rate){.seconds = figure[0] * picosecond,
                        .latency = figure[1] * picosecond,
                        .pace = figure[2] * picosecond,
                        .measured = true};
    return SLUICE_OK;
}
