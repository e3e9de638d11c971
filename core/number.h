// SPDX-License-Identifier: BSD-3-Clause
/* Number theory of small integers. */
#ifndef CORE_NUMBER_H
#define CORE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t core_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The greatest common divisor, not negative; core_gcd(a, 0) = |a|. */
int64_t core_gcd(int64_t a, int64_t b);

/* The largest divisor of n that is at most `most`; both are positive. */
int64_t core_largest_divisor(int64_t n, int64_t most);

/* g^e mod p for e >= 0 and 0 <= g < p <= 2^31. */
int64_t core_power_mod(int64_t g, int64_t e, int64_t p);
/* x g mod p for many x, 0 <= x, g < p <= 2^31 (Shoup). `share` is g/p with 32 binary places; the
 * quotient of x g by p that it yields is at most 1 too small. A third of a division's time. */
typedef struct core_multiplier {
    int64_t g, p, share;
} core_multiplier;
static inline core_multiplier core_multiplier_of(int64_t g, int64_t p)
{
    return (core_multiplier){g, p, (g << 32) / p};
}
static inline int64_t core_multiply_mod(const core_multiplier *m, int64_t x)
{
    const int64_t rest = x * m->g - (x * m->share >> 32) * m->p;
    return rest < m->p ? rest : rest - m->p;
}
/* Is p a prime from 3 to 2^31, and do the powers of g take all values from 1 to p-1 modulo p? */
bool core_is_primitive_root(int64_t p, int64_t g);
/* The smallest primitive root of an odd prime p up to 2^31; 0: p is not such a prime. */
int64_t core_primitive_root(int64_t p);

#endif
