//! The thread that alone touches libcurl: queues, runs and repeats the requests of all open files.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use curl::multi::{Easy2Handle, Multi};

use crate::floor::error::ErrorCode;
use crate::transport::Urgency;
use crate::transport::answer::{Answer, Outcome, Transfer};
use crate::transport::failure::Failure;
use crate::transport::network::{Inbox, Mail};
use crate::transport::placement::{Host, expected_end};
use crate::transport::queue::Queue;
use crate::transport::request::{self, Connection};
use crate::transport::retry::{Decision, Policy, decide};
use crate::transport::spares::Spares;

/// An answer that brings at least this much before it breaks counts as progress, not as a failure.
const PROGRESS_BYTES: u64 = 64 * 1024;
/// The loop wakes at least this often; every real event wakes it at once.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);
/// While a request waits for a connection, what was expected of it is looked at so often.
const PLACING_SLEEP: Duration = Duration::from_millis(10);

/// What is under way at one host.
#[derive(Default)]
struct Busy {
    running: u32,
    /// Soonest first.
    ends: Vec<Instant>,
}

/// Requests of its host that may be under way with it: guesses leave a quarter of the connections for
/// demands, what has time leaves half of them.
fn most_at_once(transfer: &Transfer) -> u32 {
    let most = transfer.origin.options.max_connections;
    match transfer.urgency {
        Urgency::Demand => most,
        Urgency::Guess => most - most / 4,
        Urgency::Idle => (most / 2).max(1),
    }
}

impl Busy {
    fn add(&mut self, end: Instant) {
        self.running += 1;
        self.ends.insert(self.ends.partition_point(|other| *other <= end), end);
    }
}

pub(crate) struct Worker<'a> {
    multi: &'a Multi,
    inbox: &'a Inbox,
    queue: Queue,
    pausing: Vec<(Instant, Transfer)>,
    running: HashMap<usize, Easy2Handle<Answer>>,
    /// By authority.
    hosts: HashMap<String, Host>,
    spares: Arc<Spares>,
    next_token: usize,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(multi: &'a Multi, inbox: &'a Inbox) -> Self {
        Self {
            multi,
            inbox,
            queue: Queue::default(),
            pausing: Vec::new(),
            running: HashMap::new(),
            hosts: HashMap::new(),
            spares: Arc::default(),
            next_token: 0,
        }
    }

    /// Works until the inbox says stop. What is unfinished then is dropped with its sinks.
    pub(crate) fn run(&mut self) -> Result<(), curl::MultiError> {
        loop {
            for mail in self.inbox.take() {
                match mail {
                    Mail::Start(transfer) => self.queue.push(transfer),
                    Mail::Hurry(origin, range) => self.queue.hurry(origin, range),
                    Mail::Abandon(origin) => self.abandon(origin),
                    Mail::Stop => {
                        self.abandon_all();
                        return Ok(());
                    }
                }
            }
            self.resume_paused();
            self.launch();
            self.multi.perform()?;
            let finished = self.collect();
            self.end_stalled();
            self.spares.forget_old();
            if finished == 0 {
                self.multi.poll(&mut [], self.sleep())?;
            }
        }
    }

    fn resume_paused(&mut self) {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.pausing).into_iter().partition(|(at, _)| *at <= now);
        self.pausing = later;
        let due: Vec<(Instant, Transfer)> = due;
        for (_, transfer) in due {
            self.queue.push(Transfer { queued_at: now, ..transfer });
        }
    }

    /// Sends what may be sent now: demands first, each host within its number of connections, and on a new
    /// connection only where no other will be free sooner.
    fn launch(&mut self) {
        if self.queue.is_empty() {
            return;
        }
        let now = Instant::now();
        let mut busy = self.busy(now);
        let mut spares = self.spares.ready();
        for transfer in self.queue.take() {
            let authority = transfer.origin.url.authority();
            let host = self.hosts.entry(authority.to_owned()).or_default();
            let busy = busy.entry(authority.to_owned()).or_default();
            let pace = transfer.origin.pacer.pace();
            let most = transfer.origin.options.max_connections;
            // What has time opens a connection of its own rather than take one that a demand may need soon.
            let alone = transfer.urgency == Urgency::Idle && host.idle() <= most / 4;
            let full = busy.running >= most_at_once(&transfer) || alone && busy.running + host.idle() >= most;
            if full {
                self.queue.push(transfer);
            } else if alone {
                busy.add(now + host.connect_cost(pace) + pace.first_byte);
                self.send(transfer, Connection::Fresh);
            } else if spares > 0 || host.begins_now(&busy.ends, pace, transfer.queued_at, now) {
                spares = spares.saturating_sub(usize::from(host.idle() == 0));
                let connecting = if host.idle() > 0 { Duration::ZERO } else { host.connect_cost(pace) };
                busy.add(expected_end(now, true, transfer.remaining.length(), connecting, pace, now));
                self.send(transfer, Connection::Any);
            } else {
                // It has the promise of the connection that is free first.
                busy.ends.remove(0);
                self.queue.push(transfer);
            }
        }
    }

    /// What is under way at each host, and when it is expected to end, soonest first.
    fn busy(&self, now: Instant) -> HashMap<String, Busy> {
        let mut busy: HashMap<String, Busy> = HashMap::new();
        for handle in self.running.values() {
            let answer = handle.get_ref();
            let Some(transfer) = answer.transfer() else { continue };
            let authority = transfer.origin.url.authority();
            let pace = transfer.origin.pacer.pace();
            let host = self.hosts.get(authority);
            let connecting =
                host.filter(|_| !answer.warm).map_or(Duration::ZERO, |host| host.connect_cost(pace));
            let silent = answer.first_heard_at.is_none();
            let left = transfer.remaining.length();
            let end = expected_end(answer.asked_at, silent, left, connecting, pace, now);
            busy.entry(authority.to_owned()).or_default().add(end);
        }
        busy
    }

    fn send(&mut self, mut transfer: Transfer, connection: Connection) {
        let origin = Arc::clone(&transfer.origin);
        let range = transfer.remaining;
        let begun = *transfer.begun.get_or_insert_with(Instant::now);
        transfer.tries.requests += 1;
        transfer.tries.elapsed = begun.elapsed();
        origin.traffic.requests.fetch_add(1, Ordering::Relaxed);
        if transfer.tries.requests > 1 {
            origin.traffic.retries.fetch_add(1, Ordering::Relaxed);
        }
        let host = self.hosts.entry(origin.url.authority().to_owned()).or_default();
        let warm = connection == Connection::Any && host.begin();
        let token = self.next_token;
        self.next_token = self.next_token.wrapping_add(1);
        // A handle that cannot be set up takes its transfer with it; its sink's drop tells the reader.
        let added = request::prepare(Answer::new(transfer, warm, &self.spares), &origin, range, connection)
            .map_err(|error| error.to_string())
            .and_then(|easy| self.multi.add2(easy).map_err(|error| error.to_string()))
            .and_then(|mut handle| {
                handle.set_token(token).map(|()| handle).map_err(|error| error.to_string())
            });
        match added {
            Ok(handle) => {
                self.running.insert(token, handle);
            }
            Err(error) => origin.log.line(|| format!("{range} of {}: {error}", origin.url.shown())),
        }
    }

    /// Takes what libcurl has finished; returns how many that were.
    fn collect(&mut self) -> usize {
        let mut finished = Vec::new();
        self.multi.messages(|message| {
            if let Ok(token) = message.token()
                && let Some(handle) = self.running.get(&token)
                && let Some(result) = message.result_for2(handle)
            {
                finished.push((token, result));
            }
        });
        for (token, result) in &finished {
            self.finish(*token, |answer| answer.outcome(result.as_ref().err()));
        }
        finished.len()
    }

    /// Gives up requests that have brought nothing for too long.
    fn end_stalled(&mut self) {
        let stalled: Vec<(usize, u64)> = self
            .running
            .iter()
            .filter_map(|(token, handle)| {
                let limit = handle.get_ref().transfer()?.origin.options.stall_timeout_ms;
                let silent = handle.get_ref().heard_at.elapsed() >= Duration::from_millis(limit);
                silent.then_some((*token, limit))
            })
            .collect();
        for (token, limit) in stalled {
            self.finish(token, |_| {
                Outcome::Failed(Failure::Network {
                    code: ErrorCode::TimedOut,
                    detail: format!("the server sent nothing for {limit} ms"),
                })
            });
        }
    }

    fn finish(&mut self, token: usize, outcome: impl FnOnce(&mut Answer) -> Outcome) {
        let Some(handle) = self.running.remove(&token) else { return };
        let Ok(mut easy) = self.multi.remove2(handle) else { return };
        let connects = easy.num_connects().unwrap_or(0);
        let answer = easy.get_mut();
        let outcome = outcome(answer);
        let (status, delivered, took) = (answer.status(), answer.delivered, answer.asked_at.elapsed());
        let first_byte = answer.first_heard_at.map(|at| (at - answer.asked_at, answer.heard_at - at));
        let warm = answer.warm;
        let Some(transfer) = answer.take_transfer() else { return };
        let host = self.hosts.entry(transfer.origin.url.authority().to_owned()).or_default();
        host.end(matches!(outcome, Outcome::Complete | Outcome::Short), connects > 0, warm);
        if let (1.., Some((first_byte, _))) = (connects, first_byte) {
            host.connected(first_byte, transfer.origin.pacer.pace());
        }
        transfer.origin.traffic.connections.fetch_add(connects, Ordering::Relaxed);
        if let (Outcome::Complete, 0, Some((first_byte, body))) = (&outcome, connects, first_byte) {
            transfer.origin.pacer.measured(first_byte, delivered, body);
        }
        transfer.origin.log.line(|| {
            format!(
                "GET {} bytes from {} of {}: HTTP {status}, {} ms, try {}{}",
                delivered,
                transfer.remaining.start() - delivered,
                transfer.origin.url.shown(),
                took.as_millis(),
                transfer.tries.requests,
                if matches!(outcome, Outcome::Complete) { "" } else { ", not complete" },
            )
        });
        self.settle(transfer, outcome, delivered);
    }

    fn settle(&mut self, mut transfer: Transfer, outcome: Outcome, delivered: u64) {
        if delivered >= PROGRESS_BYTES {
            transfer.tries.failures = 0;
        }
        let failure = match outcome {
            Outcome::Complete => return transfer.sink.end(Ok(())),
            // The rest of an answer that was honestly short; without progress it counts as broken.
            Outcome::Short if delivered > 0 => {
                transfer.queued_at = Instant::now();
                return self.queue.push(transfer);
            }
            Outcome::Short => Failure::Network {
                code: ErrorCode::BadResponse,
                detail: "the server sends empty answers".to_owned(),
            },
            Outcome::Failed(failure) => failure,
        };
        transfer.tries.failures += 1;
        transfer.tries.elapsed = transfer.begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        let policy = Policy {
            max_retries: transfer.origin.options.max_retries,
            time_limit: transfer.origin.options.read_timeout(),
        };
        match decide(&policy, &transfer.tries, failure, fastrand::f64()) {
            Decision::RetryAfter(pause) => {
                let waited = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
                transfer.origin.traffic.backoff_ms.fetch_add(waited, Ordering::Relaxed);
                self.pausing.push((Instant::now() + pause, transfer));
            }
            Decision::Fail(error) => {
                let error = transfer.origin.explain(error);
                transfer.sink.end(Err(error));
            }
        }
    }

    fn sleep(&self) -> Duration {
        let now = Instant::now();
        let pauses = self.pausing.iter().map(|(at, _)| at.saturating_duration_since(now));
        let stalls = self.running.values().filter_map(|handle| {
            let answer = handle.get_ref();
            let limit = Duration::from_millis(answer.transfer()?.origin.options.stall_timeout_ms);
            Some((answer.heard_at + limit).saturating_duration_since(now))
        });
        let placing = !self.queue.is_empty();
        let longest = if placing { PLACING_SLEEP } else { LONGEST_SLEEP };
        pauses.chain(stalls).fold(longest, Duration::min)
    }

    /// Drops everything of a file that was closed.
    fn abandon(&mut self, origin: u64) {
        let of_it = |transfer: &Transfer| transfer.origin.id == origin;
        self.queue.retain(|transfer| !of_it(transfer));
        self.pausing.retain(|(_, transfer)| !of_it(transfer));
        let tokens: Vec<usize> = self
            .running
            .iter()
            .filter(|(_, handle)| handle.get_ref().transfer().is_some_and(of_it))
            .map(|(token, _)| *token)
            .collect();
        for token in tokens {
            self.drop_running(token);
        }
    }

    fn abandon_all(&mut self) {
        self.queue = Queue::default();
        self.pausing.clear();
        for token in self.running.keys().copied().collect::<Vec<_>>() {
            self.drop_running(token);
        }
    }

    fn drop_running(&mut self, token: usize) {
        if let Some(handle) = self.running.remove(&token) {
            // An easy handle that libcurl will not give back is freed with the multi handle.
            drop(self.multi.remove2(handle));
        }
    }

    /// Fails everything that is still waiting: the thread is about to end for an unforeseen reason.
    pub(crate) fn fail_all(&mut self, why: &str) {
        let mut transfers = self.queue.take();
        transfers.extend(self.pausing.drain(..).map(|(_, transfer)| transfer));
        for (_, handle) in self.running.drain() {
            if let Ok(mut easy) = self.multi.remove2(handle) {
                transfers.extend(easy.get_mut().take_transfer());
            }
        }
        for transfer in transfers {
            transfer.fail(why);
        }
    }
}
