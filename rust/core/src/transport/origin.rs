//! Where a remote file comes from and what is known of it: shared by all its requests.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::floor::error::{Error, Result};
use crate::floor::log::Log;
use crate::floor::options::Options;
use crate::floor::url::RemoteUrl;
use crate::transport::address::Address;
use crate::transport::aws::Environment;
use crate::transport::credentials::Credentials;
use crate::transport::libcurl_version;
use crate::transport::pace::Pacer;
use crate::transport::response::Identity;
use crate::transport::s3::{self, S3};
use crate::transport::trust::Trust;

/// One open remote file as the transport sees it. Outlives forks: what has a lock in it is each process's own.
pub(crate) struct Origin {
    /// Distinguishes files of one process.
    pub(crate) id: u64,
    /// As it was opened.
    pub(crate) url: Arc<RemoteUrl>,
    /// Where it is now.
    pub(crate) address: Address,
    /// Whether the first address turned out not to redirect.
    direct: AtomicBool,
    pub(crate) options: Options,
    pub(crate) trust: Trust,
    pub(crate) credentials: Credentials,
    pub(crate) log: Log,
    /// Set by the first answer; all later ones are compared with it.
    pub(crate) identity: OnceLock<Identity>,
    /// Set once the file has been found to be another: then no byte of it is fetched any more.
    pub(crate) changed: OnceLock<Error>,
    pub(crate) traffic: Traffic,
    pub(crate) pacer: Pacer,
}

/// What has gone over the network for one file.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) requests: AtomicU64,
    pub(crate) fetched_bytes: AtomicU64,
    /// Of these, bytes of the file.
    pub(crate) delivered_bytes: AtomicU64,
    pub(crate) retries: AtomicU64,
    pub(crate) backoff_ms: AtomicU64,
    pub(crate) connections: AtomicU64,
}

impl Origin {
    /// Checks the URL and the options; makes no request.
    pub(crate) fn new(url: &str, options: &Options) -> Result<Self> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        options.validate()?;
        let environment = Environment {
            variable: &|name: &str| std::env::var(name).ok(),
            file: &|path: &PathBuf| std::fs::read_to_string(path).ok(),
        };
        let s3 = S3::parse(url, options, &environment)?;
        let url = Arc::new(s3.as_ref().map_or_else(|| RemoteUrl::parse(url), S3::url)?);
        if s3.as_ref().is_some_and(|s3| s3.keys.is_some()) {
            s3::check_libcurl(curl::Version::get().version_num(), libcurl_version())?;
        }
        let credentials = Credentials::new(options, &url, s3)?;
        Ok(Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            address: Address::new(Arc::clone(&url)),
            url,
            direct: AtomicBool::new(false),
            options: options.clone(),
            trust: Trust::choose(&options.ca_file, |name| std::env::var_os(name)),
            credentials,
            log: Log::new(options.verbose),
            identity: OnceLock::new(),
            changed: OnceLock::new(),
            traffic: Traffic::default(),
            pacer: Pacer::default(),
        })
    }

    /// Does the first address answer by itself?
    pub(crate) fn is_direct(&self) -> bool {
        self.direct.load(Ordering::Relaxed)
    }

    pub(crate) fn note_direct(&self) {
        self.direct.store(true, Ordering::Relaxed);
    }

    /// `text` without what is secret in the file's URLs and in its credentials.
    pub(crate) fn redact(&self, text: &str) -> String {
        let text = self.credentials.redact(&self.url.redact(text));
        self.address.current().0.redact(&text)
    }

    /// Says which file could not be read.
    pub(crate) fn explain(&self, error: Error) -> Error {
        error.within(&format!("cannot read {}", self.url.shown()))
    }
}
