//! The process's one connection to the network, shared by all open files.
//!
//! A thread runs while at least one file is open; the last one to close stops and joins it. The
//! multi handle outlives it, so that connections, names and TLS sessions serve the next file. A
//! forked child gets a network of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Instant;

use curl::multi::{Multi, MultiWaker};

use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::fork::PerProcess;
use crate::floor::range::ByteRange;
use crate::transport::answer::Transfer;
use crate::transport::origin::Origin;
use crate::transport::retry::Tries;
use crate::transport::worker::Worker;
use crate::transport::{Fetch, Pace, Sink, Urgency};

/// Connections kept open for reuse, over all hosts.
const KEPT_CONNECTIONS: usize = 64;

static SHARED: PerProcess<Mutex<Shared>> = PerProcess::new();

#[derive(Default)]
struct Shared {
    running: Weak<Network>,
    idle: Option<Pool>,
}

fn shared() -> MutexGuard<'static, Shared> {
    let shared = SHARED.get_or_init(Mutex::default);
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A multi handle with its open connections.
struct Pool(Multi);

// SAFETY: libcurl allows a multi handle in any thread as long as it is in one at a time (libcurl-thread(3)).
// The pool moves between threads whole, its callbacks are not set, and its waker is thread-safe.
unsafe impl Send for Pool {}

/// The worker thread and the way to it.
pub(crate) struct Network {
    inbox: Arc<Inbox>,
    thread: Option<JoinHandle<Pool>>,
}

/// What the worker is asked to do.
pub(crate) enum Mail {
    Start(Box<Transfer>),
    /// Make demands of the guesses of the origin with this id that reach into the range.
    Hurry(u64, ByteRange),
    /// Give up the guesses of the origin with this id that lie in the range.
    Cancel(u64, ByteRange),
    /// Drop everything of the origin with this id.
    Abandon(u64),
    Stop,
}

pub(crate) struct Inbox {
    mail: Mutex<Option<Vec<Mail>>>,
    waker: MultiWaker,
}

impl Inbox {
    /// Hands over `mail`, or gives it back where the worker has died.
    fn post(&self, mail: Mail) -> Result<(), Mail> {
        match &mut *self.mail.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(queue) => queue.push(mail),
            None => return Err(mail),
        }
        // Without the wake-up the worker would still look within a second.
        let _ = self.waker.wakeup();
        Ok(())
    }

    /// What has come in since the last call.
    pub(crate) fn take(&self) -> Vec<Mail> {
        let mut mail = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        mail.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn close(&self) -> Vec<Mail> {
        let mut mail = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        mail.take().unwrap_or_default()
    }
}

impl Network {
    /// The running network, started if there is none.
    pub(crate) fn acquire() -> Result<Arc<Self>> {
        let mut shared = shared();
        if let Some(network) = shared.running.upgrade() {
            return Ok(network);
        }
        let pool = shared.idle.take().unwrap_or_else(|| {
            curl::init();
            let mut multi = Multi::new();
            // Only fails for an option that libcurl does not know.
            let _ = multi.set_max_connects(KEPT_CONNECTIONS);
            Pool(multi)
        });
        let inbox = Arc::new(Inbox { mail: Mutex::new(Some(Vec::new())), waker: pool.0.waker() });
        let for_thread = Arc::clone(&inbox);
        let thread = spawn_without_signals(move || work(pool, &for_thread))
            .map_err(|error| Error::new(ErrorCode::Internal, format!("cannot start a thread: {error}")))?;
        let network = Arc::new(Self { inbox, thread: Some(thread) });
        shared.running = Arc::downgrade(&network);
        Ok(network)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        let _ = self.inbox.post(Mail::Stop);
        if let Some(pool) = self.thread.take().and_then(|thread| thread.join().ok()) {
            shared().idle.get_or_insert(pool);
        }
    }
}

/// The thread's body. A panic or a failing multi handle fails what is waiting, and nothing else.
fn work(pool: Pool, inbox: &Inbox) -> Pool {
    let mut pool = pool;
    let mut worker = Worker::new(&mut pool.0, inbox);
    let why = match catch_unwind(AssertUnwindSafe(|| worker.run())) {
        Ok(Ok(())) => {
            drop(worker);
            return pool;
        }
        Ok(Err(error)) => format!("libcurl gave up: {error}"),
        Err(_) => "the network thread panicked, which is a defect in remfile".to_owned(),
    };
    let unread = inbox.close();
    worker.fail_all(&why);
    drop(worker);
    for mail in unread {
        if let Mail::Start(transfer) = mail {
            transfer.fail(&why);
        }
    }
    pool
}

/// The program's signals are for its own threads.
fn spawn_without_signals<T: Send + 'static>(
    body: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<JoinHandle<T>> {
    let builder = std::thread::Builder::new().name("remfile".to_owned());
    #[cfg(unix)]
    {
        // SAFETY: the sets are plain data that sigfillset and pthread_sigmask fill in; the mask of
        // this thread is put back before anything else happens. Blocking SIGPIPE too keeps a
        // TLS connection that the server reset from ending the program.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            let thread = builder.spawn(body);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
            thread
        }
    }
    #[cfg(not(unix))]
    builder.spawn(body)
}

/// Fetches from one origin through the process's network.
pub(crate) struct HttpFetch {
    network: Arc<Network>,
    origin: Arc<Origin>,
}

impl HttpFetch {
    pub(crate) fn new(origin: Arc<Origin>) -> Result<Self> {
        Ok(Self { network: Network::acquire()?, origin })
    }
}

impl Fetch for HttpFetch {
    fn start(&self, range: ByteRange, urgency: Urgency, sink: Box<dyn Sink>) {
        if let Some(changed) = self.origin.changed.get() {
            return sink.end(Err(changed.clone()));
        }
        let transfer = Transfer {
            origin: Arc::clone(&self.origin),
            remaining: range,
            urgency,
            sink,
            tries: Tries::default(),
            leg: None,
            begun: None,
            queued_at: Instant::now(),
        };
        if let Err(Mail::Start(transfer)) = self.network.inbox.post(Mail::Start(Box::new(transfer))) {
            transfer.fail("the network thread has ended");
        }
    }

    fn hurry(&self, range: ByteRange) {
        // Where the worker has died, what is waited for has failed already.
        let _ = self.network.inbox.post(Mail::Hurry(self.origin.id, range));
    }

    fn cancel(&self, range: ByteRange) {
        let _ = self.network.inbox.post(Mail::Cancel(self.origin.id, range));
    }

    fn pace(&self) -> Pace {
        self.origin.pacer.pace()
    }
}

impl Drop for HttpFetch {
    fn drop(&mut self) {
        let _ = self.network.inbox.post(Mail::Abandon(self.origin.id));
    }
}
