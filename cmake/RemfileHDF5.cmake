# The HDF5 to use, as target remfile::hdf5. Used when remfile is built and, installed with it, when it
# is found: whoever links remfile gets their own HDF5 on the link line.
#
# In this order:
#   REMFILE_HDF5_TARGET   a target that the user names
#   hdf5::hdf5, ...       a target that the project around us has made or found already
#   find_package(HDF5)    CMake's module, which also asks HDF5's own package config; and where the
#                         project has no C compiler, which the module needs, a plain look for the files
#
# Sets REMFILE_HDF5_VERSION ("1.14.6", or empty where no header tells) and REMFILE_HDF5_ORIGIN (the
# target). Makes no target where HDF5 is not found.
set(REMFILE_HDF5_TARGET
    ""
    CACHE STRING "CMake target of the HDF5 C library that remfile uses; empty: look for it")

# The version in the headers of `target`, or `fallback`.
function(_remfile_hdf5_version target fallback result)
  set(version "${fallback}")
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  # A target of this very build names its folders as $<BUILD_INTERFACE:folder>.
  string(REGEX REPLACE "\\$<BUILD_INTERFACE:([^>]*)>" "\\1" folders "${folders}")
  foreach(folder IN LISTS folders)
    if(EXISTS "${folder}/H5public.h")
      file(STRINGS "${folder}/H5public.h" lines REGEX "define H5_VERS_(MAJOR|MINOR|RELEASE)")
      if("${lines}" MATCHES "MAJOR[ \t]+([0-9]+).*MINOR[ \t]+([0-9]+).*RELEASE[ \t]+([0-9]+)")
        set(version "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
      endif()
    endif()
  endforeach()
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# The first of the names under which HDF5's C library is known as a target.
macro(_remfile_hdf5_known_target)
  foreach(_remfile_name hdf5::hdf5 hdf5::hdf5-shared hdf5-shared hdf5::hdf5-static hdf5-static)
    if(TARGET ${_remfile_name} AND NOT REMFILE_HDF5_ORIGIN)
      set(REMFILE_HDF5_ORIGIN ${_remfile_name})
    endif()
  endforeach()
  unset(_remfile_name)
endmacro()

# A target of the header and the library; Debian keeps its builds apart in folders of their own.
macro(_remfile_hdf5_from_files)
  find_path(REMFILE_HDF5_INCLUDE_DIR hdf5.h HINTS ${HDF5_ROOT} ENV HDF5_ROOT PATH_SUFFIXES include hdf5/serial)
  find_library(REMFILE_HDF5_LIBRARY hdf5 HINTS ${HDF5_ROOT} ENV HDF5_ROOT PATH_SUFFIXES lib hdf5/serial)
  mark_as_advanced(REMFILE_HDF5_INCLUDE_DIR REMFILE_HDF5_LIBRARY)
  if(REMFILE_HDF5_INCLUDE_DIR AND REMFILE_HDF5_LIBRARY)
    add_library(remfile::hdf5_files UNKNOWN IMPORTED)
    set_target_properties(
      remfile::hdf5_files PROPERTIES IMPORTED_LOCATION "${REMFILE_HDF5_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                                  "${REMFILE_HDF5_INCLUDE_DIR}")
    set(REMFILE_HDF5_ORIGIN remfile::hdf5_files)
  endif()
endmacro()

if(NOT TARGET remfile::hdf5)
  set(REMFILE_HDF5_ORIGIN "")
  set(REMFILE_HDF5_VERSION "")
  if(REMFILE_HDF5_TARGET)
    if(NOT TARGET "${REMFILE_HDF5_TARGET}")
      message(FATAL_ERROR "REMFILE_HDF5_TARGET is ${REMFILE_HDF5_TARGET}, which is no target (yet)")
    endif()
    set(REMFILE_HDF5_ORIGIN "${REMFILE_HDF5_TARGET}")
  else()
    _remfile_hdf5_known_target()
    if(NOT REMFILE_HDF5_ORIGIN)
      if(CMAKE_C_COMPILER_LOADED)
        find_package(HDF5 QUIET COMPONENTS C)
      else()
        find_package(HDF5 CONFIG QUIET HINTS ${HDF5_ROOT} $ENV{HDF5_ROOT})
      endif()
      if(HDF5_FOUND)
        _remfile_hdf5_known_target()
      elseif(NOT CMAKE_C_COMPILER_LOADED)
        _remfile_hdf5_from_files()
      endif()
    endif()
  endif()
  if(REMFILE_HDF5_ORIGIN)
    _remfile_hdf5_version(${REMFILE_HDF5_ORIGIN} "${HDF5_VERSION}" REMFILE_HDF5_VERSION)
    add_library(remfile::hdf5 INTERFACE IMPORTED)
    target_link_libraries(remfile::hdf5 INTERFACE ${REMFILE_HDF5_ORIGIN})
  endif()
endif()
