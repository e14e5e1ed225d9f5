//! The faults: everything the test server can do wrong (its `knobs.md`), and what must come of it.

use remfile::ErrorCode::{self, *};

/// What a fault does to the requests that meet it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing worse than a delay or one more request.
    Harmless,
    /// A request fails and is made again; this is the error when it never fares better.
    Retried(ErrorCode),
    /// The first request that meets it is the last.
    Refused(ErrorCode),
    /// A request goes on and on, until the read's time is up.
    Slow(ErrorCode),
    /// An error, unless the bytes are complete before it shows.
    Late(ErrorCode),
}

use Effect::{Harmless, Late, Refused, Retried, Slow};

/// One row of the matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// Knobs. `{dead}` stands for a port where nobody listens, `{other}` for the same file on another
    /// host, `{here}` for this host, `{soon}` for the date in a second, `{past}` for one long ago.
    pub(crate) query: &'static str,
    /// What it does to the first request of a file.
    pub(crate) at_open: Effect,
    /// What it does to later ones, of a file that was opened without it.
    pub(crate) later: Effect,
    /// Further options.
    pub(crate) options: &'static str,
}

const fn fault(query: &'static str, effect: Effect) -> Fault {
    Fault { query, at_open: effect, later: effect, options: "" }
}

impl Fault {
    const fn at_open(self, at_open: Effect) -> Self {
        Self { at_open, ..self }
    }

    const fn with(self, options: &'static str) -> Self {
        Self { options, ..self }
    }
}

/// Two of the knobs are not here: `lie` sends other bytes under the right names, which no client can see,
/// and `seed` makes another file. Those that ask for credentials are in `credentials.rs`.
pub(crate) const FAULTS: &[Fault] = &[
    // Statuses that say "not now".
    fault("status=408", Retried(Server)),
    fault("status=425", Retried(Server)),
    fault("status=429", Retried(Server)),
    fault("status=500", Retried(Server)),
    fault("status=502", Retried(Server)),
    fault("status=503", Retried(Server)),
    fault("status=504", Retried(Server)),
    fault("status=520", Retried(Server)),
    fault("status=599", Retried(Server)),
    fault("status=503&html=1", Retried(Server)),
    fault("status=503&body=", Retried(Server)),
    fault("status=503&chunked=1", Retried(Server)),
    fault("status=503&gzip=1", Retried(Server)),
    fault("status=503&cut=3", Retried(Server)),
    fault("status=503&stall=3", Retried(TimedOut)).with("stall_timeout_ms=1000"),
    fault("status=503&close=1", Retried(Server)),
    fault("error_in_flight=0", Retried(Server)),
    fault("error_in_flight=1", Harmless),
    fault("status=503&retry_after=0", Retried(Server)),
    fault("status=429&retry_after=1", Retried(Server)),
    fault("status=503&retry_after={soon}", Retried(Server)),
    fault("status=503&retry_after={past}", Retried(Server)),
    fault("status=503&retry_after=86400", Refused(Server)),
    // Statuses that say "no".
    fault("status=400", Refused(Server)),
    fault("status=400&body=The%20token%20has%20expired", Refused(Denied)),
    fault("status=401", Refused(Denied)),
    fault("status=402", Refused(Server)),
    fault("status=403", Refused(Denied)),
    fault("status=403&html=1", Refused(Denied)),
    fault("status=404", Refused(NotFound)),
    fault("status=405", Refused(Server)),
    fault("status=406", Refused(Server)),
    fault("status=407", Refused(Denied)),
    fault("status=409", Refused(Server)),
    fault("status=410", Refused(NotFound)),
    fault("status=411", Refused(Server)),
    fault("status=412", Refused(Server)),
    fault("status=414", Refused(Server)),
    fault("status=416", Refused(RangeUnsupported)),
    fault("status=418", Refused(Server)),
    fault("status=431", Refused(Server)),
    fault("status=451", Refused(Server)),
    fault("status=501", Refused(Server)),
    fault("status=505", Refused(Server)),
    // Statuses that are success or a detour for others.
    fault("status=201", Refused(Server)),
    fault("status=203", Refused(Server)),
    fault("status=204", Refused(Server)),
    fault("status=206", Refused(BadResponse)),
    fault("status=200&html=1", Refused(RangeUnsupported)),
    fault("status=200&chunked=1", Refused(RangeUnsupported)),
    fault("status=200", Refused(Changed)).at_open(Harmless),
    fault("status=300", Refused(Server)),
    fault("status=302", Refused(Server)),
    fault("status=304", Refused(Server)),
    fault("html=1", Refused(RangeUnsupported)).at_open(Refused(NotHdf5)),
    fault("html=1&ranges=off", Refused(RangeUnsupported)),
    // Time.
    fault("delay=50", Harmless),
    fault("delay=60000", Retried(TimedOut)).with("stall_timeout_ms=1000"),
    fault("stall=head", Retried(TimedOut)).with("stall_timeout_ms=1000"),
    fault("stall=0", Retried(TimedOut)).with("stall_timeout_ms=1000"),
    fault("stall=1", Retried(TimedOut)).with("stall_timeout_ms=1000"),
    fault("stall=2000", Retried(TimedOut)).with("stall_timeout_ms=1000, max_retries=1"),
    fault("stall=400000", Harmless).with("stall_timeout_ms=1000"),
    fault("rate=20000000", Harmless),
    fault("rate=500", Slow(TimedOut)).with("read_timeout_ms=3000"),
    // Connections.
    fault("reset=1", Retried(Interrupted)),
    fault("cut=0", Retried(Interrupted)),
    fault("cut=1", Retried(Interrupted)),
    fault("cut=2000", Retried(Interrupted)).with("max_retries=1"),
    fault("cut=200000", Harmless),
    fault("close=1", Harmless),
    fault("chunked=1", Harmless),
    fault("chunked=1&cut=1000", Retried(Interrupted)),
    // What the range is said to be.
    fault("ranges=off", Refused(RangeUnsupported)),
    fault("ranges=off&chunked=1", Refused(RangeUnsupported)),
    fault("ranges=off", Harmless).with("max_whole_file=100000000"),
    fault("shift=1", Refused(BadResponse)),
    fault("shift=102400", Refused(BadResponse)),
    fault("long=1", Refused(BadResponse)),
    fault("long=1&chunked=1", Late(BadResponse)),
    fault("short=1", Harmless),
    // At the end a byte a request.
    fault("short=100000", Late(TimedOut)).with("read_timeout_ms=5000"),
    fault("content_range=none", Refused(BadResponse)),
    fault("content_range=none&chunked=1", Refused(BadResponse)),
    fault("total=5", Refused(BadResponse)),
    fault("total=star", Harmless).at_open(Refused(BadResponse)),
    // How the bytes are coded.
    fault("gzip=1", Refused(BadResponse)),
    fault("encoding=br", Refused(BadResponse)),
    fault("encoding=gzip", Refused(BadResponse)),
    fault("encoding=identity", Harmless),
    // Which object it is.
    fault("etag_flip=1", Refused(Changed)).at_open(Harmless),
    fault("etag=other", Refused(Changed)).at_open(Harmless),
    fault("etag=none&mtime=1000", Refused(Changed)).at_open(Harmless),
    fault("total=64000001", Refused(Changed)).at_open(Harmless),
    fault("etag=weak", Harmless),
    fault("etag=none", Harmless),
    fault("last_modified=none", Harmless),
    fault("etag=none&last_modified=none", Harmless),
    fault("mtime=1000", Harmless),
    fault("set_cookie=a%3Db", Harmless),
    // Detours.
    fault("redirect=301&to={here}", Harmless),
    fault("redirect=302&to={other}", Harmless),
    fault("redirect=303&to={other}", Harmless),
    fault("redirect=307&to={other}", Harmless),
    fault("redirect=308&to={other}", Harmless),
    fault("redirect=302&to=%2Fbytes%2F64000000", Harmless),
    fault("hop=3", Harmless),
    fault("hop=20", Harmless).at_open(Refused(Server)),
    fault("redirect=302&to=%2Fbytes%2F64000000%3Fhop%3D20", Refused(Server)),
    fault("redirect=302&to=ftp%3A%2F%2F127.0.0.1%2Fx", Refused(Server)),
    fault("redirect=302&to=file%3A%2F%2F%2Fetc%2Fpasswd", Refused(Server)),
    fault("redirect=302&to={dead}", Retried(Unreachable)),
    fault("redirect=302&to=%2Fbytes%2F64000000%3Fstatus%3D404", Refused(NotFound)),
];
