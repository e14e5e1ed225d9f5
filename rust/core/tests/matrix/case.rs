//! One case: a fault, the kind of request that meets it, and for how long; what must come of it, and what does.

use std::time::{Duration, SystemTime};

use remfile::{ByteRange, ErrorCode, RemoteFile};
use remfile_test_server::{Config, Server};

use crate::fault::{Effect, Fault};
use crate::support::{content, encoded, options};

/// Size of the file that all cases read.
pub(crate) const SIZE: u64 = 64_000_000;
/// What opening brings.
const HEAD: usize = 512_000;

/// The kind of request that meets the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The first request of a file.
    Probe,
    /// What a read waits for.
    Single,
    /// One large read as several requests at once.
    Parallel,
    /// Prefetched, and never read.
    Unawaited,
    /// Prefetched, and read at once.
    Awaited,
    /// Guessed from earlier reads, and read then.
    ReadAhead,
}

impl Phase {
    pub(crate) const ALL: [Self; 6] =
        [Self::Probe, Self::Single, Self::Parallel, Self::Unawaited, Self::Awaited, Self::ReadAhead];
}

/// For how long a server has the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    Passing,
    Lasting,
}

/// How a case ends, or must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All bytes came, and are the file's.
    Survived,
    /// An error.
    Refused(ErrorCode),
    WrongData,
    Hung,
    Crashed,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) fault: Fault,
    pub(crate) phase: Phase,
    pub(crate) span: Span,
}

impl Case {
    /// Is this what must come of it?
    pub(crate) fn allows(&self, outcome: Outcome) -> bool {
        outcome == self.expected() || matches!(self.effect(), Effect::Late(_)) && outcome == Outcome::Survived
    }

    fn effect(&self) -> Effect {
        if self.phase == Phase::Probe { self.fault.at_open } else { self.fault.later }
    }

    /// What must come of it, or the worse of two outcomes where it may be either.
    pub(crate) fn expected(&self) -> Outcome {
        let lasting = self.span == Span::Lasting;
        match self.effect() {
            _ if self.phase == Phase::Unawaited => Outcome::Survived,
            Effect::Harmless => Outcome::Survived,
            Effect::Retried(code) if lasting => Outcome::Refused(code),
            Effect::Retried(_) => Outcome::Survived,
            // The read's time runs out, however few requests are to blame.
            Effect::Slow(code) | Effect::Late(code) => Outcome::Refused(code),
            Effect::Refused(code) => {
                // A read that only waited for a guess makes a try of its own; a changed file stays changed.
                let guessed = matches!(self.phase, Phase::Awaited | Phase::ReadAhead);
                let survives = guessed && !lasting && code != ErrorCode::Changed;
                if survives { Outcome::Survived } else { Outcome::Refused(code) }
            }
        }
    }

    /// Runs it against servers of its own.
    pub(crate) fn run(&self) -> Outcome {
        let start = || Server::start(Config { threads: 1, ..Config::default() }).unwrap();
        let (server, other) = (start(), start());
        let url = server.url(&format!("bytes/{SIZE}?{}", self.query(&server, &other)));
        let options = options(&format!("complete_small_files=0, max_retries=3, {}", self.fault.options));
        let file = match RemoteFile::open(&url, &options) {
            Ok(file) => file,
            // With a fault that has passed, another attempt must do.
            Err(error) if self.phase == Phase::Probe && self.span == Span::Passing => {
                return and_then(RemoteFile::open(&url, &options), error.code(), |file| read(file, 0, HEAD));
            }
            Err(error) => return Outcome::Refused(error.code()),
        };
        // A small text that is taken for the file cannot be told from a small file.
        if self.phase == Phase::Probe && file.size() < 100 {
            return Outcome::Survived;
        }
        let (offset, length) = match self.phase {
            Phase::Probe => (0, HEAD),
            Phase::Single => (20_000_003, 1000),
            Phase::Parallel => (20_000_003, 8 << 20),
            Phase::Unawaited => {
                file.prefetch(&pieces()).unwrap();
                until(|| server.counters().requests + server.counters().in_flight >= 3);
                (0, HEAD)
            }
            Phase::Awaited => {
                // One, for of several requests any may be the first to arrive.
                file.prefetch(&pieces()[..1]).unwrap();
                (20_000_003, 1000)
            }
            Phase::ReadAhead => {
                // A read that waits for the head would guess in two requests, of which one has no fault.
                until(|| file.stats().cached_bytes >= HEAD as u64);
                let before = file.stats().guessed_bytes;
                for i in 0..4 {
                    file.read(i * 100_000, &mut vec![0; 100_000]).unwrap();
                }
                until(|| file.stats().guessed_bytes > before);
                (HEAD as u64, 200_000)
            }
        };
        match read(&file, offset, length) {
            // The failure is not remembered once its cause has passed, but for a change.
            Outcome::Refused(code) if self.span == Span::Passing && code != ErrorCode::Changed => {
                and_then(Ok(file), code, |file| read(file, offset, length))
            }
            outcome => outcome,
        }
    }

    fn query(&self, server: &Server, other: &Server) -> String {
        let date = |seconds: u64| {
            let time = SystemTime::now() + Duration::from_secs(seconds);
            encoded(&httpdate::fmt_http_date(time))
        };
        let query = self.fault.query.replace("{dead}", &encoded("http://127.0.0.1:1/x"));
        let query = query.replace("{other}", &encoded(&other.url(&format!("bytes/{SIZE}"))));
        let query = query.replace("{here}", &encoded(&server.url(&format!("bytes/{SIZE}/here"))));
        let query =
            query.replace("{soon}", &date(1)).replace("{past}", &encoded("Sun, 06 Nov 1994 08:49:37 GMT"));
        let after = if self.phase == Phase::Probe { 0 } else { 1 };
        // One request where the first counts, else more than one after another.
        let first = match self.fault.later {
            Effect::Retried(_) | Effect::Harmless => 2,
            Effect::Refused(_) | Effect::Slow(_) | Effect::Late(_) => 1,
        };
        match self.span {
            Span::Passing if self.fault.options.contains("max_retries=1") => {
                format!("{query}&after={after}&first=1")
            }
            Span::Passing => format!("{query}&after={after}&first={first}"),
            Span::Lasting => format!("{query}&after={after}"),
        }
    }
}

fn pieces() -> [ByteRange; 3] {
    [20_000_000, 40_000_000, 60_000_000].map(|start| ByteRange::new(start, start + 300_000))
}

/// Waits for what others do; the case's watchdog ends it.
fn until(done: impl Fn() -> bool) {
    while !done() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn read(file: &RemoteFile, offset: u64, length: usize) -> Outcome {
    let mut buffer = vec![0xEE; length];
    match file.read(offset, &mut buffer) {
        Ok(()) if buffer == content(offset, length) => Outcome::Survived,
        Ok(()) => Outcome::WrongData,
        Err(error) => Outcome::Refused(error.code()),
    }
}

/// Refused with `code`, if the attempt after it does not fail.
fn and_then(
    file: remfile::Result<RemoteFile>,
    code: ErrorCode,
    attempt: impl FnOnce(&RemoteFile) -> Outcome,
) -> Outcome {
    match file.map(|file| attempt(&file)) {
        Ok(Outcome::Survived) => Outcome::Refused(code),
        Ok(outcome) => outcome,
        Err(error) => Outcome::Refused(error.code()),
    }
}
