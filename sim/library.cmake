# libsdsim for other programs: the shared library beside the static one, and what makes both be found:
# headers, sdsim.pc for pkg-config, and a package for CMake with the targets sdsim::sdsim (shared) and
# sdsim::static.

# The binary interface; SDSIM_ABI_VERSION of sdsim/sdsim.h is the same number.
set(abi_version 0)

# Both are made of the same objects. What is exported is marked in sdsim/sdsim.h (SDSIM_API).
set_target_properties(libsdsim PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME static)
add_library(libsdsim_shared SHARED $<TARGET_OBJECTS:libsdsim>)
set_target_properties(
    libsdsim_shared
    PROPERTIES OUTPUT_NAME sdsim
               EXPORT_NAME sdsim
               LINKER_LANGUAGE C
               VERSION ${PROJECT_VERSION}
               SOVERSION ${abi_version})
target_link_options(libsdsim_shared PRIVATE LINKER:--as-needed)
if(NOT SDSIM_SANITIZE) # whose run-time library the program brings
    target_link_options(libsdsim_shared PRIVATE LINKER:--no-undefined)
endif()
target_link_libraries(libsdsim_shared PRIVATE $<BUILD_INTERFACE:sdsim_flags> ${yaml_LINK_LIBRARIES}
                                              m)
target_include_directories(
    libsdsim_shared PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)

install(
    TARGETS libsdsim libsdsim_shared
    EXPORT sdsim-targets
    ARCHIVE COMPONENT library
    LIBRARY COMPONENT library
    INCLUDES
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/sdsim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)

# Both files find everything from where they lie themselves, so that the whole can be moved.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sdsim)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir}
     ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/sdsim.pc.in ${PROJECT_BINARY_DIR}/sdsim.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sdsim.pc DESTINATION ${pkgconfig_dir} COMPONENT library)

include(CMakePackageConfigHelpers)
configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/sdsim-config.cmake.in ${PROJECT_BINARY_DIR}/sdsim-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sdsim-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sdsim-config.cmake
              ${PROJECT_BINARY_DIR}/sdsim-config-version.cmake DESTINATION ${package_dir}
        COMPONENT library)
install(EXPORT sdsim-targets NAMESPACE sdsim:: DESTINATION ${package_dir} COMPONENT library)
