// SPDX-License-Identifier: BSD-3-Clause
// pocketfft's C++ header as a library that sluice-bench can load; not part of any build. With the
// header's folder in HERE:
//   c++ -std=c++11 -O3 -march=native -shared -fPIC -I HERE bench/peers/pocketfft_shim.cpp
//       -o libpocketfft_cpp.so
// and SLUICE_PEER_POCKETFFT names the result.
#define POCKETFFT_CACHE_SIZE 16 // plans are kept between calls, as in scipy
#include <cstddef>

#include "pocketfft_hdronly.h"

namespace
{
using pocketfft::shape_t;
using pocketfft::stride_t;

// Bytes between elements of row-major arrays without gaps, whose last axis has `last` elements.
stride_t strides_of(const shape_t &lengths, std::size_t last, std::size_t element)
{
    stride_t strides(lengths.size());
    std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(element);
    for (std::size_t i = lengths.size(); i-- > 0;) {
        strides[i] = bytes;
        bytes *= static_cast<std::ptrdiff_t>(i + 1 == lengths.size() ? last : lengths[i]);
    }
    return strides;
}

template <class T>
int compute(std::size_t rank, const std::size_t *shape, std::size_t axis_count,
            const std::size_t *axes, int forward, const void *in, void *out, T factor,
            std::size_t threads)
{
    try {
        shape_t lengths(shape, shape + rank), which(axes, axes + axis_count);
        stride_t strides = strides_of(lengths, lengths.back(), sizeof(std::complex<T>));
        pocketfft::c2c(lengths, strides, strides, which, forward != 0,
                       static_cast<const std::complex<T> *>(in),
                       static_cast<std::complex<T> *>(out), factor, threads);
        return 0;
    } catch (...) {
        return -1;
    }
}

// r2c forward, c2r backward.
template <class T>
int compute_real(std::size_t rank, const std::size_t *shape, std::size_t axis_count,
                 const std::size_t *axes, int forward, const void *in, void *out, T factor,
                 std::size_t threads)
{
    try {
        shape_t lengths(shape, shape + rank), which(axes, axes + axis_count);
        stride_t reals = strides_of(lengths, lengths.back(), sizeof(T));
        stride_t half = strides_of(lengths, lengths.back() / 2 + 1, sizeof(std::complex<T>));
        if (forward)
            pocketfft::r2c(lengths, reals, half, which, true, static_cast<const T *>(in),
                           static_cast<std::complex<T> *>(out), factor, threads);
        else
            pocketfft::c2r(lengths, half, reals, which, false,
                           static_cast<const std::complex<T> *>(in), static_cast<T *>(out), factor,
                           threads);
        return 0;
    } catch (...) {
        return -1;
    }
}

// Cosine transforms of types 1 to 4, sine transforms as -1 to -4, without normalisation.
template <class T>
int compute_cosine(std::size_t rank, const std::size_t *shape, std::size_t axis_count,
                   const std::size_t *axes, int type, const void *in, void *out, T factor,
                   std::size_t threads)
{
    try {
        shape_t lengths(shape, shape + rank), which(axes, axes + axis_count);
        stride_t strides = strides_of(lengths, lengths.back(), sizeof(T));
        const T *from = static_cast<const T *>(in);
        T *to = static_cast<T *>(out);
        if (type > 0)
            pocketfft::dct(lengths, strides, strides, which, type, from, to, factor, false,
                           threads);
        else
            pocketfft::dst(lengths, strides, strides, which, -type, from, to, factor, false,
                           threads);
        return 0;
    } catch (...) {
        return -1;
    }
}
} // namespace

#define FUNCTION(NAME, T, COMPUTE) \
    int NAME(std::size_t rank, const std::size_t *shape, std::size_t axis_count, \
             const std::size_t *axes, int forward, const void *in, void *out, T factor, \
             std::size_t threads) \
    { \
        return COMPUTE<T>(rank, shape, axis_count, axes, forward, in, out, factor, threads); \
    }

extern "C" {
// 0, or -1 where pocketfft threw.
FUNCTION(pocketfft_c2c_f32, float, compute)
FUNCTION(pocketfft_c2c_f64, double, compute)
FUNCTION(pocketfft_real_f32, float, compute_real)
FUNCTION(pocketfft_real_f64, double, compute_real)
FUNCTION(pocketfft_cosine_f32, float, compute_cosine)
FUNCTION(pocketfft_cosine_f64, double, compute_cosine)
}
