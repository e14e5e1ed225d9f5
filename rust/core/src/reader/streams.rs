//! Which bytes will be read next, judging by how the file has been read so far. Pure.
//!
//! Reads that continue one another form a stream: forward, backward, or by a constant step. A
//! stream's window, the bytes to have on their way ahead of it, grows while reads that continue it have to wait:
//! who computes between reads needs no more than what keeps him busy. Anything else opens a new stream without a
//! window: a jump costs nothing ahead, and several interleaved streams do not disturb each other.

use std::collections::VecDeque;

use crate::floor::range::ByteRange;
use crate::store::Supply;

/// By how much a window grows with each read that continues its stream and has to wait.
const GROWTH: f64 = 1.7;
/// The same for large reads: there are few of them in which to grow.
const GROWTH_BY_LARGE_READS: f64 = 2.2;
const LARGE_READ_BYTES: u64 = 2 << 20;
/// The window at the first such read, if that read is not larger itself. That of a large one is twice what it reads.
const FIRST_WINDOW_BYTES: u64 = 1 << 20;
/// No window is larger than twice what its stream has read in a row, or this: a read that ends soon wastes little.
const WINDOW_WITHOUT_HISTORY_BYTES: u64 = 4 << 20;
/// Where no read has to wait, the window is this part of what the stream has read in a row, so that a long stream takes
/// few requests.
const CALM_SHARE: u64 = 4;
const LARGEST_CALM_WINDOW_BYTES: u64 = 32 << 20;
/// Enough for some eight requests of 8 MiB in flight, which fill a link of 250 MB/s at 40 ms a request.
const LARGEST_WINDOW_BYTES: u64 = 64 << 20;
/// With such a window a stream has gone on for so long that it will for some more.
const STEADY_WINDOW_BYTES: u64 = 4 << 20;
/// Streams that are remembered: interleaved reads of more places than this are rare.
const STREAMS: usize = 8;
/// Ranges that one read may call for in a stepped stream.
const MOST_STEPS: usize = 64;

/// What bounds the windows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) block_size: u64,
    pub(crate) file_size: u64,
    /// Most bytes ahead of a stream.
    pub(crate) max_window: u64,
    /// Whether steps are of interest.
    pub(crate) steps: bool,
}

impl Limits {
    pub(crate) fn new(block_size: u64, file_size: u64, max_chunk_size: u64) -> Self {
        let max_window = LARGEST_WINDOW_BYTES.min(max_chunk_size.max(block_size));
        Self { block_size, file_size, max_window, steps: true }
    }

    /// What a range costs: it is fetched in whole blocks.
    fn cost(self, length: u64) -> u64 {
        length.max(self.block_size)
    }
}

/// How a stream goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Course {
    /// One read so far; had it continued one of the other streams, it would have been by these steps.
    Unknown(Vec<i64>),
    Forward,
    Backward,
    Step(i64),
}

#[derive(Clone, Debug)]
struct Stream {
    last: ByteRange,
    course: Course,
    window: u64,
    /// Bytes read in a row.
    run: u64,
    /// The last read found what it wanted.
    calm: bool,
    /// How far the stream has been called for: a byte where it goes along, the start of the last
    /// range where it steps.
    frontier: u64,
}

/// The streams of one file, most recently used first.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    streams: VecDeque<Stream>,
    overtaken: Option<ByteRange>,
}

impl Streams {
    /// Takes note of a read of data and says what to fetch ahead of the next ones, nearest first, at
    /// most `allowance` bytes in whole blocks. Nothing is called for twice in one stream.
    pub(crate) fn observe(
        &mut self,
        read: ByteRange,
        supply: Supply,
        allowance: u64,
        limits: &Limits,
    ) -> Vec<ByteRange> {
        let continued = self.streams.iter().enumerate().find_map(|(at, stream)| {
            let course = stream.continued_by(read, limits)?;
            Some((at, course))
        });
        let Some((at, course)) = continued else {
            let steps = self.streams.iter().filter_map(|other| step(other.last, read, limits)).collect();
            self.remember(Stream {
                last: read,
                course: Course::Unknown(steps),
                window: 0,
                run: read.length(),
                calm: true,
                frontier: 0,
            });
            return Vec::new();
        };
        let Some(mut stream) = self.streams.remove(at) else { return Vec::new() };
        stream.go_on(course, read, supply, limits);
        let ahead = stream.call(allowance, limits);
        self.remember(stream);
        ahead
    }

    /// Whether a stream that goes forward will come by `range` soon, so that nobody else need fetch it.
    pub(crate) fn will_pass(&self, range: ByteRange) -> bool {
        self.streams.iter().any(|stream| {
            let ahead =
                if stream.window >= STEADY_WINDOW_BYTES { LARGEST_WINDOW_BYTES } else { stream.window };
            let reach = stream.last.end().saturating_add(ahead.saturating_mul(2));
            stream.course == Course::Forward && range.start() >= stream.last.end() && range.end() <= reach
        })
    }

    /// What was called for ahead of a stream that has been forgotten since, for others are read now: told once.
    pub(crate) fn take_overtaken(&mut self) -> Option<ByteRange> {
        self.overtaken.take()
    }

    fn remember(&mut self, stream: Stream) {
        self.streams.push_front(stream);
        if self.streams.len() > STREAMS {
            let ahead = self.streams.pop_back().map(|stream| stream.ahead());
            let meets = |a: ByteRange, b: ByteRange| !a.intersection(b).is_empty();
            let shared = |ahead: &ByteRange| {
                self.streams.iter().any(|other| meets(other.ahead(), *ahead) || meets(other.last, *ahead))
            };
            self.overtaken = ahead.filter(|ahead| !ahead.is_empty() && !shared(ahead));
        }
    }
}

/// The distance between two reads, if they may be steps of one stream.
fn step(from: ByteRange, to: ByteRange, limits: &Limits) -> Option<i64> {
    let step = to.start().wrapping_sub(from.start()).cast_signed();
    (step.unsigned_abs() >= limits.block_size).then_some(step)
}

impl Stream {
    /// The course on which `read` continues this stream, if it does.
    fn continued_by(&self, read: ByteRange, limits: &Limits) -> Option<Course> {
        let block = limits.block_size;
        let reach = |from: u64, to: u64| from / block <= to / block + 1;
        // Reads within one block are not all seen, hence the block's width of tolerance.
        let forward = read.end() > self.last.end() && reach(read.start(), self.last.end().saturating_sub(1));
        let backward =
            read.start() < self.last.start() && reach(self.last.start(), read.end().saturating_sub(1));
        match &self.course {
            Course::Unknown(_) | Course::Forward if forward && read.start() >= self.last.start() => {
                Some(Course::Forward)
            }
            Course::Unknown(_) | Course::Backward if backward && read.end() <= self.last.end() => {
                Some(Course::Backward)
            }
            Course::Unknown(steps) => steps
                .iter()
                .find(|step| self.stepped(**step) == Some(read.start()))
                .map(|step| Course::Step(*step)),
            Course::Step(step) if self.stepped(*step) == Some(read.start()) => Some(Course::Step(*step)),
            _ => None,
        }
    }

    /// What has been called for and not been read. A few steps are not worth giving up.
    fn ahead(&self) -> ByteRange {
        match self.course {
            Course::Forward => ByteRange::new(self.last.end(), self.frontier.max(self.last.end())),
            Course::Backward => ByteRange::new(self.frontier.min(self.last.start()), self.last.start()),
            Course::Unknown(_) | Course::Step(_) => ByteRange::new(0, 0),
        }
    }

    fn stepped(&self, step: i64) -> Option<u64> {
        self.last.start().checked_add_signed(step)
    }

    fn go_on(&mut self, course: Course, read: ByteRange, supply: Supply, limits: &Limits) {
        let first = self.course != course;
        if first {
            self.frontier = match course {
                Course::Forward => read.end(),
                Course::Backward | Course::Step(_) | Course::Unknown(_) => read.start(),
            };
        }
        self.run = self.run.saturating_add(read.length());
        self.calm = supply == Supply::Here;
        let calm_window = (self.run / CALM_SHARE).min(LARGEST_CALM_WINDOW_BYTES);
        let wanted = match supply {
            _ if first && read.length() >= LARGE_READ_BYTES => read.length().saturating_mul(2),
            _ if first => FIRST_WINDOW_BYTES,
            Supply::Here => self.window.max(calm_window),
            Supply::Underway | Supply::Missing => grown(self.window, read.length()),
        };
        let earned = self.run.saturating_mul(2).max(WINDOW_WITHOUT_HISTORY_BYTES);
        self.window = wanted.min(earned).max(read.length()).min(limits.max_window);
        self.course = course;
        self.last = read;
    }

    /// Whether so little is missing of a window that has so much ahead that it is put off: a few large requests are
    /// better than many small ones.
    fn is_too_little(&self, missing: u64, ahead: u64) -> bool {
        missing < if self.calm { ahead } else { ahead / 2 }
    }

    /// What to fetch now so that the window is full again.
    fn call(&mut self, allowance: u64, limits: &Limits) -> Vec<ByteRange> {
        let block = limits.block_size;
        let allowance = allowance / block * block;
        match self.course {
            Course::Unknown(_) => Vec::new(),
            Course::Forward => {
                let from = self.frontier.max(self.last.end());
                let to = self.last.end().saturating_add(self.window).min(limits.file_size);
                let ahead = ByteRange::new(from, to.min(from.saturating_add(allowance)));
                if self.is_too_little(ahead.length(), from - self.last.end())
                    && ahead.end() < limits.file_size
                {
                    return Vec::new();
                }
                self.frontier = ahead.end();
                nonempty(ahead)
            }
            Course::Backward => {
                let to = self.frontier.min(self.last.start());
                let from = self.last.start().saturating_sub(self.window);
                let ahead = ByteRange::new(from.max(to.saturating_sub(allowance)).min(to), to);
                if self.is_too_little(ahead.length(), self.last.start() - to) && ahead.start() > 0 {
                    return Vec::new();
                }
                self.frontier = ahead.start();
                nonempty(ahead)
            }
            Course::Step(_) if !limits.steps => Vec::new(),
            Course::Step(step) => self.call_steps(step, allowance, limits),
        }
    }

    fn call_steps(&mut self, step: i64, allowance: u64, limits: &Limits) -> Vec<ByteRange> {
        let cost = limits.cost(self.last.length());
        let steps_ahead = |stream: &Self| {
            let distance = stream.frontier.wrapping_sub(stream.last.start()).cast_signed();
            u64::try_from(distance / step).unwrap_or(0)
        };
        // The read itself may have overtaken what was called for.
        if steps_ahead(self) == 0 {
            self.frontier = self.last.start();
        }
        let mut left = allowance;
        let mut ahead = Vec::new();
        while ahead.len() < MOST_STEPS && left >= cost && (steps_ahead(self) + 1) * cost <= self.window {
            let Some(start) = self.frontier.checked_add_signed(step) else { break };
            let range = ByteRange::new(start, start.saturating_add(self.last.length()).min(limits.file_size));
            if range.is_empty() {
                break;
            }
            ahead.push(range);
            left -= cost;
            self.frontier = start;
        }
        ahead
    }
}

fn nonempty(range: ByteRange) -> Vec<ByteRange> {
    if range.is_empty() { Vec::new() } else { vec![range] }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a window is a rough size"
)]
fn grown(window: u64, read: u64) -> u64 {
    let growth = if read < LARGE_READ_BYTES { GROWTH } else { GROWTH_BY_LARGE_READS };
    (window as f64 * growth) as u64
}

#[cfg(test)]
mod tests;
