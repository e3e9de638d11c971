# SPDX-License-Identifier: BSD-3-Clause
# tests/*/test_*.c: one cmocka program each, with tests/helpers/helper_*.c linked to all of them.
# Labels: unit (all), threads (what the thread sanitizer builds and runs), slow (test_slow_*.c; quick runs leave them out),
# compilers (most of their time is compilers': sanitizers leave them out), plain (left out there too: what they judge is
# nothing that sanitizers instrument, codelets and scripts, or they execute nothing that others do not), once (the other
# way around: scripts/test runs them under sanitizers alone), codelets (what they check depends on what the compiler
# makes of codelets and of what calls them: a build that compiles some of them anew runs these, plain or not).
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/test_*.c)
file(GLOB helper_sources CONFIGURE_DEPENDS tests/helpers/helper_*.c)
file(GLOB api_sources CONFIGURE_DEPENDS api/*.c)
pkg_check_modules(CMOCKA cmocka)
include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=lld SLUICE_HAVE_LLD) # links a program in half the time, of which there are 150
if(NOT CMOCKA_FOUND)
    message(WARNING "The tests are left out: they need cmocka")
    return()
endif()

# Freed memory is remembered for a while, and where it was allocated.
set(asan_options allocator_may_return_null=1:quarantine_size_mb=32:malloc_context_size=5)
set(test_environment SLUICE_BIN_DIR=${PROJECT_BINARY_DIR} SLUICE_CC=${CMAKE_C_COMPILER}
    SLUICE_TEAMS=always # of short executions, too: tests are small
    SLUICE_KERNEL_CACHE= # nothing in the user's folder; and PoCL compiles kernels again that are to be kept
    ASAN_OPTIONS=${asan_options} UBSAN_OPTIONS=print_stacktrace=1
    LSAN_OPTIONS=print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tests/leaks_of_others.txt)
set(symbols_source ${PROJECT_SOURCE_DIR}/tests/api/test_symbols.c)

function(register_test name labels)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 300
        SKIP_RETURN_CODE 77 ENVIRONMENT "${test_environment}")
endfunction()

if(helper_sources)
    add_library(test-helpers OBJECT ${helper_sources})
    target_include_directories(test-helpers PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(test-helpers SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIRS})
    set(helper_objects $<TARGET_OBJECTS:test-helpers>)
endif()
if(NOT api_sources) # there is nothing yet that it could link
    list(REMOVE_ITEM test_sources ${symbols_source})
endif()
# Emitted OpenCL C runs on the first device there is, in a host of its own that reads JSON.
pkg_check_modules(CJSON libcjson)
set(OpenCL_LINK_LIBRARIES ${OpenCL_LIBRARIES})
set(opencl_test ${PROJECT_SOURCE_DIR}/tests/sched/test_emit_opencl.c)
if(NOT OpenCL_FOUND OR NOT CJSON_FOUND)
    message(WARNING "tests/sched/test_emit_opencl.c is left out: it needs OpenCL and libcjson")
    list(REMOVE_ITEM test_sources ${opencl_test})
endif()
if(OpenCL_FOUND)
    # OpenCL with calls that fail; the loader loads it, no program links it.
    file(GLOB layer_sources CONFIGURE_DEPENDS tests/opencl_layer/*.c)
    add_library(opencl-layer MODULE ${layer_sources})
    set_target_properties(opencl-layer PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_include_directories(opencl-layer PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(opencl-layer SYSTEM PRIVATE ${OpenCL_INCLUDE_DIRS})
    target_link_libraries(opencl-layer PRIVATE Threads::Threads)
    # NVIDIA's driver and compiler, on OpenCL's device.
    add_library(cuda-standin MODULE tests/cuda_standin/cuda_standin.c
        tests/cuda_standin/cuda_standin_compiler.c tests/cuda_standin/cuda_standin_streams.c)
    set_target_properties(cuda-standin PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_definitions(cuda-standin PRIVATE CL_TARGET_OPENCL_VERSION=120)
    target_include_directories(cuda-standin PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(cuda-standin SYSTEM PRIVATE ${OpenCL_INCLUDE_DIRS})
    target_link_libraries(cuda-standin PRIVATE ${OpenCL_LIBRARIES})
endif()
# Libraries that a test needs besides, as its example does (cmake/programs.cmake).
pkg_check_modules(PNG libpng)
pkg_check_modules(SNDFILE sndfile)
find_package(CUDAToolkit QUIET)
set(cuda_headers_FOUND ${CUDAToolkit_FOUND}) # these alone, no library
set(cuda_headers_INCLUDE_DIRS ${CUDAToolkit_INCLUDE_DIRS})
set(needs_test_cuda_header cuda_headers)
set(needs_test_example_compress PNG)
set(needs_test_example_convolve SNDFILE)
set(needs_test_example_poisson PNG)
set(needs_test_bench_data OpenCL)
set(needs_test_opencl_layer OpenCL)
set(needs_test_opencl_faults OpenCL)
set(needs_test_opencl_streams OpenCL)
set(needs_test_opencl_kept OpenCL)
set(needs_test_opencl_native OpenCL)
set(needs_test_opencl_cuda OpenCL)
set(needs_test_cuda_native OpenCL)
set(needs_test_opencl_plans OpenCL)
set(needs_test_tape_opencl OpenCL)
set(helper_test_tape_opencl tests/helpers/device_host.c)
# A test compiles longer than it would run shorter.
set(test_flags $<$<CONFIG:Release>:-O1>)
if(CMAKE_C_FLAGS MATCHES "-fsanitize=address")
    set(test_flags -O0)
endif()
set(plain_tests test_codelets test_codelets_bits test_bench_scripts test_layers
    test_bench_device test_groups_price test_pairs_program test_plan_bits test_plan_price test_plan_real
    test_plan_real_runs test_plan_threads test_slices_scratch test_structures_axes
    test_columns_rows test_groups_folds test_memory_order test_plan_cyclic test_plan_edges test_plan_family
    test_plan_kinds test_plan_levels test_plan_order test_plan_rests test_plan_scale test_plan_single
    test_rows_beside test_structures test_transposing)
# .. and whose own loops are long enough there to be worth compiling well.
set(long_tests test_example_convolve test_warps)
# What scripts/test leaves to the sanitized build: of these folders, and of these names, what neither depends on
# instructions nor on what a compiler makes of it, and is tested there as a whole. Not what PoCL compiles kernels for:
# its compiler takes half as long again under the address sanitizer, whose tests find what those of release had compiled.
set(once_folders core spl bench tools tree)
set(once_names "^test_(groups_at_once|messages|plan_why|plan_wisdom.*|problem.*|wisdom_kinds)$")
set(twice_names "^test_(bench_(data|kinds_suite|link|portability|tuning)|example_devices|examples|sigma_types|tags_random|tool_draws|snippets|trig)$")
foreach(source IN LISTS test_sources)
    get_filename_component(name ${source} NAME_WE)
    set(needs ${needs_${name}})
    if(needs AND NOT ${needs}_FOUND)
        continue()
    endif()
    add_executable(${name} ${source} ${helper_objects} ${helper_${name}})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_compile_options(${name} PRIVATE $<IF:$<IN_LIST:${name},${long_tests}>,-O1,${test_flags}>)
    target_include_directories(${name} SYSTEM PRIVATE ${CMOCKA_INCLUDE_DIRS})
    target_link_libraries(${name} PRIVATE sluice-inside Threads::Threads ${CMOCKA_LINK_LIBRARIES} m ${CMAKE_DL_LIBS})
    if(SLUICE_HAVE_LLD)
        target_link_options(${name} PRIVATE -fuse-ld=lld)
    endif()
    if(source STREQUAL opencl_test)
        target_sources(${name} PRIVATE tests/helpers/opencl_host.c tests/helpers/opencl_table.c)
        target_include_directories(${name} SYSTEM PRIVATE ${OpenCL_INCLUDE_DIRS} ${CJSON_INCLUDE_DIRS})
        target_link_libraries(${name} PRIVATE ${OpenCL_LIBRARIES} ${CJSON_LINK_LIBRARIES})
    endif()
    if(name STREQUAL test_bench_cufft)
        add_library(cufft-standin MODULE tests/cufft_standin/cufft_standin.c tests/cufft_standin/kernel_standin.c)
        target_link_libraries(cufft-standin PRIVATE m ${CMAKE_DL_LIBS})
        target_compile_definitions(${name} PRIVATE CUFFT_STANDIN="$<TARGET_FILE:cufft-standin>")
        add_dependencies(${name} cufft-standin)
    endif()
    if(name STREQUAL test_bench_statistics)
        target_sources(${name} PRIVATE bench/portability/bench_statistics.c)
    endif()
    if(needs STREQUAL OpenCL)
        add_dependencies(${name} opencl-layer)
    endif()
    if(name MATCHES "^test_(opencl_cuda|cuda_native|bench_data)$")
        add_dependencies(${name} cuda-standin)
    endif()
    if(needs)
        target_include_directories(${name} SYSTEM PRIVATE ${${needs}_INCLUDE_DIRS})
        target_link_libraries(${name} PRIVATE ${${needs}_LINK_LIBRARIES})
    endif()
    set(labels unit)
    if(name MATCHES "^test_(pool|stream|pipeline|execute_kinds|plan_threads|plan_bits|transfers|slices)")
        list(APPEND labels threads)
        list(APPEND threads_tests ${name})
    endif()
    if(name MATCHES "^test_slow_")
        list(APPEND labels slow)
    endif()
    if(name MATCHES "^test_emit")
        list(APPEND labels compilers)
    endif()
    if(name MATCHES "^test_(codelets|golden|bind_pairs|bind_reals|plan_bits|plan_shapes|plan_real|plan_scale|reproducible|slices)")
        list(APPEND labels codelets)
        list(APPEND codelets_tests ${name})
    endif()
    if(name IN_LIST plain_tests AND NOT ("codelets" IN_LIST labels AND SLUICE_CODELETS_HERE))
        list(APPEND labels plain)
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    if(labels STREQUAL unit AND NOT name MATCHES "${twice_names}" AND (folder IN_LIST once_folders OR name MATCHES "${once_names}"))
        list(APPEND labels once)
    endif()
    register_test(${name} "${labels}" ${name})
    if(name STREQUAL test_bench_device) # clFFT deletes objects of one class as those of another
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
            ASAN_OPTIONS=${asan_options}:new_delete_type_mismatch=0)
    endif()
endforeach()
add_custom_target(threads-tests DEPENDS ${threads_tests}) # all that a thread sanitizer needs
add_custom_target(codelets-tests DEPENDS ${codelets_tests}) # .. and a second compiler
set_tests_properties(test_plan_time PROPERTIES RUN_SERIAL ON) # it reads the clock

# Every header compiles alone, and the public one as C++ too, where it also links.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} core/*.h spl/*.h backends/*.h
    streaming/*.h sched/*.h api/*.h)
if(NOT SLUICE_HAVE_X86)
    list(FILTER headers EXCLUDE REGEX "_avx(2|512)\\.h$")
endif()
if(NOT OpenCL_FOUND)
    list(FILTER headers EXCLUDE REGEX "(backends/opencl/(opencl_calls|opencl_state|opencl_native|cuda_objects)|api/sluice_opencl)\\.h$")
endif()
foreach(header IN LISTS headers)
    string(MAKE_C_IDENTIFIER ${header} stem)
    set(file ${PROJECT_BINARY_DIR}/headers/${stem}.c)
    file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${header}\"\nextern int ${stem};\n" @ONLY)
    if(header MATCHES "_(avx2|avx512)\\.h$")
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${flags_${CMAKE_MATCH_1}}")
    endif()
    list(APPEND header_files ${file})
endforeach()
add_library(header-checks OBJECT EXCLUDE_FROM_ALL ${header_files})
target_compile_definitions(header-checks PRIVATE CL_TARGET_OPENCL_VERSION=120)
target_compile_options(header-checks PRIVATE -Werror)
target_include_directories(header-checks PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(header-checks SYSTEM PRIVATE ${HWLOC_INCLUDE_DIRS} ${OpenCL_INCLUDE_DIRS})
register_test(test_headers "unit;compilers" ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target header-checks)

check_language(CXX)
if(CMAKE_CXX_COMPILER AND symbols_source IN_LIST test_sources)
    enable_language(CXX)
    set(file ${PROJECT_BINARY_DIR}/headers/symbols_cxx.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "#include \"tests/api/test_symbols.c\"\n" @ONLY)
    add_executable(test_symbols_cxx ${file})
    set_target_properties(test_symbols_cxx PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(test_symbols_cxx PRIVATE sluice)
    register_test(test_symbols_cxx unit test_symbols_cxx)
    set_property(TEST test_emit test_emit_called APPEND PROPERTY ENVIRONMENT SLUICE_CXX=${CMAKE_CXX_COMPILER})
endif()

# The longest begin first, so that none of them is left alone at the end.
foreach(name IN ITEMS test_emit test_emit_called test_opencl test_opencl_callers test_opencl_faults test_opencl_streams test_opencl_bits test_opencl_blocks test_opencl_cuda test_opencl_hooks test_opencl_hook_sides test_opencl_kept test_opencl_native test_slow_verify test_plan_memory
        test_plan_family test_plan_family_axes test_plan_levels test_plan_tuning test_prime test_groups test_emit_opencl test_tape_opencl test_slices test_reproducible test_transfers test_plan_bits test_plan_real test_codelets test_openmp_races
        test_bench_cufft test_bench_data test_tool test_tool_files test_tool_draws)
    if(TEST ${name})
        set_tests_properties(${name} PROPERTIES COST 20)
    endif()
endforeach()

# What is installed, in folders of several kinds, and what is built against it there.
if(SLUICE_INSTALL AND TARGET sluice-command AND TARGET sluice-bench AND NOT sanitized)
    set(built "set(built_version ${PROJECT_VERSION})
set(built_objects $<JOIN:${sluice_objects},\n>)
set(built_whole ${whole})
set(sluice_needs \"${sluice_needs}\")
set(OpenMP_C_FOUND \"${OpenMP_C_FOUND}\")
set(OpenMP_C_LIB_NAMES \"${OpenMP_C_LIB_NAMES}\")\n")
    foreach(name IN LISTS OpenMP_C_LIB_NAMES)
        string(APPEND built "set(OpenMP_${name}_LIBRARY ${OpenMP_${name}_LIBRARY})\n")
    endforeach()
    foreach(program IN ITEMS sluice-command sluice-bench)
        string(APPEND built "list(APPEND built_programs ${program})
set(${program}_name $<TARGET_FILE_NAME:${program}>)
set(${program}_objects $<JOIN:$<TARGET_OBJECTS:${program}>,\n>)
set(${program}_needs \"${PNG_LINK_LIBRARIES};${SNDFILE_LINK_LIBRARIES};${CJSON_LINK_LIBRARIES}\")\n")
    endforeach()
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/tests/built.cmake CONTENT "${built}")
    register_test(test_install unit bash tests/test_install)
    set_property(TEST test_install APPEND PROPERTY ENVIRONMENT SLUICE_CXX=${CMAKE_CXX_COMPILER})
    set_tests_properties(test_install PROPERTIES COST 20)
endif()
