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

// Row-major arrays without gaps.
template <class T>
int compute(std::size_t rank, const std::size_t *shape, std::size_t axis_count,
            const std::size_t *axes, int forward, const void *in, void *out, T factor,
            std::size_t threads)
{
    try {
        shape_t lengths(shape, shape + rank), which(axes, axes + axis_count);
        stride_t strides(rank);
        std::ptrdiff_t bytes = sizeof(std::complex<T>);
        for (std::size_t i = rank; i-- > 0; bytes *= static_cast<std::ptrdiff_t>(shape[i]))
            strides[i] = bytes;
        pocketfft::c2c(lengths, strides, strides, which, forward != 0,
                       static_cast<const std::complex<T> *>(in),
                       static_cast<std::complex<T> *>(out), factor, threads);
        return 0;
    } catch (...) {
        return -1;
    }
}
} // namespace

extern "C" {
// 0, or -1 where pocketfft threw.
int pocketfft_c2c_f32(std::size_t rank, const std::size_t *shape, std::size_t axis_count,
                      const std::size_t *axes, int forward, const void *in, void *out, float factor,
                      std::size_t threads)
{
    return compute<float>(rank, shape, axis_count, axes, forward, in, out, factor, threads);
}

int pocketfft_c2c_f64(std::size_t rank, const std::size_t *shape, std::size_t axis_count,
                      const std::size_t *axes, int forward, const void *in, void *out,
                      double factor, std::size_t threads)
{
    return compute<double>(rank, shape, axis_count, axes, forward, in, out, factor, threads);
}
}
