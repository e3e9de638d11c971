// SPDX-License-Identifier: BSD-3-Clause
#ifndef BACKENDS_CPU_PACKETS_H
#define BACKENDS_CPU_PACKETS_H

#include "spl/program/move.h"

/* Moves all packets; re and im of each side, im not read if they lie side by side on both. */
void cpu_move_packets(const prog_move *move, const char *const in[2], char *const out[2]);

#endif
