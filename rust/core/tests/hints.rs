//! Hints change requests, never bytes: real files read with hints off, on and deliberately wrong.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::{Path, PathBuf};

use remfile::{Content, RemoteFile};
use remfile_test_server::{Config, Server};
use support::options;

const CONTENTS: [Content; 7] = [
    Content::Default,
    Content::Superblock,
    Content::BTree,
    Content::Raw,
    Content::GlobalHeap,
    Content::LocalHeap,
    Content::ObjectHeader,
];

/// The large collection where the environment names it, else what lies in the repository.
fn corpus() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    std::env::var_os("REMFILE_CORPUS_DIR").map_or(own, PathBuf::from)
}

/// Some places of a file in an order that looks like metadata, chunks, or nothing.
fn places(size: u64) -> Vec<(u64, usize)> {
    let mut state = size;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 24
    };
    let mut places: Vec<(u64, usize)> = [(0, 8), (0, 96), (48, 48), (96, 512), (800, 544)].into();
    for _ in 0..60 {
        places.push((random() % size, usize::try_from(random() % 3000).unwrap()));
    }
    let step = (size / 30).max(1);
    places.extend((0..30).map(|i| (i * step, 700)));
    places
        .into_iter()
        .filter(|(offset, _)| *offset < size)
        .map(|(offset, length)| (offset, length.min(usize::try_from(size - offset).unwrap())))
        .collect()
}

#[test]
fn bytes_are_the_same_with_hints_off_on_and_deliberately_wrong() {
    let root = corpus();
    let server = Server::start(Config { root: Some(root.clone()), ..Config::default() }).unwrap();
    let mut files = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let Some("hdf5" | "h5" | "nwb") = path.extension().and_then(|e| e.to_str()) else { continue };
        files += 1;
        let truth = std::fs::read(&path).unwrap();
        let url = server.url(&format!("files/{}", path.file_name().unwrap().to_str().unwrap()));
        for (text, shift) in [("hints=0", 0), ("hints=1", 0), ("hints=1", 1), ("hints=1", 2), ("hints=1", 3)]
        {
            let text = format!("{text}, min_chunk_size=1024, head_size=1024, complete_small_files=0");
            let file = RemoteFile::open(&url, &options(&text)).unwrap();
            assert_eq!(file.size(), truth.len() as u64);
            for (i, (offset, length)) in places(file.size()).into_iter().enumerate() {
                let mut bytes = vec![0xEE; length];
                file.read_content(offset, &mut bytes, CONTENTS[(i * 5 + shift) % 7]).unwrap();
                let start = usize::try_from(offset).unwrap();
                assert!(bytes == truth[start..start + length], "{url}: {length} bytes at {offset}");
            }
        }
    }
    assert!(files > 30, "only {files} files");
}

#[test]
fn heap_collections_that_libhdf5_calls_raw_data_make_no_stream() {
    let folder = std::env::temp_dir().join(format!("remfile-heaps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let guessed = |signature: &[u8]| {
        let mut bytes = vec![0; 3_000_000];
        for collection in bytes[..500_000].chunks_mut(4096) {
            let length = signature.len().min(collection.len());
            collection[..length].copy_from_slice(&signature[..length]);
        }
        std::fs::write(folder.join("heaps"), &bytes).unwrap();
        let server = Server::start(Config { root: Some(folder.clone()), ..Config::default() }).unwrap();
        let url = server.url("files/heaps");
        let file = RemoteFile::open(&url, &options("complete_small_files=0")).unwrap();
        let before = file.stats().guessed_bytes;
        for collection in 0..100 {
            file.read_content(collection * 4096, &mut [0; 4096], Content::Raw).unwrap();
        }
        file.stats().guessed_bytes - before
    };
    // The three places behind the head where a superblock might be are looked at in any case, one after the other.
    assert!(guessed(b"GCOL") <= 3 * 102_400);
    assert!(guessed(b"data") > 500_000);
    std::fs::remove_dir_all(folder).unwrap();
}
