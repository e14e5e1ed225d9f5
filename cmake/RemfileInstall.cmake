# What `cmake --install` lays down: library, headers, CMake package, pkg-config file, licences. The
# prefix can be moved afterwards, for nothing in it knows where it is.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(REMFILE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/remfile")

install(
  TARGETS remfile
  EXPORT remfileTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  INCLUDES
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

set(unwanted)
if(NOT REMFILE_HDF5)
  set(unwanted REGEX "/(hdf5\\.hpp|remfile_vfd\\.h)$" EXCLUDE)
endif()
install(
  DIRECTORY cpp/include/ "${CMAKE_CURRENT_BINARY_DIR}/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" ${unwanted})

file(GLOB licences CONFIGURE_DEPENDS LICENSE*)
if(licences)
  install(FILES ${licences} DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/remfile")
endif()

# CMake package
install(
  EXPORT remfileTargets
  NAMESPACE remfile::
  DESTINATION "${REMFILE_PACKAGE_DIR}")
configure_package_config_file(cmake/remfile-config.cmake.in remfile-config.cmake
                              INSTALL_DESTINATION "${REMFILE_PACKAGE_DIR}")
write_basic_package_version_file(remfile-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/remfile-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/remfile-config-version.cmake" cmake/RemfileHDF5.cmake
        DESTINATION "${REMFILE_PACKAGE_DIR}")
if(NOT BUILD_SHARED_LIBS AND REMFILE_SEPARATE_RUST)
  install(FILES $<TARGET_FILE:${REMFILE_RUST}> DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()

# pkg-config file
if(UNIX)
  include(RemfilePkgConfig)
endif()
