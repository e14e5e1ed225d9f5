//! Which requests begin now, and on which connections.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Worker;
use crate::transport::Urgency;
use crate::transport::answer::{Answer, Transfer};
use crate::transport::placement::{Busy, Host, MOST_STREAMS, Place, expected_end};
use crate::transport::request::{self, Connection, speaks_http2};
use crate::transport::route::Leg;

impl Worker<'_> {
    /// Sends what may be sent now: demands first, each host within its number of connections, and on a new
    /// connection only where no other will be free sooner.
    pub(super) fn launch(&mut self) -> Result<(), curl::MultiError> {
        self.placing = false;
        if self.queue.is_empty() {
            return Ok(());
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
                    let opens = connection != Connection::Shared && host.idle(busy) == 0;
                    spares = spares.saturating_sub(usize::from(opens));
                    self.allow_sharing(connection == Connection::Shared)?;
                    self.send(transfer, leg, connection);
                }
                None => {
                    // A scout stays one; the others may find a better way when it is their turn.
                    transfer.leg = Some(leg).filter(|leg| leg.is_scout() || leg.is_redirected());
                    self.queue.push(transfer);
                }
            }
        }
        // What libcurl repeats by itself must not find a connection to share that it would slow down.
        self.allow_sharing(false)
    }

    /// Lets libcurl put requests beside others or not. It chooses the connection when it begins with a request, so it
    /// begins with those that were given to it before.
    fn allow_sharing(&mut self, allowed: bool) -> Result<(), curl::MultiError> {
        if self.sharing != Some(allowed) {
            self.multi.perform()?;
            self.multi.pipelining(false, allowed)?;
            self.multi.set_max_concurrent_streams(MOST_STREAMS)?;
            self.sharing = Some(allowed);
        }
        Ok(())
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
        if !busy.has_room(transfer.urgency, most) {
            return None;
        }
        let may_share = transfer.origin.options.http2
            && speaks_http2()
            && host.may_share(transfer.remaining.length(), busy);
        if may_share && host.shares_now(busy) {
            busy.share(transfer.urgency);
            return Some(Connection::Shared);
        }
        // What has time opens a connection of its own rather than take one that a demand may need soon.
        let idle = host.idle(busy);
        let alone = transfer.urgency == Urgency::Idle
            && !may_share
            && idle <= most.saturating_sub(Busy::most_idle(most));
        if alone && busy.running + idle >= most {
            None
        } else if alone || host.distrusts_http2() && transfer.tries.failures > 0 {
            // Not every libcurl keeps a request of HTTP/1.1 from a connection of HTTP/2.
            busy.add(transfer.urgency, now + host.connect_cost(pace) + pace.first_byte);
            Some(Connection::Fresh)
        } else if spares > 0 || host.begins_now(busy, pace, transfer.queued_at, now) {
            busy.shareable += u32::from(idle > 0 && host.multiplexes());
            let open = idle > 0 || spares > 0 && !leg.url.is_https();
            let connecting = if open { Duration::ZERO } else { host.connect_cost(pace) };
            let end = expected_end(now, true, transfer.remaining.length(), connecting, pace, now);
            busy.add(transfer.urgency, end);
            Some(Connection::Any)
        } else {
            // It has the promise of the connection that is free first.
            self.placing = true;
            busy.promise();
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
            let host = self.hosts.get(authority);
            let multiplexes = host.is_some_and(Host::multiplexes);
            let busy = busy.entry(authority.to_owned()).or_default();
            if answer.is_http2() || answer.place != Place::New && multiplexes {
                busy.shareable += 1;
            }
            if answer.place == Place::Shared {
                busy.share(transfer.urgency);
                continue;
            }
            let host = host.filter(|_| answer.place == Place::New);
            let connecting = host.map_or(Duration::ZERO, |host| host.connect_cost(pace));
            let silent = answer.first_heard_at.is_none();
            let left = transfer.remaining.length();
            let end = expected_end(answer.asked_at, silent, left, connecting, pace, now);
            busy.add(transfer.urgency, end);
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
        let place = match connection {
            Connection::Any => host.begin(),
            Connection::Fresh => Place::New,
            Connection::Shared => Place::Shared,
        };
        let http2 = origin.options.http2 && speaks_http2() && !host.distrusts_http2();
        let token = self.next_token;
        self.next_token = self.next_token.wrapping_add(1);
        // A handle that cannot be set up takes its transfer with it; its sink's drop tells the reader.
        let jar = &self.routes.of(&origin).jar;
        let answer = Answer::new(transfer, place, &self.spares);
        let added = request::prepare(answer, &origin, &url, jar, range, connection, http2)
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
