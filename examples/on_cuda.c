// SPDX-License-Identifier: BSD-3-Clause
/* cc on_cuda.c $(pkg-config --cflags --libs sluice) -lcudart -o on_cuda
 *
 * Circular convolutions of 256 rows with one filter, on a device, with CUDA's runtime. Rows stay in
 * device memory between the transforms, whose commands are captured as a graph and launched by one
 * call. The filter's spectrum is 1, so that each row comes back unchanged; a kernel of the program
 * would multiply by another one. */
#include <cuda_runtime_api.h>
#include <sluice_cuda.h>
#include <stdio.h>

enum { POINTS = 1024, ROWS = 256, VALUES = POINTS * ROWS * 2 };

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "on_cuda: %s: %s\n", what, why);
    return 1;
}

/* Transforms there and back in one stream; nothing waits for the device. */
static sluice_status convolve(cudaStream_t stream, void *x, const sluice_plan *there,
                              const sluice_plan *back, sluice_diag *why)
{
    const sluice_cuda_execution run = {.stream = stream, .in = x, .out = x};
    const sluice_status status = sluice_cuda_enqueue(there, &run, why);
    return status == SLUICE_OK ? sluice_cuda_enqueue(back, &run, why) : status;
}

/* The same as a graph; NULL: it was not captured. */
static cudaGraphExec_t capture(cudaStream_t stream, void *x, const sluice_plan *there,
                               const sluice_plan *back, sluice_diag *why)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess)
        return NULL;
    const sluice_status status = convolve(stream, x, there, back, why);
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && status == SLUICE_OK)
        (void)cudaGraphInstantiateWithFlags(&ready, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    return ready;
}

int main(void)
{
    static float rows[VALUES]; /* each an impulse at its own number */
    sluice_machine *machine = NULL;
    sluice_plan *there = NULL, *back = NULL;
    sluice_diag why = {.message = "a call of CUDA"};
    cudaStream_t stream = NULL;
    void *x = NULL;
    if (cudaMalloc(&x, sizeof rows) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess)
        return fail("there is no device", cudaGetErrorString(cudaGetLastError()));
    for (size_t row = 0; row < ROWS; row++)
        rows[(row * POINTS + row) * 2] = 1;

    sluice_status status = sluice_cuda_machine_open(&machine, 0, NULL, NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&there, machine, "c2c:f32:1024*256:inplace", NULL, &why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&back, machine, "c2c:f32:1024*256:inverse:inplace:scale=n",
                                       NULL, &why);
    if (status != SLUICE_OK)
        return fail(sluice_strerror(status), why.message);
    cudaMemcpyAsync(x, rows, sizeof rows, cudaMemcpyHostToDevice, stream);
    cudaGraphExec_t graph = capture(stream, x, there, back, &why);
    if (!graph || cudaGraphLaunch(graph, stream) != cudaSuccess)
        return fail("the graph", why.message);
    cudaMemcpyAsync(rows, x, sizeof rows, cudaMemcpyDeviceToHost, stream);
    const cudaError_t error = cudaStreamSynchronize(stream);
    size_t wrong = 0;
    for (size_t i = 0; i < (size_t)POINTS * ROWS; i++) {
        const float d = rows[2 * i] - (i % POINTS == i / POINTS);
        wrong += d * d + rows[2 * i + 1] * rows[2 * i + 1] > 1e-8F;
    }
    printf("%d rows of %d points, %zu values wrong\n", ROWS, POINTS, wrong);

    cudaGraphExecDestroy(graph);
    sluice_plan_destroy(there);
    sluice_plan_destroy(back);
    sluice_machine_close(machine);
    cudaFree(x);
    cudaStreamDestroy(stream);
    return error == cudaSuccess && wrong == 0 ? 0 : fail("the device", cudaGetErrorString(error));
}
