# The Rust half: target `remfile_bridge-static` is the crate rust/bridge as a static library, target
# `remfile_cxxbridge` the C++ that cxx generates for it.
include(RemfileCorrosion)

corrosion_import_crate(
  MANIFEST_PATH
  "${PROJECT_SOURCE_DIR}/Cargo.toml"
  CRATES
  remfile-bridge
  CRATE_TYPES
  staticlib
  LOCKED
  # An unoptimised core only where that was asked for: a project without a build type gets release.
  PROFILE
  "$<IF:$<CONFIG:Debug>,dev,release>")

# Corrosion includes generated headers as <target>/lib.h, and the crate has taken the target name
# `remfile_bridge`, by which our sources know the header.
corrosion_add_cxxbridge(remfile_cxxbridge CRATE remfile_bridge FILES lib.rs)
set(REMFILE_BRIDGE_INCLUDE_DIR "${CMAKE_CURRENT_BINARY_DIR}/bridge")
file(CONFIGURE OUTPUT "${REMFILE_BRIDGE_INCLUDE_DIR}/remfile_bridge/lib.h"
     CONTENT "#include \"remfile_cxxbridge/lib.h\" // IWYU pragma: export\n")
