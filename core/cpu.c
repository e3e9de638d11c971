// SPDX-License-Identifier: BSD-3-Clause
#include "core/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "core/quote.h"
#include "core/status.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const names[CORE_ISA_COUNT] = {
    [CORE_ISA_SCALAR] = "scalar",
    [CORE_ISA_VEC128] = "vec128",
    [CORE_ISA_AVX2] = "avx2",
    [CORE_ISA_AVX512] = "avx512",
};

/* Instruction sets whose codelets this library contains. */
static const bool built[CORE_ISA_COUNT] = {
    [CORE_ISA_SCALAR] = true,
    [CORE_ISA_VEC128] = SLUICE_HAVE_VEC128,
    [CORE_ISA_AVX2] = SLUICE_HAVE_AVX2,
    [CORE_ISA_AVX512] = SLUICE_HAVE_AVX512,
};

const char *core_isa_name(core_isa isa)
{
    return (unsigned)isa < CORE_ISA_COUNT ? names[isa] : "unknown";
}

/* The compiler's runtime checks cpuid and xgetbv, so the operating system supports the registers
 * too. */
static core_isa best_isa(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return CORE_ISA_VEC128;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return CORE_ISA_AVX512;
    return CORE_ISA_AVX2;
#else
    return CORE_ISA_VEC128;
#endif
}

sluice_status core_cpu_isa(core_isa *out, sluice_diag *why)
{
    const core_isa best = best_isa();
    const char *mask = getenv("SLUICE_CPU");
    if (mask == NULL || *mask == '\0') {
        for (*out = best; !built[*out];)
            --*out;
        return SLUICE_OK;
    }
    for (int isa = 0; isa < CORE_ISA_COUNT; isa++) {
        if (strcmp(mask, names[isa]) != 0)
            continue;
        if (isa > (int)best)
            return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                             "SLUICE_CPU=%s: this processor offers %s at most", mask, names[best]);
        if (!built[isa])
            return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                             "SLUICE_CPU=%s: this library was built without its codelets "
                             "(SLUICE_ISAS)",
                             mask);
        *out = (core_isa)isa;
        return SLUICE_OK;
    }
    return core_fail(why, SLUICE_E_INVALID, 0,
                     "SLUICE_CPU=%s is none of scalar, vec128, avx2, avx512",
                     core_quote(mask, SIZE_MAX).text);
}

/* The vendor's CPUID leaf "performance optimization identifiers" (AMD64 Architecture Programmer's
 * Manual 3, appendix E): bit 0 is 128, bit 2 256 and bit 3 512 bits. Other vendors lack it. */
int core_cpu_data_path(void)
{
#if defined(__x86_64__)
    enum { BITS_128 = 1, BITS_256 = 4, BITS_512 = 8 };
    static const unsigned leaf = 0x8000001a;
    unsigned a, b, c, d;

    if (__get_cpuid(leaf, &a, &b, &c, &d))
        return a & BITS_512 ? 64 : a & BITS_256 ? 32 : a & BITS_128 ? 16 : 0;
#endif
    return 0;
}

unsigned core_cpu_model(void)
{
    unsigned model = 0;
#if defined(__x86_64__)
    unsigned b, c, d;
    __get_cpuid(1, &model, &b, &c, &d);
#endif
    return model;
}

bool core_cpu_stores_cached_lines(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return !__builtin_cpu_is("amd");
#else
    return true;
#endif
}
