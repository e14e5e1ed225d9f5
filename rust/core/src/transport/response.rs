//! Is this answer the one that was asked for? Pure: from an answer's head to a verdict.

use std::time::{Duration, SystemTime};

use crate::floor::error::{Error, ErrorCode};
use crate::floor::range::ByteRange;
use crate::transport::failure::Failure;

/// The status and the header fields of one answer that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// The answer came over HTTP/2.
    pub(crate) http2: bool,
    pub(crate) content_range: Option<String>,
    pub(crate) content_length: Option<String>,
    pub(crate) content_encoding: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) sets_cookies: bool,
    /// Where S3 has the object, which it says to those who ask elsewhere.
    pub(crate) bucket_region: Option<String>,
}

impl Head {
    /// Takes in one header line, the status line included, as libcurl hands it over.
    ///
    /// A status line begins a new answer: what interim answers, redirects and proxies said before is
    /// forgotten.
    pub(crate) fn line(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if let Some(rest) = line.strip_prefix("HTTP/") {
            let status = rest.split_ascii_whitespace().nth(1).and_then(|status| status.parse().ok());
            let http2 = rest.starts_with('2');
            *self = Self { status: status.unwrap_or(0), http2, ..Self::default() };
            return;
        }
        let Some((name, value)) = line.split_once(':') else { return };
        let field = match name.trim().to_ascii_lowercase().as_str() {
            "content-range" => &mut self.content_range,
            "content-length" => &mut self.content_length,
            "content-encoding" => &mut self.content_encoding,
            "content-type" => &mut self.content_type,
            "etag" => &mut self.etag,
            "last-modified" => &mut self.last_modified,
            "retry-after" => &mut self.retry_after,
            "location" => &mut self.location,
            "x-amz-bucket-region" => &mut self.bucket_region,
            "set-cookie" => {
                self.sets_cookies = true;
                return;
            }
            _ => return,
        };
        *field = Some(value.trim().to_owned());
    }

    /// How long the server asks to be left alone (RFC 9110, section 10.2.3: seconds or a date).
    pub(crate) fn retry_after(&self, now: SystemTime) -> Option<Duration> {
        let text = self.retry_after.as_deref()?;
        if let Ok(seconds) = text.parse() {
            return Some(Duration::from_secs(seconds));
        }
        let date = httpdate::parse_http_date(text).ok()?;
        Some(date.duration_since(now).unwrap_or_default())
    }
}

/// What a remote file is known by: if this changes, it is another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) total: u64,
    etag: Option<String>,
    last_modified: Option<String>,
}

impl std::fmt::Display for Identity {
    /// Size, and entity tag or else date, whichever the server tells.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "size={}", self.total)?;
        match (&self.etag, &self.last_modified) {
            (Some(tag), _) => write!(f, " etag={}", tag.strip_prefix("W/").unwrap_or(tag)),
            (None, Some(date)) => write!(f, " last_modified={date}"),
            (None, None) => Ok(()),
        }
    }
}

impl Identity {
    /// Says what differs, where something does.
    ///
    /// Entity tags decide where both have one, compared weakly (RFC 9110, section 8.8.3.2); servers
    /// that weaken or drop them on the way are tolerated. Else the date decides.
    fn difference(&self, now: &Self) -> Option<String> {
        let opaque = |tag: &'_ str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
        if self.total != now.total {
            return Some(format!("its size was {} bytes and is {} now", self.total, now.total));
        }
        let (what, before, after) = match (&self.etag, &now.etag) {
            (Some(before), Some(after)) => ("entity tag", opaque(before), opaque(after)),
            _ => ("date", self.last_modified.clone()?, now.last_modified.clone()?),
        };
        (before != after).then(|| format!("its {what} was {before} and is {after} now"))
    }
}

/// A `Content-Range` of a 206 answer, `bytes 0-99/1000` (RFC 9110, section 14.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentRange {
    pub(crate) range: ByteRange,
    /// `None` where the server says `*`.
    pub(crate) total: Option<u64>,
}

impl ContentRange {
    /// `None` where the text is not of that form or contradicts itself.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (unit, rest) = text.trim().split_once(' ')?;
        let (range, total) = rest.trim().split_once('/')?;
        let (first, last) = range.split_once('-')?;
        let (first, last) = (digits(first)?, digits(last)?);
        let total = if total.trim() == "*" { None } else { Some(digits(total)?) };
        let range = ByteRange::new(first, last.checked_add(1)?);
        let sound =
            unit.eq_ignore_ascii_case("bytes") && first <= last && total.is_none_or(|total| last < total);
        sound.then_some(Self { range, total })
    }
}

/// A number of digits alone; `parse` would also take a sign.
fn digits(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// What the answer must be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    /// What was asked for.
    pub(crate) range: ByteRange,
    /// What the file was before; `None` for the first request.
    pub(crate) identity: Option<&'a Identity>,
    /// A file of at most so many bytes may come whole, where the server knows no ranges.
    pub(crate) max_whole_bytes: u64,
}

/// An answer whose body may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// The bytes that the body holds: from the start of what was asked, perhaps not to its end.
    pub(crate) range: ByteRange,
    /// Bytes of the body that come before these: it is the whole file.
    pub(crate) skipped_bytes: u64,
    pub(crate) identity: Identity,
}

/// Judges the head of an answer before a byte of its body is used.
pub(crate) fn check(expected: &Expected<'_>, head: &Head) -> Result<Accepted, Failure> {
    let bad = |message: String| Err(refused(head, ErrorCode::BadResponse, message));
    match head.status {
        206 => {}
        200 => return whole(expected, head),
        status => return Err(Failure::Status { status, retry_after: None, words: None }),
    }
    check_encoding(head)?;
    let Some(text) = head.content_range.as_deref() else {
        return bad("the server answered 206 without a Content-Range".to_owned());
    };
    let Some(content) = ContentRange::parse(text) else {
        return bad(format!("the server sent the meaningless Content-Range '{text}'"));
    };
    let asked = expected.range;
    if content.range.start() != asked.start() || content.range.end() > asked.end() {
        return bad(format!("the server sent {} when {asked} was asked for", content.range));
    }
    let length = content.range.length();
    if let Some(text) = head.content_length.as_deref()
        && digits(text) != Some(length)
    {
        return bad(format!("the server announced {text} bytes of content for {}", content.range));
    }
    let Some(total) = content.total.or(expected.identity.map(|identity| identity.total)) else {
        return bad("the server does not tell the size of the file".to_owned());
    };
    let identity = identify(expected, head, total)?;
    Ok(Accepted { range: content.range, skipped_bytes: 0, identity })
}

/// Judges an answer that ignores the range asked for: the whole file, if it is small.
fn whole(expected: &Expected<'_>, head: &Head) -> Result<Accepted, Failure> {
    let unsupported = |why: &str| {
        let message = format!("the server ignores byte ranges (HTTP 200 instead of 206){why}");
        Err(refused(head, ErrorCode::RangeUnsupported, message))
    };
    if is_markup(head.content_type.as_deref()) {
        return unsupported("; it sent a web page");
    }
    check_encoding(head)?;
    let Some(total) = head.content_length.as_deref().and_then(digits).filter(|length| *length > 0) else {
        return unsupported(" and does not tell the size of the file");
    };
    if total > expected.max_whole_bytes {
        let most = expected.max_whole_bytes;
        return unsupported(&format!(
            ", and only files of at most {most} bytes (max_whole_file) are taken whole"
        ));
    }
    let identity = identify(expected, head, total)?;
    // The first request takes all of it; what it leaves would have to come from the start again.
    let end = if expected.identity.is_none() { total } else { expected.range.end().min(total) };
    let start = expected.range.start().min(end);
    Ok(Accepted { range: ByteRange::new(start, end), skipped_bytes: start, identity })
}

/// What the answer says the file is, if that is what it was.
fn identify(expected: &Expected<'_>, head: &Head, total: u64) -> Result<Identity, Failure> {
    let identity = Identity { total, etag: head.etag.clone(), last_modified: head.last_modified.clone() };
    match expected.identity.and_then(|before| before.difference(&identity)) {
        None => Ok(identity),
        Some(difference) => {
            let message = format!("the remote file has changed since it was opened: {difference}");
            Err(refused(head, ErrorCode::Changed, message))
        }
    }
}

fn check_encoding(head: &Head) -> Result<(), Failure> {
    match head.content_encoding.as_deref() {
        Some(encoding) if !encoding.eq_ignore_ascii_case("identity") => {
            let message =
                format!("the server sent the bytes encoded as {encoding}, though none was accepted");
            Err(refused(head, ErrorCode::BadResponse, message))
        }
        _ => Ok(()),
    }
}

fn refused(head: &Head, code: ErrorCode, message: String) -> Failure {
    Failure::Refused(Error::new(code, message).with_status(head.status))
}

/// Does this media type name a page for people?
pub(crate) fn is_markup(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|kind| {
        let kind = kind.to_ascii_lowercase();
        kind.starts_with("text/html") || kind.starts_with("application/xhtml")
    })
}

#[cfg(test)]
mod tests;
