//! Which requests begin now, and on which connections.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Worker;
use crate::transport::Urgency;
use crate::transport::answer::{Answer, Transfer};
use crate::transport::placement::expected_end;
use crate::transport::request::{self, Connection};
use crate::transport::route::Leg;

/// What is under way at one host.
#[derive(Default)]
struct Busy {
    running: u32,
    /// Of these, what has time.
    idle: u32,
    /// Soonest first.
    ends: Vec<Instant>,
}

impl Busy {
    fn add(&mut self, urgency: Urgency, end: Instant) {
        self.running += 1;
        self.idle += u32::from(urgency == Urgency::Idle);
        self.ends.insert(self.ends.partition_point(|other| *other <= end), end);
    }

    /// Whether one more of this urgency leaves enough room for the more urgent: guesses leave a quarter of the
    /// connections for demands, what has time leaves those that a demand and its guesses take.
    fn has_room(&self, urgency: Urgency, most: u32) -> bool {
        let within = match urgency {
            Urgency::Demand => true,
            Urgency::Guess => self.running - self.idle < most - most / 4,
            Urgency::Idle => self.running < most_idle(most),
        };
        within && self.running < most
    }
}

/// Requests for what has time that may be under way at once.
fn most_idle(most: u32) -> u32 {
    (most * 5 / 8).max(1)
}

impl Worker<'_> {
    /// Sends what may be sent now: demands first, each host within its number of connections, and on a new
    /// connection only where no other will be free sooner.
    pub(super) fn launch(&mut self) {
        self.placing = false;
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
        if most > 0 {
            transfer.origin.pacer.allowed(most);
        }
        let host = self.hosts.entry(authority.to_owned()).or_default();
        let pace = transfer.origin.pacer.pace();
        // What has time opens a connection of its own rather than take one that a demand may need soon.
        let alone = transfer.urgency == Urgency::Idle && host.idle() <= most.saturating_sub(most_idle(most));
        if !busy.has_room(transfer.urgency, most) || alone && busy.running + host.idle() >= most {
            None
        } else if alone {
            busy.add(transfer.urgency, now + host.connect_cost(pace) + pace.first_byte);
            Some(Connection::Fresh)
        } else if spares > 0 || host.begins_now(&busy.ends, pace, transfer.queued_at, now) {
            let open = host.idle() > 0 || spares > 0 && !leg.url.is_https();
            let connecting = if open { Duration::ZERO } else { host.connect_cost(pace) };
            let end = expected_end(now, true, transfer.remaining.length(), connecting, pace, now);
            busy.add(transfer.urgency, end);
            Some(Connection::Any)
        } else {
            // It has the promise of the connection that is free first.
            self.placing = true;
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
            busy.entry(authority.to_owned()).or_default().add(transfer.urgency, end);
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
}
