//! What the tests against the server share.

#![allow(dead_code, clippy::unwrap_used, reason = "not every test file uses everything")]

use std::time::Duration;

use remfile::{Options, RemoteFile};
use remfile_test_server::{Config, Entry, Server, generated};

pub(crate) fn server() -> Server {
    Server::start(Config::default()).unwrap()
}

pub(crate) fn options(text: &str) -> Options {
    text.parse().unwrap()
}

/// Opens with the defaults, but never fetches the rest of a small file: when that pays depends on how
/// fast the machine happens to be.
pub(crate) fn open(server: &Server, path: &str) -> RemoteFile {
    RemoteFile::open(&server.url(path), &options("complete_small_files=0")).unwrap()
}

/// Reads and compares with what the server makes of the same place.
pub(crate) fn read(file: &RemoteFile, offset: u64, length: usize) -> remfile::Result<()> {
    let mut buffer = vec![0xEE; length];
    file.read(offset, &mut buffer)?;
    assert!(buffer == content(offset, length), "wrong bytes: {length} at {offset}");
    Ok(())
}

pub(crate) fn content(offset: u64, length: usize) -> Vec<u8> {
    let mut content = vec![0; length];
    generated(0, offset, &mut content);
    content
}

/// The log once nothing is in flight any more.
pub(crate) fn log(server: &Server) -> Vec<Entry> {
    assert!(server.wait_idle(Duration::from_secs(20)));
    server.log()
}

pub(crate) fn ranges(server: &Server) -> Vec<(u64, u64)> {
    log(server).iter().map(|entry| entry.range.unwrap()).collect()
}
