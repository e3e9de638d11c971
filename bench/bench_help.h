// SPDX-License-Identifier: BSD-3-Clause
/* Texts of --help besides the table of options. */
#ifndef BENCH_HELP_H
#define BENCH_HELP_H

extern const char bench_help_usage[], bench_help_environment[], bench_help_fields[];

#endif
