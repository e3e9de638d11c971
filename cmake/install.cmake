# SPDX-License-Identifier: BSD-3-Clause
# What is installed, in three components: library, dev (for programs that use it), tools.
# Files that name other installed files do so relative to themselves: prefixes and staged folders
# (DESTDIR) move. Where folders lie to each other is known when they are installed, --prefix given.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
set(root ${CMAKE_CURRENT_LIST_DIR}/..)
set(package_in ${CMAKE_CURRENT_LIST_DIR}/package)
set(package_out ${PROJECT_BINARY_DIR}/package)

# What a program links beside the static library: words for linkers, in sluice.pc and in the targets.
set(static_words)
set(static_folders) # of runtime libraries that only the compiler of this build finds by itself
if(OpenMP_C_FOUND)
    foreach(name IN LISTS OpenMP_C_LIB_NAMES)
        list(APPEND static_words -l${name})
        cmake_path(GET OpenMP_${name}_LIBRARY PARENT_PATH folder)
        if(folder MATCHES "/llvm")
            list(APPEND static_folders ${folder})
        endif()
    endforeach()
endif()
list(APPEND static_words -pthread -lm)
foreach(name IN LISTS CMAKE_DL_LIBS)
    list(APPEND static_words -l${name})
endforeach()
list(REMOVE_DUPLICATES static_words)
list(REMOVE_DUPLICATES static_folders)
list(TRANSFORM static_folders PREPEND -L)
list(PREPEND static_words ${static_folders})
list(JOIN static_words " " static_private)

set(folders "set(libdir [[${CMAKE_INSTALL_LIBDIR}]])
    set(includedir [[${CMAKE_INSTALL_INCLUDEDIR}]])
    set(bindir [[${CMAKE_INSTALL_BINDIR}]])
    set(package_out [[${package_out}]])\n")

# ---- libraries ----

install(TARGETS sluice_shared LIBRARY COMPONENT library NAMELINK_COMPONENT dev)
install(TARGETS sluice_static ARCHIVE)
install(FILES ${root}/api/sluice.h ${root}/api/sluice_opencl.h ${root}/api/sluice_cuda.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(to_prefix @to_prefix@) # filled in by relative.cmake
set(to_include @to_include@)
foreach(name IN ITEMS sluice.pc sluice-config.cmake)
    configure_file(${package_in}/${name}.in ${package_out}/${name}.in @ONLY)
endforeach()
write_basic_package_version_file(${package_out}/sluice-config-version.cmake COMPATIBILITY SameMinorVersion)
install(CODE "${folders} include([[${package_in}/relative.cmake]])")
install(FILES ${package_out}/sluice-config.cmake ${package_out}/sluice-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
install(FILES ${package_out}/sluice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- documents ----

set(CMAKE_INSTALL_DOCDIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/sluice)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_DOCDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE full_docdir)
install(FILES ${root}/LICENSE ${root}/README.md ${root}/CHANGELOG.md ${root}/CONTRIBUTING.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${root}/docs ${root}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE)

find_program(SLUICE_GZIP gzip)
mark_as_advanced(SLUICE_GZIP)
set(manual)
# Compresses a manual page, as systems want them, and installs it.
function(install_page page component)
    cmake_path(GET page EXTENSION LAST_ONLY section)
    string(SUBSTRING ${section} 1 -1 section)
    if(SLUICE_GZIP)
        add_custom_command(OUTPUT ${page}.gz COMMAND ${SLUICE_GZIP} -9nc ${page} > ${page}.gz
            DEPENDS ${page} VERBATIM)
        string(APPEND page .gz)
    endif()
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT ${component})
    set(manual ${manual} ${page} PARENT_SCOPE)
endfunction()

configure_file(${root}/docs/man/sluice.3 ${package_out}/sluice.3 @ONLY)
install_page(${package_out}/sluice.3 dev)

# ---- programs ----

cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE full_libdir)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_BINDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE full_bindir)
file(RELATIVE_PATH program_rpath ${full_bindir} ${full_libdir})
string(PREPEND program_rpath $ORIGIN/)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    string(APPEND program_rpath :${CMAKE_INSTALL_LIBDIR})
endif()

# install_program TARGET NAME DESCRIPTION OTHER-PAGES
function(install_program target name description others)
    set(page ${package_out}/${name}.1)
    install(TARGETS ${target} RUNTIME COMPONENT tools)
    if(BUILD_SHARED_LIBS)
        set_target_properties(${target} PROPERTIES INSTALL_RPATH ${program_rpath})
        install(CODE "${folders} set(program ${name})\ninclude([[${package_in}/rpath.cmake]])" COMPONENT tools)
    endif()
    add_custom_command(OUTPUT ${page} DEPENDS ${target} ${package_in}/man-page
        COMMAND ${package_in}/man-page $<TARGET_FILE:${target}> ${name} ${PROJECT_VERSION}
            ${description} ${others} ${full_docdir} > ${page}
        COMMENT "Writing ${name}.1" VERBATIM)
    install_page(${page} tools)
    install(FILES ${package_in}/completion.bash RENAME ${name} COMPONENT tools
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
    set(manual ${manual} PARENT_SCOPE)
endfunction()

if(TARGET sluice-command)
    install_program(sluice-command sluice "Fourier transforms on every worker unit of a machine"
        "sluice-bench(1), sluice(3)")
endif()
if(TARGET sluice-bench)
    install_program(sluice-bench sluice-bench "times sluice beside other FFT libraries"
        "sluice(1), sluice(3)")
endif()
add_custom_target(manual ALL DEPENDS ${manual})
include(${CMAKE_CURRENT_LIST_DIR}/packages.cmake)
