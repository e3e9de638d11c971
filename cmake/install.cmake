# SPDX-License-Identifier: BSD-3-Clause
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
install(TARGETS sluice EXPORT sluice-targets)
install(FILES api/sluice.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sluice-targets NAMESPACE sluice:: DESTINATION ${package_dir})
file(CONFIGURE OUTPUT sluice-config.cmake @ONLY CONTENT
[[include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/sluice-targets.cmake)
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sluice-config-version.cmake
    COMPATIBILITY SameMinorVersion)
configure_file(cmake/sluice.pc.in sluice.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sluice-config.cmake ${PROJECT_BINARY_DIR}/sluice-config-version.cmake
    DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/sluice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
