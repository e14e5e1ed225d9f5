//! Connections opened before they are needed: while the first request to a server waits for its answer, a few
//! more TCP connections to the same address are made, so that the requests that follow it, which come in a burst,
//! need not wait for that.
//!
//! libcurl asks for a socket when it has no connection to reuse ([`open`]); a spare one is handed to it as already
//! connected. What is not used within [`LONGEST_LIFE`] is closed, before servers lose patience with connections
//! that ask for nothing.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, SockAddr, Socket, Type};

/// With the first connection nine, which at the rates of object stores fill a fast link.
const MOST: u32 = 8;
const LONGEST_LIFE: Duration = Duration::from_secs(2);

struct Spare {
    address: SocketAddr,
    socket: Socket,
    opened: Instant,
}

/// The spare connections of one network. May be shared between threads.
#[derive(Default)]
pub(crate) struct Spares(Mutex<Inner>);

/// What one request has to do with them.
pub(crate) struct Access {
    spares: Arc<Spares>,
    /// How many it makes wanted if it opens the first connection.
    count: u32,
}

impl Access {
    /// For a request to a host that may have so many connections at once: half of them may be spares.
    pub(crate) fn new(spares: &Arc<Spares>, max_connections: u32) -> Self {
        Self { spares: Arc::clone(spares), count: (max_connections / 2).min(MOST) }
    }

    fn take(&self, address: SocketAddr) -> Option<Socket> {
        self.spares.take(address, self.count)
    }
}

#[derive(Default)]
struct Inner {
    waiting: Vec<Spare>,
    /// Addresses to which spares should be opened, and how many.
    wanted: Vec<(SocketAddr, u32)>,
    /// When spares were opened last, by address.
    opened: Vec<(SocketAddr, Instant)>,
}

impl Spares {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection to `address` that is open now. If there is none, `count` spares are wanted for the next requests,
    /// once in a spare's life.
    fn take(&self, address: SocketAddr, count: u32) -> Option<Socket> {
        let mut inner = self.lock();
        inner.forget_old();
        let ready = |spare: &Spare| spare.address == address && is_open(&spare.socket);
        if let Some(at) = inner.waiting.iter().position(ready) {
            // In order: a server that serves one connection after the other comes to them so.
            return Some(inner.waiting.remove(at).socket);
        }
        if inner.opened.iter().all(|(known, _)| *known != address) {
            inner.opened.push((address, Instant::now()));
            inner.wanted.push((address, count));
        }
        None
    }

    /// Begins to connect the spares that are wanted, once the connection that made them wanted is on its way: a server
    /// that serves one connection after the other must come to that first.
    pub(crate) fn open_wanted(&self) {
        let mut inner = self.lock();
        for (address, count) in std::mem::take(&mut inner.wanted) {
            let sockets = (0..count).map_while(|_| begin(address).ok());
            let spares = sockets.map(|socket| Spare { address, socket, opened: Instant::now() });
            inner.waiting.extend(spares);
        }
    }

    /// How many are open now.
    pub(crate) fn ready(&self) -> usize {
        let mut inner = self.lock();
        inner.forget_old();
        inner.waiting.iter().filter(|spare| is_open(&spare.socket)).count()
    }

    /// Closes those that nobody wanted for too long.
    pub(crate) fn forget_old(&self) {
        self.lock().forget_old();
    }
}

impl Inner {
    fn forget_old(&mut self) {
        self.waiting.retain(|spare| spare.opened.elapsed() < LONGEST_LIFE);
        self.opened.retain(|(_, opened)| opened.elapsed() < LONGEST_LIFE);
    }
}

/// A socket that is being connected.
fn begin(address: SocketAddr) -> std::io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    // It goes on in the background; whether it succeeds shows when it is wanted.
    let _ = socket.connect(&SockAddr::from(address));
    Ok(socket)
}

/// Connected, and not closed by the other side since.
fn is_open(socket: &Socket) -> bool {
    let mut byte = [std::mem::MaybeUninit::uninit()];
    let silent = |error: std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
    socket.peer_addr().is_ok() && socket.peek(&mut byte).is_err_and(silent)
}

#[cfg(unix)]
pub(crate) use unix::install;

/// Elsewhere nobody has tried it yet.
#[cfg(not(unix))]
pub(crate) fn install(_easy: *mut curl_sys::CURL, _access: &Access) -> Result<(), curl::Error> {
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::ffi::{c_int, c_void};
    use std::os::fd::IntoRawFd;
    use std::panic::catch_unwind;

    use curl_sys::{CURL, CURL_SOCKET_BAD, curl_sockaddr, curl_socket_t, curlsocktype};
    use socket2::{SockAddr, SockAddrStorage, Socket};

    use super::Access;

    // curl_easy_setopt(3), CURLOPT_SOCKOPTFUNCTION.
    const SOCKOPT_OK: c_int = 0;
    const SOCKOPT_ALREADY_CONNECTED: c_int = 2;

    /// Lets the handle take its connections through `access`, which must outlive it and not move.
    pub(crate) fn install(easy: *mut CURL, access: &Access) -> Result<(), curl::Error> {
        let access: *const Access = access;
        // SAFETY: the handle is valid; the options take a function of these types and a pointer for it
        // (CURLOPT_OPENSOCKETFUNCTION(3), CURLOPT_SOCKOPTFUNCTION(3)).
        let codes = unsafe {
            [
                curl_sys::curl_easy_setopt(
                    easy,
                    curl_sys::CURLOPT_OPENSOCKETFUNCTION,
                    open as extern "C" fn(_, _, _) -> _,
                ),
                curl_sys::curl_easy_setopt(easy, curl_sys::CURLOPT_OPENSOCKETDATA, access),
                curl_sys::curl_easy_setopt(
                    easy,
                    curl_sys::CURLOPT_SOCKOPTFUNCTION,
                    opened as extern "C" fn(_, _, _) -> _,
                ),
            ]
        };
        codes
            .into_iter()
            .find(|code| *code != curl_sys::CURLE_OK)
            .map_or(Ok(()), |code| Err(curl::Error::new(code)))
    }

    /// libcurl wants a socket for `address`.
    extern "C" fn open(access: *mut c_void, _: curlsocktype, address: *mut curl_sockaddr) -> curl_socket_t {
        // SAFETY: libcurl passes what `install` gave, which outlives the handle, and an address that is valid
        // during the call.
        let (access, address) = unsafe { (&*access.cast::<Access>(), &*address) };
        let socket = catch_unwind(|| {
            let spare = internet_address(address).and_then(|address| access.take(address));
            let fresh = || {
                let (domain, kind) = (address.family.into(), address.socktype.into());
                Socket::new(domain, kind, Some(address.protocol.into())).ok()
            };
            spare.or_else(fresh)
        });
        socket.ok().flatten().map_or(CURL_SOCKET_BAD, IntoRawFd::into_raw_fd)
    }

    /// The address as Rust has it; `None` for what is no TCP connection.
    fn internet_address(address: &curl_sockaddr) -> Option<std::net::SocketAddr> {
        if address.socktype != libc::SOCK_STREAM {
            return None;
        }
        let mut storage = SockAddrStorage::zeroed();
        let length = address.addrlen.min(storage.size_of());
        let from = (&raw const address.addr).cast::<u8>();
        // SAFETY: libcurl's address has `addrlen` bytes, of which as many are copied as there is room for.
        let address = unsafe {
            let to = storage.view_as::<u8>();
            std::ptr::copy_nonoverlapping(from, std::ptr::from_mut(to), length as usize);
            SockAddr::new(storage, length)
        };
        address.as_socket()
    }

    /// libcurl has a socket, and asks whether it is connected.
    extern "C" fn opened(_: *mut c_void, socket: curl_socket_t, _: curlsocktype) -> c_int {
        // SAFETY: the socket is open and stays libcurl's: the borrow ends with this call.
        let socket = unsafe { std::os::fd::BorrowedFd::borrow_raw(socket) };
        match socket2::SockRef::from(&socket).peer_addr() {
            Ok(_) => SOCKOPT_ALREADY_CONNECTED,
            Err(_) => SOCKOPT_OK,
        }
    }
}

#[cfg(test)]
mod tests;
