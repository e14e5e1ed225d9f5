use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use hyper::body::Incoming;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::Network;
use crate::alarm::Alarm;
use crate::answer::{Question, answer};
use crate::body::{Body, End, FRAME};
use crate::control;
use crate::knobs::{Knobs, Stall};
use crate::limiter::Limiter;
use crate::log::Log;
use crate::object::Object;
use crate::range::Range;
use crate::record::Record;
use crate::reply::Reply;

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) root: Option<PathBuf>,
    pub(crate) network: Network,
    pub(crate) total: Option<Arc<Limiter>>,
    pub(crate) log: Arc<Log>,
    pub(crate) stop: Notify,
}

/// A client's connection.
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    accepted: Instant,
    /// Given at the first request that is not a control request.
    id: OnceLock<u64>,
    limiter: Option<Arc<Limiter>>,
    /// Whether it shall end with a reset.
    reset: AtomicBool,
    /// Whether the server shall stop after it.
    pub(crate) last: AtomicBool,
}

impl Connection {
    /// Serves a client until one of both closes the connection.
    pub(crate) async fn serve(stream: TcpStream, shared: Arc<Shared>) {
        let connection = Arc::new(Self {
            accepted: Instant::now(),
            id: OnceLock::new(),
            limiter: shared.network.rate_per_connection.map(Limiter::new),
            reset: AtomicBool::new(false),
            last: AtomicBool::new(false),
            shared,
        });
        let service = {
            let connection = Arc::clone(&connection);
            service_fn(move |request| Arc::clone(&connection).respond(request))
        };
        let _ = stream.set_nodelay(true);
        let mut http = http1::Builder::new()
            // Chunks must reach the socket as they are, to be counted.
            .writev(true)
            // Not many of them ahead of the socket, or an answer would seem to
            // end long before it does.
            .max_buf_size(FRAME as usize)
            // Clients may keep connections for as long as they like.
            .header_read_timeout(None)
            .serve_connection(TokioIo::new(stream), service);
        // Errors are the client's leaving or what a knob asked for.
        let _ = (&mut http).await;
        if connection.reset.load(Ordering::Relaxed) {
            let _ = http.into_parts().io.into_inner().set_zero_linger();
        }
        if connection.last.load(Ordering::Relaxed) {
            connection.shared.stop.notify_one();
        }
    }

    /// Answers a request; an error breaks the connection.
    async fn respond(self: Arc<Self>, request: Request<Incoming>) -> io::Result<Response<Body>> {
        if request.uri().path().starts_with("/_") {
            return Ok(respond_with(control::answer(&self, &request).await, |body| body));
        }

        let asked = Instant::now();
        let shared = &self.shared;
        let mut wait = shared.network.first_byte;
        let id = *self.id.get_or_init(|| {
            wait = wait.saturating_add(shared.network.connect.saturating_sub(self.accepted.elapsed()));
            shared.log.number_connection()
        });
        let record = Record::new(&shared.log, &request, id);

        let parsed = Knobs::parse(request.uri().query().unwrap_or_default());
        let (knobs, malformed) = match parsed {
            Ok(knobs) => (knobs.at(record.turn()), None),
            Err(malformed) => (Knobs::default(), Some(malformed)),
        };
        let question = self.question(&request, &knobs, &record);
        wait = wait.saturating_add(knobs.delay);
        let due = asked.checked_add(wait).unwrap_or(asked);
        if !wait.is_zero() {
            Alarm::new(due).await;
        }
        if knobs.reset {
            self.reset.store(true, Ordering::Relaxed);
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        if knobs.stall == Some(Stall::Head) {
            // Dropped, with the record, when the client leaves.
            std::future::pending::<()>().await;
        }
        let reply = match malformed {
            Some(malformed) => Reply::refusal(StatusCode::BAD_REQUEST, malformed),
            None => answer(question, &knobs),
        };
        record.set_status(reply.status.as_u16());
        let mut response = respond_with(reply, |body| self.shape(body, &knobs).due(due).recorded(record));
        if knobs.chunked {
            response.headers_mut().remove(CONTENT_LENGTH);
        }
        if knobs.close {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response)
    }

    fn question<'a>(&self, request: &'a Request<Incoming>, knobs: &Knobs, record: &Record) -> Question<'a> {
        let path = request.uri().path();
        let object = match knobs.html && knobs.status.is_none() {
            true => Ok(Object::login_page()),
            false => Object::find(path, self.shared.root.as_deref(), knobs.seed),
        };
        let range = record.range_header().and_then(Range::parse);
        let size = object.as_ref().ok().map(|object| object.size);
        if let Some(asked) = range.and_then(|range| range.asked(size)) {
            record.set_range(asked);
        }
        Question {
            method: request.method(),
            uri: request.uri(),
            headers: request.headers(),
            in_flight: record.in_flight(),
            // Ranges are defined for GET alone.
            range: range.filter(|_| request.method() == Method::GET),
            object,
        }
    }

    /// Makes the body come as fast and as far as it shall.
    fn shape(&self, body: Body, knobs: &Knobs) -> Body {
        let own = knobs.rate.map(Limiter::new);
        let limiters = [own, self.limiter.clone(), self.shared.total.clone()];
        let end = match (&knobs.stall, knobs.cut) {
            (_, Some(at)) => End::Cut(at),
            (Some(Stall::After(at)), None) => End::Stall(*at),
            _ => End::Complete,
        };
        body.limited(limiters.into_iter().flatten().collect()).ending(end)
    }
}

fn respond_with(reply: Reply, shape: impl FnOnce(Body) -> Body) -> Response<Body> {
    let (has_body, length) = (reply.has_body(), reply.length);
    let body = match has_body {
        true => Body::new(reply.content, reply.offset, length),
        false => Body::new(reply.content, 0, 0),
    };
    let mut response = Response::new(shape(body));
    *response.status_mut() = reply.status;
    *response.headers_mut() = reply.headers;
    if has_body {
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    response
}
