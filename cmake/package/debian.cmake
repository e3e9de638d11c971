# SPDX-License-Identifier: BSD-3-Clause
# Run by cpack on staged files: Debian wants a copyright and a changelog in each package.
if(NOT CPACK_GENERATOR STREQUAL DEB)
    return()
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(READ ${CPACK_RESOURCE_FILE_LICENSE} licence)
foreach(pair IN LISTS CPACK_SLUICE_PACKAGES)
    string(REGEX REPLACE ".*=" "" package ${pair})
    string(REGEX REPLACE "=.*" "" component ${pair})
    set(stage ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_INSTALL_PREFIX})
    if(EXISTS ${stage})
        set(folder ${stage}/share/doc/${package})
        file(WRITE ${folder}/copyright "Sluice is free software.\n\n${licence}")
        file(WRITE ${folder}/changelog "sluice (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * This version; see CHANGELOG.md in /usr/share/doc/sluice for what changed.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
        execute_process(COMMAND gzip -9nf ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
        file(REMOVE ${stage}/share/doc/sluice/LICENSE)
    endif()
endforeach()
