//! A fresh URL for a file whose own has expired, asked of the program.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::fork::PerProcess;
use crate::floor::url::RemoteUrl;
use crate::transport::Origin;

/// What a program may know that we do not: the file's URL as it is now, or why there is none.
pub(crate) type RefreshUrl =
    dyn Fn() -> std::result::Result<String, Box<dyn std::error::Error + Send + Sync>> + Send + Sync;

/// Calls the program, at most once for all reads that were refused together.
///
/// The thread that reads calls, so that a callback may do what that thread may: take the locks that it
/// holds, those of libhdf5 or Python for instance.
pub(crate) struct Renewal {
    refresh: Box<RefreshUrl>,
    turns: PerProcess<Turns>,
}

#[derive(Default)]
struct Turns {
    /// Calls begun and ended so far.
    ended: AtomicU64,
    last: Mutex<Option<Error>>,
}

impl Renewal {
    pub(crate) fn new(refresh: Box<RefreshUrl>) -> Self {
        Self { refresh, turns: PerProcess::new() }
    }

    /// Makes `attempt` until it succeeds or no fresh URL helps: the first one does not, or no byte has
    /// come since the one before.
    pub(crate) fn attempt<T>(
        &self,
        origin: &Arc<Origin>,
        mut attempt: impl FnMut() -> Result<T>,
    ) -> Result<T> {
        let turns = self.turns.get_or_init(Turns::default);
        let mut renewed_at = None;
        loop {
            let ended = turns.ended.load(Ordering::Acquire);
            let error = match attempt() {
                Err(error) if is_expired(&error) => error,
                outcome => return outcome,
            };
            let delivered = origin.traffic.delivered_bytes.load(Ordering::Relaxed);
            if renewed_at == Some(delivered) {
                return Err(error);
            }
            renewed_at = Some(delivered);
            let mut last = turns.last.lock().unwrap_or_else(PoisonError::into_inner);
            // Where another read has asked since this one began, it has asked for both.
            if turns.ended.load(Ordering::Acquire) == ended {
                *last = self.renew(origin, &error).err();
                turns.ended.fetch_add(1, Ordering::Release);
            }
            if let Some(error) = &*last {
                return Err(error.clone());
            }
        }
    }

    fn renew(&self, origin: &Origin, refusal: &Error) -> Result<()> {
        let failed = |code, why: String| {
            let why = format!("{refusal}; and the program has no fresh URL: {why}");
            let error = Error::new(code, why).with_attempts(0);
            Err(refusal
                .http_status()
                .map_or_else(|| error.clone(), |status| error.clone().with_status(status)))
        };
        let url = match catch_unwind(AssertUnwindSafe(|| (self.refresh)())) {
            Ok(Ok(url)) => url,
            Ok(Err(error)) => return failed(refusal.code(), origin.redact(&error.to_string())),
            Err(_) => return failed(ErrorCode::Internal, "its callback panicked".to_owned()),
        };
        match RemoteUrl::parse(&url) {
            Ok(url) => {
                origin.log.line(|| format!("from now on {} is {}", origin.url.shown(), url.shown()));
                origin.address.replace(url);
                Ok(())
            }
            Err(error) => failed(error.code(), error.to_string()),
        }
    }
}

/// Is this how a server refuses a URL that it has accepted before?
fn is_expired(error: &Error) -> bool {
    match error.http_status() {
        Some(410) => true,
        Some(407) | None => false,
        Some(_) => error.code() == ErrorCode::Denied,
    }
}
