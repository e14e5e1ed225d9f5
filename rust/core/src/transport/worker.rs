//! The thread that alone touches libcurl: queues, runs and repeats the requests of all open files.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use curl::multi::{Easy2Handle, Multi};

use crate::floor::error::{Error, ErrorCode};
use crate::transport::answer::{Answer, Outcome, Transfer};
use crate::transport::failure::Failure;
use crate::transport::network::{Inbox, Mail};
use crate::transport::placement::{Host, expected_end};
use crate::transport::queue::Queue;
use crate::transport::request::{self, Connection};
use crate::transport::retry::{Decision, LONGEST_RETRY_AFTER, Policy, decide};
use crate::transport::route::{Leg, Routes, Verdict, is_refusal};
use crate::transport::spares::Spares;
use crate::transport::throttle::{Throttles, is_overload};
use crate::transport::{Origin, Urgency};

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

impl Busy {
    fn add(&mut self, end: Instant) {
        self.running += 1;
        self.ends.insert(self.ends.partition_point(|other| *other <= end), end);
    }
}

/// Requests of a host that may be under way with one of this urgency: guesses leave a quarter of the connections for
/// demands, what has time leaves half of them.
fn most_at_once(urgency: Urgency, most: u32) -> u32 {
    match urgency {
        Urgency::Demand => most,
        Urgency::Guess => most - most / 4,
        Urgency::Idle => (most / 2).max(1),
    }
}

/// Whether the connection stays open, as far as is known.
fn is_kept(outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Failed(_))
}

pub(crate) struct Worker<'a> {
    multi: &'a Multi,
    inbox: &'a Inbox,
    queue: Queue,
    pausing: Vec<(Instant, Transfer)>,
    running: HashMap<usize, Easy2Handle<Answer>>,
    routes: Routes,
    throttles: Throttles,
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
            routes: Routes::default(),
            throttles: Throttles::default(),
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
                    Mail::Start(transfer) => self.queue.push(*transfer),
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
            self.spares.open_wanted();
            self.note_arrivals();
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
        for mut transfer in self.queue.take() {
            let Some(leg) = transfer.leg.take().or_else(|| self.routes.of(&transfer.origin).aim()) else {
                self.queue.push(transfer);
                continue;
            };
            let busy = busy.entry(leg.url.authority().to_owned()).or_default();
            match self.place(&transfer, &leg, busy, spares, now) {
                Some(connection) => {
                    let host = self.hosts.entry(leg.url.authority().to_owned()).or_default();
                    spares = spares.saturating_sub(usize::from(host.idle() == 0));
                    self.send(transfer, leg, connection);
                }
                None => {
                    // A scout stays one; the others may find a better way when it is their turn.
                    transfer.leg = Some(leg).filter(|leg| leg.is_scout() || leg.is_redirected());
                    self.queue.push(transfer);
                }
            }
        }
    }

    /// The connection on which a request begins now; `None` where it waits. Takes note of it in `busy`.
    fn place(
        &mut self,
        transfer: &Transfer,
        leg: &Leg,
        busy: &mut Busy,
        spares: usize,
        now: Instant,
    ) -> Option<Connection> {
        let authority = leg.url.authority();
        let most = self.throttles.allowed(authority, transfer.origin.options.max_connections, now);
        let host = self.hosts.entry(authority.to_owned()).or_default();
        let pace = transfer.origin.pacer.pace();
        // What has time opens a connection of its own rather than take one that a demand may need soon.
        let alone = transfer.urgency == Urgency::Idle && host.idle() <= most / 4;
        if busy.running >= most_at_once(transfer.urgency, most) || alone && busy.running + host.idle() >= most
        {
            None
        } else if alone {
            busy.add(now + host.connect_cost(pace) + pace.first_byte);
            Some(Connection::Fresh)
        } else if spares > 0 || host.begins_now(&busy.ends, pace, transfer.queued_at, now) {
            let connecting = if host.idle() > 0 { Duration::ZERO } else { host.connect_cost(pace) };
            busy.add(expected_end(now, true, transfer.remaining.length(), connecting, pace, now));
            Some(Connection::Any)
        } else {
            // It has the promise of the connection that is free first.
            busy.ends.remove(0);
            None
        }
    }

    /// What is under way at each host, and when it is expected to end.
    fn busy(&self, now: Instant) -> HashMap<String, Busy> {
        let mut busy: HashMap<String, Busy> = HashMap::new();
        for handle in self.running.values() {
            let answer = handle.get_ref();
            let Some(transfer) = answer.transfer() else { continue };
            let Some(leg) = &transfer.leg else { continue };
            let authority = leg.url.authority();
            let pace = transfer.origin.pacer.pace();
            let host = self.hosts.get(authority).filter(|_| !answer.warm);
            let connecting = host.map_or(Duration::ZERO, |host| host.connect_cost(pace));
            let silent = answer.first_heard_at.is_none();
            let left = transfer.remaining.length();
            let end = expected_end(answer.asked_at, silent, left, connecting, pace, now);
            busy.entry(authority.to_owned()).or_default().add(end);
        }
        busy
    }

    fn send(&mut self, mut transfer: Transfer, leg: Leg, connection: Connection) {
        let origin = Arc::clone(&transfer.origin);
        let range = transfer.remaining;
        let begun = *transfer.begun.get_or_insert_with(Instant::now);
        transfer.tries.elapsed = begun.elapsed();
        origin.traffic.requests.fetch_add(1, Ordering::Relaxed);
        // The rest of the way is no new try.
        if !leg.is_redirected() {
            transfer.tries.requests += 1;
            if transfer.tries.requests > 1 {
                origin.traffic.retries.fetch_add(1, Ordering::Relaxed);
            }
        }
        let url = Arc::clone(&leg.url);
        transfer.leg = Some(leg);
        let host = self.hosts.entry(url.authority().to_owned()).or_default();
        let warm = connection == Connection::Any && host.begin();
        let token = self.next_token;
        self.next_token = self.next_token.wrapping_add(1);
        // A handle that cannot be set up takes its transfer with it; its sink's drop tells the reader.
        let jar = &self.routes.of(&origin).jar;
        let answer = Answer::new(transfer, warm, &self.spares);
        let added = request::prepare(answer, &origin, &url, jar, range, connection)
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
            self.finish(*token, |answer, location| answer.outcome(result.as_ref().err(), location));
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
            self.finish(token, |_, _| {
                Outcome::Failed(Failure::Network {
                    code: ErrorCode::TimedOut,
                    detail: format!("the server sent nothing for {limit} ms"),
                })
            });
        }
    }

    fn finish(&mut self, token: usize, outcome: impl FnOnce(&mut Answer, Option<String>) -> Outcome) {
        let Some(handle) = self.running.remove(&token) else { return };
        let Ok(mut easy) = self.multi.remove2(handle) else { return };
        let connects = easy.num_connects().unwrap_or(0);
        let location = easy.redirect_url().ok().flatten().map(str::to_owned);
        let cookies = easy.get_ref().sets_cookies().then(|| easy.cookies().ok()).flatten();
        let answer = easy.get_mut();
        let outcome = outcome(answer, location);
        let (status, delivered, asked_at) = (answer.status(), answer.delivered, answer.asked_at);
        let first_byte = answer.first_heard_at.map(|at| (at - answer.asked_at, answer.heard_at - at));
        let (accepted, warm) = (answer.is_accepted(), answer.warm);
        let Some(transfer) = answer.take_transfer() else { return };
        if let Some(cookies) = cookies {
            let lines = cookies.iter().map(|line| String::from_utf8_lossy(line).into_owned());
            self.routes.of(&transfer.origin).jar = lines.collect();
        }
        if accepted && let Some(leg) = &transfer.leg {
            self.note_arrival(&transfer.origin, leg);
        }
        if let Some(leg) = &transfer.leg {
            let host = self.hosts.entry(leg.url.authority().to_owned()).or_default();
            host.end(is_kept(&outcome), connects > 0, warm);
            if let (1.., Some((first_byte, _))) = (connects, first_byte) {
                host.connected(first_byte, transfer.origin.pacer.pace());
            }
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
                transfer.leg.as_ref().map_or(transfer.origin.url.shown(), |leg| leg.url.shown()),
                asked_at.elapsed().as_millis(),
                transfer.tries.requests,
                if matches!(outcome, Outcome::Complete) { "" } else { ", not complete" },
            )
        });
        transfer.origin.traffic.delivered_bytes.fetch_add(delivered, Ordering::Relaxed);
        if accepted && let Some(leg) = &transfer.leg {
            self.throttles.served(leg.url.authority());
        }
        self.settle(transfer, outcome, delivered, asked_at);
    }

    fn settle(&mut self, mut transfer: Transfer, outcome: Outcome, delivered: u64, asked_at: Instant) {
        if delivered >= PROGRESS_BYTES {
            transfer.tries.failures = 0;
        }
        let failure = match outcome {
            Outcome::Complete => return transfer.sink.end(Ok(())),
            // The rest of an answer that was honestly short; without progress it counts as broken.
            Outcome::Short if delivered > 0 => {
                transfer.leg = None;
                transfer.queued_at = Instant::now();
                return self.queue.push(transfer);
            }
            Outcome::Short => Failure::Network {
                code: ErrorCode::BadResponse,
                detail: "the server sends empty answers".to_owned(),
            },
            Outcome::Redirected(_) | Outcome::Elsewhere(_) => match transfer.onward(&outcome) {
                Ok(leg) => {
                    transfer.leg = Some(leg);
                    transfer.queued_at = Instant::now();
                    return self.queue.push(transfer);
                }
                Err(error) => Failure::Refused(error),
            },
            Outcome::Failed(failure) => failure,
        };
        let leg = transfer.leg.take();
        if let (Failure::Status { status, retry_after, .. }, Some(leg)) = (&failure, &leg)
            && is_overload(*status)
        {
            self.slow_down(leg.url.authority(), asked_at, *retry_after);
        }
        if let (Failure::Status { status, .. }, Some(leg)) = (&failure, &leg)
            && is_refusal(*status)
            && self.routes.of(&transfer.origin).refused(leg) == Verdict::Again
        {
            return self.queue.push(transfer);
        }
        if let (Failure::Network { code: ErrorCode::Unreachable, .. }, Some(leg)) = (&failure, &leg) {
            self.routes.of(&transfer.origin).unreachable(leg);
        }
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
                transfer.leg = leg.and_then(|leg| self.routes.of(&transfer.origin).restart(leg));
                self.pausing.push((Instant::now() + pause, transfer));
            }
            Decision::Fail(error) => {
                let error = transfer.origin.explain(error);
                if error.code() == ErrorCode::Changed {
                    let _ = transfer.origin.changed.set(error.clone());
                }
                if leg.is_some_and(|leg| self.routes.of(&transfer.origin).is_lost(&leg)) {
                    self.fail_waiting(transfer.origin.id, &error);
                }
                transfer.sink.end(Err(error));
            }
        }
    }

    /// A host has said that it is asked too much.
    fn slow_down(&mut self, host: &str, asked_at: Instant, retry_after: Option<Duration>) {
        let legs = self.running.values().filter_map(|handle| handle.get_ref().transfer()?.leg.as_ref());
        let others = legs.filter(|leg| leg.url.authority() == host).count();
        let in_flight = u32::try_from(others + 1).unwrap_or(u32::MAX);
        let pause = retry_after.filter(|pause| *pause <= LONGEST_RETRY_AFTER);
        self.throttles.overloaded(host, in_flight, asked_at, pause, Instant::now());
    }

    /// Where an answer belongs to the file, the way that led to it is known from now on.
    fn note_arrivals(&mut self) {
        let scouts = self.running.values().filter_map(|handle| {
            let answer = handle.get_ref();
            let transfer = answer.transfer()?;
            let leg = transfer.leg.as_ref().filter(|leg| answer.is_accepted() && leg.is_scout())?;
            Some((Arc::clone(&transfer.origin), leg.clone()))
        });
        for (origin, leg) in scouts.collect::<Vec<_>>() {
            self.note_arrival(&origin, &leg);
        }
    }

    fn note_arrival(&mut self, origin: &Origin, leg: &Leg) {
        if self.routes.of(origin).arrived(leg) {
            origin.note_direct();
        }
    }

    /// Fails what waits for a way to the file that was not found.
    fn fail_waiting(&mut self, origin: u64, error: &Error) {
        let waiting = |transfer: &Transfer| transfer.origin.id == origin && transfer.leg.is_none();
        for transfer in self.queue.take_if(waiting) {
            transfer.sink.end(Err(error.clone()));
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
        let opening = self.throttles.next_opening(now).map(|at| at.saturating_duration_since(now));
        let longest = if self.queue.is_empty() { LONGEST_SLEEP } else { PLACING_SLEEP };
        pauses.chain(stalls).chain(opening).fold(longest, Duration::min)
    }

    /// Drops everything of a file that was closed.
    fn abandon(&mut self, origin: u64) {
        self.routes.forget(origin);
        let of_it = |transfer: &Transfer| transfer.origin.id == origin;
        drop(self.queue.take_if(of_it));
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
