// SPDX-License-Identifier: BSD-3-Clause
/* The functions of OpenCL that the layer stands before: CALL(KIND, NAME, ..), included with another
 * CALL for each purpose. */
CALL(PLAIN, clGetPlatformIDs, (cl_uint entries, cl_platform_id *platforms, cl_uint *found),
     (entries, platforms, found))
CALL(MAKES, clCreateContext, LAYER_CONTEXT, cl_context,
     (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
      void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
      cl_int *status),
     (properties, count, devices, notify, user, status))
CALL(RETAINS, clRetainContext, LAYER_CONTEXT, cl_context)
CALL(RELEASES, clReleaseContext, LAYER_CONTEXT, cl_context)
CALL(PLAIN, clGetContextInfo,
     (cl_context context, cl_context_info name, size_t size, void *value, size_t *size_ret),
     (context, name, size, value, size_ret))
CALL(MAKES, clCreateCommandQueue, LAYER_QUEUE, cl_command_queue,
     (cl_context context, cl_device_id device, cl_command_queue_properties properties,
      cl_int *status),
     (context, device, properties, status))
CALL(MAKES, clCreateCommandQueueWithProperties, LAYER_QUEUE, cl_command_queue,
     (cl_context context, cl_device_id device, const cl_queue_properties *properties,
      cl_int *status),
     (context, device, properties, status))
CALL(RETAINS, clRetainCommandQueue, LAYER_QUEUE, cl_command_queue)
CALL(RELEASES, clReleaseCommandQueue, LAYER_QUEUE, cl_command_queue)
CALL(PLAIN, clGetCommandQueueInfo,
     (cl_command_queue queue, cl_command_queue_info name, size_t size, void *value,
      size_t *size_ret),
     (queue, name, size, value, size_ret))
CALL(MAKES_BUFFER, clCreateBuffer,
     (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *status),
     (context, flags, size, host, status))
CALL(MAKES_BUFFER, clCreateBufferWithProperties,
     (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
      void *host, cl_int *status),
     (context, properties, flags, size, host, status))
CALL(MAKES, clCreateSubBuffer, LAYER_BUFFER, cl_mem,
     (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *part,
      cl_int *status),
     (buffer, flags, type, part, status))
CALL(RETAINS, clRetainMemObject, LAYER_BUFFER, cl_mem)
CALL(RELEASES, clReleaseMemObject, LAYER_BUFFER, cl_mem)
CALL(PLAIN, clGetMemObjectInfo,
     (cl_mem buffer, cl_mem_info name, size_t size, void *value, size_t *size_ret),
     (buffer, name, size, value, size_ret))
CALL(MAKES, clCreateProgramWithBinary, LAYER_PROGRAM, cl_program,
     (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths,
      const unsigned char **binaries, cl_int *each, cl_int *status),
     (context, count, devices, lengths, binaries, each, status))
CALL(RETAINS, clRetainProgram, LAYER_PROGRAM, cl_program)
CALL(RELEASES, clReleaseProgram, LAYER_PROGRAM, cl_program)
CALL(PLAIN, clBuildProgram,
     (cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
      void(CL_CALLBACK *notify)(cl_program, void *), void *user),
     (program, count, devices, options, notify, user))
CALL(PLAIN, clGetProgramInfo,
     (cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret),
     (program, name, size, value, size_ret))
CALL(PLAIN, clGetProgramBuildInfo,
     (cl_program program, cl_device_id device, cl_program_build_info name, size_t size, void *value,
      size_t *size_ret),
     (program, device, name, size, value, size_ret))
CALL(MAKES, clCreateKernel, LAYER_KERNEL, cl_kernel,
     (cl_program program, const char *name, cl_int *status), (program, name, status))
CALL(MAKES, clCloneKernel, LAYER_KERNEL, cl_kernel, (cl_kernel kernel, cl_int *status),
     (kernel, status))
CALL(RETAINS, clRetainKernel, LAYER_KERNEL, cl_kernel)
CALL(RELEASES, clReleaseKernel, LAYER_KERNEL, cl_kernel)
CALL(PLAIN, clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
     (kernel, index, size, value))
CALL(PLAIN, clGetKernelWorkGroupInfo,
     (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name, size_t size,
      void *value, size_t *size_ret),
     (kernel, device, name, size, value, size_ret))
CALL(ENQUEUES, clEnqueueNDRangeKernel, CL_FALSE,
     (cl_command_queue queue, cl_kernel kernel, cl_uint rank, const size_t *offset,
      const size_t *all, const size_t *group, cl_uint count, const cl_event *list, cl_event *event),
     (queue, kernel, rank, offset, all, group, count, list, event))
CALL(ENQUEUES, clEnqueueReadBuffer, blocking,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
      void *host, cl_uint count, const cl_event *list, cl_event *event),
     (queue, buffer, blocking, offset, size, host, count, list, event))
CALL(ENQUEUES, clEnqueueWriteBuffer, blocking,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
      const void *host, cl_uint count, const cl_event *list, cl_event *event),
     (queue, buffer, blocking, offset, size, host, count, list, event))
CALL(ENQUEUES, clEnqueueReadBufferRect, blocking,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *from, const size_t *to,
      const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice,
      void *host, cl_uint count, const cl_event *list, cl_event *event),
     (queue, buffer, blocking, from, to, region, row, slice, host_row, host_slice, host, count,
      list, event))
CALL(ENQUEUES, clEnqueueWriteBufferRect, blocking,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *from, const size_t *to,
      const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice,
      const void *host, cl_uint count, const cl_event *list, cl_event *event),
     (queue, buffer, blocking, from, to, region, row, slice, host_row, host_slice, host, count,
      list, event))
CALL(ENQUEUES, clEnqueueCopyBuffer, CL_FALSE,
     (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
      size_t size, cl_uint count, const cl_event *list, cl_event *event),
     (queue, from, to, from_offset, to_offset, size, count, list, event))
CALL(ENQUEUES, clEnqueueFillBuffer, CL_FALSE,
     (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
      size_t offset, size_t size, cl_uint count, const cl_event *list, cl_event *event),
     (queue, buffer, pattern, pattern_size, offset, size, count, list, event))
CALL(ENQUEUES, clEnqueueUnmapMemObject, CL_FALSE,
     (cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint count, const cl_event *list,
      cl_event *event),
     (queue, buffer, mapped, count, list, event))
CALL(ENQUEUES, clEnqueueMigrateMemObjects, CL_FALSE,
     (cl_command_queue queue, cl_uint buffers, const cl_mem *buffer, cl_mem_migration_flags flags,
      cl_uint count, const cl_event *list, cl_event *event),
     (queue, buffers, buffer, flags, count, list, event))
CALL(ENQUEUES, clEnqueueMarkerWithWaitList, CL_FALSE,
     (cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event),
     (queue, count, list, event))
CALL(ENQUEUES, clEnqueueBarrierWithWaitList, CL_FALSE,
     (cl_command_queue queue, cl_uint count, const cl_event *list, cl_event *event),
     (queue, count, list, event))
CALL(WAITS, clFlush, (cl_command_queue queue), (queue))
CALL(WAITS, clFinish, (cl_command_queue queue), (queue))
CALL(MAKES, clCreateUserEvent, LAYER_EVENT, cl_event, (cl_context context, cl_int *status),
     (context, status))
CALL(RETAINS, clRetainEvent, LAYER_EVENT, cl_event)
CALL(RELEASES, clReleaseEvent, LAYER_EVENT, cl_event)
CALL(PLAIN, clGetEventProfilingInfo,
     (cl_event event, cl_profiling_info name, size_t size, void *value, size_t *size_ret),
     (event, name, size, value, size_ret))
CALL(RETAINS, clRetainDevice, LAYER_DEVICE, cl_device_id)
CALL(RELEASES, clReleaseDevice, LAYER_DEVICE, cl_device_id)
CALL(OWN, clGetDeviceIDs)
CALL(OWN, clGetDeviceInfo)
CALL(OWN, clCreateSubDevices)
CALL(OWN, clCreateProgramWithSource)
CALL(OWN, clEnqueueMapBuffer)
CALL(OWN, clWaitForEvents)
CALL(OWN, clGetEventInfo)
CALL(OWN, clSetEventCallback)
