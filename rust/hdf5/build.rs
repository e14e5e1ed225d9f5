//! Compiles the C++ half of remfile, the driver included, against the HDF5 that hdf5-sys found.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Of `cpp/src`, as in `cmake/RemfileLibrary.cmake`.
const SOURCES: [&str; 4] = ["driver.cpp", "error.cpp", "options.cpp", "hdf5.cpp"];
const FOLDERS: [&str; 2] = ["vfd", "hdf5"];

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let top = here.join("../..");
    let cpp = top.join("cpp");
    let hdf5 = env::var("DEP_HDF5_INCLUDE")?;

    let bridge = generate_bridge(&top.join("rust/bridge/src/lib.rs"), &out)?;
    generate_version(&cpp.join("src/version.hpp.in"), &out)?;

    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").include(&out).include(cpp.join("include")).include(cpp.join("src"));
    for folder in hdf5.split(';').filter(|folder| !folder.is_empty()) {
        build.include(folder);
    }
    build.flag_if_supported("-fvisibility=hidden");
    // What cxx wrote; its warnings are not ours.
    build.clone().warnings(false).file(bridge).compile("remfile_cxxbridge");
    for source in SOURCES {
        build.file(cpp.join("src").join(source));
    }
    for folder in FOLDERS {
        for entry in fs::read_dir(cpp.join("src").join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "cpp") {
                build.file(path);
            }
        }
    }
    build.file(here.join("src/calls.cpp")).compile("remfile_vfd");

    for path in [cpp.join("src"), cpp.join("include"), here.join("src/calls.cpp")] {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    Ok(())
}

/// The C++ of the bridge: `OUT/remfile_bridge/lib.h`, `OUT/rust/cxx.h` and the source that is returned.
fn generate_bridge(bridge: &Path, out: &Path) -> Result<PathBuf, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", bridge.display());
    let tokens =
        fs::read_to_string(bridge)?.parse::<proc_macro2::TokenStream>().map_err(|error| error.to_string())?;
    let code = cxx_gen::generate_header_and_cc(tokens, &cxx_gen::Opt::default())?;
    fs::create_dir_all(out.join("remfile_bridge"))?;
    fs::create_dir_all(out.join("rust"))?;
    fs::write(out.join("remfile_bridge/lib.h"), code.header)?;
    fs::write(out.join("rust/cxx.h"), cxx_gen::HEADER)?;
    let source = out.join("remfile_bridge.cc");
    fs::write(&source, code.implementation)?;
    Ok(source)
}

fn generate_version(template: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut text = fs::read_to_string(template)?;
    for (name, variable) in [
        ("PROJECT_VERSION", "CARGO_PKG_VERSION"),
        ("PROJECT_VERSION_MAJOR", "CARGO_PKG_VERSION_MAJOR"),
        ("PROJECT_VERSION_MINOR", "CARGO_PKG_VERSION_MINOR"),
        ("PROJECT_VERSION_PATCH", "CARGO_PKG_VERSION_PATCH"),
    ] {
        text = text.replace(&format!("@{name}@"), &env::var(variable)?);
    }
    fs::create_dir_all(out.join("remfile"))?;
    fs::write(out.join("remfile/version.hpp"), text)?;
    Ok(())
}
