# remfile as a shared library that shows its public functions and nothing else.
add_library(remfile SHARED ${REMFILE_OBJECTS})
target_link_libraries(remfile PRIVATE ${REMFILE_RUST} ${REMFILE_NATIVE_LIBRARIES})
target_compile_definitions(remfile INTERFACE REMFILE_SHARED)

# Before 1.0 a minor release may change the interface.
set_target_properties(remfile PROPERTIES VERSION ${PROJECT_VERSION}
                                         SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# An HDF5 or libcurl outside the system's folders is found when installed, too.
set_target_properties(remfile PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)

file(STRINGS "${REMFILE_PUBLIC_SYMBOLS}" symbols REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${REMFILE_PUBLIC_SYMBOLS}")
if(APPLE)
  # untested; symbols have a leading underscore there
  list(TRANSFORM symbols PREPEND "_")
  list(JOIN symbols "\n" symbols)
  file(CONFIGURE OUTPUT remfile.exports CONTENT "${symbols}\n")
  target_link_options(remfile PRIVATE "LINKER:-exported_symbols_list,${CMAKE_CURRENT_BINARY_DIR}/remfile.exports"
                      LINKER:-dead_strip)
  set_target_properties(remfile PROPERTIES LINK_DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/remfile.exports")
elseif(UNIX)
  list(JOIN symbols ";\n    " symbols)
  file(CONFIGURE OUTPUT remfile.map CONTENT "{\n  global:\n    ${symbols};\n  local: *;\n};\n")
  # defs:     what is missing is found here and not by the program that links it
  # nodelete: worker threads may still run when a program closes the plugin that brought the library
  target_link_options(remfile PRIVATE "LINKER:--version-script,${CMAKE_CURRENT_BINARY_DIR}/remfile.map"
                      LINKER:-z,defs LINKER:-z,nodelete LINKER:--gc-sections)
  set_target_properties(remfile PROPERTIES LINK_DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/remfile.map")
endif()
# Windows (untested): REMFILE_API says what is exported.
