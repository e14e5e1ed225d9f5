# What a user can choose. As a part of another project remfile builds its library and no more.

set(REMFILE_TOP_LEVEL ${PROJECT_IS_TOP_LEVEL})

option(REMFILE_BUILD_TESTS "Build remfile's tests" ${REMFILE_TOP_LEVEL})
option(REMFILE_BUILD_EXAMPLES "Build remfile's examples" ${REMFILE_TOP_LEVEL})
option(REMFILE_INSTALL "Make install rules for remfile" ${REMFILE_TOP_LEVEL})
option(REMFILE_STATIC_CURL "Put libcurl and its TLS into remfile, in place of the system's libcurl" OFF)
option(REMFILE_WARNINGS_AS_ERRORS "Warnings in remfile's own code are errors" OFF)

set(REMFILE_WITH_HDF5
    AUTO
    CACHE STRING "Build the HDF5 file driver: ON, OFF, or AUTO (where HDF5 is found)")
set_property(CACHE REMFILE_WITH_HDF5 PROPERTY STRINGS AUTO ON OFF)

if(REMFILE_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE
      Release
      CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

# Standards and warnings of remfile's own targets; nothing of it reaches who links them.
function(remfile_own_target target)
  set_target_properties(
    ${target}
    PROPERTIES CXX_STANDARD 17
               CXX_STANDARD_REQUIRED ON
               CXX_EXTENSIONS OFF
               C_STANDARD 99
               C_STANDARD_REQUIRED ON
               C_EXTENSIONS OFF)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W3 $<$<BOOL:${REMFILE_WARNINGS_AS_ERRORS}>:/WX>)
  else()
    target_compile_options(${target} PRIVATE -Wall -Wextra $<$<BOOL:${REMFILE_WARNINGS_AS_ERRORS}>:-Werror>)
  endif()
endfunction()
