# SPDX-License-Identifier: BSD-3-Clause
# cpack -G DEB: the components as Debian packages. cpack -G TGZ: all of it as one archive.
set(SLUICE_MAINTAINER "The Sluice authors <sluice@invalid.invalid>" CACHE STRING "Name and address in packages")
set(CPACK_PACKAGE_CONTACT ${SLUICE_MAINTAINER})
set(CPACK_PACKAGE_VENDOR "The Sluice authors")
set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${root}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
# Staged, so that what is packed knows the prefix that it will have.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL library dev)
if(TARGET sluice-command OR TARGET sluice-bench)
    list(APPEND CPACK_COMPONENTS_ALL tools)
endif()

set(library_package libsluice${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
file(WRITE ${package_out}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${package_out}/triggers)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libsluice-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
# What sluice.pc names for static libraries; hwloc's own names libudev.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}), libhwloc-dev, libudev-dev")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME sluice-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
if(BUILD_SHARED_LIBS)
    set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${library_package} (>= ${PROJECT_VERSION})")
endif()
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS gnuplot-nox)
set(about "Discrete Fourier transforms, one at a time, in large batches or as a stream, on
all cores: a transform is a formula, and rewriting turns it into loops over
small generated kernels for AVX-512, AVX2, SSE2 or plain C.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${about}
.
This is the shared library.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "${about}
.
Header, static library, manual page, documents, examples.")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "${about}
.
The command sluice plans, checks, explains and runs transforms, and draws
spectrograms; sluice-bench compares with other libraries.")
# Which package is whose component, for the files that Debian wants in each.
set(CPACK_PRE_BUILD_SCRIPTS ${package_in}/debian.cmake)
set(CPACK_SLUICE_PACKAGES library=${library_package} dev=libsluice-dev tools=sluice-tools)
include(CPack)
