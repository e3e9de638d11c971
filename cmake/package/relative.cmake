# SPDX-License-Identifier: BSD-3-Clause
# Run by the installation: fills in where the prefix and the header lie, seen from the files that say so.
cmake_path(ABSOLUTE_PATH libdir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
cmake_path(ABSOLUTE_PATH includedir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
file(RELATIVE_PATH to_prefix "${libdir}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH to_include "${libdir}/pkgconfig" "${includedir}")
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
foreach(name IN ITEMS sluice.pc sluice-config.cmake)
    configure_file("${package_out}/${name}.in" "${package_out}/${name}" @ONLY)
endforeach()
