//! Where a remote file comes from and what is known of it: shared by all its requests.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::floor::error::{Error, Result};
use crate::floor::log::Log;
use crate::floor::options::Options;
use crate::floor::url::RemoteUrl;
use crate::transport::pace::Pacer;
use crate::transport::response::Identity;
use crate::transport::trust::Trust;

/// One open remote file as the transport sees it. Outlives forks: nothing in it is ever locked.
pub(crate) struct Origin {
    /// Distinguishes files of one process.
    pub(crate) id: u64,
    pub(crate) url: RemoteUrl,
    pub(crate) options: Options,
    pub(crate) trust: Trust,
    pub(crate) log: Log,
    /// Set by the first answer; all later ones are compared with it.
    pub(crate) identity: OnceLock<Identity>,
    pub(crate) traffic: Traffic,
    pub(crate) pacer: Pacer,
}

/// What has gone over the network for one file.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) requests: AtomicU64,
    pub(crate) fetched_bytes: AtomicU64,
    pub(crate) retries: AtomicU64,
    pub(crate) backoff_ms: AtomicU64,
    pub(crate) connections: AtomicU64,
}

impl Origin {
    /// Checks the URL and the options; makes no request.
    pub(crate) fn new(url: &str, options: &Options) -> Result<Self> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        options.validate()?;
        Ok(Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            url: RemoteUrl::parse(url)?,
            options: options.clone(),
            trust: Trust::choose(&options.ca_file, |name| std::env::var_os(name)),
            log: Log::new(options.verbose),
            identity: OnceLock::new(),
            traffic: Traffic::default(),
            pacer: Pacer::default(),
        })
    }

    /// Says which file could not be read.
    pub(crate) fn explain(&self, error: Error) -> Error {
        error.within(&format!("cannot read {}", self.url.shown()))
    }
}
