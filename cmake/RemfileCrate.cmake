# The Rust half: target `remfile_bridge-static` is the crate rust/bridge as a static library, target
# `remfile_cxxbridge` the C++ that cxx generates for it.
include(RemfileCorrosion)

# libcurl is compiled from the crate that carries it. OpenSSL's static library is the system's, which is kept up
# to date there, or is compiled as well (minutes) where the system has none.
set(features)
set(cargo_variables)
if(REMFILE_STATIC_CURL)
  set(OPENSSL_USE_STATIC_LIBS ON)
  find_package(OpenSSL QUIET)
  unset(OPENSSL_USE_STATIC_LIBS)
  if(OPENSSL_FOUND AND "${OPENSSL_SSL_LIBRARY}" MATCHES "\\.(a|lib)$")
    message(STATUS "remfile: with libcurl and OpenSSL ${OPENSSL_VERSION} inside (${OPENSSL_SSL_LIBRARY})")
    get_filename_component(folder "${OPENSSL_SSL_LIBRARY}" DIRECTORY)
    set(cargo_variables OPENSSL_STATIC=1 "OPENSSL_LIB_DIR=${folder}" "OPENSSL_INCLUDE_DIR=${OPENSSL_INCLUDE_DIR}")
    set(features FEATURES static-curl)
  else()
    message(STATUS "remfile: with libcurl and OpenSSL inside; there is no static OpenSSL here, so it is compiled")
    set(features FEATURES vendored-openssl)
  endif()
endif()

corrosion_import_crate(
  MANIFEST_PATH
  "${PROJECT_SOURCE_DIR}/Cargo.toml"
  CRATES
  remfile-bridge
  CRATE_TYPES
  staticlib
  LOCKED
  ${features}
  # An unoptimised core only where that was asked for: a project without a build type gets release.
  PROFILE
  "$<IF:$<CONFIG:Debug>,dev,release>")
if(cargo_variables)
  corrosion_set_env_vars(remfile_bridge ${cargo_variables})
endif()

# Corrosion includes generated headers as <target>/lib.h, and the crate has taken the target name
# `remfile_bridge`, by which our sources know the header.
corrosion_add_cxxbridge(remfile_cxxbridge CRATE remfile_bridge FILES lib.rs)
set(REMFILE_BRIDGE_INCLUDE_DIR "${CMAKE_CURRENT_BINARY_DIR}/bridge")
file(CONFIGURE OUTPUT "${REMFILE_BRIDGE_INCLUDE_DIR}/remfile_bridge/lib.h"
     CONTENT "#include \"remfile_cxxbridge/lib.h\" // IWYU pragma: export\n")
