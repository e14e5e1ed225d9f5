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

/// `text` as a value in a query.
pub(crate) fn encoded(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric();
    text.bytes().map(|b| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Runs the test `name` of this program in a process of its own, with `environment`; true in that process.
///
/// The environment must not be changed while other threads run, and tests do.
pub(crate) fn alone(name: &str, environment: &[(&str, &str)]) -> bool {
    const MARK: &str = "REMFILE_TEST_ALONE";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let mut command = std::process::Command::new(program);
    command.args([name, "--exact", "--test-threads=1"]).env(MARK, "1").envs(environment.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    false
}

/// A new file with `text` in it, for this process alone.
pub(crate) fn scratch_file(name: &str, text: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("remfile-{name}-{}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}
