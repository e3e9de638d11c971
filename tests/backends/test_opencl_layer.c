// SPDX-License-Identifier: BSD-3-Clause
/* The layer that makes OpenCL's calls fail, with a program of one kernel: it changes nothing unless
 * told to, every fault is seen by the program, and what is not released is counted. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_opencl.h"

enum { SKIPPED = 77, COUNT = 64, BYTES = COUNT * sizeof(float) };

static const opencl_layer *layer;

/* ---- a program that doubles numbers */

typedef struct doubler {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
    cl_program program;
    cl_kernel kernel;
    cl_event event;
} doubler;

static cl_int find_device(cl_device_id *out)
{
    cl_platform_id platform;
    const cl_int error = clGetPlatformIDs(1, &platform, NULL);
    return error == CL_SUCCESS ? clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, out, NULL) : error;
}

static cl_int open_doubler(doubler *d)
{
    static const char *text = "__kernel void twice(__global float *x)\n"
                              "{ x[get_global_id(0)] *= 2.0f; }\n";
    cl_int error = find_device(&d->device);
    if (error == CL_SUCCESS)
        d->context = clCreateContext(NULL, 1, &d->device, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        d->queue = clCreateCommandQueue(d->context, d->device, 0, &error);
    if (error == CL_SUCCESS)
        d->buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, BYTES, NULL, &error);
    if (error == CL_SUCCESS)
        d->program = clCreateProgramWithSource(d->context, 1, &text, NULL, &error);
    if (error == CL_SUCCESS)
        error = clBuildProgram(d->program, 1, &d->device, "", NULL, NULL);
    if (error == CL_SUCCESS)
        d->kernel = clCreateKernel(d->program, "twice", &error);
    return error == CL_SUCCESS ? clSetKernelArg(d->kernel, 0, sizeof d->buffer, &d->buffer) : error;
}

static cl_int run_doubler(doubler *d, float *numbers)
{
    const size_t count = COUNT;
    cl_int error =
        clEnqueueWriteBuffer(d->queue, d->buffer, CL_TRUE, 0, BYTES, numbers, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error =
            clEnqueueNDRangeKernel(d->queue, d->kernel, 1, NULL, &count, NULL, 0, NULL, &d->event);
    if (error == CL_SUCCESS)
        error = clWaitForEvents(1, &d->event);
    if (error == CL_SUCCESS)
        error = clEnqueueReadBuffer(d->queue, d->buffer, CL_TRUE, 0, BYTES, numbers, 1, &d->event,
                                    NULL);
    return error;
}

static void close_doubler(doubler *d)
{
    if (d->event)
        clReleaseEvent(d->event);
    if (d->kernel)
        clReleaseKernel(d->kernel);
    if (d->program)
        clReleaseProgram(d->program);
    if (d->buffer)
        clReleaseMemObject(d->buffer);
    if (d->queue)
        clReleaseCommandQueue(d->queue);
    if (d->context)
        clReleaseContext(d->context);
}

/* All of it; the first error. */
static cl_int double_numbers(float *numbers)
{
    doubler d = {0};
    cl_int error = open_doubler(&d);
    if (error == CL_SUCCESS)
        error = run_doubler(&d, numbers);
    close_doubler(&d);
    return error;
}

static cl_int double_under(const char *faults)
{
    float numbers[COUNT] = {1, 2, 3};
    assert_true(layer->set(faults));
    const cl_int error = double_numbers(numbers);
    if (error == CL_SUCCESS)
        for (int i = 0; i < 4; i++)
            assert_true(numbers[i] == (i < 3 ? 2.0f * (float)(i + 1) : 0));
    assert_string_equal(opencl_layer_leaks(layer), "");
    return error;
}

/* ---- tests */

static void nothing_changes_without_faults(void **state)
{
    (void)state;
    const long buffers = layer->made("buffers"), events = layer->made("events");
    assert_int_equal(double_under(""), CL_SUCCESS);
    assert_int_equal(layer->made("buffers"), buffers + 1);
    assert_int_equal(layer->made("events"), events + 1);
    assert_int_equal(layer->calls("clBuildProgram"), 1);
    assert_int_equal(layer->calls("clEnqueueNDRangeKernel"), 1);
    assert_int_equal(layer->calls("clEnqueueFillBuffer"), 0);
    assert_int_equal(layer->calls("clNoFunction"), -1);
    assert_int_equal(layer->made("nothing"), -1);
}

static void what_is_kept_is_counted(void **state)
{
    (void)state;
    doubler d = {0};
    assert_true(layer->set(""));
    assert_int_equal(open_doubler(&d), CL_SUCCESS);
    assert_int_equal(clRetainMemObject(d.buffer), CL_SUCCESS);
    assert_int_equal(layer->outstanding("buffers"), 2);
    assert_int_equal(layer->outstanding("contexts"), 1);
    cl_mem kept = d.buffer;
    close_doubler(&d);
    assert_string_equal(opencl_layer_leaks(layer), " 1 buffers");
    assert_int_equal(clReleaseMemObject(kept), CL_SUCCESS);
    assert_string_equal(opencl_layer_leaks(layer), "");
}

typedef struct fault {
    const char *faults;
    cl_int error;
} fault;

static void faults_are_seen(void **state)
{
    static const fault faults[] = {
        {"no-devices", CL_DEVICE_NOT_FOUND},
        {"clGetPlatformIDs@1=CL_PLATFORM_NOT_FOUND_KHR", -1001},
        {"clCreateContext@1=CL_OUT_OF_HOST_MEMORY", CL_OUT_OF_HOST_MEMORY},
        {"clCreateContext@2=CL_OUT_OF_HOST_MEMORY", CL_SUCCESS},
        {"clCreateCommandQueue@1=-6", CL_OUT_OF_HOST_MEMORY},
        {"memory=255", CL_MEM_OBJECT_ALLOCATION_FAILURE},
        {"memory=256", CL_SUCCESS},
        {"source@1", CL_BUILD_PROGRAM_FAILURE},
        {"clBuildProgram@1+=CL_COMPILER_NOT_AVAILABLE", CL_COMPILER_NOT_AVAILABLE},
        {"clCreateKernel@1=CL_INVALID_KERNEL_NAME", CL_INVALID_KERNEL_NAME},
        {"enqueue@2=CL_OUT_OF_RESOURCES", CL_OUT_OF_RESOURCES},
        {"enqueue@4=CL_OUT_OF_RESOURCES", CL_SUCCESS},
        {"enqueue@2+=CL_OUT_OF_RESOURCES", CL_OUT_OF_RESOURCES},
        {"lost@1", CL_DEVICE_NOT_AVAILABLE},
        {"lost@3", CL_DEVICE_NOT_AVAILABLE},
        {"event@1=CL_OUT_OF_RESOURCES", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST},
        {"clWaitForEvents@1=CL_OUT_OF_RESOURCES", CL_OUT_OF_RESOURCES},
        {"clCreateKernel@1=-46 enqueue@1=-5", CL_INVALID_KERNEL_NAME},
    };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const cl_int error = double_under(faults[i].faults);
        if (error != faults[i].error)
            print_error("%s: %d, not %d\n", faults[i].faults, error, faults[i].error);
        assert_int_equal(error, faults[i].error);
    }
}

/* One call after the other fails, until there are no more. */
static void any_call_can_fail(void **state)
{
    (void)state;
    int k = 1;
    for (cl_int error = 1; error != CL_SUCCESS; k++) {
        char text[48];
        snprintf(text, sizeof text, "any@%d=CL_OUT_OF_RESOURCES", k);
        error = double_under(text);
        assert_true(error == CL_OUT_OF_RESOURCES || error == CL_SUCCESS);
    }
    assert_int_equal(k, 15); /* thirteen calls, and the run without a fault */
}

static void CL_CALLBACK keep_status(cl_event event, cl_int status, void *user)
{
    (void)event;
    *(cl_int *)user = status;
}

static cl_int status_of(cl_event event)
{
    cl_int status = CL_QUEUED;
    assert_int_equal(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
        CL_SUCCESS);
    return status;
}

/* The second command fails, so does a third that waits for it; the first and its data are well. */
static void failed_events_pass_on(void **state)
{
    (void)state;
    doubler d = {0};
    const size_t count = COUNT;
    cl_event event[3];
    cl_int heard = 1;
    float numbers[COUNT] = {1};
    assert_true(layer->set("event@2=CL_OUT_OF_RESOURCES"));
    assert_int_equal(open_doubler(&d), CL_SUCCESS);
    assert_int_equal(
        clEnqueueWriteBuffer(d.queue, d.buffer, CL_FALSE, 0, BYTES, numbers, 0, NULL, &event[0]),
        CL_SUCCESS);
    for (int i = 1; i < 3; i++)
        assert_int_equal(clEnqueueNDRangeKernel(d.queue, d.kernel, 1, NULL, &count, NULL, 1,
                                                &event[i - 1], &event[i]),
                         CL_SUCCESS);
    assert_int_equal(clSetEventCallback(event[1], CL_COMPLETE, keep_status, &heard), CL_SUCCESS);
    assert_int_equal(clFinish(d.queue), CL_SUCCESS);
    assert_int_equal(status_of(event[0]), CL_COMPLETE);
    assert_int_equal(status_of(event[1]), CL_OUT_OF_RESOURCES);
    assert_int_equal(status_of(event[2]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(clWaitForEvents(1, &event[0]), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(3, event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    for (int i = 0; i < 3; i++)
        assert_int_equal(clReleaseEvent(event[i]), CL_SUCCESS);
    assert_int_equal(
        clEnqueueReadBuffer(d.queue, d.buffer, CL_TRUE, 0, BYTES, numbers, 0, NULL, NULL),
        CL_SUCCESS);
    assert_true(numbers[0] == 1); /* neither kernel ran */
    close_doubler(&d);
    assert_string_equal(opencl_layer_leaks(layer), "");
    assert_int_equal(heard, CL_OUT_OF_RESOURCES);
}

static void a_spoiled_text_has_a_log(void **state)
{
    (void)state;
    doubler d = {0};
    char log[2000] = "";
    assert_true(layer->set("source@1"));
    assert_int_equal(open_doubler(&d), CL_BUILD_PROGRAM_FAILURE);
    clGetProgramBuildInfo(d.program, d.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    assert_non_null(strstr(log, "error"));
    close_doubler(&d);
}

/* Devices say what they are told to say, and nothing else changes. */
static void devices_lie(void **state)
{
    (void)state;
    cl_device_id device;
    cl_device_fp_config fp64 = 1;
    cl_bool unified = CL_TRUE, available = CL_FALSE;
    cl_ulong memory = 0, local = 0;
    char extensions[4096];
    assert_true(layer->set("fp64=0 unified=0 memory=123456789"));
    assert_int_equal(find_device(&device), CL_SUCCESS);
    clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64, NULL);
    clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    assert_true(fp64 == 0 && unified == CL_FALSE && memory == 123456789);
    assert_true(local > 0 && local != 123456789 && available == CL_TRUE);
    assert_null(strstr(extensions, "cl_khr_fp64"));
    assert_non_null(strstr(extensions, "cl_khr_"));
    assert_true(layer->set(""));
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    assert_true(memory != 123456789);
}

static void nonsense_is_refused(void **state)
{
    static const char *const words[] = {
        "clCreateBuffer",
        "clCreateBuffer@0=-5",
        "clCreateBuffer@1",
        "clCreateBuffer@1=5",
        "clCreateBuffer@1=CL_NO_NAME",
        "clNoFunction@1=-5",
        "any@x=-5",
        "lost@1=-5",
        "memory",
        "memory=much",
        "no-device",
        "clCreateBuffer@1++=-5",
    };
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (layer->set(words[i]))
            print_error("%s is no fault\n", words[i]);
        assert_false(layer->set(words[i]));
    }
}

/* Another process is told by its environment, and its counts come in a file. */
static void the_environment_is_heard(void **state)
{
    (void)state;
    char report[] = "/tmp/sluice-opencl-layer-XXXXXX", line[4200], text[4096];
    const int file = mkstemp(report);
    assert_true(file >= 0);
    snprintf(line, sizeof line,
             "OPENCL_LAYERS='%s' SLUICE_OPENCL_FAULTS='clCreateKernel@1=-46'"
             " SLUICE_OPENCL_REPORT='%s' '%s/tests/test_opencl_layer' double",
             opencl_layer_file(), report, getenv("SLUICE_BIN_DIR"));
    const int status = system(line);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 46);
    const ssize_t length = read(file, text, sizeof text - 1);
    assert_true(length > 0);
    text[length] = 0;
    assert_non_null(strstr(text, "programs made 1 outstanding 0\n"));
    assert_non_null(strstr(text, "kernels made 0 outstanding 0\n"));
    assert_non_null(strstr(text, "clCreateKernel calls 1\n"));
    close(file);
    unlink(report);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes_without_faults),
        cmocka_unit_test(what_is_kept_is_counted),
        cmocka_unit_test(faults_are_seen),
        cmocka_unit_test(any_call_can_fail),
        cmocka_unit_test(failed_events_pass_on),
        cmocka_unit_test(a_spoiled_text_has_a_log),
        cmocka_unit_test(devices_lie),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(the_environment_is_heard),
    };
    float numbers[COUNT] = {0};
    if (argc > 1 && strcmp(argv[1], "double") == 0)
        return -double_numbers(numbers); /* the loader found the layer by itself */
    layer = opencl_layer_load();
    cl_device_id device;
    if (!layer || find_device(&device) != CL_SUCCESS) {
        fprintf(stderr, "skipped: there is no %s\n", layer ? "OpenCL device" : "layer");
        return SKIPPED;
    }
    alarm(240); /* nothing hangs */
    return cmocka_run_group_tests_name("opencl layer", tests, NULL, NULL);
}
