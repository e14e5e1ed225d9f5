use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::connection::{Connection, Shared};
use crate::limiter::Limiter;
use crate::log::Log;
use crate::object::canonical_root;
use crate::{Config, Counters, Entry, Error};

/// A running server, on threads of its own. Dropping it stops it.
///
/// What a client has seen the end of is in the log: [`log`](Self::log),
/// [`counters`](Self::counters) and [`reset`](Self::reset) wait (a second at
/// most) for answers of which only the last bytes are still to be written. Only
/// when a client leaves amid an answer does it take a moment to be noticed, and
/// the answer is in flight until then; see [`wait_idle`](Self::wait_idle).
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Server {
    /// Starts a server; when this returns, it is listening.
    pub fn start(config: Config) -> Result<Self, Error> {
        let Config { root, address, network, threads } = config;
        if !address.ip().is_loopback() {
            return Err(Error::NotLoopback(address));
        }
        if [network.rate_per_connection, network.rate_total].contains(&Some(0)) {
            return Err(Error::ZeroRate);
        }
        let root = match root {
            Some(root) => match canonical_root(&root) {
                Ok(canonical) => Some(canonical),
                Err(source) => return Err(Error::Root { root, source }),
            },
            None => None,
        };
        let (listener, address) = listen(address).map_err(|source| Error::Listen { address, source })?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads.max(1))
            .thread_name("test-server")
            .enable_all()
            .build()
            .map_err(Error::Threads)?;

        let shared = Arc::new(Shared {
            root,
            total: network.rate_total.map(Limiter::new),
            network,
            log: Arc::new(Log::new()),
            stop: Notify::new(),
        });
        let thread = {
            let shared = Arc::clone(&shared);
            let run = move || run(&runtime, listener, shared);
            std::thread::Builder::new().name("test-server".into()).spawn(run)
        };
        let thread = Mutex::new(Some(thread.map_err(Error::Threads)?));
        Ok(Self { address, shared, thread })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path (with or without the leading slash) and query.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{}", self.address, path.strip_prefix('/').unwrap_or(path))
    }

    /// All requests whose answers have ended, in order of arrival.
    pub fn log(&self) -> Vec<Entry> {
        self.log_for("")
    }

    /// The requests whose path begins with `path_prefix`.
    pub fn log_for(&self, path_prefix: &str) -> Vec<Entry> {
        self.shared.log.entries(path_prefix)
    }

    /// Sums over the log, and what is in flight.
    pub fn counters(&self) -> Counters {
        self.shared.log.counters()
    }

    /// Empties the log and starts the counts of `first` and `after` anew.
    /// Requests that are being answered will not be logged.
    pub fn reset(&self) {
        self.shared.log.reset();
    }

    /// Waits until no request is being answered; false if it took longer than
    /// `timeout`.
    pub fn wait_idle(&self, timeout: Duration) -> bool {
        self.shared.log.wait_idle(timeout)
    }

    /// Stops listening and closes every connection at once. The log stays.
    pub fn kill(&self) {
        self.shared.stop.notify_one();
        self.wait();
    }

    /// Waits until the server has stopped, be it by `kill` on another thread or
    /// by `POST /_shutdown`.
    pub fn wait(&self) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Server").field(&self.address).finish()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn listen(address: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

fn run(runtime: &Runtime, listener: TcpListener, shared: Arc<Shared>) {
    runtime.block_on(async {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            return;
        };
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(Connection::serve(stream, Arc::clone(&shared)));
                    }
                    // Out of descriptors, most likely; connections must end first.
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                },
                // Also forgets those that have ended, panics included.
                Some(_) = connections.join_next() => {}
                () = shared.stop.notified() => break,
            }
        }
        drop(listener);
        connections.shutdown().await;
    });
}
