// SPDX-License-Identifier: BSD-3-Clause
/* The table of peers; the only place that names them all. */
#include "bench/peers/peer_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* FFTW comes before MKL, which exports FFTW's names: a library that is bound first keeps its own
 * symbols. */
const peer *const peer_table[] = {
    &peer_fftw,
    &peer_fftw_best,
    &peer_fftw_patient,
    &peer_fftw_estimate,
    &peer_fftw_other,
    &peer_mkl,
    &peer_kfr,
    &peer_pffft,
    &peer_pocketfft,
    &peer_clfft,
    &peer_clfft_wait,
    &peer_vkfft,
    &peer_vkfft_wait,
    &peer_cufft,
    &peer_cufft_wait,
    &peer_cufft_rows,
    &peer_row_column,
    &peer_route_longest,
    &peer_route_mirrored,
    &peer_route_padded,
    &peer_route_short,
    &peer_reorder_gather,
    &peer_reorder_scatter,
    NULL,
};

const peer *peer_find(const char *name, size_t length)
{
    for (const peer *const *p = peer_table; *p; p++)
        if (strlen((*p)->name) == length && memcmp((*p)->name, name, length) == 0)
            return *p;
    return NULL;
}

void peer_refuse(sluice_diag *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    why->offset = 0;
    vsnprintf(why->message, sizeof why->message, format, arguments);
    va_end(arguments);
}
