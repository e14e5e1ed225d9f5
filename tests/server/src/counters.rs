use std::collections::HashSet;
use std::fmt;

use crate::Entry;

/// Sums over the log, and the requests that are being answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// The answers that have ended.
    pub requests: u64,
    /// The body bytes they sent.
    pub bytes: u64,
    /// The connections that carried them.
    pub connections: u64,
    /// The requests that are being answered now. An answer no longer counts when
    /// its last bytes go to the socket.
    pub in_flight: u64,
    /// The most requests that were being answered at once.
    pub max_in_flight: u64,
    /// The length of the longest chain of requests of which each started after
    /// the one before it had ended: a lower bound of the round trips in a row
    /// that a client needed.
    pub round_trips: u64,
    /// The HEAD requests among the answers that have ended.
    pub head_requests: u64,
}

impl Counters {
    pub(crate) fn new(entries: &[Entry], in_flight: u64, max_in_flight: u64) -> Self {
        let connections: HashSet<u64> = entries.iter().map(|entry| entry.connection).collect();
        let heads = entries.iter().filter(|entry| &*entry.method == "HEAD");
        Self {
            requests: entries.len() as u64,
            bytes: entries.iter().map(|entry| entry.bytes_sent).sum(),
            connections: connections.len() as u64,
            in_flight,
            max_in_flight,
            round_trips: round_trips(entries),
            head_requests: heads.count() as u64,
        }
    }
}

/// One counter a line, name and value separated by a tab, after a heading.
impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "name\tvalue")?;
        writeln!(f, "requests\t{}", self.requests)?;
        writeln!(f, "bytes\t{}", self.bytes)?;
        writeln!(f, "connections\t{}", self.connections)?;
        writeln!(f, "in_flight\t{}", self.in_flight)?;
        writeln!(f, "max_in_flight\t{}", self.max_in_flight)?;
        writeln!(f, "round_trips\t{}", self.round_trips)?;
        writeln!(f, "head_requests\t{}", self.head_requests)
    }
}

/// The most intervals that follow each other without overlap, by the greedy
/// choice of the one that ends first.
fn round_trips(entries: &[Entry]) -> u64 {
    let mut intervals: Vec<(u64, u64)> = entries.iter().map(|e| (e.ended, e.started)).collect();
    intervals.sort_unstable();
    let mut last_end = None;
    let mut chain = 0;
    for (ended, started) in intervals {
        if last_end.is_none_or(|last| started >= last) {
            last_end = Some(ended);
            chain += 1;
        }
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(intervals: &[(u64, u64)]) -> u64 {
        let entry = |&(started, ended): &(u64, u64)| Entry {
            sequence: 1,
            connection: 1,
            method: "GET".into(),
            path: "/".into(),
            query: "".into(),
            range: None,
            range_header: None,
            status: 200,
            bytes_sent: 0,
            started,
            ended,
            headers: [].into(),
        };
        round_trips(&intervals.iter().map(entry).collect::<Vec<_>>())
    }

    #[test]
    fn the_longest_chain_is_found_among_overlapping_requests() {
        assert_eq!(chain(&[]), 0);
        assert_eq!(chain(&[(0, 10)]), 1);
        assert_eq!(chain(&[(0, 10), (1, 9), (2, 11)]), 1);
        assert_eq!(chain(&[(0, 10), (10, 20), (20, 30)]), 3);
        assert_eq!(chain(&[(0, 100), (0, 10), (12, 20), (13, 90), (21, 30)]), 3);
    }
}
