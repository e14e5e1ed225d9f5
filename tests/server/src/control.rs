use std::sync::Arc;
use std::sync::atomic::Ordering;

use hyper::header::{CONNECTION, HeaderValue};
use hyper::{Method, Request, StatusCode};

use crate::Entry;
use crate::connection::Connection;
use crate::knobs::parameters;
use crate::log::Log;
use crate::reply::Reply;

/// Answers a request about the server itself.
pub(crate) async fn answer<B>(connection: &Connection, request: &Request<B>) -> Reply {
    let log = Arc::clone(&connection.shared.log);
    match (request.method().clone(), request.uri().path()) {
        (Method::GET, "/_log") => {
            let query = request.uri().query().unwrap_or_default();
            let prefix = parameters(query).find(|(name, _)| name == "path").map(|(_, value)| value);
            look(move || lines(&log, &prefix.unwrap_or_default())).await
        }
        (Method::GET, "/_counters") => look(move || log.counters().to_string()).await,
        (Method::POST, "/_reset") => {
            look(move || {
                log.reset();
                String::new()
            })
            .await
        }
        (Method::POST, "/_shutdown") => {
            connection.last.store(true, Ordering::Relaxed);
            Reply::text(StatusCode::OK, "").with(CONNECTION, HeaderValue::from_static("close"))
        }
        _ => Reply::refusal(
            StatusCode::NOT_FOUND,
            "there are GET /_log, GET /_counters, POST /_reset and POST /_shutdown",
        ),
    }
}

/// The log may wait for answers to end, which must not hold up those answers.
async fn look(at: impl FnOnce() -> String + Send + 'static) -> Reply {
    match tokio::task::spawn_blocking(at).await {
        Ok(text) => Reply::text(StatusCode::OK, text),
        Err(error) => Reply::refusal(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}

fn lines(log: &Log, prefix: &str) -> String {
    let mut text = String::from(Entry::HEADING);
    for entry in log.entries(prefix) {
        text.push_str(&entry.to_string());
        text.push('\n');
    }
    text
}
