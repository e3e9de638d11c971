# SPDX-License-Identifier: BSD-3-Clause
# tests/fuzz/fuzz_NAME.c: a libFuzzer target each where SLUICE_FUZZ asks for them (preset `fuzz`), and in every build
# with tests a program that replays tests/fuzz/corpus/NAME.
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    string(REPLACE "fuzz_" "" corpus ${name})
    if(SLUICE_FUZZ)
        add_executable(${name} ${source})
        target_link_libraries(${name} PRIVATE sluice-inside)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
        list(APPEND fuzz_targets ${name})
    endif()
    if(SLUICE_TESTS)
        add_executable(test_${name} ${source} tests/fuzz/replay.c)
        target_link_libraries(test_${name} PRIVATE sluice-inside)
        set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
        register_test(test_${name} unit test_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${corpus})
    endif()
endforeach()
add_custom_target(fuzz-targets DEPENDS ${fuzz_targets}) # and not the libraries as they are installed
