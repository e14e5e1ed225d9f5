//! The high-level `hdf5` crate reads a remote file through remfile.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use hdf5::File;
use remfile_hdf5::{ErrorCode, Options};
use remfile_test_server::{Config, Server};

const NWB: &str = "pynwb_ephys_chunked.nwb";

fn data() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data"))
}

fn serve() -> Server {
    Server::start(Config { root: Some(data().to_owned()), ..Config::default() }).unwrap()
}

fn open(url: &str) -> File {
    let id = remfile_hdf5::open(url, &Options::default()).unwrap();
    // SAFETY: an open file that nobody else closes.
    unsafe { hdf5::from_id(id) }.unwrap()
}

/// Every dataset's name and, as bytes of 64-bit numbers, what numbers it holds.
fn numbers(group: &hdf5::Group, found: &mut Vec<(String, Vec<f64>)>) {
    for dataset in group.datasets().unwrap() {
        found.push((dataset.name(), dataset.read_raw::<f64>().unwrap_or_default()));
    }
    for group in group.groups().unwrap() {
        numbers(&group, found);
    }
}

#[test]
fn reads_the_same_remotely_as_locally() {
    let server = serve();
    let (mut remote, mut local) = (Vec::new(), Vec::new());
    numbers(&open(&server.url(&format!("files/{NWB}"))), &mut remote);
    numbers(&File::open(data().join(NWB)).unwrap(), &mut local);
    assert_eq!(remote, local);
    assert!(local.iter().map(|(_, values)| values.len()).sum::<usize>() > 1000);
}

#[test]
fn an_error_has_a_code_and_the_servers_words() {
    let server = serve();
    let error = remfile_hdf5::open(&server.url("files/missing.h5"), &Options::default()).unwrap_err();
    assert_eq!((error.code(), error.http_status()), (ErrorCode::NotFound, Some(404)));
    assert!(error.to_string().contains("there is no such file (HTTP 404"), "{error}");
    let options = Options::default();
    assert_eq!(remfile_hdf5::open("/etc/passwd", &options).unwrap_err().code(), ErrorCode::InvalidUrl);
}

#[test]
fn options_reach_the_driver() {
    let server = serve();
    let url = server.url(&format!("files/{NWB}?require_header=user-agent:from%20Rust"));
    let mut options: Options = "max_retries=0".parse().unwrap();
    assert_eq!(remfile_hdf5::open(&url, &options).unwrap_err().code(), ErrorCode::Denied);
    options.user_agent = "from Rust".to_owned();
    let id = remfile_hdf5::open(&url, &options).unwrap();
    // SAFETY: an open file that nobody else closes.
    let file: File = unsafe { hdf5::from_id(id) }.unwrap();
    assert!(!file.member_names().unwrap().is_empty());
}

#[test]
fn a_property_list_opens_files_through_remfile() {
    let server = serve();
    let url = server.url(&format!("files/{NWB}"));
    let fapl = hdf5::plist::FileAccess::try_new().unwrap();
    remfile_hdf5::set_fapl(fapl.id(), &Options::default()).unwrap();
    let name = std::ffi::CString::new(url).unwrap();
    let id = hdf5::sync::sync(|| {
        // SAFETY: a name that ends with NUL and a property list; libhdf5 is locked.
        unsafe { hdf5_sys::h5f::H5Fopen(name.as_ptr(), hdf5_sys::h5f::H5F_ACC_RDONLY, fapl.id()) }
    });
    // SAFETY: as above.
    let file: File = unsafe { hdf5::from_id(id) }.unwrap();
    assert!(file.group("acquisition").is_ok());
    assert_eq!(remfile_hdf5::set_fapl(file.id(), &Options::default()).unwrap_err().code(), ErrorCode::Hdf5);
}
