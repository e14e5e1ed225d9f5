//! What becomes of a transfer once one of its requests has ended.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Worker;
use crate::floor::error::{Error, ErrorCode};
use crate::transport::answer::{Answer, Outcome, Transfer};
use crate::transport::failure::Failure;
use crate::transport::retry::{Decision, LONGEST_RETRY_AFTER, Policy, decide};
use crate::transport::route::{Verdict, is_refusal};
use crate::transport::throttle::is_overload;

/// An answer that brings at least this much before it breaks counts as progress, not as a failure.
const PROGRESS_BYTES: u64 = 64 * 1024;

/// Whether the connection stays open, as far as is known.
fn is_kept(outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Failed(_))
}

impl Worker<'_> {
    pub(super) fn finish(
        &mut self,
        token: usize,
        outcome: impl FnOnce(&mut Answer, Option<String>) -> Outcome,
    ) {
        let Some(handle) = self.running.remove(&token) else { return };
        let Ok(mut easy) = self.multi.remove2(handle) else { return };
        let connects = easy.num_connects().unwrap_or(0);
        let location = easy.redirect_url().ok().flatten().map(str::to_owned);
        let cookies = easy.get_ref().sets_cookies().then(|| easy.cookies().ok()).flatten();
        let answer = easy.get_mut();
        let outcome = outcome(answer, location);
        let (status, delivered, asked_at) = (answer.status(), answer.delivered, answer.asked_at);
        let first_byte = answer.first_heard_at.map(|at| (at - answer.asked_at, answer.heard_at - at));
        let (accepted, place, http2) = (answer.is_accepted(), answer.place, answer.is_http2());
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
            host.end(is_kept(&outcome), connects > 0, place);
            if status > 0 {
                host.answered(http2);
            }
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
        if let (Failure::Network { .. }, 2.., Some(leg)) = (&failure, transfer.tries.failures, &leg)
            && let Some(host) = self.hosts.get_mut(leg.url.authority())
        {
            host.distrust_http2();
        }
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

    /// Fails what waits for a way to the file that was not found.
    fn fail_waiting(&mut self, origin: u64, error: &Error) {
        let waiting = |transfer: &Transfer| transfer.origin.id == origin && transfer.leg.is_none();
        for transfer in self.queue.take_if(waiting) {
            transfer.sink.end(Err(error.clone()));
        }
    }
}
