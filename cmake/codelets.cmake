# SPDX-License-Identifier: BSD-3-Clause
# The codelets: printed by sluice-gen, one set per ISA and precision, compiled with that ISA's flags.
if(SLUICE_GENERATOR)
    add_executable(sluice-gen IMPORTED)
    set_target_properties(sluice-gen PROPERTIES IMPORTED_LOCATION ${SLUICE_GENERATOR})
else()
    add_executable(sluice-gen ${gen_command} $<TARGET_OBJECTS:sluice-gen-parts>)
    target_include_directories(sluice-gen PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(sluice-gen PRIVATE ${HWLOC_LINK_LIBRARIES} m)
endif()

set(codelet_points)
if(SLUICE_CODELET_POINTS)
    set(codelet_points --points ${SLUICE_CODELET_POINTS})
endif()
set(codelet_shards 7) # files per set, so that they compile in parallel: a sample of all kinds, 5, the steps of pairs
# The generator has scheduled and vectorized, and nothing is computed twice; the compiler is to select
# instructions and allocate registers. gcc takes twice as long at -O2, and spills more; of what it does
# there vectors need vzeroupper, which is among the expensive optimizations. Sanitizers and debuggers
# leave codelets alone: instrumented straight-line code of this length takes gigabytes to compile.
# tests/spl/test_codelets.c guards every access with pages. Nothing unwinds through a codelet, and
# tables for it would be 2 % of the library.
set(flags_codelet $<IF:$<CONFIG:Debug>,-O1,-O2>)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    set(flags_codelet $<IF:$<CONFIG:Debug>,-Og,-O1> -fexpensive-optimizations -fno-tree-pta -fno-ivopts -fno-tree-loop-im
        -fno-tree-scev-cprop -fno-tree-dse -fno-dse)
    # Passes that find little to do: without them the code is the same but for some registers.
    list(APPEND flags_codelet -fno-tree-ccp -fno-tree-dominator-opts -fno-tree-copy-prop -fno-tree-sink
        -fno-rerun-cse-after-loop -fno-cse-follow-jumps -fno-split-wide-types -fno-strict-aliasing)
endif()
list(APPEND flags_codelet -ffp-contract=off -fno-tree-vectorize -fno-tree-slp-vectorize
    -fno-sanitize=all -fno-asynchronous-unwind-tables -g0)

# What codelets are made of, as one number: another build's are used where it is the same there. That
# build says so (built.txt) once its codelets are compiled.
file(GLOB_RECURSE codelet_origins CONFIGURE_DEPENDS backends/cpu/isa/vec_*.h cmake/codelets.cmake spl/codelet/*.h spl/codelet/*.c spl/formula/formats.h spl/formula/half_order.* spl/formula/transforms.* spl/formula/pairs.* core/trig.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${codelet_origins})
set(codelet_stamp)
foreach(origin IN LISTS codelet_origins)
    file(SHA256 ${origin} hash)
    string(APPEND codelet_stamp ${hash})
endforeach()
string(SHA256 codelet_stamp "${codelet_stamp} ${SLUICE_ISAS} ${SLUICE_CODELET_POINTS}")
file(WRITE ${PROJECT_BINARY_DIR}/codelets/stamp.txt ${codelet_stamp})
if(SLUICE_CODELETS)
    set(theirs)
    if(EXISTS ${SLUICE_CODELETS}/codelets/built.txt)
        file(READ ${SLUICE_CODELETS}/codelets/built.txt theirs)
    endif()
    if(NOT theirs STREQUAL codelet_stamp)
        message(FATAL_ERROR "SLUICE_CODELETS: ${SLUICE_CODELETS} was not built of this generator and these headers; build it again")
    endif()
endif()

# Prints the files of a set, touching those only that changed: codelets take long to compile. Where another
# build's objects serve so does its text, of which the files that SLUICE_CODELETS_HERE numbers are compiled here.
function(add_codelet_set isa precision)
    set(prefix codelets_${isa}_${precision})
    set(names)
    math(EXPR last_shard "${codelet_shards} - 1")
    foreach(shard RANGE ${last_shard})
        list(APPEND names ${prefix}_${shard}.c)
    endforeach()
    list(APPEND names ${prefix}_table.c)
    set(here ${names})
    set(folder ${PROJECT_BINARY_DIR}/codelets)
    if(SLUICE_CODELETS)
        set(folder ${SLUICE_CODELETS}/codelets)
        list(TRANSFORM SLUICE_CODELETS_HERE REPLACE "(.+)" "${prefix}_\\1.c" OUTPUT_VARIABLE here)
        set(theirs ${names})
        list(REMOVE_ITEM theirs "" ${here})
        list(TRANSFORM theirs PREPEND ${SLUICE_CODELETS}/CMakeFiles/sluice-parts.dir/codelets/)
        list(TRANSFORM theirs APPEND ${CMAKE_C_OUTPUT_EXTENSION})
        set_source_files_properties(${theirs} PROPERTIES EXTERNAL_OBJECT ON)
        set(codelet_objects ${codelet_objects} ${theirs} PARENT_SCOPE)
    else()
        list(TRANSFORM names PREPEND ${folder}/new/ OUTPUT_VARIABLE printed)
        list(TRANSFORM names PREPEND ${folder}/)
        add_custom_command(OUTPUT ${names}
            COMMAND sluice-gen --isa ${isa} --precision ${precision} --shards ${codelet_shards} ${codelet_points} -o ${folder}/new/${prefix}
            COMMAND ${CMAKE_COMMAND} -E copy_if_different ${printed} ${folder}
            DEPENDS sluice-gen COMMENT "Generating codelets ${isa} ${precision}" VERBATIM)
    endif()
    list(TRANSFORM here PREPEND ${folder}/)
    set_source_files_properties(${here} PROPERTIES COMPILE_OPTIONS "${flags_codelet};${flags_${isa}}")
    # Tests find tables in a shared library (sluice-codelets); those that are installed hide them.
    set_source_files_properties(${folder}/${prefix}_table.c PROPERTIES COMPILE_OPTIONS
        "${flags_codelet};${flags_${isa}};-fvisibility=default")
    set(codelet_sources ${codelet_sources} ${here} PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/codelets/new)
foreach(isa IN LISTS codelet_isas)
    foreach(precision IN ITEMS f32 f64)
        add_codelet_set(${isa} ${precision})
    endforeach()
endforeach()

# Sources of the library as text, cut into definitions (spl/emit/snippets.h). Order matters: they are printed
# into one file in this order. They are C++17 as well, as what they are printed into.
set(snippets_common core/alone.h api/sluice.h core/trig.h core/trig.c core/number.h core/number.c core/near_roots.h core/near_roots.c spl/formula/formats.h spl/codelet/codelet.h spl/formula/half_order.h spl/formula/half_order.c spl/formula/node_sigma.c
    spl/formula/values.h spl/formula/adjacent_fft.h spl/formula/adjacent_fft.c spl/formula/four_step.h spl/formula/four_step.c spl/formula/diagonal.h spl/formula/diagonal.c spl/bind/bind_table.h spl/bind/bind_powers.h spl/bind/bind_powers.c spl/bind/bind_table_store.h spl/bind/bind_table_fill.c spl/bind/bind_tail.h
    backends/cpu/run/cpu_small.h backends/cpu/run/cpu_small.c backends/cpu/run/cpu_tail.h backends/cpu/run/cpu_tail.c backends/cpu/run/cpu_prefetch.h backends/cpu/run/cpu_prefetch.c backends/cpu/run/cpu_slice.h backends/cpu/run/cpu_slice.c backends/cpu/run/cpu_scale.h backends/cpu/run/cpu_scale.c spl/bind/bind_complex.h spl/emit/team.h spl/oracle/oracle.c sched/emit/emit_check.h)
set(snippets_scalar backends/cpu/isa/vec_parts.h backends/cpu/isa/vec_scalar.h backends/cpu/isa/vec_fused.h)
set(snippets_vec128 backends/cpu/isa/vec_f64_vec128.h backends/cpu/isa/vec_vec128.h)
set(snippets_avx2 backends/cpu/isa/vec_short_avx2.h backends/cpu/isa/vec_fma128.h backends/cpu/isa/vec_f64_avx2.h backends/cpu/isa/vec_avx2.h)
set(snippets_avx512 ${snippets_avx2} backends/cpu/isa/vec_f64_avx512.h backends/cpu/isa/vec_avx512.h)
set(snippets_opencl spl/emit/snippets.cl)
set(snippets_device spl/emit/snippets_device.cl spl/emit/snippets_f32.cl spl/emit/snippets_f64.cl spl/emit/snippets_f32x16.cl)
foreach(set IN ITEMS common scalar vec128 avx2 avx512 opencl device)
    set(file ${PROJECT_BINARY_DIR}/codelets/snippets_${set}.c)
    list(TRANSFORM snippets_${set} PREPEND ${PROJECT_SOURCE_DIR}/)
    add_custom_command(OUTPUT ${file} COMMAND sluice-gen --snippets spl_snippets_${set} ${snippets_${set}} -o ${file}
        DEPENDS sluice-gen ${snippets_${set}} COMMENT "Cutting snippets_${set}.c" VERBATIM)
    list(APPEND codelet_sources ${file})
endforeach()
