# SPDX-License-Identifier: BSD-3-Clause
# Run by the installation: a program needs no way to a library that the system looks for by itself.
cmake_path(ABSOLUTE_PATH libdir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
cmake_path(ABSOLUTE_PATH bindir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
if(libdir MATCHES "^(/usr)?/lib(32|64)?(/[^/]+-linux-[^/]+)?/?$")
    file(RPATH_REMOVE FILE "$ENV{DESTDIR}${bindir}/${program}")
endif()
