use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};
use hyper::body::Frame;
use tokio::time::Sleep;

use crate::alarm::Alarm;
use crate::content::Content;
use crate::limiter::Limiter;
use crate::record::Record;

/// The most that is handed to a connection at once.
pub(crate) const FRAME: u64 = 64 << 10;
/// A slow body comes in frames that take about this part of a second.
const FRAMES_A_SECOND: u64 = 100;
/// How often a body to be cut looks whether its bytes have left.
const LOOK: Duration = Duration::from_millis(1);

/// How a body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With its last byte.
    Complete,
    /// Never: after so many bytes nothing more comes.
    Stall(u64),
    /// With the connection's, after so many bytes.
    Cut(u64),
}

/// The body of an answer: bytes of a content, at the pace of some limiters.
pub(crate) struct Body {
    content: Content,
    offset: u64,
    length: u64,
    end: End,
    limiters: Vec<Arc<Limiter>>,
    /// When the first byte is due.
    due: Option<Instant>,
    frame: u64,
    /// How many bytes have been handed out.
    handed: u64,
    /// Whether the limiters know of the next frame.
    announced: bool,
    /// Whether the cut has begun.
    cutting: bool,
    /// Exists once there was something to wait for.
    sleep: Option<Pin<Box<Sleep>>>,
    asleep: bool,
    /// The first frame and the last are waited for exactly. Others may be late, for the limiters let them catch up.
    alarm: Option<Alarm>,
    /// The answer this is part of, unless it is not recorded.
    record: Option<Arc<Record>>,
}

impl Body {
    pub(crate) fn new(content: Content, offset: u64, length: u64) -> Self {
        Self {
            content,
            offset,
            length,
            end: End::Complete,
            limiters: Vec::new(),
            due: None,
            frame: FRAME,
            handed: 0,
            announced: false,
            cutting: false,
            sleep: None,
            asleep: false,
            alarm: None,
            record: None,
        }
    }

    /// An end at or after the last byte is a complete one.
    pub(crate) fn ending(mut self, end: End) -> Self {
        self.end = match end {
            End::Stall(at) | End::Cut(at) if at >= self.length => End::Complete,
            end => end,
        };
        self
    }

    pub(crate) fn limited(mut self, limiters: Vec<Arc<Limiter>>) -> Self {
        let slowest = limiters.iter().map(|limiter| limiter.rate()).min();
        self.frame = slowest.map_or(FRAME, |rate| (rate / FRAMES_A_SECOND).clamp(1, FRAME));
        self.limiters = limiters;
        self
    }

    /// The limiters count the first frame from then on, however late it is.
    pub(crate) fn due(mut self, due: Instant) -> Self {
        self.due = Some(due);
        self
    }

    pub(crate) fn recorded(mut self, record: Arc<Record>) -> Self {
        self.record = Some(record);
        self
    }

    /// How many bytes are handed out in all.
    fn limit(&self) -> u64 {
        match self.end {
            End::Complete => self.length,
            End::Stall(at) | End::Cut(at) => at,
        }
    }

    /// Waits for the limiters' leave to hand out the next frame: its size.
    fn poll_leave(&mut self, cx: &mut Context<'_>) -> Poll<usize> {
        let count = (self.limit() - self.handed).min(self.frame) as usize;
        if !self.announced {
            self.announced = true;
            let (continuing, now) = (self.handed > 0, Instant::now());
            let limiters = self.limiters.iter();
            let earliest = self.due.filter(|_| !continuing).unwrap_or(now);
            let passed = limiters.map(|limiter| limiter.announce(count, continuing, earliest)).max();
            if let Some(passed) = passed.filter(|passed| *passed > now) {
                self.sleep_until(passed);
            }
        }
        ready!(self.poll_sleep(cx));
        self.announced = false;
        Poll::Ready(count)
    }

    /// Waits until all that was handed out has left, then breaks the connection.
    fn poll_cut(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            ready!(self.poll_sleep(cx));
            let left = self.record.as_ref().is_none_or(|record| record.sent() == self.handed);
            // At least one wait, which lets the connection send the head.
            if self.cutting && left {
                // Logged first, so that a client that sees the end finds it.
                self.record = None;
                return Poll::Ready(io::ErrorKind::ConnectionAborted.into());
            }
            self.cutting = true;
            self.sleep_until(Instant::now() + LOOK);
        }
    }

    fn sleep_until(&mut self, time: Instant) {
        if self.handed == 0 || self.limit() - self.handed <= self.frame {
            self.alarm = Some(Alarm::new(time));
            return;
        }
        match &mut self.sleep {
            Some(sleep) => sleep.as_mut().reset(time.into()),
            None => self.sleep = Some(Box::pin(tokio::time::sleep_until(time.into()))),
        }
        self.asleep = true;
    }

    fn poll_sleep(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(alarm) = &mut self.alarm {
            ready!(Pin::new(alarm).poll(cx));
            self.alarm = None;
        }
        if let Some(sleep) = self.sleep.as_mut().filter(|_| self.asleep) {
            ready!(sleep.as_mut().poll(cx));
            self.asleep = false;
        }
        Poll::Ready(())
    }

    fn next(&mut self, count: usize) -> io::Result<Chunk> {
        let bytes = self.content.read(self.offset.saturating_add(self.handed), count)?;
        self.handed += count as u64;
        if let Some(record) = self.record.as_ref().filter(|_| self.handed == self.length) {
            record.finishing();
        }
        Ok(Chunk { bytes, record: self.record.clone() })
    }
}

impl hyper::body::Body for Body {
    type Data = Chunk;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Chunk>>>> {
        if self.handed < self.limit() {
            let count = ready!(self.poll_leave(cx));
            return Poll::Ready(Some(self.next(count).map(Frame::data)));
        }
        match self.end {
            End::Complete => Poll::Ready(None),
            // The connection notices by itself when the client leaves.
            End::Stall(_) => Poll::Pending,
            End::Cut(_) => self.poll_cut(cx).map(|error| Some(Err(error))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.handed > 0 && self.handed == self.length
    }
}

/// Bytes that tell the record when the socket takes them.
pub(crate) struct Chunk {
    bytes: Bytes,
    record: Option<Arc<Record>>,
}

impl Buf for Chunk {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        if let Some(record) = &self.record {
            record.writing();
        }
        self.bytes.chunks_vectored(slices)
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        if let Some(record) = &self.record {
            record.wrote(count);
        }
    }
}
