//! The thread that alone touches libcurl: queues, runs and repeats the requests of all open files.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use curl::multi::{Easy2Handle, Multi};

use crate::floor::error::{Error, ErrorCode};
use crate::floor::range::ByteRange;
use crate::transport::answer::{Answer, Outcome, Transfer};
use crate::transport::failure::Failure;
use crate::transport::network::{Inbox, Mail};
use crate::transport::request;
use crate::transport::retry::{Decision, LONGEST_RETRY_AFTER, Policy, decide};
use crate::transport::route::{Leg, Routes, Verdict, is_refusal};
use crate::transport::throttle::{Throttles, is_overload};
use crate::transport::{Origin, Urgency};

/// An answer that brings at least this much before it breaks counts as progress, not as a failure.
const PROGRESS_BYTES: u64 = 64 * 1024;
/// The loop wakes at least this often; every real event wakes it at once.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

pub(crate) struct Worker<'a> {
    multi: &'a Multi,
    inbox: &'a Inbox,
    demands: VecDeque<Transfer>,
    guesses: VecDeque<Transfer>,
    pausing: Vec<(Instant, Transfer)>,
    running: HashMap<usize, Easy2Handle<Answer>>,
    routes: Routes,
    throttles: Throttles,
    next_token: usize,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(multi: &'a Multi, inbox: &'a Inbox) -> Self {
        Self {
            multi,
            inbox,
            demands: VecDeque::new(),
            guesses: VecDeque::new(),
            pausing: Vec::new(),
            running: HashMap::new(),
            routes: Routes::default(),
            throttles: Throttles::default(),
            next_token: 0,
        }
    }

    /// Works until the inbox says stop. What is unfinished then is dropped with its sinks.
    pub(crate) fn run(&mut self) -> Result<(), curl::MultiError> {
        loop {
            for mail in self.inbox.take() {
                match mail {
                    Mail::Start(transfer) => self.enqueue(transfer),
                    Mail::Hurry(origin, range) => self.hurry(origin, range),
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
            self.note_arrivals();
            let finished = self.collect();
            self.end_stalled();
            if finished == 0 {
                self.multi.poll(&mut [], self.sleep())?;
            }
        }
    }

    fn enqueue(&mut self, transfer: Transfer) {
        match transfer.urgency {
            Urgency::Demand => self.demands.push_back(transfer),
            Urgency::Guess => self.guesses.push_back(transfer),
        }
    }

    /// Moves queued guesses that somebody waits for now to the demands.
    fn hurry(&mut self, origin: u64, range: ByteRange) {
        let wanted = |transfer: &Transfer| {
            transfer.origin.id == origin && !transfer.remaining.intersection(range).is_empty()
        };
        let (urgent, rest) = std::mem::take(&mut self.guesses).into_iter().partition(wanted);
        self.guesses = rest;
        let urgent: VecDeque<Transfer> = urgent;
        for transfer in urgent {
            self.demands.push_back(Transfer { urgency: Urgency::Demand, ..transfer });
        }
    }

    fn resume_paused(&mut self) {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.pausing).into_iter().partition(|(at, _)| *at <= now);
        self.pausing = later;
        let due: Vec<(Instant, Transfer)> = due;
        for (_, transfer) in due {
            self.enqueue(transfer);
        }
    }

    /// Sends what may be sent now: demands first, each host within its number of connections.
    fn launch(&mut self) {
        let now = Instant::now();
        let mut in_use: HashMap<String, u32> = HashMap::new();
        for handle in self.running.values() {
            if let Some(leg) = handle.get_ref().transfer().and_then(|transfer| transfer.leg.as_ref()) {
                *in_use.entry(leg.url.authority().to_owned()).or_default() += 1;
            }
        }
        for queue in [std::mem::take(&mut self.demands), std::mem::take(&mut self.guesses)] {
            for mut transfer in queue {
                let Some(leg) = transfer.leg.take().or_else(|| self.routes.of(&transfer.origin).aim()) else {
                    self.enqueue(transfer);
                    continue;
                };
                let used = in_use.entry(leg.url.authority().to_owned()).or_default();
                let most = transfer.origin.options.max_connections;
                if *used < self.throttles.allowed(leg.url.authority(), most, now) {
                    *used += 1;
                    self.send(transfer, leg);
                } else {
                    // A scout stays one; the others may find a better way when it is their turn.
                    transfer.leg = Some(leg).filter(|leg| leg.is_scout() || leg.is_redirected());
                    self.enqueue(transfer);
                }
            }
        }
    }

    fn send(&mut self, mut transfer: Transfer, leg: Leg) {
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
        let token = self.next_token;
        self.next_token = self.next_token.wrapping_add(1);
        // A handle that cannot be set up takes its transfer with it; its sink's drop tells the reader.
        let added =
            request::prepare(Answer::new(transfer), &origin, &url, &self.routes.of(&origin).jar, range)
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
        let accepted = answer.is_accepted();
        let Some(transfer) = answer.take_transfer() else { return };
        if let Some(cookies) = cookies {
            let lines = cookies.iter().map(|line| String::from_utf8_lossy(line).into_owned());
            self.routes.of(&transfer.origin).jar = lines.collect();
        }
        if accepted && let Some(leg) = &transfer.leg {
            self.note_arrival(&transfer.origin, leg);
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
                return self.enqueue(transfer);
            }
            Outcome::Short => Failure::Network {
                code: ErrorCode::BadResponse,
                detail: "the server sends empty answers".to_owned(),
            },
            Outcome::Redirected(_) | Outcome::Elsewhere(_) => match transfer.onward(&outcome) {
                Ok(leg) => {
                    transfer.leg = Some(leg);
                    return self.enqueue(transfer);
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
            return self.enqueue(transfer);
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
        for queue in [&mut self.demands, &mut self.guesses] {
            let (waiting, rest) = std::mem::take(queue)
                .into_iter()
                .partition(|transfer: &Transfer| transfer.origin.id == origin && transfer.leg.is_none());
            *queue = rest;
            let waiting: VecDeque<Transfer> = waiting;
            for transfer in waiting {
                transfer.sink.end(Err(error.clone()));
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
        let opening = self.throttles.next_opening(now).map(|at| at.saturating_duration_since(now));
        pauses.chain(stalls).chain(opening).fold(LONGEST_SLEEP, Duration::min)
    }

    /// Drops everything of a file that was closed.
    fn abandon(&mut self, origin: u64) {
        self.routes.forget(origin);
        let of_it = |transfer: &Transfer| transfer.origin.id == origin;
        self.demands.retain(|transfer| !of_it(transfer));
        self.guesses.retain(|transfer| !of_it(transfer));
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
        self.demands.clear();
        self.guesses.clear();
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
        let mut transfers: Vec<Transfer> = self.demands.drain(..).chain(self.guesses.drain(..)).collect();
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
