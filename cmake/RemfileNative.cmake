# The system's libraries that remfile stands on. Corrosion knows those of Rust's standard library
# only, so the crate's own (libcurl) is given here.
find_package(Threads REQUIRED)
set(REMFILE_NATIVE_LIBRARIES Threads::Threads)
if(NOT REMFILE_STATIC_CURL)
  find_package(CURL REQUIRED)
  if(CURL_VERSION_STRING AND CURL_VERSION_STRING VERSION_LESS 7.68) # curl_multi_poll, curl_multi_wakeup
    message(FATAL_ERROR "remfile needs libcurl 7.68 or newer; this is ${CURL_VERSION_STRING}")
  endif()
  list(PREPEND REMFILE_NATIVE_LIBRARIES CURL::libcurl)
endif()
if(UNIX)
  list(APPEND REMFILE_NATIVE_LIBRARIES ${CMAKE_DL_LIBS} m)
endif()
if(WIN32)
  # untested; what `rustc --print native-static-libs` says for Windows
  list(APPEND REMFILE_NATIVE_LIBRARIES ws2_32 userenv ntdll bcrypt advapi32 kernel32)
endif()

# HDF5: target remfile::hdf5, and REMFILE_HDF5 tells whether to build the file driver.
set(REMFILE_HDF5 OFF)
if(REMFILE_WITH_HDF5)
  include(RemfileHDF5)
  if(TARGET remfile::hdf5)
    set(REMFILE_HDF5 ON)
    message(STATUS "remfile: with the HDF5 file driver, for HDF5 ${REMFILE_HDF5_VERSION} (${REMFILE_HDF5_ORIGIN})")
  elseif(REMFILE_WITH_HDF5 STREQUAL "AUTO")
    message(STATUS "remfile: without the HDF5 file driver, for HDF5 was not found (REMFILE_WITH_HDF5=AUTO)")
  else()
    message(FATAL_ERROR "remfile: REMFILE_WITH_HDF5 is ${REMFILE_WITH_HDF5}, but HDF5 was not found. Set HDF5_ROOT, "
                        "CMAKE_PREFIX_PATH or REMFILE_HDF5_TARGET.")
  endif()
endif()
if(REMFILE_HDF5 AND REMFILE_HDF5_VERSION AND REMFILE_HDF5_VERSION VERSION_LESS 1.10)
  message(FATAL_ERROR "remfile needs HDF5 1.10 or newer; this is ${REMFILE_HDF5_VERSION}")
endif()
