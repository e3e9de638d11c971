// SPDX-License-Identifier: BSD-3-Clause
#ifndef PEER_CUFFT_ROWS_H
#define PEER_CUFFT_ROWS_H

extern const char peer_cufft_rows_text[]; /* the kernels */

#endif
