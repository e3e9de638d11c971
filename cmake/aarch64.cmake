# SPDX-License-Identifier: BSD-3-Clause
# Cross-building for aarch64 by Debian's compiler, against the packages of arm64 that scripts/test-aarch64
# unpacks; programs run in user-mode emulation.
cmake_path(ABSOLUTE_PATH CMAKE_CURRENT_LIST_DIR BASE_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}" OUTPUT_VARIABLE here)
cmake_path(SET debian NORMALIZE "${here}/../build/debian-arm64")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER NOTFOUND) # what needs C++ is left out
set(CMAKE_SYSROOT ${debian})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${debian})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${debian})
set(ENV{PKG_CONFIG_LIBDIR} ${debian}/usr/lib/aarch64-linux-gnu/pkgconfig:${debian}/usr/share/pkgconfig)
