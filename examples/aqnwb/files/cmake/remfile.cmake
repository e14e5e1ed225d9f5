# ---- Remote files ----

# HDF5IO::openRemote reads files over HTTP(S) through remfile. With the option off
# it is there all the same, and fails saying that it was built without.
option(AQNWB_WITH_REMFILE "Read remote files with remfile (HDF5IO::openRemote)" OFF)

if(AQNWB_WITH_REMFILE)
  # In this order: the target of a project around this one, an installed package,
  # the source (FETCHCONTENT_SOURCE_DIR_REMFILE names a checkout to take instead).
  if(NOT TARGET remfile::remfile AND NOT FETCHCONTENT_SOURCE_DIR_REMFILE)
    find_package(remfile CONFIG QUIET COMPONENTS hdf5)
  endif()
  if(NOT TARGET remfile::remfile)
    # Installed with AqNWB, to be found with it
    set(REMFILE_INSTALL ON)
    set(REMFILE_WITH_HDF5 ON)
    include(FetchContent)
    FetchContent_Declare(
        remfile
        GIT_REPOSITORY https://github.com/remfile/remfile
        GIT_TAG main
    )
    FetchContent_MakeAvailable(remfile)
  endif()

  # Nothing of remfile is in AqNWB's headers. Who links an installed static AqNWB
  # gets it from install-remfile.cmake.
  target_link_libraries(
      aqnwb_aqnwb PRIVATE
      $<BUILD_INTERFACE:remfile::remfile>
  )
  target_compile_definitions(aqnwb_aqnwb PRIVATE AQNWB_WITH_REMFILE)
endif()
