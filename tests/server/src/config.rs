use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// What a [`Server`](crate::Server) serves, where and how fast.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder served under `/files/`; with none, every such path is missing.
    pub root: Option<PathBuf>,
    /// Where to listen; only loopback addresses are accepted. Port 0 picks a
    /// free one.
    pub address: SocketAddr,
    /// The network to pretend to be.
    pub network: Network,
    /// How many threads serve.
    pub threads: usize,
}

impl Default for Config {
    /// Nothing under `/files/`, a free port of 127.0.0.1, no limits.
    fn default() -> Self {
        Self {
            root: None,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            network: Network::default(),
            threads: 4,
        }
    }
}

/// The delays and limits of a pretended network; by default there are none.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// The wait between a request and the first byte of its answer.
    pub first_byte: Duration,
    /// From connecting until a connection takes its first request.
    pub connect: Duration,
    /// Body bytes a second on each connection.
    pub rate_per_connection: Option<u64>,
    /// Body bytes a second on all connections together; busy connections get
    /// equal shares.
    pub rate_total: Option<u64>,
}
