// SPDX-License-Identifier: BSD-3-Clause
/* Both ends of a convolution with a chirp in one trip each, instead of a pass for the chirp and one
 * for the stage. */
#ifndef SCHED_CHIRP_ENDS_H
#define SCHED_CHIRP_ENDS_H

#include "sched/planner/stockham.h"

/* n elements as rows of m, of which DFT_r takes columns: (DFT_r (x) I_m) S(h) C_n, h the first n of
 * r m, or its transpose C_n G(h) (DFT_r (x) I_m). */
typedef struct sched_chirp_end {
    int64_t n, r, m;
    bool out;     /* the transpose */
    bool inverse; /* of DFT_n: conjugates the chirp */
    bool left;    /* the direction of DFT_r */
} sched_chirp_end;

/* NULL where the context failed. */
const spl *sched_chirp_end_formula(sched_target *t, const sched_chirp_end *e, sched_tags tags);

#endif
