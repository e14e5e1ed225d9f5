//! The way to a file: where its requests go, and what a refusal on the way means. Pure.
//!
//! An address may redirect, often to a signed one that expires. Where the first request ended up is
//! [known](Route::arrived) from then on and asked directly, until it refuses; then one request, the
//! scout, goes the whole way again while the others wait for what it finds.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use crate::floor::error::{Error, ErrorCode};
use crate::floor::url::RemoteUrl;

/// Redirects that are followed one after the other.
const MAX_REDIRECTS: u32 = 10;

/// Where one request goes.
#[derive(Clone, Debug)]
pub(crate) struct Leg {
    pub(crate) url: Arc<RemoteUrl>,
    /// Redirects followed so far.
    hops: u32,
    /// The state of the route when the way began.
    epoch: u64,
    scout: Option<Arc<Scout>>,
}

/// Held by the one request that looks for the way. However it ends, another may look after it.
#[derive(Debug)]
struct Scout;

impl Leg {
    /// Does it repeat what was asked elsewhere, because that redirected?
    pub(crate) fn is_redirected(&self) -> bool {
        self.hops > 0
    }

    /// Do others wait for what becomes of it?
    pub(crate) fn is_scout(&self) -> bool {
        self.scout.is_some()
    }

    /// The next leg, to where this one was redirected.
    pub(crate) fn redirected(&self, location: &str) -> Result<Self, Error> {
        let refused = |why: String| Error::new(ErrorCode::Server, why);
        let url = RemoteUrl::parse(location).map_err(|error| {
            refused(format!("the server redirects to where nothing can be read: {error}"))
        })?;
        if self.url.is_https() && !url.is_https() {
            return Err(refused(format!("the server redirects from https to {}", url.shown())));
        }
        self.onward(url)
    }

    /// The next leg, to `url`.
    pub(crate) fn onward(&self, url: RemoteUrl) -> Result<Self, Error> {
        if self.hops >= MAX_REDIRECTS {
            return Err(Error::new(ErrorCode::Server, format!("more than {MAX_REDIRECTS} redirects")));
        }
        Ok(Self { url: Arc::new(url), hops: self.hops + 1, ..self.clone() })
    }
}

/// What to do about a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Ask again: the way was an old one.
    Again,
    /// It is the file that is refused.
    Final,
}

/// May another address of the same file be accepted where one got this status? Signed URLs are refused
/// with any of these when they have expired.
pub(crate) fn is_refusal(status: u16) -> bool {
    matches!(status, 400 | 401 | 403 | 404 | 410)
}

/// Does this status send the request elsewhere, unchanged? All requests are GETs, for which 303 does too.
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// What is known of the way to one file.
#[derive(Debug)]
pub(crate) struct Route {
    given: Arc<RemoteUrl>,
    /// Which of the addresses that were given for the file.
    generation: u64,
    known: Option<Arc<RemoteUrl>>,
    /// Counts the times that a way was given up.
    epoch: u64,
    scout: Weak<Scout>,
    /// The epoch at whose way the last scout was refused.
    refused_epoch: u64,
    /// Cookies that servers on the way have set, in libcurl's form. Logging in often goes over several hosts.
    pub(crate) jar: Vec<String>,
}

impl Route {
    /// `direct` says that the address is known not to redirect.
    pub(crate) fn new(given: Arc<RemoteUrl>, generation: u64, direct: bool) -> Self {
        let known = direct.then(|| Arc::clone(&given));
        Self { given, generation, known, epoch: 1, scout: Weak::new(), refused_epoch: 0, jar: Vec::new() }
    }

    /// Takes in the address that is given for the file now.
    pub(crate) fn given(&mut self, given: &Arc<RemoteUrl>, generation: u64) {
        if generation != self.generation {
            let (epoch, jar) = (self.epoch + 1, std::mem::take(&mut self.jar));
            *self = Self { epoch, jar, ..Self::new(Arc::clone(given), generation, false) };
        }
    }

    /// Where the next request goes; `None` where it has to wait for the scout.
    pub(crate) fn aim(&mut self) -> Option<Leg> {
        let leg =
            |url: &Arc<RemoteUrl>, scout| Leg { url: Arc::clone(url), hops: 0, epoch: self.epoch, scout };
        if let Some(known) = &self.known {
            return Some(leg(known, None));
        }
        if self.scout.strong_count() > 0 {
            return None;
        }
        let scout = Arc::new(Scout);
        self.scout = Arc::downgrade(&scout);
        Some(leg(&self.given, Some(scout)))
    }

    /// Where a request goes that failed in passing on `leg`: the scout starts over, all others aim anew.
    pub(crate) fn restart(&self, leg: Leg) -> Option<Leg> {
        (leg.is_scout() && self.known.is_none()).then(|| Leg {
            url: Arc::clone(&self.given),
            hops: 0,
            epoch: self.epoch,
            ..leg
        })
    }

    /// The file answered on `leg`. Is it the address as given?
    pub(crate) fn arrived(&mut self, leg: &Leg) -> bool {
        if leg.epoch == self.epoch {
            self.known = Some(Arc::clone(&leg.url));
        }
        leg.epoch == self.epoch && Arc::ptr_eq(&leg.url, &self.given)
    }

    /// The file was refused on `leg`.
    pub(crate) fn refused(&mut self, leg: &Leg) -> Verdict {
        if leg.is_scout() && leg.epoch == self.epoch {
            self.refused_epoch = self.epoch;
            return Verdict::Final;
        }
        if leg.epoch < self.epoch {
            // What was in flight when the way was given up hears what the scout has found since.
            let hopeless =
                self.known.is_none() && self.scout.strong_count() == 0 && leg.epoch < self.refused_epoch;
            return if hopeless { Verdict::Final } else { Verdict::Again };
        }
        if self.give_up(leg) { Verdict::Again } else { Verdict::Final }
    }

    /// Nobody was met on `leg`: where it led to may be gone, and the file elsewhere.
    pub(crate) fn unreachable(&mut self, leg: &Leg) {
        self.give_up(leg);
    }

    /// Forgets where `leg` led to, unless that is the only address there is.
    fn give_up(&mut self, leg: &Leg) -> bool {
        let is_resolved = self.known.as_ref().is_some_and(|known| !Arc::ptr_eq(known, &self.given));
        if leg.epoch == self.epoch && is_resolved {
            self.known = None;
            self.scout = Weak::new();
            self.epoch += 1;
        }
        is_resolved
    }

    /// Do those that wait for the way wait in vain, now that what went on `leg` has failed?
    pub(crate) fn is_lost(&self, leg: &Leg) -> bool {
        leg.is_scout() && leg.epoch == self.epoch && self.known.is_none()
    }
}

/// The routes of all open files, by their origins' ids.
#[derive(Debug, Default)]
pub(crate) struct Routes(HashMap<u64, Route>);

impl Routes {
    /// The route of `origin`, up to date.
    pub(crate) fn of(&mut self, origin: &crate::transport::Origin) -> &mut Route {
        let (given, generation) = origin.address.current();
        let route = self.0.entry(origin.id).or_insert_with(|| {
            Route::new(Arc::clone(&given), generation, generation == 0 && origin.is_direct())
        });
        route.given(&given, generation);
        route
    }

    /// Forgets the route of a file that was closed.
    pub(crate) fn forget(&mut self, origin: u64) {
        self.0.remove(&origin);
    }
}

#[cfg(test)]
mod tests;
