//! A night of analysis on somebody else's server, compressed: thousands of reads while every third request
//! meets a fault drawn at random. All of them are equal to the file.
//!
//! `cargo test -p remfile --test endurance -- --nocapture` prints what it took.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use remfile::{Options, RemoteFile, Stats};
use remfile_test_server::{Server, scheduled};
use support::{log, options, read, server};

const SIZE: u64 = 40_000_000;
const SERVERS: u64 = 8;
/// Threads that share the file which stays open, on each server; one more opens its file again and again.
const SHARING: u64 = 3;
const READS: u64 = 10_000;
/// Reads between two openings.
const READS_A_FILE: u64 = 25;

#[derive(Default)]
struct Sums {
    reads: AtomicU64,
    bytes: AtomicU64,
    opened: AtomicU64,
    retries: AtomicU64,
    evicted: AtomicU64,
}

impl Sums {
    fn add(&self, stats: &Stats) {
        self.opened.fetch_add(1, Ordering::Relaxed);
        self.retries.fetch_add(stats.retries, Ordering::Relaxed);
        self.evicted.fetch_add(stats.evicted_blocks, Ordering::Relaxed);
    }

    /// Makes `count` reads, each a jump or the continuation of the one before, and compares them with the file.
    fn read_many(&self, file: &RemoteFile, count: u64, random: &mut fastrand::Rng) {
        let mut next = 0;
        for _ in 0..count {
            let length = random.u64(1..60_000);
            let offset = if random.u8(..) < 128 { next } else { random.u64(..SIZE) }.min(SIZE - length);
            read(file, offset, usize::try_from(length).unwrap()).unwrap();
            next = offset + length;
            self.reads.fetch_add(1, Ordering::Relaxed);
            self.bytes.fetch_add(length, Ordering::Relaxed);
        }
    }
}

/// The faults that the requests of all paths have met, by kind, and the number of requests.
fn faults(servers: &[Server]) -> (BTreeMap<String, u64>, u64) {
    let (mut faults, mut requests) = (BTreeMap::new(), 0);
    for (seed, server) in (0..).zip(servers) {
        let mut turns: BTreeMap<String, u64> = BTreeMap::new();
        for entry in log(server) {
            *turns.entry(format!("{}?{}", entry.path, entry.query)).or_default() += 1;
        }
        for count in turns.into_values() {
            requests += count;
            for fault in (1..=count).filter_map(|turn| scheduled(seed, turn)) {
                let kind = fault.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('=');
                let kind = if kind == "status" { fault.as_str() } else { kind };
                *faults.entry(kind.to_owned()).or_default() += 1;
            }
        }
    }
    (faults, requests)
}

#[test]
fn ten_thousand_reads_through_random_faults_all_equal_the_file() {
    let options: Options = options(
        "min_chunk_size=16KiB, head_size=16KiB, max_cache_size=2MiB, complete_small_files=0, \
         stall_timeout_ms=300, max_retries=40",
    );
    let servers: Vec<Server> = (0..SERVERS).map(|_| server()).collect();
    let each = READS / (SERVERS * (SHARING + 1));
    let sums = Sums::default();
    std::thread::scope(|scope| {
        for (seed, server) in (0..).zip(&servers) {
            let (sums, options) = (&sums, &options);
            let url = |name: &str| server.url(&format!("bytes/{SIZE}/{name}?schedule={seed}"));
            let again = url("again");
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(seed);
                let mut left = each;
                while left > 0 {
                    let file = RemoteFile::open(&again, options).unwrap();
                    sums.read_many(&file, left.min(READS_A_FILE), &mut random);
                    left -= left.min(READS_A_FILE);
                    sums.add(&file.stats());
                }
            });
            let shared = url("shared");
            scope.spawn(move || {
                let file = RemoteFile::open(&shared, options).unwrap();
                std::thread::scope(|scope| {
                    for reader in 0..SHARING {
                        let (file, rest) = (&file, if seed == 0 && reader == 0 { READS % each } else { 0 });
                        let mut random = fastrand::Rng::with_seed(1000 * seed + reader);
                        scope.spawn(move || sums.read_many(file, each + rest, &mut random));
                    }
                });
                sums.add(&file.stats());
            });
        }
    });
    let (faults, requests) = faults(&servers);
    let of = |sum: &AtomicU64| sum.load(Ordering::Relaxed);
    let met: u64 = faults.values().sum();
    println!(
        "{} reads of {} bytes, all equal to the file; {} files opened, {} blocks evicted",
        of(&sums.reads),
        of(&sums.bytes),
        of(&sums.opened),
        of(&sums.evicted)
    );
    println!("{requests} requests met {met} faults, {} were repeated: {faults:?}", of(&sums.retries));
    assert!(of(&sums.reads) >= READS);
    // Or else nothing would have been shown.
    assert!(met > 1000 && of(&sums.retries) > 500 && faults.len() > 10, "{met}");
}
