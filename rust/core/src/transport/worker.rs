//! The thread that alone touches libcurl: queues, runs and repeats the requests of all open files.

mod finish;
mod launch;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use curl::multi::{Easy2Handle, Multi};

use crate::floor::error::ErrorCode;
use crate::floor::range::ByteRange;
use crate::transport::answer::{Answer, Outcome, Transfer};
use crate::transport::failure::Failure;
use crate::transport::network::{Inbox, Mail};
use crate::transport::placement::Host;
use crate::transport::queue::Queue;
use crate::transport::route::{Leg, Routes};
use crate::transport::spares::Spares;
use crate::transport::throttle::Throttles;
use crate::transport::{Origin, Urgency};

/// The loop wakes at least this often; every real event wakes it at once.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);
/// While a request waits for a connection, what was expected of it is looked at so often.
const PLACING_SLEEP: Duration = Duration::from_millis(10);

pub(crate) struct Worker<'a> {
    multi: &'a mut Multi,
    inbox: &'a Inbox,
    queue: Queue,
    pausing: Vec<(Instant, Transfer)>,
    running: HashMap<usize, Easy2Handle<Answer>>,
    routes: Routes,
    throttles: Throttles,
    /// By authority.
    hosts: HashMap<String, Host>,
    spares: Arc<Spares>,
    /// Whether libcurl may put a request beside others; `None` where that has not been said yet.
    sharing: Option<bool>,
    /// A request waits for a connection that is expected to be free soon.
    placing: bool,
    next_token: usize,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(multi: &'a mut Multi, inbox: &'a Inbox) -> Self {
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
            sharing: None,
            placing: false,
            next_token: 0,
        }
    }

    /// Works until the inbox says stop. What is unfinished then is dropped with its sinks.
    pub(crate) fn run(&mut self) -> Result<(), curl::MultiError> {
        loop {
            for mail in self.inbox.take() {
                match mail {
                    Mail::Start(transfer) => self.queue.push(*transfer),
                    Mail::Hurry(origin, range) => self.hurry(origin, range),
                    Mail::Cancel(origin, range) => self.cancel(origin, range),
                    Mail::Abandon(origin) => self.abandon(origin),
                    Mail::Stop => {
                        self.abandon_all();
                        return Ok(());
                    }
                }
            }
            self.resume_paused();
            self.launch()?;
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
            if let Err(error) = result
                && (error.is_http2_error() || error.is_http2_stream_error())
            {
                self.distrust_http2(*token);
            }
            self.finish(*token, |answer, location| answer.outcome(result.as_ref().err(), location));
        }
        finished.len()
    }

    /// Gives up requests that have brought nothing for too long.
    fn end_stalled(&mut self) {
        let now = Instant::now();
        let stalled: Vec<(usize, u64)> = self
            .running
            .iter_mut()
            .filter_map(|(token, handle)| {
                let answer = handle.get_mut();
                let limit = answer.transfer()?.origin.options.stall_timeout_ms;
                answer.is_stalled(Duration::from_millis(limit), now).then_some((*token, limit))
            })
            .collect();
        for (token, limit) in stalled {
            // Its connection, which may be the one that is silent, would serve others.
            self.distrust_http2(token);
            self.finish(token, |_, _| {
                Outcome::Failed(Failure::Network {
                    code: ErrorCode::TimedOut,
                    detail: format!("the server sent next to nothing for {limit} ms"),
                })
            });
        }
    }

    /// The request has suffered what HTTP/2 may be the reason of.
    fn distrust_http2(&mut self, token: usize) {
        let handle = self.running.get(&token);
        if let Some(leg) = handle.and_then(|handle| handle.get_ref().transfer()?.leg.as_ref()) {
            self.hosts.entry(leg.url.authority().to_owned()).or_default().distrust_http2();
        }
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

    fn sleep(&self) -> Duration {
        let now = Instant::now();
        let pauses = self.pausing.iter().map(|(at, _)| at.saturating_duration_since(now));
        let stalls = self.running.values().filter_map(|handle| {
            let answer = handle.get_ref();
            let limit = Duration::from_millis(answer.transfer()?.origin.options.stall_timeout_ms);
            Some((answer.heard_at + limit).saturating_duration_since(now))
        });
        let opening = self.throttles.next_opening(now).map(|at| at.saturating_duration_since(now));
        let longest = if self.placing { PLACING_SLEEP } else { LONGEST_SLEEP };
        pauses.chain(stalls).chain(opening).fold(longest, Duration::min)
    }

    /// Somebody waits now for what reaches into the range.
    fn hurry(&mut self, origin: u64, range: ByteRange) {
        self.queue.hurry(origin, range);
        for handle in self.running.values_mut() {
            if let Some(transfer) = handle.get_mut().transfer_mut()
                && transfer.reaches_into(origin, range)
            {
                transfer.urgency = Urgency::Demand;
            }
        }
    }

    /// Gives up guesses that lie in the range: those that wait, and of those that run the ones that would still take
    /// longer than a new connection, which is what giving up costs.
    fn cancel(&mut self, origin: u64, range: ByteRange) {
        drop(self.queue.take_if(|transfer| transfer.is_guess_in(origin, range)));
        let long = |transfer: &Transfer| {
            let pace = transfer.origin.pacer.pace();
            let host = transfer.leg.as_ref().and_then(|leg| self.hosts.get(leg.url.authority()));
            let cost = host.map_or(pace.first_byte, |host| host.connect_cost(pace));
            pace.transfer(transfer.remaining.length()) > cost
        };
        let overtaken = |handle: &Easy2Handle<Answer>| {
            handle
                .get_ref()
                .transfer()
                .is_some_and(|transfer| transfer.is_guess_in(origin, range) && long(transfer))
        };
        let tokens: Vec<usize> =
            self.running.iter().filter(|(_, handle)| overtaken(handle)).map(|(token, _)| *token).collect();
        for token in tokens {
            self.drop_running(token);
        }
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
            let answer = handle.get_ref();
            // Unlike a connection of HTTP/1.1, one of HTTP/2 outlives what is broken off.
            if answer.is_http2()
                && let Some(leg) = answer.transfer().and_then(|transfer| transfer.leg.as_ref())
                && let Some(host) = self.hosts.get_mut(leg.url.authority())
            {
                host.end(true, false, answer.place);
            }
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
