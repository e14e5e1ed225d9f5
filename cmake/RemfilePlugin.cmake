# Target remfile_vfd_plugin: the file driver as a plugin, which any libhdf5 from 1.14 on loads from the
# folders in HDF5_PLUGIN_PATH. It is linked to no libhdf5 and compiled with no HDF5 headers but our own
# (cpp/src/plugin/abi): one binary serves them all.
set(plugin_default OFF)
if(REMFILE_TOP_LEVEL AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(plugin_default ON)
endif()
option(REMFILE_BUILD_PLUGIN "Build the HDF5 plugin, libremfile_vfd_plugin.so" ${plugin_default})
if(NOT REMFILE_BUILD_PLUGIN)
  return()
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR "REMFILE_BUILD_PLUGIN is ${REMFILE_BUILD_PLUGIN}, but the plugin is for Linux only")
endif()

# The driver's own sources, without the functions for programs that link it.
set(plugin_sources ${REMFILE_VFD_SOURCES})
list(FILTER plugin_sources INCLUDE REGEX "/vfd/")
list(REMOVE_ITEM plugin_sources cpp/src/vfd/fapl.cpp cpp/src/vfd/libhdf5_linked.cpp)
list(APPEND plugin_sources cpp/src/plugin/libhdf5_caller.cpp cpp/src/plugin/plugin.cpp)

add_library(remfile_vfd_plugin MODULE ${plugin_sources} $<TARGET_OBJECTS:remfile_core>
                                      $<TARGET_OBJECTS:remfile_cxxbridge>)
remfile_own_target(remfile_vfd_plugin)
remfile_hide_symbols(remfile_vfd_plugin)
target_include_directories(
  remfile_vfd_plugin PRIVATE "${PROJECT_SOURCE_DIR}/cpp/src/plugin/abi" "${PROJECT_SOURCE_DIR}/cpp/include"
                             "${CMAKE_CURRENT_BINARY_DIR}/include" "${PROJECT_SOURCE_DIR}/cpp/src")
target_link_libraries(remfile_vfd_plugin PRIVATE ${REMFILE_RUST} ${REMFILE_NATIVE_LIBRARIES})

# static-lib...  Python wheels bring C++ libraries of their own, and the first one loaded is everybody's
# defs           what is missing is found here
# nodelete       libhdf5 unloads plugins when it ends, while worker threads may still run
set(plugin_map "${PROJECT_SOURCE_DIR}/cpp/src/plugin/plugin.map")
target_link_options(
  remfile_vfd_plugin
  PRIVATE
  "LINKER:--version-script,${plugin_map}"
  LINKER:-z,defs
  LINKER:-z,nodelete
  LINKER:--gc-sections
  LINKER:--as-needed
  $<$<CONFIG:Release,MinSizeRel>:LINKER:--strip-debug>
  -static-libstdc++
  -static-libgcc)

# In a folder of its own, in the build as when installed: libhdf5 loads whatever library lies beside it.
set(REMFILE_PLUGIN_DIR "${PROJECT_BINARY_DIR}/plugin")
set_target_properties(
  remfile_vfd_plugin
  PROPERTIES PREFIX lib # without it libhdf5 does not look at the file
             LINKER_LANGUAGE CXX
             LINK_DEPENDS "${plugin_map}"
             LIBRARY_OUTPUT_DIRECTORY "${REMFILE_PLUGIN_DIR}")

# remfile-pointer writes the files by which programs that insist on a local path come to the plugin.
add_executable(remfile-pointer cpp/tools/remfile_pointer.cpp)
remfile_own_target(remfile-pointer)
target_link_libraries(remfile-pointer PRIVATE remfile)
target_link_options(remfile-pointer PRIVATE LINKER:--as-needed) # not libhdf5
if(BUILD_SHARED_LIBS)
  include(GNUInstallDirs)
  set_target_properties(remfile-pointer PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()

if(REMFILE_INSTALL)
  include(GNUInstallDirs)
  install(TARGETS remfile_vfd_plugin LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/hdf5/plugin")
  install(TARGETS remfile-pointer RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
