//! A program's function that supplies fresh URLs, which comes over the bridge as two addresses: cxx has
//! no way for a function pointer from C++ to Rust.

use std::ffi::{c_char, c_int, c_void};

use crate::ffi;

/// As `refresh_url` in `remfile/remfile_vfd.h` documents it.
type Function = unsafe extern "C" fn(user: *mut c_void, url: *mut c_char, size: usize) -> c_int;

/// Room for a URL; servers take 8 KiB or less.
const URL_BYTES: usize = 64 * 1024;

type Fresh = Result<String, Box<dyn std::error::Error + Send + Sync>>;

/// Something to call, if there is a function.
pub(crate) fn refresher(refresh: &ffi::Refresh) -> Option<impl Fn() -> Fresh + Send + Sync + 'static> {
    let (function, user) = (refresh.function, refresh.user);
    // SAFETY: C++ made the number from a pointer to a function of this type, or from null, which is None.
    let function = unsafe { std::mem::transmute::<usize, Option<Function>>(function) }?;
    Some(move || call(function, user))
}

fn call(function: Function, user: usize) -> Fresh {
    let mut buffer = vec![0_u8; URL_BYTES];
    // SAFETY: the buffer has the room that is announced, less a byte that keeps its end. The program
    // promises that `user` is alive as long as the file, and that its function may be called from the
    // threads that use it, one at a time.
    let outcome = unsafe { function(user as *mut c_void, buffer.as_mut_ptr().cast(), URL_BYTES - 1) };
    buffer.truncate(buffer.iter().position(|byte| *byte == 0).unwrap_or(0));
    match (outcome, String::from_utf8(buffer)) {
        (0, Ok(url)) => Ok(url),
        (_, Ok(why)) if !why.is_empty() => Err(why.into()),
        (0, Err(_)) => Err("its callback returned a URL that is not UTF-8".into()),
        _ => Err("its callback returned a failure".into()),
    }
}

#[cfg(test)]
mod tests;
