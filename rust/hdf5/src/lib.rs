//! Read remote HDF5 files with the `hdf5` crates.
//!
//! ```no_run
//! use hdf5::File; // the crate hdf5-metno
//!
//! let id = remfile_hdf5::open("https://example.org/recording.nwb", &remfile_hdf5::Options::default())?;
//! // SAFETY: `id` is an open file, and nobody else closes it.
//! let file = unsafe { hdf5::from_id::<File>(id) }?;
//! let data = file.dataset("acquisition/ElectricalSeries/data")?.read_raw::<i16>()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This is remfile's HDF5 Virtual File Driver, the C++ one, compiled against the HDF5 that hdf5-sys found.
//! Targets of external links and sources of virtual datasets are read by it, too. Both functions here take the
//! lock under which the crates call libhdf5, so any thread may call them.

use std::ffi::{c_char, c_int};

use hdf5_sys::LOCK;
use hdf5_sys::h5i::hid_t;
// Its functions are called from C++; this has it linked.
use remfile_bridge as _;

pub use remfile::{Error, ErrorCode, Options, Result};

/// As in `calls.cpp`.
#[repr(C)]
struct Failure {
    code: c_int,
    http_status: c_int,
    message: [u8; 2048],
}

unsafe extern "C" {
    fn remfile_hdf5_open(
        url: *const c_char,
        url_size: usize,
        options: *const c_char,
        options_size: usize,
        failure: *mut Failure,
    ) -> hid_t;
    fn remfile_hdf5_set_fapl(fapl: hid_t, options: *const c_char, options_size: usize, failure: *mut Failure);
}

impl Failure {
    fn none() -> Self {
        Self { code: 0, http_status: 0, message: [0; 2048] }
    }

    fn into_result<T>(self, value: T) -> Result<T> {
        if self.code == 0 {
            return Ok(value);
        }
        let code = ErrorCode::ALL
            .into_iter()
            .find(|known| *known as c_int == self.code)
            .unwrap_or(ErrorCode::Internal);
        let size = self.message.iter().position(|&byte| byte == 0).unwrap_or(self.message.len());
        // Its sentence tells the attempts, too.
        let error = Error::new(code, String::from_utf8_lossy(&self.message[..size]));
        Err(match u16::try_from(self.http_status) {
            Ok(status) if status > 0 => error.with_status(status),
            _ => error,
        })
    }
}

/// Opens `url` read-only. The caller owns the identifier: it is closed with `H5Fclose`, or by the
/// `hdf5::File` that `hdf5::from_id` makes of it.
///
/// # Errors
/// What the driver found where it failed (`NotFound`, `Denied`, ...), else `NotHdf5` or `Hdf5` with libhdf5's
/// own message.
pub fn open(url: &str, options: &Options) -> Result<hid_t> {
    let options = options.to_string();
    let mut failure = Failure::none();
    let _lock = LOCK.lock();
    // SAFETY: texts with their sizes, and a place for the failure; libhdf5 is locked.
    let file = unsafe {
        remfile_hdf5_open(
            url.as_ptr().cast(),
            url.len(),
            options.as_ptr().cast(),
            options.len(),
            &raw mut failure,
        )
    };
    failure.into_result(file)
}

/// Makes the file access property list `fapl` open files through remfile.
///
/// # Errors
/// `Hdf5` where libhdf5 refuses, `fapl` being no such list, for example.
pub fn set_fapl(fapl: hid_t, options: &Options) -> Result<()> {
    let options = options.to_string();
    let mut failure = Failure::none();
    let _lock = LOCK.lock();
    // SAFETY: a text with its size and a place for the failure; libhdf5 checks `fapl` and is locked.
    unsafe { remfile_hdf5_set_fapl(fapl, options.as_ptr().cast(), options.len(), &raw mut failure) };
    failure.into_result(())
}
