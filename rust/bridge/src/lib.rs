//! The only way between Rust and C++: signatures here, nothing else.
//!
//! cxx ends the process on a panic and turns an `Err` into bare text, so no function here returns a
//! `Result`: each is one guarded line that reports through a `Status` with a code.

mod guard;
mod refresh;

use remfile::{ByteRange, RemoteFile};

use crate::guard::{content_of, guarded, opened, pieces_of, text};

#[allow(unreachable_pub, reason = "cxx makes the shared types pub")]
#[cxx::bridge(namespace = "remfile_bridge")]
mod ffi {
    /// How a call ended; `code` is 0 or one of `remfile::ErrorCode`.
    struct Status {
        code: i32,
        http_status: i32,
        attempts: u32,
        message: String,
    }

    /// Supplies fresh URLs: a C function and what it is handed, as addresses; 0 for none.
    struct Refresh {
        function: usize,
        user: usize,
    }

    struct Range {
        offset: u64,
        size: u64,
    }

    /// `remfile::ReadPiece`; `buffer` is an address.
    struct ReadPiece {
        offset: u64,
        buffer: usize,
        size: usize,
        content: i32,
    }

    /// `remfile::Options`, field by field.
    struct Options {
        min_chunk_size: u64,
        max_cache_size: u64,
        max_chunk_size: u64,
        verbose: bool,
        head_size: u64,
        read_ahead: bool,
        hints: bool,
        complete_small_files: bool,
        max_connections: u32,
        connect_timeout_ms: u64,
        stall_timeout_ms: u64,
        read_timeout_ms: u64,
        max_retries: u32,
        user_agent: Vec<u8>,
        ca_file: Vec<u8>,
        verify_tls: bool,
        proxy: Vec<u8>,
        http2: bool,
        local_links: bool,
        authorization: Vec<u8>,
        username: Vec<u8>,
        password: Vec<u8>,
        headers: Vec<u8>,
        cookies: Vec<u8>,
        cookie_file: Vec<u8>,
        netrc: bool,
        credentials_host: Vec<u8>,
        max_whole_file: u64,
        s3_region: Vec<u8>,
        s3_endpoint: Vec<u8>,
        s3_path_style: bool,
        s3_requester_pays: bool,
        s3_anonymous: bool,
    }

    /// `remfile::Stats`, field by field.
    #[derive(Default)]
    struct Stats {
        reads: u64,
        read_bytes: u64,
        requests: u64,
        fetched_bytes: u64,
        round_trips: u64,
        retries: u64,
        backoff_ms: u64,
        connections: u64,
        hit_blocks: u64,
        missed_blocks: u64,
        guessed_bytes: u64,
        proved_bytes: u64,
        wasted_bytes: u64,
        evicted_blocks: u64,
        cached_bytes: u64,
    }

    extern "Rust" {
        type File;

        fn open(url: &[u8], options: &Options, refresh: &Refresh, status: &mut Status) -> Box<File>;
        fn size(self: &File) -> u64;
        fn url(self: &File, status: &mut Status) -> String;
        fn identity(self: &File, status: &mut Status) -> String;
        fn read(self: &File, offset: u64, buffer: &mut [u8], content: i32, status: &mut Status);
        /// # Safety
        /// Every buffer may be written to, by nobody else during the call.
        unsafe fn read_vector(self: &File, pieces: &[ReadPiece], status: &mut Status);
        fn prefetch(self: &File, ranges: &[Range], status: &mut Status);
        fn stats(self: &File, status: &mut Status) -> Stats;

        fn parse_options(text: &[u8], status: &mut Status) -> Options;
        fn print_options(options: &Options, status: &mut Status) -> String;
        fn libcurl_version(status: &mut Status) -> String;
    }
}

/// A file that was opened, or nothing where opening failed.
pub struct File(Option<RemoteFile>);

fn open(url: &[u8], options: &ffi::Options, refresh: &ffi::Refresh, status: &mut ffi::Status) -> Box<File> {
    Box::new(File(guarded(status, || opened(text(url, "the URL")?, &options.to_core()?, refresh).map(Some))))
}

impl File {
    fn size(&self) -> u64 {
        self.0.as_ref().map_or(0, RemoteFile::size)
    }

    fn url(&self, status: &mut ffi::Status) -> String {
        guarded(status, || Ok(self.opened()?.url().to_owned()))
    }

    fn identity(&self, status: &mut ffi::Status) -> String {
        guarded(status, || Ok(self.opened()?.identity()))
    }

    fn read(&self, offset: u64, buffer: &mut [u8], content: i32, status: &mut ffi::Status) {
        guarded(status, || self.opened()?.read_content(offset, buffer, content_of(content)));
    }

    /// # Safety
    /// As declared above.
    unsafe fn read_vector(&self, pieces: &[ffi::ReadPiece], status: &mut ffi::Status) {
        // SAFETY: what the caller says of the buffers.
        guarded(status, || self.opened()?.read_vector(&unsafe { pieces_of(pieces) }?));
    }

    fn prefetch(&self, ranges: &[ffi::Range], status: &mut ffi::Status) {
        let core = |range: &ffi::Range| ByteRange::new(range.offset, range.offset.saturating_add(range.size));
        guarded(status, || self.opened()?.prefetch(&ranges.iter().map(core).collect::<Vec<_>>()));
    }

    fn stats(&self, status: &mut ffi::Status) -> ffi::Stats {
        guarded(status, || Ok(self.opened()?.stats().into()))
    }
}

fn parse_options(options: &[u8], status: &mut ffi::Status) -> ffi::Options {
    guarded(status, || Ok(text(options, "the options")?.parse::<remfile::Options>()?.into()))
}

fn print_options(options: &ffi::Options, status: &mut ffi::Status) -> String {
    guarded(status, || Ok(options.to_core()?.to_string()))
}

fn libcurl_version(status: &mut ffi::Status) -> String {
    guarded(status, || Ok(remfile::libcurl_version().to_owned()))
}
