// SPDX-License-Identifier: BSD-3-Clause
#include "core/number.h"

/* Products of two residues fit 64 bits. */
static const int64_t max_prime = (int64_t)1 << 31;

int64_t core_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

int64_t core_largest_divisor(int64_t n, int64_t most)
{
    int64_t d = n < most ? n : most;

    while (n % d != 0)
        d--;
    return d;
}

static bool is_odd_prime(int64_t n)
{
    if (n < 3 || n > max_prime)
        return false;
    for (int64_t d = 2; d <= n / d; d++)
        if (n % d == 0)
            return false;
    return true;
}

int64_t core_power_mod(int64_t g, int64_t e, int64_t p)
{
    int64_t y = 1;
    for (; e > 0; e /= 2, g = g * g % p)
        y = e % 2 != 0 ? y * g % p : y;
    return y;
}

/* Is p-1 the smallest exponent with g^e = 1? Checked at (p-1)/q for the primes q of p-1. */
static bool is_generator(int64_t g, int64_t p)
{
    int64_t rest = p - 1;
    for (int64_t q = 2; rest > 1; q++) {
        if (q > rest / q)
            q = rest;
        if (rest % q != 0)
            continue;
        if (core_power_mod(g, (p - 1) / q, p) == 1)
            return false;
        while (rest % q == 0)
            rest /= q;
    }
    return true;
}

bool core_is_primitive_root(int64_t p, int64_t g)
{
    return is_odd_prime(p) && g > 1 && g < p && is_generator(g, p);
}

int64_t core_primitive_root(int64_t p)
{
    int64_t g = 2;
    if (!is_odd_prime(p))
        return 0;
    while (!is_generator(g, p))
        g++;
    return g;
}
