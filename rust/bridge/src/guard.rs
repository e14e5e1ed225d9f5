//! Turns errors and panics into a status, and converts what crosses the bridge.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::slice;
use std::sync::Once;

use remfile::{Content, Error, ErrorCode, ReadPiece, RemoteFile, Result};

use crate::refresh::refresher;
use crate::{File, ffi};

/// Runs `body`. Where it fails or panics, the default value is returned and `status` says why.
pub(crate) fn guarded<T: Default>(status: &mut ffi::Status, body: impl FnOnce() -> Result<T>) -> T {
    quiet_panics();
    let outside = INSIDE.replace(true);
    let result = catch_unwind(AssertUnwindSafe(body));
    INSIDE.set(outside);
    let error = match result {
        Ok(Ok(value)) => return value,
        Ok(Err(error)) => error,
        Err(panic) => {
            let what = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            // The payload's own drop must not panic across the bridge either.
            std::mem::forget(panic);
            Error::new(ErrorCode::Internal, format!("a panic, which is a defect in remfile: {what}"))
        }
    };
    status.code = error.code() as i32;
    status.http_status = error.http_status().map_or(0, i32::from);
    status.attempts = error.attempts();
    status.message = error.to_string();
    T::default()
}

thread_local! {
    /// Whether a call from C++ is under way in this thread. Has no destructor, so it can be read at any time.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// remfile's panics are reported as errors, not on the user's terminal. Those of others go where they went: in
/// a Rust program that uses the driver (rust/hdf5) the standard library is not remfile's alone.
fn quiet_panics() {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let ours = INSIDE.get() || std::thread::current().name() == Some("remfile"); // the worker
            if !ours {
                before(panic);
            }
        }));
    });
}

/// Text from C++, which may be any bytes.
pub(crate) fn text<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes)
        .map_err(|_| Error::new(ErrorCode::InvalidUrl, format!("{what} must be UTF-8 text")))
}

/// `remfile::Content`, which counts as libhdf5's `H5FD_mem_t` does.
pub(crate) fn content_of(number: i32) -> Content {
    match number {
        1 => Content::Superblock,
        2 => Content::BTree,
        3 => Content::Raw,
        4 => Content::GlobalHeap,
        5 => Content::LocalHeap,
        6 => Content::ObjectHeader,
        _ => Content::Default,
    }
}

/// The pieces of a vector read. Their buffers may share memory, so they are no `&mut [u8]`.
///
/// # Safety
/// Every buffer may be written to as long as `'a` lasts, by this thread alone.
pub(crate) unsafe fn pieces_of<'a>(pieces: &'a [ffi::ReadPiece]) -> Result<Vec<ReadPiece<'a>>> {
    let piece = |piece: &ffi::ReadPiece| {
        let buffer: &'a [Cell<u8>] = match NonNull::new(piece.buffer as *mut Cell<u8>) {
            Some(_) if isize::try_from(piece.size).is_err() => {
                return Err(Error::new(ErrorCode::OutOfBounds, "no buffer is as large as that of a piece"));
            }
            // SAFETY: the caller's promise; a `Cell<u8>` is laid out as a `u8`, and may be aliased.
            Some(start) => unsafe { slice::from_raw_parts(start.as_ptr(), piece.size) },
            // C++ has null for the address of nothing.
            None => &[],
        };
        Ok(ReadPiece::shared(piece.offset, buffer, content_of(piece.content)))
    };
    pieces.iter().map(piece).collect()
}

pub(crate) fn opened(url: &str, options: &remfile::Options, refresh: &ffi::Refresh) -> Result<RemoteFile> {
    match refresher(refresh) {
        None => RemoteFile::open(url, options),
        Some(refresh) => RemoteFile::open_with_refresh(url, options, refresh),
    }
}

impl File {
    pub(crate) fn opened(&self) -> Result<&RemoteFile> {
        self.0.as_ref().ok_or_else(|| Error::new(ErrorCode::Internal, "the file is not open"))
    }
}

impl ffi::Options {
    pub(crate) fn to_core(&self) -> Result<remfile::Options> {
        let mut options = remfile::Options::default();
        options.min_chunk_size = self.min_chunk_size;
        options.max_cache_size = self.max_cache_size;
        options.max_chunk_size = self.max_chunk_size;
        options.verbose = self.verbose;
        options.head_size = self.head_size;
        options.read_ahead = self.read_ahead;
        options.hints = self.hints;
        options.complete_small_files = self.complete_small_files;
        options.max_connections = self.max_connections;
        options.connect_timeout_ms = self.connect_timeout_ms;
        options.stall_timeout_ms = self.stall_timeout_ms;
        options.read_timeout_ms = self.read_timeout_ms;
        options.max_retries = self.max_retries;
        options.user_agent = option_text(&self.user_agent, "user_agent")?;
        options.ca_file = option_text(&self.ca_file, "ca_file")?;
        options.verify_tls = self.verify_tls;
        options.proxy = option_text(&self.proxy, "proxy")?;
        options.http2 = self.http2;
        options.local_links = self.local_links;
        options.authorization = option_text(&self.authorization, "authorization")?;
        options.username = option_text(&self.username, "username")?;
        options.password = option_text(&self.password, "password")?;
        options.headers = option_text(&self.headers, "headers")?;
        options.cookies = option_text(&self.cookies, "cookies")?;
        options.cookie_file = option_text(&self.cookie_file, "cookie_file")?;
        options.netrc = self.netrc;
        options.credentials_host = option_text(&self.credentials_host, "credentials_host")?;
        options.max_whole_file = self.max_whole_file;
        options.s3_region = option_text(&self.s3_region, "s3_region")?;
        options.s3_endpoint = option_text(&self.s3_endpoint, "s3_endpoint")?;
        options.s3_path_style = self.s3_path_style;
        options.s3_requester_pays = self.s3_requester_pays;
        options.s3_anonymous = self.s3_anonymous;
        Ok(options)
    }
}

fn option_text(bytes: &[u8], name: &str) -> Result<String> {
    String::from_utf8(bytes.to_vec())
        .map_err(|_| Error::new(ErrorCode::InvalidOption, format!("the option {name} must be UTF-8 text")))
}

impl From<remfile::Options> for ffi::Options {
    fn from(options: remfile::Options) -> Self {
        Self {
            min_chunk_size: options.min_chunk_size,
            max_cache_size: options.max_cache_size,
            max_chunk_size: options.max_chunk_size,
            verbose: options.verbose,
            head_size: options.head_size,
            read_ahead: options.read_ahead,
            hints: options.hints,
            complete_small_files: options.complete_small_files,
            max_connections: options.max_connections,
            connect_timeout_ms: options.connect_timeout_ms,
            stall_timeout_ms: options.stall_timeout_ms,
            read_timeout_ms: options.read_timeout_ms,
            max_retries: options.max_retries,
            user_agent: options.user_agent.into_bytes(),
            ca_file: options.ca_file.into_bytes(),
            verify_tls: options.verify_tls,
            proxy: options.proxy.into_bytes(),
            http2: options.http2,
            local_links: options.local_links,
            authorization: options.authorization.into_bytes(),
            username: options.username.into_bytes(),
            password: options.password.into_bytes(),
            headers: options.headers.into_bytes(),
            cookies: options.cookies.into_bytes(),
            cookie_file: options.cookie_file.into_bytes(),
            netrc: options.netrc,
            credentials_host: options.credentials_host.into_bytes(),
            max_whole_file: options.max_whole_file,
            s3_region: options.s3_region.into_bytes(),
            s3_endpoint: options.s3_endpoint.into_bytes(),
            s3_path_style: options.s3_path_style,
            s3_requester_pays: options.s3_requester_pays,
            s3_anonymous: options.s3_anonymous,
        }
    }
}

impl Default for ffi::Options {
    fn default() -> Self {
        remfile::Options::default().into()
    }
}

impl From<remfile::Stats> for ffi::Stats {
    fn from(stats: remfile::Stats) -> Self {
        Self {
            reads: stats.reads,
            read_bytes: stats.read_bytes,
            requests: stats.requests,
            fetched_bytes: stats.fetched_bytes,
            round_trips: stats.round_trips,
            retries: stats.retries,
            backoff_ms: stats.backoff_ms,
            connections: stats.connections,
            hit_blocks: stats.hit_blocks,
            missed_blocks: stats.missed_blocks,
            guessed_bytes: stats.guessed_bytes,
            proved_bytes: stats.proved_bytes,
            wasted_bytes: stats.wasted_bytes,
            evicted_blocks: stats.evicted_blocks,
            cached_bytes: stats.cached_bytes,
        }
    }
}

#[cfg(test)]
mod tests;
