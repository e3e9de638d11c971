# SPDX-License-Identifier: BSD-3-Clause
# The shared and the static library, of the same position-independent objects (sluice_objects), which
# link sluice_needs. Both show sluice_* alone.
set(root ${CMAKE_CURRENT_LIST_DIR}/..)
function(describe_library name)
    set_target_properties(${name} PROPERTIES OUTPUT_NAME sluice LINKER_LANGUAGE C)
    target_link_libraries(${name} PRIVATE ${sluice_needs})
    target_include_directories(${name} INTERFACE ${root} ${root}/api)
    add_library(sluice::${name} ALIAS ${name})
endfunction()

set(map ${CMAKE_CURRENT_LIST_DIR}/sluice.map)
add_library(sluice_shared SHARED ${sluice_objects})
describe_library(sluice_shared)
target_link_options(sluice_shared PRIVATE -Wl,--version-script=${map})
set_target_properties(sluice_shared PROPERTIES LINK_DEPENDS ${map} VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# An archive cannot hide symbols from a linker, an object can: everything becomes one. Names that no
# relocation needs are left out, unless LLVM's tool has to, which refuses names in groups of sections.
set(whole ${PROJECT_BINARY_DIR}/sluice-whole${CMAKE_C_OUTPUT_EXTENSION})
separate_arguments(whole_flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
if(CMAKE_C_COMPILER_TARGET)
    list(APPEND whole_flags ${CMAKE_C_COMPILE_OPTIONS_TARGET}${CMAKE_C_COMPILER_TARGET})
endif()
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    list(APPEND whole_flags -flinker-output=nolto-rel) # machine code, though the objects be of -flto
    set(whole_discard --discard-all)
endif()
add_custom_command(OUTPUT ${whole}
    COMMAND ${CMAKE_C_COMPILER} ${whole_flags} -nostdlib -r -o ${whole}.all ${sluice_objects}
    COMMAND ${CMAKE_OBJCOPY} --remove-section=.comment --wildcard --keep-global-symbol=sluice_*
            ${whole_discard} ${whole}.all ${whole}
    COMMAND ${CMAKE_COMMAND} -E rm ${whole}.all
    DEPENDS ${sluice_objects} COMMENT "Linking the static library's object" COMMAND_EXPAND_LISTS VERBATIM)
set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON)
add_library(sluice_static STATIC ${whole})
describe_library(sluice_static)
if(TARGET sluice-parts) # for make, which knows no rule for another target's files
    add_dependencies(sluice_static sluice-parts)
endif()

if(NOT SLUICE_INSTALL) # another project's: what is not linked need not be made
    set_target_properties(sluice_shared sluice_static PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

# What programs of this build, and of a project that this one is part of, link.
if(BUILD_SHARED_LIBS)
    add_library(sluice ALIAS sluice_shared)
    add_library(sluice::sluice ALIAS sluice_shared)
else()
    add_library(sluice ALIAS sluice_static)
    add_library(sluice::sluice ALIAS sluice_static)
endif()
