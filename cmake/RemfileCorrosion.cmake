# Corrosion, which builds crates from CMake. Taken from, in this order: the project around us, the system
# or CMAKE_PREFIX_PATH, .cache/corrosion (scripts/setup puts it there), its repository.
set(remfile_cache "${CMAKE_CURRENT_LIST_DIR}/../.cache")

# 0.6 is the first that finds the toolchain of rustup 1.28 and later.
if(NOT COMMAND corrosion_import_crate)
  find_package(Corrosion 0.6 CONFIG QUIET PATHS "${remfile_cache}/corrosion/usr")
endif()
if(NOT COMMAND corrosion_import_crate)
  message(STATUS "remfile: Corrosion is not installed, fetching it")
  include(FetchContent)
  FetchContent_Declare(
    Corrosion
    GIT_REPOSITORY https://github.com/corrosion-rs/corrosion.git
    GIT_TAG v0.6.1
    GIT_SHALLOW ON)
  FetchContent_MakeAvailable(Corrosion)
endif()

# Corrosion looks for `cxxbridge` in the PATH and builds one in the build folder if its version is not
# that of the crate cxx in Cargo.lock. What scripts/setup installed comes first.
if(EXISTS "${remfile_cache}/cargo/bin/cxxbridge")
  set(INSTALLED_CXXBRIDGE
      "${remfile_cache}/cargo/bin/cxxbridge"
      CACHE FILEPATH "cxxbridge, of the version of the crate cxx")
endif()
