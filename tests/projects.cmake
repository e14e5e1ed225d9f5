# Projects of others, configured, built and run by CTest. Rust code is compiled once for all of them: those
# that build remfile from source share this build's cargo folder, and take turns with it.

# What each project is configured with beside its own options: what this build has.
set(settings "")
foreach(
  variable
  CMAKE_BUILD_TYPE
  CMAKE_C_COMPILER
  CMAKE_CXX_COMPILER
  CMAKE_C_FLAGS
  CMAKE_CXX_FLAGS
  CMAKE_PREFIX_PATH
  Corrosion_DIR
  HDF5_ROOT
  HDF5_DIR
  CURL_ROOT
  REMFILE_WITH_HDF5
  REMFILE_STATIC_LAYOUT)
  if(NOT "${${variable}}" STREQUAL "")
    string(APPEND settings "set(${variable} \"${${variable}}\" CACHE STRING \"\")\n")
  endif()
endforeach()
if(corrosion_SOURCE_DIR) # fetched for this build
  string(APPEND settings "set(FETCHCONTENT_SOURCE_DIR_CORROSION \"${corrosion_SOURCE_DIR}\" CACHE PATH \"\")\n")
endif()
string(
  APPEND
  settings
  "set(REMFILE_SOURCE \"${PROJECT_SOURCE_DIR}\" CACHE PATH \"\")\n"
  "set(EXPECTED_VERSION \"${PROJECT_VERSION}\" CACHE STRING \"\")\n"
  "set(EXPECT_HDF5 \"${REMFILE_HDF5}\" CACHE BOOL \"\")\n")
file(WRITE "${PROJECT_BINARY_DIR}/tests/settings.cmake" "${settings}")

function(remfile_share_cargo_folder build)
  file(MAKE_DIRECTORY "${build}" "${CMAKE_BINARY_DIR}/cargo")
  file(CREATE_LINK "${CMAKE_BINARY_DIR}/cargo" "${build}/cargo" SYMBOLIC)
endfunction()

# remfile_add_project_test(NAME SOURCE BUILD GENERATOR OPTION...): configure, build, ctest if it has tests
function(remfile_add_project_test name source build generator)
  add_test(
    NAME ${name}
    COMMAND
      "${CMAKE_CTEST_COMMAND}" --build-and-test "${source}" "${build}" --build-noclean --build-generator
      "${generator}" --build-options -C "${PROJECT_BINARY_DIR}/tests/settings.cmake" ${ARGN} --test-command
      "${CMAKE_CTEST_COMMAND}" --output-on-failure)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()
