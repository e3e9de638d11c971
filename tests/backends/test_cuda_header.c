// SPDX-License-Identifier: BSD-3-Clause
/* What backends/opencl/cuda_driver.h says of NVIDIA's driver, beside cuda.h, where that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <cuda.h>

#include "api/sluice_cuda.h"
#include "backends/opencl/cuda_driver.h"

static void enumerators_are_those_of_cuda(void **state)
{
    static const struct {
        int mine, theirs;
    } both[] = {
        {CUDA_OK, CUDA_SUCCESS},
        {CUDA_INVALID, CUDA_ERROR_INVALID_VALUE},
        {CUDA_NO_MEMORY, CUDA_ERROR_OUT_OF_MEMORY},
        {CUDA_INVALID_CONTEXT, CUDA_ERROR_INVALID_CONTEXT},
        {CUDA_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE},
        {CUDA_NOT_READY, CUDA_ERROR_NOT_READY},
        {CUDA_NOT_SUPPORTED, CUDA_ERROR_NOT_SUPPORTED},
        {CUDA_LARGEST_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
        {CUDA_SHARED_MEMORY, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
        {CUDA_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {CUDA_LEVEL2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
        {CUDA_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
        {CUDA_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
        {CUDA_UNIT_SHARED_MEMORY, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
        {CUDA_READS_HOST, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS},
        {CUDA_MOST_SHARED_MEMORY, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
        {CUDA_RESERVED_SHARED_MEMORY, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
        {CUDA_DYNAMIC_SHARED_MEMORY, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
        {CUDA_OF_CONTEXT, CU_POINTER_ATTRIBUTE_CONTEXT},
        {CUDA_OF_MEMORY, CU_POINTER_ATTRIBUTE_MEMORY_TYPE},
        {CUDA_HOST, CU_MEMORYTYPE_HOST},
        {CUDA_NON_BLOCKING, CU_STREAM_NON_BLOCKING},
        {CUDA_TIMING, CU_EVENT_DEFAULT},
        {CUDA_NO_TIMING, CU_EVENT_DISABLE_TIMING},
    };
    (void)state;
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        assert_int_equal(both[i].mine, both[i].theirs);
    assert_int_equal(sizeof(cuda_address), sizeof(CUdeviceptr));
}

/* The types of a program that includes both. */
static void types_are_those_of_cuda(void **state)
{
    CUstream stream = NULL;
    CUcontext context = NULL;
    const sluice_cuda_execution run = {.stream = stream};
    sluice_machine *m = NULL;
    (void)state;
    assert_null(run.stream);
    assert_int_equal(sluice_cuda_machine_open(&m, -1, context, NULL, NULL) == SLUICE_OK, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enumerators_are_those_of_cuda),
        cmocka_unit_test(types_are_those_of_cuda),
    };
    return cmocka_run_group_tests_name("cuda header", tests, NULL, NULL);
}
