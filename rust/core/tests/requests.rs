//! What reading costs: requests, ranges and bytes, as the server saw them.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::io::{BufRead, BufReader, Write};

use remfile::{ByteRange, Content, Options, ReadPiece, RemoteFile};
use support::{content, log, open, options, ranges, read, server};

const BLOCK: u64 = 100 * 1024;
const HEAD: u64 = 5 * BLOCK;

#[test]
fn opening_is_one_range_get_that_brings_the_head_and_the_size() {
    let server = server();
    let file = open(&server, "bytes/200000000");
    assert_eq!(file.size(), 200_000_000);
    read(&file, 0, usize::try_from(HEAD).unwrap()).unwrap();
    let log = log(&server);
    assert_eq!(log.len(), 1);
    assert_eq!((&*log[0].method, log[0].range, log[0].status), ("GET", Some((0, HEAD)), 206));
    assert_eq!(log[0].header("accept-encoding"), Some("identity"));
    assert!(log[0].header("user-agent").unwrap().starts_with("remfile/"));
}

#[test]
fn a_small_file_is_read_whole_with_one_request() {
    let server = server();
    for size in [1, 10_000, 102_399, 102_400, 102_401, 511_999, 512_000] {
        server.reset();
        let file = open(&server, &format!("bytes/{size}"));
        read(&file, 0, size).unwrap();
        read(&file, size as u64 - 1, 1).unwrap();
        assert_eq!(server.counters().requests, 1, "{size}");
    }
}

#[test]
fn a_cache_hit_costs_no_request() {
    let server = server();
    let file = open(&server, "bytes/10000000");
    read(&file, 5_000_000, 1000).unwrap();
    let before = server.counters().requests;
    for _ in 0..100 {
        read(&file, 5_000_100, 500).unwrap();
    }
    assert_eq!(server.counters().requests, before);
    assert_eq!(before, 2);
}

#[test]
fn reads_that_end_on_a_blocks_or_the_files_boundary_hit() {
    let server = server();
    let size = 20 * BLOCK + 123;
    let url = server.url(&format!("bytes/{size}"));
    let file = RemoteFile::open(&url, &options("complete_small_files=0, read_ahead=0")).unwrap();
    read(&file, 10 * BLOCK, usize::try_from(3 * BLOCK).unwrap()).unwrap();
    read(&file, size - 200, 200).unwrap();
    let before = log(&server).len();
    for offset in [10 * BLOCK, 10 * BLOCK + 1, 10 * BLOCK + 2] {
        for length in [BLOCK - 1, BLOCK, BLOCK + 1] {
            read(&file, offset, usize::try_from(length).unwrap()).unwrap();
        }
    }
    read(&file, size - 1, 1).unwrap();
    assert_eq!(log(&server).len(), before);
}

#[test]
fn a_5_mb_read_costs_at_most_2_requests_and_twice_its_bytes() {
    let server = server();
    for offset in [0, 1, 20_000_000, 77_777_777] {
        let file = open(&server, "bytes/100000000");
        log(&server);
        server.reset();
        read(&file, offset, 5_000_000).unwrap();
        let log = log(&server);
        assert!(log.len() <= 2, "{log:?}");
        assert!(log.iter().map(|entry| entry.bytes_sent).sum::<u64>() <= 10_000_000);
    }
}

#[test]
fn a_read_never_fetches_less_than_it_needs() {
    let server = server();
    let file = open(&server, "bytes/100000000");
    // Small reads went before, and what is ahead of them does not reach this one.
    for i in 0..3 {
        read(&file, 30_000_000 + i * BLOCK, 100).unwrap();
    }
    read(&file, 90_000_000, 2_000_000).unwrap();
    let far: Vec<_> = ranges(&server).into_iter().filter(|range| range.0 > 80_000_000).collect();
    // Whole blocks, of 6400 bytes, and nothing else: there are enough of them.
    assert_eq!(far, [(14_062 * 6400, 14_375 * 6400)]);
}

#[test]
fn max_chunk_size_bounds_every_request() {
    let server = server();
    let options = options("max_chunk_size=1MiB");
    let file = RemoteFile::open(&server.url("bytes/50000000"), &options).unwrap();
    read(&file, 1_000_000, 20_000_000).unwrap();
    let longest = ranges(&server).iter().map(|(start, end)| end - start).max();
    assert!(longest <= Some(1 << 20), "{longest:?}");
}

#[test]
fn sequential_reading_grows_its_requests_and_fetches_nothing_twice() {
    let server = server();
    let file = open(&server, "bytes/20000000");
    for offset in (0..20_000_000).step_by(50_000) {
        read(&file, offset, 50_000).unwrap();
    }
    let log = log(&server);
    assert!(log.len() <= 16, "{} requests", log.len());
    assert_eq!(log.iter().map(|entry| entry.bytes_sent).sum::<u64>(), 20_000_000);
}

#[test]
fn three_distant_places_read_in_turn_are_fetched_once_each() {
    let server = server();
    let file = open(&server, "bytes/900000000");
    server.reset();
    for _ in 0..50 {
        for place in [100_000_000, 400_000_000, 800_000_000] {
            read(&file, place, 1000).unwrap();
        }
    }
    assert_eq!(log(&server).len(), 3);
}

#[test]
fn scattered_reads_fetch_only_their_own_blocks() {
    let server = server();
    let file = open(&server, "bytes/900000000");
    server.reset();
    // Multiples of a large prime: no two steps alike, so nothing is foretold.
    for i in 0..40_u64 {
        read(&file, 2_000_000 + i * i * 2_654_435_761 % 890_000_000, 1000).unwrap();
    }
    let bytes: u64 = log(&server).iter().map(|entry| entry.bytes_sent).sum();
    assert!(bytes <= 40 * 2 * BLOCK, "{bytes}");
}

#[test]
fn reads_at_a_constant_step_are_foretold_and_cost_few_round_trips() {
    let server = server();
    let file = open(&server, "bytes/900000000?delay=5");
    for i in 0..100 {
        read(&file, 1_000_000 + i * 5_000_000, 20_000).unwrap();
    }
    let stats = file.stats();
    assert!(stats.round_trips <= 5, "{stats:?}");
    assert!(stats.fetched_bytes <= 2 * 100 * 2 * BLOCK + (16 << 20), "{stats:?}");
}

#[test]
fn reading_forward_and_backward_waits_for_few_round_trips() {
    let server = server();
    for backward in [false, true] {
        let file = open(&server, "bytes/100000000");
        for i in 0..1000 {
            let i = if backward { 999 - i } else { i };
            read(&file, i * 100_000, 100_000).unwrap();
        }
        let stats = file.stats();
        assert!(stats.round_trips <= 5 && stats.requests <= 50, "{stats:?}");
        assert_eq!(stats.fetched_bytes, 100_000_000);
    }
}

#[test]
fn what_is_ahead_of_a_stream_that_has_been_left_is_given_up() {
    let server = server();
    let file = open(&server, "bytes/900000000?rate=2000000");
    for i in 0..16 {
        read(&file, 100_000_000 + i * 1_000_000, 1_000_000).unwrap();
    }
    let guessed = file.stats().guessed_bytes;
    std::thread::scope(|threads| {
        for place in [400, 430, 470, 520, 580, 650, 730, 820, 310] {
            let file = &file;
            threads.spawn(move || read(file, place * 1_000_000, 100).unwrap());
        }
    });
    let sent: u64 = log(&server).iter().map(|entry| entry.bytes_sent).sum();
    // Though the head and what reads demanded come on top of the guesses.
    assert!(sent < guessed, "{sent} of {guessed}");
    // And comes if it is wanted after all.
    read(&file, 116_000_000, 1_000_000).unwrap();
}

#[test]
fn bytes_fetched_stay_within_twice_the_bytes_asked_and_16_mib() {
    let server = server();
    let file = open(&server, "bytes/9000000000");
    let mut asked = std::collections::HashSet::new();
    for place in 0..30_u64 {
        // Runs that break off as soon as they have begun to look sequential.
        for i in 0..4 {
            let offset = place * 250_000_000 + i * BLOCK;
            read(&file, offset, 1000).unwrap();
            asked.insert(offset / BLOCK);
        }
    }
    log(&server);
    let fetched = file.stats().fetched_bytes;
    assert!(fetched <= 2 * asked.len() as u64 * BLOCK + (16 << 20), "{fetched}");
}

#[test]
fn bytes_beyond_4_gib_and_near_the_end_of_8_eib_are_addressed_right() {
    let server = server();
    let size = i64::MAX.cast_unsigned();
    let file = open(&server, &format!("bytes/{size}"));
    assert_eq!(file.size(), size);
    for offset in [(1 << 31) - 5, (1 << 32) - 5, (5 << 40) - 1, size - 10] {
        read(&file, offset, 10).unwrap();
    }
}

#[test]
fn prefetched_ranges_come_in_parallel_and_cost_nothing_when_read() {
    let server = server();
    let file = open(&server, "bytes/900000000?delay=200");
    log(&server);
    server.reset();
    // No three cubes are equally far apart, so the reads foretell no further ones.
    let place = |i: u64| i * i * i * 1_700_000;
    let ranges: Vec<_> = (1..9).map(|i| ByteRange::new(place(i), place(i) + 10)).collect();
    file.prefetch(&ranges).unwrap();
    for range in &ranges {
        read(&file, range.start(), 10).unwrap();
    }
    assert_eq!(log(&server).len(), 8);
    assert!(server.counters().max_in_flight >= 4);
    assert_eq!((file.stats().round_trips, file.stats().missed_blocks), (1, 0));
}

/// Reads a vector and compares.
fn read_vector(file: &RemoteFile, places: &[(u64, usize)]) -> remfile::Result<()> {
    let mut buffers: Vec<Vec<u8>> = places.iter().map(|(_, length)| vec![0xEE; *length]).collect();
    let pieces: Vec<ReadPiece<'_>> = (places.iter().zip(&mut buffers))
        .map(|((offset, _), buffer)| ReadPiece::new(*offset, buffer, Content::Default))
        .collect();
    file.read_vector(&pieces)?;
    for ((offset, length), buffer) in places.iter().zip(&buffers) {
        assert!(*buffer == content(*offset, *length), "wrong bytes: {length} at {offset}");
    }
    Ok(())
}

#[test]
fn a_cold_vector_of_96_scattered_pieces_costs_one_round_trip() {
    let server = server();
    let file = open(&server, "bytes/900000000?delay=20");
    log(&server);
    server.reset();
    let places: Vec<_> = (0..96_u64).map(|i| (2_000_000 + i * 53 % 96 * 9_000_000, 300)).collect();
    read_vector(&file, &places).unwrap();
    let log = log(&server);
    assert_eq!(log.len(), 96);
    assert!(log.iter().map(|entry| entry.bytes_sent).sum::<u64>() <= 96 * 2 * BLOCK / 10);
    assert!(server.counters().max_in_flight >= 8);
    let stats = file.stats();
    assert_eq!((stats.round_trips, stats.reads, stats.read_bytes), (2, 1, 96 * 300));
}

#[test]
fn near_pieces_of_a_vector_come_in_one_request() {
    let server = server();
    let file = open(&server, "bytes/900000000");
    log(&server);
    server.reset();
    // A column: two bytes of each row.
    let places: Vec<_> = (0..15_000).map(|i| (100 * BLOCK + i * 128, 2)).collect();
    read_vector(&file, &places).unwrap();
    assert_eq!(ranges(&server), [(100 * BLOCK, 1900 * 6400)]);
}

#[test]
fn a_vector_with_a_piece_past_the_end_fetches_nothing() {
    let server = server();
    let file = open(&server, "bytes/20000000");
    log(&server);
    server.reset();
    for bad in [(20_000_000, 1), (19_999_999, 2), (u64::MAX, 5)] {
        let error = read_vector(&file, &[(5_000_000, 10), bad]).unwrap_err();
        assert_eq!(error.code(), remfile::ErrorCode::OutOfBounds);
    }
    read_vector(&file, &[]).unwrap();
    read_vector(&file, &[(20_000_000, 0), (7, 0)]).unwrap();
    assert_eq!(log(&server).len(), 0);
}

#[test]
fn faults_in_the_middle_of_a_vector_are_survived() {
    for fault in ["status=503", "cut=5000", "reset=1"] {
        let server = server();
        let file = open(&server, &format!("bytes/900000000?{fault}&after=5&first=9"));
        let places: Vec<_> = (1..40).map(|i| (i * 20_000_000, 30_000)).collect();
        read_vector(&file, &places).unwrap();
        assert!(file.stats().retries > 0, "{fault}");
    }
}

#[test]
fn a_large_read_uses_several_connections_but_never_more_than_allowed() {
    let server = server();
    for (limit, least) in [("max_connections=1", 1), ("max_connections=4", 2), ("", 2)] {
        let options: Options = options(limit);
        let file = RemoteFile::open(&server.url("bytes/200000000?delay=30"), &options).unwrap();
        log(&server);
        server.reset();
        read(&file, 10_000_000, 60_000_000).unwrap();
        log(&server);
        let most = server.counters().max_in_flight;
        assert!(most >= least && most <= u64::from(options.max_connections), "{limit}: {most}");
    }
}

#[test]
fn files_of_one_host_share_their_connections() {
    let server = server();
    // More than one, for a file is open, and a read done, before the end of the answer has been seen.
    let options = options("max_connections=4");
    let open = |i| RemoteFile::open(&server.url(&format!("bytes/100000/{i}")), &options).unwrap();
    for i in 0..50 {
        read(&open(i), 0, 1000).unwrap();
    }
    assert!(server.counters().connections <= 4, "{}", server.counters().connections);
    let files: Vec<_> = (0..50).map(open).collect();
    drop(files);
    assert!(server.counters().connections <= 4, "{}", server.counters().connections);
}

#[test]
fn counters_tell_what_the_server_saw() {
    let server = server();
    let url = server.url("bytes/30000000?status=503&first=1");
    let file = RemoteFile::open(&url, &options("complete_small_files=0")).unwrap();
    // Whole blocks: what lies behind a read is not waited for.
    read(&file, 30 * 102_400, 40 * 102_400).unwrap();
    read(&file, 200 * 102_400, 102_400).unwrap();
    let log = log(&server);
    let stats = file.stats();
    assert_eq!(stats.requests, log.len() as u64);
    assert_eq!(stats.fetched_bytes, log.iter().map(|entry| entry.bytes_sent).sum::<u64>());
    assert_eq!((stats.reads, stats.read_bytes), (2, 41 * 102_400));
    assert_eq!((stats.retries, stats.round_trips), (1, 3));
    assert_eq!(stats.connections, server.counters().connections);
    assert!(stats.backoff_ms >= 100);
    assert_eq!(stats.evicted_blocks, 0);
    assert_eq!(stats.guessed_bytes, 512_000);
}

#[test]
fn a_small_cache_serves_a_long_sequential_read_and_stays_small() {
    let server = server();
    let options = options("max_cache_size=4MiB");
    let file = RemoteFile::open(&server.url("bytes/60000000"), &options).unwrap();
    for offset in (0..60_000_000).step_by(1_000_000) {
        read(&file, offset, 1_000_000).unwrap();
        assert!(file.stats().cached_bytes <= 4 << 20);
    }
    read(&file, 1_000_000, 50_000_000).unwrap();
    assert!(file.stats().cached_bytes <= 4 << 20);
    assert!(file.stats().evicted_blocks > 500);
}

#[test]
fn threads_may_share_a_file_and_a_block_is_still_fetched_once() {
    let server = server();
    let file = open(&server, "bytes/40000000?delay=20");
    log(&server);
    server.reset();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for i in 0..10 {
                    read(&file, 10_000_000 + i * 2_000_000, 1000).unwrap();
                }
            });
        }
    });
    let mut ranges = ranges(&server);
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{ranges:?}");
}

#[test]
fn reading_past_the_end_is_an_error_and_costs_no_request() {
    let server = server();
    let file = open(&server, "bytes/1000");
    server.reset();
    for (offset, length) in [(1000, 1), (999, 2), (u64::MAX, 1), (u64::MAX, 0), (0, 1001)] {
        let error = file.read(offset, &mut vec![0; length]).unwrap_err();
        assert_eq!(error.code(), remfile::ErrorCode::OutOfBounds, "{offset} {length}");
    }
    file.read(1000, &mut []).unwrap();
    assert_eq!(server.counters().requests, 0);
    assert_eq!(content(0, 1).len(), 1);
}

#[test]
fn a_server_that_serves_one_connection_after_the_other_finds_a_request_on_each() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/a", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        // The first connection has the first request, and the spare ones come in their order.
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let range = head.iter().find_map(|line| line.strip_prefix("Range: bytes=")).unwrap();
            let (start, end) = range.split_once('-').unwrap();
            let (start, end) = (start.parse::<u64>().unwrap(), end.parse::<u64>().unwrap());
            let bytes = content(start, usize::try_from(end + 1 - start).unwrap());
            let answer = format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {start}-{end}/9000000\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n",
                bytes.len()
            );
            stream.write_all(answer.as_bytes()).unwrap();
            stream.write_all(&bytes).unwrap();
        }
    });
    let file = RemoteFile::open(&url, &options("complete_small_files=0, read_ahead=0")).unwrap();
    read(&file, 50 * 102_400, 102_400).unwrap();
    serving.join().unwrap();
}
