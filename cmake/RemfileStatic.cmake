# remfile as a static library; see RemfileMerge for its two layouts.
set(REMFILE_SEPARATE_RUST OFF)

if(REMFILE_MERGED)
  set(members "${CMAKE_CURRENT_BINARY_DIR}/remfile_core.o")
  remfile_merge("${CMAKE_CURRENT_BINARY_DIR}/remfile_core.o" "${REMFILE_PUBLIC_SYMBOLS}" remfile_core ${REMFILE_RUST})
  if(REMFILE_HDF5)
    list(APPEND members "${CMAKE_CURRENT_BINARY_DIR}/remfile_vfd.o")
    remfile_merge("${CMAKE_CURRENT_BINARY_DIR}/remfile_vfd.o" "${REMFILE_PUBLIC_SYMBOLS}" remfile_vfd)
  endif()
  add_library(remfile STATIC ${members})
else()
  set(REMFILE_SEPARATE_RUST ON)
  add_library(remfile STATIC ${REMFILE_OBJECTS})
  # The package config makes remfile::rust of the installed archive, for install(EXPORT) takes no
  # imported target.
  target_link_libraries(remfile PRIVATE $<BUILD_INTERFACE:${REMFILE_RUST}> $<INSTALL_INTERFACE:remfile::rust>)
endif()

# A program in C is linked by the C compiler, which does not add the C++ library.
set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi)$")
list(REMOVE_DUPLICATES runtime)
set(REMFILE_CXX_RUNTIME "${runtime}")
target_link_libraries(remfile PRIVATE ${REMFILE_NATIVE_LIBRARIES} ${REMFILE_CXX_RUNTIME})
