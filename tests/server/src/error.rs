use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address can be reached from other machines.
    #[error("{0} is not a loopback address; this server is for tests on one machine")]
    NotLoopback(SocketAddr),
    /// The address can not be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The folder to serve can not be opened.
    #[error("cannot serve the folder {}", root.display())]
    Root {
        /// The folder asked for.
        root: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The threads that serve can not be started.
    #[error("cannot start the server's threads")]
    Threads(#[source] io::Error),
    /// A rate limit of zero would let nothing through, for ever.
    #[error("a rate limit must be at least one byte a second")]
    ZeroRate,
}
