use std::time::UNIX_EPOCH;

use hyper::header::{
    ACCEPT_RANGES, ALLOW, AUTHORIZATION, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderValue, LAST_MODIFIED, LOCATION, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE,
};
use hyper::{Method, StatusCode, Uri};

use crate::knobs::{Etag, Knobs, Total};
use crate::object::Object;
use crate::range::Range;
use crate::reply::Reply;

/// The most that is compressed.
const MAX_GZIP: u64 = 8 << 20;

/// A request, and what is known about what it asks for.
pub(crate) struct Question<'a> {
    pub(crate) method: &'a Method,
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) in_flight: u64,
    pub(crate) range: Option<Range>,
    pub(crate) object: Result<Object, String>,
}

/// The answer to a question, as the knobs would have it.
pub(crate) fn answer(question: Question<'_>, knobs: &Knobs) -> Reply {
    let reply = refuse(&question, knobs)
        .or_else(|| redirect(question.uri, knobs))
        .unwrap_or_else(|| serve(question, knobs));
    encode(reply, knobs)
}

/// The answers that have nothing to do with the object.
fn refuse(question: &Question<'_>, knobs: &Knobs) -> Option<Reply> {
    if ![Method::GET, Method::HEAD].contains(question.method) {
        let reply = Reply::refusal(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD work here");
        return Some(reply.with(ALLOW, HeaderValue::from_static("GET, HEAD")));
    }
    if knobs.error_in_flight.is_some_and(|most| question.in_flight > most) {
        let reply = Reply::refusal(StatusCode::SERVICE_UNAVAILABLE, "too many requests in flight");
        return Some(retry_after(reply, knobs));
    }
    if let Some(name) = knobs.forbid_header.as_ref().filter(|name| question.headers.contains_key(*name)) {
        return Some(Reply::refusal(StatusCode::BAD_REQUEST, format!("the header {name} is forbidden")));
    }
    if let Some((name, value)) = &knobs.require_header {
        let mut values = question.headers.get_all(name).iter();
        if !values.any(|given| given.as_bytes() == value.as_bytes()) {
            let reason = format!("the header {name}: {value} is required");
            return Some(Reply::refusal(StatusCode::FORBIDDEN, reason));
        }
    }
    if let Some(value) = &knobs.auth {
        let given = question.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
        if given != Some(value.as_bytes()) {
            let reply = Reply::refusal(StatusCode::UNAUTHORIZED, "not authorized");
            let challenge = HeaderValue::from_static("Basic realm=\"remfile\"");
            return Some(reply.with(WWW_AUTHENTICATE, challenge));
        }
    }
    let status = knobs.status?;
    let reply = match (&knobs.body, knobs.html) {
        (Some(body), _) => Reply::text(status, body),
        (None, true) => Reply::error_page(status),
        (None, false) => Reply::refusal(status, status),
    };
    Some(retry_after(reply, knobs))
}

fn retry_after(reply: Reply, knobs: &Knobs) -> Reply {
    match &knobs.retry_after {
        Some(value) => reply.with(RETRY_AFTER, value.clone()),
        None => reply,
    }
}

fn redirect(uri: &Uri, knobs: &Knobs) -> Option<Reply> {
    let location = match (knobs.hop, &knobs.to) {
        (Some(hops @ 1..), _) => HeaderValue::try_from(hop(uri, hops - 1)).ok()?,
        (_, Some(to)) => to.clone(),
        _ => return None,
    };
    let status = knobs.redirect.unwrap_or(StatusCode::FOUND);
    Some(Reply::refusal(status, "it is elsewhere").with(LOCATION, location))
}

/// The same path and query, but for `hop`.
fn hop(uri: &Uri, hops: u64) -> String {
    let query = uri.query().unwrap_or_default().split('&');
    let query: Vec<String> = query
        .map(|pair| match pair.starts_with("hop=") {
            true => format!("hop={hops}"),
            false => pair.to_owned(),
        })
        .collect();
    format!("{}?{}", uri.path(), query.join("&"))
}

/// The object or a range of it.
fn serve(question: Question<'_>, knobs: &Knobs) -> Reply {
    let object = match question.object {
        Ok(object) => object,
        Err(reason) => return Reply::refusal(StatusCode::NOT_FOUND, reason),
    };
    let range = question.range.filter(|_| !knobs.no_ranges);
    let mut reply = match range {
        None => whole(&object),
        Some(range) => match range.within(object.size).and_then(|range| shifted(range, &object, knobs)) {
            Some((start, end)) => part(&object, start, end, knobs),
            None => return unsatisfiable(&object),
        },
    };

    let ranges = if knobs.no_ranges { "none" } else { "bytes" };
    reply.headers.insert(ACCEPT_RANGES, HeaderValue::from_static(ranges));
    if let Some(tag) = etag(&object, knobs) {
        reply.headers.insert(ETAG, tag);
    }
    if !knobs.no_last_modified {
        let time = knobs.mtime.map_or(object.modified, |seconds| UNIX_EPOCH + seconds);
        insert(&mut reply.headers, LAST_MODIFIED, &httpdate::fmt_http_date(time));
    }
    reply
}

fn whole(object: &Object) -> Reply {
    Reply {
        status: StatusCode::OK,
        headers: HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(object.media_type))]),
        content: object.content.clone(),
        offset: 0,
        length: object.size,
    }
}

fn part(object: &Object, start: u64, end: u64, knobs: &Knobs) -> Reply {
    let end = end.saturating_sub(knobs.short).max(start + 1);
    let mut reply = whole(object);
    reply.status = StatusCode::PARTIAL_CONTENT;
    reply.offset = start.saturating_add(knobs.lie);
    reply.length = (end - start).saturating_add(knobs.long);
    if !knobs.no_content_range {
        let total = match knobs.total {
            None => object.size.to_string(),
            Some(Total::Size(size)) => size.to_string(),
            Some(Total::Star) => "*".into(),
        };
        insert(&mut reply.headers, CONTENT_RANGE, &format!("bytes {start}-{}/{total}", end - 1));
    }
    reply
}

/// The range `shift` later, as far as the object has it.
fn shifted((start, end): (u64, u64), object: &Object, knobs: &Knobs) -> Option<(u64, u64)> {
    let start = start.saturating_add(knobs.shift);
    let end = end.saturating_add(knobs.shift).min(object.size);
    (start < end).then_some((start, end))
}

fn unsatisfiable(object: &Object) -> Reply {
    let mut reply = Reply::refusal(StatusCode::RANGE_NOT_SATISFIABLE, "there are no such bytes");
    insert(&mut reply.headers, CONTENT_RANGE, &format!("bytes */{}", object.size));
    reply
}

fn etag(object: &Object, knobs: &Knobs) -> Option<HeaderValue> {
    let flip = if knobs.etag_flip { "-flipped" } else { "" };
    let tag = &object.tag;
    let text = match &knobs.etag {
        None => format!("\"{tag}{flip}\""),
        Some(Etag::Weak) => format!("W/\"{tag}{flip}\""),
        Some(Etag::Value(value)) => return Some(value.clone()),
        Some(Etag::None) => return None,
    };
    HeaderValue::try_from(text).ok()
}

fn encode(mut reply: Reply, knobs: &Knobs) -> Reply {
    if let Some(cookie) = &knobs.set_cookie {
        reply.headers.insert(SET_COOKIE, cookie.clone());
    }
    if let Some(name) = &knobs.encoding {
        reply.headers.insert(CONTENT_ENCODING, name.clone());
    }
    if knobs.gzip {
        if reply.length > MAX_GZIP {
            let reason = format!("the knob gzip takes bodies of at most {MAX_GZIP} bytes");
            return Reply::refusal(StatusCode::BAD_REQUEST, reason);
        }
        match reply.content.gzip(reply.offset, reply.length as usize) {
            Ok(body) => {
                reply.length = body.len() as u64;
                reply.content = crate::content::Content::Memory(body);
                reply.offset = 0;
                reply.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            Err(error) => return Reply::refusal(StatusCode::INTERNAL_SERVER_ERROR, error),
        }
    }
    reply
}

fn insert(headers: &mut HeaderMap, name: hyper::header::HeaderName, value: &str) {
    // Digits and dates: always valid.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
