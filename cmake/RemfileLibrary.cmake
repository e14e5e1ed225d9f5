# Target remfile, known as remfile::remfile: the C++ library with the Rust core inside.
include(RemfileMerge)

configure_file(cpp/src/version.hpp.in include/remfile/version.hpp @ONLY)

set(REMFILE_PUBLIC_SYMBOLS "${PROJECT_SOURCE_DIR}/cmake/public_symbols.txt")
set(REMFILE_RUST remfile_bridge-static)

set(REMFILE_CORE_SOURCES cpp/src/options.cpp cpp/src/error.cpp cpp/src/driver.cpp cpp/src/pointer.cpp)
set(REMFILE_VFD_SOURCES
    cpp/src/hdf5.cpp
    cpp/src/hdf5/library.cpp
    cpp/src/hdf5/selection.cpp
    cpp/src/hdf5/storage.cpp
    cpp/src/vfd/class.cpp
    cpp/src/vfd/config.cpp
    cpp/src/vfd/error_stack.cpp
    cpp/src/vfd/fapl.cpp
    cpp/src/vfd/file.cpp
    cpp/src/vfd/libhdf5_linked.cpp
    cpp/src/vfd/local_file.cpp
    cpp/src/vfd/name.cpp
    cpp/src/vfd/pointer.cpp
    cpp/src/vfd/source.cpp
    cpp/src/vfd/trust.cpp)

# Half of the library: compiled for either kind, everything hidden that is not marked REMFILE_API.
function(remfile_add_half name)
  add_library(${name} STATIC ${ARGN})
  remfile_own_target(${name})
  target_include_directories(
    ${name} PRIVATE "${PROJECT_SOURCE_DIR}/cpp/include" "${CMAKE_CURRENT_BINARY_DIR}/include"
                    "${PROJECT_SOURCE_DIR}/cpp/src")
  target_compile_definitions(${name} PRIVATE REMFILE_BUILDING $<$<BOOL:${BUILD_SHARED_LIBS}>:REMFILE_SHARED>)
  remfile_hide_symbols(${name})
endfunction()

function(remfile_hide_symbols target)
  set_target_properties(
    ${target}
    PROPERTIES C_VISIBILITY_PRESET hidden
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               POSITION_INDEPENDENT_CODE ON)
  # GNU's "unique" symbols (static variables of inline functions) cannot be made local.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  if(REMFILE_MERGED)
    # A partial link of objects for link-time optimisation has nothing in it yet.
    target_compile_options(${target} PRIVATE -fno-lto)
    set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  endif()
endfunction()

if(BUILD_SHARED_LIBS)
  set(REMFILE_MERGED OFF)
else()
  remfile_can_merge(REMFILE_MERGED)
endif()

# What cxx wrote; its warnings are not ours.
remfile_hide_symbols(remfile_cxxbridge)
if(NOT MSVC)
  target_compile_options(remfile_cxxbridge PRIVATE -w)
endif()

# No HDF5 in this half.
remfile_add_half(remfile_core ${REMFILE_CORE_SOURCES} $<TARGET_OBJECTS:remfile_cxxbridge>)
add_dependencies(remfile_core remfile_cxxbridge) # its headers
target_include_directories(
  remfile_core PRIVATE "${REMFILE_BRIDGE_INCLUDE_DIR}"
                       $<TARGET_PROPERTY:remfile_cxxbridge,INTERFACE_INCLUDE_DIRECTORIES>)
set(REMFILE_OBJECTS $<TARGET_OBJECTS:remfile_core> $<TARGET_OBJECTS:remfile_cxxbridge>)

# The half that sees hdf5.h: it uses the other one by its public functions only.
if(REMFILE_HDF5)
  remfile_add_half(remfile_vfd ${REMFILE_VFD_SOURCES})
  target_link_libraries(remfile_vfd PRIVATE remfile::hdf5)
  list(APPEND REMFILE_OBJECTS $<TARGET_OBJECTS:remfile_vfd>)
endif()

if(BUILD_SHARED_LIBS)
  include(RemfileShared)
else()
  include(RemfileStatic)
endif()

add_library(remfile::remfile ALIAS remfile)
set_target_properties(remfile PROPERTIES LINKER_LANGUAGE CXX)
# For who compiles C++: in a folder that knows no C++ compiler this would be an error.
target_compile_features(remfile INTERFACE $<$<BOOL:$<CXX_COMPILER_ID>>:cxx_std_17>)
target_include_directories(
  remfile
  INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/cpp/include>"
            "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include>")
if(REMFILE_HDF5)
  target_link_libraries(remfile PUBLIC remfile::hdf5) # hdf5.hpp and remfile_vfd.h include hdf5.h
endif()
