use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::content::Content;

/// A status, headers and the bytes `offset..offset + length` of a content.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) content: Content,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

impl Reply {
    pub(crate) fn new(status: StatusCode, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        Self { status, headers, length: body.len() as u64, content: Content::Memory(body), offset: 0 }
    }

    pub(crate) fn text(status: StatusCode, text: impl Into<String>) -> Self {
        Self::new(status, "text/plain; charset=utf-8", text.into())
    }

    /// A line of text that gives the reason.
    pub(crate) fn refusal(status: StatusCode, reason: impl std::fmt::Display) -> Self {
        Self::text(status, format!("{reason}\n"))
    }

    /// The kind of page that proxies and portals answer with: 100 kB.
    pub(crate) fn error_page(status: StatusCode) -> Self {
        let mut page = format!("<!DOCTYPE html>\n<html><head><title>{status}</title></head><body>\n");
        while page.len() < 100_000 {
            page.push_str("<p>The page you asked for can not be shown at the moment.</p>\n");
        }
        page.push_str("</body></html>\n");
        Self::new(status, "text/html; charset=utf-8", page)
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Whether an answer of this status has a body, and says how long it is.
    pub(crate) fn has_body(&self) -> bool {
        !matches!(self.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
    }
}
