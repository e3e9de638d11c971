// SPDX-License-Identifier: BSD-3-Clause
#ifndef BACKENDS_CPU_PACKETS_H
#define BACKENDS_CPU_PACKETS_H

#include "spl/program/move.h"

/* Moves all packets of a transfer. in, out: re and im of each side; im is not read if both sides
 * are interleaved. */
void cpu_move_packets(const prog_move *move, const char *const in[2], char *const out[2]);

#endif
