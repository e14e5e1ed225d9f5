//! Random reads through a random schedule of faults: every read equals the file, or fails as it should.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use proptest::prelude::*;
use remfile::RemoteFile;
use support::{content, options, server};

const SIZE: u64 = 3_000_000;

/// Faults that may pass, each hitting one or two of the requests of a file.
fn fault() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        Just("status=503".to_owned()),
        Just("status=429&retry_after=0".to_owned()),
        Just("reset=1".to_owned()),
        (0u32..200_000).prop_map(|n| format!("cut={n}")),
        (1u32..50_000).prop_map(|n| format!("short={n}")),
        Just("chunked=1".to_owned()),
        Just("etag=weak".to_owned()),
        Just("close=1".to_owned()),
    ];
    (kind, 0u32..6, 1u32..3).prop_map(|(kind, after, first)| format!("{kind}&after={after}&first={first}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_read_through_passing_faults_equals_the_file(
        fault in fault(),
        block in prop_oneof![Just(1024u64), Just(100 * 1024), 1024u64..300_000],
        cache in prop_oneof![Just(0u64), Just(500_000), Just(1 << 30)],
        ahead: bool,
        reads in prop::collection::vec((0..SIZE, 1usize..300_000), 1..12),
        prefetches in prop::collection::vec((0..SIZE, 1u64..100_000), 0..4),
    ) {
        let server = server();
        let text = format!("min_chunk_size={block}, max_cache_size={cache}, read_ahead={}", u8::from(ahead));
        let file = RemoteFile::open(&server.url(&format!("bytes/{SIZE}?{fault}")), &options(&text)).unwrap();
        let ranges: Vec<_> = prefetches.iter()
            .map(|(start, length)| remfile::ByteRange::new(*start, start + length)).collect();
        file.prefetch(&ranges).unwrap();
        for (offset, length) in reads {
            let length = length.min(usize::try_from(SIZE - offset).unwrap());
            let mut buffer = vec![0xEE; length];
            file.read(offset, &mut buffer).unwrap();
            prop_assert!(buffer == content(offset, length), "wrong bytes: {} at {}", length, offset);
        }
        prop_assert!(file.stats().cached_bytes <= cache.max(block));
    }
}

/// A lasting fault may fail a read, but it must never turn into data.
#[test]
fn no_lasting_fault_ever_becomes_data() {
    for fault in [
        "ranges=off",
        "html=1",
        "gzip=1",
        "encoding=br",
        "shift=1",
        "long=1",
        "total=1",
        "content_range=none",
        "status=503&html=1",
        "status=200&html=1",
        "cut=10",
        "etag_flip=1",
        "short=2000",
    ] {
        let server = server();
        let url = server.url(&format!("bytes/{SIZE}?{fault}&after=1"));
        let file = RemoteFile::open(&url, &options("max_retries=1")).unwrap();
        for (offset, length) in [(1_000_000, 1000), (2_000_001, 500_000), (600_000, 10)] {
            let mut buffer = vec![0xEE; length];
            if file.read(offset, &mut buffer).is_ok() {
                assert!(buffer == content(offset, length), "{fault}: wrong bytes");
            }
        }
        let mut head = vec![0; 512_000];
        file.read(0, &mut head).unwrap();
        assert!(head == content(0, 512_000), "{fault}: the head changed");
    }
}
